package yaml

import "strings"

// peek returns the byte at an offset; the end of the text is a line break.
func (p *parser) peek(i int) byte {
	if i < len(p.text) {
		return p.text[i]
	}
	return '\n'
}

// isBreak reports whether a byte ends a line. A lone carriage return does so
// too, as in YAML; that it is refused is for checkCharacters to say.
func isBreak(c byte) bool { return c == '\n' || c == '\r' }

// isGap reports whether a byte separates: a blank, a tab, the line's end.
func isGap(c byte) bool { return c == ' ' || c == '\t' || isBreak(c) }

// lineEnd returns the offset of the break that ends the line of an offset.
func (p *parser) lineEnd(i int) int {
	if n := strings.IndexByte(p.text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(p.text)
}

// column returns the column that an offset of the current line is in.
func (p *parser) column(offset int) int { return offset - p.origin }

// blanks goes to the next byte that is no blank.
func (p *parser) blanks() {
	i := p.pos
	for i < len(p.text) && p.text[i] == ' ' {
		i++
	}
	p.pos = i
}

// atDash reports whether a list item starts here.
func (p *parser) atDash() bool {
	return p.peek(p.pos) == '-' && isGap(p.peek(p.pos+1))
}

// atEnd reports whether nothing but a comment is left of the line. It must
// be called after blanks.
func (p *parser) atEnd() bool {
	c := p.peek(p.pos)
	return isBreak(c) || c == '#' && p.gapBefore(p.pos)
}

func (p *parser) gapBefore(i int) bool { return i == 0 || isGap(p.text[i-1]) }

// endLine goes from the end of a value to the next line that has content;
// what else stands in the line is a problem.
func (p *parser) endLine() {
	p.blanks()
	if !p.atEnd() {
		p.trailing()
	}
	p.nextLine()
}

// nextLine leaves the current line, if it has begun, and goes to the first
// character of the next one that has content.
func (p *parser) nextLine() {
	if p.begun {
		p.before = p.origin + p.indent
		p.leaveLine()
	}
	for p.pos < len(p.text) {
		start := p.pos
		p.blanks()
		switch c := p.peek(p.pos); {
		case isBreak(c):
			p.pos++
		case c == '#':
			p.leaveLine()
		case c == '\t':
			if p.tabbed(start) {
				return
			}
		case p.pos == start && (c == '-' || c == '.' || c == '%') && p.marker(c):
			p.leaveLine()
		default:
			p.startLine(start)
			return
		}
	}
	p.endText()
}

// leaveLine goes to the start of the next line, or to the end of the text.
func (p *parser) leaveLine() {
	if p.peek(p.pos) != '\n' {
		p.pos = p.lineEnd(p.pos)
	}
	p.pos = min(p.pos+1, len(p.text))
}

// startLine makes the content at pos the current line; its column 0 is at
// origin.
func (p *parser) startLine(origin int) {
	p.begun = true
	p.origin = origin
	p.indent = p.pos - origin
}

func (p *parser) endText() {
	p.begun = true
	p.pos, p.origin, p.indent = len(p.text), len(p.text)+1, -1
}

// tabWidth is how far a tab is taken to indent, once it was refused: what
// editors show, and enough for a line to stay below the one it is meant for.
const tabWidth = 8

// tabbed refuses the tab that indents a line, and reports whether the line
// has content: then it is read as if blanks indented it.
func (p *parser) tabbed(start int) bool {
	p.tabInIndentation(start)
	column := p.pos - start
	for ; ; p.pos++ {
		switch p.peek(p.pos) {
		case '\t':
			column = (column/tabWidth + 1) * tabWidth
		case ' ':
			column++
		default:
			if p.atEnd() {
				p.leaveLine()
				return false
			}
			p.startLine(p.pos - column)
			return true
		}
	}
}

// marker reads a line that starts in column 0 with "---", "..." or "%",
// which are not part of a value, and reports whether it was one.
func (p *parser) marker(c byte) bool {
	if c == '%' {
		if !p.begun {
			p.directive()
		}
		return !p.begun
	}
	rest := p.text[p.pos:]
	if !strings.HasPrefix(rest, "---") && !strings.HasPrefix(rest, "...") || !isGap(p.peek(p.pos+3)) {
		return false
	}
	if c == '-' && !p.begun {
		p.begun = true
		p.pos += len("---")
		if p.blanks(); !p.atEnd() {
			p.besideMarker()
		}
		return true
	}
	p.documentEnd()
	p.pos = len(p.text)
	return true
}

// skip passes over the rest of the line and all lines further right than a
// column: they belong to something that was refused.
func (p *parser) skip(column int) {
	p.quiet = true
	for ok := true; ok; ok = p.indent > column {
		p.nextLine()
	}
	p.quiet = false
}
