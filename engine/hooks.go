package engine

import (
	"context"
	"slices"

	"ucas/engine/diag"
	"ucas/engine/merge"
	"ucas/engine/plan"
	"ucas/engine/script"
	"ucas/engine/selector"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// hooks runs the layer hooks of one assembly. Nothing is started before the
// first hook is there.
type hooks struct {
	a   *assembler
	ctx context.Context
	// process evaluates in a child process, local in this one: the latter only
	// what is known.
	process, local script.Evaluator
	world          *world
	said           diag.List // by the hooks that run once all is merged
}

// layerHooks are those of one level.
type layerHooks struct {
	evaluator script.Evaluator
	// defined are the functions that there are, with their places.
	defined map[string]source.Span
	// configured is the last run of configure, nil if there is none; computed
	// is what it set.
	configured *merge.Hook
	computed   []merge.Source
	// asksACLI says that configure looked at the harness that is chosen.
	asksACLI bool
	// loads is what the file loaded, loadSaid what it printed and warned of while
	// it was executed; said is that of the last run of configure, size how much
	// that made.
	loads          []*merge.Read
	loadSaid, said diag.List
	size           int
	// failure is why configure failed before the harness was chosen, where it may
	// be another matter afterwards.
	failure error
}

func newHooks(ctx context.Context, a *assembler) *hooks {
	h := &hooks{a: a, ctx: ctx}
	h.world = newWorld(a)
	return h
}

// close ends what was started.
func (h *hooks) close() {
	if h.process != nil {
		h.process.Close()
	}
	if h.local != nil {
		h.local.Close()
	}
}

// prepare starts the child process early, if the hooks of a level need it: it
// comes up while other files are read.
func (h *hooks) prepare(file *source.File) error {
	if file == nil || h.isKnown(file) {
		return nil
	}
	_, err := h.inProcess()
	return err
}

// isKnown reports whether a file may be evaluated in this process.
func (h *hooks) isKnown(file *source.File) bool {
	return h.a.o.TrustHooks || h.a.library.IsFactory(file)
}

func (h *hooks) inProcess() (script.Evaluator, error) {
	if h.process == nil {
		process, err := script.Start(h.ctx, h.world)
		if err != nil {
			return nil, err
		}
		h.process = process
	}
	return h.process, nil
}

func (h *hooks) here() script.Evaluator {
	if h.local == nil {
		h.local = script.NewLocal(h.world)
	}
	return h.local
}

// load executes the hook file of a level, once, and finds what it defines.
func (h *hooks) load(l *Level, index int) error {
	if l.Hooks == nil || l.hooks.evaluator != nil {
		return nil
	}
	if h.isKnown(l.Hooks) {
		r := newRun(l, index, "load")
		r.local = true
		err := h.loadWith(h.here(), r)
		if !r.strayed {
			return err
		}
	}
	evaluator, err := h.inProcess()
	if err != nil {
		return err
	}
	return h.loadWith(evaluator, newRun(l, index, "load"))
}

func (h *hooks) loadWith(evaluator script.Evaluator, r *run) (err error) {
	h.world.begin(r)
	defer h.world.end()
	l := &r.level.hooks
	l.evaluator = evaluator
	l.defined, err = evaluator.Hooks(r.level.Hooks, r.hook.Level.String())
	l.loads, l.loadSaid = r.hook.Reads, r.said
	return err
}

// has reports whether a level that counts defines a hook.
func (l *Level) has(hook string) bool {
	_, ok := l.hooks.defined[hook]
	return ok && l.LeftOut == ""
}

// configure adds what the hooks of a level compute to what is merged so far.
// If again is not set, what they computed before still holds.
func (h *hooks) configure(folder *merge.Folder, l *Level, index int, again bool) error {
	if err := h.load(l, index); err != nil {
		return err
	}
	if l.LeftOut != "" || l.hooks.configured != nil && !again {
		return l.replay(folder, index)
	}
	l.hooks.computed = nil
	if l.has(script.Configure) {
		r := newRun(l, index, script.Configure)
		r.folder, r.writable = folder, true
		h.forget(l)
		result, err := h.call(r)
		l.hooks.configured, l.hooks.computed, l.hooks.asksACLI = r.hook, r.sets, r.asksACLI
		l.hooks.said, l.hooks.size, l.hooks.failure = r.said, r.size, nil
		if err != nil && r.asksACLI && h.a.chosenName() == "" && !l.hooks.evaluator.Spent() {
			l.hooks.failure = err // it runs again when the harness is known
			return nil
		}
		if err != nil {
			return err
		}
		if result != nil && result.Kind != tree.Null {
			return diag.At(r.hook.Span, "%s must return nothing, not %s", r.hook, plan.Kind(result)).
				WithHint(`set keys with ctx.set("key", value)`)
		}
	}
	if l.has(script.Wrapper) {
		l.hooks.computed = append(l.hooks.computed, l.launcher(index))
		return folder.Add(&l.hooks.computed[len(l.hooks.computed)-1])
	}
	return nil
}

// launcher is the definition of the key wrapper that a hook of that name makes.
func (l *Level) launcher(index int) merge.Source {
	at := l.hooks.defined[script.Wrapper]
	return merge.Source{
		Level: l.Level.Level, Index: index, Dir: l.Dir, Path: []string{"wrapper"}, Tree: tree.NewString(plan.WrapperHook, at),
		Hook: &merge.Hook{Name: script.Wrapper, Level: l.Level.Level, Span: at},
	}
}

// replay adds what hooks computed before. All of it had the right type then.
func (l *Level) replay(folder *merge.Folder, index int) error {
	for i := range l.hooks.computed {
		l.hooks.computed[i].Index, l.hooks.computed[i].LeftOut = index, l.LeftOut
		if err := folder.Add(&l.hooks.computed[i]); err != nil {
			return err
		}
	}
	return nil
}

// newRun returns a run of a hook that was not called yet.
func newRun(l *Level, index int, name string) *run {
	return &run{level: l, index: index, hook: &merge.Hook{
		Name: name, Level: l.Level.Level, Span: l.hooks.defined[name], Reads: slices.Clip(l.hooks.loads),
	}}
}

// call calls the hook of a run.
func (h *hooks) call(r *run, args ...*tree.Node) (*tree.Node, error) {
	h.world.begin(r)
	defer h.world.end()
	h.a.result.Hooks = append(h.a.result.Hooks, r.hook)
	return r.level.hooks.evaluator.Call(script.Call{
		File: r.level.Hooks, Hook: r.hook.Name, For: r.hook.Level.String(), Args: args, ReadOnly: !r.writable,
	})
}

// forget drops the last run of configure, another takes its place.
func (h *hooks) forget(l *Level) {
	h.world.size -= l.hooks.size
	h.a.result.Hooks = slices.DeleteFunc(h.a.result.Hooks, func(run *merge.Hook) bool { return run == l.hooks.configured })
}

// finish tells what was printed and warned of by the runs that count, and why
// hooks failed that did not get to run again.
func (h *hooks) finish() error {
	var failures diag.List
	for _, l := range h.a.result.Levels {
		if l.LeftOut == "" {
			h.tell(l.hooks.loadSaid)
			h.tell(l.hooks.said)
			failures = append(failures, diag.All(l.hooks.failure)...)
		}
	}
	h.tell(h.said)
	return failures.Err()
}

func (h *hooks) tell(said diag.List) {
	for _, p := range said {
		if p.Severity == diag.Note {
			h.a.result.Printed = append(h.a.result.Printed, p)
		} else {
			h.a.warn(p)
		}
	}
}

// reader returns a run of a hook that reads what is merged.
func (h *hooks) reader(l *Level, index int, name string) *run {
	r := newRun(l, index, name)
	r.folder = h.a.folder
	return r
}

// ask calls the hook of a reader.
func (h *hooks) ask(r *run, args ...*tree.Node) (*tree.Node, error) {
	result, err := h.call(r, args...)
	h.said = append(h.said, r.said...)
	r.said = nil
	return result, err
}

// mappers returns the hooks that translate model names, the strongest first.
func (h *hooks) mappers() []selector.Mapper {
	var mappers []selector.Mapper
	for i, l := range slices.Backward(h.a.result.Levels) {
		if !l.has(script.MapModel) {
			continue
		}
		r := h.reader(l, i, script.MapModel)
		mappers = append(mappers, selector.Mapper{Run: r.hook, Map: func(model string) (string, error) {
			return h.mapModel(r, model)
		}})
	}
	return mappers
}

func (h *hooks) mapModel(r *run, model string) (string, error) {
	name, err := h.ask(r, tree.NewString(model, source.Span{}))
	switch {
	case err != nil || name == nil || name.Kind == tree.Null:
		return "", err
	case name.Kind != tree.String || name.Text == "":
		return "", diag.At(r.hook.Span, "%s must return the name of a model or None, not %s", r.hook, plan.Kind(name)).
			WithHint("None leaves it to weaker levels, then to model_mapping")
	}
	return name.Text, nil
}

// plans returns a level's hook as the Plan needs it, nil if it has none.
func (h *hooks) plans(index int, name string) *plan.Hook {
	l := h.a.result.Levels[index]
	if !l.has(name) {
		return nil
	}
	r := h.reader(l, index, name)
	return &plan.Hook{Run: r.hook, Call: func(argument *tree.Node) (*tree.Node, error) { return h.ask(r, argument) }}
}

// wraps returns the hooks that put something around the command, the weakest
// first.
func (h *hooks) wraps() []*plan.Hook {
	var wraps []*plan.Hook
	for i := range h.a.result.Levels {
		if hook := h.plans(i, script.Wrap); hook != nil {
			wraps = append(wraps, hook)
		}
	}
	return wraps
}

// launcher returns the hook that a definition of the key wrapper stands for, nil
// if it stands for none.
func (h *hooks) launcher(d *merge.Definition) *plan.Hook {
	if d.Hook == nil || d.Hook.Name != script.Wrapper {
		return nil
	}
	return h.plans(d.Source, script.Wrapper)
}

// command returns the hook of the chosen harness that builds the command, nil
// if it has none.
func (h *hooks) command() *plan.Hook {
	var command *plan.Hook
	for i, l := range h.a.result.Levels {
		switch {
		case l.isRunner:
			command = h.plans(i, script.Command)
		case l.has(script.Command):
			h.a.warn(diag.Warn(l.hooks.defined[script.Command], "command of %s does not count: it is not the harness", l.Level.Level.String()).
				WithHint("define it in the harness (ACLI) that runs: %s; one sets executable", h.a.runnerName()))
		}
	}
	return command
}
