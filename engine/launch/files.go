package launch

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"

	"ucas/engine/diag"
	"ucas/engine/plan"
	"ucas/engine/source"
)

// WriteFiles makes the directories of a Plan and writes its files, each of
// them readable by its owner alone and replaced as a whole. A file that is as
// it should be is left alone.
func WriteFiles(p *plan.Plan) error {
	made := make(map[string]bool, 2)
	for _, dir := range p.Dirs {
		if err := makeDir(p.Dir, dir, made); err != nil {
			return err
		}
	}
	if err := takeOver(p, made); err != nil {
		return err
	}
	for _, f := range p.Files {
		if err := makeDir(p.Dir, filepath.Dir(f.Path), made); err != nil {
			return err
		}
		if err := write(f); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file or makes a link.
func write(f plan.File) error {
	if f.Link != "" {
		return writeLink(f.Path, f.Link)
	}
	return writeFile(f.Path, f.Text)
}

// makeDir makes a directory in .ucas/tmp or .ucas/mem, and those above it. The
// directories in made are known to be there.
func makeDir(project, dir string, made map[string]bool) error {
	if made[dir] {
		return nil
	}
	top, ok := topDir(project, dir)
	if !ok {
		return diag.Errorf("%s is not in .ucas/%s or .ucas/%s: a launch writes nowhere else", dir, source.TmpDir, source.MemDir).
			WithHint("this is a bug in ucas, please report it")
	}
	if !made[top] {
		if err := makeTop(top); err != nil {
			return err
		}
		made[top] = true
	}
	if dir != top {
		if err := makeDir(project, filepath.Dir(dir), made); err != nil {
			return err
		}
		if err := makeOne(dir); err != nil {
			return err
		}
	}
	made[dir] = true
	return nil
}

// makeOne makes a directory, if it is not there. A link in its place could lead
// out of the project, and is refused.
func makeOne(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		return nil
	}
	if info, lerr := os.Lstat(dir); lerr == nil && !info.IsDir() {
		return inTheWay(dir, info.Mode())
	} else if lerr == nil {
		return nil
	}
	return fileProblem("make", dir, err)
}

// inTheWay is the error that something else is where a directory belongs.
func inTheWay(dir string, mode fs.FileMode) error {
	return diag.Errorf("%s is %s, not a directory", dir, kind(mode)).
		WithHint("move it away, ucas makes the directory: mv %s %s", quoted(dir), quoted(dir+".old"))
}

// topDir returns the one of a project's folders that holds a directory.
func topDir(project, dir string) (string, bool) {
	for _, name := range [...]string{source.TmpDir, source.MemDir} {
		top := filepath.Join(project, source.ProjectDir, name)
		if rel, err := filepath.Rel(top, dir); err == nil && filepath.IsLocal(rel) {
			return top, true
		}
	}
	return "", false
}

// makeTop makes one of the folders, and the .gitignore in it. A link in its
// place could lead out of the project, and is refused.
func makeTop(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.Mkdir(filepath.Dir(dir), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return fileProblem("make", filepath.Dir(dir), err)
		}
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return fileProblem("make", dir, err)
		}
	case err != nil:
		return fileProblem("make", dir, err)
	case !info.IsDir():
		return inTheWay(dir, info.Mode())
	}
	ignore := filepath.Join(dir, ".gitignore")
	if _, err := os.Lstat(ignore); err == nil {
		return nil
	}
	return replaceFile(ignore, "*\n")
}

// writeFile makes the file hold the text, unless it does already.
func writeFile(path, text string) error {
	same, err := holds(path, text)
	if err != nil || same {
		return err
	}
	return replaceFile(path, text)
}

// holds reports whether a file has the text and is private. What is there but
// is no regular file is an error: somebody put it there on purpose.
func holds(path, text string) (bool, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	switch {
	case err == nil:
		defer f.Close()
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENXIO):
		return false, notRegular(path)
	default:
		// If it is unreadable but can be replaced, that is what happens.
		return false, nil
	}
	info, err := f.Stat()
	if err != nil {
		return false, fileProblem("read", path, err)
	}
	if !info.Mode().IsRegular() {
		return false, notRegular(path)
	}
	if info.Mode().Perm() != 0o600 || info.Size() != int64(len(text)) {
		return false, nil
	}
	old := make([]byte, len(text))
	_, err = io.ReadFull(f, old)
	return err == nil && string(old) == text, nil
}

// replaceFile writes a private file beside the path and renames it. Whoever
// opens the path sees the old text or the new one, never a part.
func replaceFile(path, text string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return fileProblem("write", path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fileProblem("write", path, err)
		}
	}()
	if _, err := f.WriteString(text); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func notRegular(path string) error {
	what := "no regular file"
	if info, err := os.Lstat(path); err == nil {
		what = kind(info.Mode()) + ", not a regular file"
	}
	return diag.Errorf("%s is %s; ucas does not write through it", path, what).
		WithHint("move it away: mv %s %s", quoted(path), quoted(path+".old"))
}

// notOurs is the error that something is where a link belongs.
func notOurs(path string, mode fs.FileMode) error {
	return diag.Errorf("%s is %s, and a link belongs there", path, kind(mode)).
		WithHint("move it away: mv %s %s", quoted(path), quoted(path+".old"))
}

// kind returns what is at a path, with its article.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a file"
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	}
	return "a special file"
}

// fileProblem says what could not be done to a path, and the way out.
func fileProblem(verb, path string, err error) *diag.Problem {
	cause := err
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		cause = pathErr.Err
	case errors.As(err, &linkErr):
		cause = linkErr.Err
	}
	return diag.Errorf("cannot %s %s: %v", verb, path, cause).
		WithHint("%s", wayOut(path, cause)).WithCause(err)
}

// wayOut says what to do about an error of the file system.
func wayOut(path string, err error) string {
	switch {
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only: use a copy of the project on one that can be written"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "make room on the disk: df -h " + quoted(filepath.Dir(path))
	case errors.Is(err, fs.ErrPermission):
		return "see who may write there: ls -ld " + quoted(filepath.Dir(path))
	case errors.Is(err, syscall.ENOTDIR):
		return "something above it is a file: ls -ld " + quoted(filepath.Dir(path))
	case errors.Is(err, syscall.ENAMETOOLONG):
		return "choose a shorter name: --name NAME"
	case errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTEMPTY), errors.Is(err, fs.ErrExist):
		return "move it away: mv " + quoted(path) + " " + quoted(path+".old")
	}
	return "look at the directory: ls -ld " + quoted(filepath.Dir(path))
}

// quoted returns a path as a shell is to be given it.
func quoted(path string) string {
	special := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+:@,", r)
	}
	if !strings.ContainsFunc(path, special) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
