package find

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"ucas/engine/source"
)

// These bound the search below a layer, for a link may lead anywhere: deeper
// than anyone sorts agents, and more groups of agents than anyone has.
const (
	maxDepth    = 64
	maxSearched = 20_000
)

// A catalog is what one layer holds of one kind. It is made of an index, if
// there is one that counts, and by a search otherwise.
type catalog struct {
	kind   kind
	layer  source.Layer
	top    string // the directory; "" if the layer is not there
	cache  string // where indexes are kept
	margin time.Duration

	index    *index
	known    map[string]*Entity // those that were handed out, by path
	entities []*Entity          // by path, unless the index stands for them
	searched []directory        // those that were listed
	chain    []fileID           // the directories that are being searched, the innermost last
	entered  []fileID           // directories reached through links
	hasLinks bool
	unnamed  []string // directories that would be entities, if their names were any
}

// A directory is one that was searched.
type directory struct {
	path  string
	stamp Stamp // zero if it could not be listed
}

// A fileID tells whether two paths lead to one directory.
type fileID struct{ dev, ino uint64 }

// open fills the catalog.
func (c *catalog) open() error {
	if c.top == "" {
		return nil
	}
	if c.index, c.searched = readIndex(c.cache, c.kind, c.top); c.index != nil {
		return nil
	}
	return c.search()
}

// named returns the entities that a name means: those whose path ends with
// it. One directory under two paths counts once.
func (c *catalog) named(name string) ([]*Entity, error) {
	candidates := c.entities
	if c.index != nil {
		candidates = nil
		for _, path := range c.index.named(name[strings.LastIndexByte(name, '/')+1:]) {
			candidates = append(candidates, c.entity(path))
		}
	}
	var found []*Entity
	for _, e := range candidates {
		if !isSuffix(e.Path, name) || slices.ContainsFunc(found, func(o *Entity) bool { return sameDir(e.Dir, o.Dir) }) {
			continue
		}
		if c.index != nil && !c.kind.marks(e.Dir) {
			if err := c.search(); err != nil { // no longer what the index says
				return nil, err
			}
			return c.named(name)
		}
		found = append(found, e)
	}
	return found, nil
}

// all returns every entity, by path.
func (c *catalog) all() []*Entity {
	if c.index != nil && c.entities == nil {
		for _, path := range c.index.all() {
			c.entities = append(c.entities, c.entity(path))
		}
		c.sort()
	}
	return c.entities
}

// entity returns the entity of a path, always the same one.
func (c *catalog) entity(path string) *Entity {
	if e := c.known[path]; e != nil {
		return e
	}
	if c.known == nil {
		c.known = make(map[string]*Entity)
	}
	e := &Entity{Name: path[strings.LastIndexByte(path, '/')+1:], Path: path, Dir: c.top + "/" + path, Layer: c.layer}
	c.known[path] = e
	return e
}

func (c *catalog) sort() {
	slices.SortFunc(c.entities, func(a, b *Entity) int { return strings.Compare(a.Path, b.Path) })
}

func sameDir(a, b string) bool {
	x, errX := idOf(a)
	y, errY := idOf(b)
	return errX == nil && errY == nil && x == y
}

// idOf returns the identity of a directory.
func idOf(path string) (fileID, error) {
	var st syscall.Stat_t
	if err := retry(func() error { return syscall.Stat(path, &st) }); err != nil {
		return fileID{}, err
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		return fileID{}, syscall.ENOTDIR
	}
	return fileID{uint64(st.Dev), st.Ino}, nil
}

// search fills the catalog from its directory; one that does not exist is
// empty. An index of what was found is left for the next run.
func (c *catalog) search() error {
	began := time.Now()
	c.index, c.entities, c.searched, c.entered, c.unnamed = nil, nil, nil, nil, nil
	err := c.list(c.top, "", 0)
	c.sort()
	if errors.Is(err, syscall.ENOENT) {
		return nil
	}
	if err == nil && len(c.entities) >= Large && !c.hasLinks && len(c.unnamed) == 0 {
		writeIndex(c, time.Since(began))
	}
	return err
}

// list searches one directory. An entity's own directory is not gone into: what
// lies there belongs to it.
func (c *catalog) list(dir, path string, depth int) error {
	if len(c.searched) == maxSearched {
		return fmt.Errorf("there are more than %d directories below it", maxSearched)
	}
	entries, id, err := c.read(dir)
	if err != nil {
		return err
	}
	c.chain = append(c.chain, id)
	defer func() { c.chain = c.chain[:len(c.chain)-1] }()
	for _, e := range entries {
		name := e.Name()
		isLink := e.Type()&os.ModeSymlink != 0
		if !e.IsDir() && !isLink || !isSearched(name) {
			continue
		}
		c.hasLinks = c.hasLinks || isLink
		if err := c.visit(dir+"/"+name, join(path, name), isLink, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// read lists a directory, and nothing else: a FIFO would make it wait.
func (c *catalog) read(dir string) ([]os.DirEntry, fileID, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		c.searched = append(c.searched, directory{path: dir})
		return nil, fileID{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fileID{}, err
	}
	st := info.Sys().(*syscall.Stat_t)
	c.searched = append(c.searched, directory{dir, stampOf(st)})
	entries, err := f.ReadDir(-1)
	// In the order of names, so that where links meet, the same one always wins.
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, fileID{uint64(st.Dev), st.Ino}, err
}

// visit takes up a directory as an entity, or searches it.
func (c *catalog) visit(dir, path string, isLink bool, depth int) error {
	if c.kind.marks(dir) {
		if e := c.entity(path); IsName(e.Name) {
			c.entities = append(c.entities, e)
		} else {
			c.unnamed = append(c.unnamed, dir)
		}
		return nil
	}
	if depth > maxDepth || isLink && !c.enterLink(dir) {
		return nil
	}
	if err := c.list(dir, path, depth); err != nil && !errors.Is(err, syscall.ENOENT) {
		return err
	}
	return nil
}

// enterLink reports whether a link leads to a directory that is not being
// searched, and that no link has led to before: so every loop of links ends,
// and a web of them costs no more than its directories.
func (c *catalog) enterLink(dir string) bool {
	id, err := idOf(dir)
	if err != nil || slices.Contains(c.chain, id) || slices.Contains(c.entered, id) {
		return false
	}
	c.entered = append(c.entered, id)
	return true
}

// marks reports whether a directory holds one of the files that make it an
// entity of this kind.
func (k kind) marks(dir string) bool {
	buf := make([]byte, 0, 256)
	buf = append(append(buf, dir...), '/')
	for _, m := range k.markers {
		if exists(string(append(buf, m...))) {
			return true
		}
	}
	return false
}

// isSearched reports whether the search goes into directories of that name.
func isSearched(name string) bool {
	return name != SkillsDir && name[0] != '.'
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}
