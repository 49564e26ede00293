package script

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ucas/engine/diag"
	"ucas/engine/source"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// A unit is a file with what became of it.
type unit struct {
	file *source.File
	name string // the file name in its positions, which is unique
	tree *syntax.File

	globals starlark.StringDict    // once it was executed
	failure *failed                // or could not be
	hooks   map[string]source.Span // once they were looked for

	lines  []int                           // the offset of each line
	things map[syntax.Position]source.Span // what stands where a position points
}

// libraryPrefix is how the names of files begin that come with ucas.
const libraryPrefix = "@ucas//"

func (u *unit) isLibrary() bool { return strings.HasPrefix(u.name, libraryPrefix) }

// unit returns the unit of a file, the same for each file of that name and text.
func (l *Local) unit(file *source.File) *unit {
	name := file.Name
	for n := 1; ; n++ {
		u := l.units[name]
		if u == nil {
			u = &unit{file: file, name: name}
			l.units[name] = u
		}
		if u.file == file || bytes.Equal(u.file.Text, file.Text) {
			return u
		}
		name = file.Name + textMark + "file " + strconv.Itoa(n)
	}
}

// text is what the interpreter reads: without a byte order mark, which counts
// in no position.
func (u *unit) text() []byte { return u.file.Text[u.mark():] }

// mark returns how many bytes a byte order mark takes.
func (u *unit) mark() int {
	const bom = "\uFEFF"
	if bytes.HasPrefix(u.file.Text, []byte(bom)) {
		return len(bom)
	}
	return 0
}

// checkText returns what the interpreter would pass over: at a NUL it takes the
// file for read, and bytes that are no UTF-8 become another character.
func (u *unit) checkText() error {
	text := u.text()
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		at := source.Span{File: u.file, Start: u.mark() + i, End: u.mark() + i + size}
		switch {
		case r == 0:
			return diag.At(at, "a NUL character").WithHint("remove it; a file in UTF-16 must be saved as UTF-8")
		case r == utf8.RuneError && size == 1:
			return diag.At(at, "this is no UTF-8").WithHint("save the file as UTF-8")
		}
		i += size
	}
	return nil
}

// start is the place of the file as a whole.
func (u *unit) start() source.Span {
	return source.Span{File: u.file, Start: u.mark(), End: u.mark()}
}

// span returns what stands at a position of the interpreter, which points to
// a parenthesis for a call, to a dot, or to an operator.
func (u *unit) span(pos syntax.Position) source.Span {
	if u.things == nil {
		u.findThings()
	}
	if s, ok := u.things[plain(pos)]; ok {
		return s
	}
	return u.token(u.offset(pos))
}

// plain returns a position without its file, for comparison.
func plain(pos syntax.Position) syntax.Position {
	return syntax.MakePosition(nil, pos.Line, pos.Col)
}

// token returns the word, or else the character, at an offset.
func (u *unit) token(start int) source.Span {
	rest := u.file.Text[start:]
	end := bytes.IndexFunc(rest, func(r rune) bool { return !isWord(r) })
	if end < 0 {
		end = len(rest)
	}
	if end == 0 && len(rest) > 0 && rest[0] != '\n' && rest[0] != '\r' {
		_, end = utf8.DecodeRune(rest)
	}
	return source.Span{File: u.file, Start: start, End: start + end}
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// offset returns the offset of a position. Lines end as they do for the
// interpreter: a carriage return alone ends one, too.
func (u *unit) offset(pos syntax.Position) int {
	if u.lines == nil {
		u.findLines()
	}
	line := min(max(int(pos.Line), 1), len(u.lines))
	offset := u.lines[line-1]
	for col := int32(1); col < pos.Col && offset < len(u.file.Text); col++ {
		_, size := utf8.DecodeRune(u.file.Text[offset:])
		offset += size
	}
	return offset
}

func (u *unit) findLines() {
	text := u.file.Text
	u.lines = []int{u.mark()}
	for i, c := range text {
		if c == '\n' || c == '\r' && !bytes.HasPrefix(text[i+1:], []byte("\n")) {
			u.lines = append(u.lines, i+1)
		}
	}
}

// between returns the span of a piece of text.
func (u *unit) between(start, end syntax.Position) source.Span {
	s := source.Span{File: u.file, Start: u.offset(start), End: u.offset(end)}
	s.End = max(s.Start, s.End)
	return s
}

// of returns the span of a part of the program.
func (u *unit) of(n syntax.Node) source.Span {
	start, end := n.Span()
	return u.between(start, end)
}

// findThings notes what the positions of instructions mean.
func (u *unit) findThings() {
	u.things = make(map[syntax.Position]source.Span)
	if u.tree == nil {
		return
	}
	syntax.Walk(u.tree, func(n syntax.Node) bool {
		if n != nil {
			u.findThing(n)
		}
		return true
	})
}

func (u *unit) findThing(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.CallExpr:
		u.things[plain(n.Lparen)] = u.callee(n.Fn)
	case *syntax.DotExpr:
		u.things[plain(n.Dot)] = u.of(n.Name)
	case *syntax.IndexExpr:
		u.things[plain(n.Lbrack)] = u.bracket(n.Lbrack, n.Rbrack)
	case *syntax.SliceExpr:
		u.things[plain(n.Lbrack)] = u.bracket(n.Lbrack, n.Rbrack)
	case *syntax.BinaryExpr:
		u.things[plain(n.OpPos)] = u.operator(n.OpPos, n.Op)
	case *syntax.AssignStmt:
		u.things[plain(n.OpPos)] = u.operator(n.OpPos, n.Op)
	case *syntax.ForStmt:
		u.things[plain(n.For)] = u.of(n.X)
	case *syntax.ForClause:
		u.things[plain(n.For)] = u.of(n.X)
	case *syntax.DictEntry:
		u.things[plain(n.Colon)] = u.of(n.Key)
	case *syntax.LoadStmt:
		u.things[plain(n.Load)] = u.of(n.Module)
	case *syntax.DefStmt:
		u.things[plain(n.Def)] = u.of(n.Name)
	}
}

// callee returns the name of what is called: ctx.set, but only the last part
// where more than names stands before it.
func (u *unit) callee(fn syntax.Expr) source.Span {
	dot, ok := fn.(*syntax.DotExpr)
	if !ok {
		return u.of(fn)
	}
	if _, ok := dot.X.(*syntax.Ident); ok {
		return u.of(fn)
	}
	return u.of(dot.Name)
}

func (u *unit) bracket(left, right syntax.Position) source.Span {
	s := u.between(left, right)
	s.End = min(s.End+1, len(u.file.Text))
	return s
}

func (u *unit) operator(pos syntax.Position, op syntax.Token) source.Span {
	start := u.offset(pos)
	return source.Span{File: u.file, Start: start, End: min(start+len(op.String()), len(u.file.Text))}
}

// nameSpan returns where the top level of a file gives a name its value, or
// else the start of the file.
func (u *unit) nameSpan(name string) source.Span {
	if u.tree != nil {
		for _, stmt := range u.tree.Stmts {
			for _, id := range bound(stmt) {
				if id.Name == name {
					return u.of(id)
				}
			}
		}
	}
	if fn, ok := u.globals[name].(*starlark.Function); ok && fn.Position().Filename() == u.name {
		return u.span(fn.Position())
	}
	return u.start()
}

// definition returns the name in the def of a function that was called.
func (u *unit) definition(c call) source.Span {
	at := c.at
	syntax.Walk(u.tree, func(n syntax.Node) bool {
		def, ok := n.(*syntax.DefStmt)
		if ok && def.Name.Name == c.name && u.of(def).Start <= c.at.Start && c.at.End <= u.of(def).End {
			at = u.of(def.Name)
		}
		return true
	})
	return at
}

// bound returns the names that a statement sets, but for those within
// functions.
func bound(stmt syntax.Node) []*syntax.Ident {
	var ids []*syntax.Ident
	syntax.Walk(stmt, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DefStmt:
			ids = append(ids, n.Name)
			return false
		case *syntax.LambdaExpr, *syntax.Comprehension:
			return false
		case *syntax.AssignStmt:
			ids = append(ids, targets(n.LHS)...)
		case *syntax.ForStmt:
			ids = append(ids, targets(n.Vars)...)
		case *syntax.LoadStmt:
			ids = append(ids, n.To...)
		}
		return true
	})
	return ids
}

// targets returns the names on the left of an assignment.
func targets(lhs syntax.Expr) []*syntax.Ident {
	var ids []*syntax.Ident
	switch lhs := lhs.(type) {
	case *syntax.Ident:
		return []*syntax.Ident{lhs}
	case *syntax.ParenExpr:
		return targets(lhs.X)
	case *syntax.TupleExpr:
		for _, x := range lhs.List {
			ids = append(ids, targets(x)...)
		}
	case *syntax.ListExpr:
		for _, x := range lhs.List {
			ids = append(ids, targets(x)...)
		}
	}
	return ids
}
