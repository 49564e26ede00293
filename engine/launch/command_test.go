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

	"ucas/engine/launch"
	"ucas/engine/plan"
	"ucas/engine/source"
)

// wrapped returns a Plan whose wrapper is a command.
func (w *world) wrapped(session string, argv ...string) *plan.Plan {
	p := w.plan(session)
	file := source.NewFile(".ucas/ucas.yaml", []byte("wrappers: mine"))
	p.Wrapper = plan.Wrapper{Name: "mine", Argv: argv, From: plan.Origin{Span: source.Span{File: file, Start: 10, End: 14}}}
	return p
}

func TestWrapper(t *testing.T) {
	w := newWorld(t)
	out, err := os.Create(w.path("out"))
	must(t, err)
	defer out.Close()
	o := w.options(varHold + "=")
	o.Stdout = out
	p := w.wrapped("karel", "wrapper", "--title={name}: {name} {x}", "{dir}", "{script}")
	s, err := launch.Start(context.Background(), p, nil, o)
	must(t, err)
	if s.Name != "karel" || s.Wrapper != "mine" {
		t.Errorf("the session is %+v", s)
	}
	script := filepath.Join(w.dir, ".ucas/tmp/karel.sh")
	text, err := os.ReadFile(out.Name())
	must(t, err)
	if want := fmt.Sprintf("%q -rw-------\n", []string{"--title=karel: karel {x}", w.dir, script}); string(text) != want {
		t.Errorf("the wrapper was run as %s, want %s", text, want)
	}
	if r := w.waitReports(1)[0]; r.Dir != w.dir || r.Prompt != "You are karel.\n" {
		t.Errorf("the harness ran in %s with the prompt %q", r.Dir, r.Prompt)
	}
	if exists(script) {
		t.Error("the script is still there")
	}
}

func TestWrapperFails(t *testing.T) {
	w := newWorld(t)
	for _, test := range []struct {
		argv []string
		want string
	}{
		{[]string{"wrapper", "{script}"}, "wrapper mine ended with status 4"},
		{[]string{"nowhere", "{script}"}, "there is no program nowhere on PATH"},
		{[]string{"wrapper", "{name}"}, "has no {script}"},
		{nil, "has no command"},
	} {
		out, err := os.Create(w.path("out"))
		must(t, err)
		o := w.options("TEST_REFUSE=1")
		o.Stderr = out
		_, err = launch.Start(context.Background(), w.wrapped("karel", test.argv...), nil, o)
		out.Close()
		wantProblem(t, err, test.want)
		if err == nil || !strings.HasPrefix(err.Error(), ".ucas/ucas.yaml:1:11: ") {
			t.Errorf("the error does not name the definition: %v", err)
		}
		text, _ := os.ReadFile(w.path("out"))
		if strings.Contains(test.want, "status") != (string(text) == "no screen\n") {
			t.Errorf("%q: stderr shows %q", test.argv, text)
		}
		if exists(filepath.Join(w.dir, ".ucas/tmp/karel.sh")) {
			t.Error("the script is still there")
		}
	}
}

func TestConcurrentWrappers(t *testing.T) {
	const n = 10
	w := newWorld(t)
	named := func(session string) (*plan.Plan, error) {
		// It runs no script, so all of them stay.
		return w.wrapped(session, "test", "-f", "{script}"), nil
	}
	var wait sync.WaitGroup
	for range n {
		wait.Go(func() {
			p, _ := named("karel")
			_, err := launch.Start(context.Background(), p, named, launch.Options{Environ: w.env})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	scripts, _ := filepath.Glob(filepath.Join(w.dir, ".ucas/tmp/*.sh"))
	if len(scripts) != n {
		t.Errorf("%d starts gave the scripts %q", n, scripts)
	}
}

func TestWrapperCancelled(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		_, err := launch.Start(ctx, w.wrapped("karel", "wrapper", "{script}"), nil, w.options())
		done <- err
	}()
	w.waitReports(1)
	cancel()
	if err := <-done; err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("the error is %v", err)
	}
	if files := tmpFiles(t, w.dir); !slices.Equal(files, []string{".gitignore", ".lock", "karel.merged.md"}) {
		t.Errorf(".ucas/tmp holds %q", files)
	}
}
