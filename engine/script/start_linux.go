package script

import (
	"os"
	"syscall"
)

// ownProgram returns the program that runs, even if its file was replaced
// since it started.
func ownProgram() (string, error) { return "/proc/self/exe", nil }

// socketPair returns two ends of a stream, which no other child inherits.
func socketPair() (ours, theirs int, err error) {
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	return ends[0], ends[1], os.NewSyscallError("socketpair", err)
}
