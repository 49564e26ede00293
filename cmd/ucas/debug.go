package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"ucas/engine"
	"ucas/engine/diag"
	"ucas/engine/merge"
	"ucas/engine/plan"
	"ucas/engine/script"
	"ucas/engine/selector"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// writeDebug tells how a session was assembled: for every level the file that was
// read and what became of each key, then the skills, and each step of the
// decisions. After an error it tells what there is.
func writeDebug(w io.Writer, r *engine.Result) {
	b := bufio.NewWriter(w)
	defer b.Flush()
	for i, l := range r.Levels {
		debugLevel(b, r, i, l)
	}
	if r.Choice != nil {
		debugSteps(b, "harness (ACLI)", r.Choice.Steps)
	}
	if r.Model != nil {
		debugSteps(b, "model", r.Model.Steps)
	}
	debugCommand(b, r)
	if r.Plan != nil && len(r.Plan.SearchPath.Dirs) > 0 {
		fmt.Fprintln(b, "PATH")
		for _, dir := range r.Plan.SearchPath.Dirs {
			fmt.Fprintf(b, "  %s\n", diag.Escape(dir))
		}
	}
}

// debugCommand tells what layer hooks made of the command.
func debugCommand(w io.Writer, r *engine.Result) {
	if r.Plan == nil {
		return
	}
	title := "command\n"
	for _, h := range r.Hooks {
		made := madeBy(r.Plan, h)
		if len(made) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s  %s (%s): %s", title, diag.Escape(h.String()), diag.Escape(h.Span.Position().String()), diag.Escape(strings.Join(made, " ")))
		if reads := readNames(h.Reads); len(reads) > 0 {
			fmt.Fprintf(w, "; after reading %s", diag.Escape(strings.Join(reads, ", ")))
		}
		fmt.Fprintln(w)
		title = ""
	}
}

// madeBy returns the words, variables and files of a Plan that a hook made, and
// its wrapper.
func madeBy(p *plan.Plan, h *merge.Hook) []string {
	var made []string
	for _, word := range p.Argv {
		if word.From.Hook == h && word.From.Key == h.Name {
			made = append(made, plan.ShellWord(word.Text))
		}
	}
	for _, v := range p.Env {
		if v.From.Hook == h && v.From.Key == h.Name {
			made = append(made, v.Name+"="+value("env."+v.Name, tree.NewString(v.Value, v.From.Span)))
		}
	}
	for _, f := range p.Files {
		if name, ok := p.HookFile(f); ok && h.Name == script.Command {
			made = append(made, "file "+name)
		}
	}
	if p.Wrapper.From.Hook == h {
		for _, arg := range p.Wrapper.Argv {
			made = append(made, plan.ShellWord(arg))
		}
	}
	return made
}

func debugLevel(w io.Writer, r *engine.Result, index int, l *engine.Level) {
	number := "  "
	if l.Number > 0 {
		number = fmt.Sprintf("%2d", l.Number)
	}
	fmt.Fprintf(w, "%s %s: %s\n", number, diag.Escape(l.Level.String()), diag.Escape(levelFile(r, l)))
	if l.LeftOut != "" {
		fmt.Fprintf(w, "     left out: %s\n", diag.Escape(l.LeftOut))
	}
	if l.Skills != "" {
		fmt.Fprintf(w, "     skills found in %s\n", diag.Escape(r.ShowPath(l.Skills)))
	}
	if r.Doc == nil {
		return
	}
	for _, key := range r.Doc.Keys {
		for _, d := range key.Definitions {
			if d.Source == index {
				debugDefinition(w, key.Name, d)
			}
		}
	}
}

// levelFile says what files a level was read from.
func levelFile(r *engine.Result, l *engine.Level) string {
	var files []string
	for _, f := range []*source.File{l.Config, l.Hooks} {
		if f != nil {
			files = append(files, f.Name)
		}
	}
	if len(files) == 0 && l.ConfigPath != "" {
		return r.ShowPath(l.ConfigPath) + " (not there)"
	}
	return strings.Join(files, ", ")
}

// debugDefinition tells one thing that a level says, whose value it replaced,
// and what became of it.
func debugDefinition(w io.Writer, name string, d *merge.Definition) {
	for _, part := range d.Path {
		name += "." + part
	}
	fmt.Fprintf(w, "     %s = %s", diag.Escape(name), value(name, d.Value))
	switch position := d.Span.Position(); {
	case d.Hook != nil:
		fmt.Fprintf(w, " (%s, %s)", d.Hook.Name, diag.Escape(position.String()))
	case position.Line > 0:
		fmt.Fprintf(w, " (line %d)", position.Line)
	}
	var facts []string
	if d.Replaced != nil {
		facts = append(facts, "replaces that of "+d.Replaced.Level.String())
	}
	if reads := readNames(d.Reads); len(reads) > 0 {
		facts = append(facts, "after reading "+strings.Join(reads, ", "))
	}
	if d.Fate != merge.Set {
		facts = append(facts, strings.TrimSuffix(d.Fate.String()+", "+d.Why(), ", "))
	}
	if len(facts) > 0 {
		fmt.Fprintf(w, ": %s", diag.Escape(strings.Join(facts, "; ")))
	}
	fmt.Fprintln(w)
}

// readNames lists what a hook read, each once: env CI (not set), get task.
func readNames(reads []*merge.Read) []string {
	var names []string
	for _, r := range reads {
		name := r.Op + " " + r.Name
		if r.Value == nil && r.Op != "load" {
			name += " (not set)"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func debugSteps(w io.Writer, title string, steps []selector.Step) {
	fmt.Fprintln(w, title)
	for _, s := range steps {
		fmt.Fprintf(w, "  %s\n", diag.Escape(s.String()))
	}
}
