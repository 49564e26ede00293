package plan

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"ucas/engine/diag"
)

// Program returns the path of the Plan's program for a launch from an
// environment: as a shell in the Plan's directory finds it, on the PATH that
// the Plan makes. The error is a diag.Problem.
func (p *Plan) Program(environ []string) (string, error) {
	if len(p.Argv) == 0 {
		return "", diag.Errorf("the Plan of %s has no command", p.Session).
			WithHint("this is a bug in ucas, please report it")
	}
	name := p.Argv[0].Text
	program, err := LookPath(name, p.Dir, p.SearchPath.join(Getenv(environ, "PATH")))
	if err == nil {
		return program, nil
	}
	problem := diag.At(p.Argv[0].From.Span, "cannot launch %s: %s", p.ACLI, err).WithCause(err).
		WithHint("install it, or choose another harness with +NAME or default_acli")
	hook := p.Argv[0].From.Hook
	switch {
	case hook != nil:
		problem.WithHint("install it, or let %s run another program", hook)
	case errors.Is(err, syscall.EACCES):
		problem.WithHint("make it a program (chmod +x), or name another under executable")
	case strings.ContainsAny(name, " \t"):
		problem.WithHint("executable names one program; its arguments go under args")
	}
	return "", problem
}

// LookPath returns the path of a program. A name without a slash is searched for
// in the directories of path; what is relative is so to dir. The error is
// ENOENT, or EACCES if there is such a file but it may not be run.
func LookPath(name, dir, path string) (string, error) {
	if strings.Contains(name, "/") {
		file := Absolute(name, dir)
		if err := isProgram(file); err != 0 {
			return "", missing(file, "", err)
		}
		return file, nil
	}
	failure := syscall.ENOENT
	if name == "" || path == "" {
		return "", missing(name, " on PATH", failure)
	}
	for _, d := range filepath.SplitList(path) {
		file := filepath.Join(Absolute(d, dir), name)
		switch isProgram(file) {
		case 0:
			return file, nil
		case syscall.EACCES:
			failure = syscall.EACCES
		}
	}
	return "", missing(name, " on PATH", failure)
}

func missing(name, where string, err syscall.Errno) error {
	if err == syscall.EACCES {
		return &lookError{name + " may not be run (see its mode)", err}
	}
	return &lookError{"there is no program " + name + where, err}
}

// A lookError says in our words why a program was not found.
type lookError struct {
	text  string
	cause syscall.Errno
}

func (e *lookError) Error() string { return e.text }
func (e *lookError) Unwrap() error { return e.cause }

// isProgram returns 0 for a file that may be run, EACCES for one that may not,
// and ENOENT for what is no file.
func isProgram(file string) syscall.Errno {
	info, err := os.Stat(file)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return syscall.ENOENT
	case info.Mode()&0o111 == 0:
		return syscall.EACCES
	}
	return 0
}

// Absolute returns a path from the root on; what is relative is so to dir.
func Absolute(path, dir string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
