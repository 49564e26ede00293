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

// maxGlob is how many paths a pattern may match.
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
	l.inputs = append(l.inputs, Input{Path: path, Present: err == nil})
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
	l.inputs = append(l.inputs, Input{Path: path, Present: err == nil})
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
	root, err := os.OpenRoot(l.roots[at.Layer])
	if err != nil {
		return nil, l.insideProblem(pattern, l.roots[at.Layer], err)
	}
	defer root.Close()
	matches, err := fs.Glob(listing{root.FS(), l, l.roots[at.Layer]}, filepath.ToSlash(rel))
	switch {
	case err != nil:
		return nil, diag.Errorf("%q is no pattern: %s", pattern, err).
			WithHint("* stands for any text without a slash, ? for one character, [a-z] for one of several")
	case len(matches) > maxGlob:
		return nil, diag.Errorf("%q matches %d paths; at most %d are given to a hook", pattern, len(matches), maxGlob).
			WithHint("ask for fewer")
	}
	matches = slices.DeleteFunc(matches, isArtifact)
	base := l.relative(at)
	for i, m := range matches {
		if matches[i], err = filepath.Rel(base, filepath.FromSlash(m)); err != nil {
			return nil, l.insideProblem(pattern, m, err)
		}
	}
	return matches, nil
}

// A listing is a layer whose directories are recorded as they are listed.
type listing struct {
	fs.FS
	library *Library
	root    string
}

// Open opens a directory, or a file that is only looked at.
func (d listing) Open(name string) (fs.File, error) {
	f, err := d.FS.Open(name)
	d.library.inputs = append(d.library.inputs, Input{Path: filepath.Join(d.root, name), Present: err == nil, Listed: true})
	return f, err
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
	if isArtifact(rel) {
		return "", diag.Errorf("%q is in %s/ or %s/, which hooks cannot see: what is there changes from run to run",
			name, source.TmpDir, source.MemDir).WithHint("keep what hooks need beside them")
	}
	return filepath.FromSlash(rel), nil
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
