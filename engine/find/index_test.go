package find

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ucas/engine/source"
)

// large makes a library that is worth an index, and says that what changed a
// moment ago may be indexed.
func large(t *testing.T) Options {
	t.Helper()
	o := layers(t)
	o.CacheDir = filepath.Join(t.TempDir(), "cache")
	o.margin = time.Nanosecond
	for i := range Large {
		dir := filepath.Join(o.Home, ".ucas", "agents", fmt.Sprintf("group-%d", i/100), fmt.Sprintf("agent-%d", i))
		must(t, os.MkdirAll(dir, 0o755))
		must(t, os.WriteFile(filepath.Join(dir, ConfigFile), nil, 0o644))
	}
	return o
}

// look finds an agent with a fresh Library, and says whether an index was
// used to find it.
func look(t *testing.T, o Options, name string) (dir string, indexed bool) {
	t.Helper()
	l, err := Open(o)
	must(t, err)
	e, err := l.Agent("agent", name)
	if err == nil {
		dir = l.Show(e.Dir)
	}
	c := l.agents[source.UserLayer]
	return dir, c != nil && c.index != nil
}

// indexed looks until an index is used, and returns what it found.
func indexed(t *testing.T, o Options, name string) string {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		if dir, byIndex := look(t, o, name); byIndex {
			return dir
		}
	}
	t.Fatalf("%s: no index is left", name)
	return ""
}

func TestIndex(t *testing.T) {
	o := large(t)
	user := filepath.Join(o.Home, ".ucas", "agents")
	found := func(name, want string) {
		t.Helper()
		if dir := indexed(t, o, name); dir != want {
			t.Errorf("%s: the index finds %q, want %q", name, dir, want)
		}
	}
	searched := func(name, want string) {
		t.Helper()
		if dir, byIndex := look(t, o, name); dir != want || byIndex {
			t.Errorf("%s: found %q, by index: %v; want %q by a search", name, dir, byIndex, want)
		}
	}
	found("agent-1234", "~/.ucas/agents/group-12/agent-1234")
	found("group-12/agent-1234", "~/.ucas/agents/group-12/agent-1234")

	t.Log("what the index does not have is searched for")
	searched("group-13/agent-1234", "")

	t.Log("an agent more")
	must(t, os.MkdirAll(filepath.Join(user, "group-3", "new", SkillsDir), 0o755))
	searched("new", "~/.ucas/agents/group-3/new")
	found("new", "~/.ucas/agents/group-3/new")

	t.Log("a change whose time was set back")
	past := time.Unix(1, 0)
	must(t, os.MkdirAll(filepath.Join(user, "group-3", "sly", SkillsDir), 0o755))
	must(t, os.Chtimes(filepath.Join(user, "group-3"), past, past))
	searched("sly", "~/.ucas/agents/group-3/sly")
	found("sly", "~/.ucas/agents/group-3/sly")

	t.Log("a second of that name")
	must(t, os.MkdirAll(filepath.Join(user, "group-4", "new", SkillsDir), 0o755))
	searched("new", "")
	must(t, os.RemoveAll(filepath.Join(user, "group-4", "new")))

	t.Log("an agent is no agent any more")
	found("new", "~/.ucas/agents/group-3/new")
	must(t, os.Remove(filepath.Join(user, "group-3", "new", SkillsDir)))
	searched("new", "")

	t.Log("a group becomes an agent")
	found("agent-1", "~/.ucas/agents/group-0/agent-1")
	must(t, os.WriteFile(filepath.Join(user, "group-0", PromptFile), nil, 0o644))
	searched("agent-1", "")
	searched("group-0", "~/.ucas/agents/group-0")
}

// TestIndexIsOnlyAnIndex: a broken one costs nothing but time, it lists what a
// search lists, and there is none of what changed just now, where links lead
// elsewhere, and in a cache that cannot be written.
func TestIndexIsOnlyAnIndex(t *testing.T) {
	o := large(t)
	agents := filepath.Join(o.Home, ".ucas", "agents")
	searched := list(t, o)
	indexed(t, o, "agent-1")
	if list(t, o) != searched {
		t.Error("the index lists others than the search")
	}

	files, err := filepath.Glob(filepath.Join(o.CacheDir, "ucas", "index-*"))
	must(t, err)
	if len(files) != 1 {
		t.Fatalf("indexes: %v", files)
	}
	for _, text := range []string{"", "D", "ucas-index 1 agents \"/elsewhere\"\nD 1 \nE agent-1\n", "\x00"} {
		must(t, os.WriteFile(files[0], []byte(text), 0o600))
		if dir, _ := look(t, o, "agent-1"); dir != "~/.ucas/agents/group-0/agent-1" {
			t.Errorf("with the index %q: %q", text, dir)
		}
	}

	o.margin = time.Hour
	must(t, os.Mkdir(filepath.Join(agents, "fresh"), 0o755))
	look(t, o, "agent-1")
	if _, byIndex := look(t, o, "agent-1"); byIndex {
		t.Error("an index of what had just changed")
	}
	o.margin = time.Nanosecond
	indexed(t, o, "agent-1")

	for _, path := range []string{filepath.Join(agents, "link"), filepath.Join(agents, "no name", SkillsDir)} {
		if filepath.Base(path) == SkillsDir {
			must(t, os.MkdirAll(path, 0o755))
		} else {
			must(t, os.Symlink("/nowhere", path))
		}
		for range 5 {
			if _, byIndex := look(t, o, "agent-1"); byIndex {
				t.Errorf("an index of a library with %s", path)
			}
		}
		must(t, os.RemoveAll(filepath.Join(agents, "link")))
	}

	o.CacheDir = filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(o.CacheDir, nil, 0o644))
	if dir, _ := look(t, o, "agent-1"); dir == "" {
		t.Error("not found without a cache")
	}
}

func list(t *testing.T, o Options) string {
	t.Helper()
	l, err := Open(o)
	must(t, err)
	all, err := l.Agents()
	must(t, err)
	var b strings.Builder
	for _, e := range all {
		fmt.Fprintln(&b, *e)
	}
	return b.String()
}
