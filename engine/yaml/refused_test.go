package yaml

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ucas/engine/diag"
	"ucas/engine/tree"
)

// A chunk is a text of testdata/refused.txt with the problems it must have.
type chunk struct {
	title string
	line  int // in the file, for messages
	text  string
	wants []want
}

// A want is a comment like: ### 1-5 "message" "hint".
type want struct {
	line, start, end int
	message, hint    string
}

const quotedPattern = `"((?:[^"\\]|\\.)*)"`

var wantPattern = regexp.MustCompile(` ### (\d+)-(\d+) ` + quotedPattern + `(?: ` + quotedPattern + `)?$`)

// chunks reads testdata/refused.txt.
func chunks(file string) []chunk {
	var all []chunk
	for i, line := range strings.Split(strings.TrimSuffix(file, "\n"), "\n") {
		if title, ok := strings.CutPrefix(line, "=== "); ok {
			all = append(all, chunk{title: title, line: i + 1})
			continue
		}
		if len(all) == 0 {
			continue // what the file says about itself
		}
		c := &all[len(all)-1]
		if m := wantPattern.FindStringSubmatch(line); m != nil {
			c.wants = append(c.wants, newWant(i-c.line+1, m))
			line = line[:len(line)-len(m[0])]
		}
		c.text += line + "\n"
	}
	return all
}

func newWant(line int, m []string) want {
	start, _ := strconv.Atoi(m[1])
	end, _ := strconv.Atoi(m[2])
	return want{line, start, end, unescapeQuotes(m[3]), unescapeQuotes(m[4])}
}

func unescapeQuotes(s string) string { return strings.ReplaceAll(s, `\"`, `"`) }

func TestRefused(t *testing.T) {
	data, err := os.ReadFile("testdata/refused.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range chunks(string(data)) {
		t.Run(c.title, func(t *testing.T) {
			if len(c.wants) == 0 {
				t.Fatalf("refused.txt:%d: no line of the chunk must fail", c.line)
			}
			checkRefused(t, c, c.text)
			if !strings.Contains(c.text, "\r") {
				checkRefused(t, c, strings.ReplaceAll(c.text, "\n", "\r\n"))
			}
			checkRefused(t, c, strings.TrimSuffix(c.text, "\n"))
		})
	}
}

func checkRefused(t *testing.T, c chunk, text string) {
	t.Helper()
	parse := Parse
	if strings.HasPrefix(c.title, "mapping:") {
		parse = ParseMapping
	}
	n, err := parse("refused.yaml", []byte(text))
	if n != nil || err == nil {
		t.Fatalf("accepted as %v", n.Any())
	}
	problems := diag.All(err)
	for i, w := range c.wants {
		if i < len(problems) {
			w.check(t, problems[i])
		}
	}
	if len(problems) != len(c.wants) {
		t.Errorf("%d problems, want %d:\n%s", len(problems), len(c.wants), printed(problems))
	}
}

func printed(problems diag.List) string {
	var b strings.Builder
	_ = diag.Print(&b, problems...) // a Builder takes everything
	return b.String()
}

func (w want) check(t *testing.T, p *diag.Problem) {
	t.Helper()
	start := p.Span.Position()
	place := fmt.Sprintf("%d: %d-%d", start.Line, start.Column, p.Span.File.Position(p.Span.End).Column)
	if wanted := fmt.Sprintf("%d: %d-%d", w.line, w.start, w.end); place != wanted {
		t.Errorf("at %s, want %s:\n%s", place, wanted, printed(diag.List{p}))
	}
	if !regexp.MustCompile(w.message).MatchString(p.Message) {
		t.Errorf("message %q does not match %q", p.Message, w.message)
	}
	if p.Hint == "" || !regexp.MustCompile(w.hint).MatchString(p.Hint) {
		t.Errorf("hint %q does not match %q", p.Hint, w.hint)
	}
}

func TestRefusedCharacters(t *testing.T) {
	tests := []struct {
		name, src, at, message string
	}{
		{"NUL", "a: \x00", "1:4", "control character U\\+0000"},
		{"bell in a comment", "a: 1 # \a", "1:8", "control character U\\+0007"},
		{"escape in quotes", "a: '\x1b[31m'", "1:5", "control character U\\+001B"},
		{"delete", "a: 1\nb: x\x7f", "2:5", "control character U\\+007F"},
		{"C1", "a: \u0080", "1:4", "control character U\\+0080"},
		{"next line", "a: b\u0085", "1:5", "U\\+0085 ends a line"},
		{"line separator", "a: \"b\u2028\"", "1:6", "U\\+2028 ends a line"},
		{"paragraph separator", "# \u2029", "1:3", "U\\+2029 ends a line"},
		{"byte order mark inside", "a: \uFEFFb", "1:4", "byte order mark inside"},
		{"second byte order mark", "\uFEFF\uFEFFa: b", "1:1", "byte order mark inside"},
		{"no character", "a: \uFFFE", "1:4", "control character U\\+FFFE"},
		{"last of the plane", "a: \uFFFF", "1:4", "control character U\\+FFFF"},
		{"carriage return alone", "a: b\rc: d\n", "1:5", "carriage return without"},
		{"carriage return at the end", "a: b\r", "1:5", "carriage return without"},
		{"carriage return before another", "a: b\r\r\n", "1:5", "carriage return without"},
		{"invalid UTF-8", "a: \xff", "1:4", "byte 0xff is not part"},
		{"surrogate", "a: \xed\xa0\x80", "1:4", "byte 0xed is not part"},
		{"overlong", "a: é\xc0\xaf", "1:5", "byte 0xc0 is not part"},
		{"cut off", "a: \xe2\x82", "1:4", "byte 0xe2 is not part"},
		{"UTF-16", "\xff\xfea\x00:\x00\n\x00b\x00", "1:1", "UTF-16"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("f", []byte(test.src))
			problems := diag.All(err)
			if len(problems) != 1 {
				t.Fatalf("%d problems, want 1:\n%s", len(problems), printed(problems))
			}
			p := problems[0]
			if got := p.Span.Position().String(); got != "f:"+test.at {
				t.Errorf("at %s, want %s", got, test.at)
			}
			if !regexp.MustCompile(test.message).MatchString(p.Message) || p.Hint == "" {
				t.Errorf("message %q, hint %q, want %q", p.Message, p.Hint, test.message)
			}
		})
	}
}

// Every byte that stands in eight others is looked at.
func TestEveryByteIsChecked(t *testing.T) {
	for c := range 256 {
		for at := range 24 {
			text := []byte(strings.Repeat("#", 24))
			text[at] = byte(c)
			_, err := Parse("f", append([]byte("# "), text...))
			fine := c == '\t' || c == '\n' || ' ' <= c && c <= '~'
			if (err == nil) != fine {
				t.Fatalf("byte %#02x at %d: %v", c, at, err)
			}
		}
	}
}

func TestTenProblems(t *testing.T) {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "key%d: fine\n\nk%d: on # wrong\n", i, i)
	}
	_, err := Parse("f", []byte(b.String()))
	problems := diag.All(err)
	if len(problems) != maxProblems {
		t.Fatalf("%d problems, want %d", len(problems), maxProblems)
	}
	for i, p := range problems {
		want := fmt.Sprintf("f:%d:5", 3*i+3)
		if got := p.Span.Position().String(); got != want {
			t.Errorf("problem %d at %s, want %s", i, got, want)
		}
		if p.Span.Text() != "on" {
			t.Errorf("problem %d covers %q", i, p.Span.Text())
		}
	}
}

// Problems of characters and of structure come in the order of their lines.
func TestProblemsOfBothKinds(t *testing.T) {
	src := "a: on\nb: \x00\n" + strings.Repeat("c", 3) + "\nd: \x01 @\ne: \xff\n" + strings.Repeat("f: %\n", 20)
	_, err := Parse("f", []byte(src))
	var lines []int
	for _, p := range diag.All(err) {
		lines = append(lines, p.Span.Position().Line)
	}
	if got := fmt.Sprint(lines); got != "[1 2 3 4 5 6 7 8 9 10]" {
		t.Errorf("lines %s", got)
	}
}

func TestDuplicateNamesTheFirst(t *testing.T) {
	var b strings.Builder
	for i := range 3 * fewKeys {
		fmt.Fprintf(&b, "k%d: x\n", i)
	}
	for _, i := range []int{0, fewKeys - 1, fewKeys, 3*fewKeys - 1} {
		_, err := Parse("f", []byte(b.String()+fmt.Sprintf("k%d: y\n", i)))
		problems := diag.All(err)
		if len(problems) != 1 || len(problems[0].Others) != 1 {
			t.Fatalf("k%d: %v", i, err)
		}
		if got, want := problems[0].Others[0].Span.Position().Line, i+1; got != want {
			t.Errorf("k%d was first set in line %d, want %d", i, got, want)
		}
		if got, want := problems[0].Span.Position().Line, 3*fewKeys+1; got != want {
			t.Errorf("k%d is told in line %d, want %d", i, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	deep := func(n int) map[string]string {
		var maps, lists strings.Builder
		for i := range n {
			fmt.Fprintf(&maps, "%s- \n", strings.Repeat(" ", i))
			fmt.Fprintf(&lists, "%sk:\n", strings.Repeat(" ", i))
		}
		return map[string]string{
			"brackets": strings.Repeat("[", n) + strings.Repeat("]", n),
			"dashes":   strings.Repeat("- ", n),
			"lists":    lists.String(),
			"mappings": maps.String(),
			"mixed":    strings.Repeat("- ", n-2) + "k: []",
		}
	}
	for name, src := range deep(maxDepth) {
		if _, err := Parse("f", []byte(src)); err != nil {
			t.Errorf("%s, %d levels: %v", name, maxDepth, err)
		}
	}
	for _, n := range []int{maxDepth + 1, 5000} {
		for name, src := range deep(n) {
			_, err := Parse("f", []byte(src))
			checkOnly(t, name, err, "more than 64 levels")
		}
	}
	for _, key := range []string{"%s: 1", "'%s': 1", "\"%s\": 1", "a: 1\n%s: 1"} {
		fits := strings.Repeat("k", maxKey-2)
		if _, err := Parse("f", fmt.Appendf(nil, key, fits)); err != nil {
			t.Errorf("long key: %v", err)
		}
		_, err := Parse("f", fmt.Appendf(nil, key, fits+"kkk"))
		checkOnly(t, "long key", err, "a key of more than")
	}
	full := append([]byte("a: 1 #"), strings.Repeat("x", maxSize-6)...)
	if _, err := Parse("f", full); err != nil {
		t.Errorf("%d bytes: %v", maxSize, err)
	}
	_, err := Parse("f", append(full, 'x'))
	checkOnly(t, "size", err, "more than the limit of 16777216")
}

func checkOnly(t *testing.T, name string, err error, message string) {
	t.Helper()
	problems := diag.All(err)
	if len(problems) != 1 || !strings.Contains(problems[0].Message, message) || problems[0].Hint == "" {
		t.Errorf("%s: problems %v, want %q", name, problems, message)
	}
}

// What a fault hides is hidden, and nothing else: the tree of a text with
// problems is not given away.
func TestNoNodeBesideProblems(t *testing.T) {
	var n *tree.Node
	n, err := ParseMapping("f", []byte("a: 1\nb: on\n"))
	if n != nil || err == nil {
		t.Errorf("node %v, error %v", n, err)
	}
}
