// Package find knows where definitions lie: the roots of the three layers, and
// the entities (agents, mods, ACLIs) and teams below them.
//
// Start with [Open], which finds the roots, then ask the [Library] for
// entities by name. The package reads directories and hands out the text of
// files; what stands in them is for others to understand.
package find

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ucas/engine/diag"
	"ucas/engine/source"
)

// The names of the files and directories that make a layer.
const (
	ConfigFile   = "ucas.yaml"          // a level's keys
	OverrideFile = "ucas-override.yaml" // a layer's vetoes
	HookFile     = "ucas.star"          // a level's layer hooks
	OverrideHook = "ucas-override.star" // those of a layer's vetoes
	PromptFile   = "PROMPT.md"          // an entity's prompt
	SkillsDir    = "skills"             // an entity's scripts
)

// Options say where the layers are.
type Options struct {
	// Dir is the working directory, an absolute path. ShownAs is how its
	// files are shown to people: "" for paths relative to it.
	Dir, ShownAs string
	// Home is the user's home directory; without one there is no user layer.
	Home string
	// SystemDir is the system layer that was asked for ($UCAS_HOME). If it
	// is empty, DefaultSystemDir is taken where that exists, and Factory
	// otherwise.
	SystemDir        string
	DefaultSystemDir string
	// Factory is the library to fall back on. It is written once to a
	// directory below CacheDir, named after its content.
	Factory  fs.FS
	CacheDir string

	margin time.Duration // for tests, in place of Margin
}

// A Library is the three layers as seen from one directory. It reads a layer's
// directories when they are first needed and once only.
type Library struct {
	// Warnings are about the layers themselves.
	Warnings diag.List

	o      Options
	roots  [4]string // by source.Layer; "" where there is none
	agents [4]*catalog
	teams  [4]*catalog
	inputs []Input
	texts  arena // of the files that were read
}

// An Input is a path that was read or looked for.
type Input struct {
	Path    string
	Present bool
	// Listed says that the names in it were read: it is, or would be, a
	// directory.
	Listed bool
}

// strongestFirst is the order of every search.
var strongestFirst = [...]source.Layer{source.ProjectLayer, source.UserLayer, source.SystemLayer}

// Open finds the roots of the layers.
func Open(o Options) (*Library, error) {
	l := &Library{o: o}
	for _, dir := range []string{o.Dir, o.Home, o.SystemDir, o.CacheDir} {
		if dir != "" && !filepath.IsAbs(dir) {
			return l, diag.Errorf("%s is no absolute path", dir).WithHint("name the directory from the root on")
		}
	}
	for _, find := range []func() error{l.findUser, l.findProject, l.findSystem} {
		if err := find(); err != nil {
			return l, err
		}
	}
	return l, nil
}

// Root returns the directory of a layer, "" if there is none.
func (l *Library) Root(layer source.Layer) string { return l.roots[layer] }

// Note records a path that was read or looked for, here or by somebody else.
func (l *Library) Note(path string, present bool) {
	l.inputs = append(l.inputs, Input{Path: path, Present: present})
}

// Inputs returns what was read or looked for so far.
func (l *Library) Inputs() []Input { return l.inputs }

func (l *Library) findUser() error {
	if l.o.Home == "" {
		l.warn("HOME is not set, so there is no user layer (~/.ucas)")
		return nil
	}
	dir := filepath.Join(l.o.Home, source.ProjectDir)
	present, err := l.isLayer(dir)
	if present {
		l.roots[source.UserLayer] = dir
	}
	return err
}

func (l *Library) findProject() error {
	dir := filepath.Join(l.o.Dir, source.ProjectDir)
	present, err := l.isLayer(dir)
	if err != nil {
		return err
	}
	if present && l.isUserRoot(dir) {
		return nil // the home directory: its layer is the user's
	}
	if present {
		l.roots[source.ProjectLayer] = dir
	}
	if !present || holdsOnlyArtifacts(dir) {
		l.warnOfParent()
	}
	return nil
}

// warnOfParent warns if a directory above has a project layer: its vetoes do
// not count here, and that must not pass in silence.
func (l *Library) warnOfParent() {
	for dir := filepath.Dir(l.o.Dir); ; dir = filepath.Dir(dir) {
		layer := filepath.Join(dir, source.ProjectDir)
		if info, err := os.Stat(layer); err == nil && info.IsDir() && !l.isUserRoot(layer) && !holdsOnlyArtifacts(layer) {
			l.Warnings = append(l.Warnings, diag.Warn(source.Span{},
				"there is no %s here; the one in %s is not used", source.ProjectDir, dir).
				WithHint("run ucas -C %s ..., or from that directory", dir))
			return
		}
		if dir == filepath.Dir(dir) {
			return
		}
	}
}

func (l *Library) isUserRoot(dir string) bool {
	user := l.roots[source.UserLayer]
	if user == "" || user == dir {
		return user == dir
	}
	a, errA := os.Stat(user)
	b, errB := os.Stat(dir)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

func (l *Library) findSystem() error {
	dir, why := l.o.SystemDir, "UCAS_HOME"
	if dir == "" && l.o.DefaultSystemDir != "" {
		if info, err := os.Stat(l.o.DefaultSystemDir); err == nil && info.IsDir() {
			dir = l.o.DefaultSystemDir
		}
	}
	if dir == "" && l.o.Factory != nil {
		unpacked, err := unpack(l.o.Factory, l.o.CacheDir)
		if err != nil {
			return err
		}
		dir, why = unpacked, "factory library"
	}
	if dir == "" {
		return nil
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return diag.Errorf("%s: %s is no directory", why, dir).
			WithHint("set UCAS_HOME to the directory of the system layer, or unset it to use the factory library")
	}
	l.roots[source.SystemLayer] = filepath.Clean(dir)
	return nil
}

// isLayer reports whether a layer's directory exists. Something else of that
// name, or a link to nowhere, is an error: a veto could get lost in it.
func (l *Library) isLayer(dir string) (bool, error) {
	info, err := os.Stat(dir)
	l.Note(dir, err == nil)
	if err == nil {
		if info.IsDir() {
			return true, nil
		}
		return false, diag.Errorf("%s is no directory, but it is where a layer is kept", l.Show(dir)).
			WithHint("move that file away")
	}
	if _, lerr := os.Lstat(dir); lerr != nil && os.IsNotExist(err) {
		return false, nil
	}
	return false, diag.Errorf("cannot read the layer %s: %s", l.Show(dir), reason(err)).WithCause(err).
		WithHint("mend or remove it")
}

// holdsOnlyArtifacts reports whether a project layer holds nothing but what
// launches write there.
func holdsOnlyArtifacts(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.Name() != source.TmpDir && e.Name() != source.MemDir {
			return false
		}
	}
	return true
}

func (l *Library) warn(format string, args ...any) {
	l.Warnings = append(l.Warnings, diag.Warn(source.Span{}, format, args...))
}

// Show returns a path as people would write it: relative to the working
// directory, or with ~ for the home directory.
func (l *Library) Show(path string) string {
	if rel, ok := below(path, l.o.Dir); ok {
		return filepath.Join(l.o.ShownAs, rel)
	}
	if rel, ok := below(path, l.o.Home); ok {
		return "~" + string(filepath.Separator) + rel
	}
	return path
}

// below returns the path relative to a directory that it lies in.
func below(path, dir string) (string, bool) {
	if dir == "" || len(path) <= len(dir)+1 || !strings.HasPrefix(path, dir) {
		return "", false
	}
	if strings.HasSuffix(dir, string(filepath.Separator)) {
		return path[len(dir):], true
	}
	if path[len(dir)] != filepath.Separator {
		return "", false
	}
	return path[len(dir)+1:], true
}
