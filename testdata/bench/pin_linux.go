package main

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// pin binds this thread, and so the processes that it starts, to one
// processor; the function that it returns undoes that.
func pin() (unpin func(), err error) {
	runtime.LockOSThread()
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, err
	}
	one.Set(0)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return nil, err
	}
	return func() {
		unix.SchedSetaffinity(0, &before)
		runtime.UnlockOSThread()
	}, nil
}
