package script

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"ucas/engine/diag"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// The two processes take turns: a request, then any number of questions and
// their answers, then the result. Each is one message: the length of the rest
// (4 bytes), a kind, and the fields of the kind. Numbers are varints, a text is
// its length and its bytes, a list its length and its items. Both sides check
// all that they read.

// The largest messages, without their length. What goes to the child may hold
// a prompt (16 MiB) and then some; what comes from it holds a value and a name,
// and the places in it may take as much again.
const (
	maxToChild   = 20 << 20
	maxFromChild = 4 * MaxResult
)

// maxNesting is the depth of values in messages. The parent's may lie deeper
// than MaxDepth, by the struct that holds them.
const maxNesting = 2 * MaxDepth

var (
	errWire   = errors.New("a message is damaged")
	errDeep   = errors.New("it is nested too deeply")
	errTooBig = errors.New("it is too large")
)

// isUnsendable says that a message was not sent, and that another can be.
func isUnsendable(err error) bool { return err == errDeep || err == errTooBig }

// A msgKind says which fields of a message are meaningful.
type msgKind uint8

const (
	// Requests of the parent.
	msgHooks msgKind = iota // call.File, call.For
	msgCall                 // call
	msgEval                 // text, call.File: the scope
	// The parent's replies to a question.
	msgAnswer  // answer
	msgRefusal // problems
	// Of the child: a question, or what came of the request.
	msgQuestion // question
	msgPlaces   // places
	msgValue    // answer.Value
	msgPrinted  // printed
	msgFailure  // problems, spent
)

func (k msgKind) isRequest() bool { return k <= msgEval }
func (k msgKind) isOfChild() bool { return k >= msgQuestion }

type msg struct {
	kind msgKind
	// environ is in the first request, if the World is an Environment. asked
	// are questions of the child that were answered from it, in whatever it
	// says next.
	environ  []string
	asked    []Question
	call     Call
	text     *source.File
	question Question
	answer   Answer
	places   map[string]source.Span
	printed  string
	problems diag.List
	spent    bool
}

// file returns the file that a request is about.
func (m *msg) file() *source.File {
	if m.kind == msgEval {
		return m.text
	}
	return m.call.File
}

// A worldError stands for an error of the World in the child: its number
// among those of this process. A problem that it caused carries the number back.
type worldError uint64

func (worldError) Error() string { return "an answer of the world" }

// A fileTable numbers the files that both sides have, from 1 on. Only the
// parent adds files, and each is sent once: a file of the same name and text
// is the same file.
type fileTable struct {
	files []*source.File
	names map[string]int // the number of the latest file of the name
}

func (t *fileTable) add(f *source.File) int {
	if t.names == nil {
		t.names = make(map[string]int)
	}
	t.files = append(t.files, f)
	t.names[f.Name] = len(t.files)
	return len(t.files)
}

// number returns 0 for a file that is not in the table.
func (t *fileTable) number(f *source.File) int {
	if f == nil {
		return 0
	}
	if n := t.names[f.Name]; n > 0 && (t.files[n-1] == f || string(t.files[n-1].Text) == string(f.Text)) {
		return n
	}
	return slices.Index(t.files, f) + 1
}

// get returns nil for a number that no file has.
func (t *fileTable) get(number uint64) *source.File {
	if number == 0 || number > uint64(len(t.files)) {
		return nil
	}
	return t.files[number-1]
}

// forget removes the files from the given number of files on.
func (t *fileTable) forget(from int) {
	for _, f := range t.files[from:] {
		delete(t.names, f.Name)
	}
	t.files = t.files[:from]
	for i, f := range t.files {
		t.names[f.Name] = i + 1
	}
}

// headerSize is that of the length in front of a message.
const headerSize = 4

// encode appends a message with its header to buf. If it cannot be sent, the
// table of files is as before.
func encode(buf []byte, m *msg, files *fileTable, limit int) ([]byte, error) {
	known, start := len(files.files), len(buf)
	e := wireEncoder{buf: append(buf, 0, 0, 0, 0), files: files}
	e.message(m)
	size := len(e.buf) - start - headerSize
	if e.err == nil && size > limit {
		e.err = errTooBig
	}
	if e.err != nil {
		files.forget(known)
		return buf, e.err
	}
	binary.LittleEndian.PutUint32(e.buf[start:], uint32(size))
	return e.buf, nil
}

type wireEncoder struct {
	buf   []byte
	files *fileTable
	err   error
}

func (e *wireEncoder) message(m *msg) {
	e.buf = append(e.buf, byte(m.kind))
	switch {
	case m.kind.isRequest():
		e.strings(m.environ)
	case m.kind.isOfChild():
		e.int(len(m.asked))
		for i := range m.asked {
			e.question(&m.asked[i])
		}
	}
	switch m.kind {
	case msgHooks:
		e.file(m.call.File)
		e.string(m.call.For)
	case msgCall:
		e.call(&m.call)
	case msgEval:
		e.file(m.text)
		e.file(m.call.File)
	case msgAnswer:
		e.node(m.answer.Value, 0)
		e.file(m.answer.File)
	case msgQuestion:
		e.question(&m.question)
	case msgPlaces:
		e.places(m.places)
	case msgValue:
		e.node(m.answer.Value, 0)
	case msgPrinted:
		e.string(m.printed)
	case msgRefusal:
		e.problems(m.problems, e.newPlace)
	case msgFailure:
		e.problems(m.problems, e.span)
		e.bool(m.spent)
	}
}

func (e *wireEncoder) strings(list []string) {
	e.int(len(list))
	for _, s := range list {
		e.string(s)
	}
}

func (e *wireEncoder) call(c *Call) {
	e.file(c.File)
	e.string(c.Hook)
	e.string(c.For)
	e.bool(c.ReadOnly)
	e.int(len(c.Args))
	for _, arg := range c.Args {
		e.node(arg, 0)
	}
}

func (e *wireEncoder) question(q *Question) {
	e.buf = append(e.buf, byte(q.Op))
	e.string(q.Name)
	e.node(q.Value, 0)
	e.span(q.At)
}

func (e *wireEncoder) places(places map[string]source.Span) {
	e.int(len(places))
	for _, name := range slices.Sorted(maps.Keys(places)) {
		e.string(name)
		e.span(places[name])
	}
}

// problems writes places with the given function.
func (e *wireEncoder) problems(list diag.List, span func(source.Span)) {
	e.int(len(list))
	for _, p := range list {
		var cause worldError
		errors.As(p.Cause, &cause)
		e.buf = append(e.buf, byte(p.Severity))
		e.bool(p.Secret)
		span(p.Span)
		e.string(p.Message)
		e.string(p.Hint)
		e.uint(uint64(cause))
		e.int(len(p.Others))
		for _, o := range p.Others {
			span(o.Span)
			e.string(o.Text)
		}
	}
}

// file sends a file if it is new. The child only names files that it got.
func (e *wireEncoder) file(f *source.File) {
	if n := e.files.number(f); n > 0 || f == nil {
		e.int(n)
		return
	}
	e.int(e.files.add(f))
	e.string(f.Name)
	e.int(len(f.Text))
	e.buf = append(e.buf, f.Text...)
}

// span sends a place, but not its file: without that it is none.
func (e *wireEncoder) span(s source.Span) {
	n := e.files.number(s.File)
	if n > 0 && !inside(s) {
		n = 0
	}
	e.int(n)
	if n > 0 {
		e.offsets(s)
	}
}

// newPlace sends a place, and its file if need be.
func (e *wireEncoder) newPlace(s source.Span) {
	if s.IsZero() || !inside(s) {
		e.int(0)
		return
	}
	e.file(s.File)
	e.offsets(s)
}

func (e *wireEncoder) offsets(s source.Span) {
	e.int(s.Start)
	e.int(s.End - s.Start)
}

func inside(s source.Span) bool {
	return 0 <= s.Start && s.Start <= s.End && s.End <= len(s.File.Text)
}

// The first byte of a node: its kind, and what else there is.
const (
	nodeKind     = 7 // mask
	nodeNil      = 7 // a kind that no node has
	nodeFlow     = 1 << 3
	nodeQuoted   = 1 << 4
	nodeKey      = 1 << 5
	nodePlace    = 1 << 6
	nodeKeyPlace = 1 << 7 // in the same file
)

func (e *wireEncoder) node(n *tree.Node, depth int) {
	if n == nil {
		e.buf = append(e.buf, nodeNil)
		return
	}
	if depth > maxNesting {
		e.err = errDeep
		return
	}
	flags := e.nodeFlags(n)
	e.buf = append(e.buf, flags)
	if flags&nodeKey != 0 {
		e.string(n.Key)
	}
	if flags&nodePlace != 0 {
		e.span(n.Span())
	}
	if flags&nodeKeyPlace != 0 {
		e.offsets(n.KeySpan())
	}
	if n.IsScalar() {
		e.string(n.Text)
		return
	}
	e.int(int(n.Len))
	for c := range n.Items() {
		e.node(c, depth+1)
	}
}

func (e *wireEncoder) nodeFlags(n *tree.Node) byte {
	flags := byte(n.Kind)
	if n.Flow {
		flags |= nodeFlow
	}
	if n.Quoted {
		flags |= nodeQuoted
	}
	if n.Key != "" {
		flags |= nodeKey
	}
	if e.files.number(n.File) > 0 && inside(n.Span()) {
		flags |= nodePlace
		if n.KeyEnd > 0 && inside(n.KeySpan()) {
			flags |= nodeKeyPlace
		}
	}
	return flags
}

func (e *wireEncoder) bool(b bool) {
	if b {
		e.buf = append(e.buf, 1)
	} else {
		e.buf = append(e.buf, 0)
	}
}

func (e *wireEncoder) uint(n uint64) { e.buf = binary.AppendUvarint(e.buf, n) }

func (e *wireEncoder) int(n int) { e.uint(uint64(n)) }

func (e *wireEncoder) string(s string) {
	e.int(len(s))
	e.buf = append(e.buf, s...)
}
