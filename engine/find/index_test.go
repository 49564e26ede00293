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

// large makes a library that is worth an index, old enough to be trusted.
func large(t *testing.T) Options {
	t.Helper()
	o := layers(t)
	o.CacheDir = filepath.Join(t.TempDir(), "cache")
	for i := range Large {
		dir := filepath.Join(o.Home, ".ucas", "agents", fmt.Sprintf("group-%d", i/100), fmt.Sprintf("agent-%d", i))
		must(t, os.MkdirAll(dir, 0o755))
		must(t, os.WriteFile(filepath.Join(dir, ConfigFile), nil, 0o644))
	}
	age(t, filepath.Join(o.Home, ".ucas", "agents"))
	return o
}

// age sets the times of directories back, as if nothing had changed for long.
func age(t *testing.T, top string) {
	t.Helper()
	past := time.Now().Add(-time.Hour)
	must(t, filepath.WalkDir(top, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			return os.Chtimes(path, past, past)
		}
		return err
	}))
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

func TestIndex(t *testing.T) {
	o := large(t)
	user := filepath.Join(o.Home, ".ucas", "agents")
	check := func(name, want string, wantIndexed bool) {
		t.Helper()
		if dir, indexed := look(t, o, name); dir != want || indexed != wantIndexed {
			t.Errorf("%s: found %q, by index: %v; want %q, %v", name, dir, indexed, want, wantIndexed)
		}
	}
	check("agent-1234", "~/.ucas/agents/group-12/agent-1234", false)
	check("agent-1234", "~/.ucas/agents/group-12/agent-1234", true)
	check("group-12/agent-1234", "~/.ucas/agents/group-12/agent-1234", true)
	check("group-13/agent-1234", "", true)

	t.Log("an agent more")
	must(t, os.MkdirAll(filepath.Join(user, "group-3", "new", SkillsDir), 0o755))
	check("new", "~/.ucas/agents/group-3/new", false)
	age(t, user)
	check("new", "~/.ucas/agents/group-3/new", false)
	check("new", "~/.ucas/agents/group-3/new", true)

	t.Log("a second of that name")
	must(t, os.MkdirAll(filepath.Join(user, "group-4", "new", SkillsDir), 0o755))
	check("new", "", false)
	must(t, os.RemoveAll(filepath.Join(user, "group-4", "new")))

	t.Log("an agent is no agent any more")
	age(t, user)
	check("new", "~/.ucas/agents/group-3/new", false)
	check("new", "~/.ucas/agents/group-3/new", true)
	must(t, os.Remove(filepath.Join(user, "group-3", "new", SkillsDir)))
	check("new", "", false)

	t.Log("a group becomes an agent")
	age(t, user)
	check("agent-1", "~/.ucas/agents/group-0/agent-1", false)
	check("agent-1", "~/.ucas/agents/group-0/agent-1", true)
	must(t, os.WriteFile(filepath.Join(user, "group-0", PromptFile), nil, 0o644))
	check("agent-1", "", false)
	check("group-0", "~/.ucas/agents/group-0", false)
}

// TestIndexIsOnlyAnIndex: a broken one costs nothing but time, it lists what a
// search lists, and there is none of what changed just now, where links lead
// elsewhere, and in a cache that cannot be written.
func TestIndexIsOnlyAnIndex(t *testing.T) {
	o := large(t)
	agents := filepath.Join(o.Home, ".ucas", "agents")
	searched, indexed := list(t, o), list(t, o)
	if searched != indexed {
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

	must(t, os.Mkdir(filepath.Join(agents, "fresh"), 0o755))
	look(t, o, "agent-1")
	if _, indexed := look(t, o, "agent-1"); indexed {
		t.Error("an index of what had just changed")
	}

	must(t, os.Symlink("/nowhere", filepath.Join(agents, "link")))
	age(t, agents)
	look(t, o, "agent-1")
	if _, indexed := look(t, o, "agent-1"); indexed {
		t.Error("an index of a library with links")
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
