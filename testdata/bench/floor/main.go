// Command floor is the yardstick of make bench: the least that a Go program
// can do about a launch. It reads the files that its arguments name, and
// writes the last one from the others whose name is PROMPT.md.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	last := len(os.Args) - 1
	var out bytes.Buffer
	for _, path := range os.Args[1:last] {
		text, err := os.ReadFile(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if filepath.Base(path) == "PROMPT.md" {
			out.Write(text)
		}
	}
	if err := os.WriteFile(os.Args[last], out.Bytes(), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
