// Command embed is a program that embeds the engine and trusts all layer hooks:
// it prints what ucas run --dry-run AGENT [MOD...] prints. It shows what hooks
// cost in the process.
package main

import (
	"context"
	"fmt"
	"os"

	"ucas/engine"
	"ucas/engine/launch"
	"ucas/starlib"
)

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(agent string, mods []string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	result, err := engine.Assemble(context.Background(), engine.Options{
		Dir: dir, Home: os.Getenv("HOME"), SystemDir: os.Getenv("UCAS_HOME"), Environ: os.Environ(),
		Agent: agent, Mods: mods, Starlib: starlib.FS(), TrustHooks: true,
	})
	if err != nil {
		return err
	}
	if err := launch.WriteFiles(result.Plan); err != nil {
		return err
	}
	fmt.Println(result.Plan.ShellLine(os.Environ()))
	return nil
}
