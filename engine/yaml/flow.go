package yaml

import "ucas/engine/tree"

// flowLine reads a value in brackets that ends its line; the value's parent
// is in the given column.
func (p *parser) flowLine(n *tree.Node, parent int) {
	start, depth := p.pos, p.depth
	ok := p.flow(n)
	p.depth = depth
	if ok && p.atColon() {
		p.complexKey(start, p.pos)
		ok = false
	}
	if !ok {
		p.skipFlow(parent)
		return
	}
	p.endLine()
}

// skipFlow passes over a value in brackets that was refused, and over the
// line with its last bracket if it had several lines.
func (p *parser) skipFlow(parent int) {
	p.skip(parent)
	for p.indent >= 0 && (p.peek(p.pos) == ']' || p.peek(p.pos) == '}') {
		p.skip(p.indent)
	}
}

// flow reads a value in brackets. If it is none, the problem was reported.
func (p *parser) flow(n *tree.Node) bool {
	if p.peek(p.pos) == '{' {
		return p.emptyMapping(n)
	}
	return p.flowList(n)
}

func (p *parser) flowList(n *tree.Node) bool {
	if !p.enter(n, tree.List, p.pos) {
		return false
	}
	n.Flow = true
	link := &n.First
	for p.pos++; !p.closes(']'); {
		c := p.newNode()
		*link, link = c, &c.Next
		n.Len++
		if !p.flowItem(c) || !p.comma() {
			return false
		}
	}
	n.End = uint32(p.pos)
	p.depth--
	return true
}

// flowItem reads one item of a list in brackets.
func (p *parser) flowItem(n *tree.Node) bool {
	if c := p.peek(p.pos); c == '[' || c == '{' {
		return p.flow(n)
	}
	if p.atEnd() {
		p.openBracket()
		return false
	}
	var t token
	if !p.scalar(&t, flowContext) {
		return false
	}
	kind := tree.String
	if !t.quoted {
		kind = resolve(t.text)
		if kind == disputed {
			p.disputedValue(&t)
			return false
		}
	}
	set(n, kind, &t)
	return true
}

// comma goes past the comma after an item; the last item needs none.
func (p *parser) comma() bool {
	p.blanks()
	switch p.peek(p.pos) {
	case ',':
		p.pos++
	case ']':
	default:
		p.noComma()
		return false
	}
	return true
}

// closes goes past a bracket, and reports whether it was there.
func (p *parser) closes(bracket byte) bool {
	p.blanks()
	if p.peek(p.pos) != bracket {
		return false
	}
	p.pos++
	return true
}

// emptyMapping reads "{}".
func (p *parser) emptyMapping(n *tree.Node) bool {
	start := p.pos
	if p.pos++; !p.closes('}') {
		p.braces(start)
		return false
	}
	n.Kind, n.Flow = tree.Map, true
	n.Start, n.End = uint32(start), uint32(p.pos)
	return true
}
