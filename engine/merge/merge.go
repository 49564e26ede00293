// Package merge folds the sources of a sandwich into one [Doc]: for every key
// the value in force, and every definition that was ever made of it with what
// became of it. [Fold] is the function to start with, or a [Folder] where
// something has to look at what is merged so far.
//
// How a key merges is decided by its [rule]: most keys are last-wins, whole
// value; the few that are not are listed in rules.go. The package knows
// nothing of files and directories.
package merge

import (
	"strings"

	"ucas/engine/diag"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// A Source is what one level says, or a part of it.
type Source struct {
	Level source.Level
	// Index is the caller's number of the level. Definitions carry it.
	Index int
	// Dir is the directory that relative paths in the source start from.
	Dir string
	// Tree is a mapping of keys, or nil.
	Tree *tree.Node
	// Path, if it is set, says that Tree is the value at that path only:
	// {"env", "DEBUG"}. It reaches into mappings.
	Path []string
	// Skills is the level's own directory of skills, if it has one.
	Skills string
	// LeftOut says why the keys of the source do not count; they are
	// recorded as dropped.
	LeftOut string
	// Hook is the layer hook that computed it, nil for what stands in a file.
	// Reads is what the hook had looked at before.
	Hook  *Hook
	Reads []*Read
}

// A Doc is the merged configuration.
type Doc struct {
	// Keys are all keys that any source defines, in the order in which they
	// first occur. Variables of env and servers of mcp_servers are keys of
	// their own, "env.DEBUG".
	Keys []*Key
	// Warnings are definitions that were ignored.
	Warnings diag.List

	index map[string]*Key
}

// A Key is one key with its whole history.
type Key struct {
	Name string
	// Value is the value in force, nil if the key is not set.
	Value *tree.Node
	// Items are the parts of a list that adds up, in load order.
	Items []Item
	// Definitions are in load order, the strongest last.
	Definitions []*Definition
}

// A Definition is what one source says about a key.
type Definition struct {
	// Source is the Index of its source.
	Source int
	Level  source.Level
	// Dir is the directory that relative paths in the value start from.
	Dir string
	// Span is the value's place.
	Span source.Span
	// Value is what it says; a Null unsets the key.
	Value *tree.Node
	// Path is where in the key's mapping the value is put, if not in place
	// of the whole.
	Path []string
	// Fate is what became of it. By is the definition that brought it about,
	// for those that are shadowed or were changed in part; Rule is why, for
	// those that never counted.
	Fate Fate
	By   *Definition
	Rule string
	// Replaced is the definition that was in force before, if any.
	Replaced *Definition
	// Hook and Reads are those of its source.
	Hook  *Hook
	Reads []*Read
}

// An Item is one part of a list that adds up.
type Item struct {
	// Text is the item's value, Dir what it is relative to.
	Text, Dir string
	Level     source.Level
	// Span is where the item is listed; zero for a level's own directory.
	Span source.Span
	// Definition is the list that it is from; nil for a level's own directory.
	Definition *Definition
}

// A Fate is what became of a definition.
type Fate uint8

// The fates.
const (
	Set      Fate = iota // it is the value in force
	Shadowed             // a stronger definition took its place
	Unset                // it is a null in force: the key is not set
	Dropped              // its source does not count
	Refused              // a rule forbids it there
	Merged               // it is a part of the value in force
)

var fateNames = [...]string{"set", "shadowed", "unset", "dropped", "refused", "merged"}

// String returns the word that reports use.
func (f Fate) String() string { return fateNames[f] }

// Fold merges the sources, the weakest first, and numbers them from 0. The
// error is a diag.List of values of the wrong type; the Doc then holds what
// could be merged.
func Fold(sources []Source) (*Doc, error) {
	f := NewFolder()
	var problems diag.List
	for i, s := range sources {
		s.Index = i
		problems = append(problems, diag.All(f.Add(&s))...)
	}
	return f.Doc(), problems.Err()
}

// Get returns the value in force of a key, nil if it is not set.
func (d *Doc) Get(name string) *tree.Node {
	if k := d.index[name]; k != nil {
		return k.Value
	}
	return nil
}

// Key returns a key with its history, nil if no source defines it.
func (d *Doc) Key(name string) *Key { return d.index[name] }

// Winner returns the definition in force of a key, nil if there is no single
// one: the key is not set, or adds up.
func (d *Doc) Winner(name string) *Definition {
	if k := d.index[name]; k != nil {
		return k.Winner()
	}
	return nil
}

// Winner returns the definition in force, nil if there is no single one.
func (k *Key) Winner() *Definition {
	for i := len(k.Definitions) - 1; i >= 0; i-- {
		if k.Definitions[i].Fate == Set {
			return k.Definitions[i]
		}
	}
	return nil
}

// Text returns the value of a scalar key, "" if it is not set.
func (d *Doc) Text(name string) string {
	if v := d.Get(name); v != nil && v.IsScalar() {
		return v.Text
	}
	return ""
}

// Below returns the keys of a group, such as the variables of "env".
func (d *Doc) Below(group string) []*Key {
	var keys []*Key
	for _, k := range d.Keys {
		if len(k.Name) > len(group) && k.Name[len(group)] == '.' && strings.HasPrefix(k.Name, group) {
			keys = append(keys, k)
		}
	}
	return keys
}

// A Folder merges sources one after another.
type Folder struct {
	doc      *Doc
	problems diag.List
	stale    bool // a list has to be put together again
}

// NewFolder returns a Folder that nothing was added to.
func NewFolder() *Folder {
	return &Folder{doc: &Doc{index: make(map[string]*Key, 32)}}
}

// Add takes up a source that is stronger than all before. The error is a
// diag.List of its values of the wrong type; the others count all the same.
func (f *Folder) Add(s *Source) error {
	f.problems = nil
	if s.Skills != "" {
		k := f.key("skills")
		k.Items = append(k.Items, Item{Text: s.Skills, Level: s.Level})
		f.stale = true
	}
	if len(s.Path) > 0 {
		f.define(s, s.Path[0], s.Path[1:], s.Tree)
	} else {
		for node := range s.Tree.Items() {
			f.define(s, node.Key, nil, node)
		}
	}
	return f.problems.Err()
}

// Doc returns what is merged so far. It changes with the next Add.
func (f *Folder) Doc() *Doc {
	if f.stale {
		f.stale = false
		f.finishLists()
		f.finishAllowed()
	}
	return f.doc
}

// define takes up what a source says about a top-level key, or about a path
// inside of it.
func (f *Folder) define(s *Source, name string, path []string, value *tree.Node) {
	d := &Definition{
		Source: s.Index, Level: s.Level, Dir: s.Dir, Span: value.Span(), Value: value, Path: path,
		Hook: s.Hook, Reads: s.Reads,
	}
	r := ruleOf(name)
	switch group, _, dotted := strings.Cut(name, "."); {
	case dotted && isGroup(group):
		f.problems = append(f.problems, diag.At(value.KeySpan(), "%s is no key of its own", name).
			WithHint("write %s:, and what follows the dot below it", group))
	case s.LeftOut != "":
		f.lose(name, d, Dropped, s.LeftOut)
	case r.refuse != nil && r.refuse(s.Level.Role) != "":
		f.refuse(name, d, r.refuse(s.Level.Role))
	case len(path) == 0 && !f.check(name, value):
		f.lose(name, d, Refused, "it has the wrong type")
	default:
		r.apply(f, name, d)
	}
}

// item returns an item of the definition's list.
func (d *Definition) item(node *tree.Node) Item {
	return Item{Text: node.Text, Dir: d.Dir, Level: d.Level, Span: node.Span(), Definition: d}
}

// lose records a definition that never counted, and those of the entries of a
// mapping that merges by name.
func (f *Folder) lose(name string, d *Definition, fate Fate, reason string) {
	if isGroup(name) && len(d.Path) > 0 {
		name, d.Path = name+"."+d.Path[0], d.Path[1:]
	}
	d.Fate, d.Rule = fate, reason
	k := f.key(name)
	k.Definitions = append(k.Definitions, d)
	if isGroup(name) && len(d.Path) == 0 {
		for node := range d.Value.Items() {
			f.lose(name+"."+node.Key, d.entry(node), fate, reason)
		}
	}
}

// refuse records a definition that a rule forbids, and warns.
func (f *Folder) refuse(name string, d *Definition, reason string) {
	f.lose(name, d, Refused, reason)
	f.doc.Warnings = append(f.doc.Warnings, diag.Warn(d.Span, "%s is ignored here: %s", name, reason))
}

func (f *Folder) key(name string) *Key {
	k := f.doc.index[name]
	if k == nil {
		k = &Key{Name: name}
		f.doc.index[name] = k
		f.doc.Keys = append(f.doc.Keys, k)
	}
	return k
}

// set makes a definition the one in force.
func (k *Key) set(d *Definition) {
	k.supersede(d)
	k.Definitions = append(k.Definitions, d)
	if d.Value.Kind == tree.Null {
		d.Fate = Unset
		k.Value = nil
		return
	}
	d.Fate = Set
	k.Value = d.Value
}

// supersede tells the definitions in force that another takes their place.
func (k *Key) supersede(by *Definition) {
	for _, old := range k.Definitions {
		if old.Fate == Set || old.Fate == Unset || old.Fate == Merged {
			if old != by {
				old.Fate, old.By, by.Replaced = Shadowed, by, old
			}
		}
	}
}

// entry returns the definition of one entry of a mapping.
func (d *Definition) entry(node *tree.Node) *Definition {
	return &Definition{
		Source: d.Source, Level: d.Level, Dir: d.Dir, Span: node.Span(), Value: node, Hook: d.Hook, Reads: d.Reads,
	}
}

// Why says why the definition has its fate, in words that follow it; "" if
// there is nothing to say.
func (d *Definition) Why() string {
	switch {
	case d.By != nil && d.Fate == Shadowed:
		return "by " + d.By.where()
	case d.By != nil:
		return "changed in part by " + d.By.where()
	}
	return d.Rule
}

// where names a definition: its level and its place.
func (d *Definition) where() string {
	if d.Span.IsZero() {
		return d.Level.String()
	}
	return d.Level.String() + ", " + d.Span.Position().String()
}
