package plan

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"ucas/engine/diag"
	"ucas/engine/merge"
	"ucas/engine/selector"
	"ucas/engine/source"
)

// Input is what a Plan is built from.
type Input struct {
	// Doc is the merged configuration, the chosen harness's level in it.
	Doc *merge.Doc
	// ACLI is the harness's name, Model the model that was chosen for it.
	ACLI  string
	Model *selector.Model

	// Agent, Mods, Team, Member, Session, Dir and Chdir are as in a Plan.
	Agent        string
	Mods         []string
	Team, Member string
	Session      string
	Dir          string
	Chdir        bool

	// Memory is the name of the agent's directory of memory.
	Memory string
	// Prompts are the PROMPT.md files, in order.
	Prompts []PromptSource
	// Extra are arguments for the harness, from the command line.
	Extra []string
	// Environ is the caller's environment: its PATH finds the program.
	Environ []string
	// IsDir reports whether there is a directory at a path.
	IsDir func(path string) bool

	// Command is the harness's layer hook that builds its command, nil if it
	// has none. Wraps are those that put something around it, the weakest
	// first. Launcher returns the one that a definition of the key wrapper
	// stands for, nil if it stands for none.
	Command  *Hook
	Wraps    []*Hook
	Launcher func(d *merge.Definition) *Hook
}

// A PromptSource is one PROMPT.md and whose it is.
type PromptSource struct {
	Entity string
	File   *source.File
}

// Build makes the Plan. The error is a diag.List; the Plan then holds what
// could be made.
func Build(in Input) (*Plan, error) {
	b := &builder{Input: in, plan: &Plan{
		Agent: in.Agent, Mods: in.Mods, Team: in.Team, Member: in.Member,
		Session: in.Session, Dir: in.Dir, Chdir: in.Chdir,
		ACLI: in.ACLI, Model: in.Model.Passed,
	}}
	b.plan.FilesDir = b.filesDir()
	for _, step := range []func(){
		b.session, b.skills, b.prompt, b.collect, b.environment, b.command, b.wrap, b.binary, b.wrapper, b.ignored,
	} {
		step()
	}
	return b.plan, b.problems.Err()
}

// A builder holds the state of one Build.
type builder struct {
	Input
	plan     *Plan
	values   [numInputs][]value
	problems diag.List
}

func (b *builder) fail(p *diag.Problem) { b.problems = append(b.problems, p) }

func (b *builder) warn(p *diag.Problem) { b.plan.Warnings = append(b.plan.Warnings, p) }

// artifact returns the path of a file that the session leaves in .ucas/tmp.
func (b *builder) artifact(ending string) string {
	return filepath.Join(b.Dir, source.ProjectDir, source.TmpDir, b.Session+ending)
}

// session checks the session's name: files are named after it.
func (b *builder) session() {
	const longest = 100 // bytes; a file's name has room for 255, with its ending
	name := b.Session
	switch {
	case strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r == utf8.RuneError || !unicode.IsPrint(r) }),
		name == "", name[0] == '.', len(name) > longest:
		b.fail(diag.Errorf("%q cannot name a session, for files are named after it", name).
			WithHint("choose another with --name: at most %d bytes that print, no slash, no dot at the start", longest))
	}
}

// skills lists the directories of skills, each once: where one comes twice,
// its last place counts, since later ones come first in PATH.
func (b *builder) skills() {
	key := b.Doc.Key("skills")
	if key == nil {
		return
	}
	last := make(map[string]int)
	dirs := make([]string, len(key.Items))
	for i, item := range key.Items {
		dirs[i] = Absolute(item.Text, item.Dir)
		last[dirs[i]] = i
	}
	for i, item := range key.Items {
		if last[dirs[i]] != i {
			continue
		}
		if !item.Span.IsZero() && !b.IsDir(dirs[i]) {
			b.fail(diag.At(item.Span, "there is no directory of skills %s", dirs[i]).
				WithHint("a path under skills is relative to the file that lists it: make the directory, or mend the path"))
			continue
		}
		if strings.ContainsRune(dirs[i], os.PathListSeparator) {
			b.fail(diag.At(item.Span, "the directory of skills %s has a %q in its name, which PATH cannot hold", dirs[i], os.PathListSeparator).
				WithHint("rename the directory"))
			continue
		}
		b.plan.Skills = append(b.plan.Skills, Skill{Dir: dirs[i], From: origin("skills of "+item.Level.String(), item.Span, item.Definition)})
	}
}

// binary finds the program on the PATH that it is launched with.
func (b *builder) binary() {
	if program, err := b.plan.Program(b.Environ); err == nil {
		b.plan.Binary = program
	}
}
