// Command ucas assembles and launches coding agents that run in a terminal.
package main

import (
	"os"

	"ucas/engine/script"
)

func main() {
	script.Main()
	p := &program{
		args: os.Args[1:], environ: os.Environ(),
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
	}
	os.Exit(p.main())
}
