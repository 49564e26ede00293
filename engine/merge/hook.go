package merge

import (
	"ucas/engine/source"
	"ucas/engine/tree"
)

// A Hook is one run of a layer hook.
type Hook struct {
	// Name is the function's: "configure".
	Name  string
	Level source.Level
	// Span is where it is defined.
	Span source.Span
	// Reads is all that it looked at, in order.
	Reads []*Read
}

// String returns the hook as people know it: "configure of project".
func (h *Hook) String() string { return h.Name + " of " + h.Level.String() }

// A Read is something that a hook looked at.
type Read struct {
	// Op is the function of ctx that it asked with, "load" for a module, or
	// "fact" for an attribute.
	Op string
	// Name is the key, variable, program, path, pattern, module or attribute.
	Name string
	// Value is what the hook got, nil if there was nothing, or for a module.
	Value *tree.Node
	// At is where the hook asked; it may be zero.
	At source.Span
	// Definitions are, for a key, those in force that the value is made of:
	// one, the parts of what adds up, or the null that unset it.
	Definitions []*Definition
}

// Lookup returns what is in force at a path of keys, nil if there is nothing,
// and the definitions that led to it. Variables of env are text, as they are
// for the harness.
func (d *Doc) Lookup(path []string) (*tree.Node, []*Definition) {
	if len(path) == 0 {
		return nil, nil
	}
	name, rest := path[0], path[1:]
	if isGroup(name) {
		if len(rest) == 0 {
			return d.group(name)
		}
		name, rest = name+"."+rest[0], rest[1:]
	}
	k := d.index[name]
	if k == nil {
		return nil, nil
	}
	value := k.Value
	if path[0] == "env" {
		value = asText(value)
	}
	for _, key := range rest {
		value = value.Get(key)
	}
	return value, k.inForce()
}

// group puts a mapping together whose entries are keys of their own.
func (d *Doc) group(name string) (*tree.Node, []*Definition) {
	var values []*tree.Node
	var definitions []*Definition
	if k := d.index[name]; k != nil {
		definitions = k.inForce()
	}
	for _, k := range d.Below(name) {
		definitions = append(definitions, k.inForce()...)
		if value := k.Value; value != nil {
			if name == "env" {
				value = asText(value)
			}
			values = append(values, value.Named(k.Name[len(name)+1:]))
		}
	}
	if len(values) == 0 {
		return nil, definitions
	}
	return tree.NewMap(values, values[0].Span()), definitions
}

// inForce returns the definitions that make up what is in force.
func (k *Key) inForce() []*Definition {
	var in []*Definition
	for _, d := range k.Definitions {
		if d.Fate == Set || d.Fate == Unset || d.Fate == Merged {
			in = append(in, d)
		}
	}
	return in
}

// asText returns a scalar as the text that was written.
func asText(n *tree.Node) *tree.Node {
	if n == nil || n.Kind == tree.String || !n.IsScalar() {
		return n
	}
	return tree.NewString(n.Text, n.Span())
}
