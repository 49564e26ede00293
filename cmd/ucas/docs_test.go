package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestExamples runs the script of every directory under examples/, in a copy of
// that directory.
func TestExamples(t *testing.T) {
	entries, err := os.ReadDir("../../examples")
	if err != nil || len(entries) < 2 {
		t.Fatal("no examples", err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		dir := filepath.Join("../../examples", e.Name())
		t.Run(e.Name(), func(t *testing.T) {
			script := filepath.Join(dir, "test.txtar")
			if _, err := os.Stat(script); err != nil {
				t.Fatal("an example has a test:", err)
			}
			testscript.Run(t, testscript.Params{
				Files: []string{script},
				Setup: func(e *testscript.Env) error {
					for _, name := range []string{"home", "project"} {
						if err := copyDir(filepath.Join(e.WorkDir, name), filepath.Join(dir, name)); err != nil {
							return err
						}
					}
					return setUp(e)
				},
				RequireExplicitExec: true,
				Cmds:                commands(),
			})
		})
	}
}

func copyDir(to, from string) error {
	if !isDir(from) {
		return nil
	}
	return os.CopyFS(to, os.DirFS(from))
}

// TestReadme replays the console session of the README's first screen: what it
// shows is what comes out.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "```console\n")
	want, _, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatal("the README has no console session")
	}
	if lines := strings.Count(want, "\n"); lines > 12 {
		t.Errorf("the session has %d lines; twelve fit the first screen", lines)
	}
	shell := readmeShell(t)
	var got strings.Builder
	for line := range strings.Lines(want) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			got.WriteString(line)
			got.WriteString(shell(command))
		}
	}
	if got.String() != want {
		t.Errorf("the README's session has changed; now it is\n%s", got.String())
	}
}

// readmeShell returns a function that runs a command as Ann would in her shop,
// and returns what it prints.
func readmeShell(t *testing.T) func(command string) string {
	// Not t.TempDir: the path of tmux's socket is limited to about a hundred
	// bytes.
	work, err := os.MkdirTemp("/tmp", "ucas")
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(work, "home")
	bin := filepath.Join(work, "bin")
	for to, from := range map[string]string{home: "../../testdata/readme/home", bin: "../../testdata/readme/bin"} {
		if err := copyDir(to, from); err != nil {
			t.Fatal(err)
		}
	}
	ucas := builtUcas(t, bin)
	environ := []string{
		"HOME=" + home, "TMUX_TMPDIR=" + work, "TERM=xterm", "SHELL=/bin/sh", "LANG=C.UTF-8",
		"PATH=" + bin + ":" + filepath.Dir(ucas) + ":" + os.Getenv("PATH"),
	}
	run := func(command string) ([]byte, error) {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env = filepath.Join(home, "shop"), environ
		return cmd.CombinedOutput()
	}
	t.Cleanup(func() {
		run("tmux kill-server")
		os.RemoveAll(work)
	})
	return func(command string) string {
		out, err := run(command)
		if err != nil {
			out = fmt.Appendf(out, "%v\n", err)
		}
		return strings.ReplaceAll(string(out), home, "/home/ann")
	}
}

// builtUcas returns the program, which it builds into bin if need be.
func builtUcas(t *testing.T, bin string) string {
	t.Helper()
	if ucas, err := exec.LookPath("ucas"); err == nil { // testscript puts it on PATH
		return ucas
	}
	ucas := filepath.Join(bin, "ucas")
	if out, err := exec.Command("go", "build", "-o", ucas, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return ucas
}
