package script

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"ucas/engine/diag"
	"ucas/engine/source"
	"ucas/engine/tree"
)

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

// A worldFunc is a World in one function.
type worldFunc func(q Question) (Answer, error)

func (f worldFunc) Answer(q Question) (Answer, error) { return f(q) }

// silent is a World that has nothing.
func silent(Question) (Answer, error) { return Answer{}, nil }

func startProcess(t testing.TB, w World) *Process {
	t.Helper()
	p, err := Start(context.Background(), w)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// runConfigure evaluates the hook configure of a file.
func runConfigure(e Evaluator, f *source.File, args ...*tree.Node) (*tree.Node, error) {
	if _, err := e.Hooks(f, "project"); err != nil {
		return nil, err
	}
	return e.Call(Call{File: f, Hook: Configure, For: "project", Args: args})
}

func star(lines ...string) *source.File {
	return source.NewFile("ucas.star", []byte(strings.Join(lines, "\n")+"\n"))
}

func TestProcess(t *testing.T) {
	var asked []Question
	p := startProcess(t, worldFunc(func(q Question) (Answer, error) {
		asked = append(asked, q)
		if q.Op == OpGet {
			return Answer{Value: tree.NewList([]*tree.Node{tree.NewString("a", source.Span{}), tree.NewString("é", source.Span{})}, source.Span{})}, nil
		}
		return Answer{}, nil
	}))
	f := star(
		`def configure(ctx):`,
		`    ctx.set("env.A", {"x": ctx.get("list"), "y": None})`,
		`    return [1, 1.5, True, "s"]`)
	places, err := p.Hooks(f, "project")
	if err != nil {
		t.Fatal(err)
	}
	if at := places[Configure]; at.File != f || at.Text() != "configure" {
		t.Errorf("configure is at %v", at)
	}
	result, err := p.Call(Call{File: f, Hook: Configure, For: "project"})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(result.Any()); got != "[1 1.5 true s]" {
		t.Errorf("result %s", got)
	}
	if len(asked) != 2 || asked[0].Op != OpGet || asked[1].Op != OpSet || asked[1].At.File != f || asked[1].At.Text() != "ctx.set" {
		t.Errorf("questions %+v", asked)
	}
	if got := fmt.Sprint(asked[1].Value.Any()); got != "map[x:[a é] y:<nil>]" {
		t.Errorf("value %s", got)
	}
}

// TestSameAsLocal compares a Process with Local: values with all they have,
// questions, errors.
func TestSameAsLocal(t *testing.T) {
	yaml := source.NewFile("ucas.yaml", []byte("a: b\nc: d\n"))
	at := func(start, end int) source.Span { return source.Span{File: yaml, Start: start, End: end} }
	for name, f := range map[string]*source.File{
		"value":         star(`def configure(ctx):`, `    return {"a": [1, {"b": None}], "c": ctx.get("x"), "": "é"}`),
		"fail":          star(`def f(ctx):`, `    fail("no\n", 1)`, `def configure(ctx):`, `    f(ctx)`),
		"many errors":   star(`def configure(ctx):`, `    a()`, `    b()`, `    c()`),
		"syntax":        star(`def configure(ctx:`),
		"refused":       star(`def configure(ctx):`, `    ctx.read("refused")`),
		"plain refused": star(`def configure(ctx):`, `    ctx.read("plain")`),
		"deep":          star(`def configure(ctx):`, `    x = []`, `    for i in range(100):`, `        x = [x]`, `    return x`),
		"wrong":         star(`def configure(a, b):`, `    pass`),
		"no load":       star(`load("plain", "x")`, `def configure(ctx):`, `    pass`),
		"no hook":       star(`x = 1`),
		"print":         star(`def configure(ctx):`, `    print("a", 1)`, `    ctx.warn("w")`),
	} {
		run := func(start func(World) Evaluator) string {
			var b strings.Builder
			e := start(worldFunc(func(q Question) (Answer, error) {
				fmt.Fprintf(&b, "%v %q %+v %v\n", q.Op, q.Name, q.Value, q.At)
				switch q.Name {
				case "plain":
					return Answer{}, fs.ErrPermission
				case "refused":
					return Answer{}, diag.At(at(0, 1), "no").WithHint("hint").WithPlace(at(5, 6), "and here").WithCause(fs.ErrExist)
				}
				return Answer{Value: tree.NewString("v", at(3, 4))}, nil
			}))
			defer e.Close()
			value, err := runConfigure(e, f)
			fmt.Fprintf(&b, "%+v\n", value.Any())
			for _, p := range diag.All(err) {
				fmt.Fprintf(&b, "%v %v %q %q %v %v\n", p.Severity, p.Span, p.Message, p.Hint,
					errors.Is(p, fs.ErrPermission), errors.Is(p, fs.ErrExist))
				for _, o := range p.Others {
					fmt.Fprintf(&b, "  %v %q\n", o.Span, o.Text)
				}
			}
			return b.String()
		}
		local := run(func(w World) Evaluator { return NewLocal(w) })
		process := run(func(w World) Evaluator { return startProcess(t, w) })
		// Pointers to nodes differ; those to files must not.
		pointers := regexp.MustCompile(`(Next|First):0x[0-9a-f]+`)
		local, process = pointers.ReplaceAllString(local, "$1"), pointers.ReplaceAllString(process, "$1")
		if local != process {
			t.Errorf("%s: in this process\n%sin another\n%s", name, local, process)
		}
	}
}

func TestErrorOfWorld(t *testing.T) {
	cause := errors.New("cause")
	yaml := source.NewFile("ucas.yaml", []byte("a: b\n"))
	p := startProcess(t, worldFunc(func(q Question) (Answer, error) {
		return Answer{}, diag.At(source.Span{File: yaml, Start: 3, End: 4}, "locked").WithHint("unlock it").WithCause(cause)
	}))
	f := star(`def configure(ctx):`, `    ctx.set("a", 1)`)
	_, err := runConfigure(p, f)
	var problem *diag.Problem
	if !errors.As(err, &problem) || !errors.Is(err, cause) {
		t.Fatalf("the error is %v", err)
	}
	if problem.Span.File != f || problem.Span.Position().Line != 2 || problem.Hint != "unlock it" ||
		!strings.Contains(problem.Message, "configure of project") || !strings.Contains(problem.Message, "locked") {
		t.Errorf("the problem is %+v", problem)
	}
	if len(problem.Others) == 0 || problem.Others[0].Span.File != yaml || problem.Others[0].Span.Text() != "b" {
		t.Errorf("the places are %+v", problem.Others)
	}
	if p.Spent() {
		t.Error("an error of the world spends the process")
	}
	if _, err := runConfigure(p, f); err == nil || p.Spent() {
		t.Errorf("the process does not go on: %v", err)
	}
}

func TestHugeAnswers(t *testing.T) {
	answer := tree.NewString(strings.Repeat("x", 16<<20), source.Span{})
	p := startProcess(t, worldFunc(func(q Question) (Answer, error) { return Answer{Value: answer}, nil }))
	f := star(`def command(ctx, parts):`, `    return len(parts.prompt) + len(ctx.read("a"))`)
	if _, err := p.Hooks(f, "project"); err != nil {
		t.Fatal(err)
	}
	call := Call{File: f, Hook: Command, For: "project", Args: []*tree.Node{(*tree.Node)(nil).With("prompt", answer)}}
	n, err := p.Call(call)
	if err != nil || n.Text != fmt.Sprint(32<<20) {
		t.Fatalf("%v, %v", n, err)
	}
	answer.Text += answer.Text
	if _, err := p.Call(call); err == nil || !strings.Contains(err.Error(), "command of project") || p.Spent() {
		t.Errorf("arguments of 32 MiB: %v", err)
	}
	call.Args[0] = (*tree.Node)(nil).With("prompt", tree.NewString("", source.Span{}))
	if _, err := p.Call(call); err == nil || !strings.Contains(err.Error(), "too large") || p.Spent() {
		t.Errorf("an answer of 32 MiB: %v", err)
	}
}

func TestFilesAreSentOnce(t *testing.T) {
	module := source.NewFile("m.star", []byte("x = 1\n"))
	p := startProcess(t, worldFunc(func(q Question) (Answer, error) { return Answer{File: module}, nil }))
	f := star(`load("m.star", "x")`, `def configure(ctx):`, `    return x`)
	for range 3 {
		if n, err := runConfigure(p, f); err != nil || n.Text != "1" {
			t.Fatal(n, err)
		}
	}
	if n := len(p.conn.files.files); n != 2 {
		t.Errorf("%d files were sent", n)
	}
	same := source.NewFile(f.Name, f.Text)
	if _, err := p.Hooks(same, "project"); err != nil || len(p.conn.files.files) != 2 {
		t.Errorf("the same text was sent again: %v", err)
	}
}

func TestProcessEval(t *testing.T) {
	p := startProcess(t, worldFunc(silent))
	scope := star(`y = 20`)
	for _, test := range []struct{ text, want string }{
		{"x = 1", ""}, {"x + y", "21"}, {"def f():\n  return [0]*(1<<40)\n", ""}, {"'é'", `"é"`},
	} {
		text := source.NewFile("text", []byte(test.text))
		if got, err := p.Eval(text, scope); got != test.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", test.text, got, err, test.want)
		}
	}
	endless := source.NewFile("text", []byte("1\nfor i in range(1<<60): pass"))
	if _, err := p.Eval(endless, nil); err == nil || !strings.HasPrefix(err.Error(), "text:2:") || p.Spent() {
		t.Errorf("an endless loop: %v", err)
	}
	if got, err := p.Eval(source.NewFile("text", []byte("x")), nil); got != "1" || err != nil {
		t.Errorf("after it: %q, %v", got, err)
	}
	huge := source.NewFile("text", []byte("x = 2\ny = [0] * (1 << 29)"))
	if _, err := p.Eval(huge, nil); err == nil || err.Error() != "text:2:1: out of memory: hooks may use 512 MiB" || !p.Spent() {
		t.Errorf("a huge list: %v", err)
	}
}

func TestContext(t *testing.T) {
	f := star(`def configure(ctx):`, `    for i in range(1 << 60):`, `        ctx.get("a")`)
	ctx, cancel := context.WithCancel(context.Background())
	questions := 0
	p, err := Start(ctx, worldFunc(func(Question) (Answer, error) {
		if questions++; questions == 100 {
			go cancel()
		}
		return Answer{}, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	_, err = runConfigure(p, f)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "configure of project") || !p.Spent() {
		t.Errorf("the error is %v", err)
	}
	if _, err := Start(ctx, worldFunc(silent)); !errors.Is(err, context.Canceled) {
		t.Errorf("Start afterwards: %v", err)
	}
}

func TestKilledFromOutside(t *testing.T) {
	f := star(`def configure(ctx):`, `    ctx.get("a")`)
	var p *Process
	p = startProcess(t, worldFunc(func(Question) (Answer, error) {
		syscall.Kill(p.pid, syscall.SIGKILL)
		return Answer{}, nil
	}))
	_, err := runConfigure(p, f)
	if err == nil || !strings.Contains(err.Error(), "ucas.star:2:5: configure of project: the process for hooks was killed") {
		t.Errorf("the error is %v", err)
	}
	if _, again := p.Call(Call{File: f, Hook: Configure, For: "user"}); again != err {
		t.Errorf("the next call: %v", again)
	}
}

func TestPanicOfWorld(t *testing.T) {
	p := startProcess(t, worldFunc(func(Question) (Answer, error) { panic("mine") }))
	f := star(`def configure(ctx):`, `    ctx.get("a")`)
	func() {
		defer func() {
			if r := recover(); r != "mine" {
				t.Errorf("recovered %v", r)
			}
		}()
		runConfigure(p, f)
	}()
	if _, err := runConfigure(p, f); err == nil || !p.Spent() {
		t.Error("the process goes on in the middle of a call")
	}
}

func TestClose(t *testing.T) {
	p := startProcess(t, worldFunc(silent))
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.Eval(star("1"), nil); err == nil {
		t.Error("a closed process evaluates")
	}
}

func BenchmarkProcess(b *testing.B) {
	f := source.NewFile("ucas.star", []byte(twenty))
	b.ReportAllocs()
	for b.Loop() {
		p, err := Start(context.Background(), worldFunc(silent))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := runConfigure(p, f); err != nil {
			b.Fatal(err)
		}
		p.Close()
	}
}

// TestNothingIsLeft starts and ends many processes, in all ways.
func TestNothingIsLeft(t *testing.T) {
	endless := star(`def configure(ctx):`, `    ctx.get("a")`)
	cycle := func(i int) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var p *Process
		p, err := Start(ctx, worldFunc(func(Question) (Answer, error) {
			switch i % 4 {
			case 0:
				cancel()
			case 1:
				syscall.Kill(p.pid, syscall.SIGKILL)
			}
			return Answer{}, nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		if i%4 != 2 {
			runConfigure(p, endless)
		}
		p.Close()
		if !p.reaped {
			t.Fatal("the child was not waited for")
		}
	}
	cycle(0)
	files, goroutines := openFiles(t), runtime.NumGoroutine()
	for i := range 200 {
		cycle(i)
	}
	if now := openFiles(t); now != files {
		t.Errorf("%d files are open, before %d", now, files)
	}
	for deadline := time.Now().Add(time.Second); runtime.NumGoroutine() > goroutines; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, before %d", runtime.NumGoroutine(), goroutines)
		}
	}
	var status syscall.WaitStatus
	if pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil); err != syscall.ECHILD {
		t.Errorf("a child is left: %d, %v", pid, err)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(entries)
}

// TestEndsWithItsParent: a child whose parent dies ends by itself.
func TestEndsWithItsParent(t *testing.T) {
	ours, theirs, err := socketPair()
	if err != nil {
		t.Fatal(err)
	}
	socket := os.NewFile(uintptr(theirs), "socket")
	cmd := exec.Command(os.Args[0])
	cmd.Args = []string{processName}
	cmd.Stdin = socket
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	socket.Close()
	syscall.Close(ours)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestDamagedRequest(t *testing.T) {
	for _, text := range []string{"\x01\x00\x00\x00\xff", "\xff\xff\xff\xff", "\x02\x00\x00\x00\x06\x00"} {
		cmd := exec.Command(os.Args[0])
		cmd.Args = []string{processName}
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.CombinedOutput()
		if err == nil || len(out) > 0 {
			t.Errorf("%q: %v, %s", text, err, out)
		}
	}
}

// TestProgram builds a program as people release it, without the race detector,
// which would keep the system from limiting the memory of its children.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./testdata/program")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	write := func(name string, lines ...string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, star(lines...).Text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.star", `def configure(ctx):`, `    return 1`)
	bad := []string{good,
		write("doubled.star", `def configure(ctx):`, `    x = "a"`, `    for i in range(99):`, `        x += x`),
		write("repeated.star", `def configure(ctx):`, `    return [0] * (1 << 29)`),
		good,
		write("replaced.star", `def configure(ctx):`, `    return ("a" * 1000000).replace("a", "b" * 1000000)`),
		write("nested.star", `def configure(ctx):`, `    x = ()`, `    for i in range(100000):`, `        x = ((((x,),),),)`, `    return {x: 1}`),
		good,
	}
	run := func(args ...string) string {
		out, err := exec.Command(program, args...).CombinedOutput()
		if err != nil {
			t.Errorf("%q: %v", args, err)
		}
		return string(out)
	}
	got := run(append([]string{"call"}, bad...)...)
	for _, want := range []string{
		`doubled.star:4:9: configure of project: (out of memory: hooks may use 512 MiB|more than 1.5 seconds)`,
		`repeated.star:2:5: configure of project: out of memory: hooks may use 512 MiB`,
		`replaced.star:2:5: configure of project: out of memory: hooks may use 512 MiB`,
		`nested.star:[45]:\d+: configure of project: stack too deep: values or calls are nested too deeply`,
	} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "good.star") {
		t.Errorf("a good hook fails:\n%s", got)
	}
	got = run("forget", good)
	if !strings.Contains(got, "did not call script.Main") || !strings.Contains(got, "hint: call script.Main()") {
		t.Errorf("a program that forgets Main says %q", got)
	}
}
