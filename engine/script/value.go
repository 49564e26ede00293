package script

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"ucas/engine/diag"
	"ucas/engine/source"
	"ucas/engine/tree"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// toNode returns a value as a node, all parts of which stand at the given
// place. The subject is how messages name it.
func toNode(v starlark.Value, at source.Span, subject string) (*tree.Node, error) {
	return encoder{at: at, left: MaxResult}.whole(v, subject)
}

// toResult is toNode for what a hook returns: arguments and paths that it was
// given may be any bytes.
func toResult(v starlark.Value, at source.Span) (*tree.Node, error) {
	return encoder{at: at, left: MaxResult, anyBytes: true}.whole(v, "the result")
}

func (e encoder) whole(v starlark.Value, subject string) (*tree.Node, error) {
	n := e.node(v, 0)
	if e.problem == nil {
		return n, nil
	}
	if e.path != "" {
		subject = subject + "'s " + e.path
	}
	e.problem.Span = e.at
	e.problem.Message = diag.Escape(subject) + " " + e.problem.Message
	return nil, e.problem
}

// An encoder makes nodes of a value, as many as may leave a hook. A value in
// which one list stands many times is as large as its nodes.
type encoder struct {
	at      source.Span
	left    int           // bytes
	problem *diag.Problem // the first
	path    string        // where it is: [2].name
	// anyBytes lets strings be no UTF-8.
	anyBytes bool
}

// nodeCost is what an item counts besides its text.
const nodeCost = 8

// node returns nil if there is a problem. Depth is how many collections the
// value stands in.
func (e *encoder) node(v starlark.Value, depth int) *tree.Node {
	switch v := v.(type) {
	case *starlark.List:
		return e.list(v, depth)
	case starlark.Tuple:
		return e.list(v, depth)
	case *starlark.Set:
		return e.list(v, depth)
	case *starlark.Dict:
		return e.dict(v, depth)
	case *starlarkstruct.Struct:
		return e.structure(v, depth)
	}
	kind, text := e.scalar(v)
	if !e.spend(len(text)) {
		return nil
	}
	n := e.new(kind)
	n.Text = text
	return n
}

func (e *encoder) new(kind tree.Kind) *tree.Node {
	return &tree.Node{Kind: kind, File: e.at.File, Start: uint32(e.at.Start), End: uint32(e.at.End)}
}

// scalar returns the kind and the text of a value that has no parts.
func (e *encoder) scalar(v starlark.Value) (tree.Kind, string) {
	switch v := v.(type) {
	case starlark.NoneType:
		return tree.Null, "null"
	case starlark.Bool:
		return tree.Bool, strconv.FormatBool(bool(v))
	case starlark.Int:
		if i, ok := v.Int64(); ok {
			return tree.Int, strconv.FormatInt(i, 10)
		}
		e.refuse("is a number that does not fit 64 bits", "keep it as text: str(x)")
	case starlark.Float:
		if f := float64(v); !math.IsInf(f, 0) && !math.IsNaN(f) {
			return tree.Float, formatFloat(f)
		}
		e.refuse("is "+v.String()+", which is no number here", "")
	case starlark.String:
		if !e.anyBytes && !utf8.ValidString(string(v)) {
			e.refuse("is a string that is no UTF-8", "")
		}
		return tree.String, string(v)
	default:
		e.refuseType(v)
	}
	return tree.Null, ""
}

// formatFloat returns a number that reads back as the same and not as an
// integer, without an exponent, as configurations have it.
func formatFloat(f float64) string {
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

func (e *encoder) refuseType(v starlark.Value) {
	hint := "a value is a string, a number, a boolean, a list, a dict or a struct"
	switch v := v.(type) {
	case starlark.Bytes:
		hint = "make it a string: str(x)"
	case starlark.Callable:
		hint = fmt.Sprintf("call it: %s()", v.Name())
	case starlark.Iterable:
		hint = "make it a list: list(x)"
	}
	e.refuse("is of type "+v.Type(), hint)
}

func (e *encoder) refuse(message, hint string) {
	if e.problem == nil {
		e.problem = diag.Errorf("%s", message).WithHint("%s", hint)
	}
}

// spend reports whether there is room for some bytes, and no problem.
func (e *encoder) spend(bytes int) bool {
	if e.left -= bytes; e.left < 0 {
		e.refuse("has more than "+size(MaxResult), "keep data in a file and name the file")
	}
	return e.problem == nil
}

// size returns a number of bytes as people say it.
func size(bytes int) string {
	if bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// enter reports whether a collection may stand in so many others.
func (e *encoder) enter(depth int) bool {
	if depth >= MaxDepth {
		e.refuse(fmt.Sprintf("has more than %d levels", MaxDepth), "see whether it holds itself")
	}
	return e.problem == nil
}

// add converts an item and adds it to a collection.
func (e *encoder) add(to *tree.Node, last **tree.Node, key string, v starlark.Value, depth int) bool {
	if !e.spend(nodeCost + len(key)) {
		return false
	}
	n := e.node(v, depth+1)
	if n == nil {
		if to.Kind == tree.List {
			key = fmt.Sprintf("[%d]", to.Len)
		} else {
			key = "." + quoteKey(key)
		}
		e.path = shorten(key + e.path)
		return false
	}
	n.Key = key
	if *last == nil {
		to.First = n
	} else {
		(*last).Next = n
	}
	*last = n
	to.Len++
	return true
}

// shorten keeps the path to a problem readable.
func shorten(path string) string {
	const longest = 80
	if len(path) > longest {
		return strings.ToValidUTF8(path[:longest], "") + "…"
	}
	return path
}

func (e *encoder) list(v starlark.Iterable, depth int) *tree.Node {
	if !e.enter(depth) {
		return nil
	}
	n := e.new(tree.List)
	var last *tree.Node
	for item := range starlark.Elements(v) {
		if !e.add(n, &last, "", item, depth) {
			return nil
		}
	}
	return n
}

func (e *encoder) dict(v *starlark.Dict, depth int) *tree.Node {
	if !e.enter(depth) {
		return nil
	}
	n := e.new(tree.Map)
	var last *tree.Node
	for k, item := range starlark.Entries(v) {
		key, ok := starlark.AsString(k)
		if !ok {
			e.refuse("has a key of type "+k.Type(), "keys are strings: str(x)")
			return nil
		}
		if !utf8.ValidString(key) {
			e.refuse("has a key that is no UTF-8", "")
			return nil
		}
		if !e.add(n, &last, key, item, depth) {
			return nil
		}
	}
	return n
}

func (e *encoder) structure(v *starlarkstruct.Struct, depth int) *tree.Node {
	if !e.enter(depth) {
		return nil
	}
	n := e.new(tree.Map)
	var last *tree.Node
	for key, item := range v.Entries() {
		if !e.add(n, &last, key, item, depth) {
			return nil
		}
	}
	return n
}

// toValue returns a node as a value that may be changed.
func toValue(n *tree.Node) starlark.Value {
	switch n.Kind {
	case tree.Bool:
		return starlark.Bool(n.Bool())
	case tree.Int:
		return toInt(n.Text)
	case tree.Float:
		f, _ := strconv.ParseFloat(n.Text, 64) // whoever made the node saw to it
		return starlark.Float(f)
	case tree.String:
		return starlark.String(n.Text)
	case tree.List:
		items := make([]starlark.Value, 0, n.Len)
		for item := range n.Items() {
			items = append(items, toValue(item))
		}
		return starlark.NewList(items)
	case tree.Map:
		d := starlark.NewDict(int(n.Len))
		for item := range n.Items() {
			_ = d.SetKey(starlark.String(item.Key), toValue(item)) // a new dict takes every string
		}
		return d
	}
	return starlark.None
}

func toInt(text string) starlark.Value {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return starlark.MakeInt64(i)
	}
	i, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return starlark.String(text)
	}
	return starlark.MakeBigInt(i)
}

// toArgument returns a node as a hook gets it: a mapping is a struct.
func toArgument(n *tree.Node) starlark.Value {
	if n == nil {
		return starlark.None
	}
	if n.Kind != tree.Map {
		return toValue(n)
	}
	fields := make(starlark.StringDict, n.Len)
	for item := range n.Items() {
		fields[item.Key] = toValue(item)
	}
	return starlarkstruct.FromStringDict(starlarkstruct.Default, fields)
}
