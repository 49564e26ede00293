// Package launch carries out a [plan.Plan]: it writes the Plan's files and
// starts its command through the Plan's wrapper, which is tmux (a window of
// its own), exec (in place of this process), or a command of the user's. Start
// with [Start]; [WriteFiles] alone is for those who only print the command.
//
// It is the only package that changes the world, and the only one that runs
// tmux. It decides nothing about the command: arguments, environment and files
// are the Plan's. Of the caller's environment it knows what [Options] say.
//
// The command reaches tmux, or a wrapper of the user's, as a private script
// that removes itself when it starts. So nothing secret stands on a command
// line, nothing is quoted twice, and no length limit applies.
package launch

import (
	"context"
	"os"
	"strings"
	"time"

	"ucas/engine/diag"
	"ucas/engine/plan"
)

// Options of a launch.
type Options struct {
	// Environ is the caller's environment, "NAME=value" items. Where tmux is,
	// which of its servers, and whether we are inside it, is read from here.
	Environ []string

	// Stdin, Stdout and Stderr are given to what runs in the foreground: an
	// attached tmux, a wrapper of the user's. Nil is /dev/null.
	Stdin, Stdout, Stderr *os.File
	// Terminal says that they are a terminal: a window that is started
	// outside tmux is then shown, by attaching to it.
	Terminal bool
	// Detach says not to attach, nor to select the new window.
	Detach bool

	// Now tells the time for the names of windows; nil is time.Now.
	Now func() time.Time
	// Grace is how long a harness in a window is watched for an early death;
	// zero is two seconds.
	Grace time.Duration
	// Started, if set, is called when the window is there, before the harness
	// is watched: the next member of a team need not wait for that.
	Started func(Session)
}

// defaultGrace is long enough for a harness written in a scripting language
// to find that it cannot run.
const defaultGrace = 2 * time.Second

// A Session is what was started.
type Session struct {
	// Plan is what was launched: of another name than the one that was asked
	// for if that was taken.
	Plan *plan.Plan
	// Name is that of the Plan's session, Wrapper that of its wrapper.
	Name, Wrapper string

	// Window and Pane are tmux's ids of the window and of its pane ("@3",
	// "%5"), unique in one server, TmuxSession is the name of the session that
	// holds them. Target is how a person names the window, for
	// tmux attach-session -t. All are empty for other wrappers.
	Window, Pane, TmuxSession, Target string

	// Running says that the harness runs in its window when Start returns.
	Running bool
	// Ended says that the harness ended while it was watched. ExitStatus is
	// then its status (128 and the signal's number if it was killed, -1 if
	// tmux does not tell), and LastLines the end of what it printed.
	Ended      bool
	ExitStatus int
	LastLines  []string
}

// A Replan returns the Plan of a session under another name.
type Replan func(session string) (*plan.Plan, error)

// Start launches a Plan. If the name of its session is taken, replan is asked
// for the Plan of a free one.
//
// With the wrapper exec, Start returns only if it failed. With tmux it returns
// when the harness has lived through Options.Grace and whoever is attached has
// left. A wrapper of the user's is waited for.
//
// A harness that ends within its grace with another status than 0 is an error
// that holds its status and last lines, returned together with the Session. A
// launch that is cancelled through ctx in that time is undone: its window is
// closed. Later, ctx ends only the attached client, and the harness lives on.
func Start(ctx context.Context, p *plan.Plan, replan Replan, o Options) (*Session, error) {
	if err := checkName(p.Session); err != nil {
		return nil, err
	}
	program, err := p.Program(o.Environ)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, cancelled(p, err)
	}
	switch p.Wrapper.Name {
	case plan.WrapperExec:
		return nil, execute(p, program, o)
	case plan.WrapperTmux:
		return startWindow(ctx, p, replan, o)
	default:
		return startCommand(ctx, p, replan, o)
	}
}

// newSession returns the Session of a Plan.
func newSession(p *plan.Plan) *Session {
	return &Session{Plan: p, Name: p.Session, Wrapper: p.Wrapper.Name}
}

func (o Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}

func (o Options) grace() time.Duration {
	if o.Grace == 0 {
		return defaultGrace
	}
	return o.Grace
}

// checkName reports a name that cannot be that of a file.
func checkName(session string) error {
	if session == "" || strings.ContainsAny(session, "/\x00") {
		return diag.Errorf("%q cannot name a session: its files have that name", session).
			WithHint("choose a name without a slash: --name NAME")
	}
	return nil
}

// cancelled is the error of a launch that was interrupted.
func cancelled(p *plan.Plan, cause error) *diag.Problem {
	return diag.Errorf("the launch of %s was interrupted; nothing of it is left running", p.Session).
		WithCause(cause)
}
