package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ucas/engine"
	"ucas/engine/diag"
	"ucas/engine/merge"
	"ucas/engine/source"
)

// layers writes an archive of project/, home/ and system/ to a directory, and
// returns options that find them.
func layers(t *testing.T, archive string) engine.Options {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"project", "home", "system"} {
		write(root, dir+"/.keep", "")
	}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		write(root, f.Name, string(f.Data))
	}
	return engine.Options{
		Dir: filepath.Join(root, "project"), Home: filepath.Join(root, "home"), SystemDir: filepath.Join(root, "system"),
		Environ: []string{"PATH=/usr/bin:/bin"},
	}
}

const team = `
-- system/ucas.yaml --
allowed_acli: [acli-x]
env:
  WHO: system
  SYSTEM: kept
-- system/agents/acli-x/ucas.yaml --
executable: x
arg_mapping:
  task: "{}"
  session: --session
-- home/.ucas/ucas.yaml --
env:
  WHO: user
-- home/.ucas/teams/backend/ucas.yaml --
name: backend-squad
env:
  WHO: team
  TEAM: kept
members:
  karel:
    agent: php-master
    mods: [git-mod, debug-mod]
    task: "Mend the tests."
    env:
      WHO: member
  pepa:
    agent: sql-guru
-- home/.ucas/agents/php-master/ucas.yaml --
env:
  WHO: agent
-- home/.ucas/agents/git-mod/PROMPT.md --
Commit.
-- home/.ucas/agents/debug-mod/ucas.yaml --
env:
  WHO: mod
-- home/.ucas/agents/sql-guru/PROMPT.md --
SQL.
-- project/.ucas/ucas.yaml --
env:
  PROJECT: kept
`

// TestTeam: the team's level stands between user and project, the member's
// after the mods (R6); agent and mods are the member's own.
func TestTeam(t *testing.T) {
	o := layers(t, team)
	o.Team, o.Member = "backend", "karel"
	r, err := engine.Assemble(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	var levels []string
	for _, l := range r.Levels {
		levels = append(levels, l.Level.String())
	}
	want := []string{
		"system", "user", "team backend", "project", "agent php-master", "mod git-mod", "mod debug-mod", "member karel",
		"acli acli-x", "system override", "user override", "project override",
	}
	if !slices.Equal(levels, want) {
		t.Errorf("levels\n got %q\nwant %q", levels, want)
	}
	if got := r.Plan.Args(); !slices.Equal(got, []string{"x", "--session", "karel", "Mend the tests."}) {
		t.Errorf("arguments %q", got)
	}
	if got := r.Doc.Text("env.WHO"); got != "member" {
		t.Errorf("WHO is %q", got)
	}
	for _, name := range []string{"SYSTEM", "TEAM", "PROJECT"} {
		if r.Doc.Text("env."+name) != "kept" {
			t.Errorf("%s is lost", name)
		}
	}
	if r.Doc.Key("members") != nil || r.Doc.Key("name") != nil {
		t.Error("members and name are the team's, not configuration of the member")
	}
	if r.Plan.Agent != "php-master" || r.Plan.Team != "backend" || r.Plan.Member != "karel" {
		t.Errorf("agent %q, team %q, member %q", r.Plan.Agent, r.Plan.Team, r.Plan.Member)
	}
}

func TestUnknownMember(t *testing.T) {
	o := layers(t, team)
	o.Team, o.Member = "backend", "nobody"
	_, err := engine.Assemble(context.Background(), o)
	if err == nil || !strings.Contains(err.Error(), `no member "nobody"`) {
		t.Errorf("got %v", err)
	}
}

// TestTeamFaults: what a team says wrongly is told where it stands, and nothing
// else is.
func TestTeamFaults(t *testing.T) {
	for _, test := range []struct{ team, member, file, want string }{
		{"../x", "karel", "", `"../x" is no name for a team`},
		{"nowhere", "karel", "", `there is no team "nowhere"`},
		{"backend", "", "", "no member of team backend was named"},
		{"backend", "karel", "members: [karel]", "members must be a mapping"},
		{"backend", "karel", "members:\n  karel:\n    mods: [git-mod]", "names no agent"},
		{"backend", "karel", "members:\n  karel:\n    agent: null", "names no agent"},
		{"backend", "karel", "members:\n  karel:\n    agent: php-master\n    mods: git-mod", "must be a list of names"},
		{"backend", "karel", "members:\n  karel:\n    agent: php-master\n    mods: [1.5]", "is no name"},
		{"backend", "karel", "members:\n  karel:\n    agent: nowhere", `there is no agent "nowhere"`},
	} {
		o := layers(t, team)
		if test.file != "" {
			write(filepath.Dir(o.Home), "home/.ucas/teams/backend/ucas.yaml", test.file+"\n")
		}
		o.Team, o.Member = test.team, test.member
		_, err := engine.Assemble(context.Background(), o)
		if all := diag.All(err); len(all) != 1 || !strings.Contains(all[0].Message, test.want) {
			t.Errorf("%s: %v, want %s", test.file, all, test.want)
		}
	}
}

// TestCallersMods: mods that are asked for beside a member's are laid over its
// own, and the caller's list is left alone.
func TestCallersMods(t *testing.T) {
	o := layers(t, team)
	o.Team, o.Member = "backend", "karel"
	o.Mods = make([]string, 1, 8)
	o.Mods[0] = "git-mod"
	r, err := engine.Assemble(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"debug-mod", "git-mod"}; !slices.Equal(r.Plan.Mods, want) {
		t.Errorf("mods %q, want %q", r.Plan.Mods, want)
	}
	if all := o.Mods[:8]; all[1] != "" {
		t.Errorf("the caller's list is now %q", all)
	}
}

// TestWinnersStandInInputs: the span of each value in force lies in a file
// that was read, and covers what it says.
func TestWinnersStandInInputs(t *testing.T) {
	o := layers(t, team)
	o.Team, o.Member, o.Set = "backend", "karel", []string{"env.SET=1"}
	r, err := engine.Assemble(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	read := make(map[*source.File]bool)
	for _, l := range r.Levels {
		read[l.Config] = true
	}
	checked := 0
	for _, k := range r.Doc.Keys {
		for _, d := range k.Definitions {
			if d.Span.IsZero() || d.Span.End > len(d.Span.File.Text) {
				t.Errorf("%s: a span outside of its text", k.Name)
			}
			if d.Fate == merge.Set && d.Value.IsScalar() && !strings.Contains(d.Span.Text(), d.Value.Text) {
				t.Errorf("%s: the span covers %q, the value is %q", k.Name, d.Span.Text(), d.Value.Text)
			}
			if f := d.Span.File; f.Path == "" && !strings.HasPrefix(f.Name, "--set") && !isRead(read, f) {
				t.Errorf("%s comes from %s, which is no input", k.Name, f.Name)
			}
			checked++
		}
	}
	if checked < 10 {
		t.Errorf("only %d definitions", checked)
	}
}

// isRead compares by text: the parser makes a File of its own for what it is
// given.
func isRead(read map[*source.File]bool, f *source.File) bool {
	for r := range read {
		if r != nil && r.Name == f.Name && string(r.Text) == string(f.Text) {
			return true
		}
	}
	return false
}

// TestAssembleTwice: the same inputs give the same Plan.
func TestAssembleTwice(t *testing.T) {
	o := layers(t, team)
	o.Team, o.Member = "backend", "karel"
	var lines []string
	for range 5 {
		r, err := engine.Assemble(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, r.Plan.ShellLine(o.Environ)+r.Plan.Script(o.Environ, nil))
	}
	if len(slices.Compact(lines)) != 1 {
		t.Errorf("differing Plans: %q", lines)
	}
}

// TestAllProblemsAtOnce: broken files do not hide each other.
func TestAllProblemsAtOnce(t *testing.T) {
	o := layers(t, `
-- project/.ucas/ucas.yaml --
a: {b: c}
-- home/.ucas/ucas.yaml --
a: &x 1
-- system/agents/a/ucas.yaml --
	tab: 1
`)
	o.Agent, o.Mods = "a", []string{"nowhere"}
	r, err := engine.Assemble(context.Background(), o)
	var list diag.List
	if !errors.As(err, &list) || len(list) != 4 {
		t.Fatalf("problems: %v", list)
	}
	if r == nil || len(r.Levels) == 0 {
		t.Error("the result holds nothing of what was read")
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := engine.Assemble(ctx, layers(t, team)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
