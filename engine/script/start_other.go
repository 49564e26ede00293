//go:build !linux

package script

import (
	"os"
	"syscall"
)

// ownProgram returns the program that runs.
func ownProgram() (string, error) { return os.Executable() }

// socketPair returns two ends of a stream, which no other child inherits.
func socketPair() (ours, theirs int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return 0, 0, os.NewSyscallError("socketpair", err)
	}
	syscall.CloseOnExec(ends[0])
	syscall.CloseOnExec(ends[1])
	return ends[0], ends[1], nil
}
