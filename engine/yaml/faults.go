package yaml

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ucas/engine/diag"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// This file has every problem of structure in the words that people read;
// what is wrong with scalars is in misread.go, with characters in chars.go.

// report notes a problem; whoever calls it adds the hint. A second one in a
// line is not told: it is likely to follow from the first. One too many ends
// the parse.
func (p *parser) report(start, end int, format string, args ...any) *diag.Problem {
	problem := diag.At(source.Span{File: p.file, Start: start, End: end}, format, args...)
	if p.fault >= 0 && p.lineOf(p.fault) == p.lineOf(start) {
		return problem
	}
	if len(p.problems) == maxProblems {
		panic(tooMany{})
	}
	p.fault = start
	p.problems = append(p.problems, problem)
	return problem
}

// faultyBefore reports whether the line with content before this one has a
// problem: what is odd about this one may come from that.
func (p *parser) faultyBefore() bool { return p.fault >= p.before }

// short returns a text as messages show it: its beginning if it is long.
func short(s string) string {
	const longest = 40 // characters: a line of a message has room for it
	if utf8.RuneCountInString(s) <= longest {
		return s
	}
	return string([]rune(s)[:longest-1]) + "…"
}

// rest returns what is left of the current line, without blanks around it.
func (p *parser) rest() string { return p.restFrom(p.pos) }

// restFrom is rest from another offset on.
func (p *parser) restFrom(start int) string {
	end := start
	for !isBreak(p.peek(end)) {
		end++
	}
	return strings.Trim(p.text[start:end], " \t")
}

func (p *parser) tooLarge() {
	p.report(0, 0, "the text has %d bytes, more than the limit of %d", len(p.file.Text), maxSize).
		WithHint("a configuration is small: keep data in a file of its own and name that file here")
}

func (p *parser) noMapping(n *tree.Node) {
	start := int(n.Start)
	problem := p.report(start, min(int(n.End), start+len(p.restFrom(start))), "the text is %s, not a mapping", article(n.Kind)).
		WithHint("write keys with values, each in a line: key: value")
	if key, value, found := strings.Cut(n.Text, ":"); found && !n.Quoted {
		problem.WithHint("write %s: %s", short(key), short(value))
	}
}

func (p *parser) tooDeep(start int) {
	p.report(start, start+1, "more than %d levels of nesting", maxDepth).
		WithHint("name the inner values in mappings of their own")
}

// Lines and columns.

func (p *parser) tabInIndentation(start int) {
	if p.quiet {
		return
	}
	p.tabs = true
	end := p.pos
	for p.peek(end) == '\t' || p.peek(end) == ' ' {
		end++
	}
	problem := p.report(p.pos, end, "tab in the indentation")
	if line := p.restFrom(end); line == "" {
		problem.WithHint("remove it: the line is blank")
	} else {
		problem.WithHint("indent with spaces: %s%s", strings.Repeat(" ", p.pos-start+indentation), short(line))
	}
}

func (p *parser) tab() {
	p.report(p.pos, p.pos+1, "tab outside of quotes").
		WithHint(`separate with spaces; a tab that belongs to a text is written "\t"`)
}

func (p *parser) directive() {
	p.report(p.pos, p.pos+len(p.rest()), "directives are not supported").
		WithHint("remove the line: nothing depends on the version of YAML here")
}

func (p *parser) documentEnd() {
	if p.text[p.pos] == '.' {
		p.report(p.pos, p.pos+3, `"..." is not supported`).WithHint("remove the line and what follows it")
		return
	}
	p.report(p.pos, p.pos+3, "a second document").WithHint("keep one document a file: remove this line and what follows it")
}

func (p *parser) besideMarker() {
	p.report(p.pos, p.pos+len(p.rest()), `a value in the line of "---"`).
		WithHint("write it in the next line")
}

// stray refuses the lines from this one on that stand further right than the
// collection, in the given column, that goes on: they belong to no value. The
// child n was read just before.
func (p *parser) stray(n *tree.Node, column int) {
	if !p.tabs && !p.faultyBefore() {
		p.reportStray(n, column)
	}
	p.skip(column)
}

func (p *parser) reportStray(n *tree.Node, column int) {
	line := p.rest()
	end := p.pos + len(line)
	switch {
	case !n.IsScalar() && !n.Flow:
		p.report(p.pos, end, "this line is in column %d, between its neighbours", p.indent+1).
			WithHint("%s", p.columns(n, column))
	case p.atDash() || p.looksLikeEntry():
		p.report(p.pos, end, "this line is indented below a value that is complete").
			WithPlace(n.Span(), "the value is here").
			WithHint("%s", p.columns(n, column))
	default:
		p.report(p.pos, end, "a value over several lines").
			WithHint("write it in one line: %s", short(strings.TrimSpace(p.file.Line(int(n.Start)))+" "+line))
	}
}

// columns says where a stray line may stand.
func (p *parser) columns(n *tree.Node, column int) string {
	if n.IsScalar() || n.Flow {
		return fmt.Sprintf("start it in column %d", max(column, 0)+1)
	}
	start := int(n.First.KeySpan().Start)
	if n.Kind == tree.List {
		start = int(n.Start)
	}
	inner := start - p.lineOf(start) + 1
	if column < 0 {
		return fmt.Sprintf("start it in column %d", inner)
	}
	return fmt.Sprintf("start it in column %d, or in column %d", inner, column+1)
}

// looksLikeEntry reports whether the current line starts with a key.
func (p *parser) looksLikeEntry() bool {
	rest := p.text[p.pos:]
	if !startsPlain(rest, blockContext) {
		return rest != "" && (rest[0] == '"' || rest[0] == '\'') && strings.Contains(p.rest(), ": ")
	}
	end := plainEnd(rest, 0, blockContext)
	return end < len(rest) && rest[end] == ':'
}

// Entries and items.

func (p *parser) noColon(t *token) {
	if p.pos == t.end && p.peek(p.pos) == '\t' {
		p.tab()
		return
	}
	problem := p.report(t.start, t.end, "%s has no colon: a mapping's line is key: value", short(p.text[t.start:t.end]))
	key, value, found := strings.Cut(p.text[t.start:t.end], ":")
	switch {
	case found && !t.quoted:
		problem.Message = fmt.Sprintf("no blank after the colon of %s", short(key))
		problem.WithHint("write %s: %s", short(key), short(value))
	case p.peek(t.end) == ':':
		problem.Message = fmt.Sprintf("no blank after the colon of %s", short(p.text[t.start:t.end]))
		problem.WithHint("write %s: %s", short(p.text[t.start:t.end]), short(p.restFrom(t.end+1)))
	default:
		problem.WithHint("write %s: and a value", short(p.text[t.start:t.end]))
	}
}

func (p *parser) secondColon(n *tree.Node, t *token) {
	p.report(p.pos, p.pos+1, "a second colon in the line").
		WithHint("write the value in quotes: %s: %s", short(n.Key), short(quote(p.restFrom(t.start))))
}

func (p *parser) itemBesideKey() {
	p.report(p.pos, p.pos+len(p.rest()), "a list item in the line of its key").
		WithHint("write it in the next line, or in brackets: [%s]", short(strings.TrimSpace(p.rest()[1:])))
}

func (p *parser) itemAmongKeys() {
	p.report(p.pos, p.pos+len(p.rest()), "a list item where a key was expected").
		WithHint("write the items below a key without a value: key:")
}

func (p *parser) noItem() {
	p.report(p.pos, p.pos+len(p.rest()), "a line of a list that does not start with a dash").
		WithHint("write - %s", short(p.rest()))
}

func (p *parser) duplicate(c, first *tree.Node) {
	p.report(int(c.KeyStart), int(c.KeyEnd), "key %q is there twice", short(c.Key)).
		WithPlace(first.KeySpan(), "it was first set here").
		WithHint("remove one of the two")
}

func (p *parser) longKey(t *token) {
	p.report(t.start, t.end, "a key of more than %d characters", maxKey).WithHint("write a shorter key")
}

func (p *parser) complexKey(start, end int) {
	p.report(start, end, "a key that is no text").WithHint("write a word or a text in quotes before the colon")
}

func (p *parser) bracketAmongKeys(c byte) {
	p.report(p.pos, p.pos+len(p.rest()), "%c where a key was expected", c).
		WithHint("write key: value, or indent the line below a key without a value")
}

// trailing refuses what follows a value in its line.
func (p *parser) trailing() {
	rest := p.rest()
	switch {
	case p.peek(p.pos) == '\t':
		p.tab()
	case rest[0] == '#':
		p.report(p.pos, p.pos+1, "no blank before the comment").WithHint("write a blank before #")
	default:
		p.report(p.pos, p.pos+len(rest), "%s after the end of the value", short(rest)).
			WithHint("%s", afterValue(strings.TrimRight(p.text[:p.pos], " ")))
	}
}

// afterValue says what to do about what follows a value; the text ends with
// the value.
func afterValue(text string) string {
	switch text[len(text)-1] {
	case '"':
		return `remove it; if it belongs to the text, write \" for a quote in double quotes`
	case '\'':
		return "remove it; if it belongs to the text, write '' for a quote in single quotes"
	}
	return "remove it, or write the value in quotes if all of it is text"
}

// Brackets.

func (p *parser) openBracket() {
	p.report(p.pos, p.pos, "a list in brackets over several lines").
		WithHint("write it in one line, or write the items below the key, each after a dash:\n- first\n- second")
}

func (p *parser) noComma() {
	rest := p.rest()
	switch c := p.peek(p.pos); {
	case p.atEnd():
		p.openBracket()
	case c == '\t':
		p.tab()
	case c == ':':
		p.report(p.pos, p.pos+1, "a mapping in brackets").
			WithHint("write the items below the key, each after a dash:\n- key: value")
	case c == '?':
		p.report(p.pos, p.pos+1, "a question mark in brackets, which not every reader of YAML takes for text").
			WithHint("write the item in quotes")
	default:
		p.report(p.pos, p.pos+len(rest), "%s where , or ] was expected", short(rest)).
			WithHint("separate the items with commas, and write an item that has brackets or braces in quotes")
	}
}

// braces refuses a mapping in braces; its first brace is at start.
func (p *parser) braces(start int) {
	if p.peek(p.pos) == '\t' {
		p.tab()
		return
	}
	line := p.restFrom(start)
	end := strings.LastIndexByte(line, '}')
	if end < 0 {
		p.report(start, start+len(line), "a mapping in braces").WithHint("write it over several lines:\nkey: value\nkey: value")
		return
	}
	p.report(start, start+end+1, "a mapping in braces").
		WithHint("write it over several lines:\n%s", diag.Lines(p.overLines(start, line[1:end])))
}

// overLines returns the entries in braces as lines below what precedes them.
func (p *parser) overLines(start int, inner string) string {
	before := strings.TrimSpace(p.text[p.origin+p.indent : start])
	entries := strings.Split(strings.Trim(inner, " ,"), ",")
	if strings.ContainsAny(inner, `"'[{`) || strings.Contains(before, "[") {
		before, entries = "key:", []string{"first: value", "second: value"}
	}
	var b strings.Builder
	if strings.HasSuffix(before, ":") {
		b.WriteString(short(before) + "\n")
		before = " "
	}
	for _, e := range entries {
		if before != "" {
			fmt.Fprintf(&b, "%s ", before)
		}
		before = strings.Repeat(" ", len(before))
		fmt.Fprintf(&b, "%s\n", short(strings.TrimSpace(e)))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
