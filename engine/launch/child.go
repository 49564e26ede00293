package launch

import (
	"context"
	"os"
	"syscall"
	"time"
)

// stopPatience is how long a program that is to end may take for it.
const stopPatience = 5 * time.Second

// A child is a program that runs in the foreground, with our terminal.
type child struct {
	path, dir     string
	args, environ []string
}

// run starts the child and waits for it. When ctx is cancelled the child is
// told to end. It returns the child's status as a shell counts it.
func (c child) run(ctx context.Context, o Options) (int, error) {
	files, err := stdio(o)
	if err != nil {
		return 0, err
	}
	process, err := os.StartProcess(c.path, c.args, &os.ProcAttr{Dir: c.dir, Env: c.environ, Files: files})
	for i, f := range []*os.File{o.Stdin, o.Stdout, o.Stderr} {
		if f == nil {
			files[i].Close()
		}
	}
	if err != nil {
		return 0, err
	}
	defer process.Release()
	done := make(chan int, 1)
	go func() { done <- wait(process.Pid) }()
	select {
	case status := <-done:
		return status, nil
	case <-ctx.Done():
		process.Signal(syscall.SIGTERM)
	}
	select {
	case status := <-done:
		return status, nil
	case <-time.After(stopPatience):
		process.Kill()
	}
	return <-done, nil
}

// stdio returns the files of the child, /dev/null for those that are not given.
func stdio(o Options) ([]*os.File, error) {
	files := []*os.File{o.Stdin, o.Stdout, o.Stderr}
	for i, f := range files {
		if f != nil {
			continue
		}
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			return nil, fileProblem("open", os.DevNull, err)
		}
		files[i] = null
	}
	return files, nil
}

// wait returns the status of a process when it has ended. When it is stopped
// (tmux's suspend-client does that), so are we: the shell that we run in takes
// the terminal then, and wakes us both.
func wait(pid int) int {
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return -1
		case status.Stopped():
			syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
		case status.Signaled():
			return 128 + int(status.Signal())
		default:
			return status.ExitStatus()
		}
	}
}
