package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ucas/engine/plan"
)

// The files that a harness's command hook asks for lie in a directory of the
// session's own. Its manifest lists those that ucas wrote: what an earlier launch
// left there and this one does not want must not reach the harness, and what
// the harness put there itself is not ours to remove.

// takeOver removes what the manifest of an earlier launch lists and the Plan
// does not want, or wants as something else, and leaves a new manifest.
func takeOver(p *plan.Plan) error {
	manifest := filepath.Join(p.FilesDir, plan.Manifest)
	wanted := make(map[string]bool) // by path: is it a link?
	var names strings.Builder
	for _, f := range p.Files {
		if rel, err := filepath.Rel(p.FilesDir, f.Path); err == nil && filepath.IsLocal(rel) {
			wanted[f.Path] = f.Link != ""
			names.WriteString(rel + "\n")
		}
	}
	old, err := os.ReadFile(manifest)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fileProblem("read", manifest, err)
	}
	for name := range strings.Lines(string(old)) {
		name = strings.TrimSuffix(name, "\n")
		if filepath.IsLocal(name) {
			if err := discard(p.FilesDir, name, wanted); err != nil {
				return err
			}
		}
	}
	return writeFile(manifest, names.String())
}

// discard removes a file of an earlier launch, and the directories that are
// empty without it, unless it is wanted as what it is.
func discard(dir, name string, wanted map[string]bool) error {
	path := filepath.Join(dir, name)
	info, err := os.Lstat(path)
	if err != nil || info.IsDir() {
		return nil
	}
	isLink := info.Mode()&fs.ModeSymlink != 0
	if link, ok := wanted[path]; ok && link == isLink {
		return nil
	}
	if err := os.Remove(path); err != nil {
		return fileProblem("remove", path, err)
	}
	for parent := filepath.Dir(path); parent != dir; parent = filepath.Dir(parent) {
		if os.Remove(parent) != nil {
			break // it holds something else
		}
	}
	return nil
}

// writeLink makes a link to the target, unless it is there already. Anything but
// a link in its place was put there by somebody, and is an error.
func writeLink(path, target string) error {
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.Mode()&fs.ModeSymlink == 0:
		return notOurs(path, info.Mode())
	case err == nil:
		if old, err := os.Readlink(path); err == nil && old == target {
			return nil
		}
	}
	tmp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".new-%d", os.Getpid()))
	if err := os.Symlink(target, tmp); err != nil {
		return fileProblem("write", path, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		os.Remove(tmp)
		return fileProblem("write", path, err)
	}
	return nil
}
