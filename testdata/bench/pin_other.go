//go:build !linux

package main

import "errors"

func pin() (unpin func(), err error) {
	return nil, errors.New("this system does not let a process choose its processor")
}
