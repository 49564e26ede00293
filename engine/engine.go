// Package engine assembles a session: it finds the definitions of an agent in
// three layers, merges them with their provenance, chooses the harness (ACLI)
// and the model, and makes the Plan of the launch.
//
// [Assemble] is the function to start with, and what a program calls that
// embeds ucas. It starts nothing: that is for package launch, or for whoever
// takes the Plan.
package engine

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"ucas/engine/diag"
	"ucas/engine/find"
	"ucas/engine/merge"
	"ucas/engine/plan"
	"ucas/engine/selector"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// Options say what to assemble, and from where. The engine reads no
// environment of its own.
type Options struct {
	// Dir is the working directory, an absolute path; its .ucas is the
	// project layer. ShownAs is what people see before its files: "" for
	// paths relative to it. Chdir says that it is not where the caller is.
	Dir, ShownAs string
	Chdir        bool
	// Home is the user's home directory: its .ucas is the user layer.
	Home string
	// SystemDir is the directory of the system layer. If it is empty,
	// DefaultSystemDir is taken if there is one, else Factory, which is
	// written once to a directory of CacheDir.
	SystemDir        string
	DefaultSystemDir string
	Factory          fs.FS
	CacheDir         string
	// Environ is the environment of the launch, "NAME=value" each.
	Environ []string

	// Agent and Mods are names of entities. With a Team and one of its Members,
	// an empty Agent is the member's own; Mods are then laid over its mods.
	Agent        string
	Mods         []string
	Team, Member string
	// Set are keys of the command line, "path.to.key=value in YAML" each.
	Set []string
	// Wrapper, if it is set, is the key wrapper of the command line.
	Wrapper string
	// Session is the session's name; empty, it is the member's or agent's.
	Session string
	// Extra are further arguments for the harness.
	Extra []string

	// Starlib is what layer hooks can load from @ucas//.
	Starlib fs.FS
	// TrustHooks evaluates all layer hooks in this process, where a hostile or
	// broken one can hang or kill it. Otherwise those that are not of the
	// factory library itself are evaluated in a child process of the same
	// program, whose main function must call [script.Main] first.
	TrustHooks bool
}

// A Result is an assembled session with everything that led to it. After an
// error it holds what could be made before.
type Result struct {
	// Levels are those of the sandwich, the weakest first.
	Levels []*Level
	// Doc is the merged configuration.
	Doc *merge.Doc
	// Choice and Model are the decisions on harness and model name.
	Choice *selector.Choice
	Model  *selector.Model
	Plan   *plan.Plan
	// Hooks are the layer hooks that were run, with what they read.
	Hooks []*merge.Hook
	// Printed is what they printed, notes with their places.
	Printed diag.List
	// Warnings are those of every stage.
	Warnings diag.List
	// Inputs are the paths that were read or looked for.
	Inputs []find.Input

	library *find.Library
}

// A Level is one level of the sandwich: what was read, and what it says.
type Level struct {
	find.Level
	// Tree is its configuration, nil if it has none.
	Tree *tree.Node
	// Path is where in the configuration Tree belongs, if it is not whole.
	Path []string
	// Skills is its own directory of skills, "" if it has none.
	Skills string
	// LeftOut says why its keys do not count, "" if they do.
	LeftOut string

	asked    string // the name by which an agent or mod was asked for
	isRunner bool   // it is that of the chosen harness
	placed   bool   // it was added when the harness was chosen
	hooks    layerHooks
}

// ShowPath returns a path as people would write it: relative to the directory,
// or with ~ for the home directory.
func (r *Result) ShowPath(path string) string {
	if r.library == nil {
		return path
	}
	return r.library.Show(path)
}

// Assemble makes the Plan of a session. The error is a diag.List (or wraps a
// diag.Problem): each entry names its place and the way out.
func Assemble(ctx context.Context, o Options) (*Result, error) {
	a := newAssembler(ctx, o)
	defer a.hooks.close()
	err := a.assemble(ctx)
	return a.result, err
}

func newAssembler(ctx context.Context, o Options) *assembler {
	a := &assembler{o: o, result: &Result{}, trees: make(map[string]*tree.Node), aclis: make(map[*find.Entity]*Level)}
	a.agent, a.wanted = o.Agent, slices.Clone(o.Mods)
	a.hooks = newHooks(ctx, a)
	return a
}

func (a *assembler) assemble(ctx context.Context) (err error) {
	for _, stage := range []func() error{a.open, a.gather, a.choose, a.merge, a.plan} {
		if err = ctx.Err(); err == nil {
			err = stage()
		}
		if err != nil {
			break
		}
	}
	if failure := a.hooks.finish(); failure != nil {
		err = errors.Join(err, failure)
	}
	if a.library != nil {
		a.result.Inputs = a.library.Inputs()
	}
	a.result.Warnings = a.warnings()
	return err
}

// warnings are those of every stage, in the order of the stages.
func (a *assembler) warnings() diag.List {
	var all diag.List
	if a.library != nil {
		all = append(all, a.library.Warnings...)
	}
	if a.result.Doc != nil {
		all = append(append(all, a.result.Doc.Warnings...), a.result.Doc.Slips()...)
	}
	return append(all, a.result.Warnings...)
}

// An assembler holds the state of one Assemble.
type assembler struct {
	o       Options
	result  *Result
	library *find.Library
	trees   map[string]*tree.Node   // by the path of the file
	aclis   map[*find.Entity]*Level // harnesses that were looked at
	prompts []plan.PromptSource
	hooks   *hooks
	folder  *merge.Folder // the last that the levels were added to
	agent   string        // the name, which may be a team member's
	wanted  []string      // the names of mods
	mods    []string      // those that are used
}

func (a *assembler) open() (err error) {
	if err := a.checkNames(); err != nil {
		return err
	}
	a.library, err = openLibrary(a.o)
	a.result.library = a.library
	return err
}

// checkNames refuses what can be no name before any file is touched.
func (a *assembler) checkNames() error {
	if a.o.Team != "" {
		if err := find.CheckName("team", a.o.Team); err != nil {
			return err
		}
	}
	if a.o.Team == "" || a.o.Agent != "" {
		if err := find.CheckName("agent", a.o.Agent); err != nil {
			return err
		}
	}
	for _, mod := range a.o.Mods {
		if err := find.CheckName("mod", mod); err != nil {
			return err
		}
	}
	return nil
}

func openLibrary(o Options) (*find.Library, error) {
	return find.Open(find.Options{
		Dir: o.Dir, ShownAs: o.ShownAs, Home: o.Home, SystemDir: o.SystemDir,
		DefaultSystemDir: o.DefaultSystemDir, Factory: o.Factory, CacheDir: o.CacheDir,
	})
}

// choose decides on the harness, from the whole sandwich.
func (a *assembler) choose() error {
	if err := a.fold(); err != nil {
		return err
	}
	choice, warnings, err := selector.Choose(selector.Options{Doc: a.result.Doc, Asked: a.asked, Find: a.acli})
	a.result.Choice = choice
	a.result.Warnings = append(a.result.Warnings, warnings...)
	return err
}

// asked returns the name by which the entity of a source was asked for, "" if
// the source is no entity.
func (a *assembler) asked(source int) string { return a.result.Levels[source].asked }

// merge folds the sandwich again with the chosen harness's level in it, and
// without what other harnesses in it say.
func (a *assembler) merge() error {
	chosenFrom := a.result.Doc
	if err := a.placeACLI(); err != nil {
		return err
	}
	if err := a.fold(); err != nil {
		return err
	}
	if err := a.checkSettled(chosenFrom); err != nil {
		return err
	}
	model, warnings, err := selector.ChooseModel(a.result.Doc, a.runnerName(), a.hooks.mappers())
	a.result.Model = model
	a.result.Warnings = append(a.result.Warnings, warnings...)
	return err
}

func (a *assembler) plan() error {
	agent := a.agentLevel()
	p, err := plan.Build(plan.Input{
		Doc: a.result.Doc, ACLI: a.runnerName(), Model: a.result.Model,
		Agent: a.agent, Mods: a.mods, Team: a.o.Team, Member: a.o.Member,
		Session: a.sessionName(agent.Entity), Dir: a.o.Dir, Chdir: a.o.Chdir,
		Memory: agent.Entity.Path, Prompts: a.prompts,
		Extra: a.o.Extra, Environ: a.o.Environ, IsDir: a.library.IsDir,
		Command: a.hooks.command(), Wraps: a.hooks.wraps(), Launcher: a.hooks.launcher,
	})
	a.result.Plan = p
	a.result.Warnings = append(a.result.Warnings, p.Warnings...)
	return err
}

func (a *assembler) sessionName(agent *find.Entity) string {
	switch {
	case a.o.Session != "":
		return a.o.Session
	case a.o.Member != "":
		return a.o.Member
	}
	return agent.Name
}

// fold merges the levels as they are now, and what their hooks compute. Where
// they were folded before, the hooks of a level run again if something weaker
// changed, or if they look at the choice that was made meanwhile.
func (a *assembler) fold() error {
	first := a.folder == nil
	a.folder = merge.NewFolder()
	defer func() { a.result.Doc = a.folder.Doc() }()
	var problems diag.List
	changed := false
	for i, l := range a.result.Levels {
		problems = append(problems, diag.All(a.folder.Add(a.fileOf(l, i)))...)
		changed = changed || !first && (l.LeftOut != "" || l.placed) || l.hooks.asksACLI
		if err := a.hooks.configure(a.folder, l, i, changed); err != nil {
			return append(problems, diag.All(err)...)
		}
	}
	return problems.Err()
}

// fileOf is what a level's own file says.
func (a *assembler) fileOf(l *Level, index int) *merge.Source {
	return &merge.Source{
		Level: l.Level.Level, Index: index, Dir: l.Dir, Tree: l.Tree, Path: l.Path, Skills: l.Skills, LeftOut: l.LeftOut,
	}
}

// checkSettled returns an error if hooks, now that they know the harness, say
// something else about which it is to be.
func (a *assembler) checkSettled(before *merge.Doc) error {
	for _, key := range []string{"override_acli", "default_acli", "allowed_acli", "executable"} {
		was, is := a.computed(before, key), a.computed(a.result.Doc, key)
		for i := range max(len(was), len(is)) {
			if old, now := at(was, i), at(is, i); !sameSaid(old, now) {
				return a.unsettled(key, old, now)
			}
		}
	}
	return nil
}

// at returns the definition at an index, nil past the end.
func at(list []*merge.Definition, i int) *merge.Definition {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// computed returns what hooks say about a key, but for those of harnesses:
// theirs did not count before, or do not any more.
func (a *assembler) computed(doc *merge.Doc, key string) []*merge.Definition {
	k := doc.Key(key)
	if k == nil {
		return nil
	}
	harness := func(d *merge.Definition) bool {
		return slices.ContainsFunc(a.result.Levels, func(l *Level) bool {
			return l.Level.Level == d.Level && (l.placed || l.LeftOut != "")
		})
	}
	return slices.DeleteFunc(slices.Clone(k.Definitions), func(d *merge.Definition) bool {
		swaps := key == "executable" && !d.Level.Role.IsEntity() // it changes the program, not the harness
		return d.Hook == nil || d.Fate == merge.Refused || swaps || harness(d)
	})
}

// sameSaid reports whether two definitions say the same, if there are any.
func sameSaid(a, b *merge.Definition) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Level == b.Level && slices.Equal(a.Path, b.Path) && tree.Equal(a.Value, b.Value)
}

func (a *assembler) unsettled(key string, old, now *merge.Definition) error {
	said := func(d *merge.Definition) string {
		if d == nil {
			return "not set"
		}
		return d.Value.Describe()
	}
	either := cmp.Or(now, old)
	return diag.At(either.Span, "the choice of the harness does not settle: in %s, %s is %s before %s is chosen, and %s after",
		either.Level.String(), key, said(old), a.runnerName(), said(now)).
		WithHint("let no hook compute %s from the harness, or from what the harness sets", key)
}

func (a *assembler) agentLevel() *Level {
	for _, l := range a.result.Levels {
		if l.Role == source.Agent {
			return l
		}
	}
	return nil
}
