package diag

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape returns text that cannot drive a terminal: control characters,
// invisible and direction-changing ones and invalid bytes are written as
// escapes (\n, \x1b, \u202e); a tab becomes a blank. Everything else is kept.
func Escape(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\t':
			b.WriteByte(' ')
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case unicode.IsGraphic(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += size
	}
	return b.String()
}

// EscapeLines is Escape for text of our own making that may have several
// lines: line breaks stay.
func EscapeLines(s string) string {
	if isPlain(s) {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Escape(line)
	}
	return strings.Join(lines, "\n")
}

// sprintf is fmt.Sprintf with textual arguments escaped.
func sprintf(format string, args []any) string {
	safe := make([]any, len(args))
	for i, arg := range args {
		switch a := arg.(type) {
		case Lines:
			safe[i] = EscapeLines(string(a))
		case string:
			safe[i] = safeText(a)
		case error:
			safe[i] = safeText(a.Error())
		case fmt.Stringer:
			safe[i] = safeText(a.String())
		default:
			safe[i] = arg
		}
	}
	return fmt.Sprintf(format, safe...)
}

// Lines is an argument for a message or a hint that may have several lines,
// because we made them: no text of a file with its line breaks.
type Lines string

// safeText is escaped when it is printed, but for %q, which escapes by itself.
type safeText string

// Format implements fmt.Formatter.
func (s safeText) Format(f fmt.State, verb rune) {
	text := Escape(string(s))
	if verb == 'q' {
		text = strconv.Quote(string(s))
	}
	io.WriteString(f, text)
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
