package find

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"

	"ucas/engine/diag"
)

// unpack writes a library to a directory below the cache that is named after
// the library's content, unless it is there already, and returns that
// directory. Two that do so at once do not disturb each other.
func unpack(library fs.FS, cache string) (string, error) {
	if cache == "" {
		return "", diag.Errorf("there is no cache directory for the factory library").
			WithHint("set HOME, or set UCAS_HOME to a directory with a library of its own")
	}
	hash, err := hashFS(library)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "ucas", "factory-"+hash)
	if exists(dir) {
		return dir, nil
	}
	if err := unpackTo(dir, library); err != nil {
		return "", diag.Errorf("cannot write the factory library to %s: %s", dir, reason(err)).WithCause(err).
			WithHint("make that directory writable, or set XDG_CACHE_HOME or UCAS_HOME to another")
	}
	return dir, nil
}

// unpackTo writes to a temporary directory and renames it, so that a library
// is there whole or not at all.
func unpackTo(dir string, library fs.FS) error {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(parent, ".factory-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := copyFS(tmp, library); err != nil {
		return err
	}
	if err := os.Rename(tmp, dir); err != nil && !exists(dir) {
		return err
	}
	return nil
}

// copyFS writes the files of a library; those below skills are programs.
func copyFS(dir string, library fs.FS) error {
	return fs.WalkDir(library, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(path))
		if e.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		text, err := fs.ReadFile(library, path)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o444)
		if filepath.Base(filepath.Dir(target)) == SkillsDir {
			mode = 0o555
		}
		return os.WriteFile(target, text, mode)
	})
}

// hashFS returns a name for the content of a library: every path and text.
func hashFS(library fs.FS) (string, error) {
	h := fnv.New64a()
	err := fs.WalkDir(library, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(library, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%s\x00%d\x00", path, len(text))
		h.Write(text)
		return nil
	})
	return fmt.Sprintf("%016x", h.Sum64()), err
}
