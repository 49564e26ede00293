package script

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"ucas/engine/source"
	"ucas/engine/tree"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Local evaluates hooks in this process. No hook can do more than ask its
// World, and a loop that does not end is stopped; but one that makes huge
// values can take the memory of the whole program. See [Start] for hooks that
// nobody knows.
type Local struct {
	world World

	maxSteps uint64
	maxTime  time.Duration
	// trace, if set, is told where evaluation is, see [Local.tick].
	trace func(file string, line int)

	predeclared starlark.StringDict
	methods     map[string]*starlark.Builtin // of ctx
	units       map[string]*unit             // by the file name of their positions
	loading     []*unit                      // those whose top level is being executed
	texts       starlark.StringDict          // what texts for Eval have set
	textCount   int

	budget  budget // of all hooks
	current *run
	asking  bool  // whether the world is at work
	dead    error // the limit that was reached
}

var _ Evaluator = (*Local)(nil)

// NewLocal returns an Evaluator that works in this process.
func NewLocal(w World) *Local {
	l := &Local{
		world:    w,
		maxSteps: MaxSteps,
		maxTime:  MaxTime,
		units:    make(map[string]*unit),
		texts:    make(starlark.StringDict),
	}
	l.predeclared = l.predeclare()
	l.methods = ctxMethods()
	return l
}

// Hooks implements Evaluator. The first time, it warns of functions that are
// a slip of the keys away from a hook.
func (l *Local) Hooks(file *source.File, forWhom string) (map[string]source.Span, error) {
	var hooks map[string]source.Span
	u := l.unit(file)
	r := &run{who: "hooks of " + forWhom, at: u.start(), budget: &l.budget}
	err := l.do(r, func() error {
		if err := l.execute(u); err != nil {
			return err
		}
		if u.hooks == nil {
			var err error
			if u.hooks, err = l.findHooks(u); err != nil {
				return err
			}
		}
		hooks = maps.Clone(u.hooks)
		return nil
	})
	return hooks, err
}

// Call implements Evaluator. A hook that returns None gives a Null.
func (l *Local) Call(c Call) (*tree.Node, error) {
	var result *tree.Node
	u := l.unit(c.File)
	r := &run{who: c.Hook + " of " + c.For, at: u.nameSpan(c.Hook), budget: &l.budget}
	err := l.do(r, func() error {
		if err := l.execute(u); err != nil {
			return err
		}
		r.at = u.nameSpan(c.Hook)
		fn, ok := u.globals[c.Hook].(*starlark.Function)
		if !ok {
			return fmt.Errorf("there is no such function")
		}
		value, err := starlark.Call(r.thread, fn, l.arguments(c), nil)
		if err != nil {
			return err
		}
		result, err = toResult(value, r.at)
		return err
	})
	return result, err
}

// arguments returns what a hook is called with.
func (l *Local) arguments(c Call) starlark.Tuple {
	args := starlark.Tuple{&ctx{local: l, readOnly: c.ReadOnly}}
	for _, arg := range c.Args {
		args = append(args, toArgument(arg))
	}
	return args
}

// Spent implements Evaluator.
func (l *Local) Spent() bool { return l.dead != nil }

// Close implements Evaluator. There is nothing to end.
func (l *Local) Close() error { return nil }

// execute executes the top level of a file, if that was not done before. Its
// error is a *failed, the same each time.
func (l *Local) execute(u *unit) error {
	if u.globals == nil && u.failure == nil {
		l.loading = append(l.loading, u)
		base := l.current.thread.CallStackDepth()
		globals, err := l.topLevel(u)
		l.loading = l.loading[:len(l.loading)-1]
		if err != nil {
			u.failure = l.explain(err, base)
		} else {
			u.globals = globals
		}
	}
	if u.failure != nil {
		return u.failure
	}
	return nil
}

// topLevel compiles a file, executes it and freezes what it defines.
func (l *Local) topLevel(u *unit) (starlark.StringDict, error) {
	if err := u.checkText(); err != nil {
		return nil, err
	}
	options := &syntax.FileOptions{Set: true}
	var err error
	if u.tree, err = options.Parse(u.name, u.text(), 0); err != nil {
		return nil, err
	}
	program, err := starlark.FileProgram(u.tree, l.predeclared.Has)
	if err != nil {
		return nil, err
	}
	globals, err := program.Init(l.current.thread, l.predeclared)
	globals.Freeze()
	return globals, err
}

// abandon marks the files that were being executed when the interpreter
// failed: they cannot be executed again.
func (l *Local) abandon(f *failed) {
	for _, u := range l.loading {
		u.failure = f
	}
	l.loading = nil
}

// ask asks the world. Its error says which function of the hook failed.
func (l *Local) ask(q Question) (Answer, error) {
	q, err := checked(q)
	if err != nil {
		return Answer{}, err
	}
	l.asking = true
	l.current.pause()
	answer, err := l.world.Answer(q)
	l.current.resume(l)
	l.asking = false
	if err != nil {
		return Answer{}, &refused{by: asker(q), err: err}
	}
	return answer, nil
}

// place returns where the hook asks: the innermost call that stands in a file
// of a layer, else the innermost.
func (l *Local) place() source.Span {
	var innermost source.Span
	thread := l.current.thread
	for depth := range thread.CallStackDepth() {
		frame := thread.DebugFrame(depth)
		if _, ok := frame.Callable().(*starlark.Function); !ok {
			continue
		}
		pos := frame.Position()
		u := l.units[pos.Filename()]
		switch {
		case u == nil:
		case !u.isLibrary():
			return u.span(pos)
		case innermost.IsZero():
			innermost = u.span(pos)
		}
	}
	return innermost
}

// hookNames are the functions that are called.
func hookNames() []string {
	return slices.Sorted(maps.Keys(hookParameters()))
}
