package yaml

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	full "go.yaml.in/yaml/v3"

	"ucas/engine/diag"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// seed gives a fuzz target every text that the other tests read, whole and
// in pieces.
func seed(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("no files in testdata: %v", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range chunks(string(data)) {
			f.Add([]byte(c.text))
		}
	}
	for _, test := range parseTests {
		f.Add([]byte(test.src))
	}
	f.Add([]byte(config40))
}

func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		n, err := Parse("fuzz.yaml", src)
		if err != nil {
			checkProblems(t, n, err, len(src))
			return
		}
		checkSpans(t, n, 0, len(src))
		printed := Print(n)
		again, err := Parse("printed.yaml", printed)
		if err != nil {
			t.Fatalf("what was printed is refused: %v\n%s", err, printed)
		}
		if !tree.Equal(n, again) {
			t.Fatalf("what was printed is another tree:\n%s", printed)
		}
	})
}

// checkProblems checks that problems are in order, lie in the text and say
// what to do.
func checkProblems(t *testing.T, n *tree.Node, err error, size int) {
	t.Helper()
	var list diag.List
	if !errors.As(err, &list) || len(list) == 0 || len(list) > maxProblems {
		t.Fatalf("the error is no list of one to ten problems: %v", err)
	}
	if n != nil {
		t.Fatalf("a node beside the problem %v", err)
	}
	for i, p := range list {
		checkSpan(t, p.Span, size)
		for _, place := range p.Others {
			checkSpan(t, place.Span, size)
		}
		if i > 0 && p.Span.Position().Line <= list[i-1].Span.Position().Line {
			t.Fatalf("problem %v does not follow the line of %v", p, list[i-1])
		}
		if p.Message == "" || p.Hint == "" {
			t.Fatalf("problem %v: message %q, hint %q", p, p.Message, p.Hint)
		}
	}
}

func checkSpan(t *testing.T, s source.Span, size int) {
	t.Helper()
	if s.File == nil || s.Start < 0 || s.End < s.Start || s.End > size {
		t.Fatalf("span %d-%d is not in a text of %d bytes", s.Start, s.End, size)
	}
}

// checkSpans checks that a node lies between two offsets, and its children
// in it, in order, each behind its key.
func checkSpans(t *testing.T, n *tree.Node, from, to int) {
	t.Helper()
	start, end := int(n.Start), int(n.End)
	if start < from || end < start || end > to {
		t.Fatalf("%v at %d-%d, which is not in %d-%d", n.Kind, start, end, from, to)
	}
	count := 0
	for c := range n.Items() {
		if n.Kind == tree.Map {
			if int(c.KeyStart) < start || c.KeyEnd <= c.KeyStart || c.KeyEnd > c.Start {
				t.Fatalf("key %q at %d-%d, value at %d", c.Key, c.KeyStart, c.KeyEnd, c.Start)
			}
			start = int(c.KeyEnd)
		}
		checkSpans(t, c, start, end)
		start = int(c.End)
		count++
	}
	if count != int(n.Len) {
		t.Fatalf("%v with Len %d has %d children", n.Kind, n.Len, count)
	}
}

// FuzzAgainstYAML checks that whatever is accepted means to a full YAML
// reader what it means here. There are two differences, which YAML itself
// has: "yes" and "no" are booleans in version 1.1, and text in 1.2 and to that
// reader until it fills a variable of type bool; and "\/" is an escape that
// came with 1.2, which that reader does not know.
func FuzzAgainstYAML(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		n, err := Parse("fuzz.yaml", src)
		if err != nil {
			return
		}
		var doc full.Node
		err = full.Unmarshal(src, &doc)
		if err != nil && strings.Contains(err.Error(), "unknown escape") && bytes.Contains(src, []byte(`\/`)) {
			return
		}
		if err != nil {
			t.Fatalf("the full reader refuses it: %v", err)
		}
		if doc.Kind == 0 {
			if n.Kind != tree.Null {
				t.Fatalf("the full reader finds no value, this one a %v", n.Kind)
			}
			return
		}
		compare(t, n, doc.Content[0])
	})
}

var tags = [...]string{
	tree.Null: "!!null", tree.Bool: "!!bool", tree.Int: "!!int", tree.Float: "!!float",
	tree.String: "!!str", tree.List: "!!seq", tree.Map: "!!map",
}

func compare(t *testing.T, n *tree.Node, other *full.Node) {
	t.Helper()
	tag := tags[n.Kind]
	if n.Kind == tree.Bool && (n.Text == "yes" || n.Text == "no") {
		tag = "!!str"
	}
	if other.ShortTag() != tag || other.Value != n.Text {
		t.Fatalf("%v %q is %s %q to the full reader", n.Kind, n.Text, other.ShortTag(), other.Value)
	}
	i := 0
	next := func() *full.Node {
		if i == len(other.Content) {
			t.Fatalf("%v has fewer children to the full reader", n.Kind)
		}
		i++
		return other.Content[i-1]
	}
	for c := range n.Items() {
		if n.Kind == tree.Map {
			compare(t, &tree.Node{Kind: tree.String, Text: c.Key}, next())
		}
		compare(t, c, next())
	}
	if i != len(other.Content) {
		t.Fatalf("%v has more children to the full reader", n.Kind)
	}
}
