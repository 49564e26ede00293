// Package plan turns a merged configuration and the choice of a harness into
// a [Plan]: everything that a launch does, as data. [Build] is the function to
// start with.
//
// Each command renders, compares or launches a Plan; nothing else builds a
// command line. The package starts nothing and writes nothing.
package plan

import (
	"path/filepath"

	"ucas/engine/diag"
	"ucas/engine/merge"
	"ucas/engine/source"
)

// A Plan is one session, ready to be launched.
type Plan struct {
	// Agent and Mods are the names as they were asked for, Team and Member
	// those of the team that the session belongs to, if any.
	Agent        string
	Mods         []string
	Team, Member string

	// Session names the session: its window and its files in .ucas/tmp.
	Session string
	// Dir is the directory in which the harness runs, an absolute path.
	Dir string
	// Chdir says that Dir is not the directory that ucas was started in.
	Chdir bool

	// ACLI is the name of the harness's definition, Binary where its program
	// was found; "" if it was not.
	ACLI, Binary string
	// Model is the name that is passed to the harness, or "".
	Model string

	// Argv is the command, the program first.
	Argv []Word
	// Env holds the changes to the environment, sorted by name, PATH not
	// among them: see SearchPath.
	Env []Var
	// SearchPath is what PATH becomes.
	SearchPath SearchPath

	// Skills are the directories of skills, in the order in which they are
	// passed to the harness.
	Skills []Skill
	// Prompt is the merged prompt.
	Prompt Prompt

	// Files are written, and Dirs made, before the harness starts. Their
	// paths are absolute and lie below Dir/.ucas.
	Files []File
	Dirs  []string
	// FilesDir is where those of the files are that the harness's command hook
	// asked for. What else a launch wrote there is of an earlier one.
	FilesDir string

	// Wrapper starts the command.
	Wrapper Wrapper

	// Warnings are what the user should know, in the order of the stages.
	Warnings diag.List
}

// A Word is one argument of the command.
type Word struct {
	Text string
	// From is what put the word there. Where a mapping put a value into it,
	// ValueFrom is where that comes from; else it is zero.
	From, ValueFrom Origin
}

// A Var is a change of one environment variable.
type Var struct {
	Name string
	// Value is what it is set to, unless Unset removes it.
	Value string
	Unset bool
	// From is what sets it. Where env_mapping put a value into it, ValueFrom
	// is where that comes from; else it is zero.
	From, ValueFrom Origin
}

// An Origin says where a part of the Plan comes from.
type Origin struct {
	// Key is the configuration key, "arg_mapping.prompt_file" for one, or
	// another word for what has no key ("command line").
	Key string
	// Span is the definition in force; it may be zero.
	Span source.Span
	// Hook is the layer hook that computed it, nil for what stands in a file.
	Hook *merge.Hook
}

// SearchPath says how PATH is made: the Dirs, then the rest.
type SearchPath struct {
	// Dirs are put in front, the first to be searched first.
	Dirs []string
	// Fixed says that the configuration sets or removes PATH itself: Rest
	// is then its value, and the caller's PATH does not count.
	Fixed bool
	Rest  string
	// From is the definition of a fixed PATH.
	From Origin
}

// A Skill is one directory of skills.
type Skill struct {
	Dir  string
	From Origin
}

// A Prompt is what the harness is told first.
type Prompt struct {
	// File is where the merged text is written; "" if there is no prompt.
	File string
	Text string
	// Parts are the pieces of Text, in order.
	Parts []PromptPart
}

// A PromptPart is the text of one PROMPT.md in the merged prompt.
type PromptPart struct {
	// Entity is the agent or mod, Span the text in its file.
	Entity string
	Span   source.Span
	// FirstLine and LastLine are its lines in the merged text, from 1.
	FirstLine, LastLine int
}

// A File is to be written, readable by its owner alone.
type File struct {
	Path string
	Text string
	// Link, if it is set, makes it a symbolic link to that path.
	Link string
}

// HookFile returns the name of a file below FilesDir; ok is false for those that
// no command hook asked for.
func (p *Plan) HookFile(f File) (name string, ok bool) {
	name, err := filepath.Rel(p.FilesDir, f.Path)
	return name, err == nil && filepath.IsLocal(name)
}

// The wrappers that need no definition.
const (
	WrapperTmux = "tmux" // a window of its own
	WrapperExec = "exec" // in place, in this terminal
)

// WrapperHook stands for the wrapper that a layer hook makes.
const WrapperHook = "wrapper()"

// A Wrapper starts the command of a Plan.
type Wrapper struct {
	// Name is WrapperTmux, WrapperExec, or that of a definition; it is
	// WrapperHook for what a layer hook returned.
	Name string
	// Argv is the command of any other wrapper, with {name}, {script} and
	// {dir} still to be put in.
	Argv []string
	From Origin
}

// Args returns the command as plain strings.
func (p *Plan) Args() []string {
	args := make([]string, len(p.Argv))
	for i, w := range p.Argv {
		args[i] = w.Text
	}
	return args
}
