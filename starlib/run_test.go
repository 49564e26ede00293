package starlib_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// TestQuote gives texts to a real sh.
func TestQuote(t *testing.T) {
	words := []string{
		"", " ", "'", `"`, `\`, `\\'`, "''", "$HOME", "`id`", "$(id)", "a\nb", "\n", "a\n", "\t", "~", "*", "!x",
		"-n", "#", "&&", "\x01\x7f", "č 日本 \U0001F600", "\xff\xfe", "x=1",
	}
	checkQuote(t, words)
}

// FuzzQuote gives any words to a real sh; without -fuzz, random ones of what is
// special to a shell.
func FuzzQuote(f *testing.F) {
	alphabet := []rune("ab '\"\\$`\n\t!*?[]{}()<>|&;#~=%-č日\u2028\U0001F600")
	random := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		text := make([]rune, random.IntN(400))
		for i := range text {
			text[i] = alphabet[random.IntN(len(alphabet))]
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Split(strings.ReplaceAll(text, "\x00", ""), "a")
		checkQuote(t, words)
	})
}

// checkQuote has sh print the words of a command line of shell.join, each
// followed by a NUL byte, and wants them back.
func checkQuote(t *testing.T, words []string) {
	t.Helper()
	line := starlarkString(t, call(t, "shell", "join", list(append([]string{"printf", `%s\0`}, words...)...)))
	out, err := exec.Command("sh", "-c", line).Output()
	if err != nil {
		t.Fatalf("sh: %v in %q", err, line)
	}
	want := strings.Join(words, "\x00") + "\x00"
	if string(out) != want {
		t.Errorf("sh read %q as %q", words, out)
	}
}

func TestNice(t *testing.T) {
	c := newCommand(t, "ps", "-o", "nice=", "-p", strconv.Itoa(os.Getpid()))
	before, err := strconv.Atoi(strings.TrimSpace(c.run(t, c.argv)))
	if err != nil {
		t.Skipf("ps tells no nice value: %v", err)
	}
	c.argv = []string{"sh", "-c", `ps -o nice= -p $$`}
	got := strings.TrimSpace(c.run(t, c.wrapped(t, "nice", "n", starlark.MakeInt(3))))
	if want := strconv.Itoa(min(before+3, 19)); got != want {
		t.Errorf("it runs at %s, not at %s", got, want)
	}
}

func TestBwrap(t *testing.T) {
	need(t, "bwrap")
	if out, err := exec.Command("bwrap", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true").CombinedOutput(); err != nil {
		t.Skipf("bwrap is not allowed to work here: %s", out)
	}
	c := newCommand(t, "sh", "-c", `
		pwd
		cat "$PROMPT"
		echo "$VALUE"
		skill
		echo made > made
		echo no > skills/no 2>/dev/null || echo skills are read-only
		echo no > "$OUTSIDE/no" 2>/dev/null || echo the rest is read-only
		echo yes > "$GIVEN/yes"
		echo yes > /tmp/yes && ls /tmp/yes
		kill -0 "$TESTPID" 2>/dev/null || echo other processes are hidden
		sed 1,2d /proc/net/dev | wc -l | tr -d ' '
	`)
	outside, given := t.TempDir(), t.TempDir()
	c.env = append(c.env, "VALUE=it's", "OUTSIDE="+outside, "GIVEN="+given, "TESTPID="+strconv.Itoa(os.Getpid()))
	got := c.run(t, c.wrapped(t, "bwrap", "network", starlark.False, "mounts", list(given)))
	want := c.dir + "\nthe prompt\nit's\nskill runs\nskills are read-only\nthe rest is read-only\n/tmp/yes\n" +
		"other processes are hidden\n1\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	for _, file := range []string{filepath.Join(c.dir, "made"), filepath.Join(given, "yes")} {
		if _, err := os.Stat(file); err != nil {
			t.Errorf("what it wrote did not come out: %v", err)
		}
	}
}

// TestSystemdRun needs a machine with systemd and a service manager for the
// user. Without one, it shows that systemd-run understands the options.
func TestSystemdRun(t *testing.T) {
	need(t, "systemd-run")
	c := newCommand(t, "sh", "-c", `echo "$VALUE"; pwd; cat /proc/self/cgroup`)
	c.env = append(c.env, "VALUE=it's")
	limits := starlark.NewDict(1)
	if err := limits.SetKey(starlark.String("TasksMax"), starlark.MakeInt(50)); err != nil {
		t.Fatal(err)
	}
	out, err := c.tryRun(t, c.wrapped(t, "systemd_run", "properties", limits))
	for _, message := range []string{"Failed to connect to bus", "System has not been booted with systemd"} {
		if strings.Contains(out, message) {
			t.Skipf("no service manager here, the options were understood: %s", out)
		}
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if want := "it's\n" + c.dir + "\n"; !strings.HasPrefix(out, want) || !strings.Contains(out, ".scope") {
		t.Errorf("got:\n%s\nwant %q and a scope", out, want)
	}
}

// TestSSH runs a real ssh and a real sshd, joined by a pipe: nothing listens.
func TestSSH(t *testing.T) {
	need(t, "ssh")
	need(t, "ssh-keygen")
	sshd, err := exec.LookPath("sshd")
	if err != nil {
		sshd = "/usr/sbin/sshd"
	}
	if _, err := os.Stat(sshd); err != nil {
		t.Skip("sshd is not installed")
	}
	home := t.TempDir()
	key, config := filepath.Join(home, "key"), filepath.Join(home, "sshd_config")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %s", out)
	}
	writeFile(t, config, 0o600, fmt.Sprintf("HostKey %s\nAuthorizedKeysFile %s.pub\nStrictModes no\nUsePAM no\n"+
		"PidFile none\nPermitRootLogin yes\nAcceptEnv UCAS_*\n", key, key))
	options := list("-F", "/dev/null", "-i", key, "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no",
		"-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-o", "ProxyCommand="+sshd+" -i -f "+config)
	probe := newCommand(t, "true")
	if out, err := probe.tryRun(t, probe.wrapped(t, "ssh", "host", starlark.String("localhost"), "options", options)); err != nil {
		t.Skipf("sshd does not work here: %s", out)
	}

	c := newCommand(t, "sh", "-c", `pwd; skill; echo "$UCAS_SENT,$UCAS_KEPT"; printf '%s|' "$@"`, "sh", "it's", "a  b", "č\n$HOME", `\\`, "")
	c.env = append(c.env, "UCAS_SENT=sent, really", "UCAS_KEPT=kept")
	argv := c.wrapped(t, "ssh", "host", starlark.String("localhost"), "options", options,
		"env", list("UCAS_SENT"), "path", list(filepath.Join(c.dir, "skills")))
	got := c.run(t, argv)
	want := c.dir + "\nskill runs\nsent, really,\nit's|a  b|č\n$HOME|\\\\||"
	if got != want {
		t.Errorf("got:\n%q\nwant:\n%q", got, want)
	}

	elsewhere := t.TempDir()
	c.argv = []string{"pwd"}
	got = c.run(t, c.wrapped(t, "ssh", "host", starlark.String("localhost"), "options", options, "dir", starlark.String(elsewhere)))
	if got != elsewhere+"\n" {
		t.Errorf("it ran in %s, not in %s", got, elsewhere)
	}
}

// TestLoginShells gives what ssh sends to the shells that a login may have.
func TestLoginShells(t *testing.T) {
	c := newCommand(t, "sh", "-c", `pwd; skill; printf '%s|' "$@"`, "sh", "it's", `\\`, `\'\''`, "č\n$HOME", "!", "")
	argv := c.wrapped(t, "ssh", "host", starlark.String("build"), "path", list(c.path...))
	want := c.dir + "\nskill runs\n" + `it's|\\|\'\''|č` + "\n$HOME|!||"
	for _, login := range []string{"sh", "bash", "dash", "zsh", "fish", "ksh"} {
		t.Run(login, func(t *testing.T) {
			need(t, login)
			if got := c.run(t, []string{login, "-c", argv[len(argv)-1]}); got != want {
				t.Errorf("got:\n%q\nwant:\n%q", got, want)
			}
		})
	}
}

// TestDocker runs the real client of Docker against a server that only takes
// down what it is asked to make.
func TestDocker(t *testing.T) {
	need(t, "docker")
	// The path of a socket must be short.
	dir, err := os.MkdirTemp("", "d")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	created := make(chan containerSpec, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/containers/create") {
			spec := containerSpec{Name: r.URL.Query().Get("name")}
			if err := json.NewDecoder(r.Body).Decode(&spec); err != nil {
				t.Error(err)
			}
			created <- spec
			http.Error(w, `{"message": "taken down"}`, http.StatusTeapot)
			return
		}
		w.Header().Set("Api-Version", "1.44")
		io.WriteString(w, "OK")
	})}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })

	c := newContainerCommand(t)
	c.env = append(c.env, "DOCKER_HOST=unix://"+socket, "DOCKER_CONFIG="+dir)
	// Its client refuses --tty where there is no terminal.
	argv := c.wrapped(t, "docker", "image", starlark.String("img:1"), "env", list("EXTRA", "MISSING"), "interactive", starlark.False)
	out, err := c.tryRun(t, argv)
	if err == nil || !strings.Contains(out, "taken down") {
		t.Fatalf("docker: %v: %s", err, out)
	}
	spec := <-created
	if spec.Image != "img:1" || !spec.HostConfig.AutoRemove {
		t.Errorf("image %q, removed after it: %t", spec.Image, spec.HostConfig.AutoRemove)
	}
	c.check(t, spec.Name, spec.Entrypoint, spec.Cmd, spec.WorkingDir, spec.Env)
	var mounts []string
	for _, m := range spec.HostConfig.Mounts {
		mounts = append(mounts, fmt.Sprint(m.Type, m.Source, m.Target, m.ReadOnly))
	}
	c.checkMounts(t, mounts, func(path string, readOnly bool) string { return fmt.Sprint("bind", path, path, readOnly) })
}

// TestPodman has a real podman make the container, which takes no privileges
// that a test may lack, and looks at what it made.
func TestPodman(t *testing.T) {
	need(t, "podman")
	dir := t.TempDir()
	podman := []string{"podman", "--root", filepath.Join(dir, "root"), "--runroot", filepath.Join(dir, "run"), "--storage-driver", "vfs"}
	image := filepath.Join(dir, "empty.tar")
	writeFile(t, image, 0o600, string(make([]byte, 1024)))
	if out, err := exec.Command(podman[0], append(podman[1:], "import", image, "localhost/img:1")...).CombinedOutput(); err != nil {
		t.Skipf("podman does not work here: %s", out)
	}
	c := newContainerCommand(t)
	argv := c.wrapped(t, "podman", "image", starlark.String("localhost/img:1"), "env", list("EXTRA", "MISSING"))
	if argv[0] != "podman" || argv[1] != "run" {
		t.Fatalf("it runs %q", argv)
	}
	c.run(t, slices.Concat(podman, []string{"create"}, argv[2:]))
	t.Cleanup(func() {
		if out, err := exec.Command(podman[0], append(podman[1:], "rm", "--all", "--force")...).CombinedOutput(); err != nil {
			t.Errorf("podman rm: %s", out)
		}
	})
	var made []struct {
		Name   string
		Config struct {
			Cmd, Env   []string
			Entrypoint any // a text before version 5, then a list
			WorkingDir string
			Tty        bool
			OpenStdin  bool
		}
		Mounts []struct {
			Type, Source, Destination string
			RW                        bool
		}
	}
	name := "ucas-" + filepath.Base(c.dir) + "-karel"
	if err := json.Unmarshal([]byte(c.run(t, append(podman, "container", "inspect", name))), &made); err != nil || len(made) != 1 {
		t.Fatalf("podman inspect: %v", err)
	}
	config := made[0].Config
	if !config.Tty || !config.OpenStdin {
		t.Errorf("it has a terminal: %t, input: %t", config.Tty, config.OpenStdin)
	}
	c.check(t, made[0].Name, []string{strings.Trim(fmt.Sprint(config.Entrypoint), "[]")}, config.Cmd, config.WorkingDir, config.Env)
	var mounts []string
	for _, m := range made[0].Mounts {
		mounts = append(mounts, fmt.Sprint(m.Type, m.Source, m.Destination, !m.RW))
	}
	c.checkMounts(t, mounts, func(path string, readOnly bool) string { return fmt.Sprint("bind", path, path, readOnly) })
}

// TestWithPath runs what a container is given, here.
func TestWithPath(t *testing.T) {
	c := newContainerCommand(t)
	for _, path := range [][]string{{filepath.Join(c.dir, "skills")}, nil} {
		c.path = path
		argv := c.wrapped(t, "docker", "image", starlark.String("img"))
		at := slices.Index(argv, "img")
		c.env = []string{"PATH=/usr/bin:/bin"}
		got := c.run(t, append([]string{"sh"}, argv[at+1:]...))
		want := strings.Join(append(slices.Clone(path), "/usr/bin", "/bin"), ":") + "\nit's|a  b|\n"
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestScreen starts a detached session and waits for it to write.
func TestScreen(t *testing.T) {
	need(t, "screen")
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	c := newCommand(t, "unused")
	c.env = append(c.env, "SCREENDIR="+dir, "TERM=xterm", "LC_ALL=C")
	c.script = filepath.Join(c.dir, "it's a script")
	pipe := newPipe(t, c.dir)
	writeFile(t, c.script, 0o600, fmt.Sprintf("test -t 0 && echo \"$STY in $PWD\" > %s/pipe\n", shellQuote(c.dir)))
	if out, err := c.tryRun(t, c.wrapped(t, "screen")); err != nil {
		t.Fatalf("screen: %v: %s", err, out)
	}
	if got, want := pipe.read(t), ".karel in "+c.dir+"\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestExec runs the script in place.
func TestExec(t *testing.T) {
	c := newCommand(t, "unused")
	c.script = filepath.Join(c.dir, "it's a script")
	writeFile(t, c.script, 0o600, "pwd")
	if got := c.run(t, c.wrapped(t, "exec")); got != c.dir+"\n" {
		t.Errorf("got %q", got)
	}
}

// A command is what hooks are given, and the process that it is run in.
type command struct {
	argv, path, skills []string
	dir, prompt        string
	script             string // what {script} stands for
	set                map[string]string
	env                []string
}

// newCommand returns a command in a project with a prompt and a skill.
func newCommand(t *testing.T, argv ...string) *command {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	skills, prompt := filepath.Join(dir, "skills"), filepath.Join(dir, "prompt.md")
	if err := os.Mkdir(skills, 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(skills, "skill"), 0o755, "#!/bin/sh\necho skill runs\n")
	writeFile(t, prompt, 0o600, "the prompt\n")
	return &command{
		argv: argv, path: []string{skills}, skills: []string{skills}, dir: dir, prompt: prompt,
		env: append(os.Environ(), "PATH="+skills+":"+os.Getenv("PATH"), "PROMPT="+prompt),
	}
}

// value returns what a hook is given as its command.
func (c *command) value() starlark.Value {
	env := starlark.NewDict(2)
	for name, value := range c.set {
		v := starlark.Value(starlark.String(value))
		if value == "" {
			v = starlark.None
		}
		env.SetKey(starlark.String(name), v)
	}
	fields := starlark.StringDict{
		"argv": list(c.argv...), "dir": starlark.String(c.dir), "session": starlark.String("karel"), "env": env,
		"path": list(c.path...), "skills": list(c.skills...), "prompt_file": starlark.String(c.prompt), "files_dir": starlark.None,
	}
	if c.script != "" {
		fields["script"] = starlark.String("{script}")
	}
	return starlarkstruct.FromStringDict(starlark.String("struct"), fields)
}

// wrapped returns what a function of wrappers makes of the command. Its other
// arguments are pairs of a name and a value.
func (c *command) wrapped(t *testing.T, name string, args ...any) []string {
	t.Helper()
	result := call(t, "wrappers", name, append([]any{c.value()}, args...)...)
	var argv []string
	for v := range starlark.Elements(result.(*starlark.List)) {
		argv = append(argv, strings.ReplaceAll(starlarkString(t, v), "{script}", c.script))
	}
	return argv
}

// run runs an argument list as the launch would, and returns what it prints.
func (c *command) run(t *testing.T, argv []string) string {
	t.Helper()
	out, err := c.tryRun(t, argv)
	if err != nil {
		t.Fatalf("%q: %v: %s", argv, err, out)
	}
	return out
}

func (c *command) tryRun(t *testing.T, argv []string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = c.dir, c.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err != nil {
		return stdout.String() + stderr.String(), err
	}
	return stdout.String(), nil
}

// containerSpec is what Docker's client asks its server to make.
type containerSpec struct {
	Name, Image, WorkingDir string
	Entrypoint, Cmd, Env    []string
	HostConfig              struct {
		AutoRemove bool
		Mounts     []struct {
			Type, Source, Target string
			ReadOnly             bool
		}
	}
}

// newContainerCommand returns a command for a container, in a project with a
// name that --mount has to quote.
func newContainerCommand(t *testing.T) *command {
	t.Helper()
	c := newCommand(t, "sh", "-c", `echo "$PATH"; printf '%s|' "$@"; echo`, "sh", "it's", "a  b")
	c.skills = append(c.skills, filepath.Join(c.dir, "a, b"))
	if err := os.Mkdir(c.skills[1], 0o755); err != nil {
		t.Fatal(err)
	}
	c.set = map[string]string{"KEY": "secret\nof two lines", "REMOVED": "", "PATH": "/usr/bin"}
	c.env = append(c.env, "KEY=secret\nof two lines", "EXTRA=more")
	return c
}

// check checks what both engines understood.
func (c *command) check(t *testing.T, name string, entrypoint, cmd []string, dir string, env []string) {
	t.Helper()
	if want := "ucas-" + filepath.Base(c.dir) + "-karel"; name != want {
		t.Errorf("the name is %q, not %q", name, want)
	}
	if !slices.Equal(entrypoint, []string{"sh"}) || len(cmd) < 4 || cmd[0] != "-c" || !slices.Equal(cmd[4:], c.argv) {
		t.Errorf("it runs %q %q, not %q", entrypoint, cmd, c.argv)
	}
	if dir != c.dir {
		t.Errorf("it runs in %s, not in %s", dir, c.dir)
	}
	for _, want := range []string{"KEY=secret\nof two lines", "EXTRA=more"} {
		if !slices.Contains(env, want) {
			t.Errorf("%q is missing in its environment: %q", want, env)
		}
	}
	for _, entry := range env {
		if entry == "PATH=/usr/bin" || strings.HasPrefix(entry, "MISSING=") || strings.HasPrefix(entry, "REMOVED=") {
			t.Errorf("%q is in its environment", entry)
		}
	}
}

func (c *command) checkMounts(t *testing.T, got []string, mount func(path string, readOnly bool) string) {
	t.Helper()
	want := []string{mount(c.dir, false), mount(c.prompt, true), mount(c.skills[0], true), mount(c.skills[1], true)}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("it mounts\n%q, not\n%q", got, want)
	}
}

// A pipe is a named pipe that a program writes to when it gets there.
type pipe struct{ file *os.File }

func newPipe(t *testing.T, dir string) pipe {
	t.Helper()
	path := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	// Open for writing too, so that reading waits for the first writer.
	file, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return pipe{file}
}

// read waits for what is written.
func (p pipe) read(t *testing.T) string {
	t.Helper()
	if err := p.file.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		t.Fatal(err)
	}
	buf := make([]byte, 4096)
	n, err := p.file.Read(buf)
	if err != nil {
		t.Fatalf("nothing came: %v", err)
	}
	return string(buf[:n])
}

// call calls a function of a module. Further arguments are positional up to
// the first Go string, then pairs of a name and a value.
func call(t testing.TB, module, function string, args ...any) starlark.Value {
	t.Helper()
	var positional starlark.Tuple
	var named []starlark.Tuple
	for len(args) > 0 {
		if name, ok := args[0].(string); ok {
			named = append(named, starlark.Tuple{starlark.String(name), args[1].(starlark.Value)})
			args = args[2:]
			continue
		}
		positional = append(positional, args[0].(starlark.Value))
		args = args[1:]
	}
	fn := attrOf(t, loadModule(t, module)[module].(*starlarkstruct.Struct), function)
	result, err := starlark.Call(newLoader().thread(t.Name()), fn, positional, named)
	if err != nil {
		t.Fatal(backtrace(err))
	}
	return result
}

func list(texts ...string) *starlark.List {
	values := make([]starlark.Value, len(texts))
	for i, text := range texts {
		values[i] = starlark.String(text)
	}
	return starlark.NewList(values)
}

func starlarkString(t testing.TB, v starlark.Value) string {
	t.Helper()
	text, ok := starlark.AsString(v)
	if !ok {
		t.Fatalf("%v is no text", v)
	}
	return text
}

func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
}

func writeFile(t *testing.T, path string, mode os.FileMode, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
