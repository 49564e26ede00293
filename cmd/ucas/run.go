package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"ucas/engine"
	"ucas/engine/diag"
	"ucas/engine/launch"
	"ucas/engine/plan"
)

// runCmd is "ucas run".
type runCmd struct {
	Agent   string   `arg:"" help:"The agent."`
	Mods    []string `arg:"" optional:"" name:"+mod" help:"Mods to lay over it, each written +NAME; later ones win."`
	DryRun  bool     `short:"n" help:"Print the command as one line of shell, and start nothing."`
	Debug   bool     `help:"Tell on stderr how the levels were merged and the harness chosen."`
	Set     []string `sep:"none" placeholder:"KEY=VALUE" help:"Set a key for this run; the value is YAML. Repeatable."`
	Name    string   `placeholder:"NAME" help:"Name the session; default: the agent's name."`
	Detach  bool     `short:"d" help:"Start in the background: do not show the window."`
	Wrapper string   `placeholder:"NAME" help:"Start it in tmux, in place (exec), or in a wrapper of your own."`

	Extra []string `kong:"-"`
}

// Help is shown below the options.
func (c *runCmd) Help() string {
	return "What follows -- is passed to the harness as it is: ucas run php-master -- --verbose"
}

func (c *runCmd) run(p *program, g *global) error {
	o, err := p.options(g)
	if err != nil {
		return err
	}
	if err := c.fill(&o); err != nil {
		return err
	}
	ctx := context.Background()
	result, err := engine.Assemble(ctx, o)
	if c.Debug {
		writeDebug(p.stderr, result)
	}
	p.said(result.Printed)
	p.warn(result.Warnings...)
	if err != nil {
		return err
	}
	p.offer(result)
	if c.DryRun {
		return p.dryRun(result.Plan)
	}
	return c.launch(ctx, p, o, result.Plan)
}

// fill puts what the command line says into the engine's options.
func (c *runCmd) fill(o *engine.Options) error {
	o.Agent, o.Set, o.Wrapper, o.Session, o.Extra = c.Agent, c.Set, c.Wrapper, c.Name, c.Extra
	if strings.HasPrefix(c.Agent, "+") {
		return errUsage{fmt.Errorf("the agent comes first, then mods: ucas run AGENT %s", c.Agent)}
	}
	for _, set := range c.Set {
		if !strings.Contains(set, "=") {
			return errUsage{fmt.Errorf("--set %s: expected KEY=VALUE, as in --set env.DEBUG=1", set)}
		}
	}
	for _, mod := range c.Mods {
		name, ok := strings.CutPrefix(mod, "+")
		if !ok {
			return errUsage{fmt.Errorf("unexpected argument %q: mods are written +%s, arguments for the harness come after --", mod, mod)}
		}
		o.Mods = append(o.Mods, name)
	}
	return nil
}

// dryRun prints the command, and writes what it needs to work when pasted.
func (p *program) dryRun(pl *plan.Plan) error {
	if pl.Binary == "" {
		_, err := pl.Program(p.environ)
		missing := *diag.All(err)[0]
		missing.Severity = diag.Warning
		p.warn(&missing)
	}
	if err := launch.WriteFiles(pl); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.stdout, pl.ShellLine(p.environ))
	return err
}

// launch starts the session. If its name is taken, it is assembled again
// under another: the files of the Plan are named after it.
func (c *runCmd) launch(ctx context.Context, p *program, o engine.Options, pl *plan.Plan) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	replan := func(session string) (*plan.Plan, error) {
		o.Session = session
		result, err := engine.Assemble(ctx, o)
		return result.Plan, err
	}
	s, err := launch.Start(ctx, pl, replan, launch.Options{
		Environ: p.environ, Stdin: p.stdin, Stdout: p.stdout, Stderr: p.stderr,
		Terminal: isTerminal(p.stdin) && isTerminal(p.stdout), Detach: c.Detach,
	})
	if err != nil {
		return err
	}
	p.started(s)
	return nil
}

// started says what runs now, and how to get there.
func (p *program) started(s *launch.Session) {
	switch {
	case s.Ended:
		fmt.Fprintf(p.stderr, "%s ended with status %d\n", diag.Escape(s.Name), s.ExitStatus)
		for _, line := range s.LastLines {
			fmt.Fprintf(p.stderr, "  %s\n", diag.Escape(line))
		}
	case s.Running:
		verb := "attach"
		if p.getenv("TMUX") != "" {
			verb = "select-window"
		}
		fmt.Fprintf(p.stderr, "%s runs in tmux: tmux %s -t %s\n", diag.Escape(s.Name), verb, diag.Escape(plan.ShellWord(s.Target)))
	case s.Window != "":
		fmt.Fprintf(p.stderr, "%s has ended\n", diag.Escape(s.Name))
	case s.Plan.Wrapper.Name == plan.WrapperHook:
		fmt.Fprintf(p.stderr, "%s was handed to %s\n", diag.Escape(s.Name), diag.Escape(s.Plan.Wrapper.Argv[0]))
	}
}

// offer says which harnesses could be allowed, if nobody allowed any yet.
func (p *program) offer(r *engine.Result) {
	offers := r.Offers(r.Plan.Dir, p.environ)
	if len(offers) == 0 {
		return
	}
	var names, programs []string
	for _, e := range offers {
		names = append(names, e.Name)
		programs = append(programs, e.Executable)
	}
	note := diag.Errorf("%s is on PATH, but you have not allowed a harness (ACLI) that runs it yet: %s",
		strings.Join(unique(programs), ", "), strings.Join(names, ", ")).
		WithHint("put the one you want into ~/.ucas/ucas.yaml, as in allowed_acli: [%s]", names[0])
	note.Severity = diag.Note
	p.warn(note)
}

func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
