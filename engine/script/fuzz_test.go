package script

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"ucas/engine/diag"
	"ucas/engine/source"
	"ucas/engine/tree"

	"go.starlark.net/syntax"
)

// FuzzWire: no bytes make decode panic, and what it reads is what encode writes.
func FuzzWire(f *testing.F) {
	file := source.NewFile("f", []byte("text of a file\n"))
	table := func() *fileTable {
		t := &fileTable{}
		t.add(file)
		return t
	}
	for _, m := range wireMessages(file) {
		buf, err := encode(nil, &m, table(), maxToChild)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(buf[headerSize:])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		decode(data, table(), false)
		files := table()
		m, err := decode(data, files, true)
		if err != nil {
			return
		}
		buf, err := encode(nil, m, files, maxToChild)
		if err != nil {
			t.Fatalf("cannot encode what was decoded: %v", err)
		}
		again, err := decode(buf[headerSize:], files, false)
		if err != nil {
			t.Fatalf("cannot decode what was encoded: %v", err)
		}
		if !reflect.DeepEqual(m, again) {
			t.Fatalf("\n%+v became\n%+v", m, again)
		}
	})
}

// wireMessages returns a message of each kind.
func wireMessages(file *source.File) []msg {
	at := source.Span{File: file, Start: 5, End: 7}
	value := tree.NewList([]*tree.Node{
		tree.NewString("é", at),
		(*tree.Node)(nil).With("key", &tree.Node{Kind: tree.Int, Text: "1", File: file, Start: 1, End: 2, KeyStart: 3, KeyEnd: 4}),
		{Kind: tree.Null, Text: "null", Flow: true, Quoted: true},
	}, at)
	problem := diag.At(at, "message").WithHint("hint").WithPlace(at, "place").WithCause(worldError(1))
	module := source.NewFile("new", []byte("x = 1\n"))
	return []msg{
		{kind: msgHooks, call: Call{File: module, For: "project"}},
		{kind: msgCall, call: Call{File: file, Hook: Command, For: "acli x", Args: []*tree.Node{value, nil}, ReadOnly: true}},
		{kind: msgEval, text: module, call: Call{File: file}},
		{kind: msgAnswer, answer: Answer{Value: value, File: module}},
		{kind: msgRefusal, problems: diag.List{problem}},
		{kind: msgQuestion, question: Question{Op: OpSet, Name: "env.A", Value: value, At: at}},
		{kind: msgPlaces, places: map[string]source.Span{Configure: at, Wrap: {}}},
		{kind: msgValue, answer: Answer{Value: value}},
		{kind: msgPrinted, printed: "'x'"},
		{kind: msgFailure, problems: diag.List{problem, diag.Warn(source.Span{}, "w")}, spent: true},
	}
}

// TestWire: every message arrives as it was sent, cut ones do not arrive, and
// one that cannot be sent leaves no trace.
func TestWire(t *testing.T) {
	file := source.NewFile("f", []byte("text of a file\n"))
	for _, m := range wireMessages(file) {
		var sent, got fileTable
		sent.add(file)
		got.add(file)
		buf, err := encode([]byte("kept"), &m, &sent, maxToChild)
		if err != nil || !bytes.HasPrefix(buf, []byte("kept")) {
			t.Fatal(m.kind, err)
		}
		body := buf[len("kept")+headerSize:]
		for cut := range body {
			if _, err := decode(body[:cut], &fileTable{files: []*source.File{file}}, true); err == nil {
				t.Errorf("%d: a message is whole without its last %d bytes", m.kind, len(body)-cut)
			}
		}
		arrived, err := decode(body, &got, true)
		if err != nil {
			t.Fatal(m.kind, err)
		}
		if arrived.places == nil && !reflect.DeepEqual(&m, arrived) {
			t.Errorf("sent\n%+v got\n%+v", &m, arrived)
		}
		known := len(sent.files)
		huge := msg{kind: msgEval, text: source.NewFile("huge", make([]byte, 100))}
		if _, err := encode(nil, &huge, &sent, 50); err != errTooBig || len(sent.files) != known || sent.number(huge.text) != 0 {
			t.Errorf("a huge message: %v", err)
		}
	}
}

// TestWireLimits: depths and numbers that no side sends are refused.
func TestWireLimits(t *testing.T) {
	deep := &tree.Node{Kind: tree.List}
	for range maxNesting + 1 {
		deep = tree.NewList([]*tree.Node{deep}, source.Span{})
	}
	if _, err := encode(nil, &msg{kind: msgValue, answer: Answer{Value: deep}}, &fileTable{}, maxToChild); err != errDeep {
		t.Errorf("a deep value is sent: %v", err)
	}
	list := string([]byte{byte(tree.List), 1})
	for what, body := range map[string]string{
		"deep":              strings.Repeat(list, 1<<20),
		"many items":        string(byte(tree.List)) + "\xff\xff\xff\xff\x7f",
		"a long text":       string(byte(tree.String)) + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"an endless count":  string(byte(tree.String)) + strings.Repeat("\xff", 20),
		"a file of its own": string([]byte{byte(tree.String) | nodePlace, 1, 0, 0, 0}),
	} {
		if _, err := decode([]byte(string(byte(msgValue))+body), &fileTable{}, false); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// A fuzzed evaluates inputs in one process as long as that lives.
type fuzzed struct {
	process *Process
	count   int
	asked   strings.Builder
}

// fuzzedInOne is how many texts one process evaluates: they all take of one
// budget, and of its memory.
const fuzzedInOne = 50

func (z *fuzzed) evaluate(t *testing.T, text string) (result string, err error) {
	if z.process == nil || z.process.Spent() || z.count%fuzzedInOne == 0 {
		if z.process != nil {
			z.process.Close()
		}
		z.process, err = Start(context.Background(), worldFunc(z.answer))
		if err != nil {
			t.Fatal(err)
		}
	}
	z.count++
	z.asked.Reset()
	// Of a name it has evaluated before, a process knows the result.
	file := source.NewFile(fmt.Sprintf("%08d.star", z.count), []byte(text))
	began := time.Now()
	value, err := runConfigure(z.process, file)
	if took := time.Since(began); took > MaxTime+time.Second {
		t.Fatalf("took %v", took)
	}
	return fmt.Sprintf("%v\n%s", value.Any(), &z.asked), err
}

// answer is a World that has something for every question.
func (z *fuzzed) answer(q Question) (Answer, error) {
	fmt.Fprintf(&z.asked, "%v %q %v %d-%d\n", q.Op, q.Name, q.Value.Any(), q.At.Start, q.At.End)
	switch q.Op {
	case OpLoad:
		return Answer{}, diag.At(q.At, "no modules here")
	case OpExists:
		return Answer{Value: &tree.Node{Kind: tree.Bool, Text: "true"}}, nil
	case OpGlob:
		return Answer{Value: tree.NewList([]*tree.Node{tree.NewString("a.md", source.Span{})}, source.Span{})}, nil
	case OpGet, OpEnv, OpWhich, OpRead, OpFact:
		return Answer{Value: tree.NewString("value", source.Span{})}, nil
	}
	return Answer{}, nil
}

// FuzzHooks: nothing that a hook does hurts this program, and what succeeds does
// the same again. Inputs that kill a process take long: some thousands are enough.
func FuzzHooks(f *testing.F) {
	f.Add(twenty)
	f.Add("def configure(ctx):\n  x = [n for n in ctx.glob('*')]\n  ctx.set('a', {'x': x, 'y': set(x)})\n  return x + [str(hash('a'))]\n")
	f.Add("def configure(ctx):\n  ctx.warn('w')\n  print(ctx.agent, dir(ctx), ctx)\n  return json.decode('[1]')\n")
	f.Add("def f(*a, k=1, **d):\n  return a, k, d\ndef configure(ctx):\n  return str(f(1, *[2], k={}, **{'x': lambda: 1}))\n")
	f.Add("def configure(ctx):\n  x = 'a'\n  for i in range(20):\n    x += x if i % 2 else '%s%r' % (x, {x: i})\n  return x[::-1][:9]\n")
	f.Add("x = {'b': 1, 'a': [True, None, 1.5]}\ndef configure(ctx):\n  return [x | {'c': (1 << 99) // 7}, sorted(x), json.encode(x)]\n")
	f.Add("def configure(ctx):\n  x = 3\n  for i in range(9):\n    x = x * x\n  return [int(str(x)) == x, x >> 64 & 255]\n")
	z := &fuzzed{}
	f.Cleanup(func() {
		if z.process != nil {
			z.process.Close()
		}
	})
	f.Fuzz(func(t *testing.T, text string) {
		// The fuzzer is led by what is executed in this process: let it see
		// whether the text is any good.
		options := &syntax.FileOptions{Set: true}
		options.Parse("f", text, 0)
		once, err := z.evaluate(t, text)
		if err != nil {
			return
		}
		if twice, err := z.evaluate(t, text); err == nil && once != twice {
			t.Errorf("first\n%s\nthen\n%s", once, twice)
		}
	})
}
