package yaml

import (
	"strings"
	"unicode/utf8"
)

// A token is a scalar in the text. Start and end enclose it with its quotes.
type token struct {
	text       string
	start, end int
	quoted     bool
}

// A context is where a plain scalar stands: brackets end it sooner.
type context bool

const (
	blockContext context = false
	flowContext  context = true
)

// scalar reads the scalar at pos into t, and reports whether there is one;
// if not, the problem was reported.
func (p *parser) scalar(t *token, in context) bool {
	switch p.peek(p.pos) {
	case '"':
		return p.double(t)
	case '\'':
		return p.single(t)
	}
	return p.plain(t, in)
}

// plain reads a plain scalar.
func (p *parser) plain(t *token, in context) bool {
	start := p.pos
	if !startsPlain(p.text[start:], in) {
		p.badStart(in)
		return false
	}
	end := plainEnd(p.text, start, in)
	p.pos = end
	if p.peek(end) == '\t' {
		p.tab()
		return false
	}
	for p.text[end-1] == ' ' {
		end--
	}
	*t = token{text: p.text[start:end], start: start, end: end}
	return true
}

// quoted makes t the text in quotes that starts at start and ends before pos.
func (p *parser) quoted(t *token, start int, text string) bool {
	*t = token{text: text, start: start, end: p.pos, quoted: true}
	return true
}

// startsPlain reports whether a plain scalar can start as the text does.
func startsPlain(s string, in context) bool {
	if s == "" || isGap(s[0]) {
		return false
	}
	switch s[0] {
	default:
		return true
	case ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return false
	case '?', ':':
		return in == blockContext && len(s) > 1 && !isGap(s[1])
	case '-':
		return len(s) > 1 && !isGap(s[1]) && !(in == flowContext && isBracket(s[1]))
	}
}

// isBracket reports whether a byte has a meaning inside brackets.
func isBracket(c byte) bool {
	return c == ',' || c == '[' || c == ']' || c == '{' || c == '}'
}

// mayEndPlain has the bytes that can end a plain scalar.
var mayEndPlain = [256]bool{
	'\n': true, '\r': true, '\t': true, ':': true, '#': true,
	',': true, '[': true, ']': true, '{': true, '}': true, '?': true,
}

// plainEnd returns where the plain scalar that starts at i ends, the blanks
// behind it included. A question mark in brackets ends it too: YAML 1.2 takes
// it for text, but libyaml and all that come from it do not.
func plainEnd(s string, i int, in context) int {
	for ; i < len(s); i++ {
		if c := s[i]; mayEndPlain[c] && endsPlain(s, i, in) {
			return i
		}
	}
	return len(s)
}

func endsPlain(s string, i int, in context) bool {
	switch s[i] {
	case ':':
		return i+1 == len(s) || isGap(s[i+1]) || in == flowContext && isBracket(s[i+1])
	case '#':
		return s[i-1] == ' '
	case '\n', '\r', '\t':
		return true
	}
	return in == flowContext
}

// single reads a scalar in single quotes, in which two quotes mean one.
func (p *parser) single(t *token) bool {
	start := p.pos
	doubled := false
	for i := start + 1; !isBreak(p.peek(i)); i++ {
		if p.text[i] != '\'' {
			continue
		}
		if p.peek(i+1) == '\'' {
			doubled = true
			i++
			continue
		}
		p.pos = i + 1
		text := p.text[start+1 : i]
		if doubled {
			text = strings.ReplaceAll(text, "''", "'")
		}
		return p.quoted(t, start, text)
	}
	p.openQuote(start)
	return false
}

// double reads a scalar in double quotes.
func (p *parser) double(t *token) bool {
	start := p.pos
	for i := start + 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '"':
			p.pos = i + 1
			return p.quoted(t, start, p.text[start+1:i])
		case c == '\\':
			return p.escaped(t, start, i)
		case isBreak(c):
			p.openQuote(start)
			return false
		}
	}
	p.openQuote(start)
	return false
}

// escaped reads the rest of a scalar in double quotes from its first escape
// on. What it means goes to the end of p.decoded, which keeps all such texts
// in one piece of memory.
func (p *parser) escaped(t *token, start, i int) bool {
	if p.decoded.Cap() == 0 {
		p.decoded.Grow(min(len(p.text)-start, 1024))
	}
	from := p.decoded.Len()
	p.decoded.WriteString(p.text[start+1 : i])
	for !isBreak(p.peek(i)) {
		switch c := p.text[i]; c {
		case '"':
			p.pos = i + 1
			return p.quoted(t, start, p.decoded.String()[from:])
		case '\\':
			r, size := unescape(p.text[i:])
			if size == 0 {
				p.badEscape(i)
				return false
			}
			p.decoded.WriteRune(r)
			i += size
		default:
			p.decoded.WriteByte(c)
			i++
		}
	}
	p.openQuote(start)
	return false
}

// escapes has what a backslash and a character mean, and the other way round
// what to write for a character (quote).
var escapes = [...]struct {
	letter byte
	means  rune
}{
	{'0', 0}, {'a', '\a'}, {'b', '\b'}, {'t', '\t'}, {'n', '\n'}, {'v', '\v'}, {'f', '\f'},
	{'r', '\r'}, {'e', '\x1b'}, {'"', '"'}, {'\\', '\\'}, {'N', '\u0085'}, {'_', '\u00a0'},
	{'L', '\u2028'}, {'P', '\u2029'}, {' ', ' '}, {'/', '/'},
}

// unescape returns the character that the escape at the start of s means,
// and the length of the escape: 0 if there is no such escape.
func unescape(s string) (r rune, size int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch s[1] {
	case 'x':
		return unhex(s, 2)
	case 'u':
		return unhex(s, 4)
	case 'U':
		return unhex(s, 8)
	}
	for _, e := range escapes {
		if e.letter == s[1] {
			return e.means, 2
		}
	}
	return 0, 0
}

// unhex is unescape for an escape that has a number of hexadecimal digits.
func unhex(s string, digits int) (r rune, size int) {
	size = 2 + digits
	if len(s) < size {
		return 0, 0
	}
	var n uint32
	for _, c := range []byte(s[2:size]) {
		switch {
		case isDigit(c):
			n = n<<4 | uint32(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			n = n<<4 | uint32(c|0x20-'a'+10)
		default:
			return 0, 0
		}
	}
	if n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return 0, 0
	}
	return rune(n), size
}
