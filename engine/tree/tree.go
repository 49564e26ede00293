// Package tree is the value that every source of configuration becomes:
// ordered mappings, lists and scalars, each of which knows where it stands.
//
// A [Node] comes from a parser, or from one of the constructors ([NewString]
// and its like) where a program makes a value. Nodes are not changed once
// they were made; [Node.Any] turns one into plain Go values.
package tree

import (
	"iter"
	"strconv"

	"ucas/engine/source"
)

// Kind says what a node is.
type Kind uint8

// The kinds of nodes.
const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	List
	Map
)

var kindNames = [...]string{"null", "boolean", "integer", "number", "string", "list", "mapping"}

// String returns the name that error messages use.
func (k Kind) String() string { return kindNames[k] }

// A Node is one value. Children of a list or a mapping are linked, so that a
// whole document can lie in one block of memory; use [Node.Items] to walk
// them.
type Node struct {
	// Text is a scalar as its reader means it: the content of a string, and
	// for every other scalar what was written (1.10 stays "1.10").
	Text string
	// Key is the name of this node in the mapping that holds it.
	Key string
	// File is the text in which the offsets below count bytes.
	File *source.File
	// First is the first child, Next the sibling after this node.
	First, Next *Node

	// Start and End enclose the value, KeyStart and KeyEnd its key.
	Start, End, KeyStart, KeyEnd uint32
	// Len is the number of children.
	Len int32
	// Kind says which of the others are meaningful.
	Kind Kind
	// Flow is set for a list or mapping that was written in brackets.
	Flow bool
	// Quoted is set for a string that was written in quotes.
	Quoted bool
}

// Span is the place of the value.
func (n *Node) Span() source.Span {
	return source.Span{File: n.File, Start: int(n.Start), End: int(n.End)}
}

// KeySpan is the place of the node's key, or of its value if it has no key.
func (n *Node) KeySpan() source.Span {
	if n.KeyEnd == 0 {
		return n.Span()
	}
	return source.Span{File: n.File, Start: int(n.KeyStart), End: int(n.KeyEnd)}
}

// Items walks the children of a list or mapping in order. A nil node and a
// scalar have none.
func (n *Node) Items() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		if n == nil {
			return
		}
		for c := n.First; c != nil; c = c.Next {
			if !yield(c) {
				return
			}
		}
	}
}

// Get returns the value of a key of a mapping, or nil if there is none.
func (n *Node) Get(key string) *Node {
	if n == nil || n.Kind != Map {
		return nil
	}
	for c := n.First; c != nil; c = c.Next {
		if c.Key == key {
			return c
		}
	}
	return nil
}

// IsScalar reports whether the node is no list and no mapping.
func (n *Node) IsScalar() bool { return n.Kind != List && n.Kind != Map }

// Bool returns the value of a boolean node.
func (n *Node) Bool() bool { return n.Text == "true" || n.Text == "yes" }

// Any returns the node as map[string]any, []any, string, bool, int64,
// float64 or nil.
func (n *Node) Any() any {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case Bool:
		return n.Bool()
	case Int:
		i, _ := strconv.ParseInt(n.Text, 10, 64) // a parser makes an Int only of what fits
		return i
	case Float:
		f, _ := strconv.ParseFloat(n.Text, 64)
		return f
	case String:
		return n.Text
	case List:
		list := make([]any, 0, n.Len)
		for c := n.First; c != nil; c = c.Next {
			list = append(list, c.Any())
		}
		return list
	case Map:
		m := make(map[string]any, n.Len)
		for c := n.First; c != nil; c = c.Next {
			m[c.Key] = c.Any()
		}
		return m
	}
	return nil
}

// Equal reports whether two nodes mean the same: kinds, scalars' text, and
// children with their keys, in order. Places and quoting do not count.
func Equal(a, b *Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || a.Len != b.Len || a.Text != b.Text {
		return false
	}
	for c, d := a.First, b.First; c != nil; c, d = c.Next, d.Next {
		if c.Key != d.Key || !Equal(c, d) {
			return false
		}
	}
	return true
}

// NewString returns a string that stands at the given place.
func NewString(text string, at source.Span) *Node {
	return newNode(Node{Kind: String, Text: text}, at)
}

// NewList returns a list of the given items, which it copies: a node has one
// parent.
func NewList(items []*Node, at source.Span) *Node {
	return newNode(Node{Kind: List}, at).withChildren(items)
}

// NewTexts returns a list of texts that stand nowhere.
func NewTexts(texts []string) *Node {
	nodes := make([]*Node, len(texts))
	for i, text := range texts {
		nodes[i] = NewString(text, source.Span{})
	}
	return NewList(nodes, source.Span{})
}

// NewMap returns a mapping of the given values by their Key, which it copies.
func NewMap(values []*Node, at source.Span) *Node {
	return newNode(Node{Kind: Map}, at).withChildren(values)
}

// Named returns a copy of a node that has the given key in a mapping.
func (n *Node) Named(key string) *Node {
	return n.named(key, &Node{})
}

// With returns a copy of a mapping (or an empty one, if n is nil or no
// mapping) in which the key has the given value; a nil value removes it.
func (n *Node) With(key string, value *Node) *Node {
	out := &Node{Kind: Map}
	if n != nil && n.Kind == Map {
		*out = *n
	} else if value != nil {
		out.File, out.Start, out.End = value.File, value.Start, value.End
	}
	var items []*Node
	found := false
	for c := range n.Items() {
		switch {
		case c.Key != key:
			items = append(items, c)
		case value != nil:
			items = append(items, value.named(key, value))
			found = true
		}
	}
	if value != nil && !found {
		items = append(items, value.named(key, value))
	}
	return out.withChildren(items)
}

// named returns a copy of the node under another key, which is said to stand
// where at's key stands.
func (n *Node) named(key string, at *Node) *Node {
	c := *n
	c.Key, c.KeyStart, c.KeyEnd = key, at.KeyStart, at.KeyEnd
	return &c
}

func newNode(n Node, at source.Span) *Node {
	n.File, n.Start, n.End = at.File, uint32(at.Start), uint32(at.End)
	return &n
}

func (n *Node) withChildren(items []*Node) *Node {
	n.First, n.Len = nil, int32(len(items))
	link := &n.First
	for _, item := range items {
		c := *item
		c.Next = nil
		*link = &c
		link = &c.Next
	}
	return n
}
