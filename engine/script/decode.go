package script

import (
	"encoding/binary"

	"ucas/engine/diag"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// decode reads the message that lies in buf, without its header. Nothing in it
// points into buf afterwards. Only where the other side may send files, news is
// set.
func decode(buf []byte, files *fileTable, news bool) (*msg, error) {
	d := wireDecoder{buf: buf, files: files, news: news}
	m := d.message()
	if d.err == nil && len(d.buf) > 0 {
		d.err = errWire
	}
	return m, d.err
}

// A wireDecoder reads zero values after its first error.
type wireDecoder struct {
	buf   []byte
	files *fileTable
	news  bool
	err   error
}

func (d *wireDecoder) message() *msg {
	m := &msg{kind: msgKind(d.byte())}
	switch {
	case m.kind.isRequest():
		for range d.len() {
			m.environ = append(m.environ, d.string())
		}
	case m.kind.isOfChild():
		for range d.len() {
			m.asked = append(m.asked, d.question())
		}
	}
	switch m.kind {
	case msgHooks:
		m.call.File = d.file()
		m.call.For = d.string()
	case msgCall:
		m.call = d.call()
	case msgEval:
		m.text = d.file()
		m.call.File = d.file()
	case msgAnswer:
		m.answer.Value = d.node(0)
		m.answer.File = d.file()
	case msgQuestion:
		m.question = d.question()
	case msgPlaces:
		m.places = d.places()
	case msgValue:
		m.answer.Value = d.node(0)
	case msgPrinted:
		m.printed = d.string()
	case msgRefusal:
		m.problems = d.problems()
	case msgFailure:
		m.problems = d.problems()
		m.spent = d.bool()
	default:
		d.fail()
	}
	return m
}

func (d *wireDecoder) call() Call {
	c := Call{File: d.file(), Hook: d.string(), For: d.string(), ReadOnly: d.bool()}
	for range d.len() {
		c.Args = append(c.Args, d.node(0))
	}
	return c
}

func (d *wireDecoder) question() Question {
	q := Question{Op: Op(d.byte()), Name: d.string(), Value: d.node(0), At: d.span()}
	if q.Op >= numOps {
		d.fail()
	}
	return q
}

func (d *wireDecoder) places() map[string]source.Span {
	places := make(map[string]source.Span)
	for range d.len() {
		name := d.string()
		places[name] = d.span()
	}
	return places
}

func (d *wireDecoder) problems() diag.List {
	var list diag.List
	for range d.len() {
		p := &diag.Problem{Severity: diag.Severity(d.byte()), Secret: d.bool(), Span: d.span(), Message: d.string(), Hint: d.string()}
		if p.Severity > diag.Note {
			d.fail()
		}
		if cause := d.uint(); cause > 0 {
			p.Cause = worldError(cause)
		}
		for range d.len() {
			p.Others = append(p.Others, diag.Place{Span: d.span(), Text: d.string()})
		}
		if d.err != nil {
			return nil
		}
		list = append(list, p)
	}
	return list
}

func (d *wireDecoder) file() *source.File {
	n := d.uint()
	if n == 0 {
		return nil
	}
	if f := d.files.get(n); f != nil {
		return f
	}
	if !d.news || n != uint64(len(d.files.files))+1 {
		d.fail()
		return nil
	}
	f := source.NewFile(d.string(), []byte(d.string()))
	if d.err != nil {
		return nil
	}
	d.files.add(f)
	return f
}

func (d *wireDecoder) span() source.Span {
	f := d.file()
	if f == nil {
		return source.Span{}
	}
	return d.offsets(f)
}

func (d *wireDecoder) offsets(f *source.File) source.Span {
	s := source.Span{File: f, Start: d.int()}
	s.End = s.Start + d.int()
	if f == nil || !inside(s) {
		d.fail()
		return source.Span{}
	}
	return s
}

func (d *wireDecoder) node(depth int) *tree.Node {
	flags := d.byte()
	if flags == nodeNil {
		return nil
	}
	n := &tree.Node{Kind: tree.Kind(flags & nodeKind), Flow: flags&nodeFlow != 0, Quoted: flags&nodeQuoted != 0}
	if n.Kind > tree.Map || depth > maxNesting {
		d.fail()
		return nil
	}
	if flags&nodeKey != 0 {
		n.Key = d.string()
	}
	d.nodePlaces(n, flags)
	if n.IsScalar() {
		n.Text = d.string()
		return n
	}
	d.children(n, depth)
	return n
}

func (d *wireDecoder) nodePlaces(n *tree.Node, flags byte) {
	if flags&nodePlace != 0 {
		at := d.span()
		n.File, n.Start, n.End = at.File, uint32(at.Start), uint32(at.End)
	}
	if flags&nodeKeyPlace != 0 {
		at := d.offsets(n.File)
		n.KeyStart, n.KeyEnd = uint32(at.Start), uint32(at.End)
	}
	if flags&nodePlace != 0 && n.File == nil || flags&nodeKeyPlace != 0 && n.KeyEnd == 0 {
		d.fail()
	}
}

func (d *wireDecoder) children(n *tree.Node, depth int) {
	link := &n.First
	for range d.len() {
		c := d.node(depth + 1)
		if c == nil {
			d.fail()
			return
		}
		*link = c
		link = &c.Next
		n.Len++
	}
}

func (d *wireDecoder) fail() {
	d.err = errWire
	d.buf = nil
}

func (d *wireDecoder) byte() byte {
	if len(d.buf) == 0 {
		d.fail()
		return 0
	}
	b := d.buf[0]
	d.buf = d.buf[1:]
	return b
}

func (d *wireDecoder) bool() bool { return d.byte() != 0 }

func (d *wireDecoder) uint() uint64 {
	n, size := binary.Uvarint(d.buf)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.buf = d.buf[size:]
	return n
}

// int reads a number that no offset in a message exceeds.
func (d *wireDecoder) int() int {
	n := d.uint()
	if n > maxToChild {
		d.fail()
		return 0
	}
	return int(n)
}

// len reads the length of a text or list, each part of which has a byte.
func (d *wireDecoder) len() int {
	n := d.int()
	if n > len(d.buf) {
		d.fail()
		return 0
	}
	return n
}

func (d *wireDecoder) string() string {
	n := d.len()
	s := string(d.buf[:n])
	d.buf = d.buf[n:]
	return s
}
