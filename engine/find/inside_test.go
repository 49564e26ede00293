package find_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ucas/engine/find"
	"ucas/engine/source"
)

// TestInside: what hooks ask for ends soon, whatever the layer holds, and shows
// nothing of other places.
func TestInside(t *testing.T) {
	project := t.TempDir()
	layer := filepath.Join(project, ".ucas")
	for name, text := range map[string]string{"a/x.txt": "x", "a/y.txt": "y", "b/x.txt": "x", "tmp/secret.star": "s", "mem/z": "z"} {
		path := filepath.Join(layer, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		if err := os.Symlink(".", filepath.Join(layer, fmt.Sprintf("loop%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"t": "tmp", "a/up": "../tmp", "out": "/etc", "c": "a"} {
		if err := os.Symlink(target, filepath.Join(layer, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(layer, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := find.Open(find.Options{Dir: project})
	if err != nil {
		t.Fatal(err)
	}
	at := find.Place{Layer: source.ProjectLayer, Dir: filepath.Join(layer, "a")}
	for _, test := range []struct{ pattern, want string }{
		{"*.txt", "x.txt y.txt"}, {"../*/x.txt", "../b/x.txt ../c/x.txt x.txt"}, {"//[ab]/x*", "../b/x.txt x.txt"},
		{"//t/*", ""}, {"up/*", ""}, {"//out/*", ""}, {"//fifo/*", ""}, {"//*/secret.star", ""},
		{"//tm*/*", ""}, {"nothing*", ""}, {"x.txt", "x.txt"}, {"[", "is no pattern"}, {"**/x", "** has no meaning"},
		{"//*/*/*/*/*/*/*/*/*/*/*/*", "more than 10000 paths"},
	} {
		began := time.Now()
		got, err := l.GlobInside(at, test.pattern)
		text := strings.Join(got, " ")
		if err != nil {
			text = err.Error()
		}
		if err != nil && !strings.Contains(text, test.want) || err == nil && text != test.want {
			t.Errorf("%s: got %s, want %s", test.pattern, text, test.want)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%s took %v", test.pattern, took)
		}
	}
	for _, name := range []string{"//t/secret.star", "up/secret.star", "//tmp/secret.star", "//loop1/tmp/secret.star"} {
		if file, err := l.ReadInside(at, name); err == nil {
			t.Errorf("%s was read: %v", name, file)
		}
	}
	if file, err := l.ReadInside(at, "//c/x.txt"); err != nil || file == nil {
		t.Errorf("a link inside the layer is not followed: %v", err)
	}
	listed := slices.ContainsFunc(l.Inputs(), func(in find.Input) bool {
		return in.Listed && strings.HasPrefix(in.Path, filepath.Join(layer, "tmp"))
	})
	if listed {
		t.Error("tmp was listed: watchers would wake on what launches write")
	}
}
