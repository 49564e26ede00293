package script

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ucas/engine/diag"
	"ucas/engine/source"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Limits of what is told.
const (
	maxProblems = 10   // of a file
	maxPlaces   = 6    // that a problem shows beside its own
	maxMessage  = 2000 // bytes: a hook can make fail() say anything
)

// failed is an error that was explained.
type failed struct {
	problems diag.List
	limit    int32 // that was reached, or 0
}

func (f *failed) Error() string { return f.problems.Error() }

// refused is an error of what a function of the hook asked for.
type refused struct {
	by  string // the function, "" if the message names it
	err error
}

func (r *refused) Error() string { return r.problem().Message }

// problem returns what the world said, with the function that asked.
func (r *refused) problem() *diag.Problem {
	var p *diag.Problem
	if !errors.As(r.err, &p) {
		p = diag.Errorf("%s", r.err).WithCause(r.err)
	}
	c := *p
	if r.by != "" {
		c.Message = diag.Escape(r.by) + ": " + c.Message
	}
	return &c
}

// broken is a panic of the interpreter.
type broken struct{ value any }

func (b *broken) Error() string { return fmt.Sprintf("the interpreter failed: %v", b.value) }

// explain returns an error of the interpreter, of the world or of ours as
// people read it. Only calls above the base depth are shown.
func (l *Local) explain(err error, base int) *failed {
	var f *failed
	var parse syntax.Error
	var static resolve.ErrorList
	var eval *starlark.EvalError
	var refusal *refused
	var b *broken
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &parse):
		return &failed{problems: diag.List{l.staticProblem(parse.Pos, parse.Msg)}}
	case errors.As(err, &static):
		return &failed{problems: l.staticProblems(static)}
	case errors.As(err, &eval):
		return l.evalFailure(eval, base)
	case errors.As(err, &refusal):
		return &failed{problems: diag.List{refusal.problem()}}
	case errors.As(err, &b):
		p := diag.At(l.lastPlace(), "%s", b).WithHint("a value here is too large, or out of range")
		return &failed{problems: diag.List{p}}
	}
	return &failed{problems: slices.Clone(diag.All(err))}
}

// named returns the problems with who had them. Those that have no place get
// that of the run.
func (f *failed) named(r *run) error {
	list := make(diag.List, len(f.problems))
	for i, p := range f.problems {
		c := *p
		if r.who != "" {
			c.Message = diag.Escape(r.who) + ": " + c.Message
		}
		if c.Span.IsZero() {
			c.Span = r.at
		}
		list[i] = &c
	}
	if len(list) == 1 {
		return list[0]
	}
	return list
}

// lastPlace returns where evaluation was seen last, or else where it began.
func (l *Local) lastPlace() source.Span {
	traced := l.current.traced
	if u := l.units[traced.file]; u != nil && traced.line > 0 {
		start := u.offset(syntax.MakePosition(nil, int32(traced.line), 1))
		line := u.file.Line(start)
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		return source.Span{File: u.file, Start: start + indent, End: start + len(line)}
	}
	return l.current.at
}

// staticProblems explains what is wrong with names, in the order of the text.
func (l *Local) staticProblems(errs resolve.ErrorList) diag.List {
	var list diag.List
	for _, e := range errs {
		list = append(list, l.staticProblem(e.Pos, e.Msg))
	}
	inOrder(list)
	return list[:min(len(list), maxProblems)]
}

func inOrder(list diag.List) {
	slices.SortStableFunc(list, func(a, b *diag.Problem) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
}

// staticProblem explains what is wrong with a text before it is executed.
func (l *Local) staticProblem(pos syntax.Position, text string) *diag.Problem {
	u := l.units[pos.Filename()]
	if u == nil {
		return diag.Errorf("%s", text)
	}
	if text == "not an identifier" {
		text = "got " + u.lastRead(u.offset(pos)) + ", want identifier"
	}
	at := u.faulty(pos, text)
	if word := at.File.Text[at.Start:at.End]; len(word) > 0 && word[0] >= '0' && word[0] <= '9' {
		text = strings.Replace(text, "got identifier,", "got digits with letters,", 1)
	}
	return u.withFirst(advised(at, text), text)
}

// lastRead returns what ends at an offset, as the parser would name it.
func (u *unit) lastRead(end int) string {
	read := string(u.file.Text[u.mark():end])
	r, size := utf8.DecodeLastRuneInString(read)
	switch {
	case isWord(r):
		return read[len(strings.TrimRightFunc(read, isWord)):]
	case r == '\n' || r == '\r' || size == 0:
		return "newline"
	case end == len(u.file.Text):
		return "end of file"
	}
	return "'" + string(r) + "'"
}

// withFirst adds the first place to the problem of a name that is set twice.
func (u *unit) withFirst(p *diag.Problem, text string) *diag.Problem {
	_, place, ok := strings.Cut(text, " declared at ")
	parts := strings.Split(place, ":")
	if n := len(parts); ok && n > 2 {
		line, _ := strconv.Atoi(parts[n-2])
		col, _ := strconv.Atoi(parts[n-1])
		p.WithPlace(u.span(syntax.MakePosition(nil, int32(line), int32(col))), "it is set here first")
	}
	return p
}

// faulty returns the text that a syntax error is about. The parser notices
// most of them when it has read one word too many, and says the place behind
// that word.
func (u *unit) faulty(pos syntax.Position, text string) source.Span {
	at := u.offset(pos)
	got, want, ok := strings.Cut(strings.TrimPrefix(text, "got "), ", want ")
	if !ok || got == text {
		return u.token(at)
	}
	got = strings.Trim(got, "'")
	read := u.file.Text[:at]
	start := at - len(got)
	switch {
	case got == "newline" || got == "end of file":
		return u.endOf(read)
	case want == "primary expression" || got == "indent" || got == "outdent":
		return u.token(at)
	case strings.HasSuffix(got, " literal") || got == "identifier":
		start = startOfWord(string(read))
	}
	if start < u.mark() {
		return u.token(at)
	}
	return source.Span{File: u.file, Start: start, End: at}
}

// endOf returns the end of what was read, without white space.
func (u *unit) endOf(read []byte) source.Span {
	end := max(u.mark(), len(strings.TrimRight(string(read), " \t\r\n")))
	return source.Span{File: u.file, Start: end, End: end}
}

// startOfWord returns where the string in quotes or the word at the end of a
// text begins.
func startOfWord(text string) int {
	last := len(text) - 1
	if last >= 0 && (text[last] == '"' || text[last] == '\'') {
		return max(0, strings.LastIndexByte(text[:last], text[last]))
	}
	return len(strings.TrimRightFunc(text, func(r rune) bool { return isWord(r) || r == '.' }))
}

// evalFailure explains an error that came up while a hook was running.
func (l *Local) evalFailure(err *starlark.EvalError, base int) *failed {
	e := deepest(err)
	calls := l.calls(e.CallStack[min(base, len(e.CallStack)):])
	f := &failed{limit: l.current.limit(e)}
	var refusal *refused
	var p *diag.Problem
	switch {
	case f.limit != 0:
		p = l.limitReached(f.limit, source.Span{})
	case errors.As(err, &refusal):
		p = refusal.problem()
		if a, said, ok := firstAdvice(source.Span{}, p.Message); ok && strings.HasPrefix(p.Message, "load: ") {
			p.WithHint("%s", fill(a.hint, said))
		}
	default:
		p = advised(calls.place(), message(e))
		p.Span = source.Span{}
		calls = calls.ofCaller(p, e.Msg)
	}
	f.problems = diag.List{calls.show(p)}
	return f
}

// deepest returns the error at the bottom of a chain: its calls are the whole
// way to where it came up.
func deepest(err *starlark.EvalError) *starlark.EvalError {
	for {
		var inner *starlark.EvalError
		if cause := err.Unwrap(); cause == nil || !errors.As(cause, &inner) {
			return err
		}
		err = inner
	}
}

// limit returns the limit that an error tells of, or 0.
func (r *run) limit(err *starlark.EvalError) int32 {
	if strings.HasPrefix(err.Msg, "Starlark computation cancelled: ") {
		return r.over.Load()
	}
	return 0
}

// message returns what an error says, with the function of the language that
// it came up in.
func message(err *starlark.EvalError) string {
	text, isFail := strings.CutPrefix(err.Msg, "fail: ")
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	if isFail || len(err.CallStack) == 0 {
		return text
	}
	top := err.CallStack.At(0)
	if top.Pos.Line == 0 && !strings.HasPrefix(text, top.Name+": ") && !strings.HasPrefix(text, top.Name+" ") {
		return top.Name + ": " + text
	}
	return text
}

// A call is a call of a function of a file, at where it was executing.
type call struct {
	name string
	at   source.Span
	unit *unit
}

// calls are those that were open, the innermost first.
type calls []call

func (l *Local) calls(stack starlark.CallStack) calls {
	var cs calls
	for _, frame := range slices.Backward(stack) {
		if u := l.units[frame.Pos.Filename()]; u != nil {
			cs = append(cs, call{frame.Name, u.span(frame.Pos), u})
		}
	}
	return cs
}

// ofCaller returns the calls for a problem with how a function was called:
// its place is the caller's.
func (cs calls) ofCaller(p *diag.Problem, text string) calls {
	if !strings.HasPrefix(text, "function ") || len(cs) < 2 {
		return cs
	}
	if !strings.HasSuffix(text, " called recursively") {
		p.WithPlace(cs[0].unit.definition(cs[0]), "%s is defined here", cs[0].name)
	}
	return cs[1:]
}

// place returns the innermost place.
func (cs calls) place() source.Span {
	if len(cs) == 0 {
		return source.Span{}
	}
	return cs[0].at
}

// show returns a problem at the innermost call of a layer's file, with the
// others: what comes up inside of the library is mostly how that was called. A
// place that the problem had is one of the others then.
func (cs calls) show(p *diag.Problem) *diag.Problem {
	if len(cs) == 0 {
		return p
	}
	others := slices.Clone(p.Others)
	if !p.Span.IsZero() && !slices.ContainsFunc(cs, func(c call) bool { return c.at == p.Span }) {
		others = slices.Insert(others, 0, diag.Place{Span: p.Span, Text: "it is about this"})
	}
	first := max(0, slices.IndexFunc(cs, func(c call) bool { return !c.unit.isLibrary() }))
	if first > 0 {
		others = append(others, diag.Place{Span: cs[0].at, Text: "it came up here, in " + cs[0].name})
	}
	for _, c := range cs[first+1 : max(first+1, min(len(cs), maxPlaces+1))] {
		text := "called from here"
		if !strings.HasPrefix(c.name, "<") { // <toplevel>
			text += ", in " + c.name
		}
		others = append(others, diag.Place{Span: c.at, Text: text})
	}
	p.Span, p.Others = cs[first].at, others
	return p
}
