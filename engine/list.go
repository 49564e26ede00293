package engine

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ucas/engine/diag"
	"ucas/engine/find"
	"ucas/engine/merge"
	"ucas/engine/plan"
	"ucas/engine/source"
	"ucas/engine/tree"
	"ucas/engine/yaml"
)

// A Listing is what the three layers hold.
type Listing struct {
	// Entries are in the order of the search: the strongest layer first.
	Entries []*Entry
	// Roots are the directories of the layers; "" where there is none.
	Roots    map[source.Layer]string
	Warnings diag.List

	library *find.Library
	o       Options
}

// An Entry is an agent, a mod, an ACLI or a team.
type Entry struct {
	*find.Entity
	Kind Kind
	// ShownDir is the directory as people would write it.
	ShownDir string
	// ShadowedBy is the entity of the same name in a stronger layer, if any.
	ShadowedBy *find.Entity
	// Ambiguous says that its layer has several of this name.
	Ambiguous bool
	// Description and Executable are those keys of its configuration.
	Description, Executable string
	// Err is what is wrong with its configuration, if anything.
	Err error

	stamp find.Stamp // of its configuration, in a large layer
}

// Kind says what an entry is. Every agent can also be used as a mod.
type Kind uint8

// The kinds of entries.
const (
	AgentOrMod Kind = iota
	ACLI
	Team
)

var kindNames = [...]string{"agent", "acli", "team"}

// String returns the word that reports use.
func (k Kind) String() string { return kindNames[k] }

// List returns everything that the layers hold. Of Options it needs those
// that say where the layers are.
func List(o Options) (*Listing, error) {
	library, err := openLibrary(o)
	if err != nil {
		return nil, err
	}
	l := &Listing{library: library, o: o, Roots: make(map[source.Layer]string, 3)}
	for _, layer := range []source.Layer{source.SystemLayer, source.UserLayer, source.ProjectLayer} {
		l.Roots[layer] = library.Root(layer)
	}
	agents, err := library.Agents()
	if err != nil {
		return nil, err
	}
	teams, err := library.Teams()
	if err != nil {
		return nil, err
	}
	l.add(agents, AgentOrMod)
	l.add(teams, Team)
	l.Warnings = library.Warnings
	return l, nil
}

// ShowPath returns a path as people would write it.
func (l *Listing) ShowPath(path string) string { return l.library.Show(path) }

// add takes up entities, which come in the order of the search.
func (l *Listing) add(entities []*find.Entity, kind Kind) {
	first := make(map[string]*Entry, len(entities))
	entries := make([]Entry, len(entities))
	start := len(l.Entries)
	for i := range entries {
		e := &entries[i]
		e.Entity, e.Kind, e.ShownDir = entities[i], kind, l.library.Show(entities[i].Dir)
		switch strong := first[e.Name]; {
		case strong == nil:
			first[e.Name] = e
		case strong.Layer != e.Layer:
			e.ShadowedBy = strong.Entity
		default:
			e.Ambiguous, strong.Ambiguous = true, true
		}
		l.Entries = append(l.Entries, &entries[i])
	}
	for layer, root := range l.Roots {
		if root != "" {
			l.describe(inLayer(l.Entries[start:], layer), l.library.CacheFile("list", kind.String()+"\x00"+root))
		}
	}
}

func inLayer(entries []*Entry, layer source.Layer) []*Entry {
	var in []*Entry
	for _, e := range entries {
		if e.Layer == layer {
			in = append(in, e)
		}
	}
	return in
}

// describe reads what a listing shows of the configurations of one layer, some
// at a time. Of many, it leaves a memo for the next time.
func (l *Listing) describe(entries []*Entry, cached string) {
	began := time.Now()
	large := len(entries) >= find.Large
	memos := make([][]string, len(entries))
	if large {
		m := readMemo(cached)
		for i, e := range entries {
			memos[i] = m.line(e.Path)
		}
	}
	var read atomic.Int64
	inParts(len(entries), func(i int) {
		e := entries[i]
		if large {
			e.stamp = l.library.Stamp(e.Entity)
			if e.recall(memos[i], e.stamp) {
				return
			}
		}
		read.Add(1)
		e.describe(l.library)
	})
	if large && read.Load() > 0 {
		l.library.WriteCache(cached, memoText(entries, began.Add(-find.Margin)))
	}
}

// inParts calls do with each index below n, from a few goroutines.
func inParts(n int, do func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), 8)
	size := max(64, (n+workers-1)/workers)
	var wait sync.WaitGroup
	for start := 0; start < n; start += size {
		wait.Go(func() {
			for i := start; i < min(start+size, n); i++ {
				do(i)
			}
		})
	}
	wait.Wait()
}

// describe reads what a listing shows of a configuration.
func (e *Entry) describe(library *find.Library) {
	file, err := library.Config(e.Entity)
	if err != nil || file == nil {
		e.Err = err
		return
	}
	node, err := yaml.ParseMapping(file.Name, file.Text)
	if err != nil {
		e.Err = err
		return
	}
	e.Description = textOf(node, "description")
	if e.Kind == AgentOrMod && executableOf(node) != nil {
		e.Kind, e.Executable = ACLI, textOf(node, "executable")
	}
}

func textOf(node *tree.Node, key string) string {
	if v := node.Get(key); v != nil && v.IsScalar() {
		return v.Text
	}
	return ""
}

// Offers returns the harnesses that could be allowed, since their program is on
// PATH, where nobody but the system layer says which are, and nobody asked for
// the one that was chosen. Of the entities it looks at those called acli-...
// only, so that it costs little in a large library.
func (r *Result) Offers(dir string, environ []string) []*Entry {
	if r.Doc == nil || r.library == nil || saysAllowed(r.Doc.Key("allowed_acli")) || !r.Choice.IsFallback() {
		return nil
	}
	agents, err := r.library.Agents()
	if err != nil {
		return nil
	}
	var offers []*Entry
	seen := make(map[string]bool)
	for _, agent := range agents {
		if !strings.HasPrefix(agent.Name, "acli-") || seen[agent.Name] {
			continue
		}
		seen[agent.Name] = true
		e := &Entry{Entity: agent, ShownDir: r.library.Show(agent.Dir)}
		e.describe(r.library)
		if e.Kind == ACLI && agent.Name != r.Choice.Name && onPath(e.Executable, dir, environ) != "" {
			offers = append(offers, e)
		}
	}
	return offers
}

// saysAllowed reports whether a level above the system's says what is allowed.
func saysAllowed(key *merge.Key) bool {
	return key != nil && slices.ContainsFunc(key.Definitions, func(d *merge.Definition) bool {
		return d.Level.Role != source.System && d.Fate != merge.Refused
	})
}

// Find returns the entries that a name means: the agent, mod or ACLI of that
// name, the team, or both.
func (l *Listing) Find(name string) ([]*Entry, error) {
	agent, agentErr := l.library.Agent("agent", name)
	team, teamErr := l.library.Team(name)
	if agentErr != nil && teamErr != nil {
		return nil, l.notFound(name, agentErr)
	}
	var found []*Entry
	for _, e := range l.Entries {
		if e.Entity == agent && agentErr == nil || e.Entity == team && teamErr == nil {
			found = append(found, e)
		}
	}
	return found, nil
}

// notFound returns the error that a name means nothing, or that it is no name
// or means too much.
func (l *Listing) notFound(name string, err error) error {
	if !errors.Is(err, find.ErrUnknown) {
		return err
	}
	p := *diag.All(err)[0]
	var names []string
	for _, e := range l.Entries {
		names = append(names, e.Name)
	}
	p.Message = fmt.Sprintf("there is nothing called %q in any layer", name)
	if near := diag.DidYouMean(name, names); near != "" {
		p.Hint = near
	}
	return &p
}

// Prompt returns an entry's PROMPT.md, nil if it has none.
func (l *Listing) Prompt(e *Entry) (*source.File, error) { return l.library.Prompt(e.Entity) }

// Hooks returns the text of an entry's layer hooks, nil if it has none.
func (l *Listing) Hooks(e *Entry) (*source.File, error) { return l.library.Hooks(e.Entity) }

// Skills returns an entry's directory of skills, "" if it has none.
func (l *Listing) Skills(e *Entry) string { return l.library.Skills(e.Entity) }

// Config returns an entry's configuration with its text, both nil if it has
// none.
func (l *Listing) Config(e *Entry) (*tree.Node, *source.File, error) {
	file, err := l.library.Config(e.Entity)
	if err != nil || file == nil {
		return nil, nil, err
	}
	node, err := yaml.ParseMapping(file.Name, file.Text)
	return node, file, err
}

// FindProgram returns where an ACLI's program is for a launch with the Options
// of the listing, "" if it is not to be found.
func (l *Listing) FindProgram(e *Entry) string { return onPath(e.Executable, l.o.Dir, l.o.Environ) }

func onPath(program, dir string, environ []string) string {
	path, err := plan.LookPath(program, dir, plan.Getenv(environ, "PATH"))
	if err != nil {
		return ""
	}
	return path
}
