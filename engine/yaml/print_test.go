package yaml

import (
	"strings"
	"testing"

	"ucas/engine/source"
	"ucas/engine/tree"
)

func TestPrintParsed(t *testing.T) {
	for _, test := range parseTests {
		n, err := Parse("f", []byte(test.src))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		again, err := Parse("printed", Print(n))
		if err != nil {
			t.Errorf("%s: %v\n%s", test.name, err, Print(n))
		} else if !tree.Equal(n, again) {
			t.Errorf("%s: printed as\n%s", test.name, Print(n))
		}
	}
}

func TestPrintForm(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"kept", "a: 1.10\nb: yes\nc: ~\nd:\n", "a: 1.10\nb: yes\nc: ~\nd:\n"},
		{"quotes", "'a': \"b\"\n\"1\": 'true'\nc: 'd: e'\nf: '# g'\n'h ': \"\"\n", "a: b\n\"1\": \"true\"\nc: \"d: e\"\nf: \"# g\"\n\"h \": \"\"\n"},
		{"layout", "a:\n- b\n-   c: 1\n    d: [x, 'y, z', 'w', [1]]\n- - {}\n  -\n", `a:
  - b
  - c: 1
    d: [x, "y, z", w, [1]]
  - - {}
    -
`},
		{"comments go", "# a\nb: 1 # c\n", "b: 1\n"},
		{"control characters", `"\x00\x7f\N\L\t\U0000feff\e"`, `"\0\x7F\N\L\t\uFEFF\e"` + "\n"},
		{"nothing", "", ""},
		{"null", "null", "null\n"},
		{"empty", "{}", "{}\n"},
		{"list", "[]", "[]\n"},
		{"text", "a b", "a b\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n, err := Parse("f", []byte(test.src))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(Print(n)); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
}

// Whatever a text that a program makes contains, it comes back, as a value
// and as a key.
func TestPrintStrings(t *testing.T) {
	texts := []string{
		"", " ", "a ", " a", "a: b", "a:", ":", "a #b", "#", "a#b", "-", "- a", "---", "--- a", "...", "---a", "%a",
		"1", "-1", "1.5", "1e3", "0x1F", "017", "true", "True", "yes", "on", "n", "null", "Null", "~", "=", "<<", ".inf", "1:30", "2001-01-01",
		"[", "]", "{", "}", "{}", "[]", "a, b", "a]", ",", "&a", "*a", "!a", "|", ">", "'", "\"", "@", "`", "?", "? a", "it's", `"q"`, `\`, `a\nb`,
		"\n", "a\nb\n", "\t", "a\tb", "\r\n", "\x00", "\x1b[0m", "\x7f", "\u0080", "\u0085", "\u00a0", "a\u00a0b", "\u2028", "\u2029",
		"\uFEFF", "a\uFEFF", "\uFFFD", "\uFFFE", "\uFFFF", "é", "😀", "\U0010FFFF",
	}
	for _, text := range texts {
		checkPrinted(t, text)
	}
}

func FuzzPrint(f *testing.F) {
	for _, text := range []string{"", "a", "1_0", "a: b # c", "\x00\u0085\n", "2001-01-01 1:1:1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < maxKey/len(`\uFFFE`) {
			checkPrinted(t, strings.ToValidUTF8(text, "\uFFFD"))
		}
	})
}

func checkPrinted(t *testing.T, text string) {
	t.Helper()
	s := tree.NewString(text, source.Span{})
	items := tree.NewList([]*tree.Node{s, tree.NewList([]*tree.Node{s}, source.Span{})}, source.Span{})
	flow := *items
	flow.Flow = true
	var m *tree.Node
	m = m.With(text, s).With(text+"-", items).With(text+"+", &flow).With("", m.With(text, s))
	for _, n := range []*tree.Node{s, items, &flow, m} {
		again, err := Parse("printed", Print(n))
		if err != nil {
			t.Fatalf("%q: %v\n%s", text, err, Print(n))
		}
		if !tree.Equal(n, again) {
			t.Fatalf("%q is printed as\n%s", text, Print(n))
		}
	}
}

func TestPrintBadBytes(t *testing.T) {
	got := string(Print(tree.NewString("a\xffb", source.Span{})))
	if got != "\"a\uFFFDb\"\n" {
		t.Errorf("got %q", got)
	}
}
