package tree_test

import (
	"fmt"
	"reflect"
	"testing"

	"ucas/engine/source"
	"ucas/engine/tree"
	"ucas/engine/yaml"
)

func parse(t *testing.T, src string) *tree.Node {
	t.Helper()
	n, err := yaml.Parse("f.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAny(t *testing.T) {
	n := parse(t, "a: [x, 1, 1.5, yes, no, ~]\nb: {}\nc: []\n")
	want := map[string]any{
		"a": []any{"x", int64(1), 1.5, true, false, nil},
		"b": map[string]any{},
		"c": []any{},
	}
	if got := n.Any(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
}

func TestEqual(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"a: [x, z]", "# same\n'a':\n- \"x\"\n- z\n", true},
		{"a: 1", "a: \"1\"", false},
		{"a: 1.1", "a: 1.10", false},
		{"a: 1\nb: 2", "b: 2\na: 1", false},
		{"[a, b]", "[a]", false},
		{"a:", "a: ~", false},
	}
	for _, test := range tests {
		if got := tree.Equal(parse(t, test.a), parse(t, test.b)); got != test.want {
			t.Errorf("Equal(%q, %q) = %v", test.a, test.b, got)
		}
	}
	if !tree.Equal(nil, nil) || tree.Equal(nil, parse(t, "")) {
		t.Error("a nil node equals nil alone")
	}
}

func TestWith(t *testing.T) {
	n := parse(t, "a: 1\nb: 2\nc: 3\n")
	x := tree.NewString("x", source.Span{})
	tests := []struct {
		got  *tree.Node
		want string
	}{
		{n.With("b", x), "a: 1\nb: x\nc: 3\n"},
		{n.With("b", nil), "a: 1\nc: 3\n"},
		{n.With("d", x), "a: 1\nb: 2\nc: 3\nd: x\n"},
		{n.With("d", nil), "a: 1\nb: 2\nc: 3\n"},
		{(*tree.Node)(nil).With("a", x), "a: x\n"},
		{x.With("a", x), "a: x\n"},
	}
	for _, test := range tests {
		if got := string(yaml.Print(test.got)); got != test.want {
			t.Errorf("got\n%swant\n%s", got, test.want)
		}
	}
	if got := string(yaml.Print(n)); got != "a: 1\nb: 2\nc: 3\n" {
		t.Errorf("the mapping itself was changed:\n%s", got)
	}
}

func TestSpans(t *testing.T) {
	n := parse(t, "a:\n  - x\n  - 'y'\n")
	a := n.Get("a")
	got := fmt.Sprintf("%s %s %q", a.KeySpan().Position(), a.Span().Position(), a.First.Next.Span().Text())
	if want := `f.yaml:1:1 f.yaml:2:3 "'y'"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if item := a.First; item.KeySpan() != item.Span() {
		t.Error("a node without a key has its own place as its key's")
	}
}

func TestNil(t *testing.T) {
	var n *tree.Node
	for c := range n.Items() {
		t.Errorf("a nil node has a child %v", c)
	}
	if n.Any() != nil || n.Get("a") != nil {
		t.Error("a nil node has a value")
	}
	if s := tree.NewString("x", source.Span{}); s.Get("a") != nil || !s.IsScalar() {
		t.Error("a string has a key")
	}
}
