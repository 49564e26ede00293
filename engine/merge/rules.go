package merge

import (
	"slices"

	"ucas/engine/diag"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// A rule says how the definitions of a key come together.
type rule struct {
	// apply takes up one definition, in load order.
	apply func(f *Folder, name string, d *Definition)
	// refuse returns why a role may not define the key, or "".
	refuse func(role source.Role) string
}

// ruleOf returns the rule of a top-level key.
func ruleOf(name string) rule {
	if isGroup(name) {
		return rule{apply: (*Folder).byName}
	}
	switch name {
	case "skills", "directories":
		return rule{apply: (*Folder).addUp}
	case "allowed_acli":
		return rule{apply: (*Folder).allow, refuse: refuseAllowed}
	case "override_acli":
		return rule{apply: (*Folder).lastWins, refuse: refuseOverride}
	}
	return rule{apply: (*Folder).lastWins}
}

// isGroup reports whether each entry of a mapping is a key of its own.
func isGroup(name string) bool { return name == "env" || name == "mcp_servers" }

func refuseAllowed(role source.Role) string {
	switch role {
	case source.Agent, source.Mod, source.Member, source.ACLI, source.CommandLine:
		return "only layers, teams and override files say which harnesses are allowed"
	}
	return ""
}

func refuseOverride(role source.Role) string {
	if !role.IsOverride() {
		return "it counts in override files only"
	}
	return ""
}

// lastWins: a later value takes the place of an earlier one, whole; a null
// unsets the key. A value at a path is put into a copy of what is in force.
func (f *Folder) lastWins(name string, d *Definition) {
	k := f.key(name)
	if len(d.Path) == 0 {
		k.set(d)
		return
	}
	whole := put(k.Value, d.Path, d.Value)
	if !f.check(name, whole) {
		f.lose(name, d, Refused, "it has the wrong type")
		return
	}
	if d.Value.Kind == tree.Null && k.Value == nil {
		d.Fate, d.Rule = Unset, "there was nothing at that path"
		k.Definitions = append(k.Definitions, d)
		return
	}
	for _, old := range k.Definitions {
		switch {
		case old.Fate == Unset, old.Fate != Shadowed && len(old.Path) > 0 && slices.Equal(old.Path, d.Path):
			old.Fate, old.By, d.Replaced = Shadowed, d, old
		case old.Fate == Set:
			old.Fate, old.By, d.Replaced = Merged, d, old
		}
	}
	k.Definitions = append(k.Definitions, d)
	d.Fate = Set
	k.Value = whole
}

// put returns a copy of a mapping with the value at a path; a null removes
// what is there.
func put(m *tree.Node, path []string, value *tree.Node) *tree.Node {
	if len(path) > 1 {
		return m.With(path[0], put(m.Get(path[0]), path[1:], value))
	}
	if value.Kind == tree.Null {
		value = nil
	}
	return m.With(path[0], value)
}

// byName: each entry of the mapping is a key of its own, last wins; a null
// instead of the mapping unsets all that came before.
func (f *Folder) byName(name string, d *Definition) {
	if len(d.Path) > 0 {
		child := *d
		child.Path = d.Path[1:]
		f.entry(name, d.Path[0], &child)
		return
	}
	group := f.key(name)
	if d.Value.Kind == tree.Null {
		group.set(d)
		for _, k := range f.doc.Below(name) {
			k.supersede(d)
			k.Value = nil
		}
		return
	}
	d.Fate = Merged
	group.Definitions = append(group.Definitions, d)
	for node := range d.Value.Items() {
		f.entry(name, node.Key, d.entry(node))
	}
}

func (f *Folder) entry(group, name string, d *Definition) {
	full := group + "." + name
	if !f.checkEntry(group, name, d) {
		f.lose(full, d, Refused, "it has the wrong type")
		return
	}
	f.lastWins(full, d)
}

// addUp: all lists count, in load order; a null takes away what came before.
func (f *Folder) addUp(name string, d *Definition) {
	if f.isIntoList(name, d) {
		return
	}
	k := f.key(name)
	f.stale = true
	if d.Value.Kind == tree.Null {
		k.set(d)
		k.Items = own(k.Items)
		return
	}
	d.Fate = Merged
	k.Definitions = append(k.Definitions, d)
	for node := range d.Value.Items() {
		k.Items = append(k.Items, d.item(node))
	}
}

// isIntoList reports whether a definition reaches for something in a list, which
// is a problem.
func (f *Folder) isIntoList(name string, d *Definition) bool {
	if len(d.Path) == 0 {
		return false
	}
	f.problems = append(f.problems, diag.At(d.Span, "%s is a list: there is nothing called %s in it", name, d.Path[0]).
		WithHint("set the list: %s=[...]", name))
	return true
}

// finishLists makes the values of the lists that add up from the items that are
// there; without any, the key is not set.
func (f *Folder) finishLists() {
	for _, name := range []string{"skills", "directories"} {
		k := f.doc.index[name]
		if k == nil {
			continue
		}
		k.Value = nil
		if len(k.Items) == 0 {
			continue
		}
		nodes := make([]*tree.Node, len(k.Items))
		for i, item := range k.Items {
			nodes[i] = tree.NewString(item.Text, item.Span)
		}
		k.Value = tree.NewList(nodes, k.Items[len(k.Items)-1].Span)
	}
}

// own returns the items that are levels' own directories: no null takes those
// away, since no list added them.
func own(items []Item) []Item {
	var kept []Item
	for _, item := range items {
		if item.Span.IsZero() {
			kept = append(kept, item)
		}
	}
	return kept
}

// allow records who allows what; finishAllowed decides.
func (f *Folder) allow(name string, d *Definition) {
	if f.isIntoList(name, d) {
		return
	}
	k := f.key(name)
	k.Definitions = append(k.Definitions, d)
	f.stale = true
}

// finishAllowed decides allowed_acli. The last of team, project and override
// files that defines it is used alone. If none does, the user's items come
// first, then the system's that are not among them.
func (f *Folder) finishAllowed() {
	k := f.doc.index["allowed_acli"]
	if k == nil {
		return
	}
	var counted []*Definition
	for _, d := range k.Definitions {
		if d.Fate != Dropped && d.Fate != Refused {
			d.Fate, d.By, d.Replaced = Set, nil, nil // it may have been decided before, of fewer
			counted = append(counted, d)
		}
	}
	k.Items = nil
	if len(counted) == 0 {
		return
	}
	last := counted[len(counted)-1]
	if last.Level.Role == source.User && last.Value.Kind == tree.List {
		k.unite(counted)
		return
	}
	k.supersede(last)
	last.Fate = Set
	k.Value = last.Value
	if last.Value.Kind == tree.Null {
		last.Fate, k.Value = Unset, nil
	}
}

// unite puts the lists of several definitions together, the strongest first,
// without repetitions.
func (k *Key) unite(definitions []*Definition) {
	seen := make(map[string]bool)
	var nodes []*tree.Node
	for i := len(definitions) - 1; i >= 0; i-- {
		d := definitions[i]
		d.Fate = Merged
		for node := range d.Value.Items() {
			if !seen[node.Text] {
				seen[node.Text] = true
				nodes = append(nodes, node)
				k.Items = append(k.Items, d.item(node))
			}
		}
	}
	k.Value = tree.NewList(nodes, definitions[len(definitions)-1].Span)
}
