package script

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ucas/engine/diag"
	"ucas/engine/source"
)

// A chunk is a hook file with the problems it must have.
type chunk struct {
	line  int // in the file of chunks
	text  string
	wants []want
}

// A want is a comment at the end of a line: ### "message" "hint".
type want struct {
	line          int
	message, hint string
}

var wantPattern = regexp.MustCompile(`[ \t]*### ("(?:[^"\\]|\\.)*")(?: ("(?:[^"\\]|\\.)*"))?$`)

// chunks reads hook files that are separated by lines of "---".
func chunks(t *testing.T, path string) []chunk {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := []chunk{{line: 1}}
	for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		if line == "---" {
			all = append(all, chunk{line: i + 2})
			continue
		}
		c := &all[len(all)-1]
		if m := wantPattern.FindStringSubmatch(line); m != nil {
			c.wants = append(c.wants, newWant(i+2-c.line, m))
			line = line[:len(line)-len(m[0])]
		}
		c.text += line + "\n"
	}
	return all
}

func newWant(line int, m []string) want {
	message, _ := strconv.Unquote(m[1])
	hint, _ := strconv.Unquote(m[2])
	return want{line, message, hint}
}

// TestErrors runs the files in testdata: top level, then configure. Lines of
// a want must fail, no others may; a want without a hint wants none.
func TestErrors(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*.star")
	if len(paths) == 0 {
		t.Fatal("no files")
	}
	var all diag.List
	for _, path := range paths {
		for _, c := range chunks(t, path) {
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(path), c.line), func(t *testing.T) {
				for _, text := range []string{c.text, strings.TrimRight(c.text, "\n"), strings.ReplaceAll(c.text, "\n", "\r\n")} {
					err := configure(NewLocal(testWorld()), hookFile(text))
					checkErrors(t, c, err)
					if err != nil {
						all = append(all, diag.All(err)...)
					}
				}
			})
		}
	}
	checkAdvices(t, all)
}

// checkAdvices checks that the problems have shown all advice.
func checkAdvices(t *testing.T, all diag.List) {
	for _, a := range advices() {
		pattern := strings.NewReplacer("$1", "…", "$2", "…", "$3", "…").Replace(a.hint)
		if !slices.ContainsFunc(all, func(p *diag.Problem) bool { _, ok := match(pattern, p.Hint); return ok }) {
			t.Errorf("no test shows the advice for %q: %s", a.says, a.hint)
		}
	}
}

func testWorld() *memory {
	m := newMemory(map[string]string{"get name": "x", "get list": "[1]"})
	m.files["bad.star"] = "x = 1 // 0\n"
	m.files["good.star"] = "good = [1]\ndef half(x):\n    return x // 0\n"
	m.errors["set vetoed"] = diag.Errorf("vetoed is settled by an override").WithHint("ask your administrator")
	m.errors["read /etc/passwd"] = errClosed
	return m
}

func checkErrors(t *testing.T, c chunk, err error) {
	t.Helper()
	var problems diag.List
	if err != nil {
		problems = diag.All(err)
	}
	for i, w := range c.wants {
		if i < len(problems) {
			w.check(t, problems[i])
		}
	}
	if len(problems) != len(c.wants) {
		t.Errorf("%d problems, want %d:\n%s", len(problems), len(c.wants), c.text)
		if err != nil {
			t.Error(printed(err))
		}
	}
}

func (w want) check(t *testing.T, p *diag.Problem) {
	t.Helper()
	if line := p.Span.Position().Line; line != w.line {
		t.Errorf("in line %d, want %d:\n%s", line, w.line, printed(p))
	}
	message := strings.TrimPrefix(strings.TrimPrefix(p.Message, "hooks of project: "), "configure of project: ")
	if message == p.Message || !regexp.MustCompile("^(?:"+w.message+")$").MatchString(message) {
		t.Errorf("message %q does not match %q", p.Message, w.message)
	}
	if (p.Hint == "") != (w.hint == "") || !regexp.MustCompile(w.hint).MatchString(p.Hint) {
		t.Errorf("%s: hint %q does not match %q", p.Message, p.Hint, w.hint)
	}
}

// Whole problems, with their excerpts.
func TestProblemsAsPrinted(t *testing.T) {
	const lib = "def half(x):\n    return x // 0\n"
	tests := []struct{ name, src, want string }{
		{"calls", "load('lib.star', 'half')\n\ndef f(x):\n    return half(x)\n\ndef configure(ctx):\n    ctx.set('a', f(1))\n", `
lib.star:2:14: configure of project: division by zero
  2 |     return x // 0
    |              ^^
ucas.star:4:12: called from here, in f
  4 |     return half(x)
    |            ^^^^
ucas.star:7:18: called from here, in configure
  7 |     ctx.set('a', f(1))
    |                  ^
hint: look at the divisor first
`},
		{"a file that is loaded", "load('outer.star', 'x')\n", `
inner.star:1:7: hooks of project: division by zero
  1 | y = 1 // 0
    |       ^^
outer.star:1:6: loaded from here
  1 | load('inner.star', 'y')
    |      ^^^^^^^^^^^^
ucas.star:1:6: loaded from here
  1 | load('outer.star', 'x')
    |      ^^^^^^^^^^^^
hint: look at the divisor first
`},
		{"a file that is loaded and does not parse", "load('syntax.star', 'x')\n", `
syntax.star:1:5: hooks of project: there is no !
  1 | x = !y
    |     ^
ucas.star:1:6: loaded from here
  1 | load('syntax.star', 'x')
    |      ^^^^^^^^^^^^^
hint: write not x; unequal is !=
`},
		{"a file that is not there", "load('lost.star', 'x')\n", `
ucas.star:1:6: hooks of project: load: no file lost.star in this layer
  1 | load('lost.star', 'x')
    |      ^^^^^^^^^^^
hint: see the names beside ucas.star
`},
		{"a cycle", "load('a.star', 'x')\n", `
c.star:1:6: hooks of project: load: a.star loads b.star, which loads c.star, which loads a.star
  1 | load('a.star', 'x')
    |      ^^^^^^^^
b.star:1:6: loaded from here
  1 | load('c.star', 'x')
    |      ^^^^^^^^
a.star:1:6: loaded from here
  1 | load('b.star', 'x')
    |      ^^^^^^^^
ucas.star:1:6: loaded from here
  1 | load('a.star', 'x')
    |      ^^^^^^^^
hint: put what both need into a file that loads neither
`},
		{"a file that loads itself", "load('self.star', 'x')\n", `
self.star:1:6: hooks of project: load: self.star loads itself
  1 | load('self.star', 'x')
    |      ^^^^^^^^^^^
ucas.star:1:6: loaded from here
  1 | load('self.star', 'x')
    |      ^^^^^^^^^^^
hint: a file sees its own names without load
`},
		{"arguments", "def f(a, b):\n    return a\n\ndef configure(ctx):\n    f(1)\n", `
ucas.star:5:5: configure of project: function f missing 1 argument (b)
  5 |     f(1)
    |     ^
ucas.star:1:5: f is defined here
  1 | def f(a, b):
    |     ^
`},
		{"a name set twice", "\nx = 1\nx = 2\n", `
ucas.star:3:1: hooks of project: cannot set global x again
  3 | x = 2
    | ^
ucas.star:2:1: it is set here first
  2 | x = 1
    | ^
hint: a name at the top level is set once: take another name, or work in a function
`},
		{"other places of the world", "def configure(ctx):\n    ctx.set('model', 'x')\n", `
ucas.star:2:5: configure of project: ctx.set: model is settled
  2 |     ctx.set('model', 'x')
    |     ^^^^^^^
lib.star:1:1: here
  1 | def half(x):
    | ^^^
hint: ask
`},
		{"a missing colon", "def configure(ctx)\n    pass\n", `
ucas.star:1:19: hooks of project: got newline, want ':'
  1 | def configure(ctx)
    |                   ^
hint: end the line with a colon
`},
		{"an f-string", "é = f\"{x}\"\n", `
ucas.star:1:6: hooks of project: there are no f-strings
  1 | é = f"{x}"
    |      ^^^^^
hint: write "{} {}".format(a, b) or "%s %s" % (a, b)
`},
		{"text that drives the terminal", "fail('\\033[31m\\nucas: fine')\n", `
ucas.star:1:1: hooks of project: \x1b[31m\nucas: fine
  1 | fail('\033[31m\nucas: fine')
    | ^^^^
`},
		{"many calls", manyCalls(12), `
ucas.star:2:21: configure of project: division by zero
  2 | def f0(x): return 1 // 0
    |                     ^^
ucas.star:3:19: called from here, in f1
  3 | def f1(x): return f0(x)
    |                   ^^
ucas.star:4:19: called from here, in f2
  4 | def f2(x): return f1(x)
    |                   ^^
ucas.star:5:19: called from here, in f3
  5 | def f3(x): return f2(x)
    |                   ^^
ucas.star:6:19: called from here, in f4
  6 | def f4(x): return f3(x)
    |                   ^^
ucas.star:7:19: called from here, in f5
  7 | def f5(x): return f4(x)
    |                   ^^
ucas.star:8:19: called from here, in f6
  8 | def f6(x): return f5(x)
    |                   ^^
hint: look at the divisor first
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := newMemory(nil)
			m.files["lib.star"] = lib
			m.files["outer.star"] = "load('inner.star', 'y')\nx = y\n"
			m.files["inner.star"] = "y = 1 // 0\n"
			m.files["syntax.star"] = "x = !y\n"
			m.files["a.star"] = "load('b.star', 'x')\n"
			m.files["b.star"] = "load('c.star', 'x')\n"
			m.files["c.star"] = "load('a.star', 'x')\n"
			m.files["self.star"] = "load('self.star', 'x')\n"
			libFile, _ := m.load(Question{Name: "lib.star"})
			place := NewLocal(m).unit(libFile.File).token(0)
			m.errors["set model"] = diag.Errorf("model is settled").WithHint("ask").WithPlace(place, "here")
			l, file := NewLocal(m), hookFile(test.src)
			err := configure(l, file)
			if err == nil {
				t.Fatal("no problem")
			}
			check(t, "problem", printed(err), test.want)
			if again := configure(l, file); printed(again) != printed(err) {
				t.Errorf("the second time:\n%s", printed(again))
			}
		})
	}
}

func manyCalls(n int) string {
	var b strings.Builder
	b.WriteString("\ndef f0(x): return 1 // 0\n")
	for i := range n {
		fmt.Fprintf(&b, "def f%d(x): return f%d(x)\n", i+1, i)
	}
	fmt.Fprintf(&b, "def configure(ctx): f%d(1)\n", n)
	return b.String()
}

// A broken file fails all who load it, each with its own way there.
func TestBrokenFileLoadedTwice(t *testing.T) {
	m := testWorld()
	l := NewLocal(m)
	_, first := l.Hooks(hookFile("load('bad.star', 'x')\n"), "project")
	_, second := l.Hooks(source.NewFile("other.star", []byte("\nload('bad.star', 'x')\n")), "user")
	check(t, "second", printed(second), strings.NewReplacer("project", "user", "ucas.star:1", "other.star:2",
		"  1 | load", "  2 | load").Replace(printed(first)))
}

// The cause of a world's error can be asked for.
func TestCause(t *testing.T) {
	err := configure(NewLocal(testWorld()), hookFile("def configure(ctx):\n    ctx.read('/etc/passwd')\n"))
	if diag.All(err)[0].Cause != errClosed {
		t.Error(err)
	}
}
