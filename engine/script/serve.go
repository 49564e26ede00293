package script

import (
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"

	"ucas/engine/diag"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// processName is argv[0] of a hook process: so no command of the program that
// embeds the engine is taken.
const processName = "ucas-hook-process"

// mainCalled says that a child of this program would find its way to serve.
var mainCalled atomic.Bool

// Main evaluates hooks and does not return, if this process was started by
// [Start]; else it returns at once. A program that calls Start must call Main
// first thing in its main, and a test in its TestMain.
func Main() {
	if len(os.Args) == 0 || os.Args[0] != processName {
		mainCalled.Store(true)
		return
	}
	limitSelf()
	newServer(syscall.Stdin).serve()
}

// A server is the child. Its World is the parent's.
type server struct {
	conn     conn
	notes    notebook
	watchdog *watchdog
	local    *Local
	// The file of the last place that was traced, which is mostly that of the
	// next: its name and number.
	tracedName string
	tracedFile int
	// environ are the parent's variables, if it said which there are, and asked
	// the questions that were answered from them and not told yet.
	environ map[string]string
	asked   []Question
}

// maxAsked is how many questions are kept before they are told.
const maxAsked = 256

func newServer(fd int) *server {
	s := &server{conn: conn{fd: fd, stops: runtime.GOOS == "linux"}, notes: openNotebook()}
	s.watchdog = newWatchdog(s.notes)
	s.local = NewLocal(s)
	s.local.trace = s.trace
	return s
}

// trace notes where the running frame is, for the case that it is the last.
func (s *server) trace(file string, line int) {
	if file != s.tracedName {
		s.tracedName, s.tracedFile = file, s.conn.files.names[file]
	}
	s.notes.at(s.tracedFile, line)
}

// serve ends the process when the parent is gone, with or without a word.
func (s *server) serve() {
	for {
		request := s.receive()
		s.tracedName = "" // a later file may have the same name
		s.notes.at(0, 0)
		s.learn(request.environ)
		s.watchdog.begin()
		reply := s.handle(request)
		s.watchdog.end()
		s.reply(reply)
	}
}

// Answer passes a question on to the parent, if need be.
func (s *server) Answer(q Question) (Answer, error) {
	if q.Op == OpEnv && s.environ != nil && len(s.asked) < maxAsked {
		s.asked = append(s.asked, q)
		return s.variable(q.Name), nil
	}
	if err := s.send(&msg{kind: msgQuestion, question: q}); err != nil {
		return Answer{}, err
	}
	m := s.receive()
	if m.kind == msgRefusal && len(m.problems) > 0 {
		return Answer{}, m.problems[0]
	}
	return m.answer, nil
}

func (s *server) variable(name string) Answer {
	value, ok := s.environ[name]
	if !ok {
		return Answer{}
	}
	return Answer{Value: tree.NewString(value, source.Span{})}
}

// learn takes the parent's variables from its first request.
func (s *server) learn(environ []string) {
	if len(environ) == 0 {
		return
	}
	s.environ = make(map[string]string, len(environ))
	for _, v := range environ {
		if name, value, ok := strings.Cut(v, "="); ok {
			s.environ[name] = value
		}
	}
}

func (s *server) handle(m *msg) *msg {
	var err error
	reply := &msg{}
	switch m.kind {
	case msgHooks:
		reply.kind = msgPlaces
		reply.places, err = s.local.Hooks(m.call.File, m.call.For)
	case msgCall:
		reply.kind = msgValue
		reply.answer.Value, err = s.local.Call(m.call)
	case msgEval:
		reply.kind = msgPrinted
		reply.printed, err = s.local.Eval(m.text, m.call.File)
	default:
		s.notes.die(badMessage)
	}
	if err != nil {
		return s.failure(err)
	}
	return reply
}

func (s *server) failure(err error) *msg {
	return &msg{kind: msgFailure, problems: diag.All(err), spent: s.local.Spent()}
}

// reply sends a result, or why that cannot be sent.
func (s *server) reply(m *msg) {
	if err := s.send(m); err != nil {
		s.send(s.failure(diag.Errorf("the result cannot be passed on: %v", err)))
	}
}

// send returns only errors of encode.
func (s *server) send(m *msg) error {
	m.asked = s.asked
	err := s.conn.send(m, maxFromChild)
	if err == nil {
		s.asked = s.asked[:0]
	}
	if err == errGone {
		syscall.Exit(0)
	}
	return err
}

func (s *server) receive() *msg {
	m, err := s.conn.receive(maxToChild, true)
	switch {
	case err == errGone:
		syscall.Exit(0)
	case err != nil:
		s.notes.die(badMessage)
	}
	return m
}
