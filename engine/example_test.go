package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"ucas/engine"
)

// A program that embeds ucas assembles a session and does with its Plan what
// it likes: show it, compare it, or hand it to package launch.
func ExampleAssemble() {
	root, err := os.MkdirTemp("", "ucas-example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	write(root, "home/.ucas/ucas.yaml", "allowed_acli: [acli-claude]\n")
	write(root, "home/.ucas/agents/acli-claude/ucas.yaml", `
executable: claude
arg_mapping:
  model_flag: "--model"
model_mapping:
  fast: haiku
  default: sonnet
`)
	write(root, "project/.ucas/agents/reviewer/ucas.yaml", "requested_model: fast\n")

	result, err := engine.Assemble(context.Background(), engine.Options{
		Dir:   filepath.Join(root, "project"),
		Home:  filepath.Join(root, "home"),
		Agent: "reviewer",
		Set:   []string{"env.CI=1"},
	})
	if err != nil {
		panic(err) // a diag.List: every problem with its place
	}
	fmt.Println(result.Plan.Args())
	fmt.Println(result.Plan.Env[0].Name, "=", result.Plan.Env[0].Value)

	// Every key knows where its value comes from.
	model := result.Doc.Winner("requested_model")
	fmt.Println("requested_model is set by", model.Level, "in line", model.Span.Position().Line)
	// Output:
	// [claude --model haiku]
	// CI = 1
	// requested_model is set by agent reviewer in line 1
}

func write(root, path, text string) {
	path = filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		panic(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		panic(err)
	}
}
