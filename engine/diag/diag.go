// Package diag is how ucas says what is wrong: a [Problem] has a place, a
// message, a hint that names the way out, and other places that matter.
//
// Stages return a [Problem] or a [List] as their error; [Print] writes them
// as people read them, the line and a caret included. [Nearest] finds the
// names that a mistyped one may have meant.
package diag

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"ucas/engine/source"
)

// Severity says whether a problem stops the work.
type Severity uint8

// The severities. The zero value stops the work.
const (
	Error Severity = iota
	Warning
	Note
)

var severityNames = [...]string{"error", "warning", "note"}

// String returns the word that is printed.
func (s Severity) String() string { return severityNames[s] }

// A Problem is one thing that is wrong, or worth a warning.
type Problem struct {
	Severity Severity
	// Span is where; it may be zero.
	Span source.Span
	// Message says what is wrong: lower case, no full stop.
	Message string
	// Hint is an action: the corrected line, the command to run. It may be
	// empty, and may have several lines.
	Hint string
	// Others are further places that matter, each with a word about it.
	Others []Place
	// Secret says that the line holds what is not for reports: it is not shown.
	Secret bool
	// Cause is what the operating system or a library said, if anything.
	Cause error
}

// A Place is a span with a word about it.
type Place struct {
	Span source.Span
	Text string
}

// At returns an error at the given place. Arguments that are text are escaped,
// see [Escape]: what a file says cannot make a line of its own in a message.
func At(span source.Span, format string, args ...any) *Problem {
	return &Problem{Span: span, Message: sprintf(format, args)}
}

// Errorf returns an error that has no place in a file.
func Errorf(format string, args ...any) *Problem {
	return At(source.Span{}, format, args...)
}

// Warn returns a warning at the given place.
func Warn(span source.Span, format string, args ...any) *Problem {
	p := At(span, format, args...)
	p.Severity = Warning
	return p
}

// WithHint sets the hint and returns the problem.
func (p *Problem) WithHint(format string, args ...any) *Problem {
	p.Hint = sprintf(format, args)
	return p
}

// WithPlace adds another place and returns the problem.
func (p *Problem) WithPlace(span source.Span, format string, args ...any) *Problem {
	p.Others = append(p.Others, Place{span, sprintf(format, args)})
	return p
}

// WithCause sets the cause and returns the problem.
func (p *Problem) WithCause(err error) *Problem {
	p.Cause = err
	return p
}

// Error returns the problem in one line, without its hint.
func (p *Problem) Error() string {
	if p.Span.IsZero() {
		return p.Message
	}
	return p.Span.Position().String() + ": " + p.Message
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Cause }

// A List is several problems; as an error it reads as its first.
type List []*Problem

// Error returns the first problem and how many more there are.
func (l List) Error() string {
	switch len(l) {
	case 0:
		return "no problems"
	case 1:
		return l[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", l[0].Error(), len(l)-1)
}

// Unwrap returns the problems one by one.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, p := range l {
		errs[i] = p
	}
	return errs
}

// Err returns the list as an error, or nil if it holds no error: warnings
// alone stop nothing.
func (l List) Err() error {
	for _, p := range l {
		if p.Severity == Error {
			return l
		}
	}
	return nil
}

// All returns the problems that an error consists of. An error of another
// kind becomes a Problem without a place.
func All(err error) List {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all List
		for _, e := range joined.Unwrap() {
			all = append(all, All(e)...)
		}
		return all
	}
	var list List
	if errors.As(err, &list) {
		return list
	}
	var p *Problem
	if errors.As(err, &p) {
		return List{p}
	}
	return List{{Message: err.Error(), Cause: err}}
}

// Print writes problems as people read them:
//
//	.ucas/ucas.yaml:12:5: unknown key "modle"
//	  12 |     modle: opus
//	     |     ^^^^^
//	hint: did you mean "model"?
//
// Errors carry no word of their severity where they have a place; warnings
// and notes always do. What comes from files is escaped, see [Escape].
func Print(w io.Writer, problems ...*Problem) error {
	if len(problems) == 0 {
		return nil
	}
	var b strings.Builder
	for _, p := range problems {
		p.print(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Problem) print(b *strings.Builder) {
	if !p.Span.IsZero() {
		b.WriteString(Escape(p.Span.Position().String()))
		b.WriteString(": ")
	}
	if p.Severity != Error || p.Span.IsZero() {
		b.WriteString(p.Severity.String())
		b.WriteString(": ")
	}
	b.WriteString(EscapeLines(p.Message))
	b.WriteByte('\n')
	if !p.Secret {
		excerpt(b, p.Span)
	}
	for _, o := range p.Others {
		if !o.Span.IsZero() {
			b.WriteString(Escape(o.Span.Position().String()))
			b.WriteString(": ")
		}
		b.WriteString(EscapeLines(o.Text))
		b.WriteByte('\n')
		excerpt(b, o.Span)
	}
	for i, line := range strings.Split(p.Hint, "\n") {
		switch {
		case i > 0:
			b.WriteString("      ")
		case line == "":
			return
		default:
			b.WriteString("hint: ")
		}
		b.WriteString(Escape(line))
		b.WriteByte('\n')
	}
}

// maxExcerpt is the widest piece of a line that is shown, in characters: a
// line of a minified file would otherwise fill the screen.
const maxExcerpt = 100

// excerpt writes the line that a span starts in, and carets under the span.
func excerpt(b *strings.Builder, span source.Span) {
	if span.IsZero() || len(span.File.Text) == 0 {
		return
	}
	pos := span.Position()
	line := []rune(strings.ToValidUTF8(hideSecret(span.File.Line(span.Start), pos.Column), "\uFFFD"))
	from := min(pos.Column-1, len(line))
	carets := max(1, utf8.RuneCountInString(firstLine(span.Text())))
	cut := max(0, min(from-maxExcerpt/2, len(line)-maxExcerpt))
	shown := slices.Clone(line[cut:min(len(line), cut+maxExcerpt)])
	if cut > 0 {
		shown[0] = '…'
	}
	if cut+len(shown) < len(line) {
		shown[len(shown)-1] = '…'
	}
	carets = max(1, min(carets, cut+len(shown)-from))

	gutter := fmt.Sprint(pos.Line)
	fmt.Fprintf(b, "  %s | %s\n", gutter, Escape(string(shown)))
	fmt.Fprintf(b, "  %*s | %s%s\n", len(gutter), "", pad(shown[:from-cut]), strings.Repeat("^", carets))
}

// pad returns blanks as wide as the text is when it is printed.
func pad(text []rune) string {
	return strings.Repeat(" ", utf8.RuneCountInString(Escape(string(text))))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "\r")
}
