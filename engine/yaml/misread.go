package yaml

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"ucas/engine/tree"
)

// disputedValue refuses a plain scalar that readers disagree about.
func (p *parser) disputedValue(t *token) {
	what, instead := explain(t.text)
	problem := p.report(t.start, t.end, "%s is %s", short(t.text), what)
	if instead == "" {
		problem.WithHint("write it in quotes: %s", quote(short(t.text)))
		return
	}
	problem.WithHint("write %s, or %s if the text is meant", instead, quote(short(t.text)))
}

// keyNoText refuses a plain key that is no text to YAML.
func (p *parser) keyNoText(t *token) {
	what := "no text"
	if kind := resolve(t.text); kind != disputed {
		what = article(kind)
	} else if word(t.text) == disputed {
		what, _ = explainWord(t.text)
	}
	p.report(t.start, t.end, "key %s is %s to YAML, and keys are text", short(t.text), what).
		WithHint("write %s:", quote(short(t.text)))
}

// article returns the name of a kind with its article.
func article(kind tree.Kind) string {
	if kind == tree.Int {
		return "an integer"
	}
	return "a " + kind.String()
}

// explain says what is wrong with a disputed scalar, and what to write if
// not the text itself is meant.
func explain(s string) (what, instead string) {
	const other = "a number that is not written as every reader of YAML writes it"
	sign, body := "", strings.ReplaceAll(unsigned(s), "_", "")
	if s[0] == '-' {
		sign = "-"
	}
	switch formOf(s) {
	case radix:
		if n, err := strconv.ParseUint(body, 0, 63); err == nil {
			instead = sign + strconv.FormatUint(n, 10)
		}
		return "no decimal number", instead
	case exponential:
		if tooLarge(s) {
			return "a number that does not fit 64 bits", ""
		}
		return other, canonical(sign, body)
	case infinite:
		return "no number that a configuration can use", ""
	case base60:
		return "a number in base 60 to some readers of YAML and text to others", ""
	case timed:
		return "a date to some readers of YAML and text to others", ""
	}
	what, instead = explainWord(s)
	return what + " to some readers of YAML and text to others", instead
}

// explainWord is explain for words.
func explainWord(s string) (what, instead string) {
	switch strings.ToLower(s) {
	case "<<":
		return "the merge key", ""
	case "=":
		return "the default key", ""
	case "null":
		return "a null", "null"
	case "true", "yes", "on", "y":
		return "a boolean", "true"
	}
	return "a boolean", "false"
}

// canonical returns a number as every reader writes it, or "" if that is
// longer than a hint should be.
func canonical(sign, body string) string {
	const longest = 25 // characters
	digits := strings.TrimLeft(body, "0")
	if !isDigits(body) {
		f, _ := strconv.ParseFloat(body, 64) // its form and its size were looked at
		digits = strconv.FormatFloat(f, 'f', -1, 64)
		if strings.Contains(body, ".") && !strings.Contains(digits, ".") {
			digits += ".0"
		}
	}
	switch {
	case digits == "":
		return "0"
	case len(digits) > longest:
		return ""
	}
	return sign + digits
}

// badEscape refuses an escape that YAML does not have.
func (p *parser) badEscape(start int) {
	if isBreak(p.peek(start + 1)) {
		p.report(start, start+1, "text in quotes over several lines").
			WithHint(`write it in one line; "\n" is a line break`)
		return
	}
	_, size := utf8.DecodeRuneInString(p.text[start+1:])
	size++
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[p.text[start+1]]
	for i := 0; i < digits && digitValue(p.peek(start+size)) < 16; i++ {
		size++
	}
	problem := p.report(start, start+size, "%s is no escape", p.text[start:start+size])
	switch {
	case digits > 0 && size == 2+digits:
		problem.Message += ": it stands for no character"
		problem.WithHint(`write the character itself, or its own number: "\U0001F600"`)
	case digits > 0:
		problem.Message += fmt.Sprintf(": \\%c needs %d hexadecimal digits", p.text[start+1], digits)
		problem.WithHint(`write them all, or \\ for a backslash`)
	default:
		problem.WithHint(`write \\ for a backslash, or use single quotes, in which nothing is an escape`)
	}
}

// openQuote refuses a text in quotes that its line does not close.
func (p *parser) openQuote(start int) {
	p.pos = start
	line := p.rest()
	quote := line[:1]
	p.report(start, start+len(line), "text in quotes has no %s at its end", quote).
		WithHint("close it in the same line: %s%s", short(line), quote)
}

// badStart refuses what stands where a value or a key was expected and
// cannot start one.
func (p *parser) badStart(in context) {
	if p.peek(p.pos) == '\t' {
		p.tab()
		return
	}
	end := p.pos + 1
	for !isGap(p.peek(end)) && !(in == flowContext && isBracket(p.peek(end))) {
		end++
	}
	word := p.text[p.pos:min(end, len(p.text))]
	problem := p.report(p.pos, p.pos+len(word), "")
	problem.Message, problem.Hint = explainStart(word, in)
	if problem.Hint == "" {
		word = strings.TrimRight(word[:plainEnd(word, 1, in)], " ")
		problem.WithHint("write it in quotes: %s", short(quote(word)))
	}
}

// explainStart says why no plain scalar starts as a word does, and what to
// do about it unless quotes are all it needs.
func explainStart(word string, in context) (message, hint string) {
	switch word[0] {
	case '|', '>':
		return "text blocks are not supported",
			"keep long text in PROMPT.md, or write it in one line in quotes; \"\\n\" is a line break"
	case '&':
		return "anchors are not supported", "write the value out in each place, and remove " + short(word)
	case '*':
		return "aliases are not supported", "write the value out, or in quotes if the text is meant: " + short(quote(word))
	case '!':
		return "tags are not supported", "remove " + short(word) + "; quotes make a text of any value"
	case ',':
		return "a value is missing before the comma", "write the value, or remove the comma"
	case ']', '}':
		return fmt.Sprintf("%c without its opening bracket", word[0]), "remove it, or write the text in quotes"
	case ':':
		if in == blockContext {
			return "a key is missing before the colon", `write key: value; an empty key is written ""`
		}
	case '?':
		if word == "?" {
			return "keys after a question mark are not supported",
				`write key: value in one line; a question mark alone is written "?"`
		}
	}
	return fmt.Sprintf("a value without quotes cannot start with %c", word[0]), ""
}
