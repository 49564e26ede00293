package yaml

import "ucas/engine/tree"

// document reads the value that the text consists of.
func (p *parser) document() *tree.Node {
	root := p.newNode()
	p.nextLine()
	if p.indent < 0 {
		return root
	}
	p.block(root, -1)
	if p.indent >= 0 {
		p.stray(root, -1)
	}
	return root
}

// block reads the value at pos, of any kind, whose parent is in the given
// column, and goes on to the next line.
func (p *parser) block(n *tree.Node, parent int) {
	start, column := p.pos, p.column(p.pos)
	switch c := p.peek(p.pos); {
	case p.atDash():
		p.list(n, column, parent)
		return
	case c == '[' || c == '{':
		p.flowLine(n, column)
	default:
		p.scalarOrMapping(n, column)
	}
	if p.indent == column && p.fault >= start {
		p.resume(n, column)
	}
}

// scalarOrMapping reads a value that starts with a scalar: a colon after it
// makes it the first key of a mapping.
func (p *parser) scalarOrMapping(n *tree.Node, column int) {
	var t token
	if !p.scalar(&t, blockContext) {
		p.skip(column)
		return
	}
	if p.atColon() {
		p.mapping(n, &t, column)
		return
	}
	p.scalarLine(n, &t)
	if p.indent == column && !p.faultyBefore() && p.looksLikeEntry() {
		p.noColon(&t)
	}
}

// resume goes on after a value that was refused: if there is an entry in its
// column, it was meant for the first entry of a mapping.
func (p *parser) resume(n *tree.Node, column int) {
	var t token
	if p.looksLikeEntry() && p.nextKey(&t, column) {
		p.mapping(n, &t, column)
	}
}

// scalarLine makes the node a scalar that ends its line.
func (p *parser) scalarLine(n *tree.Node, t *token) {
	kind := tree.String
	if !t.quoted {
		kind = resolve(t.text)
		if kind == disputed {
			p.disputedValue(t)
		}
	}
	set(n, kind, t)
	p.endLine()
}

// mapping reads a mapping in the given column; its first key was read.
func (p *parser) mapping(n *tree.Node, key *token, column int) {
	if !p.enter(n, tree.Map, key.start) {
		p.skip(column - 1)
		return
	}
	var seen keys
	link := &n.First
	for ok := true; ok; ok = p.nextKey(key, column) {
		c := p.newNode()
		c.Key, c.KeyStart, c.KeyEnd = key.text, uint32(key.start), uint32(key.end)
		p.checkKey(key)
		if first := seen.find(n, c); first != nil {
			p.duplicate(c, first)
		}
		*link, link = c, &c.Next
		n.Len++
		p.entryValue(c, column)
		n.End = c.End
		if p.indent > column {
			p.stray(c, column)
		}
	}
	p.depth--
}

// nextKey reads the key that the current line starts with, if the line is in
// the mapping's column. Lines there that are no entry are refused.
func (p *parser) nextKey(t *token, column int) bool {
	for p.indent == column {
		if p.key(t) {
			return true
		}
		p.skip(column)
	}
	return false
}

// key reads a key up to its colon.
func (p *parser) key(t *token) bool {
	switch c := p.peek(p.pos); {
	case p.atDash():
		p.itemAmongKeys()
		return false
	case c == '[' || c == '{':
		p.bracketAmongKeys(c)
		return false
	}
	if !p.scalar(t, blockContext) {
		return false
	}
	if !p.atColon() {
		p.noColon(t)
		return false
	}
	return true
}

// checkKey refuses a key that is no text to YAML, or too long for it.
func (p *parser) checkKey(t *token) {
	if !t.quoted && resolve(t.text) != tree.String && !isSwitch(t.text) {
		p.keyNoText(t)
	}
	if p.pos-t.start > maxKey || len(t.text) > maxKey/4 && len(quote(t.text)) > maxKey {
		p.longKey(t)
	}
}

// atColon reports whether a key ends here, after blanks.
func (p *parser) atColon() bool {
	p.blanks()
	return p.peek(p.pos) == ':' && isGap(p.peek(p.pos+1))
}

// entryValue reads the value after a key's colon, which pos is at.
func (p *parser) entryValue(n *tree.Node, column int) {
	p.pos++
	n.Start, n.End = uint32(p.pos), uint32(p.pos)
	p.blanks()
	switch c := p.peek(p.pos); {
	case p.atEnd():
		p.nextLine()
		if p.indent == column && p.atDash() {
			p.list(n, column, column)
		} else if p.indent > column {
			p.block(n, column)
		}
	case c == '[' || c == '{':
		p.flowLine(n, column)
	case p.atDash():
		p.itemBesideKey()
		p.skip(column)
	default:
		p.inlineScalar(n, column)
	}
}

// inlineScalar reads a scalar beside its key.
func (p *parser) inlineScalar(n *tree.Node, column int) {
	var t token
	ok := p.scalar(&t, blockContext)
	if ok && p.atColon() {
		p.secondColon(n, &t)
		ok = false
	}
	if !ok {
		p.skip(column)
		return
	}
	p.scalarLine(n, &t)
}

// list reads a block list; pos is at its first dash. Its parent may be a
// mapping in the same column.
func (p *parser) list(n *tree.Node, column, parent int) {
	if !p.enter(n, tree.List, p.pos) {
		p.skip(column - 1)
		return
	}
	link := &n.First
	for ok := true; ok; ok = p.nextItem(column, parent) {
		c := p.newNode()
		*link, link = c, &c.Next
		n.Len++
		p.item(c, column)
		n.End = c.End
		if p.indent > column {
			p.stray(c, column)
		}
	}
	p.depth--
}

// item reads a list item; pos is at its dash.
func (p *parser) item(n *tree.Node, column int) {
	p.pos++
	n.Start, n.End = uint32(p.pos), uint32(p.pos)
	p.blanks()
	if p.atEnd() {
		p.nextLine()
		if p.indent <= column {
			return
		}
	}
	p.block(n, column)
}

// nextItem reports whether the current line is a further item of a list. A
// line that is none is refused, unless a mapping goes on in that column.
func (p *parser) nextItem(column, parent int) bool {
	for p.indent == column && !p.atDash() {
		if parent == column {
			return false
		}
		p.noItem()
		p.skip(column)
	}
	return p.indent == column
}

// enter makes the node an empty collection, and reports whether it may lie
// as deep as it does.
func (p *parser) enter(n *tree.Node, kind tree.Kind, start int) bool {
	n.Kind = kind
	n.Start, n.End = uint32(start), uint32(start)
	if p.depth == maxDepth {
		p.tooDeep(start)
		return false
	}
	p.depth++
	return true
}
