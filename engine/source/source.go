// Package source holds text and the places in it.
//
// Every later stage points into a [File] with a [Span] of byte offsets; a
// [Position] (line and column, as people and editors count them) is worked
// out only when one is printed. Start with [NewFile] and [Span.Position].
//
// The package reads no files: whoever has the bytes makes the File.
package source

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A File is a named text. It is not changed after it was made.
type File struct {
	// Name is what is shown to people: a path as they would write it, or
	// what the text came from ("--set env.DEBUG").
	Name string
	// Path is where the text was read, "" if it came from no file.
	Path string
	// Text is the whole content.
	Text []byte
}

// NewFile returns a File with the given name and content, which the caller
// must not change afterwards.
func NewFile(name string, text []byte) *File {
	return &File{Name: name, Text: text}
}

// A Span is a run of bytes of a file: Start is the offset of its first byte,
// End that of the byte after its last. The zero Span is no place at all.
type Span struct {
	File       *File
	Start, End int
}

// IsZero reports whether the span is no place at all.
func (s Span) IsZero() bool { return s.File == nil }

// Text returns the bytes that the span covers.
func (s Span) Text() string {
	if s.File == nil {
		return ""
	}
	return string(s.File.Text[s.Start:s.End])
}

// Position returns where the span starts.
func (s Span) Position() Position {
	if s.File == nil {
		return Position{}
	}
	return s.File.Position(s.Start)
}

// A Position is a place as people write it. Line and Column count from 1,
// columns in characters (runes); 0 means unknown.
type Position struct {
	File         string
	Line, Column int
}

// String returns file:line:column, without the parts that are unknown.
func (p Position) String() string {
	switch {
	case p.File == "" && p.Line == 0:
		return "-"
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Position returns the line and column of a byte offset. An offset outside
// the text is taken as its nearest end. It reads the text up to the offset:
// call it for what is printed, not for every node.
func (f *File) Position(offset int) Position {
	offset = f.clamp(offset)
	before := f.Text[:offset]
	start := lineStart(before)
	return Position{
		File:   f.Name,
		Line:   bytes.Count(before, []byte{'\n'}) + 1,
		Column: utf8.RuneCount(dropBOM(before[start:], start)) + 1,
	}
}

// Line returns the whole line that holds the offset, without its line break
// and without a byte order mark.
func (f *File) Line(offset int) string {
	offset = f.clamp(offset)
	start := lineStart(f.Text[:offset])
	line := f.Text[start:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	return strings.TrimSuffix(string(dropBOM(line, start)), "\r")
}

func (f *File) clamp(offset int) int {
	return max(0, min(offset, len(f.Text)))
}

func lineStart(before []byte) int {
	return bytes.LastIndexByte(before, '\n') + 1
}

// dropBOM removes a byte order mark from a line that starts at the given
// offset: it is no character of the text, and editors do not count it.
func dropBOM(line []byte, start int) []byte {
	if start == 0 {
		return bytes.TrimPrefix(line, []byte("\uFEFF"))
	}
	return line
}
