package script

import (
	"fmt"
	"maps"

	"go.starlark.net/lib/json"
	"go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// predeclare returns the names that every file has besides those of the
// language: nothing that depends on the time or on the machine.
func (l *Local) predeclare() starlark.StringDict {
	names := starlark.StringDict{
		"struct": starlark.NewBuiltin("struct", starlarkstruct.Make),
		"json":   boundedJSON(),
		"math":   math.Module,
		"print":  starlark.NewBuiltin("print", l.print),
	}
	names.Freeze()
	return names
}

// boundedJSON is the module json with a decode that cannot use up the stack.
func boundedJSON() *starlarkstruct.Module {
	members := maps.Clone(json.Module.Members)
	decode := members["decode"].(*starlark.Builtin)
	members["decode"] = starlark.NewBuiltin(decode.Name(),
		func(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if len(args) > 0 {
				if text, ok := starlark.AsString(args[0]); ok && deeper(text, MaxDepth) {
					return nil, fmt.Errorf("%s: more than %d levels", b.Name(), MaxDepth)
				}
			}
			return decode.CallInternal(thread, args, kwargs)
		})
	return &starlarkstruct.Module{Name: json.Module.Name, Members: members}
}

// deeper reports whether a text in JSON has more levels of brackets.
func deeper(text string, limit int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		if depth > limit {
			return true
		}
	}
	return false
}

// print is print(): the text goes to the world.
func (l *Local) print(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var text string
	thread.Print = func(_ *starlark.Thread, s string) { text = s }
	if _, err := starlark.Universe["print"].(*starlark.Builtin).CallInternal(thread, args, kwargs); err != nil {
		return nil, err
	}
	_, err := l.ask(Question{Op: OpPrint, Name: text, At: l.place()})
	return starlark.None, err
}
