package launch

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"ucas/engine/diag"
	"ucas/engine/plan"
)

// Of tmux, 3.0 is the oldest that has all we use.
const (
	minTmuxMajor = 3
	minTmux      = "3.0"
)

// tmuxPatience is how long one tmux client may take. The first one starts the
// server, which runs what the user's tmux.conf says.
const tmuxPatience = 30 * time.Second

// outputPatience is how long the output of a client that has ended may take: a
// server that hangs keeps it open, and a machine may be busy.
const outputPatience = 10 * time.Second

// keptByTmux returns the variables that tmux sets for what it runs.
func keptByTmux() []string {
	return []string{"TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "TMUX_PANE"}
}

// A tmux runs the tmux client. Which server it talks to, the client reads from
// its environment as it always does.
type tmux struct {
	path    string
	dir     string // of the client: new windows start there
	environ []string
}

// newTmux finds tmux on the caller's PATH.
func newTmux(p *plan.Plan, environ []string) (*tmux, error) {
	path, err := plan.LookPath("tmux", p.Dir, plan.Getenv(environ, "PATH"))
	if err != nil {
		return nil, diag.At(p.Wrapper.From.Span, "cannot launch %s: tmux is not on PATH", p.Session).
			WithHint("install tmux (apt install tmux, dnf install tmux, brew install tmux),\nor run in this terminal: --wrapper exec").
			WithCause(err)
	}
	return &tmux{path: path, dir: p.Dir, environ: inDir(environ, p.Dir)}, nil
}

// inDir returns an environment for a program that is started in a directory.
func inDir(environ []string, dir string) []string {
	return append(environ[:len(environ):len(environ)], "PWD="+dir)
}

// A command is one tmux command: its name and arguments.
type command []string

// run has the commands carried out by one client, one after another until one
// fails; the server does nothing else in between. It returns what they
// printed, also if one failed.
func (t *tmux) run(ctx context.Context, commands ...command) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, tmuxPatience)
	defer cancel()
	// Without -u, what is not ASCII is printed as underlines in the C locale.
	args := []string{"-u"}
	for i, c := range commands {
		if i > 0 {
			args = append(args, ";")
		}
		for _, arg := range c {
			args = append(args, escapeSemicolon(arg))
		}
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, t.path, args...)
	cmd.Dir, cmd.Env = t.dir, t.environ
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = outputPatience
	err := cmd.Run()
	if err != nil {
		err = tmuxProblem(ctx, commands[0][0], stderr.String(), err)
	}
	return stdout.String(), err
}

// escapeSemicolon keeps tmux from taking an argument's last character for the
// end of a command.
func escapeSemicolon(arg string) string {
	if strings.HasSuffix(arg, ";") {
		return arg[:len(arg)-1] + `\;`
	}
	return arg
}

// tmuxProblem returns an error in tmux's own words.
func tmuxProblem(ctx context.Context, command, stderr string, err error) *diag.Problem {
	words := diag.Escape(strings.TrimSpace(stderr))
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		words = "no answer within " + tmuxPatience.String()
	case words == "" && errors.As(err, &exit):
		words = "it ended with " + exit.String()
	case words == "":
		words = err.Error()
	}
	return diag.Errorf("tmux %s: %s", command, words).WithCause(err).
		WithHint("ucas needs tmux %s or newer: see tmux -V and tmux list-sessions,\nor run in this terminal: --wrapper exec", minTmux)
}

// checkVersion reports a tmux that is too old. Versions that are not numbers
// ("master") are new.
func checkVersion(version string) error {
	number := strings.TrimPrefix(version, "next-")
	major, _, _ := strings.Cut(number, ".")
	n, err := strconv.Atoi(major)
	if err != nil || n >= minTmuxMajor {
		return nil
	}
	return diag.Errorf("the tmux server is of version %s, ucas needs %s or newer", version, minTmux).
		WithHint("install a newer tmux and end the old server (tmux kill-server),\nor run in this terminal: --wrapper exec")
}
