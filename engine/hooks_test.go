package engine_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"ucas/engine"
	"ucas/engine/diag"
	"ucas/engine/merge"
	"ucas/engine/script"
	"ucas/engine/tree"
	"ucas/starlib"
)

// TestMain lets this binary evaluate layer hooks, as a program that embeds the
// engine must.
func TestMain(m *testing.M) {
	script.Main()
	os.Exit(m.Run())
}

// assemble assembles or fails.
func assemble(t *testing.T, o engine.Options) *engine.Result {
	t.Helper()
	r, err := engine.Assemble(context.Background(), o)
	if err != nil {
		var b strings.Builder
		diag.Print(&b, diag.All(err)...)
		t.Fatal(b.String())
	}
	return r
}

const readers = `
-- home/.ucas/ucas.yaml --
allowed_acli: [acli-x]
env:
  A: 1
-- home/.ucas/agents/acli-x/ucas.yaml --
executable: sh
-- project/.ucas/lib.star --
NAME = "env.B"
-- project/.ucas/notes.txt --
noted
-- project/.ucas/ucas.star --
load("lib.star", "NAME")

def configure(ctx):
    ctx.set("env.FIRST", 1)
    value = [
        ctx.get("env.A"), ctx.get("env.MISSING"), ctx.get("env"), ctx.env("GIVEN"), ctx.env("ABSENT"),
        ctx.which("sh"), ctx.which("no-such-program"), ctx.read("notes.txt"), ctx.exists("nothing"), ctx.glob("*.txt"),
        ctx.agent,
    ]
    ctx.set(NAME, len(value))

def wrap(ctx, command):
    return ["env", "--"] + command.argv
-- project/.ucas/agents/a/ucas.yaml --
description: an agent
`

// TestReads: every read is recorded with what it led to, absent things included
// (R27), a definition carries those made before it, and watchers learn the paths.
func TestReads(t *testing.T) {
	o := layers(t, readers)
	o.Agent, o.Environ = "a", append(o.Environ, "GIVEN=yes")
	r := assemble(t, o)

	var got []string
	d := r.Doc.Winner("env.B")
	for _, read := range d.Reads {
		line := fmt.Sprintf("%s %s = %s at %d", read.Op, read.Name, show(read.Value), read.At.Position().Line)
		for _, from := range read.Definitions {
			line += fmt.Sprintf(" <- %s %s", from.Level, filepath.Base(from.Span.Position().String()))
		}
		got = append(got, line)
	}
	want := []string{
		"load lib.star = nil at 1",
		"get env.A = 1 at 6 <- user ucas.yaml:3:6",
		"get env.MISSING = nil at 6",
		"get env = map[A:1 FIRST:1] at 6 <- user ucas.yaml:3:3 <- user ucas.yaml:3:6 <- project ucas.star:4:5",
		"env GIVEN = yes at 6",
		"env ABSENT = nil at 6",
		"",
		"which no-such-program = nil at 7",
		"read notes.txt = noted\n at 7",
		"exists nothing = false at 7",
		"glob *.txt = [notes.txt] at 7",
		"fact agent = a at 8",
	}
	sh := d.Reads[6].Value.Text
	if !filepath.IsAbs(sh) {
		t.Errorf("which sh: %s", sh)
	}
	want[6] = "which sh = " + sh + " at 7"
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if d.Hook.String() != "configure of project" || d.Span.Position().Line != 10 || d.Hook.Span.Position().Line != 3 {
		t.Errorf("%s at %s, %s", d.Hook, d.Span.Position(), d.Hook.Span.Position())
	}
	if first := r.Doc.Winner("env.FIRST"); len(first.Reads) != 1 || first.Reads[0].Op != "load" {
		t.Errorf("FIRST was set before anything but a module was read, and has %d reads", len(first.Reads))
	}
	if len(r.Hooks) != 2 || r.Hooks[0] != d.Hook || r.Hooks[1].Name != "wrap" {
		t.Errorf("hooks: %v", r.Hooks)
	}
	inputs := make(map[string]bool)
	for _, in := range r.Inputs {
		if rel, err := filepath.Rel(filepath.Dir(o.Dir), in.Path); err == nil && filepath.IsLocal(rel) {
			inputs[fmt.Sprintf("%s %v", rel, in.Present)] = true
		} else if filepath.Base(in.Path) == "no-such-program" && !in.Present {
			inputs["program"] = true
		}
	}
	for _, path := range []string{
		"project/.ucas/ucas.star true", "project/.ucas/lib.star true", "project/.ucas/notes.txt true", "project/.ucas/nothing false",
		"project/.ucas/ucas-override.star false", "home/.ucas/ucas.star false", "home/.ucas/agents/acli-x/ucas.star false", "program",
	} {
		if !inputs[path] {
			t.Errorf("%s is no input", path)
		}
	}
}

func show(n *tree.Node) string {
	if n == nil {
		return "nil"
	}
	return fmt.Sprint(n.Any())
}

// TestWrapOrigins: the words around a command come from the hook, those inside
// keep their origins.
func TestWrapOrigins(t *testing.T) {
	o := layers(t, readers)
	o.Agent = "a"
	o.Extra = []string{"more"}
	var got []string
	for _, w := range assemble(t, o).Plan.Argv {
		from := w.From.Key
		if w.From.Hook != nil {
			from += " (" + w.From.Hook.String() + ")"
		}
		got = append(got, w.Text+": "+from)
	}
	want := []string{"env: wrap (wrap of project)", "--: wrap (wrap of project)", "sh: executable", "more: command line"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestFactoryHooks: the factory library's own hooks run in the process, known by
// their content; what they load must be known, too.
func TestFactoryHooks(t *testing.T) {
	hook := "load(\"//lib.star\", \"x\")\n\ndef configure(ctx):\n    ctx.set(\"env.X\", x)\n"
	factory := fstest.MapFS{}
	for name, text := range map[string]string{
		"ucas.yaml": "allowed_acli: [acli-x]\n", "agents/acli-x/ucas.yaml": "executable: sh\n",
		"agents/acli-x/ucas.star": hook, "lib.star": "x = 1\n", "agents/a/PROMPT.md": "a\n",
	} {
		factory[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	o := layers(t, "")
	o.SystemDir, o.Factory, o.CacheDir, o.Agent = "", factory, t.TempDir(), "a"
	started := func() bool {
		before := children(t)
		r := assemble(t, o)
		if got := r.Doc.Text("env.X"); got == "" {
			t.Fatal("the hook did not run")
		}
		return children(t) > before
	}
	if started() {
		t.Error("a known hook was evaluated in a child process")
	}
	dirs, err := filepath.Glob(filepath.Join(o.CacheDir, "ucas", "factory-*"))
	if err != nil || len(dirs) != 1 {
		t.Fatal("no factory library", err)
	}
	for _, changed := range []string{"lib.star", "agents/acli-x/ucas.star"} {
		path := filepath.Join(dirs[0], changed)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(text, "# changed\n"...), 0o644); err != nil {
			t.Fatal(err)
		}
		if !started() {
			t.Errorf("%s was changed, and still evaluated in the process", changed)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o.TrustHooks = true
	if started() {
		t.Error("TrustHooks started a child process")
	}
}

// TestSameBytes: the same layers, made in another order, assemble to the same
// Plan, warnings and reads.
func TestSameBytes(t *testing.T) {
	archive := txtar.Parse([]byte(readers + `
-- project/.ucas/many/b.txt --
-- project/.ucas/many/a.txt --
-- project/.ucas/many/c.txt --
-- project/.ucas/ucas-override.star --
load("@ucas//path.star", "path")

def configure(ctx):
    for name in ctx.glob("many/*"):
        ctx.set("env.FILE_" + path.basename(name)[0].upper(), json.encode({"name": name, "all": sorted(set(ctx.glob("*")))}))
        ctx.warn("saw " + name)
`))
	var first string
	for range 6 {
		rand.Shuffle(len(archive.Files), func(i, j int) {
			archive.Files[i], archive.Files[j] = archive.Files[j], archive.Files[i]
		})
		o := layers(t, string(txtar.Format(archive)))
		o.Agent, o.Starlib = "a", starlib.FS()
		for range 2 {
			got := strings.ReplaceAll(describe(assemble(t, o)), filepath.Dir(o.Dir), "ROOT")
			if first == "" {
				first = got
			}
			if got != first {
				t.Fatalf("got\n%s\nafter\n%s", got, first)
			}
		}
	}
	if !strings.Contains(first, "FILE_C") {
		t.Error("the override's hook did not run")
	}
}

// describe writes down all that matters of a result.
func describe(r *engine.Result) string {
	var b strings.Builder
	fmt.Fprintln(&b, r.Plan.ShellLine(nil))
	diag.Print(&b, r.Warnings...)
	for _, k := range r.Doc.Keys {
		for _, d := range k.Definitions {
			fmt.Fprintln(&b, k.Name, d.Fate, d.Span.Position(), show(d.Value), len(d.Reads))
		}
	}
	for _, h := range r.Hooks {
		fmt.Fprintln(&b, h)
		for _, read := range h.Reads {
			fmt.Fprintln(&b, read.Op, read.Name, show(read.Value))
		}
	}
	return b.String()
}

// TestTeamHooks: the team's hook computes what its members get, and map_model
// is asked for each.
func TestTeamHooks(t *testing.T) {
	o := layers(t, team+`
-- home/.ucas/teams/backend/ucas.star --
MODELS = {"karel": "large", "pepa": "small"}

def configure(ctx):
    ctx.set("env.MODEL", MODELS[ctx.member])
    ctx.set("requested_model", "any")

def map_model(ctx, model):
    return "%s-for-%s-of-%s" % (ctx.get("env.MODEL"), ctx.agent, ctx.team)
`)
	for member, want := range map[string]string{
		"karel": "large-for-php-master-of-backend", "pepa": "small-for-sql-guru-of-backend",
	} {
		o.Team, o.Member = "backend", member
		r := assemble(t, o)
		if r.Model.Passed != want || r.Model.Hook == nil || r.Model.Hook.Name != "map_model" {
			t.Errorf("%s: %s, %v", member, r.Model.Passed, r.Model.Hook)
		}
		if d := r.Doc.Winner("env.MODEL"); d.Level.String() != "team backend" {
			t.Errorf("%s: set by %s", member, d.Level)
		}
	}
}

// TestLookup: a hook sees variables as they are written, mappings whole.
func TestLookup(t *testing.T) {
	o := layers(t, readers)
	o.Agent, o.Set = "a", []string{"env.VERSION=1.10", "a.b.c=[1, x]", "env.GONE="}
	doc := assemble(t, o).Doc
	for path, want := range map[string]string{
		"env.VERSION": "1.10", "a.b": "map[c:[1 x]]", "a.b.c": "[1 x]", "a.b.c.d": "nil", "none": "nil", "env.GONE": "nil",
		"": "nil",
	} {
		var keys []string
		if path != "" {
			keys = strings.Split(path, ".")
		}
		value, definitions := doc.Lookup(keys)
		if got := show(value); got != want {
			t.Errorf("%q: got %s, want %s", path, got, want)
		}
		if path == "env.GONE" && (len(definitions) != 1 || definitions[0].Fate != merge.Unset) {
			t.Errorf("what unset %s is not told: %v", path, definitions)
		}
	}
	if value, _ := doc.Lookup([]string{"env", "VERSION"}); value.Kind != tree.String {
		t.Errorf("a variable is no text: %v", value.Kind)
	}
}

// TestStarlibIsAsked: a program that gives no library gets told so.
func TestStarlibIsAsked(t *testing.T) {
	o := layers(t, readers+"-- home/.ucas/ucas.star --\nload(\"@ucas//path.star\", \"path\")\n")
	o.Agent = "a"
	for _, test := range []struct {
		library fs.FS
		want    string
	}{{nil, "Options.Starlib"}, {fstest.MapFS{"paths.star": &fstest.MapFile{}}, "did you mean @ucas//paths.star"}} {
		o.Starlib = test.library
		_, err := engine.Assemble(context.Background(), o)
		var b strings.Builder
		diag.Print(&b, diag.All(err)...)
		if !strings.Contains(b.String(), test.want) {
			t.Errorf("got\n%swant %s", b.String(), test.want)
		}
	}
}

// children is a number that grows when a child process has ended.
func children(t *testing.T) int64 {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil {
		t.Fatal(err)
	}
	return usage.Minflt
}

const minimal = `
-- home/.ucas/ucas.yaml --
allowed_acli: [acli-x]
-- home/.ucas/agents/acli-x/ucas.yaml --
executable: sh
-- project/.ucas/agents/a/ucas.yaml --
description: an agent
`

// hooked returns the options of an assembly with a hook file of the project, or
// at other paths.
func hooked(t *testing.T, text string, more ...string) engine.Options {
	t.Helper()
	archive := minimal + "-- project/.ucas/ucas.star --\n" + text + "\n"
	for i := 0; i < len(more); i += 2 {
		archive += "-- " + more[i] + " --\n" + more[i+1] + "\n"
	}
	o := layers(t, archive)
	o.Agent = "a"
	return o
}

// TestParentSurvives: what a hook can make this process do ends soon, in an
// error or not, and takes no memory to speak of.
func TestParentSurvives(t *testing.T) {
	const def = "def configure(ctx):\n    "
	for name, text := range map[string]string{
		"wide get":       def + "ctx.set('env', {'V%d' % i: '1' for i in range(30000)})\n    for i in range(1000): ctx.get('env')",
		"long programs":  def + "for i in range(100000): ctx.which('A' * 1000000)",
		"long keys":      def + "for i in range(100000): ctx.set('A' * 1000000 + str(i), 1)",
		"deep path":      def + "ctx.set('a.' * 500000 + 'a', 1)",
		"many files":     def + "for i in range(1, 2000): ctx.read('./' * i + 'large')",
		"many reads":     def + "for i in range(1000000): ctx.get('x')",
		"many lists":     def + "for i in range(100000):\n        ctx.set('directories', ['x'])\n        ctx.get('directories')",
		"many words":     "def wrap(ctx, command): return ['a'] * 40000 + ['b']",
		"one key":        def + "for i in range(100000): ctx.set('k', i)",
		"many variables": def + "for i in range(100000): ctx.set('env.V%d' % i, i)",
		"many warnings":  def + "for i in range(1000000): ctx.warn('w%d' % i)",
	} {
		t.Run(name, func(t *testing.T) {
			o := hooked(t, text, "project/.ucas/large", strings.Repeat("x", 1<<20-1))
			began := time.Now()
			_, err := engine.Assemble(context.Background(), o)
			if took := time.Since(began); took > 4*time.Second {
				t.Errorf("it took %v: %v", took, err)
			}
			if err == nil {
				t.Error("it succeeds")
			}
		})
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	if mib := usage.Maxrss >> 10; runtime.GOOS == "linux" && mib > 512 {
		t.Errorf("this process needed %d MiB", mib)
	}
}

// TestSecondThoughts: only the runs that count are told of, a hook may fail
// before it knows the harness, and what it makes counts once.
func TestSecondThoughts(t *testing.T) {
	o := hooked(t, `
def configure(ctx):
    if ctx.acli != "acli-x":
        ctx.warn("not with " + str(ctx.acli))
        print("first thoughts")
        fail("no harness")
    ctx.set("env.BIG", "x" * 600000)
    ctx.unset("env.BIG")
`, "project/.ucas/ucas-override.star", "def configure(ctx):\n    ctx.set('big', 'x' * 400000)\n")
	r := assemble(t, o)
	if len(r.Warnings) > 0 || len(r.Printed) > 0 {
		t.Errorf("warnings %v, printed %v", r.Warnings, r.Printed)
	}
	o = hooked(t, "def configure(ctx):\n    if not ctx.acli:\n        fail(\"never\")\n    fail(\"in the end\")\n")
	if _, err := engine.Assemble(context.Background(), o); err == nil || !strings.Contains(err.Error(), "in the end") {
		t.Errorf("got %v", err)
	}
}

// TestUnsettled: a mod cannot become a harness once one was chosen.
func TestUnsettled(t *testing.T) {
	o := hooked(t, "", "project/.ucas/agents/m/ucas.star", "def configure(ctx):\n    if ctx.acli:\n        ctx.set('executable', 'other')\n")
	o.Mods = []string{"m"}
	_, err := engine.Assemble(context.Background(), o)
	if err == nil || !strings.Contains(err.Error(), "executable is not set before acli-x is chosen") {
		t.Errorf("got %v", err)
	}
}

// TestLastVariable: of several of one name, hooks see the one that the harness
// gets.
func TestLastVariable(t *testing.T) {
	for _, trust := range []bool{false, true} {
		o := hooked(t, "def configure(ctx):\n    ctx.set('env.SEEN', '%s %s' % (ctx.env('CI'), ctx.env('A=B')))\n")
		o.TrustHooks, o.Environ = trust, append(o.Environ, "CI=old", "CI=new", "A=B=c")
		if got := assemble(t, o).Doc.Text("env.SEEN"); got != "new None" {
			t.Errorf("trust %v: %s", trust, got)
		}
	}
}

// TestSameShownName: two files that are shown by one name are two.
func TestSameShownName(t *testing.T) {
	o := hooked(t, "def configure(ctx):\n    ctx.set('env.PROJECT', '1')\n", "home/.ucas/ucas.star", "def configure(ctx):\n    ctx.set('env.USER_', '1')\n")
	o.ShownAs = "~"
	doc := assemble(t, o).Doc
	if doc.Text("env.PROJECT") != "1" || doc.Text("env.USER_") != "1" {
		t.Error("one hook was taken for the other")
	}
}

// TestDroppedVariable: what a left-out level computes stands under the right key.
func TestDroppedVariable(t *testing.T) {
	o := hooked(t, "", "home/.ucas/agents/acli-y/ucas.yaml", "executable: yy\n",
		"home/.ucas/agents/acli-y/ucas.star", "def configure(ctx):\n    ctx.set('env.Y', 1)\n    ctx.warn('left out')\n",
		"project/.ucas/ucas-override.yaml", "override_acli: acli-x\n")
	o.Mods = []string{"acli-y"}
	r := assemble(t, o)
	key := r.Doc.Key("env.Y")
	if key == nil || len(key.Definitions) != 1 || key.Definitions[0].Fate != merge.Dropped {
		t.Errorf("env.Y: %+v", key)
	}
	for _, w := range r.Warnings {
		if w.Message == "left out" {
			t.Error("a level that is left out warns")
		}
	}
}

// TestListPath: a path into a list that is one value is an error.
func TestListPath(t *testing.T) {
	for _, set := range []string{"ctx.set('allowed_acli.x', 'y')", "ctx.unset('skills.x')"} {
		_, err := engine.Assemble(context.Background(), hooked(t, "def configure(ctx):\n    "+set+"\n"))
		if err == nil || !strings.Contains(err.Error(), "is a list: there is nothing called x in it") {
			t.Errorf("%s: %v", set, err)
		}
	}
}
