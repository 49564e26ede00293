package script

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"ucas/engine/diag"
	"ucas/engine/source"

	"go.starlark.net/starlark"
)

// A budget is what was used up of the limits.
type budget struct {
	steps uint64
	time  time.Duration
}

// A run is one evaluation from outside: of a file, a hook or a text.
type run struct {
	who    string      // what is evaluated, for messages, or ""
	at     source.Span // its place, for problems that have none
	budget *budget
	thread *starlark.Thread
	over   atomic.Int32 // the limit that was reached, or 0
	traced tracedPlace

	timer *time.Timer
	began time.Time // the present stretch of evaluation
}

// The limits that a run may reach.
const (
	overSteps = iota + 1
	overTime
)

// tracedPlace is what was last said to Local.trace.
type tracedPlace struct {
	file string
	line int
}

// do evaluates within the budget of the run. Every run has a thread of its
// own, which takes the steps of the budget over, so that a cancellation that
// comes late cannot hit the next one.
func (l *Local) do(r *run, evaluate func() error) error {
	if l.dead != nil {
		return l.dead
	}
	r.thread = l.newThread(r)
	l.current, l.asking = r, false
	defer func() { l.current = nil }()
	err := l.timed(r, evaluate)
	if err == nil {
		return nil
	}
	f := l.explain(err, 0)
	l.abandon(f)
	named := f.named(r)
	if f.limit != 0 && r.budget == &l.budget {
		l.dead = named
	}
	return named
}

func (l *Local) newThread(r *run) *starlark.Thread {
	thread := &starlark.Thread{Load: l.load, OnMaxSteps: l.tick, Steps: r.budget.steps}
	thread.SetMaxExecutionSteps(l.maxSteps)
	if l.trace != nil {
		thread.SetMaxExecutionSteps(thread.Steps + 1)
	}
	return thread
}

// timed evaluates, stops that when its time is over, and takes a panic of the
// interpreter, which some huge values cause, for an error.
func (l *Local) timed(r *run, evaluate func() error) (err error) {
	if r.budget.time >= l.maxTime {
		r.stop(overTime)
	}
	r.began = time.Now()
	r.timer = time.AfterFunc(l.maxTime-r.budget.time, func() { r.stop(overTime) })
	defer func() {
		r.pause()
		r.budget.steps = r.thread.Steps
		if l.asking {
			return // a panic of the world is none of ours
		}
		if p := recover(); p != nil {
			err = &broken{p}
		}
	}()
	return evaluate()
}

// pause stops the clock while the world answers: that it is slow is no fault of
// the hook. It starts again with resume.
func (r *run) pause() {
	r.timer.Stop()
	r.budget.time += time.Since(r.began)
}

func (r *run) resume(l *Local) {
	r.began = time.Now()
	r.timer.Reset(l.maxTime - r.budget.time)
}

// stop ends a run. It may be called from anywhere.
func (r *run) stop(limit int32) {
	r.over.CompareAndSwap(0, limit)
	r.thread.Cancel("limit")
}

// How often evaluation is traced: at each step at first, since what kills the
// process dies early, and then often enough.
const (
	closeSteps = 50_000
	wideTicks  = 64
)

// tick is called when the thread reached the steps that it was given: to the
// next trace, or all.
func (l *Local) tick(thread *starlark.Thread) {
	steps := thread.Steps
	if l.trace == nil || steps >= l.maxSteps {
		l.current.stop(overSteps)
		return
	}
	next := steps + 1
	if steps >= closeSteps {
		next = steps + wideTicks
	}
	thread.SetMaxExecutionSteps(min(next, l.maxSteps))
	l.current.traced.update(thread)
	if at := l.current.traced; at.line > 0 {
		file, _, _ := strings.Cut(at.file, textMark)
		l.trace(file, at.line)
	}
}

// update finds the innermost function of a file. The line is that of its
// latest instruction that has one: the one that is executed next stands
// there, or a little further.
func (t *tracedPlace) update(thread *starlark.Thread) {
	for depth := range thread.CallStackDepth() {
		frame := thread.DebugFrame(depth)
		if _, ok := frame.Callable().(*starlark.Function); ok {
			pos := frame.Position()
			t.file, t.line = pos.Filename(), int(pos.Line)
			return
		}
	}
}

// limitReached is the problem of a run that reached a limit.
func (l *Local) limitReached(limit int32, at source.Span) *diag.Problem {
	who, amount := "all hooks of an assembly together have", number(l.maxSteps)+" steps"
	if limit == overTime {
		amount = fmt.Sprintf("%g seconds", l.maxTime.Seconds())
	}
	if l.current.budget != &l.budget {
		who = "a text has"
	}
	return diag.At(at, "more than %s", amount).WithHint("%s %s: look for a loop that runs too often", who, amount)
}

// number returns a number as people say it.
func number(n uint64) string {
	const million = 1_000_000
	if n >= million && n%million == 0 {
		return fmt.Sprintf("%d million", n/million)
	}
	return fmt.Sprint(n)
}
