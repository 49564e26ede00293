// Package yaml reads and writes the part of YAML that ucas configurations
// are made of: [Parse] and [Print], with [tree.Node] between them.
//
// Whatever it accepts means exactly what YAML 1.1 and YAML 1.2 say it means;
// where the two, or the programs that read them, do not agree, or where a
// text is harder to read than it is worth, it is refused with a position and
// with what to write instead. The file grammar.txt has all of both. The
// package knows nothing about the keys of a configuration.
//
// # How it works
//
// There is no separate scanner. The text is checked once for characters that
// may not stand in it (chars.go); then one pass of recursive descent reads
// it line by line and makes the nodes as it goes.
//
// Between two values the parser always stands on the first character of a
// line that has content, and p.indent is the column of that character, or -1
// at the end of the text: [parser.nextLine] sees to it (lines.go). Layout
// follows from that number alone. A block collection is as wide as the
// column of its first entry; it goes on while a line starts in that column,
// and ends at the first line that starts further left. A line that starts
// further right than the collection, after its entry was read, belongs to
// nothing ([parser.stray]).
//
// A fault is reported where it is found, and then the rest of its line and
// every line that is indented below it are passed over ([parser.skip]), so
// that one mistake is one problem. The tree is thrown away if there is any.
//
// All nodes of a text lie in a few slabs, and all their strings are parts of
// the text itself, which is why a configuration costs four allocations or
// fewer.
package yaml

import (
	"cmp"
	"slices"
	"strings"
	"unsafe"

	"ucas/engine/diag"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// Limits. Each is far above what a configuration needs, and keeps a broken
// or hostile file from costing more than a moment.
const (
	// maxSize is how many bytes a text may have: it bounds the memory, and
	// offsets fit the 32 bits that a node has for them.
	maxSize = 16 << 20
	// maxDepth is how many collections may lie in each other: it bounds the
	// stack of whoever walks the tree.
	maxDepth = 64
	// maxKey is how many bytes a key may have. YAML says 1024 characters, so
	// that a reader need not look far for the colon.
	maxKey = 1024
	// maxProblems is how many problems are told of a text: people fix the
	// first ones and try again.
	maxProblems = 10
)

// Parse reads a text that holds one value of any kind; one without a value
// (blank, or all comments) gives a Null. The name is what positions show.
//
// The error is a [diag.List] of up to ten problems, in the order of their
// places, and then there is no node. The caller must not change src
// afterwards: the nodes point into it.
func Parse(name string, src []byte) (*tree.Node, error) {
	p := parser{file: source.NewFile(name, src), fault: -1}
	root := p.parse()
	return result(root, p.problems)
}

// ParseMapping is Parse for a configuration, which is a mapping: any other
// value is a problem, and a text without a value is an empty mapping.
func ParseMapping(name string, src []byte) (*tree.Node, error) {
	p := parser{file: source.NewFile(name, src), fault: -1}
	root := p.parse()
	switch {
	case len(p.problems) > 0 || root.Kind == tree.Map:
	case root.Kind == tree.Null && root.Text == "":
		root.Kind = tree.Map
	default:
		p.noMapping(root)
	}
	return result(root, p.problems)
}

func result(root *tree.Node, problems diag.List) (*tree.Node, error) {
	if len(problems) > 0 {
		return nil, problems
	}
	return root, nil
}

// A parser reads one text.
type parser struct {
	file *source.File
	text string

	pos    int // offset of the next byte to read
	origin int // offset of column 0 of the line that pos is in
	indent int // column of the first character of that line, -1 at the end

	depth int  // how many collections are open
	begun bool // whether a value or "---" was seen
	quiet bool // whether lines are being passed over
	tabs  bool // whether a tab was found in indentation

	fault  int // offset of the latest problem
	before int // offset of the line with content before this one

	nodes    []tree.Node     // what is left of the slab
	decoded  strings.Builder // contents of quoted strings that have escapes
	problems diag.List
}

// tooMany is what the parser panics with when it has found enough.
type tooMany struct{}

// parse reads the whole text. If it found problems, the node means nothing.
func (p *parser) parse() (root *tree.Node) {
	if len(p.file.Text) > maxSize {
		p.tooLarge()
		return nil
	}
	characters := p.checkCharacters()
	if isUTF16(p.file.Text) {
		p.problems = characters
		return nil
	}
	defer func() {
		if r := recover(); r != nil && r != any(tooMany{}) {
			panic(r)
		}
		if len(characters) > 0 {
			p.problems = p.join(characters, p.problems)
		}
	}()
	p.text = unsafe.String(unsafe.SliceData(p.file.Text), len(p.file.Text))
	p.pos = len(byteOrderMark(p.text))
	return p.document()
}

// join puts together what is wrong with characters and what is wrong with
// the structure. A line that has wrong characters has no other problem: what
// the parser says about it would be nonsense.
func (p *parser) join(characters, structure diag.List) diag.List {
	wrong := make(map[int]bool)
	for _, c := range characters {
		wrong[p.lineOf(c.Span.Start)] = true
	}
	all := slices.Clone(characters)
	for _, s := range structure {
		if !wrong[p.lineOf(s.Span.Start)] {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b *diag.Problem) int {
		return cmp.Compare(a.Span.Start, b.Span.Start)
	})
	return all[:min(len(all), maxProblems)]
}

// lineOf returns the offset of the line that an offset is in.
func (p *parser) lineOf(offset int) int {
	return strings.LastIndexByte(p.text[:offset], '\n') + 1
}

// byteOrderMark returns the mark that a text starts with, or "".
func byteOrderMark(text string) string {
	if strings.HasPrefix(text, "\uFEFF") {
		return "\uFEFF"
	}
	return ""
}

// newNode returns an empty node of the text.
func (p *parser) newNode() *tree.Node {
	if len(p.nodes) == 0 {
		p.newSlab()
	}
	n := &p.nodes[0]
	p.nodes = p.nodes[1:]
	n.File = p.file
	return n
}

// newSlab makes room for more nodes. How many there will be is guessed from
// the lines and commas that come next: if that is too few, there will be
// another slab, and the nodes in this one stay where they are.
func (p *parser) newSlab() {
	const window = 32 << 10 // bytes: slabs of more save nothing
	next := p.text[p.pos:min(p.pos+window, len(p.text))]
	p.nodes = make([]tree.Node, 1+strings.Count(next, "\n")+strings.Count(next, ","))
}

// set makes the node a scalar.
func set(n *tree.Node, kind tree.Kind, t *token) {
	n.Kind, n.Text, n.Quoted = kind, t.text, t.quoted
	n.Start, n.End = uint32(t.start), uint32(t.end)
}
