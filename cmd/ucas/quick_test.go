package main

import (
	"math/rand/v2"
	"os"
	"reflect"
	"testing"
)

// TestQuickIsKong holds the quick reading of command lines against kong's:
// whatever it reads, kong reads the same.
func TestQuickIsKong(t *testing.T) {
	words := []string{
		"run", "list", "php-master", "+git", "+debug", "x", "", "-n", "--dry-run", "--debug", "-d", "--detach", "-nd",
		"--set", "--set=a=b", "env.A=1", "a=b=c", "--set=", "--name", "--name=n", "--name=", "--wrapper", "exec", "--wrapper=exec",
		"-C", "dir", "-Cdir", "-C=dir", "--dir", "--dir=d", "--help", "-h", "-", "--dry", "--dry-run=false", "-x", "--unknown",
		"--no-debug", "-n=1", "a,b", "--set=a=[x, y]",
	}
	r := rand.New(rand.NewPCG(5, 6))
	p := silent(t)
	read := 0
	for range 30_000 {
		args := []string{"run"}
		if r.IntN(8) == 0 {
			args = nil
		}
		for range r.IntN(6) {
			args = append(args, words[r.IntN(len(words))])
		}
		got := quick(args)
		if got == nil {
			continue
		}
		read++
		want, status := p.kong(args)
		if want == nil {
			t.Fatalf("%q: kong refuses it with status %d", args, status)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q\n got %+v\nwant %+v", args, got, want)
		}
	}
	if read < 1000 {
		t.Errorf("only %d command lines were read at all", read)
	}
}

// TestQuickReadsTheUsual says which command lines must not need the grammar.
func TestQuickReadsTheUsual(t *testing.T) {
	for _, args := range [][]string{
		{"run", "a"},
		{"run", "a", "+b", "+c", "--dry-run"},
		{"run", "a", "-n", "--debug", "--set", "env.A=1", "--set=env.B=2", "--name", "x", "-d", "--wrapper=exec"},
		{"-C", "dir", "run", "a"},
	} {
		if quick(args) == nil {
			t.Errorf("%q is left to kong", args)
		}
	}
}

// silent is a program whose words go nowhere.
func silent(t *testing.T) *program {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { null.Close() })
	return &program{stdin: null, stdout: null, stderr: null}
}

func TestInertJSON(t *testing.T) {
	for in, want := range map[string]string{
		`"é\n"`: `"é\n"`, "\"\u009b\u202e\x7f\"": `"\u009b\u202e\u007f"`, "\"\U000e0001\"": `"\udb40\udc01"`,
	} {
		if got := inertJSON(in); got != want {
			t.Errorf("inertJSON(%q) = %s, want %s", in, got, want)
		}
	}
}
