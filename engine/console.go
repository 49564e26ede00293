package engine

import (
	"context"
	"slices"
	"strings"

	"ucas/engine/diag"
	"ucas/engine/merge"
	"ucas/engine/script"
	"ucas/engine/source"
)

// A Console evaluates Starlark that a person types, as a layer hook of an
// assembly would: it is for trying hooks. [OpenConsole] makes one.
type Console struct {
	// Result is the assembly, as far as it could be made.
	Result *Result
	// Problem is why it could not be made whole, nil if it could.
	Problem error
	// Level is the one whose ctx is there.
	Level *Level

	a      *assembler
	run    *run
	broken bool // the evaluator is at a limit
}

// OpenConsole assembles a session and stops at a level of its sandwich, given
// by its name ("project", "git-mod", "project override"): ctx is then what
// configure of that level is given, its own file merged already. With no level
// ctx is that of the strongest one, after everything was merged, and cannot
// set anything. Hooks that fail are no obstacle: see Console.Problem. With an
// error, the Console is good for Printed alone.
func OpenConsole(ctx context.Context, o Options, level string) (*Console, error) {
	c := &Console{a: newAssembler(ctx, o)}
	c.Problem = c.a.assemble(ctx)
	c.Result = c.a.result
	if c.a.folder == nil { // the files could not be read
		c.Close()
		return c, c.Problem
	}
	index, err := c.find(level)
	if err != nil {
		c.Close()
		return c, err
	}
	c.Level = c.Result.Levels[index]
	c.run = &run{level: c.Level, index: index, folder: c.a.folder, hook: &merge.Hook{Name: "eval", Level: c.Level.Level.Level}}
	if level != "" {
		c.run.writable = true
		if c.run.folder, err = c.a.foldTo(index); err != nil {
			c.Close()
			return c, err
		}
	}
	return c, nil
}

// find returns the index of the level that a name means.
func (c *Console) find(name string) (int, error) {
	levels := c.Result.Levels
	if name == "" {
		return len(levels) - 1, nil
	}
	var names []string
	for i, l := range slices.Backward(levels) {
		full := l.Level.Level.String()
		if name == full || name == l.Level.Level.Name || name == strings.ReplaceAll(full, " ", "-") {
			return i, nil
		}
		names = append(names, full)
	}
	slices.Reverse(names)
	return 0, diag.Errorf("there is no level %q in this assembly", name).
		WithHint("the levels are: %s", strings.Join(names, ", "))
}

// foldTo merges the levels below one and what their hooks computed, and the
// file of that level.
func (a *assembler) foldTo(index int) (*merge.Folder, error) {
	folder := merge.NewFolder()
	var problems diag.List
	for i, l := range a.result.Levels[:index+1] {
		problems = append(problems, diag.All(folder.Add(a.fileOf(l, i)))...)
		if i < index {
			problems = append(problems, diag.All(l.replay(folder, i))...)
		}
	}
	return folder, problems.Err()
}

// Eval evaluates an expression or statements and returns the printed form of
// the value, "" if there is none. Names that it sets are there for the next
// text. The names of the level's own hook file are there too.
func (c *Console) Eval(text string) (string, error) {
	h := c.a.hooks
	h.world.begin(c.run)
	defer h.world.end()
	evaluator, err := c.evaluator()
	if err != nil {
		return "", err
	}
	scope := c.Level.Hooks
	if c.Level.hooks.defined == nil {
		scope = nil // it could not be executed
	}
	shown, err := evaluator.Eval(source.NewFile("<eval>", []byte(text)), scope)
	h.tell(c.run.said)
	c.run.said = nil
	c.broken = evaluator.Spent()
	return shown, err
}

// Lost reports whether the last text reached a limit: the names that were set
// are gone then.
func (c *Console) Lost() bool { return c.broken }

// Printed returns what was printed and warned of since the last call.
func (c *Console) Printed() diag.List {
	out := append(c.Result.Printed, c.Result.Warnings...)
	c.Result.Printed, c.Result.Warnings = nil, nil
	return out
}

// Close ends it.
func (c *Console) Close() { c.a.hooks.close() }

func (c *Console) evaluator() (script.Evaluator, error) {
	h := c.a.hooks
	h.world.size, h.world.reads, h.world.read, h.world.spent = 0, 0, 0, 0
	if c.a.o.TrustHooks {
		if h.local != nil && h.local.Spent() {
			h.local = nil
		}
		return h.here(), nil
	}
	if h.process != nil && h.process.Spent() {
		h.process.Close()
		h.process = nil
	}
	return h.inProcess()
}
