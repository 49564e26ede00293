package script

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ucas/engine/diag"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// A hostile hook is the body of configure, or a whole file if it has a
// configure of its own. It must fail on a line with the mark ###: after many
// steps, where it died is known to a few steps only.
type hostile struct {
	name, source string
	want         string // a regular expression, besides the limits
	anywhere     bool   // dies before a line is executed, so none need be named
	atName       bool   // fails at the name of configure
	alike        bool   // much like another: left out where all is slow
}

// limits are the messages of any limit: which one is reached first may depend
// on the machine.
const limits = `out of memory: hooks may use 512 MiB|more than 1\.5 seconds|more than 5 million steps|stack too deep: `

// hostiles is a function: the children, which are this program too, need none.
func hostiles() []hostile {
	return []hostile{
		// Memory.
		{name: "string doubled", source: "x = 'a'\nfor i in range(99): ###\n  x += x ###"},
		{name: "list doubled", source: "x = [1]\nfor i in range(99): ###\n  x = x + x ###"},
		{name: "list added to itself", alike: true, source: "x = [1]\nfor i in range(99): ###\n  x += x ###"},
		{name: "list extended with itself", source: "x = [1]\nfor i in range(99): ###\n  x.extend(x) ###"},
		{name: "tuple doubled", alike: true, source: "x = (1,)\nfor i in range(99): ###\n  x = x + x ###"},
		{name: "percent doubled", alike: true, source: "x = 'a'\nfor i in range(99): ###\n  x = '%s%s' % (x, x) ###"},
		{name: "format doubled", alike: true, source: "x = 'a'\nfor i in range(99): ###\n  x = '{0}{0}'.format(x) ###"},
		{name: "join doubled", alike: true, source: "x = 'a'\nfor i in range(99): ###\n  x = ''.join([x, x]) ###"},
		{name: "replace doubled", alike: true, source: "x = 'a'\nfor i in range(99): ###\n  x = x.replace('a', 'aa') ###"},
		{name: "repr doubled", alike: true, source: "x = '\\n'\nfor i in range(99): ###\n  x = repr(x) ###"},
		{name: "bytes doubled", source: "x = bytes('a')\nfor i in range(99): ###\n  x = x + x ###", want: "unknown binary op"},
		{name: "list repeated", source: "x = [0] * (1 << 29) ###"},
		{name: "list repeated too often", source: "x = [0] * (1 << 40) ###", want: "too large"},
		{name: "string repeated", source: "x = []\nfor i in range(99): ###\n  x.append('a' * (1 << 29)) ###"},
		{name: "list of a range", source: "x = list(range(1 << 31)) ###", want: "."},
		{name: "tuple of a range", source: "x = tuple(range(1 << 31)) ###", want: "."},
		{name: "set of a range", source: "x = set(range(1 << 30)) ###"},
		{name: "sorted range", source: "x = sorted(range(1 << 30)) ###"},
		{name: "reversed range", source: "x = reversed(range(1 << 30)) ###"},
		{name: "enumerated range", source: "x = enumerate(range(1 << 30)) ###"},
		{name: "zipped ranges", source: "x = zip(range(1 << 30), range(1 << 30)) ###"},
		{name: "dict of zip", source: "x = dict(zip(range(1 << 26), range(1 << 26))) ###"},
		{name: "huge replace", source: "x = ('a' * 1000000).replace('a', 'b' * 1000000) ###"},
		{name: "huge join", alike: true, source: "s = 'a' * 1000000\nx = s.join([s] * 100000) ###"},
		{name: "huge split", source: "s = 'a ' * (1 << 27)\nx = s.split() ###\ny = [x, s.split(' ')] ###"},
		{name: "huge splitlines", source: "s = '\\n' * (1 << 27)\nx = s.splitlines() ###"},
		{name: "huge format", alike: true, source: "s = 'a' * 1000000\nx = ('{0}' * 100000).format(s) ###"},
		{name: "huge percent", alike: true, source: "s = 'a' * 1000000\nx = '%s' * 10000 % tuple([s] * 10000) ###"},
		{name: "elems", alike: true, source: "x = list(('a' * (1 << 28)).elems()) ###"},
		{name: "codepoints", alike: true, source: "x = list(('a' * (1 << 28)).codepoints()) ###"},
		{name: "elem_ords", alike: true, source: "x = sorted(('a' * (1 << 28)).elem_ords()) ###"},
		{name: "str of doubled nesting", source: "x = []\nfor i in range(40): ###\n  x = [x, x] ###\ny = str(x) ###"},
		{name: "json of doubled nesting", source: "x = []\nfor i in range(40): ###\n  x = [x, x] ###\ny = json.encode(x) ###", want: "."},
		{name: "percent of doubled nesting", alike: true, source: "x = []\nfor i in range(40): ###\n  x = [x, x] ###\ny = '%r' % (x,) ###"},
		{name: "doubled nesting of dicts", alike: true, source: "x = {}\nfor i in range(40): ###\n  x = {'a': x, 'b': x} ###\ny = str(x) ###"},
		{name: "result of doubled nesting", source: "x = []\nfor i in range(40): ###\n  x = [x, x] ###\nreturn x", atName: true, want: "more than 1 MiB|more than 1048576"},
		{name: "set to doubled nesting", source: "x = []\nfor i in range(40): ###\n  x = [x, x] ###\nctx.set('a', x) ###", want: "more than 1 MiB"},
		{name: "star arguments", alike: true, source: "f = lambda *a: a\nx = f(*range(1 << 30)) ###"},
		{name: "print of all", source: "s = 'a' * (1 << 20)\nfor i in range(1 << 40): ###\n  print(s, s, s, s, s, s, s, s) ###", want: "more than 1 MiB"},
		{name: "json.indent", source: "x = json.encode([[]] * 100000)\ny = json.indent(x, indent='a' * 100000) ###", want: "."},
		{name: "comprehensions", alike: true, source: "r = range(1 << 20)\nx = [[a, b, c] for a in r for b in r for c in r] ###"},
		{name: "dict comprehension", alike: true, source: "r = range(1 << 30)\nx = {(a, b): [a] for a in r for b in r} ###"},
		{name: "union of dicts", alike: true, source: "x = {}\nfor i in range(1 << 40): ###\n  x = x | {i: x} ###"},
		{name: "closures", source: "x = []\nfor i in range(1 << 40): ###\n  x.append(lambda a=i: [a, x]) ###"},
		{name: "strings kept", source: "x = {}\nfor i in range(1 << 40): ###\n  x[i] = str(i) * 10000 ###"},

		// Time.
		{name: "endless loop", source: "for i in range(1 << 60): ###\n  pass ###"},
		{name: "nested loops", source: "r = range(1 << 60)\nfor i in r: ###\n  for j in r: ###\n    x = i * j ###"},
		{name: "growing dict", source: "d = {}\nfor i in range(1 << 60): ###\n  d[i] = i ###"},
		{name: "growing list", alike: true, source: "l = []\nfor i in range(1 << 60): ###\n  l.append(i) ###"},
		{name: "growing set", alike: true, source: "s = set()\nfor i in range(1 << 60): ###\n  s.add(i) ###"},
		{name: "insert in front", alike: true, source: "l = list(range(1 << 20))\nfor i in range(1 << 60): ###\n  l.insert(0, i) ###"},
		{name: "hash of a tuple", source: "t = ()\nfor i in range(60): ###\n  t = (t, t) ###\nx = {t: 1} ###"},
		{name: "compare of nesting", source: "a, b = [], []\nfor i in range(60): ###\n  a, b = [a, a], [b, b] ###\nx = a == b ###", want: "comparison exceeded"},
		{name: "huge int", source: "x = int('9' * 20000000) ###"},
		{name: "huge int in hex", source: "x = int('f' * (1 << 27), 16) ###\nfor i in range(1 << 60): ###\n  x = x * x ###", want: "."},
		{name: "squares", source: "x = 3\nfor i in range(1 << 40): ###\n  x = x * x ###"},
		{name: "shifts", source: "x = 1\nfor i in range(1 << 60): ###\n  x = (x << 511) * (x + 1) ###"},
		{name: "one shift", source: "x = 1 << (1 << 60) ###", want: "."},
		{name: "squares shown", alike: true, source: "x = 3\nfor i in range(24): ###\n  x = x * x ###\nfor i in range(100): ###\n  y = str(x) ###"},
		{name: "divisions", alike: true, source: "x = 3\nfor i in range(22): ###\n  x = x * x ###\nfor i in range(1 << 40): ###\n  y = x // (x // 7 + i) % (x // 3) ###"},
		{name: "max of a range", alike: true, source: "x = max(range(1 << 60)) ###"},
		{name: "all of a range", source: "x = all(range(1, 1 << 60)) ###"},
		{name: "search in a list", source: "l = list(range(1 << 20))\nfor i in range(1 << 60): ###\n  x = -1 in l ###"},
		{name: "search in a string", source: "s = 'a' * (1 << 26)\nt = 'a' * (1 << 25) + 'b'\nfor i in range(1 << 60): ###\n  x = s.find(t) + s.count(t) ###"},
		{name: "compare of strings", alike: true, source: "s = 'a' * (1 << 27)\nt = 'a' * (1 << 27)\nfor i in range(1 << 60): ###\n  x = s == t ###"},
		{name: "slow sort", source: "x = sorted(range(1 << 20), key=lambda i: [j for j in range(1 << 20)]) ###"},
		{name: "many questions", source: "for i in range(1 << 60): ###\n  ctx.get('a') ###"},
		{name: "many warnings", alike: true, source: "for i in range(1 << 60): ###\n  ctx.warn('a') ###"},
		{name: "many prints", alike: true, source: "for i in range(1 << 60): ###\n  print('a') ###"},
		{name: "many large settings", source: "s = 'a' * (1 << 19)\nfor i in range(1 << 60): ###\n  ctx.set('a', s) ###"},

		// Depth. A value that lies deep in others makes each walk through it deep.
		{name: "str of deep", source: deep + "y = str(x) ###"},
		{name: "repr of deep in a percent", alike: true, source: deep + "y = '%r' % [x] ###"},
		{name: "equal deep", source: deep + "z = x\n" + deep + "y = x == z ###", want: "comparison exceeded"},
		{name: "json of deep", source: deep + "y = json.encode(x) ###", want: "."},
		{name: "result deep", source: deep + "return x", atName: true, want: "more than 64 levels"},
		{name: "set to deep", source: deep + "ctx.set('a', x) ###", want: "more than 64 levels"},
		{name: "print of deep", alike: true, source: deep + "print(x) ###", want: "."},
		{name: "fail with deep", alike: true, source: deep + "fail(x) ###", want: "."},
		{name: "deep tuple hashed", source: "x = ()\nfor i in range(200000):\n  x = ((((x,),),),) ###\ny = {x: 1} ###"},
		{name: "deep tuple in a set", source: "x = ()\nfor i in range(200000):\n  x = ((((x,),),),) ###\ny = set([x]) ###"},
		{name: "deep tuples sorted", source: "x, y = (), ()\nfor i in range(100000):\n  x, y = ((((x,),),),), ((((y,),),),) ###\ny = sorted([x, y]) ###", want: "comparison exceeded"},
		{name: "json.decode", source: "x = json.decode('[' * 3000000) ###", want: "."},
		{name: "json.decode of closed", source: "x = json.decode('[' * 300000 + ']' * 300000) ###\ny = str(x)\nx = json.decode('{\"a\":' * 3000000) ###", want: "."},
		{name: "json.indent of deep", source: "x = json.indent('[' * 3000000) ###", want: "."},
		{name: "list in itself", source: "x = []\nx.append(x)\nreturn x", atName: true, want: "more than 64 levels"},
		{name: "list in itself encoded", source: "x = []\nx.append(x)\nreturn json.encode(x) ###", want: "."},
		{name: "struct in itself", source: "x = {}\nx['x'] = x\nreturn [str(x), x]", atName: true, want: "more than 64 levels"},
		{name: "recursion", source: "def f():\n  return f() ###\ndef configure(ctx):\n  f() ###", want: "recursive"},
		{name: "deep calls", source: callsOf(20000), anywhere: true},

		// What makes the interpreter itself panic.
		{name: "list of a huge range", source: "x = list(range(1 << 62)) ###", want: "."},
		{name: "slice of a range", source: "x = range(1)[::8192] ###\nfail(x) ###", want: "."},
		{name: "huge index", source: "x = range(1 << 62)[1 << 61:: 1 << 60] ###\nfail(x)", want: "."},
		{name: "huge precision", source: "x = '%.999999999f' % 1.0 ###", want: "."},

		// What is too large to leave.
		{name: "huge warning", source: "ctx.warn('a' * 100000000) ###", want: "more than 1 MiB"},
		{name: "huge print", source: "print('a' * 100000000) ###", want: "more than 1 MiB"},
		{name: "huge key", source: "ctx.set('a' * 100000000, 1) ###", want: "more than 1 MiB"},
		{name: "huge value", source: "ctx.set('a', 'a' * 100000000) ###", want: "more than 1 MiB"},
		{name: "huge result", source: "return 'a' * 100000000", atName: true, want: "more than 1 MiB"},
		{name: "many results", source: "return [None] * 1000000", atName: true, want: "more than 1 MiB"},
		{name: "huge failure", alike: true, source: "fail('a' * 100000000) ###", want: "aaaa"},
		{name: "huge key missing", alike: true, source: "x = {}['a' * 100000000] ###", want: "."},
		{name: "huge attribute", source: "x = getattr(ctx, 'a' * 100000000) ###", want: "."},

		// What is read, before anything is executed.
		{name: "parentheses", source: "x = " + strings.Repeat("(", 1_000_000), want: "excessive nesting", anywhere: true},
		{name: "closed parentheses", source: whole("x = " + strings.Repeat("(", 1_000_000) + strings.Repeat(")", 1_000_000)), want: "excessive nesting", anywhere: true},
		{name: "brackets", source: whole("x = " + strings.Repeat("[", 1_000_000)), want: "excessive nesting", anywhere: true},
		{name: "not", source: whole("x = " + strings.Repeat("not ", 1_000_000) + "1"), want: "excessive nesting", anywhere: true},
		{name: "minus", source: whole("x = " + strings.Repeat("-", 1_000_000) + "1"), want: "excessive nesting", anywhere: true},
		{name: "lambdas", source: whole("x = " + strings.Repeat("lambda: ", 1_000_000) + "1"), want: "excessive nesting", anywhere: true},
		{name: "else", source: whole("x = " + strings.Repeat("1 if 1 else ", 1_000_000) + "1"), want: "excessive nesting", anywhere: true},
		{name: "sum", source: whole("x = 1" + strings.Repeat(" + 1", 1_000_000)), anywhere: true},
		{name: "dots", source: whole("x = a" + strings.Repeat(".a", 1_000_000)), anywhere: true},
		{name: "calls", source: whole("x = a" + strings.Repeat("()", 1_000_000)), anywhere: true},
		{name: "comprehension of ifs", source: whole("x = [1 for a in []" + strings.Repeat(" if 1", 1_000_000) + "]"), want: "list", anywhere: true},
		{name: "huge number", source: whole("x = " + strings.Repeat("9", 10_000_000)), anywhere: true},
		{name: "10 MB of errors", alike: true, source: whole(strings.Repeat("undefined()\n", 800_000)), want: "undefined", anywhere: true},
		{name: "10 MB of statements", source: whole(strings.Repeat("f(1, 2, 3)\n", 900_000) + "fail('end')"), want: "undefined", anywhere: true},
		{name: "10 MB of a string", source: whole("fail('" + strings.Repeat("a", 10_000_000) + "') ###"), want: "aaaa", anywhere: true},
		{name: "10 MB of garbage", source: whole(strings.Repeat("\xff\x00\x1b", 3_000_000)), want: ".", anywhere: true},

		// Modules.
		{name: "chain of modules", source: whole("load('chain1', 'x')"), want: "more than 32 files", anywhere: true},
		{name: "circle of modules", source: whole("load('circle', 'x')"), want: "loads itself", anywhere: true},
		{name: "tree of modules", source: whole("load('tree', 'x')"), anywhere: true},
		{name: "storm of modules", source: whole(storm(100_000)), anywhere: true},
		{name: "bomb in a module", source: whole("load('bomb', 'x')"), anywhere: true},
	}
}

// deep nests a list.
const deep = "x = []\nfor i in range(100000):\n  x = [[[[[[[[x]]]]]]]] ###\n"

// whole is a file with a configure that does nothing.
func whole(text string) string { return "def configure(ctx):\n  pass\n" + text + "\n" }

// callsOf is a file whose functions call each other.
func callsOf(n int) string {
	var b strings.Builder
	b.WriteString("def f0(): return 1\n")
	for i := range n {
		fmt.Fprintf(&b, "def f%d(): return [f%d()]\n", i+1, i)
	}
	fmt.Fprintf(&b, "def configure(ctx): return f%d()\n", n)
	return b.String()
}

// storm loads many modules.
func storm(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "load('small%d', x%d='x')\n", i, i)
	}
	return b.String()
}

// modules is a World with modules that go on and on.
func modules(q Question) (Answer, error) {
	if q.Op != OpLoad {
		return Answer{Value: tree.NewString("x", source.Span{})}, nil
	}
	var text string
	var n int
	switch {
	case strings.HasPrefix(q.Name, "small"):
		text = "x = 1\n"
	case strings.HasPrefix(q.Name, "chain"):
		fmt.Sscanf(q.Name, "chain%d", &n)
		text = fmt.Sprintf("load('chain%d', 'x')\n", n+1)
	case strings.HasPrefix(q.Name, "tree"):
		text = fmt.Sprintf("load('%sa', y='x')\nload('%sb', z='x')\nx = 1\n", q.Name, q.Name)
		if len(q.Name) > 24 {
			text = "x = 1\n"
		}
	case q.Name == "circle":
		text = "load('circle', 'x')\n"
	case q.Name == "bomb":
		text = "y = [0]\nx = [y.extend(y) for i in range(60)] ###\n"
	default:
		return Answer{}, diag.Errorf("no module %s", q.Name)
	}
	return Answer{File: source.NewFile(q.Name, []byte(text))}, nil
}

// file returns the hook as a file.
func (h hostile) file() *source.File {
	text := h.source
	if !strings.Contains(text, "def configure(") {
		text = "def configure(ctx):\n  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n"
	}
	return source.NewFile("ucas.star", []byte(text))
}

// longest is how long a hook may take, all in all: with the race detector, the
// system frees several times the memory.
func longest() time.Duration {
	if shadowMemory {
		return 3 * time.Second
	}
	return 2 * time.Second
}

// mostMemory is how much memory a child may ever have had, in MiB: the program
// itself, too.
const mostMemory = MaxMemory>>20 + 64

func TestHostile(t *testing.T) {
	for _, h := range hostiles() {
		if h.alike && shadowMemory {
			continue
		}
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			p := startProcess(t, worldFunc(modules))
			_, err := runConfigure(p, h.file())
			took := time.Since(began)
			spent := p.Spent()
			p.Close()
			if took > longest() {
				t.Errorf("took %v", took)
			}
			memory := peak(p)
			if systemLimitsMemory && memory > mostMemory {
				t.Errorf("needed %d MiB", memory)
			}
			h.check(t, err, spent)
			t.Logf("%v, %d MiB: %.150v", took.Round(time.Millisecond), memory, err)
		})
	}
}

// peak returns how much memory a child had at most, in MiB where the system
// counts KiB.
func peak(p *Process) int64 {
	return int64(p.usage.Maxrss) >> 10
}

func (h hostile) check(t *testing.T, err error, spent bool) {
	if err == nil {
		t.Fatal("it succeeds")
	}
	p := diag.All(err)[0]
	if len(p.Message) > 4000 {
		t.Errorf("the message has %d bytes", len(p.Message))
	}
	if !strings.HasPrefix(p.Message, "configure of project: ") && !strings.HasPrefix(p.Message, "hooks of project: ") {
		t.Errorf("the message names no hook: %q", p.Message)
	}
	switch isLimit := regexp.MustCompile(limits).MatchString(p.Message); {
	case isLimit && p.Hint == "":
		t.Errorf("no hint: %v", err)
	case isLimit != spent:
		t.Errorf("spent is %v", spent)
	case !isLimit && (h.want == "" || !regexp.MustCompile(h.want).MatchString(p.Message)):
		t.Errorf("the message is %q", p.Message)
	}
	mark := "###"
	if h.atName {
		mark = "def configure"
	}
	if !h.anywhere && (p.Span.IsZero() || !strings.Contains(p.Span.File.Line(p.Span.Start), mark)) {
		t.Errorf("the line is %v", p.Span.Position())
	}
}

// TestAfterHostile: the program lives on, and so do other processes.
func TestAfterHostile(t *testing.T) {
	good := star(`def configure(ctx):`, `    return ctx.get("a")`)
	other := startProcess(t, worldFunc(modules))
	bad := slices.IndexFunc(hostiles(), func(h hostile) bool { return h.name == "list repeated" })
	p := startProcess(t, worldFunc(modules))
	_, err := runConfigure(p, hostiles()[bad].file())
	if err == nil {
		t.Fatal("it succeeds")
	}
	if _, again := runConfigure(p, good); again != err {
		t.Errorf("the next call: %v, want %v", again, err)
	}
	for _, p := range []*Process{other, startProcess(t, worldFunc(modules))} {
		if n, err := runConfigure(p, good); err != nil || n.Text != "x" {
			t.Errorf("%v, %v", n, err)
		}
	}
}
