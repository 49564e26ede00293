package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"ucas/engine"
	"ucas/engine/diag"
)

// showCmd is "ucas show".
type showCmd struct {
	Name string `arg:"" help:"An agent, a mod, a harness or a team."`
}

func (c *showCmd) run(p *program, g *global) error {
	l, err := p.listing(g)
	if err != nil {
		return err
	}
	entries, err := l.Find(c.Name)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(p.stdout)
	var problems diag.List
	for i, e := range entries {
		if i > 0 {
			fmt.Fprintln(out)
		}
		problems = append(problems, diag.All(showEntry(out, l, e))...)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return problems.Err()
}

// maxShown is how many lines of a prompt are shown: enough to know it again.
const maxShown = 12

// showEntry writes what there is to see of an entry. An error is about its
// configuration; the rest is shown all the same.
func showEntry(w io.Writer, l *engine.Listing, e *engine.Entry) error {
	node, config, err := l.Config(e)
	fmt.Fprintf(w, "%s: %s, %s layer\n", diag.Escape(e.Path), showKind(e), e.Layer)
	if e.Description != "" {
		fmt.Fprintf(w, "  %s\n", diag.Escape(e.Description))
	}
	fmt.Fprintf(w, "directory: %s\n", diag.Escape(e.ShownDir))
	for _, other := range l.Entries {
		if other.ShadowedBy == e.Entity {
			fmt.Fprintf(w, "shadows: %s\n", diag.Escape(other.ShownDir))
		}
	}
	if e.Executable != "" {
		fmt.Fprintf(w, "program: %s\n", diag.Escape(showProgram(l, e)))
	}
	if node != nil {
		showText(w, "ucas.yaml", withoutSecrets(string(config.Text), node), 0)
	}
	hooks, hooksErr := l.Hooks(e)
	if hooks != nil {
		lines := strings.Split(string(hooks.Text), "\n")
		for i, line := range lines {
			lines[i] = diag.HideLiterals(line)
		}
		showText(w, "ucas.star", strings.Join(lines, "\n"), maxShown)
	}
	prompt, promptErr := l.Prompt(e)
	if prompt != nil {
		showText(w, "PROMPT.md", string(prompt.Text), maxShown)
	}
	showSkills(w, l.Skills(e))
	return errors.Join(err, hooksErr, promptErr)
}

func showKind(e *engine.Entry) string {
	switch e.Kind {
	case engine.ACLI:
		return "harness (ACLI)"
	case engine.Team:
		return "team"
	}
	return "agent, or mod as +" + diag.Escape(e.Path)
}

func showProgram(l *engine.Listing, e *engine.Entry) string {
	if path := l.FindProgram(e); path != "" {
		return e.Executable + " (" + path + ")"
	}
	return e.Executable + " (not on PATH)"
}

// showText prints the lines of a file, all or as many as said.
func showText(w io.Writer, name, text string, limit int) {
	fmt.Fprintf(w, "%s:\n", name)
	lines := strings.Split(strings.TrimRight(text, " \t\r\n"), "\n")
	for i, line := range lines {
		if limit > 0 && i == limit {
			fmt.Fprintf(w, "  ... and %d lines more\n", len(lines)-limit)
			return
		}
		fmt.Fprintln(w, strings.TrimRight("  "+diag.Escape(strings.TrimSuffix(line, "\r")), " "))
	}
}

func showSkills(w io.Writer, dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return
	}
	fmt.Fprintf(w, "skills:\n")
	for _, e := range entries {
		fmt.Fprintf(w, "  %s\n", diag.Escape(e.Name()))
	}
}
