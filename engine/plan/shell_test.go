package plan

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestMain lets the test binary play the harness: it writes down how it was
// called.
func TestMain(m *testing.M) {
	if out := os.Getenv("UCAS_TEST_WRITE_CALL"); out != "" {
		writeCall(out)
		syscall.Exit(0) // at once: the race detector waits a second at an exit
	}
	os.Exit(m.Run())
}

// A call is how a program was called.
type call struct {
	Args [][]byte
	Env  [][]byte
	Dir  string
}

func writeCall(out string) {
	var c call
	for _, arg := range os.Args[1:] {
		c.Args = append(c.Args, []byte(arg))
	}
	for _, item := range os.Environ() {
		c.Env = append(c.Env, []byte(item))
	}
	c.Dir, _ = os.Getwd()
	text, err := json.Marshal(c)
	if err == nil {
		err = os.WriteFile(out, text, 0o600)
	}
	if err != nil {
		panic(err)
	}
}

// shells are those of this machine that a line may be pasted into.
func shells(t testing.TB) []string {
	return installed(t, "sh", "dash", "bash", "ksh", "zsh")
}

// systemShells are those of this machine that are /bin/sh somewhere, and may
// have to run a script.
func systemShells(t testing.TB) []string { return installed(t, "sh", "dash", "bash", "busybox") }

func installed(t testing.TB, names ...string) []string {
	var found []string
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			found = append(found, path)
		}
	}
	if len(found) == 0 {
		t.Fatal("no shell on PATH")
	}
	return found
}

// TestShellLineIsTheLaunch runs the line of random Plans full of hostile
// strings in every shell: arguments, environment and directory must be those
// of the launch (R19).
func TestShellLineIsTheLaunch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		p, base := randomPlan(t, r)
		for _, shell := range shells(t) {
			checkCall(t, p, base, exec.Command(shell, "-c", p.ShellLine(base)))
		}
	}
}

// TestScriptIsTheLaunch does the same for the script that wrappers start, in
// an environment that is not the caller's.
func TestScriptIsTheLaunch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		p, base := randomPlan(t, r)
		for _, shell := range systemShells(t) {
			script := filepath.Join(t.TempDir(), "it's a script.sh")
			if err := os.WriteFile(script, []byte(p.Script(base, []string{"TERM", "UCAS_TEST_WRITE_CALL"})), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(shell, script)
			if filepath.Base(shell) == "busybox" {
				cmd = exec.Command(shell, "sh", script)
			}
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LEAK=1", "LEAK2=a\nexport LEAK3=b", "TERM=kept"}
			got := runCall(t, p, cmd)
			compareCall(t, p, got, append(p.Environ(base), "TERM=kept"))
			if _, err := os.Stat(script); err == nil {
				t.Error("the script did not remove itself")
			}
		}
	}
}

func FuzzShellLine(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, s, s)
	}
	self, err := os.Executable()
	if err != nil {
		f.Fatal(err)
	}
	all := shells(f)
	f.Fuzz(func(t *testing.T, arg, value, dir string) {
		clean := func(s string) string { return strings.ReplaceAll(s, "\x00", "") }
		p := &Plan{
			Dir: t.TempDir(), Argv: []Word{{Text: self}, {Text: clean(arg)}, {Text: clean(value)}},
			Env:        []Var{{Name: "UCAS_TEST_VALUE", Value: clean(value)}},
			SearchPath: SearchPath{Dirs: []string{"/" + strings.ReplaceAll(clean(dir), ":", "")}},
		}
		line := p.ShellLine(os.Environ())
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("the line holds a control character: %q", line)
		}
		base := append(os.Environ(), "OLDPWD=/")
		for _, shell := range all {
			cmd := exec.Command(shell, "-c", line)
			cmd.Dir = p.Dir
			checkCall(t, p, base, cmd)
		}
	})
}

// hostile are strings that shells and terminals read something into.
var hostile = []string{
	"", " ", "a b", "'", `"`, `\`, "it's", `say "hi"`, "$HOME", "${HOME}", "$(touch x)", "`touch x`", "a\nb", "\n", "\n\n",
	"a\n", "\na", "\t", "\r\n", "*", "?", "[a]", "{a,b}", "~", "~root", "a=b", "=ls", "-n", "--", "#x", "a#b", "!", "!!", "a'!'b",
	"a;b", "a&b", "a|b", "<x", ">x", "(", ")", "é", "日本語", "\u202e", "\u00a0", "\xff\xfe", "\x1b[31mred\x1b[0m", "\x7f", "%s", "\\n", "\\033",
	"if", "done", "}", "{", "--}", "x}y", "^x", "a^", "a:b", "x'\ny\"$z`\n", strings.Repeat("'", 50), strings.Repeat("long ", 2000), "\ufffd", "^a^b", ":(){ :|:& };:",
}

func randomPlan(t *testing.T, r *rand.Rand) (p *Plan, base []string) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pick := func() string {
		var b strings.Builder
		for range 1 + r.IntN(3) {
			b.WriteString(hostile[r.IntN(len(hostile))])
		}
		return b.String()
	}
	dir := filepath.Join(t.TempDir(), strings.ReplaceAll("d"+hostile[r.IntN(40)], "/", ""))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p = &Plan{Dir: dir, Chdir: true, Argv: []Word{{Text: self}}}
	for range r.IntN(6) {
		p.Argv = append(p.Argv, Word{Text: pick()})
	}
	p.Env = []Var{{Name: "UCAS_A", Value: pick()}, {Name: "UCAS_B", Value: pick()}, {Name: "UCAS_GONE", Unset: true}}
	switch r.IntN(4) {
	case 0:
		p.SearchPath = SearchPath{Dirs: []string{"/skills " + strings.ReplaceAll(pick(), ":", ""), "/b"}}
	case 1:
		p.SearchPath = SearchPath{Dirs: []string{"/skills"}}
	case 2:
		p.SearchPath = SearchPath{Dirs: []string{"/skills"}, Fixed: true, Rest: "/usr/bin:/bin"}
	}
	path := "/usr/local/bin:/usr/bin:/bin"
	if r.IntN(2) == 0 {
		path += ":/mnt/c/Program Files"
	}
	return p, []string{"PATH=" + path, "HOME=/root", "UCAS_GONE=1", "UCAS_KEPT=" + pick(), "UCAS_A=old"}
}

func checkCall(t *testing.T, p *Plan, base []string, cmd *exec.Cmd) {
	t.Helper()
	cmd.Env = base
	compareCall(t, p, runCall(t, p, cmd), p.Environ(base))
}

// runCall runs a command that ends in the Plan's, and returns how that was
// called.
func runCall(t *testing.T, p *Plan, cmd *exec.Cmd) call {
	t.Helper()
	out := filepath.Join(t.TempDir(), "call.json")
	cmd.Env = append(slices.Clone(cmd.Env), "UCAS_TEST_WRITE_CALL="+out)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", cmd.Args, err, said)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatalf("%q: %v", cmd.Args, err)
	}
	var c call
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func compareCall(t *testing.T, p *Plan, got call, want []string) {
	t.Helper()
	var args []string
	for _, arg := range got.Args {
		args = append(args, string(arg))
	}
	if !slices.Equal(args, p.Args()[1:]) {
		t.Errorf("arguments\n got %q\nwant %q\nline %s", args, p.Args()[1:], p.ShellLine(nil))
	}
	if got.Dir != p.Dir {
		t.Errorf("directory %q, want %q", got.Dir, p.Dir)
	}
	var env []string
	for _, item := range got.Env {
		env = append(env, string(item))
	}
	env, want = withoutShells(env), withoutShells(want)
	slices.Sort(env)
	slices.Sort(want)
	if !slices.Equal(env, want) {
		t.Errorf("environment\n got %q\nwant %q\nline %s", env, want, p.ShellLine(nil))
	}
}

// withoutShells drops what shells set of their own accord.
func withoutShells(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(item string) bool {
		switch name(item) {
		case "OLDPWD", "SHLVL", "_", "A__z", "LOGNAME", "UCAS_TEST_WRITE_CALL":
			return true
		}
		return false
	})
}
