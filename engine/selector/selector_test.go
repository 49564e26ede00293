package selector_test

import (
	"strings"
	"testing"

	"ucas/engine/diag"
	"ucas/engine/merge"
	"ucas/engine/selector"
	"ucas/engine/source"
	"ucas/engine/yaml"
)

// A level is a role and its YAML.
type level struct {
	role source.Role
	name string
	text string
}

func fold(t *testing.T, levels []level) *merge.Doc {
	t.Helper()
	var sources []merge.Source
	for _, l := range levels {
		node, err := yaml.ParseMapping(l.role.String(), []byte(l.text))
		if err != nil {
			t.Fatal(err)
		}
		at := source.Level{Role: l.role, Name: l.name}
		sources = append(sources, merge.Source{Level: at, Tree: node})
	}
	doc, err := merge.Fold(sources)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// find knows acli-a to acli-c and group/acli-c, and an agent that is none.
func find(name string) (selector.ACLI, error) {
	switch name {
	case "acli-a", "acli-b", "acli-c":
		return selector.ACLI{Name: name, Dir: "/" + name, Runs: true}, nil
	case "group/acli-c":
		return selector.ACLI{Name: name, Dir: "/acli-c", Runs: true}, nil
	case "agent":
		return selector.ACLI{Name: name, Dir: "/agent"}, nil
	}
	return selector.ACLI{}, diag.Errorf("there is no ACLI %q in any layer", name)
}

func TestChoose(t *testing.T) {
	const (
		user, project, agent, mod        = source.User, source.Project, source.Agent, source.Mod
		commandLine, veto, systemDefault = source.CommandLine, source.ProjectOverride, source.System
	)
	for _, test := range []struct {
		what   string
		levels []level
		want   string   // the name, or "error: " and a part of it
		steps  []string // parts of the steps' lines, in order
		warns  string
	}{
		{"a veto needs no permission", []level{{user, "", "allowed_acli: [acli-a]"}, {veto, "", "override_acli: acli-b"}},
			"acli-b", []string{"1 override_acli of project override: acli-b: chosen"}, ""},
		{"a veto beats an executable", []level{{mod, "acli-a", "executable: a"}, {veto, "", "override_acli: acli-b"}}, "acli-b", nil, ""},
		{"a veto that nobody defines", []level{{veto, "", "override_acli: acli-x"}}, "error: override_acli of project override says acli-x, but there is no ACLI", nil, ""},
		{"a veto that is no harness", []level{{veto, "", "override_acli: agent"}}, "error: agent is no harness", nil, ""},
		{"an executable in the stack", []level{{user, "", "allowed_acli: [acli-a]"}, {mod, "acli-a", "executable: a"}},
			"acli-a", []string{"1 override_acli: not set", "2 executable of mod acli-a: acli-a: chosen"}, ""},
		{"an executable that is not allowed", []level{{user, "", "allowed_acli: [acli-b]"}, {mod, "acli-a", "executable: a"}},
			"acli-a", nil, "acli-a is used although it is not in allowed_acli"},
		{"the last executable of the stack", []level{{agent, "acli-a", "executable: a"}, {mod, "acli-b", "executable: b"}}, "acli-b", nil, "not in allowed_acli"},
		{"an entity's executable before that of the command line", []level{{mod, "acli-a", "executable: a"}, {commandLine, "", "executable: mine"}}, "acli-a", nil, "not in"},
		{"an entity's executable before that of a veto", []level{{mod, "acli-a", "executable: a"}, {veto, "", "executable: mine"}}, "acli-a", nil, "not in"},
		{"an executable of no entity", []level{{project, "", "executable: mine"}}, "", []string{"1 ", "2 executable of project: chosen"}, "executable is set by project itself"},
		{"an executable that is unset", []level{{systemDefault, "", "executable: x"}, {project, "", "executable: null\nallowed_acli: [acli-a]"}}, "acli-a", []string{"1 ", "2 executable in the configuration: not set"}, ""},
		{"an entity's executable that is unset", []level{{user, "", "allowed_acli: [acli-b]"}, {mod, "acli-a", "executable: x"}, {mod, "y", "executable: null"}}, "acli-b", nil, ""},
		{"the agent's wish", []level{{user, "", "allowed_acli: [acli-a, acli-b]\ndefault_acli: acli-a"}, {agent, "x", "default_acli: acli-b"}},
			"acli-b", []string{"1 ", "2 ", "3 default_acli of agent x: acli-b: chosen, it is in allowed_acli"}, ""},
		{"a wish that is not allowed", []level{{user, "", "allowed_acli: [acli-b, acli-a]\ndefault_acli: acli-a"}, {agent, "x", "default_acli: acli-c"}},
			"acli-a", []string{"1 ", "2 ", "3 default_acli of agent x: acli-c: passed over", "4 default_acli of user: acli-a: chosen"}, ""},
		{"a wish that is not allowed need not exist", []level{{user, "", "allowed_acli: [acli-a]"}, {agent, "x", "default_acli: nowhere"}}, "acli-a", nil, ""},
		{"a wish that is a slip away", []level{{user, "", "allowed_acli: [acli-claude, acli-a]"}, {agent, "x", "default_acli: acli-cluade"}, {mod, "y", "default_acli: acli-a"}}, "acli-a", nil, ""},
		{"a wish that is a slip away and passed over", []level{{user, "", "allowed_acli: [acli-a]"}, {agent, "x", "default_acli: acil-a"}}, "acli-a", nil, "acil-a is passed over"},
		{"the strongest wish first", []level{{user, "", "allowed_acli: [acli-a, acli-b, acli-c]"}, {agent, "x", "default_acli: acli-a"},
			{mod, "y", "default_acli: acli-b"}, {veto, "", "default_acli: acli-c"}}, "acli-c", nil, ""},
		{"null ends the wishes", []level{{user, "", "allowed_acli: [acli-a, acli-b]\ndefault_acli: acli-b"}, {agent, "x", "default_acli: null"}},
			"acli-a", []string{"1 ", "2 ", "3 default_acli of agent x: not set, null unsets", "5 first of allowed_acli: acli-a: chosen"}, ""},
		{"the first allowed", []level{{systemDefault, "", "allowed_acli: [acli-c]"}, {user, "", "allowed_acli: [acli-b]"}}, "acli-b", nil, ""},
		{"the first allowed is not defined", []level{{user, "", "allowed_acli: [nowhere, acli-a]"}}, "error: first of allowed_acli says nowhere, but there is no ACLI", nil, ""},
		{"allowed by a qualified name", []level{{user, "", "allowed_acli: [acli-a, group/acli-c]"}, {agent, "x", "default_acli: acli-c"}}, "acli-c", nil, ""},
		{"wished by a qualified name", []level{{user, "", "allowed_acli: [acli-a, acli-c]"}, {agent, "x", "default_acli: group/acli-c"}}, "group/acli-c", nil, ""},
		{"nothing allowed", []level{{agent, "x", "default_acli: acli-a"}}, "error: no harness (ACLI) can be chosen\n  1 override_acli: not set\n" +
			"  2 executable in the configuration: not set\n  3 default_acli of agent x: acli-a: passed over, it is not in allowed_acli (agent:1:15)\n" +
			"  5 first of allowed_acli: not set", []string{"1 ", "2 ", "3 ", "5 ", "6 "}, ""},
		{"an empty list allowed", []level{{project, "", "allowed_acli: []"}}, "error: no harness", nil, ""},
	} {
		t.Run(test.what, func(t *testing.T) {
			choice, warnings, err := selector.Choose(selector.Options{
				Doc: fold(t, test.levels), Find: find,
				Asked: func(source int) string { return test.levels[source].name },
			})
			checkError(t, err, test.want)
			if err == nil && choice.Name != test.want {
				t.Errorf("chose %q, want %q", choice.Name, test.want)
			}
			for i, want := range test.steps {
				if i >= len(choice.Steps) || !strings.HasPrefix(choice.Steps[i].String(), want) {
					t.Errorf("steps %v, want %q as number %d", choice.Steps, want, i)
				}
			}
			if got := messages(warnings); !strings.Contains(got, test.warns) || test.warns == "" && got != "" {
				t.Errorf("warnings %q, want %q", got, test.warns)
			}
		})
	}
}

func checkError(t *testing.T, err error, want string) {
	t.Helper()
	message, isError := strings.CutPrefix(want, "error: ")
	switch {
	case err != nil && !isError:
		t.Error(err)
	case isError && (err == nil || !strings.Contains(diag.All(err)[0].Message, message)):
		t.Errorf("error %v, want %s", err, message)
	case isError && diag.All(err)[0].Hint == "" && !strings.Contains(message, "there is no"):
		t.Error("the error has no hint")
	}
}

func messages(problems diag.List) string {
	var all []string
	for _, p := range problems {
		all = append(all, p.Message)
	}
	return strings.Join(all, "\n")
}

func TestChooseModel(t *testing.T) {
	const mapping = "model_mapping:\n  big: opus\n  \"1.5\": one\n  gone: null\n"
	for _, test := range []struct {
		what, text, want, warns string
	}{
		{"nothing asked, no mapping", "a: 1", "", ""},
		{"nothing asked, no default", mapping, "", ""},
		{"nothing asked, a default", mapping + "  default: sonnet", "sonnet", ""},
		{"asked and mapped", mapping + "  default: sonnet\nrequested_model: big", "opus", ""},
		{"asked as a number", mapping + "requested_model: 1.5", "one", ""},
		{"asked, not mapped, a default", mapping + "  default: sonnet\nrequested_model: small", "sonnet", ""},
		{"mapped to null is not mapped", mapping + "  default: sonnet\nrequested_model: gone", "sonnet", ""},
		{"asked, not mapped, no default", mapping + "requested_model: small", `error: acli-x has no mapping for the model "small"`, ""},
		{"asked, no mapping at all", "requested_model: small", `error: acli-x has no mapping for the model "small"`, ""},
		{"unknown is ignored", mapping + "requested_model: small\nignore_unknown: yes", "", "no model is passed"},
		{"unknown is not ignored", mapping + "requested_model: small\nignore_unknown: no", "error: acli-x has no mapping", ""},
	} {
		t.Run(test.what, func(t *testing.T) {
			doc := fold(t, []level{{source.User, "", test.text}})
			m, warnings, err := selector.ChooseModel(doc, "acli-x", nil)
			checkError(t, err, test.want)
			if err == nil && m.Passed != test.want {
				t.Errorf("passed %q, want %q", m.Passed, test.want)
			}
			if got := messages(warnings); !strings.Contains(got, test.warns) || test.warns == "" && got != "" {
				t.Errorf("warnings %q, want %q", got, test.warns)
			}
			if len(m.Steps) == 0 {
				t.Error("no steps")
			}
		})
	}
}
