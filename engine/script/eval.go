package script

import (
	"errors"
	"maps"
	"strconv"
	"strings"

	"ucas/engine/diag"
	"ucas/engine/source"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"
)

// Eval implements Evaluator. A limit that a text reaches ends that text only.
func (l *Local) Eval(text, scope *source.File) (string, error) {
	var printed string
	u := l.textUnit(text)
	r := &run{at: u.start(), budget: new(budget)}
	err := l.do(r, func() error {
		names, err := l.names(scope)
		if err != nil {
			return err
		}
		value, err := l.evaluate(u, names)
		if err == nil && value != nil {
			printed, err = repr(value)
		}
		return err
	})
	return printed, err
}

// textMark stands between the name of a text and its number.
const textMark = "\x00"

// textUnit returns a new unit: texts may all have the same name.
func (l *Local) textUnit(text *source.File) *unit {
	l.textCount++
	u := &unit{file: text, name: text.Name + textMark + strconv.Itoa(l.textCount)}
	l.units[u.name] = u
	return u
}

// names returns what a text sees.
func (l *Local) names(scope *source.File) (starlark.StringDict, error) {
	names := maps.Clone(l.predeclared)
	names["ctx"] = &ctx{local: l}
	if scope != nil {
		u := l.unit(scope)
		if err := l.execute(u); err != nil {
			return nil, err
		}
		maps.Copy(names, u.globals)
	}
	maps.Copy(names, l.texts)
	return names, nil
}

// evaluate evaluates an expression, or executes statements, which have no
// value, and keeps what they set, even if one of them fails.
func (l *Local) evaluate(u *unit, names starlark.StringDict) (starlark.Value, error) {
	if err := u.checkText(); err != nil {
		return nil, err
	}
	options := &syntax.FileOptions{Set: true, GlobalReassign: true, TopLevelControl: true, LoadBindsGlobally: true}
	var err error
	if u.tree, err = options.Parse(u.name, u.text(), 0); err != nil {
		return nil, err
	}
	if x := soleExpression(u.tree); x != nil {
		return starlark.EvalExprOptions(options, l.current.thread, x, names)
	}
	err = starlark.ExecREPLChunk(u.tree, l.current.thread, names)
	for _, id := range bound(u.tree) {
		if value := names[id.Name]; value != nil {
			l.texts[id.Name] = value
		}
	}
	return nil, err
}

// Incomplete reports whether a text breaks off in the middle: a bracket is open,
// or a string of several lines.
func Incomplete(text string) bool {
	options := &syntax.FileOptions{Set: true, TopLevelControl: true}
	_, err := options.Parse("", text+"\n", 0)
	var parse syntax.Error
	return errors.As(err, &parse) &&
		(strings.HasPrefix(parse.Msg, "got end of file") || strings.HasPrefix(parse.Msg, "unexpected EOF in string"))
}

func soleExpression(f *syntax.File) syntax.Expr {
	if len(f.Stmts) == 1 {
		if stmt, ok := f.Stmts[0].(*syntax.ExprStmt); ok {
			return stmt.X
		}
	}
	return nil
}

// repr returns a value as it is written in Starlark.
func repr(v starlark.Value) (string, error) {
	left := MaxResult
	if fits(v, &left, 0) {
		if text := v.String(); len(text) <= MaxResult {
			return text, nil
		}
	}
	return "", diag.Errorf("the value is too large to show").WithHint("look at a part of it: x[0], x[:10]")
}

// fits reports whether what a value holds is no more than so many bytes. It
// looks at each part as often as it would be printed.
func fits(v starlark.Value, left *int, depth int) bool {
	const most = 1000 // levels: a value that holds itself, or could as well
	*left -= nodeCost
	if s, ok := starlark.AsString(v); ok {
		*left -= len(s)
	}
	if *left < 0 || depth > most {
		return false
	}
	switch v := v.(type) {
	case *starlark.Dict:
		for key, value := range starlark.Entries(v) {
			if !fits(key, left, depth+1) || !fits(value, left, depth+1) {
				return false
			}
		}
	case *starlarkstruct.Struct:
		for _, value := range v.Entries() {
			if !fits(value, left, depth+1) {
				return false
			}
		}
	case *starlark.List:
		return allFit(v, left, depth+1)
	case starlark.Tuple:
		return allFit(v, left, depth+1)
	case *starlark.Set:
		return allFit(v, left, depth+1)
	}
	return true
}

func allFit(items starlark.Iterable, left *int, depth int) bool {
	for item := range starlark.Elements(items) {
		if !fits(item, left, depth) {
			return false
		}
	}
	return true
}
