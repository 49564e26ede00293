package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ucas/engine/script"
)

// TestMain makes the test binary ucas itself, and a harness that scripts can
// launch.
func TestMain(m *testing.M) {
	script.Main() // this binary evaluates layer hooks, too
	testscript.Main(m, map[string]func(){
		"ucas":    main,
		"harness": harness,
	})
}

// TestScripts runs the command line from end to end. A script finds HOME and
// the system layer in $WORK/home and, if there is one, $WORK/system; tmux is
// the real one, on a server of the script's own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		Setup:               setUp,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds:                commands(),
	})
}

func setUp(e *testscript.Env) error {
	e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
	if dir := filepath.Join(e.WorkDir, "system"); isDir(dir) {
		e.Setenv("UCAS_HOME", dir)
	}
	for _, name := range []string{"home", "project"} {
		if err := os.MkdirAll(filepath.Join(e.WorkDir, name), 0o755); err != nil {
			return err
		}
	}
	// The path of a socket is limited to about a hundred bytes.
	sockets, err := os.MkdirTemp("/tmp", "ucas")
	if err != nil {
		return err
	}
	e.Setenv("TMUX_TMPDIR", sockets)
	e.Setenv("SHELL", "/bin/sh")
	e.Defer(func() {
		stop := exec.Command("tmux", "kill-server")
		stop.Env = []string{"PATH=" + os.Getenv("PATH"), "TMUX_TMPDIR=" + sockets}
		stop.Run() // fails where the script started none
		os.RemoveAll(sockets)
	})
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// commands are what scripts have besides testscript's own.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"program":  programs,
		"wait-for": waitFor,
		"pasted":   pasted,
		"fifo":     fifo,
	}
}

// programs puts the harness on PATH under other names, and makes the skills
// of the script executable, which a txtar file cannot say: program NAME...
func programs(ts *testscript.TestScript, neg bool, args []string) {
	bin := ts.MkAbs("bin")
	ts.Check(os.MkdirAll(bin, 0o755))
	self, err := exec.LookPath("harness")
	ts.Check(err)
	for _, name := range args {
		text := "#!/bin/sh\nexec '" + self + "' \"$@\"\n"
		ts.Check(os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755))
	}
	ts.Setenv("PATH", bin+":"+ts.Getenv("PATH"))
	ts.Check(filepath.WalkDir(ts.Getenv("WORK"), func(path string, e os.DirEntry, err error) error {
		if err == nil && filepath.Base(filepath.Dir(path)) == "skills" {
			return os.Chmod(path, 0o755)
		}
		return err
	}))
}

// waitFor runs a command until it succeeds: wait-for COMMAND [ARG...].
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: wait-for COMMAND [ARG...]")
	}
	deadline := time.Now().Add(20 * time.Second)
	for {
		err := ts.Exec(args[0], args[1:]...)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s: %v", strings.Join(args, " "), err)
		}
		time.Sleep(20 * time.Millisecond) // between two looks, not for a result
	}
}

// pasted runs the last command's output as a line of shell, as a user would.
func pasted(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec("sh", "-c", ts.ReadFile("stdout"))
	if (err != nil) != neg {
		ts.Fatalf("the line: %v", err)
	}
}

func fifo(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(exec.Command("mkfifo", ts.MkAbs(args[0])).Run())
}

// harness plays a coding agent: it writes down how it was called, says
// something, and stays or ends as it is told:
//
//	HARNESS_LOG   where to write its call, as JSON
//	HARNESS_SAY   what to print
//	HARNESS_EXIT  the status to end with; without it, it stays
func harness() {
	if log := os.Getenv("HARNESS_LOG"); log != "" {
		dir, _ := os.Getwd()
		text, err := json.Marshal(map[string]any{"args": os.Args[1:], "env": os.Environ(), "dir": dir})
		if err == nil {
			err = os.WriteFile(log+".tmp", text, 0o600)
		}
		if err == nil {
			err = os.Rename(log+".tmp", log)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(70)
		}
	}
	fmt.Println(os.Getenv("HARNESS_SAY"))
	if status, err := strconv.Atoi(os.Getenv("HARNESS_EXIT")); err == nil {
		os.Exit(status)
	}
	select {}
}
