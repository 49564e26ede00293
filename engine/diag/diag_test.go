package diag_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ucas/engine/diag"
	"ucas/engine/source"
)

func ExamplePrint() {
	file := source.NewFile(".ucas/ucas.yaml", []byte("env:\n  modle: opus\n"))
	problem := diag.At(source.Span{File: file, Start: 7, End: 12}, "unknown key %q", "modle").
		WithHint("did you mean %q?", "model")
	diag.Print(os.Stdout, problem)
	// Output:
	// .ucas/ucas.yaml:2:3: unknown key "modle"
	//   2 |   modle: opus
	//     |   ^^^^^
	// hint: did you mean "model"?
}

// span returns the place of the first occurrence of a part of a text.
func span(text, part string) source.Span {
	file := source.NewFile("f", []byte(text))
	i := strings.Index(text, part)
	return source.Span{File: file, Start: i, End: i + len(part)}
}

func TestPrint(t *testing.T) {
	for _, test := range []struct {
		what    string
		problem *diag.Problem
		want    string
	}{
		{"no place", diag.Errorf("broken"), "error: broken\n"},
		{"a warning says so", diag.Warn(span("a: b\n", "b"), "odd"), "f:1:4: warning: odd\n  1 | a: b\n    |    ^\n"},
		{"columns count characters", diag.At(span("é日: x\n", "x"), "odd"), "f:1:5: odd\n  1 | é日: x\n    |     ^\n"},
		{"a byte order mark is no column", diag.At(span("\uFEFFa: x\n", "x"), "odd"), "f:1:4: odd\n  1 | a: x\n    |    ^\n"},
		{"a tab is as wide as a blank", diag.At(span("\ta\n", "a"), "odd"), "f:1:2: odd\n  1 |  a\n    |  ^\n"},
		{"several lines: carets under the first", diag.At(span("ab\ncd\n", "b\nc"), "odd"), "f:1:2: odd\n  1 | ab\n    |  ^\n"},
		{"the end of the text", diag.At(source.Span{File: source.NewFile("f", []byte("a")), Start: 1, End: 1}, "odd"), "f:1:2: odd\n  1 | a\n    |  ^\n"},
		{"an empty text", diag.At(source.Span{File: source.NewFile("f", nil)}, "odd"), "f:1:1: odd\n"},
		{"a hint of two lines", diag.Errorf("odd").WithHint("one\ntwo"), "error: odd\nhint: one\n      two\n"},
		{"other places", diag.At(span("a: 1\na: 2\n", "2"), "again").WithPlace(span("a: 1\n", "a"), "first here"),
			"f:2:4: again\n  2 | a: 2\n    |    ^\nf:1:1: first here\n  1 | a: 1\n    | ^\n"},
		{"nothing drives the terminal", diag.At(span("a: \x1b[31mx\u202e\n", "x"), "odd \x1b]0;t\x07"),
			"f:1:9: odd \\x1b]0;t\\x07\n  1 | a: \\x1b[31mx\\u202e\n    |            ^\n"},
		{"a long line is cut", diag.At(span(strings.Repeat("x", 500)+"Y"+strings.Repeat("z", 500), "Y"), "odd"),
			"f:1:501: odd\n  1 | " + "…" + strings.Repeat("x", 49) + "Y" + strings.Repeat("z", 48) + "…" + "\n    | " + strings.Repeat(" ", 50) + "^\n"},
		{"invalid bytes", diag.At(span("a\xff: x\n", "x"), "odd"), "f:1:5: odd\n  1 | a\uFFFD: x\n    |     ^\n"},
	} {
		var b strings.Builder
		if err := diag.Print(&b, test.problem); err != nil {
			t.Fatal(err)
		}
		if b.String() != test.want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", test.what, b.String(), test.want)
		}
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "é日本": "é日本", "a\tb": "a b", "a\nb": `a\nb`, "\r": `\r`, "\x00": `\x00`, "\x7f": `\x7f`,
		"\x1b[0m": `\x1b[0m`, "\u009b": `\x9b`, "\u200b": `\u200b`, "\u202e": `\u202e`, "\U000e0001": `\U000e0001`, "\xff": `\xff`,
	} {
		if got := diag.Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
	if got := diag.EscapeLines("a\x07\nb"); got != "a\\x07\nb" {
		t.Errorf("EscapeLines: %q", got)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"php-master", "git-mod", "debug-mod", "acli-claude", "acli-claude-cheap", "a", "writer"}
	for name, want := range map[string][]string{
		"php-mastr": {"php-master"}, "PHP-Master": {"php-master"}, "git": {"git-mod"}, "gti-mod": {"git-mod"},
		"acli-cluade": {"acli-claude"}, "claude": {"acli-claude", "acli-claude-cheap"}, "zzz": nil, "b": {"a"}, "writre": {"writer"},
	} {
		if got := diag.Nearest(name, names); !slices.Equal(got, want) {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	cause := errors.New("cause")
	p := diag.At(span("a: b\n", "b"), "odd").WithCause(cause)
	list := diag.List{diag.Warn(source.Span{}, "meh"), p}
	if err := (diag.List{diag.Warn(source.Span{}, "meh")}).Err(); err != nil {
		t.Errorf("warnings alone are the error %v", err)
	}
	err := fmt.Errorf("wrapped: %w", list.Err())
	if !errors.Is(err, cause) {
		t.Error("the cause is lost")
	}
	if all := diag.All(err); len(all) != 2 || all[1] != p {
		t.Errorf("All: %v", all)
	}
	if all := diag.All(cause); len(all) != 1 || all[0].Message != "cause" {
		t.Errorf("All of another error: %v", all)
	}
	if got := p.Error(); got != "f:1:4: odd" {
		t.Errorf("Error: %q", got)
	}
}

func TestHideLiterals(t *testing.T) {
	for line, want := range map[string]string{
		`ctx.set("env.API_KEY", "abc")`:           `ctx.set("env.API_KEY", "***")`,
		`{'TOKEN': 'a\'b', "x": "y"}`:             `{'TOKEN': '****', "*": "*"}`,
		`ctx.set("env.PATH", "abc") # 'KEYS'`:     `ctx.set("env.PATH", "abc") # 'KEYS'`,
		`x = "env.SECRET`:                         `x = "env.SECRET`,
		`ctx.set("env.PASSWORD", 'unterminated \`: `ctx.set("env.PASSWORD", '**************`,
		`key = "the key"`:                         `key = "the key"`,
	} {
		if got := diag.HideLiterals(line); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", line, got, want)
		}
	}
}
