package find

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ucas/engine/diag"
	"ucas/engine/source"
)

// An Entity is a directory that defines something: an agent, a mod or an ACLI
// below a layer's agents/, or a team below its teams/.
type Entity struct {
	// Name is the name of the directory, Path its path below agents/ or
	// teams/ with slashes ("utils/git-mod").
	Name, Path string
	Dir        string
	Layer      source.Layer
}

// A kind is what is searched for.
type kind struct {
	word    string   // what users call it
	dir     string   // the directory of a layer that holds all of them
	markers []string // one of these makes a directory an entity; a trailing slash asks for a directory
}

var (
	agentKind = kind{"agent", "agents", []string{ConfigFile, PromptFile, SkillsDir + "/", HookFile}}
	teamKind  = kind{"team", "teams", []string{ConfigFile, HookFile}}
)

// Agent finds an agent, mod or ACLI by its name, or by the end of its path
// ("utils/git-mod"). Word says what the name was meant to be, for errors.
func (l *Library) Agent(word, name string) (*Entity, error) {
	return l.resolve(agentKind, &l.agents, word, name)
}

// Team finds a team.
func (l *Library) Team(name string) (*Entity, error) {
	return l.resolve(teamKind, &l.teams, teamKind.word, name)
}

// Agents returns every entity below agents/, the strongest layer first, by
// path in each.
func (l *Library) Agents() ([]*Entity, error) { return l.all(agentKind, &l.agents) }

// Teams returns every team, in the same order.
func (l *Library) Teams() ([]*Entity, error) { return l.all(teamKind, &l.teams) }

// ErrUnknown is the cause of an error that no layer has a name.
var ErrUnknown = errors.New("no such name")

const nameHint = "names consist of letters, digits, '.', '_' and '-', and start with a letter or digit;\nseveral are joined by '/'"

// CheckName returns an error if a name can be no entity's; word says what it
// was meant to be.
func CheckName(word, name string) error {
	if IsName(name) {
		return nil
	}
	return diag.Errorf("%q is no name for %s", name, article(word)).WithHint(nameHint)
}

func (l *Library) resolve(k kind, catalogs *[4]*catalog, word, name string) (*Entity, error) {
	if err := CheckName(word, name); err != nil {
		return nil, err
	}
	e, err := l.look(k, catalogs, word, name)
	if e != nil || err != nil {
		return e, err
	}
	if searched, err := l.searchAgain(catalogs); err != nil {
		return nil, err
	} else if searched {
		return l.resolve(k, catalogs, word, name)
	}
	return nil, l.unknown(k, catalogs, word, name)
}

// look returns the entity that a name means, nil if no layer has one.
func (l *Library) look(k kind, catalogs *[4]*catalog, word, name string) (*Entity, error) {
	for _, layer := range strongestFirst {
		c, err := l.catalog(k, catalogs, layer)
		if err != nil {
			return nil, err
		}
		found, err := c.named(name)
		switch {
		case err != nil:
			return nil, l.unsearchable(c, err)
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return nil, l.ambiguous(c, word, name, found)
		}
	}
	return nil, nil
}

// searchAgain searches the layers that were known by their index only: before
// something is said not to exist, it was looked for. It reports whether there
// was one.
func (l *Library) searchAgain(catalogs *[4]*catalog) (searched bool, err error) {
	for _, c := range catalogs {
		if c != nil && c.index != nil {
			if err := c.search(); err != nil {
				return false, l.unsearchable(c, err)
			}
			searched = true
		}
	}
	return searched, nil
}

func (l *Library) ambiguous(c *catalog, word, name string, found []*Entity) error {
	var dirs, names []string
	for _, e := range found {
		dirs = append(dirs, l.Show(e.Dir))
		if same, err := c.named(e.Path); err == nil && len(same) == 1 {
			names = append(names, e.Path)
		}
	}
	p := diag.Errorf("%s %q is defined more than once in the %s layer: %s",
		word, name, found[0].Layer, strings.Join(dirs, ", "))
	if len(names) == 0 {
		return p.WithHint("rename one")
	}
	return p.WithHint("name one by its path (%s), or rename one", strings.Join(names, " or "))
}

func (l *Library) unknown(k kind, catalogs *[4]*catalog, word, name string) error {
	var names []string
	p := diag.Errorf("there is no %s %q in any layer", word, name).WithCause(ErrUnknown)
	for _, layer := range strongestFirst {
		c, err := l.catalog(k, catalogs, layer)
		if err != nil {
			return err
		}
		for _, e := range c.all() {
			names = append(names, e.Name)
		}
		if p.Hint == "" {
			p.Hint = l.nearMiss(k, layer, name)
		}
	}
	if k.word == agentKind.word {
		if team, err := l.look(teamKind, &l.teams, teamKind.word, name); err == nil && team != nil {
			p.Hint = name + " is a team; this version runs agents only"
		}
	}
	if p.Hint == "" {
		p.Hint = diag.DidYouMean(name, names)
	}
	if p.Hint == "" {
		p.Hint = "ucas list shows what there is"
	}
	return p
}

// nearMiss looks for a directory of that name that is not taken for an entity,
// and says why.
func (l *Library) nearMiss(k kind, layer source.Layer, name string) (why string) {
	root := l.roots[layer]
	if root == "" {
		return ""
	}
	top := filepath.Join(root, k.dir)
	walkAll(top, 0, func(dir string) bool {
		if dir == top || !isSuffix(filepath.ToSlash(strings.TrimPrefix(dir, top)), name) {
			return true
		}
		if other := misnamed(filepath.Join(dir, ConfigFile)); other != "" && !k.marks(dir) {
			why = l.Show(other) + " is not read: rename it to " + ConfigFile
		} else if !k.marks(dir) {
			why = l.Show(dir) + " holds none of " + strings.Join(k.markers, ", ")
		} else {
			why = l.Show(dir) + " lies inside another " + k.word + ", where ucas does not look: move it out"
		}
		return false
	})
	return diag.Escape(why)
}

// walkAll visits directories until visit returns false, going into
// everything but links, skills and dot directories.
func walkAll(dir string, depth int, visit func(dir string) bool) bool {
	if !visit(dir) {
		return false
	}
	entries, err := os.ReadDir(dir)
	if err != nil || depth == maxDepth {
		return true
	}
	for _, e := range entries {
		if e.IsDir() && isSearched(e.Name()) && !walkAll(filepath.Join(dir, e.Name()), depth+1, visit) {
			return false
		}
	}
	return true
}

func (l *Library) all(k kind, catalogs *[4]*catalog) ([]*Entity, error) {
	var all []*Entity
	for _, layer := range strongestFirst {
		c, err := l.catalog(k, catalogs, layer)
		if err != nil {
			return nil, err
		}
		all = append(all, c.all()...)
	}
	return all, nil
}

func (l *Library) catalog(k kind, catalogs *[4]*catalog, layer source.Layer) (*catalog, error) {
	if catalogs[layer] != nil {
		return catalogs[layer], nil
	}
	c := &catalog{kind: k, layer: layer, cache: l.o.CacheDir, margin: l.o.margin}
	if root := l.roots[layer]; root != "" {
		c.top = filepath.Join(root, k.dir)
	}
	if err := c.open(); err != nil {
		return nil, l.unsearchable(c, err)
	}
	for _, dir := range c.unnamed {
		l.Warnings = append(l.Warnings, diag.Warn(source.Span{}, "%s is not used: its name is no name for %s", l.Show(dir), article(k.word)).
			WithHint("%s", diag.Lines(nameHint)))
	}
	for _, d := range c.searched {
		l.inputs = append(l.inputs, Input{Path: d.path, Present: d.stamp != Stamp{}, Listed: true})
	}
	catalogs[layer] = c
	return c, nil
}

func (l *Library) unsearchable(c *catalog, err error) error {
	path := c.top
	var failed *os.PathError
	if errors.As(err, &failed) {
		path = failed.Path
	}
	return diag.Errorf("cannot search %s: %s", l.Show(path), reason(err)).WithCause(err).
		WithHint("below %s there must be directories that you can read, and links to such", l.Show(c.top))
}

// IsName reports whether a name can be that of an entity: it reaches no file
// outside the layers, and no shell or terminal reads anything into it.
func IsName(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || !isAlphanumeric(part[0]) {
			return false
		}
		for i := range len(part) {
			if c := part[i]; !isAlphanumeric(c) && c != '.' && c != '_' && c != '-' {
				return false
			}
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// isSuffix reports whether a path ends with the parts of a name.
func isSuffix(path, name string) bool {
	return path == name || strings.HasSuffix(path, "/"+name)
}

func article(word string) string {
	if slices.Contains([]byte("AEIOUaeiou"), word[0]) {
		return "an " + word
	}
	return "a " + word
}
