package launch_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ucas/engine/launch"
	"ucas/engine/plan"
)

const (
	testGrace = 300 * time.Millisecond
	patience  = 20 * time.Second
)

// A world is a project, a tmux server of its own, and programs to launch.
type world struct {
	t       *testing.T
	root    string // short: a socket's path may have a hundred bytes
	dir     string // of the project
	reports string
	hold    string // the fifo that harnesses wait for
	env     []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Fatal("these tests need tmux 3.3 or newer, please install it: ", err)
	}
	root, err := os.MkdirTemp("/tmp", "ucas")
	if err != nil {
		t.Fatal(err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: root, dir: filepath.Join(root, "p", "api"),
		reports: filepath.Join(root, "reports"), hold: filepath.Join(root, "hold")}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{w.dir, w.reports, w.path("bin"), w.path("home"), w.path("s"), w.path("other"), w.path("cover")} {
		must(t, os.MkdirAll(dir, 0o755))
	}
	for _, name := range []string{"harness", "launcher", "wrapper"} {
		must(t, os.Symlink(self, w.path("bin", name)))
	}
	must(t, syscall.Mkfifo(w.hold, 0o600))
	w.env = []string{
		"PATH=" + w.path("bin") + ":" + os.Getenv("PATH"),
		"HOME=" + w.path("home"), "SHELL=/bin/sh", "TMUX_TMPDIR=" + w.path("s"), "TERM=xterm-256color",
		varReports + "=" + w.reports, varHold + "=" + w.hold,
		"GOCOVERDIR=" + w.path("cover"), // else one with coverage prints a warning
		"GORACE=atexit_sleep_ms=0",      // else a harness with the race detector ends late
	}
	t.Cleanup(func() {
		for _, dir := range []string{"s", "other"} {
			cmd := exec.Command("tmux", "kill-server")
			cmd.Env = w.with("TMUX_TMPDIR=" + w.path(dir))
			cmd.Run()
		}
		os.RemoveAll(root)
	})
	return w
}

func (w *world) path(elem ...string) string {
	return filepath.Join(append([]string{w.root}, elem...)...)
}

// with returns the caller's environment with changes.
func (w *world) with(items ...string) []string {
	return append(slices.Clone(w.env), items...)
}

// plan returns a Plan that runs the harness in a tmux window.
func (w *world) plan(session string) *plan.Plan {
	return planIn(w.dir, session)
}

func planIn(dir, session string) *plan.Plan {
	prompt := filepath.Join(dir, ".ucas", "tmp", session+".merged.md")
	return &plan.Plan{
		Agent: "php-master", Session: session, Dir: dir, ACLI: "claude", Model: "opus",
		Argv:    []plan.Word{{Text: "harness"}, {Text: "--system"}, {Text: prompt}},
		Prompt:  plan.Prompt{File: prompt, Text: "You are " + session + ".\n"},
		Files:   []plan.File{{Path: prompt, Text: "You are " + session + ".\n"}},
		Dirs:    []string{filepath.Join(dir, ".ucas", "mem", "php-master")},
		Wrapper: plan.Wrapper{Name: plan.WrapperTmux},
	}
}

// replan returns how the Plans of a directory are made for other names.
func replan(dir string) launch.Replan {
	return func(session string) (*plan.Plan, error) { return planIn(dir, session), nil }
}

func (w *world) options(items ...string) launch.Options {
	return launch.Options{Environ: w.with(items...), Grace: testGrace, Now: func() time.Time {
		return time.Date(2026, 11, 20, 17, 4, 5, 0, time.UTC)
	}}
}

// start launches a Plan that must start.
func (w *world) start(p *plan.Plan, items ...string) *launch.Session {
	w.t.Helper()
	s, err := launch.Start(context.Background(), p, replan(p.Dir), w.options(items...))
	if err != nil {
		w.t.Fatalf("Start: %v", err)
	}
	return s
}

// tmux runs a tmux client on the world's server and returns what it prints.
func (w *world) tmux(args ...string) string {
	w.t.Helper()
	return w.tmuxOf("s", args...)
}

func (w *world) tmuxOf(server string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-u"}, args...)...)
	cmd.Env = w.with("TMUX_TMPDIR=" + w.path(server))
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// windows returns the names of all windows, sorted.
func (w *world) windows() []string {
	w.t.Helper()
	cmd := exec.Command("tmux", "-u", "list-windows", "-a", "-F", "#{session_name}:#{window_name}")
	cmd.Env = w.env
	out, _ := cmd.Output() // no server, no windows
	names := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(names)
	return names
}

// waitReports waits until so many harnesses have reported.
func (w *world) waitReports(n int) []report {
	w.t.Helper()
	var files []string
	waitFor(w.t, "reports of the harnesses", func() bool {
		files, _ = filepath.Glob(filepath.Join(w.reports, "*.json"))
		return len(files) >= n
	})
	reports := make([]report, len(files))
	for i, file := range files {
		text, err := os.ReadFile(file)
		must(w.t, err)
		must(w.t, json.Unmarshal(text, &reports[i]))
		must(w.t, os.Remove(file))
	}
	return reports
}

// release lets a harness that holds go on.
func (w *world) release() {
	w.t.Helper()
	f, err := os.OpenFile(w.hold, os.O_WRONLY, 0)
	must(w.t, err)
	f.Close()
}

// tmpFiles returns the names in .ucas/tmp.
func tmpFiles(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, ".ucas", "tmp"))
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func waitFor(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
