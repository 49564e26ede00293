package launch_test

import (
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ucas/engine/diag"
	"ucas/engine/launch"
	"ucas/engine/plan"
)

// The test binary is also the programs that the tests launch: it is what its
// name says.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "harness":
		os.Exit(harness())
	case "launcher":
		os.Exit(launcher())
	case "wrapper":
		os.Exit(wrapper())
	}
	os.Exit(m.Run())
}

// What the harness does is in its environment.
const (
	varReports = "TEST_REPORTS" // the directory that its report goes to
	varPrint   = "TEST_PRINT"   // what it prints
	varHold    = "TEST_HOLD"    // a fifo: it goes on when that is opened for writing
	varExit    = "TEST_EXIT"    // "3", "signal"; nothing is 0
)

// A report is how a harness found itself. Bytes stay bytes in it.
type report struct {
	Argv, Env [][]byte
	Dir       string
	Prompt    string
}

func harness() int {
	if dir := os.Getenv(varReports); dir != "" {
		if err := writeReport(dir); err != nil {
			fmt.Println(err)
			return 99
		}
	}
	fmt.Print(os.Getenv(varPrint))
	if fifo := os.Getenv(varHold); fifo != "" {
		if f, err := os.Open(fifo); err == nil {
			f.Close()
		}
	}
	status := 0
	switch how := os.Getenv(varExit); how {
	case "", "0":
	case "signal":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	default:
		fmt.Sscan(how, &status)
	}
	return status
}

func writeReport(dir string) error {
	var r report
	for _, a := range os.Args {
		r.Argv = append(r.Argv, []byte(a))
	}
	for _, e := range os.Environ() {
		r.Env = append(r.Env, []byte(e))
	}
	r.Dir, _ = os.Getwd()
	if n := len(os.Args); n > 1 {
		prompt, _ := os.ReadFile(os.Args[n-1])
		r.Prompt = string(prompt)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, fmt.Sprint(os.Getpid()))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	return os.Rename(file, file+".json")
}

// A request is what a launcher is to do.
type request struct {
	Plan             *plan.Plan
	Terminal, Detach bool
	Grace            time.Duration
}

// A response is what came of it.
type response struct {
	Session launch.Session
	Error   string
}

// launcher launches as ucas does: from its own environment and terminal. Its
// arguments are the files of the request and of the response.
func launcher() int {
	var r request
	if err := readGob(os.Args[1], &r); err != nil {
		fmt.Println(err)
		return 99
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	s, err := launch.Start(ctx, r.Plan, nil, launch.Options{
		Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Terminal: r.Terminal, Detach: r.Detach, Grace: r.Grace,
	})
	var out response
	if s != nil {
		out.Session = *s
	}
	if err != nil {
		out.Error = err.Error()
	}
	if err := writeGob(os.Args[2], out); err != nil {
		fmt.Println(err)
		return 99
	}
	diag.Print(os.Stderr, diag.All(err)...)
	fmt.Println("the launcher is done")
	return 0
}

// wrapper is a wrapper of the user's: it reports the script that it was given
// as its last argument, and runs it.
func wrapper() int {
	script := os.Args[len(os.Args)-1]
	info, err := os.Stat(script)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	fmt.Printf("%q %v\n", os.Args[1:], info.Mode())
	if os.Getenv("TEST_REFUSE") != "" {
		fmt.Fprintln(os.Stderr, "no screen")
		return 4
	}
	err = syscall.Exec("/bin/sh", []string{"sh", script}, os.Environ())
	fmt.Fprintln(os.Stderr, err)
	return 99
}

func readGob(path string, v any) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return gob.NewDecoder(f).Decode(v)
}

func writeGob(path string, v any) error {
	f, err := os.CreateTemp(filepath.Dir(path), "gob-*")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := gob.NewEncoder(f).Encode(v); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
