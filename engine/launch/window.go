package launch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"unicode"

	"ucas/engine/diag"
	"ucas/engine/plan"
)

// makeAttempts is how often the making of a window is tried: between our look
// at the server and the making, the server can end, a session be closed, or
// another project take the name of ours.
const makeAttempts = 4

// A window is a tmux window in which a harness runs.
type window struct {
	tmux    *tmux
	session *Session
	home    string // the id of its tmux session
	script  string
}

// startWindow launches a Plan in a window of tmux.
func startWindow(ctx context.Context, p *plan.Plan, replan Replan, o Options) (*Session, error) {
	t, err := newTmux(p, o.Environ)
	if err != nil {
		return nil, err
	}
	var w *window
	err = underLock(ctx, p, func() (err error) {
		w, err = openWindow(ctx, t, p, replan, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	if o.Started != nil {
		o.Started(*w.session)
	}
	return w.session, w.follow(ctx, o)
}

// openWindow chooses a name, writes the files and makes the window. The lock
// is held meanwhile.
func openWindow(ctx context.Context, t *tmux, p *plan.Plan, replan Replan, o Options) (*window, error) {
	h, err := findHome(ctx, t, p)
	if err != nil {
		return nil, err
	}
	chosen, err := freeName(p, replan, o, func(name string) bool { return h.names[name] })
	if err != nil {
		return nil, err
	}
	script, err := writeSession(chosen, o.Environ, keptByTmux())
	if err != nil {
		return nil, err
	}
	w := &window{tmux: t, session: newSession(chosen), script: script}
	for attempt := 1; ; attempt++ {
		if err = w.make(ctx, h, o.shows()); err == nil {
			return w, nil
		}
		if attempt == makeAttempts || w.session.Window != "" {
			break
		}
		if h, err = findHome(ctx, t, p); err != nil {
			break
		}
	}
	w.close(ctx)
	return nil, err
}

// shows reports whether somebody is to see the new window: whoever is inside
// tmux already, or whoever will be attached.
func (o Options) shows() bool {
	_, inside := serverOf(o.Environ)
	return !o.Detach && (inside || o.Terminal)
}

// attaches reports whether the terminal is to be attached to the window.
func (o Options) attaches() bool {
	_, inside := serverOf(o.Environ)
	return !o.Detach && !inside && o.Terminal
}

// make makes the window, and its session if need be. One client does all of
// it, so that the harness cannot end before the window is set up. The new
// window has a name that no other has, by which the commands find it, and gets
// its own at the end: as a format, since tmux expands what is written there but
// not what comes out. (tmux shows a backslash doubled, and one before the $ of
// a variable. The option that the format names has the name as it is.)
func (w *window) make(ctx context.Context, h *home, selected bool) error {
	nonce := fmt.Sprintf("ucas-%016x", rand.Uint64())
	session := h.id + ":"
	if h.id == "" {
		session = "=" + h.name + ":"
	}
	target := session + "=" + nonce
	commands := []command{w.creation(h, nonce)}
	if h.id == "" {
		commands = append(commands,
			command{"set-option", "-t", session, optHome, projectID(w.plan().Dir)},
			command{"set-option", "-t", session, optProject, w.plan().Dir},
			command{"set-option", "-t", session, "destroy-unattached", "off"})
	}
	for _, o := range w.options() {
		commands = append(commands, append(command{"set-option", "-wq", "-t", target}, o...))
	}
	if selected {
		commands = append(commands, command{"select-window", "-t", target})
	}
	commands = append(commands, command{"rename-window", "-t", target, "#{" + optSession + "}"})

	// Whoever gives up now would not know whether there is a window.
	out, err := w.tmux.run(context.WithoutCancel(ctx), commands...)
	if created := w.created(out); created != nil && err == nil {
		err = created
	}
	return err
}

// creation returns the command that makes the window and prints its ids.
func (w *window) creation(h *home, name string) command {
	c := command{"new-window", "-d", "-t", h.id + ":"}
	if h.id == "" {
		c = command{"new-session", "-d", "-s", h.name}
	}
	return append(c, "-n", name, "-P", "-F", "#{version} #{session_id} #{window_id} #{pane_id} #{session_name}",
		"/bin/sh", w.script)
}

// options returns the window's options. The dead harness's window remains, to
// be looked at, until the watch is over.
func (w *window) options() []command {
	p := w.plan()
	return []command{
		{"automatic-rename", "off"},
		{"allow-rename", "off"},
		{"remain-on-exit", "on"},
		{"remain-on-exit-format", ""},
		{optOwner, projectID(p.Dir)},
		{optProject, p.Dir},
		{optSession, p.Session},
		{optAgent, p.Agent},
		{optACLI, p.ACLI},
		{optModel, p.Model},
	}
}

// created takes over what the creation printed.
func (w *window) created(out string) error {
	line, _, _ := strings.Cut(out, "\n")
	f := strings.SplitN(line, " ", 5)
	if len(f) != 5 {
		return diag.Errorf("tmux %s: it did not say which window it made", "new-window").
			WithHint("ucas needs tmux %s or newer: see tmux -V,\nor run in this terminal: --wrapper exec", minTmux)
	}
	s := w.session
	w.home, s.Window, s.Pane, s.TmuxSession = f[1], f[2], f[3], f[4]
	s.Target = s.TmuxSession + ":" + s.Window
	if isPlainName(s.Name) {
		s.Target = s.TmuxSession + ":" + s.Name
	}
	return checkVersion(f[0])
}

// close undoes the launch. The script goes first: with the window, the name
// becomes free for another. If tmux cannot close the window, it is gone.
func (w *window) close(ctx context.Context) {
	os.Remove(w.script)
	if w.session.Window != "" {
		w.tmux.run(context.WithoutCancel(ctx), command{"kill-window", "-t", w.session.Window})
	}
}

func (w *window) plan() *plan.Plan { return w.session.Plan }

// isPlainName reports whether a window's name can stand in a target: it is no
// number, no pattern, and holds none of a target's own signs.
func isPlainName(name string) bool {
	for i, r := range name {
		letter := unicode.IsLetter(r) || r == '_'
		if !letter && (i == 0 || r != '-' && !unicode.IsDigit(r)) {
			return false
		}
	}
	return name != ""
}
