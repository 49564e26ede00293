//go:build !linux

package script

import "os"

func anonymousFile() (*os.File, error) {
	f, err := os.CreateTemp("", "ucas-hook-notes-*")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}
