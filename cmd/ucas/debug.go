package main

import (
	"bufio"
	"fmt"
	"io"

	"ucas/engine"
	"ucas/engine/diag"
	"ucas/engine/merge"
	"ucas/engine/selector"
)

// writeDebug tells how a session was assembled: for every level the file that was
// read and what became of each key, then the skills, and each step of the
// decisions. After an error it tells what there is.
func writeDebug(w io.Writer, r *engine.Result) {
	b := bufio.NewWriter(w)
	defer b.Flush()
	for _, l := range r.Levels {
		debugLevel(b, r.Doc, l)
	}
	if r.Choice != nil {
		debugSteps(b, "harness (ACLI)", r.Choice.Steps)
	}
	if r.Model != nil {
		debugSteps(b, "model", r.Model.Steps)
	}
	if r.Plan != nil {
		fmt.Fprintln(b, "PATH")
		for _, dir := range r.Plan.SearchPath.Dirs {
			fmt.Fprintf(b, "  %s\n", diag.Escape(dir))
		}
	}
}

func debugLevel(w io.Writer, doc *merge.Doc, l *engine.Level) {
	number := "  "
	if l.Number > 0 {
		number = fmt.Sprintf("%2d", l.Number)
	}
	fmt.Fprintf(w, "%s %s: %s\n", number, diag.Escape(l.Level.String()), diag.Escape(levelFile(l)))
	if l.LeftOut != "" {
		fmt.Fprintf(w, "     left out: %s\n", diag.Escape(l.LeftOut))
	}
	if l.Skills != "" {
		fmt.Fprintf(w, "     skills found in %s\n", diag.Escape(l.Skills))
	}
	if doc == nil {
		return
	}
	for _, key := range doc.Keys {
		for i, d := range key.Definitions {
			if d.Level == l.Level.Level {
				debugDefinition(w, key, i)
			}
		}
	}
}

// levelFile says what file a level was read from.
func levelFile(l *engine.Level) string {
	switch {
	case l.Config != nil:
		return l.Config.Name
	case l.ConfigPath != "":
		return l.ConfigPath + " (not there)"
	}
	return ""
}

// debugDefinition tells one thing that a level says, what became of it, and
// whose value it replaced.
func debugDefinition(w io.Writer, key *merge.Key, i int) {
	d := key.Definitions[i]
	name := key.Name
	for _, part := range d.Path {
		name += "." + part
	}
	fmt.Fprintf(w, "     %s = %s", diag.Escape(name), value(name, d.Value))
	if line := d.Span.Position().Line; line > 0 {
		fmt.Fprintf(w, " (line %d)", line)
	}
	switch {
	case d.Fate != merge.Set:
		fmt.Fprintf(w, ": %s", d.Fate)
		if d.Reason != "" {
			fmt.Fprintf(w, ", %s", diag.Escape(d.Reason))
		}
	default:
		if old := replaced(key.Definitions[:i]); old != nil {
			fmt.Fprintf(w, ": replaces that of %s", diag.Escape(old.Level.String()))
		}
	}
	fmt.Fprintln(w)
}

// replaced returns the definition that was in force after those given.
func replaced(before []*merge.Definition) *merge.Definition {
	for i := len(before) - 1; i >= 0; i-- {
		if f := before[i].Fate; f == merge.Shadowed || f == merge.Merged {
			return before[i]
		}
	}
	return nil
}

func debugSteps(w io.Writer, title string, steps []selector.Step) {
	fmt.Fprintln(w, title)
	for _, s := range steps {
		fmt.Fprintf(w, "  %s\n", diag.Escape(s.String()))
	}
}
