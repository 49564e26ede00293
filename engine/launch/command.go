package launch

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"ucas/engine/diag"
	"ucas/engine/plan"
)

// keptByWrapper returns the variables that a multiplexer or a terminal sets
// for what it runs.
func keptByWrapper() []string {
	return append(keptByTmux(), "STY", "WINDOW", "WINDOWID", "ZELLIJ", "ZELLIJ_PANE_ID", "ZELLIJ_SESSION_NAME",
		"KITTY_WINDOW_ID", "KITTY_LISTEN_ON", "WEZTERM_PANE", "WEZTERM_UNIX_SOCKET", "VTE_VERSION")
}

// startCommand launches a Plan through a command of the user's and waits for
// that command, whether it waits for the harness or not.
func startCommand(ctx context.Context, p *plan.Plan, replan Replan, o Options) (*Session, error) {
	program, err := findWrapper(p, o.Environ)
	if err != nil {
		return nil, err
	}
	var s *Session
	var script string
	err = underLock(ctx, p, func() error {
		chosen, err := freeName(p, replan, o, func(string) bool { return false })
		if err != nil {
			return err
		}
		s = newSession(chosen)
		script, err = writeSession(chosen, o.Environ, keptByWrapper())
		return err
	})
	if err != nil {
		return nil, err
	}
	args := wrapperArgs(s.Plan, script)
	status, err := child{
		path: program, args: args,
		dir: p.Dir, environ: inDir(o.Environ, p.Dir),
	}.run(ctx, o)
	if err == nil && status == 0 {
		return s, nil
	}
	os.Remove(script)
	switch {
	case ctx.Err() != nil:
		return s, wrapperProblem(p, "was interrupted").WithCause(ctx.Err()).
			WithHint("see whether it left %s running", s.Name)
	case err != nil:
		return nil, wrapperProblem(p, "cannot be started: %v", err).WithCause(err).
			WithHint("try it by hand: %s", strings.Join(args, " "))
	}
	return s, wrapperProblem(p, "ended %s", statusWords(status)).
		WithHint("its messages stand above; it was run as: %s", strings.Join(args, " "))
}

// findWrapper returns the path of the wrapper's program.
func findWrapper(p *plan.Plan, environ []string) (string, error) {
	argv := p.Wrapper.Argv
	if len(argv) == 0 {
		return "", wrapperProblem(p, "has no command").
			WithHint("give it one, for example: [xterm, -e, sh, \"{script}\"]")
	}
	if !slices.ContainsFunc(argv, func(arg string) bool { return strings.Contains(arg, "{script}") }) {
		return "", wrapperProblem(p, "would not run the agent: its command has no {script}").
			WithHint("put it in as an argument, for example: [%s, sh, \"{script}\"]", argv[0])
	}
	program, err := plan.LookPath(argv[0], p.Dir, plan.Getenv(environ, "PATH"))
	if err != nil {
		return "", wrapperProblem(p, "cannot be started: %s", err).WithCause(err).
			WithHint("install it, or use another: --wrapper tmux, --wrapper exec")
	}
	return program, nil
}

// wrapperArgs returns the wrapper's command for a Plan.
func wrapperArgs(p *plan.Plan, script string) []string {
	r := strings.NewReplacer("{name}", p.Session, "{script}", script, "{dir}", p.Dir)
	args := make([]string, len(p.Wrapper.Argv))
	for i, arg := range p.Wrapper.Argv {
		args[i] = r.Replace(arg)
	}
	return args
}

// wrapperProblem is an error of a wrapper, at its definition.
func wrapperProblem(p *plan.Plan, format string, args ...any) *diag.Problem {
	return diag.At(p.Wrapper.From.Span, "wrapper %s %s", p.Wrapper.Name, fmt.Sprintf(format, args...))
}
