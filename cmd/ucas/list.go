package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf16"

	"ucas/engine"
	"ucas/engine/diag"
	"ucas/engine/source"
)

// listCmd is "ucas list".
type listCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// listing lists the layers, and prints what is odd about them.
func (p *program) listing(g *global) (*engine.Listing, error) {
	o, err := p.options(g)
	if err != nil {
		return nil, err
	}
	l, err := engine.List(o)
	if err != nil {
		return nil, err
	}
	p.warn(l.Warnings...)
	return l, nil
}

func (c *listCmd) run(p *program, g *global) error {
	l, err := p.listing(g)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(p.stdout)
	if c.JSON {
		err = listJSON(out, l)
	} else {
		listText(out, l)
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return err
	}
	return p.broken(l)
}

// broken reports the definitions that could not be read, after all others
// were listed.
func (p *program) broken(l *engine.Listing) error {
	var problems diag.List
	for _, e := range l.Entries {
		problems = append(problems, diag.All(e.Err)...)
	}
	return problems.Err()
}

var listKinds = []struct {
	kind  engine.Kind
	title string
}{
	{engine.AgentOrMod, "agents and mods"},
	{engine.ACLI, "harnesses (ACLIs)"},
	{engine.Team, "teams"},
}

func listText(w io.Writer, l *engine.Listing) {
	for _, layer := range []source.Layer{source.ProjectLayer, source.UserLayer, source.SystemLayer} {
		root := l.Roots[layer]
		if root == "" {
			continue
		}
		fmt.Fprintf(w, "%s layer: %s\n", layer, diag.Escape(l.ShowPath(root)))
		for _, k := range listKinds {
			listKind(w, l, layer, k.kind, k.title)
		}
	}
}

func listKind(w io.Writer, l *engine.Listing, layer source.Layer, kind engine.Kind, title string) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, e := range l.Entries {
		if e.Layer != layer || e.Kind != kind {
			continue
		}
		if title != "" {
			fmt.Fprintf(table, "  %s\n", title)
			title = ""
		}
		if text := about(e); text != "" {
			fmt.Fprintf(table, "    %s\t%s\n", diag.Escape(e.Path), diag.Escape(text))
		} else {
			fmt.Fprintf(table, "    %s\n", diag.Escape(e.Path))
		}
	}
	table.Flush()
}

// about is what a listing says of an entry besides its name.
func about(e *engine.Entry) string {
	var parts []string
	if e.Err != nil {
		parts = append(parts, "(broken)")
	}
	if e.Ambiguous {
		parts = append(parts, "(one of several of this name)")
	}
	if e.ShadowedBy != nil {
		parts = append(parts, "(shadowed by the "+e.ShadowedBy.Layer.String()+" layer's)")
	}
	if e.Executable != "" {
		parts = append(parts, "runs "+e.Executable+";")
	}
	return strings.TrimRight(strings.Join(append(parts, e.Description), " "), "; ")
}

// listing and listed are the shape of list --json.
type listing struct {
	Layers  map[string]string `json:"layers"`
	Entries []listed          `json:"entries"`
}

type listed struct {
	Name        string `json:"name"`
	Path        string `json:"path"`
	Kind        string `json:"kind"` // agent (which can be a mod too), acli, team
	Layer       string `json:"layer"`
	Dir         string `json:"dir"`
	Ambiguous   bool   `json:"ambiguous,omitempty"` // the layer has several of this name
	Shadowed    bool   `json:"shadowed"`
	ShadowedBy  string `json:"shadowed_by,omitempty"` // a directory
	Description string `json:"description,omitempty"`
	Executable  string `json:"executable,omitempty"`
	Error       string `json:"error,omitempty"`
}

func listJSON(w io.Writer, l *engine.Listing) error {
	out := listing{Layers: map[string]string{}, Entries: []listed{}}
	for layer, root := range l.Roots {
		if root != "" {
			out.Layers[layer.String()] = root
		}
	}
	for _, e := range l.Entries {
		out.Entries = append(out.Entries, entryJSON(e))
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, inertJSON(string(text)))
	return err
}

// inertJSON writes the characters that could drive a terminal, and that JSON
// allows as they are, as the escapes that mean the same.
func inertJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < 0x7f || unicode.IsGraphic(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

func entryJSON(e *engine.Entry) listed {
	out := listed{
		Name: e.Name, Path: e.Path, Kind: e.Kind.String(), Layer: e.Layer.String(), Dir: e.Dir,
		Description: e.Description, Executable: e.Executable, Ambiguous: e.Ambiguous,
	}
	if e.ShadowedBy != nil {
		out.Shadowed, out.ShadowedBy = true, e.ShadowedBy.Dir
	}
	if e.Err != nil {
		out.Error = e.Err.Error()
	}
	return out
}
