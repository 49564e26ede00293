package find

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"ucas/engine/diag"
	"ucas/engine/source"
)

// layers makes the three layers below a directory: "project/agents/a/PROMPT.md"
// with its text, a path that ends in a slash for a directory, "a -> b" for a
// link.
func layers(t *testing.T, files ...string) Options {
	t.Helper()
	root := t.TempDir()
	o := Options{Dir: filepath.Join(root, "work"), Home: filepath.Join(root, "home"), SystemDir: filepath.Join(root, "system")}
	for _, dir := range []string{o.Dir, o.Home, o.SystemDir} {
		must(t, os.MkdirAll(dir, 0o755))
	}
	where := map[string]string{"project": filepath.Join(o.Dir, ".ucas"), "user": filepath.Join(o.Home, ".ucas"), "system": o.SystemDir}
	for _, f := range files {
		f, target, isLink := strings.Cut(f, " -> ")
		layer, rest, _ := strings.Cut(f, "/")
		path := filepath.Join(where[layer], rest)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		switch {
		case isLink:
			must(t, os.Symlink(target, path))
		case strings.HasSuffix(f, "/"):
			must(t, os.MkdirAll(path, 0o755))
		default:
			must(t, os.WriteFile(path, nil, 0o644))
		}
	}
	return o
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func openLayers(t *testing.T, files ...string) *Library {
	t.Helper()
	l, err := Open(layers(t, files...))
	must(t, err)
	return l
}

func TestSearch(t *testing.T) {
	for _, test := range []struct {
		what, name string
		files      []string
		want       string // the shown directory, or "error: " and a part of the message
	}{
		{"by ucas.yaml", "a", []string{"user/agents/a/ucas.yaml"}, "~/.ucas/agents/a"},
		{"by PROMPT.md", "a", []string{"user/agents/a/PROMPT.md"}, "~/.ucas/agents/a"},
		{"by skills", "a", []string{"user/agents/a/skills/"}, "~/.ucas/agents/a"},
		{"by hooks", "a", []string{"user/agents/a/ucas.star"}, "~/.ucas/agents/a"},
		{"skills that is a file", "a", []string{"user/agents/a/skills"}, "error: holds none of"},
		{"nothing in it", "a", []string{"user/agents/a/README.md"}, "error: holds none of"},
		{"deep", "a", []string{"project/agents/x/y/z/a/PROMPT.md"}, ".ucas/agents/x/y/z/a"},
		{"qualified", "y/a", []string{"project/agents/x/y/a/PROMPT.md", "project/agents/x/z/a/PROMPT.md"}, ".ucas/agents/x/y/a"},
		{"qualified by a part of a name", "y/a", []string{"project/agents/xy/a/PROMPT.md"}, "error: there is no"},
		{"twice in a layer", "a", []string{"project/agents/x/a/PROMPT.md", "project/agents/y/a/PROMPT.md"}, "error: more than once"},
		{"project before user", "a", []string{"project/agents/a/PROMPT.md", "user/agents/x/a/PROMPT.md", "user/agents/y/a/PROMPT.md"}, ".ucas/agents/a"},
		{"user before system", "a", []string{"user/agents/a/PROMPT.md", "system/agents/a/PROMPT.md"}, "~/.ucas/agents/a"},
		{"not in skills", "a", []string{"user/agents/skills/a/PROMPT.md"}, "error: there is no"},
		{"not in dot directories", "a", []string{"user/agents/.git/a/PROMPT.md"}, "error: there is no"},
		{"not in an agent", "a", []string{"user/agents/b/PROMPT.md", "user/agents/b/a/PROMPT.md"}, "error: lies inside another agent"},
		{"through a link", "a", []string{"user/agents/x -> ../elsewhere", "user/elsewhere/a/PROMPT.md"}, "~/.ucas/agents/x/a"},
		{"a link itself", "a", []string{"user/agents/a -> ../elsewhere", "user/elsewhere/PROMPT.md"}, "~/.ucas/agents/a"},
		{"a link to nowhere", "a", []string{"user/agents/a -> ../nowhere"}, "error: there is no"},
		{"a link to itself", "a", []string{"user/agents/x -> x", "user/agents/a/PROMPT.md"}, "~/.ucas/agents/a"},
		{"a loop of links", "a", []string{"user/agents/x/up -> ../..", "user/agents/x/a/PROMPT.md"}, "~/.ucas/agents/x/a"},
		{"a web of links", "z", web(20), "error: there is no"},
		{"the same directory by two paths", "a", []string{"user/agents/x/a/PROMPT.md", "user/agents/y -> x"}, "~/.ucas/agents/x/a"},
		{"an invalid name beside it", "a", []string{"user/agents/a/PROMPT.md", "user/agents/a b/PROMPT.md"}, "~/.ucas/agents/a"},
	} {
		t.Run(test.what, func(t *testing.T) {
			l := openLayers(t, test.files...)
			e, err := l.Agent("agent", test.name)
			if message, isError := strings.CutPrefix(test.want, "error: "); isError {
				if err == nil {
					t.Fatalf("found %s", e.Dir)
				}
				if p := diag.All(err)[0]; !strings.Contains(p.Message+p.Hint, message) {
					t.Errorf("%s\nhint: %s\nwant %s", p.Message, p.Hint, message)
				}
				return
			}
			must(t, err)
			if got := l.Show(e.Dir); got != test.want {
				t.Errorf("found %s, want %s", got, test.want)
			}
		})
	}
}

// web returns links that lead to each other in more ways than can be walked.
func web(n int) []string {
	var files []string
	for i := range n {
		for _, side := range []string{"l", "r"} {
			files = append(files, "user/web/"+string(rune('a'+i))+"/"+side+" -> ../"+string(rune('a'+i+1)))
		}
	}
	return append(files, "user/agents/web -> ../web/a")
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "php-master": true, "group/name": true, "a.b_c-9": true, "9": true,
		"": false, ".": false, "..": false, "../a": false, "a/": false, "/a": false, "a//b": false, "a b": false,
		".a": false, "-a": false, "a/.b": false, "$(x)": false, "a\n": false, "é": false, "a;b": false, "a\x00": false,
	} {
		if got := IsName(name); got != want {
			t.Errorf("IsName(%q) = %v", name, got)
		}
	}
}

// TestNoFileIsTouched: a refused name reaches no directory (R4).
func TestNoFileIsTouched(t *testing.T) {
	l := openLayers(t, "user/agents/a/PROMPT.md")
	before := len(l.Inputs())
	if _, err := l.Agent("agent", "../../etc"); err == nil {
		t.Fatal("the name was taken")
	}
	if after := len(l.Inputs()); after != before {
		t.Errorf("%d paths were looked at", after-before)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.WriteFile(path("plain"), []byte("text"), 0o644))
	must(t, syscall.Mkfifo(path("fifo"), 0o644))
	must(t, os.Mkdir(path("directory"), 0o755))
	must(t, os.Symlink("nowhere", path("dangling")))
	must(t, os.Symlink("loop", path("loop")))
	must(t, os.Symlink("/dev/zero", path("device")))
	large, err := os.Create(path("large"))
	must(t, err)
	must(t, large.Truncate(maxFile+1))
	must(t, large.Close())

	l := openLayers(t)
	for name, want := range map[string]string{
		"plain": "", "fifo": "not a regular file", "directory": "not a regular file", "dangling": "which does not exist",
		"loop": "too many levels of symbolic links", "device": "not a regular file", "large": "larger than 16 MiB", "absent": "",
	} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			f, err := l.Read(path(name))
			switch {
			case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("%s: got %v, want %s", name, err, want)
			case want == "" && err != nil:
				t.Errorf("%s: %v", name, err)
			case name == "plain" && string(f.Text) != "text":
				t.Errorf("read %q", f.Text)
			case name == "absent" && f != nil:
				t.Error("read a file that is not there")
			}
		}()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Fatalf("%s: reading does not end", name)
		}
	}
}

func TestRoots(t *testing.T) {
	t.Run("the home directory is no project", func(t *testing.T) {
		o := layers(t, "user/ucas.yaml")
		o.Dir = o.Home
		l, err := Open(o)
		must(t, err)
		if l.Root(source.ProjectLayer) != "" || l.Root(source.UserLayer) == "" || len(l.Warnings) > 0 {
			t.Errorf("project %q, user %q, warnings %v", l.Root(source.ProjectLayer), l.Root(source.UserLayer), l.Warnings)
		}
	})
	t.Run("a parent's layer is missed", func(t *testing.T) {
		o := layers(t, "project/ucas.yaml")
		o.Dir = filepath.Join(o.Dir, "deep", "down")
		must(t, os.MkdirAll(filepath.Join(o.Dir, ".ucas", "tmp"), 0o755))
		l, err := Open(o)
		must(t, err)
		if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0].Message, "is not used") {
			t.Errorf("warnings %v", l.Warnings)
		}
	})
	t.Run("the home directory above is not missed", func(t *testing.T) {
		o := layers(t, "user/ucas.yaml")
		o.Dir = filepath.Join(o.Home, "project")
		must(t, os.MkdirAll(o.Dir, 0o755))
		l, err := Open(o)
		must(t, err)
		if len(l.Warnings) > 0 {
			t.Errorf("warnings %v", l.Warnings)
		}
	})
	t.Run("a missing system layer that was asked for", func(t *testing.T) {
		o := layers(t)
		o.SystemDir += "-not"
		if _, err := Open(o); err == nil || !strings.Contains(err.Error(), "UCAS_HOME") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a layer that is a file", func(t *testing.T) {
		o := layers(t)
		must(t, os.WriteFile(filepath.Join(o.Dir, ".ucas"), nil, 0o644))
		if _, err := Open(o); err == nil || !strings.Contains(err.Error(), "is no directory") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a layer that is a dangling link", func(t *testing.T) {
		o := layers(t)
		must(t, os.Symlink("nowhere", filepath.Join(o.Dir, ".ucas")))
		if _, err := Open(o); err == nil || !strings.Contains(err.Error(), "cannot read the layer") {
			t.Errorf("got %v", err)
		}
	})
}

func TestFactory(t *testing.T) {
	o := layers(t)
	o.SystemDir = ""
	o.CacheDir = filepath.Join(t.TempDir(), "cache")
	o.Factory = fstest.MapFS{
		"ucas.yaml":                   {Data: []byte("a: 1\n")},
		"agents/tour/skills/show":     {Data: []byte("#!/bin/sh\n")},
		"agents/tour/skills/x/data":   {Data: []byte("data")},
		"agents/tour/PROMPT.md":       {Data: []byte("Hello.\n")},
		"agents/tour/skills/SKILL.md": {Data: []byte("text")},
	}
	done := make(chan string)
	for range 8 {
		go func() {
			l, err := Open(o)
			if err != nil {
				t.Error(err)
			}
			done <- l.Root(source.SystemLayer)
		}()
	}
	root := <-done
	for range 7 {
		if other := <-done; other != root {
			t.Errorf("unpacked to %s and %s", root, other)
		}
	}
	if text, err := os.ReadFile(filepath.Join(root, "agents/tour/PROMPT.md")); err != nil || string(text) != "Hello.\n" {
		t.Errorf("%q, %v", text, err)
	}
	info, err := os.Stat(filepath.Join(root, "agents/tour/skills/show"))
	must(t, err)
	if info.Mode()&0o111 == 0 {
		t.Errorf("a skill has mode %v", info.Mode())
	}
	left, err := filepath.Glob(filepath.Join(o.CacheDir, "ucas", ".factory-*"))
	must(t, err)
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	o.Factory.(fstest.MapFS)["ucas.yaml"].Data = []byte("a: 2\n")
	if l, err := Open(o); err != nil || l.Root(source.SystemLayer) == root {
		t.Errorf("other content, the same directory (%v)", err)
	}
}
