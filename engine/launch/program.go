package launch

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"ucas/engine/diag"
	"ucas/engine/plan"
)

// findProgram returns the path of the Plan's program, as a shell in the Plan's
// directory with the Plan's PATH would find it.
func findProgram(p *plan.Plan, environ []string) (string, error) {
	if len(p.Argv) == 0 {
		return "", diag.Errorf("the Plan of %s has no command", p.Session).
			WithHint("this is a bug in ucas, please report it")
	}
	word := p.Argv[0]
	program, err := lookPath(word.Text, variable(p.Environ(environ), "PATH"), p.Dir)
	if err == nil {
		return program, nil
	}
	problem := diag.At(word.From.Span, "cannot launch %s: %s", p.ACLI, missing(word.Text, p.Dir, err))
	return "", problem.WithCause(err).
		WithHint("install it, or say where it is: executable: /PATH/TO/%s", filepath.Base(word.Text))
}

// missing says why a program was not found.
func missing(name, dir string, err error) string {
	if err == syscall.EACCES {
		return diag.Escape(name) + " is no program: it may not be run (see its mode)"
	}
	if strings.Contains(name, "/") {
		return "there is no program " + diag.Escape(absolute(name, dir))
	}
	return "there is no program " + diag.Escape(name) + " on PATH"
}

// lookPath returns the path of a program: a name without a slash is searched
// for in the directories of path. What is relative is so to dir.
func lookPath(name, path, dir string) (string, error) {
	if strings.Contains(name, "/") {
		file := absolute(name, dir)
		return file, isProgram(file)
	}
	failure := error(syscall.ENOENT)
	if name == "" || path == "" {
		return "", failure
	}
	for _, d := range filepath.SplitList(path) {
		file := filepath.Join(absolute(d, dir), name)
		switch isProgram(file) {
		case nil:
			return file, nil
		case syscall.EACCES:
			failure = syscall.EACCES
		}
	}
	return "", failure
}

func absolute(path, dir string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// isProgram returns nil for a file that may be run, EACCES for one that may
// not, and ENOENT for what is no file.
func isProgram(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return syscall.ENOENT
	case info.Mode()&0o111 == 0:
		return syscall.EACCES
	}
	return nil
}

// variable returns the value of an environment variable, "" if it is not set;
// the last of several counts.
func variable(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if n, value, ok := strings.Cut(environ[i], "="); ok && n == name {
			return value
		}
	}
	return ""
}
