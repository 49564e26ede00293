package yaml

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"ucas/engine/tree"
)

// dict and list make expected values short.
type (
	dict = map[string]any
	list = []any
)

var parseTests = []struct {
	name, src string
	want      any
}{
	// Documents
	{"empty", "", nil},
	{"comments only", "# a\n\n  # b\n", nil},
	{"marker only", "---\n", nil},
	{"marker and comment", "# a\n--- # b\na: 1\n", dict{"a": int64(1)}},
	{"byte order mark", "\uFEFFa: 1", dict{"a": int64(1)}},
	{"byte order mark and marker", "\uFEFF---\na: 1", dict{"a": int64(1)}},
	{"byte order mark alone", "\uFEFF", nil},
	{"CRLF", "a: 1\r\nb:\r\n  - c # d\r\n\r\n  - 'e'\r\n", dict{"a": int64(1), "b": list{"c", "e"}}},
	{"no line feed at the end", "a: 1", dict{"a": int64(1)}},
	{"indented top", "  a: 1\n  b: 2\n", dict{"a": int64(1), "b": int64(2)}},
	{"text at the top", "a b c", "a b c"},
	{"colon without blank at the top", "a:b", "a:b"},
	{"quoted text at the top", `"a" # b`, "a"},
	{"number at the top", "42\n", int64(42)},
	{"null at the top", "~\n", nil},
	{"list in brackets at the top", "[a, 1]", list{"a", int64(1)}},
	{"braces at the top", "{}", dict{}},
	{"marker with text", "---a", "---a"},
	{"dots with text", "...a", "...a"},

	// Mappings and lists
	{"mapping in a mapping", "a:\n  b:\n    c: 1\n  d: 2\ne: 3\n",
		dict{"a": dict{"b": dict{"c": int64(1)}, "d": int64(2)}, "e": int64(3)}},
	{"blank before the colon", "a : 1\n\"b\"  : 2\n", dict{"a": int64(1), "b": int64(2)}},
	{"list in its key's column", "a:\n- b\n- c\nd: 1\n", dict{"a": list{"b", "c"}, "d": int64(1)}},
	{"list in its key's column, further in", "x:\n  a:\n  - b\n  d: 1\n", dict{"x": dict{"a": list{"b"}, "d": int64(1)}}},
	{"list right of its key", "a:\n  - b\n  - c\nd: 1\n", dict{"a": list{"b", "c"}, "d": int64(1)}},
	{"mappings in a list", "- a: 1\n  b: 2\n-   c: 3\n    d:\n    - e\n",
		list{dict{"a": int64(1), "b": int64(2)}, dict{"c": int64(3), "d": list{"e"}}}},
	{"lists in a list", "- - a\n  - b\n- - - c\n", list{list{"a", "b"}, list{list{"c"}}}},
	{"items in the next line", "-\n  a: 1\n-\n  - b\n- # c\n  d\n", list{dict{"a": int64(1)}, list{"b"}, "d"}},
	{"empty items", "-\n- a\n-\n", list{nil, "a", nil}},
	{"empty items in an item", "- -\n  -\n- k:\n", list{list{nil, nil}, dict{"k": nil}}},
	{"empty values", "a:\nb: # c\nd:\n  e:\n", dict{"a": nil, "b": nil, "d": dict{"e": nil}}},
	{"values in the next line", "a:\n  b c\nd:\n  'e'\nf:\n  [g]\nh:\n  {}\n",
		dict{"a": "b c", "d": "e", "f": list{"g"}, "h": dict{}}},
	{"comments anywhere", "a: # x\n      # y\n  b: 1 # z\n# w\n\n  c: 2\n", dict{"a": dict{"b": int64(1), "c": int64(2)}}},
	{"tabs in comments and quotes", "a: 1 #\tb\n#\t\nc: \"\t\"\nd: '\t'\n", dict{"a": int64(1), "c": "\t", "d": "\t"}},
	{"blanks at the ends", "a: b  \nc:  d  \ne: [ f ]  \n", dict{"a": "b", "c": "d", "e": list{"f"}}},

	// Brackets
	{"empty brackets", "a: []\nb: [ ]\nc: { }\n", dict{"a": list{}, "b": list{}, "c": dict{}}},
	{"nested brackets", "a: [b, [1, [c d]], [], {}]", dict{"a": list{"b", list{int64(1), list{"c d"}}, list{}, dict{}}}},
	{"comma at the end", "a: [b, c, ]", dict{"a": list{"b", "c"}}},
	{"quotes in brackets", `a: ["b, c", 'd]', e"f, it's]`, dict{"a": list{"b, c", "d]", `e"f`, "it's"}}},
	{"kinds in brackets", "a: [true, no, null, ~, 1, -2.50, x]", dict{"a": list{true, false, nil, nil, int64(1), -2.5, "x"}}},
	{"marks in brackets", "a: [b:c, http://d/e#h, -i, --j]\nb: http://d?e=f\n", dict{"a": list{"b:c", "http://d/e#h", "-i", "--j"}, "b": "http://d?e=f"}},

	// Scalars
	{"booleans", "[true, false, yes, no]", list{true, false, true, false}},
	{"integers", "[0, 7, -7, 1000000, 9223372036854775807, -9223372036854775808]",
		list{int64(0), int64(7), int64(-7), int64(1000000), int64(9223372036854775807), int64(-9223372036854775808)}},
	{"decimals", "[0.5, -0.5, 1.10, 0.0, 123.456]", list{0.5, -0.5, 1.1, 0.0, 123.456}},
	{"plain text", "- a b\n- a#b\n- a, b\n- a]b\n- it's\n- x{y}\n- 'q'''\n", list{"a b", "a#b", "a, b", "a]b", "it's", "x{y}", "q'"}},
	{"text that starts like something else",
		"- -x\n- --flag\n- $HOME\n- ~/bin\n- .\n- ..\n- ./a\n- .bashrc\n- :x\n- ?x\n- ::x\n- =x\n- <\n- c#\n- ---\n- ...\n",
		list{"-x", "--flag", "$HOME", "~/bin", ".", "..", "./a", ".bashrc", ":x", "?x", "::x", "=x", "<", "c#", "---", "..."}},
	{"text that looks like numbers",
		"- 1.2.3\n- v1.0\n- 1a\n- 0x\n- 0xG\n- 0b2\n- 1e\n- e3\n- 1-2\n- 8080:80\n- 127.0.0.1\n- 12:30pm\n- 1:60\n- _1\n- 1.2.\n- +\n- +x\n- -.\n- 1,5\n- 2 x\n",
		list{"1.2.3", "v1.0", "1a", "0x", "0xG", "0b2", "1e", "e3", "1-2", "8080:80", "127.0.0.1", "12:30pm", "1:60", "_1", "1.2.",
			"+", "+x", "-.", "1,5", "2 x"}},
	{"text that looks like dates", "- 2001-01\n- 2001-01-01-a\n- 2024-01-15 release\n- 20010101-1-1\n- 2001-01-01T\n- 2001-01-01T1:1\n",
		list{"2001-01", "2001-01-01-a", "2024-01-15 release", "20010101-1-1", "2001-01-01T", "2001-01-01T1:1"}},
	{"text that looks like words", "- truE\n- nULL\n- nan\n- inf\n- .iNF\n- -.nan\n- ok\n- none\n- yess\n",
		list{"truE", "nULL", "nan", "inf", ".iNF", "-.nan", "ok", "none", "yess"}},
	{"names of models", "[gpt-5.2-pro, opus-4.5, acli-claude, c++]", list{"gpt-5.2-pro", "opus-4.5", "acli-claude", "c++"}},
	{"quoted text is text", `['1', "true", "null", '~', "", '']`, list{"1", "true", "null", "~", "", ""}},
	{"escapes", `"\0\a\b\t\n\v\f\r\e\ \"\/\\\N\_\L\P\x41\u00e9\U0001F600"`,
		"\x00\a\b\t\n\v\f\r\x1b \"/\\\u0085\u00a0\u2028\u2029Aé😀"},
	{"several escapes", `["\n", "a\tb", c, "\\"]`, list{"\n", "a\tb", "c", "\\"}},
	{"other scripts", "č: [žluť, 日本, \"é\"]", dict{"č": list{"žluť", "日本", "é"}}},

	// Keys
	{"keys", "a b: 1\n\"c d\": 2\n'e': 3\n\"\": 4\n\"1\": 5\n'yes': 6\na/b.c-d: 7\n1.2.3: 8\n-x: 9\n\"\\x41\": 10\n",
		dict{"a b": int64(1), "c d": int64(2), "e": int64(3), "": int64(4), "1": int64(5), "yes": int64(6), "a/b.c-d": int64(7),
			"1.2.3": int64(8), "-x": int64(9), "A": int64(10)}},
	{"keys with marks", "a:b: 1\na#b: 2\nit's: 3\na, b: 4\n", dict{"a:b": int64(1), "a#b": int64(2), "it's": int64(3), "a, b": int64(4)}},
}

func TestParse(t *testing.T) {
	for _, test := range parseTests {
		t.Run(test.name, func(t *testing.T) {
			n, err := Parse("f", []byte(test.src))
			if err != nil {
				t.Fatal(err)
			}
			if got := n.Any(); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %#v\nwant %#v", got, test.want)
			}
			checkSpans(t, n, 0, len(test.src))
		})
	}
}

func TestParseMapping(t *testing.T) {
	for _, src := range []string{"", "# nothing\n", "---\n", "{}", "\uFEFF\n"} {
		n, err := ParseMapping("f", []byte(src))
		if err != nil || n.Kind != tree.Map || n.Len != 0 {
			t.Errorf("%q: %v, %v", src, n, err)
		}
	}
	n, err := ParseMapping("f", []byte("a: [b]\n"))
	if err != nil || n.Get("a").First.Text != "b" {
		t.Errorf("%v, %v", n, err)
	}
}

// A scalar keeps its raw text, a key its order (R25).
func TestRawTextAndOrder(t *testing.T) {
	n, err := Parse("f", []byte("z: 1.10\na: yes\nm: ~\nb: 007up\n'c': 'x'\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for c := range n.Items() {
		got = append(got, fmt.Sprint(c.Key, "=", c.Text, " ", c.Kind, " ", c.Quoted))
	}
	want := "z=1.10 number false|a=yes boolean false|m=~ null false|b=007up string false|c=x string true"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestSpans(t *testing.T) {
	src := "\uFEFF# top\nenv: # e\n  A: 1 # one\n  \"B\" : 'two'\n  C:\nlist:\n- [x,  y z ]\n- - {}\n"
	n, err := Parse("f", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	describe(&b, n, "")
	want := `mapping 2:1-8:7
  "env" env: mapping 3:3-5:5
    "A" A: integer 3:6-3:7 "1"
    "B" "B": string 4:9-4:14 "'two'"
    "C" C: null 5:5-5:5 ""
  "list" list: list 7:1-8:7
    list 7:3-7:13
      string 7:4-7:5 "x"
      string 7:8-7:11 "y z"
    list 8:3-8:7
      mapping 8:5-8:7
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
}

// describe writes a node with what its spans cover.
func describe(b *strings.Builder, n *tree.Node, indent string) {
	b.WriteString(indent)
	if n.KeyEnd > 0 {
		fmt.Fprintf(b, "%q %s: ", n.Key, n.KeySpan().Text())
	}
	from, to := n.Span().Position(), n.File.Position(int(n.End))
	fmt.Fprintf(b, "%v %d:%d-%d:%d", n.Kind, from.Line, from.Column, to.Line, to.Column)
	if n.IsScalar() {
		fmt.Fprintf(b, " %q", n.Span().Text())
	}
	b.WriteByte('\n')
	for c := range n.Items() {
		describe(b, c, indent+"  ")
	}
}

// A configuration costs at most four allocations, escapes and all.
func TestAllocations(t *testing.T) {
	src := []byte(config40 + `escaped: ["\n", "a\tb", "\u00e9\\"]` + "\n")
	n := testing.AllocsPerRun(100, func() {
		if _, err := ParseMapping("f", src); err != nil {
			t.Fatal(err)
		}
	})
	if n > 4 {
		t.Errorf("%v allocations, want 4 at most", n)
	}
}

// TestSwitchesAsKeys: what only YAML 1.1 takes for a boolean is text as a key.
func TestSwitchesAsKeys(t *testing.T) {
	n, err := Parse("test", []byte("ON: yes\ny: 1\nNo: 2\noff: 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := n.Any().(map[string]any)
	want := map[string]any{"ON": true, "y": int64(1), "No": int64(2), "off": int64(3)}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if text := n.Get("ON").Text; text != "yes" {
		t.Errorf("the raw text is %q", text)
	}
}
