// Program embeds the evaluation of hooks, for the test of what it takes: program
// call FILE... evaluates the hook configure of files, program forget forgets to
// call script.Main.
package main

import (
	"context"
	"os"

	"ucas/engine/diag"
	"ucas/engine/script"
	"ucas/engine/source"
)

type world struct{}

func (world) Answer(script.Question) (script.Answer, error) { return script.Answer{}, nil }

func main() {
	if len(os.Args) < 2 || os.Args[1] != "forget" {
		script.Main()
	}
	for _, name := range os.Args[2:] {
		if err := configure(name); err != nil {
			diag.Print(os.Stdout, diag.All(err)...)
		}
	}
}

func configure(name string) error {
	p, err := script.Start(context.Background(), world{})
	if err != nil {
		return err
	}
	defer p.Close()
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	file := source.NewFile(name, text)
	if _, err := p.Hooks(file, "project"); err != nil {
		return err
	}
	_, err = p.Call(script.Call{File: file, Hook: script.Configure, For: "project"})
	return err
}
