package script

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"ucas/engine/diag"
	"ucas/engine/source"
	"ucas/engine/tree"
	"ucas/engine/yaml"
)

// A memory is a World in maps.
type memory struct {
	files  map[string]string     // for load and read
	values map[string]*tree.Node // by "OP NAME"
	errors map[string]error      // by "OP NAME"
	log    []Question
	loaded map[string]*source.File
}

func (m *memory) Answer(q Question) (Answer, error) {
	m.log = append(m.log, q)
	key := q.Op.String() + " " + q.Name
	if err := m.errors[key]; err != nil {
		return Answer{}, err
	}
	switch q.Op {
	case OpLoad:
		return m.load(q)
	case OpRead:
		text, ok := m.files[q.Name]
		if !ok {
			return Answer{}, nil
		}
		return Answer{Value: tree.NewString(text, source.Span{})}, nil
	case OpSet:
		m.values["get "+q.Name] = q.Value
	case OpUnset:
		delete(m.values, "get "+q.Name)
	}
	return Answer{Value: m.values[key]}, nil
}

// Environ implements Environment.
func (m *memory) Environ() []string {
	var environ []string
	for key, value := range m.values {
		if name, ok := strings.CutPrefix(key, "env "); ok {
			environ = append(environ, name+"="+value.Text)
		}
	}
	return environ
}

func (m *memory) load(q Question) (Answer, error) {
	text, ok := m.files[q.Name]
	if !ok {
		return Answer{}, diag.At(q.At, "no file %s in this layer", q.Name).
			WithHint("see the names beside ucas.star").WithCause(fs.ErrNotExist)
	}
	if m.loaded == nil {
		m.loaded = make(map[string]*source.File)
	}
	if m.loaded[q.Name] == nil {
		m.loaded[q.Name] = source.NewFile(q.Name, []byte(text))
	}
	return Answer{File: m.loaded[q.Name]}, nil
}

// asked returns the questions of some kinds, a line each.
func (m *memory) asked(ops ...Op) string {
	var b strings.Builder
	for _, q := range m.log {
		if !slices.Contains(ops, q.Op) {
			continue
		}
		fmt.Fprintf(&b, "%s: %s %s", q.At.Position(), q.Op, q.Name)
		if q.Value != nil {
			fmt.Fprintf(&b, " = %s", bytes.TrimSpace(yaml.Print(q.Value)))
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

func newMemory(values map[string]string) *memory {
	m := &memory{files: make(map[string]string), values: make(map[string]*tree.Node), errors: make(map[string]error)}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		n, err := yaml.Parse(name, []byte(values[name]))
		if err != nil {
			panic(err)
		}
		m.values[name] = n
	}
	return m
}

// hookFile returns a file with the text of a hook.
func hookFile(text string) *source.File { return source.NewFile("ucas.star", []byte(text)) }

// configure executes a file and calls its configure.
func configure(l *Local, file *source.File) error {
	hooks, err := l.Hooks(file, "project")
	if err != nil {
		return err
	}
	if _, ok := hooks[Configure]; !ok {
		return nil
	}
	_, err = l.Call(Call{File: file, Hook: Configure, For: "project"})
	return err
}

// printed returns an error as people see it.
func printed(err error) string {
	var b strings.Builder
	_ = diag.Print(&b, diag.All(err)...) // a Builder takes everything
	return b.String()
}

func check(t *testing.T, what, got, want string) {
	t.Helper()
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("%s:\n%s\nwant:\n%s", what, got, want)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(printed(err))
		}
		return v
	}
}

var errClosed = errors.New("the library is closed")
