package plan

import (
	"os"
	"os/exec"
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
	for _, step := range []func(){
		b.session, b.skills, b.prompt, b.collect, b.environment, b.command, b.binary, b.wrapper, b.ignored,
	} {
		step()
	}
	return b.plan, b.problems.Err()
}

// A builder holds the state of one Build.
type builder struct {
	Input
	plan     *Plan
	values   [numInputs][]string
	problems diag.List
}

func (b *builder) fail(p *diag.Problem) { b.problems = append(b.problems, p) }

func (b *builder) warn(p *diag.Problem) { b.plan.Warnings = append(b.plan.Warnings, p) }

// artifact returns the path of a file that the session leaves in .ucas/tmp.
func (b *builder) artifact(ending string) string {
	return filepath.Join(b.Dir, ".ucas", "tmp", b.Session+ending)
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
		dirs[i] = absolute(item.Text, item.Dir)
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
		b.plan.Skills = append(b.plan.Skills, Skill{Dir: dirs[i], From: Origin{"skills of " + item.Level.String(), item.Span}})
	}
}

func absolute(path, dir string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// binary finds the program on the PATH that it is launched with.
func (b *builder) binary() {
	if len(b.plan.Argv) == 0 {
		return
	}
	b.plan.Binary = findProgram(b.plan.Argv[0].Text, b.Dir, b.plan.SearchPath.join(lookup(b.Environ, "PATH")))
}

// FindProgram returns the path of a program on an environment's PATH, "" if
// there is none. A name with a slash is relative to the directory.
func FindProgram(program, dir string, environ []string) string {
	return findProgram(program, dir, lookup(environ, "PATH"))
}

func findProgram(program, dir, path string) string {
	if strings.Contains(program, "/") {
		return executable(absolute(program, dir))
	}
	for _, d := range filepath.SplitList(path) {
		if found := executable(filepath.Join(absolute(d, dir), program)); found != "" {
			return found
		}
	}
	return ""
}

func executable(path string) string {
	if _, err := exec.LookPath(path); err != nil {
		return ""
	}
	return path
}

// MissingProgram returns the problem that the harness's program was not found,
// nil if it was.
func (p *Plan) MissingProgram() *diag.Problem {
	if p.Binary != "" || len(p.Argv) == 0 {
		return nil
	}
	program := p.Argv[0].Text
	problem := diag.At(p.Argv[0].From.Span, "the program %q of %s is not on PATH", program, p.ACLI).
		WithHint("install it, or choose another harness with +NAME or default_acli")
	if strings.ContainsAny(program, " \t") {
		problem.Hint = "executable names one program; put its arguments under args:"
	} else if strings.Contains(program, "/") {
		problem.Message = "there is no program " + program + " for " + p.ACLI
	}
	return problem
}
