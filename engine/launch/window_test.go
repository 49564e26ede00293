package launch_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ucas/engine/launch"
	"ucas/engine/plan"
)

func TestWindow(t *testing.T) {
	w := newWorld(t)
	s := w.start(w.plan("karel"))
	if s.Name != "karel" || s.Wrapper != "tmux" || s.TmuxSession != "ucas-api" || s.Target != "ucas-api:karel" || s.Ended {
		t.Errorf("the session is %+v", s)
	}
	got := w.tmux("display-message", "-p", "-t", s.Pane, strings.Join([]string{
		"#{window_id}", "#{@ucas_session}", "#{@ucas_project}", "#{@ucas_agent}", "#{@ucas_acli}", "#{@ucas_model}",
		"#{automatic-rename}", "#{allow-rename}", "#{session_path}", "#{pane_start_command}"}, "|"))
	want := strings.Join([]string{s.Window, "karel", w.dir, "php-master", "claude", "opus",
		"0", "0", w.dir, `/bin/sh ` + w.dir + `/.ucas/tmp/karel.sh`}, "|")
	if got != want {
		t.Errorf("the window has\n%s\nwant\n%s", got, want)
	}
	if r := w.waitReports(1)[0]; r.Dir != w.dir || r.Prompt != "You are karel.\n" {
		t.Errorf("the harness runs in %s with the prompt %q", r.Dir, r.Prompt)
	}
	if files := tmpFiles(t, w.dir); !slices.Equal(files, []string{".gitignore", ".lock", "karel.merged.md"}) {
		t.Errorf(".ucas/tmp holds %q", files)
	}

	// What lived through its grace closes its window when it ends.
	w.release()
	w.start(w.plan("pepa"))
	waitFor(t, "the window to close", func() bool { return slices.Equal(w.windows(), []string{"ucas-api:pepa"}) })
}

func TestWindowNames(t *testing.T) {
	w := newWorld(t)
	touched := filepath.Join(w.dir, "touched")
	names := []string{"a.b", "a:b", "a b", "#(touch touched)", "#{pid}", "#[fg=red]x", "##", "100%H", `q"'$`,
		"=x", "-n", "žluťoučký 🐎", "x;", "@1", "{last}", "+", "!", "$0", "~", "*"}
	p := w.plan("first")
	p.Dir = filepath.Join(w.root, "p", "we:ird.#{pid} ř")
	must(t, os.Mkdir(p.Dir, 0o755))
	for _, name := range names {
		p := planIn(p.Dir, name)
		// Not to wait for each harness, it is only watched for a moment.
		o := w.options()
		o.Grace = 1
		s, err := launch.Start(context.Background(), p, nil, o)
		must(t, err)
		if got := w.tmux("display-message", "-p", "-t", s.Pane, "#{window_name}|#{@ucas_session}"); got != name+"|"+name {
			t.Errorf("the window of %q is %q", name, got)
		}
		if got := w.tmux("display-message", "-p", "-t", s.Target, "#{pane_id}"); got != s.Pane {
			t.Errorf("%q is not the window of %q", s.Target, name)
		}
		if s.TmuxSession != "ucas-we_ird___pid__ř" {
			t.Errorf("the tmux session is %q", s.TmuxSession)
		}
	}
	if exists(touched) || exists(filepath.Join(p.Dir, "touched")) {
		t.Error("a name was run as a command")
	}
}

func TestTakenNames(t *testing.T) {
	w := newWorld(t)
	var got []string
	for range 3 {
		got = append(got, w.start(w.plan("karel")).Name)
	}
	// The windows of the user's count, and scripts that wait to be run.
	w.tmux("new-window", "-d", "-t", "ucas-api:", "-n", "pepa")
	got = append(got, w.start(w.plan("pepa")).Name)
	must(t, os.WriteFile(filepath.Join(w.dir, ".ucas/tmp/jana.sh"), nil, 0o600))
	o := w.options()
	o.Now = nil
	s, err := launch.Start(context.Background(), w.plan("jana"), replan(w.dir), o)
	must(t, err)
	if !strings.HasPrefix(s.Name, "jana-2") {
		t.Errorf("a script that waits was written over: %s", s.Name)
	}
	// So does a window of this project in another session.
	w.tmux("rename-session", "-t", "ucas-api", "mine")
	got = append(got, w.start(w.plan("karel")).Name)
	want := []string{"karel", "karel-20261120-170405", "karel-20261120-170405-2", "pepa-20261120-170405", "karel-20261120-170405-3"}
	if !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	_, err = launch.Start(context.Background(), w.plan("karel"), nil, w.options())
	wantProblem(t, err, "a session named karel runs already")
	for _, r := range w.waitReports(6) {
		prompt := string(r.Argv[2])
		name := strings.TrimSuffix(filepath.Base(prompt), ".merged.md")
		if r.Prompt != "You are "+name+".\n" {
			t.Errorf("the prompt in %s is %q", prompt, r.Prompt)
		}
	}
}

// The members of a team are started one after another, and watched meanwhile.
func TestStarted(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	o.Grace = time.Hour
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var wait sync.WaitGroup
	for _, name := range []string{"karel", "pepa", "jana"} {
		started := make(chan launch.Session)
		o.Started = func(s launch.Session) { started <- s }
		wait.Go(func() { launch.Start(ctx, w.plan(name), nil, o) })
		if s := <-started; s.Name != name || w.tmux("display-message", "-p", "-t", s.Pane, "#{window_name}") != name {
			t.Errorf("%s was started as %+v", name, s)
		}
	}
	cancel()
	wait.Wait()
}

func TestConcurrentStarts(t *testing.T) {
	const n = 50
	w := newWorld(t)
	names := make([]string, n)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			s, err := launch.Start(context.Background(), w.plan("karel"), replan(w.dir), w.options())
			if err != nil {
				t.Errorf("start %d: %v", i, err)
				return
			}
			names[i] = s.Name
		})
	}
	wait.Wait()
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != n {
		t.Errorf("names are not unique: %q", names)
	}
	var windows []string
	for _, name := range names {
		windows = append(windows, "ucas-api:"+name)
	}
	slices.Sort(windows)
	if got := w.windows(); !slices.Equal(got, windows) {
		t.Errorf("windows %q, want %q", got, windows)
	}
	prompts := make(map[string]bool)
	for _, r := range w.waitReports(n) {
		name := strings.TrimSuffix(filepath.Base(string(r.Argv[2])), ".merged.md")
		if prompts[name] || r.Prompt != "You are "+name+".\n" {
			t.Errorf("the prompt of %s is %q", name, r.Prompt)
		}
		prompts[name] = true
	}
	waitFor(t, "the scripts to remove themselves", func() bool {
		scripts, _ := filepath.Glob(filepath.Join(w.dir, ".ucas/tmp/*.sh"))
		return len(scripts) == 0
	})
}

func TestProjectsOfOneName(t *testing.T) {
	const n = 8
	w := newWorld(t)
	homes := make([]string, n)
	var wait sync.WaitGroup
	for i := range n {
		dir := w.path(fmt.Sprint("q", i), "api")
		must(t, os.MkdirAll(dir, 0o755))
		wait.Go(func() {
			for range 2 {
				s, err := launch.Start(context.Background(), planIn(dir, "karel"), replan(dir), w.options())
				if err != nil {
					t.Errorf("start in %s: %v", dir, err)
					return
				}
				if homes[i] != "" && homes[i] != s.TmuxSession {
					t.Errorf("%s has the sessions %s and %s", dir, homes[i], s.TmuxSession)
				}
				homes[i] = s.TmuxSession
			}
		})
	}
	wait.Wait()
	slices.Sort(homes)
	if len(slices.Compact(slices.Clone(homes))) != n {
		t.Errorf("projects share sessions: %q", homes)
	}
	if !slices.Contains(homes, "ucas-api") {
		t.Errorf("none has the plain name: %q", homes)
	}
}

// A server whose last session is closed goes while we start.
func TestEndingServer(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	o.Grace = 1
	for range 8 {
		_, err := launch.Start(context.Background(), w.plan("karel"), nil, o)
		must(t, err)
		waitFor(t, "the script to start", func() bool { return !exists(filepath.Join(w.dir, ".ucas/tmp/karel.sh")) })
		w.tmux("kill-session", "-t", "ucas-api")
	}
}

func TestStrangersSession(t *testing.T) {
	w := newWorld(t)
	w.tmux("new-session", "-d", "-s", "ucas-api")
	s := w.start(w.plan("karel"))
	if !strings.HasPrefix(s.TmuxSession, "ucas-api-") {
		t.Errorf("the window is in %s, which is somebody else's", s.TmuxSession)
	}
}

func TestEarlyDeath(t *testing.T) {
	w := newWorld(t)
	keep := w.start(w.plan("keep"))
	for _, test := range []struct {
		name, exit, print string
		status            int
		lines             []string
		want              string
	}{
		{"status", "3", "one\n\n\x1b[31mtwo\x1b[0m\nno key\n", 3, []string{"one", "two", "no key"},
			"claude of session status ended with status 3"},
		{"long", "1", strings.Repeat("y\n", 300) + strings.Repeat("x", 200), 1,
			append(slices.Repeat([]string{"y"}, 19), strings.Repeat("x", 200)), "with status 1"},
		{"silent", "7", "", 7, nil, "and printed nothing"},
		{"signal", "signal", "bye", 137, []string{"bye"}, "with status 137 (killed)"},
		{"well", "0", "2.0.1\n", 0, []string{"2.0.1"}, ""},
	} {
		o := w.options(varHold+"=", varExit+"="+test.exit, varPrint+"="+test.print)
		o.Grace = patience
		s, err := launch.Start(context.Background(), w.plan(test.name), nil, o)
		if test.want == "" {
			must(t, err)
		} else {
			wantProblem(t, err, test.want)
		}
		if s == nil || !s.Ended || s.ExitStatus != test.status || !slices.Equal(s.LastLines, test.lines) {
			t.Errorf("%s: the session is %+v", test.name, s)
		}
		if got := w.windows(); !slices.Equal(got, []string{"ucas-api:keep"}) {
			t.Errorf("%s: the windows are %q", test.name, got)
		}
	}
	if got := w.tmux("show-options", "-w", "-t", keep.Window); strings.Contains(got, "remain") {
		t.Errorf("the window's options are still those of the watch:\n%s", got)
	}
}

// A script that cannot go to its directory, or finds no program any more, is
// an early death too, and goes with its secrets.
func TestEarlyDeathOfScript(t *testing.T) {
	w := newWorld(t)
	p := w.plan("karel")
	p.Argv[0].Text = w.path("bin", "broken")
	must(t, os.WriteFile(p.Argv[0].Text, []byte("#!/nowhere/sh\n"), 0o755))
	o := w.options()
	o.Grace = patience
	_, err := launch.Start(context.Background(), p, nil, o)
	wantProblem(t, err, "with status 127")
	if exists(filepath.Join(w.dir, ".ucas/tmp/karel.sh")) {
		t.Error("the script is still there")
	}
}

func TestCancel(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := launch.Start(ctx, w.plan("karel"), nil, w.options())
	if err == nil || exists(filepath.Join(w.dir, ".ucas")) {
		t.Errorf("cancelled before it began: error %v", err)
	}

	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	o := w.options()
	o.Grace = patience
	done := make(chan error)
	go func() {
		_, err := launch.Start(ctx, w.plan("karel"), nil, o)
		done <- err
	}()
	w.waitReports(1)
	cancel()
	if err := <-done; err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("cancelled while watched: error %v", err)
	}
	if got := w.windows(); !slices.Equal(got, []string{""}) {
		t.Errorf("it left %q", got)
	}
}

func TestWindowClosedInGrace(t *testing.T) {
	w := newWorld(t)
	w.tmux("new-session", "-d", "-s", "other")
	for _, end := range []string{"kill-session -t ucas-api", "kill-server"} {
		o := w.options()
		o.Grace = patience
		done := make(chan error)
		go func() {
			_, err := launch.Start(context.Background(), w.plan("karel"), nil, o)
			done <- err
		}()
		w.waitReports(1)
		w.tmux(strings.Fields(end)...)
		wantProblem(t, <-done, "the window of karel was closed")
	}
}

func TestNothingToLaunch(t *testing.T) {
	w := newWorld(t)
	onlyBin := "PATH=" + w.path("bin")
	tests := []struct {
		name  string
		spoil func(p *plan.Plan)
		env   string
		want  string
	}{
		{"no tmux", func(p *plan.Plan) {}, onlyBin, "tmux is not on PATH"},
		{"no program", func(p *plan.Plan) { p.Argv[0].Text = "claude-x" }, onlyBin, "there is no program claude-x on PATH"},
		{"no such path", func(p *plan.Plan) { p.Argv[0].Text = "./claude-x" }, "", "there is no program " + w.dir + "/claude-x"},
		{"no program for exec", func(p *plan.Plan) {
			p.Argv[0].Text = "claude-x"
			p.Wrapper.Name = plan.WrapperExec
		}, onlyBin, "there is no program claude-x on PATH"},
		{"not executable", func(p *plan.Plan) { p.Argv[0].Text = "/etc/passwd" }, "", "may not be run"},
		{"name", func(p *plan.Plan) { p.Session = "../x" }, "", "cannot name a session"},
	}
	for _, test := range tests {
		p := w.plan("karel")
		test.spoil(p)
		_, err := launch.Start(context.Background(), p, nil, w.options(test.env))
		wantProblem(t, err, test.want)
		if exists(filepath.Join(w.dir, ".ucas")) {
			t.Errorf("%s: something was written", test.name)
		}
	}
}

func TestServerErrors(t *testing.T) {
	w := newWorld(t)
	must(t, os.WriteFile(w.path("file"), nil, 0o600))
	_, err := launch.Start(context.Background(), w.plan("karel"), nil, w.options("TMUX_TMPDIR="+w.path("file")))
	wantProblem(t, err, "Not a directory")
	if exists(filepath.Join(w.dir, ".ucas/tmp/karel.sh")) {
		t.Error("the script is still there")
	}
	_, err = launch.Start(context.Background(), w.plan("karel"), nil, w.options("TMUX="+w.path("gone")+",1,0", "TMUX_PANE=%0"))
	wantProblem(t, err, "is gone")
	w.start(w.plan("karel"))
	_, err = launch.Start(context.Background(), w.plan("pepa"), nil,
		w.options("TMUX="+w.tmux("display-message", "-p", "#{socket_path},1,0"), "TMUX_PANE=%0"))
	wantProblem(t, err, "is gone")
}
