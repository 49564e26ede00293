package script

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"ucas/engine/diag"

	"go.starlark.net/starlark"
)

// A ctx is what a hook gets to reach its world with.
type ctx struct {
	local    *Local
	readOnly bool
}

var _ starlark.HasAttrs = (*ctx)(nil)

func (c *ctx) String() string        { return "<ctx>" }
func (c *ctx) Type() string          { return "ctx" }
func (c *ctx) Freeze()               {}
func (c *ctx) Truth() starlark.Bool  { return true }
func (c *ctx) Hash() (uint32, error) { return 0, errors.New("unhashable type: ctx") }

// AttrNames implements starlark.HasAttrs.
func (c *ctx) AttrNames() []string {
	return slices.Sorted(slices.Values(append(Facts(), slices.Collect(maps.Keys(c.local.methods))...)))
}

// Attr implements starlark.HasAttrs: it asks for a fact each time.
func (c *ctx) Attr(name string) (starlark.Value, error) {
	if m := c.local.methods[name]; m != nil {
		return m.BindReceiver(c), nil
	}
	if !slices.Contains(Facts(), name) {
		return nil, nil
	}
	return c.value(OpFact, name, starlark.None)
}

// An invocation is one call of a method of ctx.
type invocation struct {
	name   string // "ctx.get"
	args   starlark.Tuple
	kwargs []starlark.Tuple
}

func (i invocation) unpack(pairs ...any) error {
	return starlark.UnpackArgs(i.name, i.args, i.kwargs, pairs...)
}

// text unpacks the arguments of a method that takes a text only.
func (i invocation) text(parameter string) (string, error) {
	var text string
	err := i.unpack(parameter, &text)
	return text, err
}

// ctxMethods returns the methods of ctx, to be bound to one.
func ctxMethods() map[string]*starlark.Builtin {
	all := make(map[string]*starlark.Builtin)
	add := func(op Op, method func(*ctx, invocation) (starlark.Value, error)) {
		all[op.String()] = starlark.NewBuiltin("ctx."+op.String(),
			func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
				return method(b.Receiver().(*ctx), invocation{b.Name(), args, kwargs})
			})
	}
	add(OpGet, (*ctx).get)
	add(OpSet, (*ctx).set)
	add(OpUnset, (*ctx).unset)
	add(OpEnv, (*ctx).env)
	add(OpWhich, (*ctx).which)
	add(OpRead, (*ctx).read)
	add(OpExists, (*ctx).exists)
	add(OpGlob, (*ctx).glob)
	add(OpWarn, (*ctx).warn)
	return all
}

// get(path, default=None)
func (c *ctx) get(i invocation) (starlark.Value, error) {
	var path keyPath
	var absent starlark.Value = starlark.None
	if err := i.unpack("path", &path, "default?", &absent); err != nil {
		return nil, err
	}
	return c.value(OpGet, string(path), absent)
}

// set(path, value)
func (c *ctx) set(i invocation) (starlark.Value, error) {
	var path keyPath
	var value starlark.Value
	if err := i.unpack("path", &path, "value", &value); err != nil {
		return nil, err
	}
	if err := c.writable(i); err != nil {
		return nil, err
	}
	if value == starlark.None {
		return nil, &refused{i.name, diag.Errorf("None is no value").WithHint("write ctx.unset(%q)", string(path))}
	}
	at := c.local.place()
	node, err := toNode(value, at, "the value")
	if err != nil {
		return nil, &refused{i.name, err}
	}
	_, err = c.local.ask(Question{Op: OpSet, Name: string(path), Value: node, At: at})
	return starlark.None, err
}

// unset(path)
func (c *ctx) unset(i invocation) (starlark.Value, error) {
	var path keyPath
	if err := i.unpack("path", &path); err != nil {
		return nil, err
	}
	if err := c.writable(i); err != nil {
		return nil, err
	}
	_, err := c.ask(OpUnset, string(path))
	return starlark.None, err
}

func (c *ctx) writable(i invocation) error {
	if !c.readOnly {
		return nil
	}
	problem := diag.Errorf("%s works in configure only", i.name).
		WithHint("keys are settled by now: set this one in a function configure(ctx)")
	return &refused{"", problem}
}

// env(name, default=None)
func (c *ctx) env(i invocation) (starlark.Value, error) {
	var name string
	var absent starlark.Value = starlark.None
	if err := i.unpack("name", &name, "default?", &absent); err != nil {
		return nil, err
	}
	return c.value(OpEnv, name, absent)
}

// which(program)
func (c *ctx) which(i invocation) (starlark.Value, error) {
	program, err := i.text("program")
	if err != nil {
		return nil, err
	}
	return c.value(OpWhich, program, starlark.None)
}

// read(path, default=None)
func (c *ctx) read(i invocation) (starlark.Value, error) {
	var path string
	var absent starlark.Value = starlark.None
	if err := i.unpack("path", &path, "default?", &absent); err != nil {
		return nil, err
	}
	return c.value(OpRead, path, absent)
}

// exists(path)
func (c *ctx) exists(i invocation) (starlark.Value, error) {
	path, err := i.text("path")
	if err != nil {
		return nil, err
	}
	return c.value(OpExists, path, starlark.False)
}

// glob(pattern)
func (c *ctx) glob(i invocation) (starlark.Value, error) {
	pattern, err := i.text("pattern")
	if err != nil {
		return nil, err
	}
	return c.value(OpGlob, pattern, starlark.NewList(nil))
}

// warn(text)
func (c *ctx) warn(i invocation) (starlark.Value, error) {
	text, err := i.text("text")
	if err != nil {
		return nil, err
	}
	_, err = c.ask(OpWarn, text)
	return starlark.None, err
}

func (c *ctx) ask(op Op, name string) (Answer, error) {
	return c.local.ask(Question{Op: op, Name: name, At: c.local.place()})
}

// value asks for a value, which is the hook's own to change.
func (c *ctx) value(op Op, name string, absent starlark.Value) (starlark.Value, error) {
	answer, err := c.ask(op, name)
	if err != nil {
		return nil, err
	}
	if answer.Value == nil {
		return absent, nil
	}
	return toValue(answer.Value), nil
}

// A keyPath is the parameter that names a key: keys joined by dots, those
// with odd characters in quotes. A hook may give a list of keys instead.
type keyPath string

// Unpack implements starlark.Unpacker.
func (p *keyPath) Unpack(v starlark.Value) error {
	switch v := v.(type) {
	case starlark.String:
		*p = keyPath(v)
		return nil
	case *starlark.List:
		return p.join(v)
	case starlark.Tuple:
		return p.join(v)
	}
	return fmt.Errorf("got %s, want string or list of strings", v.Type())
}

func (p *keyPath) join(keys starlark.Indexable) error {
	if keys.Len() == 0 {
		return errors.New("got an empty list, want keys")
	}
	parts := make([]string, keys.Len())
	for i := range parts {
		key, ok := starlark.AsString(keys.Index(i))
		if !ok {
			return fmt.Errorf("got %s in the list, want string", keys.Index(i).Type())
		}
		if strings.Contains(key, `"`) {
			return fmt.Errorf("a key cannot have a quotation mark: %s", key)
		}
		parts[i] = quoteKey(key)
	}
	*p = keyPath(strings.Join(parts, "."))
	return nil
}

// quoteKey returns a key as it is written in a path.
func quoteKey(key string) string {
	odd := func(r rune) bool { return r != '-' && !isWord(r) }
	if key == "" || strings.ContainsFunc(key, odd) {
		return `"` + key + `"`
	}
	return key
}

// checked returns a question in which all text is text, and no more than may
// leave a hook.
func checked(q Question) (Question, error) {
	if len(q.Name) > MaxResult {
		return q, &refused{asker(Question{Op: q.Op}), diag.Errorf("more than %s of text", size(MaxResult))}
	}
	switch {
	case utf8.ValidString(q.Name):
	case q.Op == OpWarn || q.Op == OpPrint:
		q.Name = strings.ToValidUTF8(q.Name, "\uFFFD")
	default:
		return q, &refused{asker(q), diag.Errorf("%q is no text in UTF-8", q.Name)}
	}
	return q, nil
}

// asker returns the function that a question comes from, as it is written.
func asker(q Question) string {
	switch q.Op {
	case OpLoad, OpPrint:
		return q.Op.String()
	case OpFact:
		return "ctx." + q.Name
	}
	return "ctx." + q.Op.String()
}
