package script

import (
	"fmt"
	"slices"
	"strings"

	"ucas/engine/diag"
	"ucas/engine/source"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// hookParameters returns, for each hook, the parameters that it takes.
func hookParameters() map[string][]string {
	return map[string][]string{
		Configure: {"ctx"},
		MapModel:  {"ctx", "model"},
		Command:   {"ctx", "parts"},
		Wrap:      {"ctx", "command"},
		Wrapper:   {"ctx", "command"},
	}
}

// findHooks returns the hooks that an executed file defines, and warns of
// what looks like one that will not be called.
func (l *Local) findHooks(u *unit) (map[string]source.Span, error) {
	hooks := make(map[string]source.Span)
	var wrong diag.List
	for _, name := range hookNames() {
		value, ok := u.globals[name]
		if !ok {
			continue
		}
		hooks[name] = u.nameSpan(name)
		if p := checkHook(name, value, hooks[name]); p != nil {
			wrong = append(wrong, p)
		}
	}
	if len(wrong) > 0 {
		inOrder(wrong)
		return nil, wrong
	}
	if err := l.warnOfSlips(u); err != nil {
		return nil, err
	}
	return hooks, nil
}

// checkHook returns what keeps a value from being called as a hook, or nil.
func checkHook(name string, value starlark.Value, at source.Span) *diag.Problem {
	parameters := hookParameters()[name]
	def := fmt.Sprintf("def %s(%s):", name, strings.Join(parameters, ", "))
	fn, ok := value.(*starlark.Function)
	switch {
	case !ok:
		return diag.At(at, "%s is of type %s; it must be a function", name, value.Type()).
			WithHint("write %s, or take another name", def)
	case !takes(fn, len(parameters)):
		return diag.At(at, "%s takes %s", name, parameterList(parameters)).WithHint("write %s", def)
	}
	return nil
}

// parameterList returns parameters in words.
func parameterList(names []string) string {
	if len(names) == 1 {
		return "one parameter, " + names[0]
	}
	return "two parameters, " + strings.Join(names, " and ")
}

// takes reports whether a function can be called with n positional arguments.
func takes(fn *starlark.Function, n int) bool {
	named := fn.NumParams()
	if fn.HasVarargs() {
		named--
	}
	if fn.HasKwargs() {
		named--
	}
	positional := named - fn.NumKwonlyParams()
	for i := range named {
		if (i >= positional || i >= n) && fn.ParamDefault(i) == nil {
			return false
		}
	}
	return n <= positional || fn.HasVarargs()
}

// warnOfSlips warns of functions with a name that is almost that of a hook,
// and of hooks that are loaded only, which does not make them this file's.
func (l *Local) warnOfSlips(u *unit) error {
	names := hookNames()
	for _, stmt := range u.tree.Stmts {
		var err error
		switch stmt := stmt.(type) {
		case *syntax.DefStmt:
			near := diag.Slips(stmt.Name.Name, names)
			if len(near) > 0 && !slices.Contains(names, stmt.Name.Name) && u.globals[near[0]] == nil {
				err = l.warn(u.of(stmt.Name), "%s is no hook; did you mean %s?", stmt.Name.Name, near[0])
			}
		case *syntax.LoadStmt:
			err = l.warnOfLoaded(u, stmt.To, names)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *Local) warnOfLoaded(u *unit, loaded []*syntax.Ident, names []string) error {
	for _, id := range loaded {
		if !slices.Contains(names, id.Name) {
			continue
		}
		const text = "%[1]s is loaded, but no hook of this file; load it as x=%[2]q and write %[1]s = x"
		if err := l.warn(u.of(id), text, id.Name, id.Name); err != nil {
			return err
		}
	}
	return nil
}

// warn gives the world a warning of ours.
func (l *Local) warn(at source.Span, format string, args ...any) error {
	_, err := l.ask(Question{Op: OpWarn, Name: fmt.Sprintf(format, args...), At: at})
	return err
}
