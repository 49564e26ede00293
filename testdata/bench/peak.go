package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak returns the peak memory of a process that has ended, in MiB. Linux
// counts it in KiB, macOS in bytes.
func peak(state *os.ProcessState) float64 {
	size := float64(state.SysUsage().(*syscall.Rusage).Maxrss)
	if runtime.GOOS == "darwin" {
		size /= 1024
	}
	return size / 1024
}
