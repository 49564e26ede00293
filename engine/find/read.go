package find

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"ucas/engine/diag"
	"ucas/engine/source"
)

// maxFile is the largest file that is read: far above any configuration or
// prompt, far below what would hurt.
const maxFile = 16 << 20

// Read returns the text of a file, or nil if there is none. What is no regular
// file, cannot be read or is too large is an error; a FIFO or a device does
// not make it wait.
func (l *Library) Read(path string) (*source.File, error) {
	file, err := l.readFile(path, &l.texts)
	l.Note(path, file != nil)
	return file, err
}

func (l *Library) readFile(path string, memory *arena) (*source.File, error) {
	text, err := readRegular(path, memory)
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR) {
		if target, lerr := os.Readlink(path); lerr == nil {
			return nil, diag.Errorf("%s is a link to %s, which does not exist", l.Show(path), target).
				WithHint("mend or remove the link")
		}
		return nil, nil
	}
	if err != nil {
		return nil, diag.Errorf("cannot read %s: %s", l.Show(path), reason(err)).WithCause(err).
			WithHint("%s", readHint(err))
	}
	f := source.NewFile(l.Show(path), text)
	f.Path = path
	return f, nil
}

// Exists reports whether there is anything at a path.
func (l *Library) Exists(path string) bool {
	present := exists(path)
	l.Note(path, present)
	return present
}

func exists(path string) bool {
	return syscall.Access(path, 0) == nil
}

var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = fmt.Errorf("larger than %d MiB", maxFile>>20)
)

// readRegular reads a file by plain system calls: package os would register
// each with the poller, and wait for the writer of a FIFO.
func readRegular(path string, memory *arena) ([]byte, error) {
	fd, err := open(path)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := retry(func() error { return syscall.Fstat(fd, &st) }); err != nil {
		return nil, err
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return nil, errNotRegular
	}
	if st.Size > maxFile {
		return nil, errTooLarge
	}
	return readAll(fd, int(st.Size), memory)
}

func open(path string) (fd int, err error) {
	err = retry(func() error {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY|syscall.O_CLOEXEC, 0)
		return err
	})
	return fd, err
}

// readAll reads to the end. Where the size is known, that is all; files of
// /proc say that they are empty.
func readAll(fd, size int, memory *arena) ([]byte, error) {
	buf := memory.take(size + 1)
	n := 0
	for {
		var m int
		err := retry(func() (err error) {
			m, err = syscall.Read(fd, buf[n:])
			return err
		})
		if err != nil {
			return nil, err
		}
		n += m
		if m == 0 || size > 0 && n >= size {
			return buf[:n:n], nil
		}
		if n > maxFile {
			return nil, errTooLarge
		}
		if n == len(buf) {
			buf = append(buf, make([]byte, n)...)
		}
	}
}

// An arena gives memory out of large pieces: the system hands out memory by
// the page, and a run reads many small files.
type arena struct{ free []byte }

const arenaPiece = 32 << 10

func (a *arena) take(n int) []byte {
	if a == nil || n > arenaPiece/4 {
		return make([]byte, n)
	}
	if n > len(a.free) {
		a.free = make([]byte, arenaPiece)
	}
	piece := a.free[:n:n]
	a.free = a.free[n:]
	return piece
}

// retry repeats a system call that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); err != syscall.EINTR {
			return err
		}
	}
}

// reason returns what went wrong, without the operation and the path that
// errors of package os repeat.
func reason(err error) string {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return err.Error()
}

func readHint(err error) string {
	switch {
	case errors.Is(err, syscall.EACCES):
		return "give yourself the right to read it (chmod u+r), or move it away"
	case errors.Is(err, errTooLarge):
		return "keep what belongs elsewhere out of it"
	case errors.Is(err, syscall.ELOOP):
		return "it is a link in a loop of links: mend or remove it"
	}
	return "replace it by a regular file, or remove it"
}

// misnamed returns the path of a file that someone took for the given one, by
// the other usual ending of YAML files: "" if there is none.
func misnamed(path string) string {
	other := strings.TrimSuffix(path, filepath.Ext(path)) + ".yml"
	if exists(other) {
		return other
	}
	return ""
}
