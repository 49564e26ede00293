package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"ucas/engine/diag"
	"ucas/engine/tree"
)

// warn prints warnings on stderr.
func (p *program) warn(problems ...*diag.Problem) {
	diag.Print(p.stderr, problems...)
}

// said prints on stderr what layer hooks printed, further lines indented, and
// warned of.
func (p *program) said(notes diag.List) {
	for _, n := range notes {
		if n.Severity == diag.Note {
			text := strings.ReplaceAll(diag.EscapeLines(n.Message), "\n", "\n  ")
			fmt.Fprintf(p.stderr, "%s: %s\n", diag.Escape(n.Span.Position().String()), text)
		} else {
			p.warn(n)
		}
	}
}

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && !os.SameFile(info, devNull())
}

// devNull is a character device that is no terminal.
func devNull() os.FileInfo {
	info, _ := os.Stat(os.DevNull)
	return info
}

// value returns a value in one line, as reports show it: text that could be
// misread in quotes, the value of what looks secret hidden.
func value(key string, n *tree.Node) string {
	var b strings.Builder
	writeValue(&b, key, n)
	return diag.Escape(b.String())
}

func writeValue(b *strings.Builder, key string, n *tree.Node) {
	switch {
	case n == nil || n.Kind == tree.Null:
		b.WriteString("null")
	case n.Kind == tree.List:
		b.WriteByte('[')
		writeItems(b, key, n)
		b.WriteByte(']')
	case n.Kind == tree.Map:
		b.WriteByte('{')
		writeItems(b, key, n)
		b.WriteByte('}')
	case isSecret(key):
		b.WriteString(diag.Hidden(n.Text))
	case n.Kind == tree.String && needsQuotes(n.Text):
		b.WriteString(strconv.Quote(n.Text))
	default:
		b.WriteString(n.Text)
	}
}

// needsQuotes reports whether a text is not plainly one word.
func needsQuotes(text string) bool {
	return text == "" || strings.ContainsAny(text, " ,:[]{}\"'#\n\t")
}

func writeItems(b *strings.Builder, key string, n *tree.Node) {
	for c := range n.Items() {
		if c != n.First {
			b.WriteString(", ")
		}
		if n.Kind == tree.Map {
			b.WriteString(c.Key + ": ")
			writeValue(b, key+"."+c.Key, c)
		} else {
			writeValue(b, key, c)
		}
	}
}
