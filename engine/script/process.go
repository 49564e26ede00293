package script

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"ucas/engine/diag"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// slack is how long the child may be late, beyond MaxTime: it can say better
// what took long, unless it hangs in one step.
const slack = 200 * time.Millisecond

// A Process is an [Evaluator] whose hooks run in a child process. It waits for
// the World's answers on the goroutine of the caller.
type Process struct {
	world World
	ctx   context.Context
	conn  conn
	notes *os.File
	// unwatch stops waiting for the end of ctx, deadline kills the child when a
	// turn takes too long.
	unwatch  func() bool
	deadline *time.Timer
	killed   atomic.Uint32 // a cause of death, the first that came
	left     time.Duration // of the time of all hooks
	// failed is what every call returns, once the child is of no use.
	failed error
	// refused are the World's errors: the child knows their numbers, from 1.
	refused []error
	spent   bool
	told    bool // the child knows the World's variables

	pid int
	// reaping guards what follows: until the child is waited for, its number
	// means no other process.
	reaping sync.Mutex
	reaped  bool
	status  syscall.WaitStatus
	usage   syscall.Rusage
}

// Why the parent killed the child.
const (
	notKilled uint32 = iota
	killedLate
	killedByContext
	killedUnasked // closed, or of no use any more
)

// Start starts a child process of the same program, in which hooks are
// evaluated; w answers their questions. It ends with Close, which must be
// called, or with ctx. The program must have called [Main].
func Start(ctx context.Context, w World) (*Process, error) {
	if !mainCalled.Load() {
		return nil, diag.Errorf("cannot start a process for hooks: this program did not call script.Main").
			WithHint("call script.Main() at the start of main; or evaluate hooks that you trust with script.NewLocal")
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	p := &Process{world: w, ctx: ctx, left: MaxTime + slack}
	if err := p.start(); err != nil {
		return nil, diag.Errorf("cannot start a process for hooks: %v", err).WithCause(err)
	}
	p.unwatch = context.AfterFunc(ctx, func() { p.kill(killedByContext) })
	p.deadline = time.AfterFunc(p.left, func() { p.kill(killedLate) })
	p.deadline.Stop()
	return p, nil
}

func (p *Process) start() error {
	program, err := ownProgram()
	if err != nil {
		return err
	}
	if p.notes, err = newNotes(); err != nil {
		return err
	}
	ours, theirs, err := socketPair()
	if err != nil {
		p.notes.Close()
		return err
	}
	defer syscall.Close(theirs)
	p.conn.fd = ours
	notes := p.notes.Fd()
	// Package os would try first whether the system can wait for descriptors of
	// processes, by starting one more.
	p.pid, err = syscall.ForkExec(program, []string{processName}, &syscall.ProcAttr{
		Dir:   "/",
		Env:   environment(),
		Files: []uintptr{uintptr(theirs), notes, notes},
		// A signal of the terminal is for the parent, which ends the child.
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		p.closeFiles()
	}
	return err
}

// Hooks implements [Evaluator].
func (p *Process) Hooks(file *source.File, forWhom string) (map[string]source.Span, error) {
	request := &msg{kind: msgHooks, call: Call{File: file, For: forWhom}}
	reply, err := p.exchange(request, msgPlaces, &p.left)
	if err != nil {
		return nil, err
	}
	return reply.places, nil
}

// Call implements [Evaluator].
func (p *Process) Call(c Call) (*tree.Node, error) {
	reply, err := p.exchange(&msg{kind: msgCall, call: c}, msgValue, &p.left)
	if err != nil {
		return nil, err
	}
	return reply.answer.Value, nil
}

// Eval implements [Evaluator].
func (p *Process) Eval(text, scope *source.File) (string, error) {
	budget := MaxTime + slack
	request := &msg{kind: msgEval, text: text, call: Call{File: scope}}
	reply, err := p.exchange(request, msgPrinted, &budget)
	if err != nil {
		return "", err
	}
	return reply.printed, nil
}

// Close kills the child. It may be called again.
func (p *Process) Close() error {
	if p.failed == nil {
		p.failed = diag.Errorf("the process for hooks was closed")
	}
	if !p.reaped {
		p.bury(killedUnasked)
	}
	return nil
}

// Spent implements [Evaluator]. It is also true if the child is gone.
func (p *Process) Spent() bool { return p.spent || p.failed != nil }

// exchange sends a request, answers the questions that it leads to, and returns
// the reply of the kind that is wanted.
func (p *Process) exchange(request *msg, want msgKind, budget *time.Duration) (*msg, error) {
	if p.failed != nil {
		return nil, p.failed
	}
	p.failed = diag.Errorf("the process for hooks was left in the middle of a call") // should the World panic
	p.tell(request)
	reply, err := p.turn(request, budget)
	if isUnsendable(err) {
		p.failed = nil
		return nil, diag.Errorf("%sthe request cannot be passed on: %v", title(request), err)
	}
	for err == nil && reply.kind == msgQuestion {
		reply, err = p.answer(reply.question, budget)
	}
	if err == nil && reply.kind != want && reply.kind != msgFailure {
		err = errWire
	}
	if err != nil {
		p.failed = p.lost(request, err)
		return nil, p.failed
	}
	p.failed, p.spent = nil, reply.spent
	if reply.kind == msgFailure {
		return nil, p.restore(reply.problems)
	}
	return reply, nil
}

// title returns how messages about a request begin.
func title(request *msg) string {
	switch request.kind {
	case msgHooks:
		return "hooks of " + request.call.For + ": "
	case msgCall:
		return request.call.Hook + " of " + request.call.For + ": "
	}
	return ""
}

// tell puts the World's variables into the first request.
func (p *Process) tell(request *msg) {
	if world, ok := p.world.(Environment); ok && !p.told {
		request.environ = world.Environ()
	}
	p.told = true
}

// turn sends a message and waits for the next of the child, in its time.
func (p *Process) turn(m *msg, budget *time.Duration) (*msg, error) {
	began := time.Now()
	p.deadline.Reset(*budget)
	defer func() {
		p.deadline.Stop()
		*budget -= time.Since(began)
	}()
	if err := p.conn.send(m, maxToChild); err != nil {
		return nil, err
	}
	reply, err := p.conn.receive(maxFromChild, false)
	if err != nil {
		return nil, err
	}
	for _, q := range reply.asked {
		p.world.Answer(q) // it is told, see Environment
	}
	return reply, nil
}

// answer asks the World, and returns the message that follows its answer.
func (p *Process) answer(q Question, budget *time.Duration) (*msg, error) {
	answer, err := p.world.Answer(q)
	if err != nil {
		return p.turn(p.refusal(err), budget)
	}
	next, err := p.turn(&msg{kind: msgAnswer, answer: answer}, budget)
	if isUnsendable(err) {
		return p.turn(p.refusal(diag.Errorf("the answer cannot be passed on: %v", err)), budget)
	}
	return next, err
}

// refusal returns an error of the World as the child gets it.
func (p *Process) refusal(err error) *msg {
	p.refused = append(p.refused, err)
	sent := diag.Problem{Message: err.Error()}
	var problem *diag.Problem
	if errors.As(err, &problem) {
		sent = *problem
	}
	sent.Cause = worldError(len(p.refused))
	return &msg{kind: msgRefusal, problems: diag.List{&sent}}
}

// restore returns an error of the child, in which an error of the World has its
// cause again.
func (p *Process) restore(list diag.List) error {
	for _, problem := range list {
		number, ok := problem.Cause.(worldError)
		if !ok || number > worldError(len(p.refused)) {
			continue
		}
		problem.Cause = p.refused[number-1]
		var original *diag.Problem
		if errors.As(problem.Cause, &original) {
			problem.Cause = original.Cause
		}
	}
	if len(list) == 1 {
		return list[0]
	}
	return list
}

// kill ends the child, wherever it is.
func (p *Process) kill(why uint32) {
	p.reaping.Lock()
	defer p.reaping.Unlock()
	if !p.reaped {
		p.killed.CompareAndSwap(notKilled, why)
		syscall.Kill(p.pid, syscall.SIGKILL)
	}
}

// bury kills the child, waits for its end and frees what belongs to it. It
// returns the child's last notes.
func (p *Process) bury(why uint32) lastNotes {
	p.unwatch()
	p.kill(why)
	p.reaping.Lock()
	defer p.reaping.Unlock()
	// An error says that somebody else waited for all children.
	retry(func() (int, error) { return syscall.Wait4(p.pid, &p.status, 0, &p.usage) })
	p.reaped = true
	defer p.closeFiles()
	return readNotes(p.notes)
}

func (p *Process) closeFiles() {
	syscall.Close(p.conn.fd)
	p.notes.Close()
}
