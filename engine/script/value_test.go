package script

import (
	"math"
	"strings"
	"testing"

	"ucas/engine/source"
	"ucas/engine/tree"
	"ucas/engine/yaml"

	"go.starlark.net/starlark"
)

// What goes to a hook and comes back is the same, and every part has a place.
func TestRoundTrip(t *testing.T) {
	tests := []string{
		"null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808",
		"1.5", "-0.0", "1.0", "123456789012345680000.0", `""`, "text", `"1"`, `"é\n"`, "[]", "{}",
		"[1, [2, []], null]", "b: 1\na:\n  c: [x]\n\"\": {}\n",
	}
	at := source.Span{File: hookFile("ctx.set"), Start: 4, End: 7}
	for _, test := range tests {
		n := must[*tree.Node](t)(yaml.Parse("test", []byte(test)))
		back := must[*tree.Node](t)(toNode(toValue(n), at, "the value"))
		if !tree.Equal(n, back) {
			t.Errorf("%s becomes %v", test, back.Any())
		}
		checkPlaces(t, back, at)
	}
}

func checkPlaces(t *testing.T, n *tree.Node, at source.Span) {
	t.Helper()
	if n.Span() != at {
		t.Errorf("%v is at %v", n.Any(), n.Span())
	}
	for item := range n.Items() {
		checkPlaces(t, item, at)
	}
}

func TestFloats(t *testing.T) {
	for _, f := range []float64{0, 1, -1, 0.1, 1e21, 1e300, 5e-324, math.MaxFloat64, 1 << 53} {
		n := must[*tree.Node](t)(toNode(starlark.Float(f), source.Span{}, ""))
		if n.Kind != tree.Float || n.Any() != f {
			t.Errorf("%v becomes %s", f, n.Text)
		}
		parsed := must[*tree.Node](t)(yaml.Parse("f", []byte(n.Text)))
		if !tree.Equal(n, parsed) {
			t.Errorf("%s is %s to a configuration", n.Text, parsed.Kind)
		}
	}
}

// Tuples and sets become lists, structs mappings.
func TestOtherTypes(t *testing.T) {
	l := NewLocal(newMemory(nil))
	file := hookFile("def map_model(ctx, m):\n    return [(1,), set([2, 1]), struct(b=m.x, a=m)]\n")
	arg := must[*tree.Node](t)(yaml.Parse("arg", []byte("x: {}\n")))
	n := must[*tree.Node](t)(l.Call(Call{File: file, Hook: MapModel, For: "project", Args: []*tree.Node{arg}}))
	check(t, "value", string(yaml.Print(n)), "- - 1\n- - 2\n  - 1\n- a:\n    x: {}\n  b: {}\n")
}

func TestValueLimits(t *testing.T) {
	nested := func(levels int) starlark.Value {
		v := starlark.NewList(nil)
		for range levels - 1 {
			v = starlark.NewList([]starlark.Value{v})
		}
		return v
	}
	text := func(n int) starlark.Value { return starlark.String(strings.Repeat("x", n)) }
	tests := []struct {
		name  string
		value starlark.Value
		want  string
	}{
		{"all levels", nested(MaxDepth), ""},
		{"one more", nested(MaxDepth + 1), "has more than 64 levels"},
		{"all bytes", text(MaxResult), ""},
		{"one byte more", text(MaxResult + 1), "the value has more than 1 MiB"},
		{"in a list", starlark.NewList([]starlark.Value{text(MaxResult)}), "the value's [0] has more than 1 MiB"},
		{"many small", starlark.NewList(make1M()), "has more than 1 MiB"},
		{"no UTF-8", starlark.String("\xff"), "the value is a string that is no UTF-8"},
		{"infinity", starlark.Float(math.Inf(-1)), "the value is -inf, which is no number here"},
	}
	for _, test := range tests {
		_, err := toNode(test.value, source.Span{}, "the value")
		switch {
		case err == nil && test.want != "":
			t.Errorf("%s: no problem", test.name)
		case err != nil && (test.want == "" || !strings.HasSuffix(err.Error(), test.want)):
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func make1M() []starlark.Value {
	items := make([]starlark.Value, 1<<20)
	for i := range items {
		items[i] = starlark.None
	}
	return items
}

// FuzzValue: whatever a configuration can say, a hook gets, and gives back.
func FuzzValue(f *testing.F) {
	for _, seed := range []string{"a: [1, 2.50, -0.0, null, yes]\n", "\"\": {}\n", "- - x\n", "\"\\u00e9\\0\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := yaml.Parse("fuzz", []byte(text))
		if err != nil {
			return
		}
		value := toValue(n)
		back, err := toNode(value, source.Span{}, "the value")
		if err != nil {
			t.Skip(err) // too large: levels are the same for both
		}
		if again := toValue(back); again.String() != value.String() {
			t.Errorf("%s becomes %s", value, again)
		}
	})
}
