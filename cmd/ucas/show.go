package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ucas/engine"
	"ucas/engine/diag"
)

// showCmd is "ucas show".
type showCmd struct {
	Name string `arg:"" help:"An agent, a mod, a harness or a team."`
}

func (c *showCmd) run(p *program, g *global) error {
	o, err := p.options(g)
	if err != nil {
		return err
	}
	l, err := engine.List(o)
	if err != nil {
		return err
	}
	p.warn(l.Warnings...)
	entries, err := l.Find(c.Name)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(p.stdout)
	for i, e := range entries {
		if i > 0 {
			fmt.Fprintln(out)
		}
		showEntry(out, l, e)
	}
	return out.Flush()
}

// maxShown is how many lines of a prompt are shown: enough to know it again.
const maxShown = 12

func showEntry(w io.Writer, l *engine.Listing, e *engine.Entry) {
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
	showFile(w, filepath.Join(e.Dir, "ucas.yaml"), 0)
	showFile(w, filepath.Join(e.Dir, "PROMPT.md"), maxShown)
	showSkills(w, filepath.Join(e.Dir, "skills"))
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

// showFile prints a file's lines, all or as many as said.
func showFile(w io.Writer, path string, limit int) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		fmt.Fprintf(w, "%s: %s\n", filepath.Base(path), diag.Escape(err.Error()))
		return
	}
	fmt.Fprintf(w, "%s:\n", filepath.Base(path))
	lines := strings.Split(strings.TrimRight(string(text), " \t\r\n"), "\n")
	for i, line := range lines {
		if limit > 0 && i == limit {
			fmt.Fprintf(w, "  ... and %d lines more\n", len(lines)-limit)
			return
		}
		fmt.Fprintf(w, "  %s\n", diag.Escape(strings.TrimSuffix(line, "\r")))
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
