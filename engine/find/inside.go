package find

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ucas/engine/diag"
	"ucas/engine/source"
)

// Layer hooks see the files of their own layer and no others. Package os
// watches over that ([os.Root]): no "..", no absolute path and no link leads
// out, also if somebody changes links meanwhile.

// maxInside is the largest file that a hook can read.
const maxInside = 1 << 20

// maxGlob is how many paths may be looked at for a pattern.
const maxGlob = 10_000

// A Place is the directory that a hook's paths are relative to.
type Place struct {
	Layer source.Layer
	// Dir is a directory of the layer, an absolute path.
	Dir string
}

// ReadInside returns the text of a file of a layer, nil if there is none.
func (l *Library) ReadInside(at Place, name string) (*source.File, error) {
	rel, err := l.inside(at, name)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(l.roots[at.Layer], rel)
	text, err := l.readIn(at.Layer, rel)
	l.Note(path, err == nil)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, l.insideProblem(name, path, err)
	}
	f := source.NewFile(l.Show(path), text)
	f.Path = path
	return f, nil
}

func (l *Library) readIn(layer source.Layer, rel string) ([]byte, error) {
	root, err := os.OpenRoot(l.roots[layer])
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	}
	text, err := io.ReadAll(io.LimitReader(f, maxInside+1))
	if err == nil && len(text) > maxInside {
		err = errTooLargeForHook
	}
	return text, err
}

var errTooLargeForHook = fmt.Errorf("larger than %d MiB", maxInside>>20)

// ExistsInside reports whether there is anything at a path of a layer.
func (l *Library) ExistsInside(at Place, name string) (bool, error) {
	rel, err := l.inside(at, name)
	if err != nil {
		return false, err
	}
	path := filepath.Join(l.roots[at.Layer], rel)
	root, err := os.OpenRoot(l.roots[at.Layer])
	if err != nil {
		return false, l.insideProblem(name, path, err)
	}
	defer root.Close()
	_, err = root.Stat(rel)
	l.Note(path, err == nil)
	if err == nil || isMissing(err) {
		return err == nil, nil
	}
	return false, l.insideProblem(name, path, err)
}

// GlobInside returns the paths of a layer that match a pattern, as
// [path.Match] has it for each part, sorted; they are relative to the place.
func (l *Library) GlobInside(at Place, pattern string) ([]string, error) {
	rel, err := l.inside(at, pattern)
	if err != nil {
		return nil, err
	}
	if strings.Contains(pattern, "**") {
		return nil, diag.Errorf("%q: ** has no meaning here", pattern).WithHint("name each level: */*.txt")
	}
	if _, err := path.Match(rel, ""); err != nil {
		return nil, diag.Errorf("%q is no pattern: %s", pattern, err).
			WithHint("* stands for any text without a slash, ? for one character, [a-z] for one of several")
	}
	root, err := os.OpenRoot(l.roots[at.Layer])
	if err != nil {
		return nil, l.insideProblem(pattern, l.roots[at.Layer], err)
	}
	defer root.Close()
	g := globber{library: l, root: root, dir: l.roots[at.Layer]}
	g.expand(".", strings.Split(filepath.ToSlash(rel), "/"))
	if g.seen > maxGlob {
		return nil, diag.Errorf("%q: more than %d paths would have to be looked at", pattern, maxGlob).
			WithHint("ask for fewer")
	}
	base := l.relative(at)
	for i, m := range g.matches {
		if g.matches[i], err = filepath.Rel(base, filepath.FromSlash(m)); err != nil {
			return nil, l.insideProblem(pattern, m, err)
		}
	}
	slices.Sort(g.matches)
	return g.matches, nil
}

// A globber looks for the paths of a layer that match a pattern. (What package
// io/fs has looks at as many as there are, opens what makes it wait, and leaves
// no record.)
type globber struct {
	library *Library
	root    *os.Root
	dir     string // of the root
	matches []string
	seen    int // how many names were looked at
}

// expand adds what matches the parts of a pattern in a directory of the layer.
func (g *globber) expand(dir string, parts []string) {
	part, rest := parts[0], parts[1:]
	if !strings.ContainsAny(part, `*?[\`) {
		g.take(path.Join(dir, part), rest)
		return
	}
	for _, name := range g.names(dir) {
		if g.seen++; g.seen > maxGlob {
			return
		}
		if ok, _ := path.Match(part, name); ok {
			g.take(path.Join(dir, name), rest)
		}
	}
}

// take takes up a path that matches so far.
func (g *globber) take(name string, rest []string) {
	if g.seen++; g.seen > maxGlob || isArtifact(name) {
		return
	}
	if len(rest) > 0 {
		g.expand(name, rest)
		return
	}
	_, err := g.root.Lstat(name)
	g.library.Note(filepath.Join(g.dir, name), err == nil)
	if err == nil && !isHidden(g.dir, name) {
		g.matches = append(g.matches, name)
	}
}

// names returns the names in a directory, none if it is no directory of the
// layer, or one of those that hooks cannot see.
func (g *globber) names(dir string) []string {
	f, err := g.root.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err == nil {
		defer f.Close()
		if isHidden(g.dir, dir) {
			return nil
		}
	}
	g.library.inputs = append(g.library.inputs, Input{Path: filepath.Join(g.dir, dir), Present: err == nil, Listed: true})
	if err != nil {
		return nil
	}
	names, _ := f.Readdirnames(maxGlob + 1) // as far as they can be read
	slices.Sort(names)
	return names
}

// relative returns a place as a path from the root of its layer.
func (l *Library) relative(at Place) string {
	rel, ok := below(at.Dir, l.roots[at.Layer])
	if !ok {
		return "."
	}
	return rel
}

// inside returns what a path of a hook means, from the root of its layer.
func (l *Library) inside(at Place, name string) (string, error) {
	if l.roots[at.Layer] == "" {
		return "", diag.Errorf("there is no %s layer to look into", at.Layer)
	}
	base := filepath.ToSlash(l.relative(at))
	rest, fromRoot := strings.CutPrefix(name, "//")
	if fromRoot {
		base = "."
	}
	switch {
	case rest == "" || strings.ContainsRune(rest, 0):
		return "", diag.Errorf("%q is no path", name).WithHint("name a file beside the hook, or //NAME from the layer's own directory on")
	case path.IsAbs(rest):
		return "", outside(name).WithHint("write //NAME for a path from the layer's own directory on")
	}
	rel := path.Join(base, rest)
	if !fs.ValidPath(rel) {
		return "", outside(name)
	}
	if isArtifact(rel) || isHidden(l.roots[at.Layer], rel) {
		return "", diag.Errorf("%q is in %s/ or %s/, which hooks cannot see: what is there changes from run to run",
			name, source.TmpDir, source.MemDir).WithHint("keep what hooks need beside them")
	}
	return filepath.FromSlash(rel), nil
}

// isHidden reports whether a path, from the root of a layer, leads by links to
// what launches write there. (No link leads to another layer.)
func isHidden(root, rel string) bool {
	real, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(rel)))
	if err != nil {
		return false // there is nothing to see
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return false
	}
	rel, ok := below(real, root)
	return ok && isArtifact(filepath.ToSlash(rel))
}

// isArtifact reports whether a path, from the root of a layer, is what launches
// write there.
func isArtifact(rel string) bool {
	top, _, _ := strings.Cut(rel, "/")
	return top == source.TmpDir || top == source.MemDir
}

func outside(name string) *diag.Problem {
	return diag.Errorf("%q leads out of the layer: hooks see the files of their own layer only", name).
		WithHint("keep the file in the layer; name it by a path relative to the hook's file")
}

// isMissing reports whether an error says that there is nothing.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// insideProblem says why a path of a layer cannot be looked at.
func (l *Library) insideProblem(name, path string, err error) error {
	if reason(err) == "path escapes from parent" { // package os does not export this error
		return outside(name).WithHint("a link on the way to %s leads out: put the file itself there", l.Show(path))
	}
	p := diag.Errorf("cannot read %s: %s", l.Show(path), reason(err)).WithCause(err)
	if errors.Is(err, errTooLargeForHook) {
		return p.WithHint("give a hook only what it needs")
	}
	return p.WithHint("%s", readHint(err))
}

// IsFactory reports whether a file of the system layer is the factory library's
// own, unchanged.
func (l *Library) IsFactory(f *source.File) bool {
	rel, ok := below(f.Path, l.roots[source.SystemLayer])
	if !ok || l.o.Factory == nil {
		return false
	}
	text, err := fs.ReadFile(l.o.Factory, filepath.ToSlash(rel))
	return err == nil && bytes.Equal(text, f.Text)
}
