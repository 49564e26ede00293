package launch_test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// A terminal is a pane of another tmux server in which a launcher runs.
type terminal struct {
	*world
	pane, out string
}

// open runs a launcher in a terminal: a pane of the given server.
func (w *world) open(server string, r request, env ...string) *terminal {
	w.t.Helper()
	in, out := w.path("request"), w.path("response")
	os.Remove(out)
	if r.Grace == 0 {
		r.Grace = testGrace
	}
	must(w.t, writeGob(in, r))
	// What follows the launcher shows whether the terminal is as it was.
	line := "env " + strings.Join(env, " ") + " launcher " + in + " " + out + "; stty -a; cat"
	args := []string{"new-session", "-d", "-P", "-F", "#{pane_id}", "-x", "100", "-y", "30", "-s", "term", line}
	return &terminal{w, w.tmuxOf(server, args...), out}
}

// screen returns what the terminal shows.
func (c *terminal) screen() string {
	return c.tmuxOf("other", "capture-pane", "-p", "-t", c.pane)
}

// response waits until the launcher is done and the terminal is sane.
func (c *terminal) response() response {
	c.t.Helper()
	waitFor(c.t, "the launcher", func() bool { return exists(c.out) })
	waitFor(c.t, "a sane terminal", func() bool {
		s := c.screen()
		return strings.Contains(s, "the launcher is done") && strings.Contains(s, " icanon ") && strings.Contains(s, " echo ")
	})
	var r response
	must(c.t, readGob(c.out, &r))
	return r
}

// The variables with which a program in the other server starts outside tmux.
const outside = "-u TMUX -u TMUX_PANE"

func TestAttach(t *testing.T) {
	w := newWorld(t)
	w.env = w.with(varPrint + "=here-I-am")
	c := w.open("other", request{Plan: w.plan("karel"), Terminal: true}, outside, "TMUX_TMPDIR="+w.path("s"))
	waitFor(t, "the window to be shown", func() bool { return strings.Contains(c.screen(), "here-I-am") })
	waitFor(t, "the end of the watch", func() bool {
		return !strings.Contains(w.tmux("show-options", "-w", "-t", "ucas-api:karel"), "remain-on-exit")
	})
	// Ctrl-C is the harness's, and ends it; with its only window the session
	// goes, and with that the client.
	c.tmuxOf("other", "send-keys", "-t", c.pane, "C-c")
	if r := c.response(); r.Error != "" || r.Session.Ended {
		t.Errorf("the launcher returned %+v", r)
	}
}

func TestAttachDetached(t *testing.T) {
	w := newWorld(t)
	c := w.open("other", request{Plan: w.plan("karel"), Terminal: true}, outside, "TMUX_TMPDIR="+w.path("s"))
	w.waitReports(1)
	waitFor(t, "the client", func() bool { return w.tmux("list-clients") != "" })
	w.tmux("detach-client", "-s", "ucas-api")
	if r := c.response(); r.Error != "" || r.Session.Target != "ucas-api:karel" {
		t.Errorf("the launcher returned %+v", r)
	}
	if got := w.windows(); !slices.Equal(got, []string{"ucas-api:karel"}) {
		t.Errorf("the windows are %q", got)
	}
}

func TestAttachTerminated(t *testing.T) {
	w := newWorld(t)
	c := w.open("other", request{Plan: w.plan("karel"), Terminal: true}, outside, "TMUX_TMPDIR="+w.path("s"))
	w.waitReports(1)
	waitFor(t, "the end of the watch", func() bool {
		return !strings.Contains(w.tmux("show-options", "-w", "-t", "ucas-api:karel"), "remain-on-exit")
	})
	// The client asks its parent, the launcher, to end.
	w.tmux("run-shell", "kill -TERM $(ps -o ppid= -p #{client_pid})")
	if r := c.response(); r.Error != "" || r.Session.Name != "karel" {
		t.Errorf("the launcher returned %+v", r)
	}
	if got := w.windows(); !slices.Equal(got, []string{"ucas-api:karel"}) {
		t.Errorf("the windows are %q", got)
	}
}

func TestAttachEarlyDeath(t *testing.T) {
	w := newWorld(t)
	w.start(w.plan("keep"))
	w.env = w.with(varHold+"=", varExit+"=3", varPrint+"=no-key")
	c := w.open("other", request{Plan: w.plan("karel"), Terminal: true, Grace: patience}, outside, "TMUX_TMPDIR="+w.path("s"))
	r := c.response()
	if !r.Session.Ended || r.Session.ExitStatus != 3 || !slices.Equal(r.Session.LastLines, []string{"no-key"}) {
		t.Errorf("the launcher returned %+v", r)
	}
	if got := w.windows(); !slices.Equal(got, []string{"ucas-api:keep"}) {
		t.Errorf("the windows are %q", got)
	}
	if got := w.tmux("list-clients"); got != "" {
		t.Errorf("somebody is still attached: %s", got)
	}
}

// Suspending the client stops the launcher too, so that the shell gets the
// terminal back, and wakes both.
func TestAttachSuspended(t *testing.T) {
	w := newWorld(t)
	in, out := w.path("request"), w.path("response")
	must(t, writeGob(in, request{Plan: w.plan("karel"), Terminal: true, Grace: testGrace}))
	pane := w.tmuxOf("other", "new-session", "-d", "-P", "-F", "#{pane_id}", "-x", "100", "-y", "30",
		"env "+outside+" TMUX_TMPDIR="+w.path("s")+" PS1='prompt:' sh -i")
	c := &terminal{w, pane, out}
	c.tmuxOf("other", "send-keys", "-t", pane, "launcher "+in+" "+out, "Enter")
	w.waitReports(1)
	waitFor(t, "the client", func() bool { return w.tmux("list-clients") != "" })
	w.tmux("suspend-client", "-t", w.tmux("list-clients", "-F", "#{client_name}"))
	waitFor(t, "the shell", func() bool { return strings.Contains(c.screen(), "topped") })
	c.tmuxOf("other", "send-keys", "-t", pane, "fg", "Enter")
	waitFor(t, "the window", func() bool { return strings.Contains(c.screen(), "[ucas-api]") })
	w.tmux("detach-client", "-s", "ucas-api")
	waitFor(t, "the launcher", func() bool { return exists(out) })
}

func TestInside(t *testing.T) {
	w := newWorld(t)
	w.open("s", request{Plan: w.plan("karel"), Terminal: true})
	w.waitReports(1)
	waitFor(t, "the launcher", func() bool { return exists(w.path("response")) })
	var r response
	must(t, readGob(w.path("response"), &r))
	if r.Error != "" || r.Session.TmuxSession != "term" || r.Session.Name != "karel" {
		t.Errorf("the launcher returned %+v", r)
	}
	if got := w.tmux("display-message", "-p", "-t", "term:", "#{window_name}"); got != "karel" {
		t.Errorf("the window %s is selected", got)
	}
	w.tmux("new-session", "-d", "-s", "newer")
	w.tmux("kill-session", "-t", "term")

	// A popup has no pane of its own. That another session is the newer one
	// does not matter.
	w.open("s", request{Plan: w.plan("karel"), Terminal: true, Detach: true}, "-u TMUX_PANE")
	w.waitReports(1)
	waitFor(t, "the launcher", func() bool { return exists(w.path("response")) })
	must(t, readGob(w.path("response"), &r))
	if r.Error != "" || r.Session.TmuxSession != "term" {
		t.Errorf("the launcher returned %+v", r)
	}
	if got := w.tmux("display-message", "-p", "-t", "term:", "#{window_name}"); got == "karel" {
		t.Error("the window is selected in spite of Detach")
	}
}
