package script

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"ucas/engine/diag"
	"ucas/engine/source"
	"ucas/engine/tree"
	"ucas/engine/yaml"
)

// twenty is a configure as people write it.
const twenty = `
FAST = ["haiku", "flash"]

def ci(ctx):
    return ctx.env("CI") == "true"

def model(ctx):
    asked = ctx.get("requested_model", "default")
    if ci(ctx) and asked not in FAST:
        return FAST[0]
    return asked

def configure(ctx):
    ctx.set("requested_model", model(ctx))
    for name, value in sorted(ctx.get("env", {}).items()):
        if name.startswith("OLD_"):
            ctx.set(["env", name[4:]], value)
            ctx.unset(["env", name])
    if ctx.exists("notes.md"):
        ctx.set("notes", [line for line in ctx.read("notes.md").splitlines() if line])
`

func TestConfigure(t *testing.T) {
	m := newMemory(map[string]string{
		"env CI": `"true"`, "get requested_model": "opus", "get env": "OLD_A: x\nB: z\n", "exists notes.md": "true",
	})
	m.files["notes.md"] = "one\n\ntwo\n"
	l := NewLocal(m)
	if err := configure(l, hookFile(twenty)); err != nil {
		t.Fatal(printed(err))
	}
	check(t, "writes", m.asked(OpSet, OpUnset), `
ucas.star:14:5: set requested_model = haiku
ucas.star:17:13: set env.A = x
ucas.star:18:13: unset env.OLD_A
ucas.star:20:9: set notes = - one
- two`)
	check(t, "reads", m.asked(OpGet, OpEnv, OpRead, OpExists), `
ucas.star:8:13: get requested_model
ucas.star:5:12: env CI
ucas.star:15:31: get env
ucas.star:19:8: exists notes.md
ucas.star:20:44: read notes.md`)
	if got := m.log[0].At.Text(); got != "ctx.get" {
		t.Errorf("the place covers %q", got)
	}
}

func TestHooks(t *testing.T) {
	tests := []struct{ src, hooks, warnings string }{
		{"", "", ""},
		{"def configure(ctx): pass\ndef helper(): pass\n", "configure 1:5-14", ""},
		{"def f(ctx, m): return m\nmap_model = f", "map_model 2:1-10", ""},
		{"a, wrap = 1, lambda ctx, command: command.argv", "wrap 1:4-8", ""},
		{"def command(*args): pass", "command 1:5-12", ""},
		{"def command(ctx, parts, *rest, quick=True): pass", "command 1:5-12", ""},
		{"load('lib.star', 'screen')\nwrapper = screen", "wrapper 2:1-8", ""},
		{"load('lib.star', 'wrapper')", "",
			"ucas.star:1:19: warn wrapper is loaded, but no hook of this file; load it as x=\"wrapper\" and write wrapper = x"},
		{"\ndef confgure(ctx): pass", "", "ucas.star:2:5: warn confgure is no hook; did you mean configure?"},
		{"def map_models(ctx, m): pass", "", "ucas.star:1:5: warn map_models is no hook; did you mean map_model?"},
		{"def wraps(): pass\ndef wrap(ctx, command): pass", "wrap 2:5-9", ""},
		{"\uFEFFdef configure(ctx): pass", "configure 1:5-14", ""},
	}
	for _, test := range tests {
		m := newMemory(nil)
		m.files["lib.star"] = "def screen(ctx, command): pass\nwrapper = screen\n"
		l, file := NewLocal(m), hookFile(test.src)
		for range 2 {
			hooks := must[map[string]source.Span](t)(l.Hooks(file, "project"))
			var got []string
			for _, name := range slices.Sorted(maps.Keys(hooks)) {
				at := hooks[name]
				end := file.Position(at.End).Column
				got = append(got, fmt.Sprintf("%s %d:%d-%d", name, at.Position().Line, at.Position().Column, end))
			}
			check(t, test.src, strings.Join(got, " "), test.hooks)
		}
		check(t, test.src, m.asked(OpWarn), test.warnings)
	}
}

func TestCallResult(t *testing.T) {
	file := hookFile(`
def wrap(ctx, command):
    command.env["A"] = "1"
    return ["nice", "-n", 5] + command.argv + [command.env, None]
def map_model(ctx, model):
    if model == "fast":
        return "haiku"
`)
	l := NewLocal(newMemory(nil))
	arg := must[*tree.Node](t)(yaml.Parse("arg", []byte("argv: [claude, --verbose]\nenv:\n  B: 2.50\n")))
	result := must[*tree.Node](t)(l.Call(Call{File: file, Hook: Wrap, For: "user", Args: []*tree.Node{arg}, ReadOnly: true}))
	check(t, "result", fmt.Sprint(result.Any()), "[nice -n 5 claude --verbose map[A:1 B:2.5] <nil>]")
	check(t, "place", result.Span().Position().String(), "ucas.star:2:5")
	for model, want := range map[string]tree.Kind{"fast": tree.String, "other": tree.Null} {
		arg := tree.NewString(model, source.Span{})
		result := must[*tree.Node](t)(l.Call(Call{File: file, Hook: MapModel, For: "user", Args: []*tree.Node{arg}}))
		if result.Kind != want {
			t.Errorf("%s gives %v", model, result.Any())
		}
	}
	_, err := l.Call(Call{File: file, Hook: Command, For: "user"})
	check(t, "missing", err.Error(), "ucas.star:1:1: command of user: there is no such function")
}

// What a hook got is its own to change.
func TestValuesAreFresh(t *testing.T) {
	m := newMemory(map[string]string{"get list": "[1, 2]"})
	err := configure(NewLocal(m), hookFile(`
def configure(ctx):
    ctx.get("list").append(3)
    ctx.set("n", len(ctx.get("list")))
`))
	if err != nil {
		t.Fatal(printed(err))
	}
	check(t, "set", m.asked(OpSet), "ucas.star:4:5: set n = 2")
}

func TestFacts(t *testing.T) {
	m := newMemory(map[string]string{"fact agent": "helper", "fact mods": "[a, b]"})
	err := configure(NewLocal(m), hookFile(`
def configure(ctx):
    print(ctx.agent, ctx.mods, ctx.team, type(ctx), hasattr(ctx, "agnt"), sep="|")
    print([n for n in dir(ctx) if n < "f"])
`))
	if err != nil {
		t.Fatal(printed(err))
	}
	check(t, "print", m.asked(OpPrint, OpFact), `
ucas.star:3:15: fact agent
ucas.star:3:26: fact mods
ucas.star:3:36: fact team
ucas.star:3:5: print helper|["a", "b"]|None|ctx|False
ucas.star:4:5: print ["acli", "agent", "arch", "env", "exists"]`)
}

func TestPaths(t *testing.T) {
	m := newMemory(nil)
	err := configure(NewLocal(m), hookFile(`
def configure(ctx):
    ctx.get("env.CI")
    ctx.get(["env", "CI"])
    ctx.get(("model_mapping", "gpt-5.2"))
    ctx.get(["a b", "", "c-d_1"])
`))
	if err != nil {
		t.Fatal(printed(err))
	}
	check(t, "paths", m.asked(OpGet), `
ucas.star:3:5: get env.CI
ucas.star:4:5: get env.CI
ucas.star:5:5: get model_mapping."gpt-5.2"
ucas.star:6:5: get "a b"."".c-d_1`)
}

// A question from the library names the line of the layer that called it, and
// a load the file that it stands in.
func TestPlaceInLayer(t *testing.T) {
	m := newMemory(nil)
	m.files["@ucas//lib.star"] = "load(\"@ucas//base.star\", \"f\")\ndef g(ctx):\n    f(ctx)\n"
	m.files["@ucas//base.star"] = "def f(ctx):\n    ctx.warn(\"hm\")\n"
	err := configure(NewLocal(m), hookFile("load('@ucas//lib.star', 'g')\n\ndef configure(ctx):\n    g(ctx)\n"))
	if err != nil {
		t.Fatal(printed(err))
	}
	check(t, "places", m.asked(OpLoad, OpWarn), `
ucas.star:1:6: load @ucas//lib.star
@ucas//lib.star:1:6: load @ucas//base.star
ucas.star:4:5: warn hm`)
}

func TestLoadOnce(t *testing.T) {
	m := newMemory(nil)
	m.files["a.star"] = "load('c.star', 'x')\na = x\n"
	m.files["b.star"] = "load('c.star', 'x')\nb = x\n"
	m.files["c.star"] = "print('once')\nx = 1\n"
	l := NewLocal(m)
	must[map[string]source.Span](t)(l.Hooks(hookFile("load('a.star', 'a')\nload('b.star', 'b')\n"), "project"))
	check(t, "prints", m.asked(OpPrint), "c.star:1:1: print once")
}

func TestLoadDepth(t *testing.T) {
	m := newMemory(nil)
	for i := range 2 * maxLoads {
		m.files[fmt.Sprintf("m%d.star", i)] = fmt.Sprintf("load('m%d.star', 'x')\n", i+1)
	}
	_, err := NewLocal(m).Hooks(hookFile("load('m0.star', 'x')"), "project")
	if err == nil || !strings.Contains(err.Error(), "more than 32 files load each other") {
		t.Fatal(err)
	}
	others := diag.All(err)[0].Others
	if last := others[len(others)-1].Span.File.Name; len(others) != maxPlaces || last != "ucas.star" {
		t.Errorf("%d places, the last in %s", len(others), last)
	}
}

// Each call takes from what the ones before have left.
func TestBudgetOfSeveralCalls(t *testing.T) {
	m := newMemory(nil)
	l := NewLocal(m)
	l.maxSteps = 100_000
	file := hookFile("def map_model(ctx, n):\n    for i in range(n):\n        pass\n")
	call := func(n int) error {
		arg, _ := yaml.Parse("n", fmt.Append(nil, n))
		_, err := l.Call(Call{File: file, Hook: MapModel, For: "user", Args: []*tree.Node{arg}})
		return err
	}
	var err error
	calls := 0
	for ; err == nil; calls++ {
		err = call(5000)
	}
	if calls < 3 || calls > 20 {
		t.Errorf("%d calls", calls)
	}
	check(t, "problem", printed(err), `
ucas.star:2:14: map_model of user: more than 100000 steps
  2 |     for i in range(n):
    |              ^^^^^^^^
hint: all hooks of an assembly together have 100000 steps: look for a loop that runs too often`)
	if !l.Spent() {
		t.Error("not spent")
	}
	again := call(0)
	_, hooks := l.Hooks(hookFile(""), "project")
	_, eval := l.Eval(source.NewFile("text", []byte("1")), nil)
	for _, other := range []error{again, hooks, eval} {
		if fmt.Sprint(other) != fmt.Sprint(err) {
			t.Errorf("later: %v", other)
		}
	}
}

func TestStepsOfTheProduct(t *testing.T) {
	_, err := NewLocal(newMemory(nil)).Hooks(hookFile("x = [j for i in range(10000) for j in range(1000)]\n"), "project")
	if err == nil || !strings.Contains(err.Error(), "hooks of project: more than 5 million steps") {
		t.Error(err)
	}
}

func TestTime(t *testing.T) {
	l := NewLocal(newMemory(nil))
	l.maxTime, l.maxSteps = 20*time.Millisecond, 1<<40
	file := hookFile("def configure(ctx):\n    for i in range(1 << 40):\n        pass\n")
	start := time.Now()
	err := configure(l, file)
	check(t, "problem", err.Error(), "ucas.star:2:14: configure of project: more than 0.02 seconds")
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	check(t, "again", configure(l, file).Error(), err.Error())
}

func TestPanic(t *testing.T) {
	l := NewLocal(newMemory(nil))
	file := hookFile("def configure(ctx):\n    list(range(1 << 62))\n")
	err := configure(l, file)
	if err == nil || !strings.Contains(err.Error(), "ucas.star:1:5: configure of project: the interpreter failed: ") {
		t.Fatal(err)
	}
	other := source.NewFile("other.star", []byte("def configure(ctx):\n    ctx.set('a', 1)\n"))
	if err := configure(l, other); err != nil {
		t.Error("afterwards:", err)
	}
	top := source.NewFile("top.star", []byte("x = range(1)[::8192]\ny = list(range(1 << 62))\n"))
	_, first := l.Hooks(top, "user")
	_, second := l.Hooks(top, "user")
	if first == nil || fmt.Sprint(first) != fmt.Sprint(second) {
		t.Errorf("first %v, then %v", first, second)
	}
}

// A panic of the world is a bug of the program, and stays one.
func TestPanicOfTheWorld(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	_ = configure(NewLocal(panicking{}), hookFile("def configure(ctx):\n    ctx.warn('')\n"))
}

type panicking struct{}

func (panicking) Answer(Question) (Answer, error) { panic("bug") }

func TestTrace(t *testing.T) {
	m := newMemory(nil)
	m.files["lib.star"] = "def f(x):\n    x = x + 1\n    return x\n"
	l := NewLocal(m)
	var lines []string
	l.trace = func(file string, line int) {
		at := fmt.Sprintf("%s:%d", file, line)
		if len(lines) == 0 || lines[len(lines)-1] != at {
			lines = append(lines, at)
		}
	}
	file := hookFile("load('lib.star', 'f')\n\ndef configure(ctx):\n    n = 1\n    n = f(n)\n    ctx.set('n', n)\n")
	if err := configure(l, file); err != nil {
		t.Fatal(printed(err))
	}
	got := strings.Join(lines, " ")
	if !strings.HasSuffix(got, "ucas.star:3 ucas.star:5 lib.star:2 lib.star:3 ucas.star:5 ucas.star:6") {
		t.Error(got)
	}
}

func TestTraceTicks(t *testing.T) {
	l := NewLocal(newMemory(nil))
	ticks := 0
	l.trace = func(string, int) { ticks++ }
	_, err := l.Hooks(hookFile("x = [j for i in range(10000) for j in range(1000)]\n"), "project")
	if err == nil || !strings.Contains(err.Error(), "more than 5 million steps") {
		t.Error(err)
	}
	if want := closeSteps + (MaxSteps-closeSteps)/wideTicks; ticks < want-2 || ticks > want+2 {
		t.Errorf("%d ticks, want %d", ticks, want)
	}
}

func TestTraceDoesNotAllocate(t *testing.T) {
	file := hookFile("def configure(ctx):\n    for i in range(100000):\n        pass\n")
	allocs := testing.AllocsPerRun(1, func() {
		l := NewLocal(newMemory(nil))
		l.trace = func(string, int) {}
		if err := configure(l, file); err != nil {
			t.Fatal(printed(err))
		}
	})
	if allocs > 1000 {
		t.Errorf("%v allocations", allocs)
	}
}

// Where the process was is known for a panic, too.
func TestTracedPanic(t *testing.T) {
	l := NewLocal(newMemory(nil))
	l.trace = func(string, int) {}
	err := configure(l, hookFile("def configure(ctx):\n    a = 1\n    list(range(1 << 62))\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "ucas.star:3:5: configure of project: the interpreter failed") {
		t.Error(err)
	}
}

func TestEval(t *testing.T) {
	m := newMemory(map[string]string{"get model": "opus"})
	m.files["lib.star"] = "def twice(x): return 2 * x\n"
	l := NewLocal(m)
	scope := hookFile("NAMES = ['a']\ndef hello(x): return 'hello ' + x\n")
	other := source.NewFile("other.star", []byte("NAMES = ['b']\nOTHER = 1\n"))
	tests := []struct {
		text  string
		scope *source.File
		want  string
	}{
		{"1 + 2", nil, "3"},
		{"'a' + 'b'\n", nil, `"ab"`},
		{"None", nil, "None"},
		{"", nil, ""},
		{"hello('you')", scope, `"hello you"`},
		{"NAMES", other, `["b"]`},
		{"NAMES", scope, `["a"]`},
		{"ctx.get('model')", nil, `"opus"`},
		{"x = [1]", nil, ""},
		{"x.append(2)", nil, "None"},
		{"x", nil, "[1, 2]"},
		{"for i in range(3):\n    x.append(i)\nx = x + [9]", nil, ""},
		{"x", scope, "[1, 2, 0, 1, 2, 9]"},
		{"def f(y):\n    return hello(y) + str(len(x))", scope, ""},
		{"f('me')", nil, `"hello me6"`},
		{"NAMES = 1", scope, ""},
		{"NAMES", other, "1"},
		{"load('lib.star', 'twice')", nil, ""},
		{"twice(4)", nil, "8"},
		{"a, (b, c) = 1, (2, 3)", nil, ""},
		{"[a, b, c, struct(x=1), {'k': True}]", nil, `[1, 2, 3, struct(x = 1), {"k": True}]`},
		{"1 // 0", nil, "-:1:3: division by zero"},
		{"x = 1; y = 1 // 0", nil, "-:1:14: division by zero"},
		{"x", nil, "1"},
		{"x = ", nil, "-:1:4: got end of file, want an expression"},
		{"'x' * 2000000", nil, "-:1:1: the value is too large to show"},
		{"len('x' * 2000000)", nil, "2000000"},
		{"OTHER", scope, "-:1:1: undefined: OTHER"},
	}
	for _, test := range tests {
		got, err := l.Eval(source.NewFile("-", []byte(test.text)), test.scope)
		if err != nil {
			got = err.Error()
		}
		check(t, test.text, got, test.want)
	}
}

// Texts may have the same name: a problem shows the line of its own.
func TestEvalShowsTheRightText(t *testing.T) {
	l := NewLocal(newMemory(nil))
	must[string](t)(l.Eval(source.NewFile("-", []byte("def f(x):\n    return x // 0\n")), nil))
	_, err := l.Eval(source.NewFile("-", []byte("f(1)")), nil)
	check(t, "problem", printed(err), `
-:2:14: division by zero
  2 |     return x // 0
    |              ^^
-:1:1: called from here
  1 | f(1)
    | ^
hint: look at the divisor first`)
}

func TestEvalBudgets(t *testing.T) {
	l := NewLocal(newMemory(nil))
	l.maxSteps = 10_000
	loop := source.NewFile("-", []byte("[i for i in range(1000)]"))
	must[string](t)(l.Eval(loop, nil))
	must[string](t)(l.Eval(loop, nil))
	_, err := l.Eval(source.NewFile("-", []byte("[i for i in range(30000)]")), nil)
	if err == nil || !strings.Contains(err.Error(), "more than 10000 steps") {
		t.Error(err)
	}
	must[string](t)(l.Eval(loop, nil))
	must[map[string]source.Span](t)(l.Hooks(hookFile("x = 1"), "project"))
	if l.Spent() {
		t.Error("a text has spent the budget of the hooks")
	}
}

func TestDeepValuesAreNotShown(t *testing.T) {
	l := NewLocal(newMemory(nil))
	text := "x = [1]\nfor i in range(60):\n    x = [x, x]\n"
	must[string](t)(l.Eval(source.NewFile("-", []byte(text)), nil))
	for _, text := range []string{"x", "y = [0]\n", "[y.append(y), y]"} {
		_, err := l.Eval(source.NewFile("-", []byte(text)), nil)
		if (err == nil) != strings.Contains(text, "=") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func BenchmarkHooksAndConfigure(b *testing.B) {
	file := hookFile(twenty)
	m := newMemory(map[string]string{"env CI": `"true"`, "get requested_model": "opus", "get env": "OLD_A: x\nB: z\n"})
	b.ReportAllocs()
	for b.Loop() {
		if err := configure(NewLocal(m), file); err != nil {
			b.Fatal(err)
		}
		m.log = m.log[:0]
	}
}

func BenchmarkCall(b *testing.B) {
	file := hookFile("def map_model(ctx, model):\n    if model == \"fast\":\n        return \"haiku\"\n")
	l := NewLocal(newMemory(nil))
	arg := []*tree.Node{tree.NewString("fast", source.Span{})}
	b.ReportAllocs()
	for b.Loop() {
		l.budget = budget{}
		if _, err := l.Call(Call{File: file, Hook: MapModel, For: "project", Args: arg}); err != nil {
			b.Fatal(err)
		}
	}
}

// The steps of BenchmarkSteps, traced as the child process does.
func BenchmarkTracedSteps(b *testing.B) { benchmarkSteps(b, func(string, int) {}) }

func BenchmarkSteps(b *testing.B) { benchmarkSteps(b, nil) }

func benchmarkSteps(b *testing.B, trace func(string, int)) {
	file := hookFile("def configure(ctx):\n    for i in range(100000):\n        x = i\n")
	for b.Loop() {
		l := NewLocal(newMemory(nil))
		l.trace = trace
		if err := configure(l, file); err != nil {
			b.Fatal(err)
		}
	}
}
