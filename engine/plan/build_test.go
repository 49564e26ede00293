package plan

import (
	"testing"

	"ucas/engine/source"
	"ucas/engine/yaml"
)

// TestExpand pins down what an input can be mapped to (R16), and that each word
// knows whether the value is in it.
func TestExpand(t *testing.T) {
	for mapping, want := range map[string][]string{
		`"--flag"`:              {"--flag", "*VALUE"},
		`"--flag={}"`:           {"*--flag=VALUE"},
		`"{}"`:                  {"*VALUE"},
		`"{}:{}"`:               {"*VALUE:VALUE"},
		`[--add, --dir]`:        {"--add", "--dir", "*VALUE"},
		`[--add, "{}"]`:         {"--add", "*VALUE"},
		`["-c", "a={}", "b"]`:   {"-c", "*a=VALUE", "b"},
		`["{}", "--twice={}",]`: {"*VALUE", "*--twice=VALUE"},
		`[]`:                    {"*VALUE"},
	} {
		node, err := yaml.Parse("mapping", []byte(mapping))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range expand(node, value{"VALUE", Origin{Key: "here"}}) {
			mark := ""
			if w.ValueFrom.Key == "here" {
				mark = "*"
			}
			got = append(got, mark+w.Text)
		}
		if len(got) != len(want) {
			t.Errorf("%s: %q, want %q", mapping, got, want)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: %q, want %q", mapping, got, want)
			}
		}
	}
}

// TestPrompt pins down how prompts are joined (R18), and that each part knows
// its lines.
func TestPrompt(t *testing.T) {
	b := &builder{plan: &Plan{}, Input: Input{Dir: "/p", Session: "s"}}
	for i, text := range []string{"One.\nTwo. \n\n", "  \n\t", "\uFEFFThree.\r\n", "", "Four."} {
		b.Prompts = append(b.Prompts, PromptSource{
			Entity: string(rune('a' + i)), File: source.NewFile("PROMPT.md", []byte(text)),
		})
	}
	b.prompt()
	p := b.plan.Prompt
	if want := "One.\nTwo.\n\n---\n\nThree.\n\n---\n\nFour.\n"; p.Text != want {
		t.Errorf("prompt %q, want %q", p.Text, want)
	}
	want := []PromptPart{{Entity: "a", FirstLine: 1, LastLine: 2}, {Entity: "c", FirstLine: 6, LastLine: 6}, {Entity: "e", FirstLine: 10, LastLine: 10}}
	for i, part := range p.Parts {
		if i >= len(want) || part.Entity != want[i].Entity || part.FirstLine != want[i].FirstLine || part.LastLine != want[i].LastLine {
			t.Errorf("part %d: %s, lines %d to %d", i, part.Entity, part.FirstLine, part.LastLine)
		}
	}
	if p.File != "/p/.ucas/tmp/s.merged.md" || len(b.plan.Files) != 1 {
		t.Errorf("file %q, files %v", p.File, b.plan.Files)
	}
}

// TestNoPrompt: nothing to say, no file and no argument.
func TestNoPrompt(t *testing.T) {
	b := &builder{plan: &Plan{}, Input: Input{Prompts: []PromptSource{{Entity: "a", File: source.NewFile("PROMPT.md", []byte(" \n"))}}}}
	b.prompt()
	if b.plan.Prompt.File != "" || len(b.plan.Files) != 0 {
		t.Errorf("a prompt of nothing: %+v", b.plan.Prompt)
	}
}

// TestEnviron: the last of a name counts, what is unset goes, PATH is made.
func TestEnviron(t *testing.T) {
	p := &Plan{
		Dir: "/p", Env: []Var{{Name: "A", Value: "new"}, {Name: "B", Unset: true}},
		SearchPath: SearchPath{Dirs: []string{"/s2", "/s1"}},
	}
	base := []string{"A=1", "B=2", "C=3", "C=4", "PATH=/bin", "broken", "PWD=/elsewhere"}
	got := p.Environ(base)
	want := map[string]string{"A": "new", "C": "4", "PATH": "/s2:/s1:/bin", "PWD": "/p"}
	if len(got) != len(want) {
		t.Errorf("environment %q", got)
	}
	for name, value := range want {
		if Getenv(got, name) != value {
			t.Errorf("%s=%q, want %q", name, Getenv(got, name), value)
		}
	}
	p.SearchPath.Fixed, p.SearchPath.Rest = true, "/fixed"
	if path := Getenv(p.Environ(base), "PATH"); path != "/s2:/s1:/fixed" {
		t.Errorf("PATH is %q", path)
	}
	p.SearchPath = SearchPath{Fixed: true}
	if path := Getenv(p.Environ(base), "PATH"); path != "" {
		t.Errorf("PATH that was removed is %q", path)
	}
}
