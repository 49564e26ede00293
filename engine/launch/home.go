package launch

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"ucas/engine/diag"
	"ucas/engine/plan"
)

// The user options in which tmux keeps what is ours. A window's options are
// looked up in its session too, hence the two names for a project's id.
const (
	optHome    = "@ucas_home"    // of a session: the id of the project it belongs to
	optOwner   = "@ucas_owner"   // of a window: the id of its project
	optProject = "@ucas_project" // of both: the project's directory
	optSession = "@ucas_session"
	optAgent   = "@ucas_agent"
	optACLI    = "@ucas_acli"
	optModel   = "@ucas_model"
)

// A home is the tmux session that new windows go into.
type home struct {
	id   string // "$3"; "" if it is still to be made
	name string
	// names are the windows in it, and the project's windows anywhere on the
	// server: their files have these names.
	names map[string]bool
}

// projectID identifies a project on a tmux server. Unlike its directory it
// can stand in a format and in a name.
func projectID(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	h := fnv.New64a()
	io.WriteString(h, dir)
	return fmt.Sprintf("%016x", h.Sum64())
}

// findHome returns the session for a Plan's window: that which we are in, else
// the project's own.
func findHome(ctx context.Context, t *tmux, p *plan.Plan) (*home, error) {
	server, inside := serverOf(t.environ)
	list := listCommands()
	if inside {
		list = append(list, command{"display-message", "-p", "-t", server.target, "here #{pid} #{session_id} #{session_name}"})
	}
	out, err := t.run(ctx, list...)
	if ctx.Err() != nil {
		return nil, cancelled(p, ctx.Err())
	}
	if inside && err != nil {
		return nil, staleTmux(server, err)
	}
	// Outside, an error means that there is no server yet; if it is
	// another, the making of the session will meet it too.
	found := parseListing(out)
	if err := checkVersion(found.version); err != nil {
		return nil, err
	}
	if inside {
		if found.herePID != server.pid || found.here.id == "" {
			return nil, staleTmux(server, nil)
		}
		return found.homeIn(found.here, projectID(p.Dir)), nil
	}
	return found.homeOf(p.Dir), nil
}

// A serverAddress is what tmux tells the programs that run in it.
type serverAddress struct {
	socket, pid string
	target      string // the pane, or the session, that we are in
}

// serverOf returns the tmux that we are in, if any.
func serverOf(environ []string) (serverAddress, bool) {
	value := plan.Getenv(environ, "TMUX")
	// The socket's path may hold a comma, the rest does not.
	fields := strings.Split(value, ",")
	n := len(fields)
	if n < 3 {
		return serverAddress{}, false
	}
	s := serverAddress{socket: strings.Join(fields[:n-2], ","), pid: fields[n-2]}
	// What is no pane, a popup for one, has only the session's number.
	if s.target = plan.Getenv(environ, "TMUX_PANE"); s.target == "" {
		s.target = "$" + fields[n-1] + ":"
	}
	return s, s.socket != ""
}

func staleTmux(s serverAddress, err error) *diag.Problem {
	return diag.Errorf("the environment says that this is a tmux (TMUX=%s,%s), but that one is gone", s.socket, s.pid).
		WithHint("start outside of it: unset TMUX TMUX_PANE").WithCause(err)
}

// A tmuxSession is a session in a listing.
type tmuxSession struct{ id, home, name string }

// A listing is what a server holds.
type listing struct {
	version  string
	sessions []tmuxSession
	windows  []listedWindow
	// here is the session that we are in, herePID its server's process.
	here    tmuxSession
	herePID string
}

// A listedWindow is a name that a window has, as its title or as its session.
type listedWindow struct{ session, owner, name string }

// listCommands returns the commands that print a listing. Each kind of line
// has its own word in front, and at most one field that can hold blanks.
func listCommands() []command {
	return []command{
		{"list-sessions", "-F", "session #{version} #{session_id} #{" + optHome + "} #{session_name}"},
		{"list-windows", "-a", "-F", "window #{session_id} #{" + optOwner + "} #{window_name}"},
		{"list-windows", "-a", "-F", "window #{session_id} #{" + optOwner + "} #{" + optSession + "}"},
	}
}

func parseListing(out string) *listing {
	l := new(listing)
	for line := range strings.Lines(out) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch f := strings.SplitN(rest, " ", 4); {
		case word == "session" && len(f) == 4:
			l.version = f[0]
			l.sessions = append(l.sessions, tmuxSession{f[1], f[2], f[3]})
		case word == "window" && len(f) >= 3:
			l.windows = append(l.windows, listedWindow{f[0], f[1], strings.Join(f[2:], " ")})
		case word == "here" && len(f) >= 3:
			l.herePID, l.here = f[0], tmuxSession{id: f[1], name: strings.Join(f[2:], " ")}
		}
	}
	return l
}

// homeIn returns a session as the home of a project's windows.
func (l *listing) homeIn(s tmuxSession, project string) *home {
	h := &home{id: s.id, name: s.name, names: make(map[string]bool)}
	for _, w := range l.windows {
		if w.name != "" && (w.owner == project || s.id != "" && w.session == s.id) {
			h.names[w.name] = true
		}
	}
	return h
}

// homeOf returns a project's own session, or the name it can get: that of its
// directory, unless another project's session or a stranger's has it.
func (l *listing) homeOf(dir string) *home {
	project := projectID(dir)
	used := make(map[string]bool)
	for _, s := range l.sessions {
		if s.home == project {
			return l.homeIn(s, project)
		}
		used[s.name] = true
	}
	name := "ucas-" + sessionWord(filepath.Base(dir))
	if used[name] {
		name += "-" + project[:6]
	}
	for base, n := name, 2; used[name]; n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return l.homeIn(tmuxSession{name: name}, project)
}

// sessionWord makes a name one that tmux takes as it is and that needs no
// quotes in a target or in a shell.
func sessionWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, s)
}
