package script

import (
	"os"

	"golang.org/x/sys/unix"
)

func anonymousFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("ucas-hook-notes", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "ucas-hook-notes"), nil
}
