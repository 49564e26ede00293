package starlib_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.starlark.net/lib/json"
	"go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/starlarktest"
	"go.starlark.net/syntax"

	"ucas/starlib"
)

// TestStarlark runs the functions test_* of testdata/*_test.star.
func TestStarlark(t *testing.T) {
	files, err := filepath.Glob("testdata/*_test.star")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), "_test.star"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			results, err := runTests(file, string(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				t.Run(r.name, func(t *testing.T) {
					for _, problem := range r.problems {
						t.Error(problem)
					}
				})
			}
		})
	}
}

// TestRunner shows that a test cannot pass by testing nothing.
func TestRunner(t *testing.T) {
	const load = "load('assert.star', 'assert')\n"
	for _, tt := range []struct{ name, text, want string }{
		{"passes", load + "def test_a(): assert.eq(1, 1)", ""},
		{"wrong", load + "def test_a(): assert.eq(1, 2)", "1 != 2"},
		{"no test", load + "def a(): assert.eq(1, 1)", "no function test_*"},
		{"no assertion", load + "def test_a(): pass", "asserts nothing"},
		{"one has none", load + "def test_a(): assert.true(True)\ndef test_b(): pass", "test_b asserts nothing"},
		{"stops", load + "def test_a():\n  assert.true(True)\n  fail('stop')", "stop"},
		{"does not load", "load('@ucas//none.star', 'none')", "none.star"},
		{"loops", load + "def test_a():\n  while True: pass", "while"},
		{"recurses", load + "def test_a():\n  assert.true(True)\n  test_a()", "recursively"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var problems []string
			results, err := runTests("x_test.star", tt.text)
			if err != nil {
				problems = append(problems, err.Error())
			}
			for _, r := range results {
				problems = append(problems, r.problems...)
			}
			got := strings.Join(problems, "\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestModules holds the modules to their form: one struct, named after the
// file, all of it tested, described and in the README.
func TestModules(t *testing.T) {
	names := moduleNames(t)
	if !slices.Contains(names, "wrappers") {
		t.Fatalf("the modules are not embedded: %v", names)
	}
	readme := readFile(t, "README.md")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			globals := loadModule(t, name)
			for global := range globals {
				if global != name && !strings.HasPrefix(global, "_") {
					t.Errorf("it exports %s", global)
				}
			}
			module, ok := globals[name].(*starlarkstruct.Struct)
			if !ok {
				t.Fatalf("it exports no struct %s", name)
			}
			if text := moduleText(t, name); !strings.Contains(text, fmt.Sprintf("load(\"@ucas//%s.star\", %[1]q)", name)) {
				t.Error("its doc comment does not say how to load it")
			}
			tests := readFile(t, filepath.Join("testdata", name+"_test.star"))
			for _, attr := range module.AttrNames() {
				full := name + "." + attr
				if !strings.Contains(tests, full) {
					t.Errorf("%s has no test", full)
				}
				if !strings.Contains(readme, "`"+full) {
					t.Errorf("%s is not in README.md", full)
				}
				checkDoc(t, full, attrOf(t, module, attr))
			}
		})
	}
}

// checkDoc checks that a function says what it takes and returns.
func checkDoc(t *testing.T, name string, v starlark.Value) {
	t.Helper()
	fn, ok := v.(*starlark.Function)
	if !ok {
		return
	}
	_, args, ok := strings.Cut(fn.Doc(), "\n    Args:\n")
	if !ok || !strings.Contains(args, "\n    Returns:\n") {
		t.Errorf("%s does not describe its arguments and result", name)
	}
	for i := range fn.NumParams() {
		param, _ := fn.Param(i)
		if !strings.Contains(args, "      "+param+": ") && !strings.Contains(args, "      *"+param+": ") {
			t.Errorf("%s does not describe %s", name, param)
		}
	}
}

// TestReadmeExamples loads what README.md shows as Starlark, so that it stays
// correct at least in its names.
func TestReadmeExamples(t *testing.T) {
	blocks := strings.Split(readFile(t, "README.md"), "```starlark\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("README.md shows no Starlark")
	}
	for i, block := range blocks {
		text, _, _ := strings.Cut(block, "```")
		l := newLoader()
		if _, err := l.exec(fmt.Sprintf("README.md, block %d", i+1), text); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
}

// A result is what a test function found wrong.
type result struct {
	name     string
	problems []string
}

// Error makes a result the reporter of starlarktest.
func (r *result) Error(args ...any) { r.problems = append(r.problems, fmt.Sprint(args...)) }

// runTests runs the functions test_* of a file, in their order. A file without
// one is an error, a function that asserts nothing is a problem.
func runTests(file, text string) ([]*result, error) {
	l := newLoader()
	globals, err := l.exec(file, text)
	if err != nil {
		return nil, backtrace(err)
	}
	var tests []*starlark.Function
	for name, v := range globals {
		if fn, ok := v.(*starlark.Function); ok && strings.HasPrefix(name, "test_") {
			tests = append(tests, fn)
		}
	}
	if len(tests) == 0 {
		return nil, fmt.Errorf("%s has no function test_*", file)
	}
	slices.SortFunc(tests, func(a, b *starlark.Function) int { return int(a.Position().Line) - int(b.Position().Line) })
	var results []*result
	for _, fn := range tests {
		r := &result{name: fn.Name()}
		results = append(results, r)
		thread := l.thread(fn.Name())
		starlarktest.SetReporter(thread, r)
		l.assertions = 0
		if _, err := starlark.Call(thread, fn, nil, nil); err != nil {
			r.Error(backtrace(err))
		} else if l.assertions == 0 {
			r.Error(fn.Name() + " asserts nothing")
		}
	}
	return results, nil
}

// backtrace returns the error with where it happened.
func backtrace(err error) error {
	var evalErr *starlark.EvalError
	if errors.As(err, &evalErr) {
		return errors.New(evalErr.Backtrace())
	}
	return err
}

// A loader loads modules as hooks are loaded: of starlib as @ucas//NAME.star,
// and besides those assert.star and the files of testdata.
type loader struct {
	loaded     map[string]starlark.StringDict
	assertions int
}

func newLoader() *loader { return &loader{loaded: make(map[string]starlark.StringDict)} }

func (l *loader) thread(name string) *starlark.Thread {
	return &starlark.Thread{Name: name, Load: l.load}
}

func (l *loader) exec(name, text string) (starlark.StringDict, error) {
	predeclared := starlark.StringDict{
		"struct": starlark.NewBuiltin("struct", starlarkstruct.Make),
		"json":   json.Module,
		"math":   math.Module,
	}
	return starlark.ExecFileOptions(&syntax.FileOptions{Set: true}, l.thread(name), name, text, predeclared)
}

func (l *loader) load(_ *starlark.Thread, name string) (starlark.StringDict, error) {
	if globals, ok := l.loaded[name]; ok {
		return globals, nil
	}
	globals, err := l.read(name)
	l.loaded[name] = globals
	return globals, err
}

func (l *loader) read(name string) (starlark.StringDict, error) {
	if name == "assert.star" {
		return l.assert()
	}
	var text []byte
	var err error
	if module, ok := strings.CutPrefix(name, "@ucas//"); ok {
		text, err = fs.ReadFile(starlib.FS(), module)
	} else {
		text, err = os.ReadFile(filepath.Join("testdata", name))
	}
	if err != nil {
		return nil, err
	}
	return l.exec(name, string(text))
}

// assert returns starlarktest's module, with its functions counted.
func (l *loader) assert() (starlark.StringDict, error) {
	globals, err := starlarktest.LoadAssertModule()
	if err != nil {
		return nil, err
	}
	module := globals["assert"].(*starlarkstruct.Module)
	counted := make(starlark.StringDict, len(module.Members))
	for name, fn := range module.Members {
		counted[name] = starlark.NewBuiltin(name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
			kwargs []starlark.Tuple) (starlark.Value, error) {
			l.assertions++
			return starlark.Call(thread, fn, args, kwargs)
		})
	}
	return starlark.StringDict{"assert": &starlarkstruct.Module{Name: "assert", Members: counted}}, nil
}

func moduleNames(t *testing.T) []string {
	t.Helper()
	files, err := fs.Glob(starlib.FS(), "*.star")
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(file, ".star")
	}
	return files
}

func moduleText(t *testing.T, name string) string {
	t.Helper()
	text, err := fs.ReadFile(starlib.FS(), name+".star")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func loadModule(t testing.TB, name string) starlark.StringDict {
	t.Helper()
	l := newLoader()
	globals, err := l.load(nil, "@ucas//"+name+".star")
	if err != nil {
		t.Fatal(backtrace(err))
	}
	return globals
}

func attrOf(t testing.TB, v starlark.HasAttrs, name string) starlark.Value {
	t.Helper()
	attr, err := v.Attr(name)
	if err != nil || attr == nil {
		t.Fatalf("there is no %s: %v", name, err)
	}
	return attr
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
