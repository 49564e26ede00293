package yaml

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ucas/engine/tree"
)

// Print writes a node in the canonical form, without comments: two blanks a
// level, quotes only where they are needed, and brackets for a list that was
// written in brackets. [Parse] reads the same from it ([tree.Equal]). Nothing
// is written of a nil node.
//
// Two things cannot be written so that they come back: bytes that are not
// UTF-8, which become U+FFFD, and what is past the limits of Parse.
func Print(n *tree.Node) []byte {
	var w printer
	if n != nil {
		w.value(n, 0, true)
	}
	if len(w) == 0 || w[len(w)-1] == '\n' {
		return w
	}
	return append(w, '\n')
}

// A printer is the text so far.
type printer []byte

// indentation is how far a collection stands right of its parent.
const indentation = 2

// value writes a node that stands in the given column. It is compact if it
// begins in the current line: nothing but dashes and blanks are before it.
func (w *printer) value(n *tree.Node, column int, compact bool) {
	switch {
	case n.IsScalar() || n.First == nil || isInline(n):
		if !compact {
			*w = append(*w, ' ')
		}
		w.inline(n, blockContext)
	case n.Kind == tree.Map:
		w.children(n, column, compact, w.entry)
	default:
		w.children(n, column, compact, w.item)
	}
}

// children writes a collection, each child in a line of its own.
func (w *printer) children(n *tree.Node, column int, compact bool, write func(*tree.Node, int)) {
	for c := range n.Items() {
		if c != n.First || !compact {
			*w = append(*w, '\n')
			*w = append(*w, strings.Repeat(" ", column)...)
		}
		write(c, column)
	}
}

func (w *printer) entry(n *tree.Node, column int) {
	*w = append(*w, scalarText(n.Key, blockContext)...)
	*w = append(*w, ':')
	if !isEmpty(n) {
		w.value(n, column+indentation, false)
	}
}

func (w *printer) item(n *tree.Node, column int) {
	*w = append(*w, '-')
	if !isEmpty(n) {
		*w = append(*w, ' ')
		w.value(n, column+indentation, true)
	}
}

// inline writes a node that needs no line of its own.
func (w *printer) inline(n *tree.Node, in context) {
	switch {
	case n.Kind == tree.Map:
		*w = append(*w, "{}"...)
	case n.Kind == tree.List:
		*w = append(*w, '[')
		for c := range n.Items() {
			if c != n.First {
				*w = append(*w, ", "...)
			}
			w.inline(c, flowContext)
		}
		*w = append(*w, ']')
	case n.Kind == tree.String:
		*w = append(*w, scalarText(n.Text, in)...)
	default:
		*w = append(*w, n.Text...)
	}
}

// isInline reports whether a list can be, and was, written in brackets.
func isInline(n *tree.Node) bool {
	if n.Kind != tree.List || !n.Flow {
		return false
	}
	for c := range n.Items() {
		if isEmpty(c) || c.First != nil && !isInline(c) {
			return false
		}
	}
	return true
}

// isEmpty reports whether a node is a null of which nothing is written.
func isEmpty(n *tree.Node) bool { return n.Kind == tree.Null && n.Text == "" }

// scalarText returns a text as it is written: plain if it means itself.
func scalarText(s string, in context) string {
	if isPlain(s, in) {
		return s
	}
	return quote(s)
}

// isPlain reports whether a text, written without quotes, is read as itself
// wherever it stands.
func isPlain(s string, in context) bool {
	if !startsPlain(s, in) || plainEnd(s, 0, in) < len(s) || s[len(s)-1] == ' ' || resolve(s) != tree.String {
		return false
	}
	for i, r := range s {
		if !isPrintable(r) || r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return false
		}
	}
	return !isMarker(s)
}

// isMarker reports whether a text in column 0 would divide documents.
func isMarker(s string) bool {
	return (strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...")) && (len(s) == 3 || isGap(s[3]))
}

// quote returns a text in double quotes, with escapes for what cannot be
// seen.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		b.WriteString(escape(r))
	}
	b.WriteByte('"')
	return b.String()
}

// escape returns a character as it is written in double quotes.
func escape(r rune) string {
	for _, e := range escapes {
		if e.means == r && r != ' ' && r != '/' {
			return `\` + string(rune(e.letter))
		}
	}
	switch {
	case isPrintable(r):
		return string(r)
	case r < 0x100:
		return fmt.Sprintf(`\x%02X`, r)
	}
	return fmt.Sprintf(`\u%04X`, r)
}
