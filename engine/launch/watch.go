package launch

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ucas/engine/diag"
)

// A dead pane is asked for at growing intervals: a missing program is seen at
// once, a long start costs few questions.
const (
	firstLook = 20 * time.Millisecond
	lastLook  = 320 * time.Millisecond
)

// statusPatience is how long a harness that has closed its terminal may take
// to end. A tmux before 3.3 never says that a signal ended it.
const statusPatience = time.Second

const (
	maxLastLines = 20
	captureLines = 200 // of the history: enough for 20 lines that are not blank
)

// deadLine is how the line starts that a tmux before 3.3 writes below what a
// dead harness printed; others can be told not to. It may be joined to a line
// of the harness's.
const deadLine = "Pane is dead ("

// follow watches the harness through its grace, and shows it meanwhile and
// afterwards if it attaches.
func (w *window) follow(ctx context.Context, o Options) error {
	showing, hide := context.WithCancel(ctx)
	defer hide()
	watched := make(chan error, 1)
	started := time.Now()
	go func() {
		err := w.watch(ctx, o.grace())
		if err != nil || w.session.Ended {
			hide()
		}
		watched <- err
	}()
	var failure error
	if o.attaches() {
		failure = w.attach(showing, o)
	}
	err := <-watched
	switch {
	case err != nil:
		w.close(ctx)
		return err
	case !w.session.Ended:
		w.session.Running = !o.attaches() || w.isRunning(ctx)
		return failure
	}
	took := time.Since(started)
	w.close(ctx)
	return w.deathProblem(took)
}

// isRunning reports whether the harness still runs after it was shown.
func (w *window) isRunning(ctx context.Context) bool {
	state, err := w.look(ctx, false)
	return err == nil && state.there && !state.dead
}

// A paneState is what tmux says of a pane.
type paneState struct {
	there, dead bool
	status      int
	known       bool // the status
}

// watch returns when the harness has lived through its grace, or has ended:
// the Session then says how. An error says that the window is lost.
func (w *window) watch(ctx context.Context, grace time.Duration) error {
	deadline := time.Now().Add(grace)
	var died time.Time
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		left := time.Until(deadline)
		select {
		case <-time.After(min(pause, max(left, firstLook))):
		case <-ctx.Done():
			return cancelled(w.plan(), ctx.Err())
		}
		over := left <= pause
		state, err := w.look(ctx, over)
		switch {
		case ctx.Err() != nil:
			return cancelled(w.plan(), ctx.Err())
		case err != nil || !state.there:
			return w.lost(err)
		case !state.dead && over:
			return nil
		case !state.dead:
			continue
		case died.IsZero():
			died = time.Now()
		}
		if state.known || time.Since(died) > statusPatience {
			return w.ended(ctx, state)
		}
	}
}

// lost is the error of a window that is gone, which its harness cannot bring
// about; err is what tmux says about it, if anything.
func (w *window) lost(err error) error {
	message := "the window of " + diag.Escape(w.session.Name) + " was closed while its harness started"
	if err != nil {
		message += ": " + err.Error()
	}
	return diag.Errorf("%s", message).WithCause(err).
		WithHint("if you did not close it, see what is left: tmux list-windows -a")
}

// look asks for the state of the pane. The last look also ends the watch.
func (w *window) look(ctx context.Context, last bool) (paneState, error) {
	ask := command{"display-message", "-p", "-t", w.session.Pane,
		"#{pane_id},#{pane_dead},#{pane_dead_status},#{pane_dead_signal}"}
	commands := []command{ask}
	if last {
		commands = []command{w.letGo(), ask}
	}
	out, err := w.tmux.run(ctx, commands...)
	state := w.parseState(out)
	if err == nil && state.dead && !state.known {
		out, err = w.tmux.run(ctx, reap(), ask)
		state = w.parseState(out)
	}
	return state, err
}

// letGo returns the command that ends the watch: from then on the window goes
// when its harness ends. It does nothing to a pane that is dead already, so
// that none is left over or lost.
func (w *window) letGo() command {
	unset := "set-option -wqu -t " + w.session.Window
	return command{"if-shell", "-F", "-t", w.session.Pane, "#{?pane_dead,0,1}",
		unset + " remain-on-exit ; " + unset + " remain-on-exit-format"}
}

// reap returns a command that makes tmux ask for the status of each child that
// has ended. When it learns that a pane's terminal was closed, a tmux with
// utempter (before 3.6) is deaf for a moment to the news that the child ended.
func reap() command { return command{"run-shell", "true"} }

func (w *window) parseState(out string) paneState {
	f := strings.Split(strings.TrimSpace(out), ",")
	if len(f) != 4 || f[0] != w.session.Pane {
		return paneState{}
	}
	state := paneState{there: true, dead: f[1] == "1", status: -1}
	if n, err := strconv.Atoi(f[2]); err == nil {
		state.status, state.known = n, true
	}
	if n := signalNumber(f[3]); n > 0 {
		state.status, state.known = 128+n, true
	}
	return state
}

// signalNumber returns the number of a signal that tmux names by number or,
// where the system has names for them, by name; 0 if it names none.
func signalNumber(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	named := map[string]syscall.Signal{
		"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT, "ILL": syscall.SIGILL,
		"TRAP": syscall.SIGTRAP, "ABRT": syscall.SIGABRT, "BUS": syscall.SIGBUS, "FPE": syscall.SIGFPE,
		"KILL": syscall.SIGKILL, "SEGV": syscall.SIGSEGV, "PIPE": syscall.SIGPIPE, "ALRM": syscall.SIGALRM,
		"TERM": syscall.SIGTERM, "XCPU": syscall.SIGXCPU, "XFSZ": syscall.SIGXFSZ, "SYS": syscall.SIGSYS,
	}
	return int(named[strings.TrimPrefix(strings.ToUpper(s), "SIG")])
}

// ended takes over what a dead harness left.
func (w *window) ended(ctx context.Context, state paneState) error {
	out, err := w.tmux.run(ctx, command{"capture-pane", "-p", "-J",
		"-S", strconv.Itoa(-captureLines), "-t", w.session.Pane})
	if ctx.Err() != nil {
		return cancelled(w.plan(), ctx.Err())
	}
	if err != nil {
		return err
	}
	w.session.Ended = true
	w.session.ExitStatus = state.status
	w.session.LastLines = lastLines(out)
	return nil
}

// lastLines returns the last lines of a dead pane that are not blank.
func lastLines(out string) []string {
	out = strings.TrimRight(out, " \n")
	if i := strings.LastIndex(out, deadLine); i >= 0 && !strings.Contains(out[i:], "\n") {
		out = out[:i]
	}
	var lines []string
	for line := range strings.Lines(out) {
		if line = strings.TrimRight(line, " \n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-maxLastLines):]
}

// deathProblem is the error of a harness that ended early; nil if it said
// that all went well.
func (w *window) deathProblem(took time.Duration) error {
	s := w.session
	if s.ExitStatus == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s of session %s ended %s after %v", diag.Escape(w.plan().ACLI), diag.Escape(s.Name),
		statusWords(s.ExitStatus), took.Round(10*time.Millisecond))
	if len(s.LastLines) == 0 {
		b.WriteString(" and printed nothing")
	} else {
		b.WriteString("; its last lines:")
	}
	for _, line := range s.LastLines {
		b.WriteString("\n  " + diag.Escape(line))
	}
	return (&diag.Problem{Message: b.String()}).
		WithHint("run it in this terminal to see more: --wrapper exec")
}

// statusWords says with which status something ended.
func statusWords(status int) string {
	switch {
	case status < 0:
		return "with a status that tmux does not tell"
	case status > 128 && status < 128+32:
		return fmt.Sprintf("with status %d (%s)", status, syscall.Signal(status-128))
	}
	return fmt.Sprintf("with status %d", status)
}
