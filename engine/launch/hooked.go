package launch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ucas/engine/plan"
)

// The files that a harness's command hook asks for lie in a directory of the
// session's own. Its manifest lists those that ucas wrote: what an earlier launch
// left there and this one does not want must not reach the harness, and what
// the harness put there itself is not ours to remove.

// takeOver removes what the manifest of an earlier launch lists and the Plan
// does not want, or wants as something else, and leaves a new manifest.
func takeOver(p *plan.Plan, made map[string]bool) error {
	if p.FilesDir == "" {
		return nil // a Plan that nobody built
	}
	manifest := filepath.Join(p.FilesDir, plan.Manifest)
	wanted := make(map[string]bool) // by path: is it a link?
	var names strings.Builder
	for _, f := range p.Files {
		if name, ok := p.HookFile(f); ok {
			wanted[f.Path] = f.Link != ""
			names.WriteString(name + "\n")
		}
	}
	if _, err := os.Lstat(manifest); err != nil && len(wanted) == 0 {
		return nil // there never was one, and none is needed
	}
	if err := makeDir(p.Dir, p.FilesDir, made); err != nil {
		return err
	}
	old, err := readManifest(manifest)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(p.FilesDir)
	if err != nil {
		return fileProblem("open", p.FilesDir, err)
	}
	defer root.Close()
	for name := range strings.Lines(string(old)) {
		name = strings.TrimSuffix(name, "\n")
		if filepath.IsLocal(name) {
			if err := discard(root, name, wanted); err != nil {
				return err
			}
		}
	}
	return writeFile(manifest, names.String())
}

// readManifest returns what an earlier launch listed. The repository may have
// put anything there: only a private, regular file is ours.
func readManifest(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case errors.Is(err, syscall.ELOOP):
		return "", notRegular(path)
	case err != nil:
		return "", fileProblem("read", path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxManifest {
		return "", notRegular(path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxManifest))
	return string(text), err
}

const maxManifest = 4 << 20

// discard removes a file of an earlier launch, and the directories that are
// empty without it, unless it is wanted as what it is. It follows no link: one
// in the way is not of an earlier launch.
func discard(root *os.Root, name string, wanted map[string]bool) error {
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		if info, err := root.Lstat(dir); err != nil || !info.IsDir() {
			return nil
		}
	}
	info, err := root.Lstat(name)
	if err != nil || info.IsDir() {
		return nil
	}
	path := filepath.Join(root.Name(), name)
	isLink := info.Mode()&fs.ModeSymlink != 0
	if link, ok := wanted[path]; ok && link == isLink {
		return nil
	}
	if err := root.Remove(name); err != nil {
		return fileProblem("remove", path, err)
	}
	for parent := filepath.Dir(name); parent != "."; parent = filepath.Dir(parent) {
		if root.Remove(parent) != nil {
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
	tmp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".new-%d-%d", os.Getpid(), time.Now().UnixNano()))
	if err := os.Symlink(target, tmp); err != nil {
		return fileProblem("write", path, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		os.Remove(tmp)
		return fileProblem("write", path, err)
	}
	return nil
}
