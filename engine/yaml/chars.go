package yaml

import (
	"encoding/binary"
	"unicode/utf8"

	"ucas/engine/diag"
	"ucas/engine/source"
)

// isOrdinary reports whether a byte is one that needs no closer look:
// printable ASCII, tab and line feed.
func isOrdinary(c byte) bool { return ' ' <= c && c <= '~' || c == '\n' || c == '\t' }

// ordinary returns the offset, from i on, of a byte that is not ordinary. It looks
// at eight bytes at once, each in its own lane of a word: lanes that may be
// less than a blank, or more than a tilde, get their highest bit set. A line
// feed in a lane is let pass.
func ordinary(text []byte, i int) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		low := x &^ highs
		control := ^(low + (0x80-' ')*ones)          // low < ' '
		feed := ^((low ^ '\n'*ones) + (0x80-1)*ones) // low == '\n'
		high := x | (low + (0x80-'~'-1)*ones)        // x > '~'
		if (control&^feed|high)&highs != 0 {
			break
		}
	}
	for i < len(text) && isOrdinary(text[i]) {
		i++
	}
	return i
}

// checkCharacters returns what is wrong with the characters of the text, one
// problem a line.
func (p *parser) checkCharacters() diag.List {
	text := p.file.Text
	var problems diag.List
	for i := ordinary(text, 0); i < len(text); i = ordinary(text, i) {
		r, size := utf8.DecodeRune(text[i:])
		if isFine(text, i, r, size) {
			i += size
			continue
		}
		problem := badCharacter(source.Span{File: p.file, Start: i, End: i + size}, r)
		problems = append(problems, problem)
		if len(problems) == maxProblems || isUTF16(text) {
			break
		}
		for i < len(text) && text[i] != '\n' {
			i++
		}
	}
	return problems
}

// isFine reports whether a character may stand where it does: a carriage
// return before a line feed, a byte order mark at the very start.
func isFine(text []byte, i int, r rune, size int) bool {
	switch {
	case r == '\r':
		return i+1 < len(text) && text[i+1] == '\n'
	case r == '\uFEFF':
		return i == 0
	case r == utf8.RuneError:
		return size > 1
	}
	return isPrintable(r)
}

// isPrintable reports whether a character may stand in a text as it is. The
// characters that end a line to YAML 1.1, but not to 1.2, may not.
func isPrintable(r rune) bool {
	switch {
	case r < 0x80:
		return isOrdinary(byte(r)) && r != '\n'
	case r < 0xA0: // C1 controls
		return false
	}
	return r != '\u2028' && r != '\u2029' && r != '\uFEFF' && r != '\uFFFE' && r != '\uFFFF'
}

// isUTF16 reports whether a text starts with UTF-16's byte order mark.
func isUTF16(text []byte) bool {
	return len(text) > 1 && (text[0] == 0xFE && text[1] == 0xFF || text[0] == 0xFF && text[1] == 0xFE)
}

// badCharacter says what is wrong with a character.
func badCharacter(at source.Span, r rune) *diag.Problem {
	switch {
	case isUTF16(at.File.Text):
		return diag.At(at, "the text is UTF-16, not UTF-8").WithHint("save the file as UTF-8")
	case r == utf8.RuneError:
		return diag.At(at, "byte %#02x is not part of a UTF-8 character", at.File.Text[at.Start]).
			WithHint("save the file as UTF-8")
	case r == '\r':
		return diag.At(at, "carriage return without a line feed").
			WithHint(`end lines with a line feed; in text write "\r"`)
	case r == '\uFEFF':
		return diag.At(at, "byte order mark inside the text").WithHint(`remove it; in text write "\uFEFF"`)
	}
	quoted := quote(string(r))
	if r == '\u0085' || r == '\u2028' || r == '\u2029' {
		return diag.At(at, "character %U ends a line to some readers of YAML and not to others", r).
			WithHint("remove it; in text write %s", quoted)
	}
	return diag.At(at, "control character %U", r).WithHint("remove it; in text write %s", quoted)
}
