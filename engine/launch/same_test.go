package launch_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ucas/engine/plan"
)

// hostile is a Plan whose every value would break a careless launcher.
func (w *world) hostile() *plan.Plan {
	p := w.plan("karel")
	p.Dir = w.path("p", "a b'c\"#{pid} ř;")
	must(w.t, os.MkdirAll(p.Dir, 0o755))
	p.Files, p.Dirs, p.Chdir = nil, nil, true
	values := []string{"", " ", "a b", `it's "so" \`, "$HOME", "$(touch x)", "`touch x`", "#{pid}", "#(touch x)", "%H",
		"-n", "--", "x;", ";", `x\;`, "!", "!!", "~", "*", "{a,b}", "&|<>", "two\nlines\n", "\t", "\x1b[31m", "\x01\x7f",
		"\xff\xfe", "žluť 🐎", "\u202e", "a=b", "[x]", "#", strings.Repeat("long ", 8000)}
	for _, v := range values {
		p.Argv = append(p.Argv, plan.Word{Text: v})
	}
	for i, v := range values {
		p.Env = append(p.Env, plan.Var{Name: "H_" + string(rune('A'+i%26)) + strings.Repeat("X", i/26), Value: v})
	}
	p.Env = append(p.Env, plan.Var{Name: "GONE", Unset: true})
	p.SearchPath.Dirs = []string{w.path("skills one"), w.path("skills'two")}
	return p
}

// TestSameLaunch compares what a harness gets from exec, from a tmux window,
// from a wrapper of the user's, and from the line that --dry-run prints.
func TestSameLaunch(t *testing.T) {
	w := newWorld(t)
	w.env = w.with("GONE=x", "CALLER=it's $HOME \"#{pid}\"\nand more", "EMPTY=", varHold+"=")
	w.tmux("new-session", "-d", "-s", "keep")
	p := w.hostile()

	line := exec.Command("sh", "-c", p.ShellLine(w.env))
	line.Dir, line.Env = w.root, w.env
	if out, err := line.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := w.waitReports(1)[0]
	if len(want.Argv) != len(p.Argv) || want.Dir != p.Dir {
		t.Fatalf("the line gives %d arguments in %s, want %d in %s", len(want.Argv), want.Dir, len(p.Argv), p.Dir)
	}

	for _, wrapper := range []plan.Wrapper{{Name: plan.WrapperExec}, {Name: plan.WrapperTmux},
		{Name: "mine", Argv: []string{"wrapper", "{script}"}}} {
		p.Wrapper = wrapper
		if wrapper.Name == plan.WrapperExec {
			if out := w.launcher(request{Plan: p}); out != nil {
				t.Errorf("exec: %s", out.Error)
			}
		} else {
			w.start(p)
		}
		got := w.waitReports(1)[0]
		if got.Dir != want.Dir || !slices.EqualFunc(got.Argv, want.Argv, slices.Equal) {
			t.Errorf("%s: directory %s, arguments %q\nwant %s, %q", wrapper.Name, got.Dir, got.Argv, want.Dir, want.Argv)
		}
		if g, w := plainEnv(got.Env), plainEnv(want.Env); !slices.Equal(g, w) {
			t.Errorf("%s: environment %q\nwant %q", wrapper.Name, g, w)
		}
	}
	if exists(filepath.Join(p.Dir, "x")) {
		t.Error("a value was run as a command")
	}
}

// launcher runs a launcher in a process of its own. It returns nil if the
// harness took that process over.
func (w *world) launcher(r request) *response {
	w.t.Helper()
	in, out := w.path("request"), w.path("response")
	os.Remove(out)
	must(w.t, writeGob(in, r))
	cmd := exec.Command(w.path("bin", "launcher"), in, out)
	cmd.Env = w.env
	if text, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("launcher: %v\n%s", err, text)
	}
	if !exists(out) {
		return nil
	}
	var got response
	must(w.t, readGob(out, &got))
	return &got
}

// plainEnv returns an environment without what terminals and shells set.
func plainEnv(env [][]byte) []string {
	var out []string
	for _, item := range env {
		name, _, _ := strings.Cut(string(item), "=")
		switch name {
		case "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "TMUX_PANE", "_", "SHLVL", "OLDPWD":
		default:
			out = append(out, string(item))
		}
	}
	slices.Sort(out)
	return out
}

// The server's environment is that of whoever started it.
func TestServersEnvironment(t *testing.T) {
	w := newWorld(t)
	cmd := exec.Command("tmux", "new-session", "-d", "-s", "keep", "-e", "LEAK_S=1")
	cmd.Env = w.with("LEAK=1", "CALLER=server", "EDITOR=ed")
	must(t, cmd.Run())
	w.start(w.plan("karel"), "CALLER=mine")
	env := w.waitReports(1)[0].Env
	var got []string
	for _, item := range env {
		for _, name := range []string{"LEAK", "CALLER", "EDITOR", "TMUX_PANE", "TERM=xterm", "TERM_PROGRAM="} {
			if strings.HasPrefix(string(item), name) {
				got = append(got, string(item))
			}
		}
	}
	slices.Sort(got)
	if want := []string{"CALLER=mine", "TERM_PROGRAM=tmux", "TMUX_PANE=%1"}; !slices.Equal(got, want) {
		t.Errorf("the harness has %q, want %q", got, want)
	}
}

func TestExecScriptWithoutInterpreter(t *testing.T) {
	w := newWorld(t)
	must(t, os.WriteFile(w.path("bin", "plain"), []byte("exec harness \"$@\"\n"), 0o755))
	w.env = w.with(varHold + "=")
	p := w.plan("karel")
	p.Argv[0].Text, p.Wrapper.Name = "plain", plan.WrapperExec
	if out := w.launcher(request{Plan: p}); out != nil {
		t.Fatal(out.Error)
	}
	if r := w.waitReports(1)[0]; r.Prompt != "You are karel.\n" || string(r.Argv[1]) != "--system" {
		t.Errorf("the harness got %q, prompt %q", r.Argv, r.Prompt)
	}
}

func TestExecFails(t *testing.T) {
	w := newWorld(t)
	must(t, os.WriteFile(w.path("bin", "broken"), []byte("#!/nowhere/sh\n"), 0o755))
	p := w.plan("karel")
	p.Argv[0].Text, p.Wrapper.Name = "broken", plan.WrapperExec
	out := w.launcher(request{Plan: p})
	if out == nil || !strings.Contains(out.Error, "bin/broken: no such file") {
		t.Errorf("the error is %+v", out)
	}
}
