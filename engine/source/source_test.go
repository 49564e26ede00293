package source_test

import (
	"testing"

	"ucas/engine/source"
)

func TestPosition(t *testing.T) {
	f := source.NewFile("f", []byte("\uFEFFab\r\né日x\n"))
	for _, test := range []struct {
		offset int
		want   string
		line   string
	}{
		{0, "f:1:1", "ab"}, {3, "f:1:1", "ab"}, {4, "f:1:2", "ab"}, {7, "f:2:1", "é日x"}, {9, "f:2:2", "é日x"},
		{12, "f:2:3", "é日x"}, {14, "f:3:1", ""}, {99, "f:3:1", ""}, {-1, "f:1:1", "ab"},
	} {
		if got := f.Position(test.offset).String(); got != test.want {
			t.Errorf("Position(%d) = %s, want %s", test.offset, got, test.want)
		}
		if got := f.Line(test.offset); got != test.line {
			t.Errorf("Line(%d) = %q, want %q", test.offset, got, test.line)
		}
	}
	for p, want := range map[source.Position]string{
		{}: "-", {File: "f"}: "f", {File: "f", Line: 2}: "f:2", {File: "f", Line: 2, Column: 3}: "f:2:3",
	} {
		if got := p.String(); got != want {
			t.Errorf("%#v: %s, want %s", p, got, want)
		}
	}
}

func TestLevelNames(t *testing.T) {
	for l, want := range map[source.Level]string{
		{Role: source.System}: "system", {Role: source.Mod, Name: "git-mod"}: "mod git-mod", {Role: source.CommandLine}: "command line",
		{Role: source.ProjectOverride}: "project override", {Role: source.Team, Name: "t"}: "team t",
	} {
		if got := l.String(); got != want {
			t.Errorf("%#v: %s, want %s", l, got, want)
		}
	}
}
