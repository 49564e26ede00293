package script

import (
	"fmt"
	"slices"
	"strings"

	"ucas/engine/diag"
	"ucas/engine/source"

	"go.starlark.net/starlark"
)

// maxLoads is how many files may be loading at a time, each by the one
// before: nobody can follow more, and it bounds the stack.
const maxLoads = 32

// load is load(). The module is executed on the thread that loads it: it has
// its part of the budget, and its backtraces go on to who loaded it.
func (l *Local) load(thread *starlark.Thread, name string) (starlark.StringDict, error) {
	at := l.loadPlace(thread)
	answer, err := l.ask(Question{Op: OpLoad, Name: name, At: at})
	if err != nil {
		return nil, err
	}
	if answer.File == nil {
		return nil, &refused{by: "load", err: diag.Errorf("there is no file %s", name)}
	}
	u := l.unit(answer.File)
	if err := l.loadable(u); err != nil {
		return nil, err
	}
	if err := l.execute(u); err != nil {
		return nil, loadedFrom(u.failure, at)
	}
	return u.globals, nil
}

// loadPlace returns where the load statement stands, in whatever file.
func (l *Local) loadPlace(thread *starlark.Thread) source.Span {
	pos := thread.CallFrame(0).Pos
	if u := l.units[pos.Filename()]; u != nil {
		return u.span(pos)
	}
	return source.Span{}
}

// loadable refuses files that load each other.
func (l *Local) loadable(u *unit) error {
	for i, loading := range l.loading {
		if loading == u {
			return &refused{by: "load", err: cycle(l.loading[i:])}
		}
	}
	if len(l.loading) >= maxLoads && u.globals == nil {
		return &refused{by: "load", err: diag.Errorf("more than %d files load each other", maxLoads)}
	}
	return nil
}

// cycle names files each of which loads the next, and the last the first.
func cycle(units []*unit) *diag.Problem {
	const hint = "put what both need into a file that loads neither"
	first := units[0].file.Name
	if len(units) == 1 {
		return diag.Errorf("%s loads itself", first).WithHint("a file sees its own names without load")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s loads %s", first, units[1].file.Name)
	for _, u := range units[2:] {
		fmt.Fprintf(&b, ", which loads %s", u.file.Name)
	}
	fmt.Fprintf(&b, ", which loads %s", first)
	return diag.Errorf("%s", b.String()).WithHint(hint)
}

// loadedFrom returns a failure of a file with the place that loaded it. Of a
// long way there, the places in the middle are left out.
func loadedFrom(f *failed, at source.Span) *failed {
	from := &failed{limit: f.limit, problems: make(diag.List, len(f.problems))}
	for i, p := range f.problems {
		c := *p
		others := p.Others[:min(len(p.Others), maxPlaces-1)]
		c.Others = append(slices.Clone(others), diag.Place{Span: at, Text: "loaded from here"})
		from.problems[i] = &c
	}
	return from
}
