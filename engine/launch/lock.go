package launch

import (
	"context"
	"os"
	"path/filepath"
	"syscall"

	"ucas/engine/diag"
	"ucas/engine/plan"
	"ucas/engine/source"
)

// underLock calls f while no other launch in the Plan's directory is choosing
// a name or writing files. The kernel gives the lock back when we die, however
// that comes about.
func underLock(ctx context.Context, p *plan.Plan, f func() error) error {
	dir := filepath.Join(p.Dir, source.ProjectDir, source.TmpDir)
	if err := makeDir(p.Dir, dir, make(map[string]bool, 1)); err != nil {
		return err
	}
	path := filepath.Join(dir, ".lock")
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return fileProblem("open", path, err)
	}
	got := make(chan error, 1)
	go func() { got <- flock(int(file.Fd())) }()
	select {
	case err = <-got:
	case <-ctx.Done():
		go func() { <-got; file.Close() }()
		return cancelled(p, ctx.Err())
	}
	defer file.Close()
	if err != nil {
		return diag.Errorf("cannot lock %s: %v", path, err).
			WithHint("its file system must support flock(2): use a copy of the project on a local disk").WithCause(err)
	}
	return f()
}

// flock waits for an exclusive lock.
func flock(fd int) error {
	for {
		if err := syscall.Flock(fd, syscall.LOCK_EX); err != syscall.EINTR {
			return err
		}
	}
}
