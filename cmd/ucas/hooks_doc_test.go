package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

const hooksDoc = "../../docs/hooks.md"

// TestHooksDoc follows docs/hooks.md as a reader would, in an empty home
// directory: it writes the file of each block that names one, types each
// command, and compares what comes out. UPDATE_DOCS=1 takes over what does.
func TestHooksDoc(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the session in the document is one on Linux")
	}
	text, err := os.ReadFile(hooksDoc)
	if err != nil {
		t.Fatal(err)
	}
	ann := newAnn(t)
	blocks := 0
	now := regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").ReplaceAllStringFunc(string(text), func(block string) string {
		language, body, _ := strings.Cut(strings.TrimPrefix(block, "```"), "\n")
		body = strings.TrimSuffix(body, "```")
		blocks++
		switch language {
		case "starlark", "yaml":
			ann.write(t, body)
		case "console":
			return "```console\n" + ann.replay(body) + "```"
		case "go":
			if _, err := parser.ParseFile(token.NewFileSet(), "main.go", body, 0); err != nil {
				t.Error(err)
			}
		}
		return block
	})
	if blocks < 20 {
		t.Errorf("only %d blocks of code were found", blocks)
	}
	if now == string(text) {
		return
	}
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(hooksDoc, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the sessions of %s have changed (UPDATE_DOCS=1 takes them over); first:\n%s", hooksDoc, firstChange(string(text), now))
}

// firstChange returns the first line in which two texts differ.
func firstChange(was, is string) string {
	a, b := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d\n- %s\n+ %s", i+1, a[i], b[i])
		}
	}
	return "one is longer"
}

// ann is somebody who types what a document says, in ~/shop.
type ann struct {
	home    string
	environ []string
}

func newAnn(t *testing.T) *ann {
	work := t.TempDir()
	home, bin := filepath.Join(work, "home"), filepath.Join(work, "bin")
	if err := os.MkdirAll(filepath.Join(home, "shop"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := copyDir(bin, "../../testdata/readme/bin"); err != nil {
		t.Fatal(err)
	}
	ucas := builtUcas(t, bin)
	return &ann{home: home, environ: []string{
		"HOME=" + home, "LANG=C.UTF-8", "PATH=" + bin + ":" + filepath.Dir(ucas) + ":" + os.Getenv("PATH"),
	}}
}

// write writes the file that the first line of a block names in a comment.
func (a *ann) write(t *testing.T, block string) {
	first, _, _ := strings.Cut(block, "\n")
	name, _, _ := strings.Cut(strings.TrimPrefix(first, "# "), " ")
	path := filepath.Join(a.home, "shop", name)
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		path = filepath.Join(a.home, rest)
	}
	if ext := filepath.Ext(path); name == first || ext != ".star" && ext != ".yaml" {
		t.Errorf("a block does not start with the name of its file: %q", first)
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(block), 0o644); err != nil {
		t.Fatal(err)
	}
}

// replay returns a session with what its commands print.
func (a *ann) replay(session string) string {
	var now strings.Builder
	for line := range strings.Lines(session) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		now.WriteString(line)
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env = filepath.Join(a.home, "shop"), a.environ
		out, _ := cmd.CombinedOutput() // what it says is what is compared
		now.WriteString(strings.ReplaceAll(string(out), a.home, "/home/ann"))
	}
	return now.String()
}
