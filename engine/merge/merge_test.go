package merge_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ucas/engine/diag"
	"ucas/engine/merge"
	"ucas/engine/source"
	"ucas/engine/tree"
	"ucas/engine/yaml"
)

var update = flag.Bool("update", false, "rewrite the want sections")

// roles are the sections of an archive, in load order. A section set:PATH is
// a value of the command line, skills:ROLE says that the level has skills,
// out:ROLE that its keys are left out.
var roles = map[string]source.Role{
	"system": source.System, "user": source.User, "team": source.Team, "project": source.Project, "agent": source.Agent,
	"mod1": source.Mod, "mod2": source.Mod, "member": source.Member, "acli": source.ACLI, "command-line": source.CommandLine,
	"system-override": source.SystemOverride, "user-override": source.UserOverride, "project-override": source.ProjectOverride,
}

func TestFold(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sources, want := read(t, archive)
			doc, err := merge.Fold(sources)
			got := dump(doc, err)
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got != string(want.Data) {
				t.Errorf("got\n%s\nwant\n%s", got, want.Data)
			}
		})
	}
}

func read(t *testing.T, archive *txtar.Archive) (sources []merge.Source, want *txtar.File) {
	t.Helper()
	for i := range archive.Files {
		f := &archive.Files[i]
		if f.Name == "want" {
			want = f
			continue
		}
		node, err := yaml.Parse(f.Name, f.Data)
		if err != nil {
			t.Fatal(err)
		}
		s := merge.Source{Dir: "/" + f.Name, Tree: node}
		name := f.Name
		if path, ok := strings.CutPrefix(name, "set:"); ok {
			name, s.Path = "command-line", strings.Split(path, "/")
		}
		if role, ok := strings.CutPrefix(name, "skills:"); ok {
			name, s.Skills = role, "/"+role+"/skills"
		}
		if role, ok := strings.CutPrefix(name, "out:"); ok {
			name, s.LeftOut = role, "another harness was chosen"
		}
		s.Level = source.Level{Role: roles[name]}
		if s.Level.Role == 0 {
			t.Fatalf("no role %q", name)
		}
		if s.Level.Role == source.Mod {
			s.Level.Name = name
		}
		sources = append(sources, s)
	}
	return sources, want
}

// dump writes a Doc down: each key with its value and items, below it every
// definition with its fate; then warnings and problems.
func dump(doc *merge.Doc, err error) string {
	var b strings.Builder
	for _, k := range doc.Keys {
		fmt.Fprintf(&b, "%s = %s\n", k.Name, flow(k.Value))
		for _, item := range k.Items {
			fmt.Fprintf(&b, "  item %s in %q of %s\n", item.Text, item.Dir, item.Level)
		}
		for _, d := range k.Definitions {
			fmt.Fprintf(&b, "  %s: %s %s", d.Span.Position(), flow(d.Value), d.Fate)
			if why := d.Why(); why != "" {
				fmt.Fprintf(&b, ", %s", why)
			}
			b.WriteByte('\n')
		}
	}
	for _, p := range slices.Concat(doc.Warnings, doc.Slips(), diag.All(err)) {
		fmt.Fprintf(&b, "%s: %s\n", p.Severity, p.Error())
	}
	return b.String()
}

func flow(n *tree.Node) string {
	if n == nil {
		return "(not set)"
	}
	if n.IsScalar() && n.Kind != tree.Null {
		return n.Text
	}
	return strings.ReplaceAll(fmt.Sprint(n.Any()), "<nil>", "null")
}

// TestEmptyLevelChangesNothing: folding in a level that says nothing gives the
// same, wherever it stands.
func TestEmptyLevelChangesNothing(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources, _ := read(t, archive)
		want := dump(merge.Fold(sources))
		for i := range len(sources) + 1 {
			more := append(append(append([]merge.Source{}, sources[:i]...), merge.Source{Level: source.Level{Role: source.Mod, Name: "empty"}}), sources[i:]...)
			if got := dump(merge.Fold(more)); got != want {
				t.Errorf("%s: an empty level at %d changes\n%s\nto\n%s", file, i, want, got)
			}
		}
	}
}

// TestManyItems: a list that adds up is put together once, not anew for each
// item. Otherwise this test does not end.
func TestManyItems(t *testing.T) {
	const items = 200_000
	node, err := yaml.Parse("large", []byte("directories: ["+strings.Repeat("a, ", items)+"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := merge.Fold([]merge.Source{{Level: source.Level{Role: source.User}, Tree: node}})
	if err != nil {
		t.Fatal(err)
	}
	if n := doc.Get("directories").Len; n != items {
		t.Errorf("%d items, want %d", n, items)
	}
}
