package launch_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ucas/engine/diag"
	"ucas/engine/launch"
	"ucas/engine/plan"
)

func TestWriteFiles(t *testing.T) {
	dir := t.TempDir()
	p := planIn(dir, "karel")
	must(t, launch.WriteFiles(p))

	prompt := p.Files[0].Path
	for path, want := range map[string]string{
		prompt: "You are karel.\n",
		filepath.Join(dir, ".ucas/tmp/.gitignore"): "*\n",
		filepath.Join(dir, ".ucas/mem/.gitignore"): "*\n",
	} {
		text, err := os.ReadFile(path)
		must(t, err)
		if string(text) != want || mode(t, path) != 0o600 {
			t.Errorf("%s is %q, %v; want %q, 0600", path, text, mode(t, path), want)
		}
	}
	for _, d := range []string{".ucas/tmp", ".ucas/mem", ".ucas/mem/php-master"} {
		if m := mode(t, filepath.Join(dir, d)); m != 0o700|fs.ModeDir {
			t.Errorf("%s is %v, want 0700", d, m)
		}
	}

	before := inode(t, prompt)
	must(t, launch.WriteFiles(p))
	if inode(t, prompt) != before {
		t.Error("an unchanged file was written again")
	}
	must(t, os.Chmod(prompt, 0o644))
	must(t, launch.WriteFiles(p))
	if mode(t, prompt) != 0o600 {
		t.Error("a public file stayed public")
	}
	p.Files[0].Text = "You are not.....\n"[:len(p.Files[0].Text)]
	must(t, launch.WriteFiles(p))
	if text, _ := os.ReadFile(prompt); string(text) != p.Files[0].Text {
		t.Errorf("the new text is not there: %q", text)
	}
	if files := tmpFiles(t, dir); !slices.Equal(files, []string{".gitignore", "karel.merged.md"}) {
		t.Errorf(".ucas/tmp holds %q", files)
	}
}

func TestWriteFilesRefuses(t *testing.T) {
	outside := t.TempDir()
	for _, test := range []struct {
		name  string
		spoil func(dir string, p *plan.Plan) error
		want  string
	}{
		{"tmp is a link", func(dir string, p *plan.Plan) error {
			must(t, os.Mkdir(filepath.Join(dir, ".ucas"), 0o755))
			return os.Symlink(outside, filepath.Join(dir, ".ucas/tmp"))
		}, ".ucas/tmp is a symbolic link, not a directory"},
		{"tmp is a file", func(dir string, p *plan.Plan) error {
			must(t, os.Mkdir(filepath.Join(dir, ".ucas"), 0o755))
			return os.WriteFile(filepath.Join(dir, ".ucas/tmp"), nil, 0o600)
		}, ".ucas/tmp is a file, not a directory"},
		{".ucas is a file", func(dir string, p *plan.Plan) error {
			return os.WriteFile(filepath.Join(dir, ".ucas"), nil, 0o600)
		}, "not a directory"},
		{"prompt is a link", func(dir string, p *plan.Plan) error {
			must(t, os.MkdirAll(filepath.Join(dir, ".ucas/tmp"), 0o755))
			return os.Symlink(filepath.Join(outside, "x"), p.Files[0].Path)
		}, "karel.merged.md is a symbolic link, not a regular file"},
		{"prompt is a directory", func(dir string, p *plan.Plan) error {
			return os.MkdirAll(p.Files[0].Path, 0o755)
		}, "karel.merged.md is a directory, not a regular file"},
		{"prompt is a fifo", func(dir string, p *plan.Plan) error {
			must(t, os.MkdirAll(filepath.Join(dir, ".ucas/tmp"), 0o755))
			return syscall.Mkfifo(p.Files[0].Path, 0o600)
		}, "karel.merged.md is a special file, not a regular file"},
		{"elsewhere", func(dir string, p *plan.Plan) error {
			p.Files[0].Path = filepath.Join(dir, ".ucas/tmp/../../evil/x")
			return nil
		}, "a launch writes nowhere else"},
		{"long name", func(dir string, p *plan.Plan) error {
			p.Files[0].Path = filepath.Join(dir, ".ucas/tmp", strings.Repeat("x", 300))
			return nil
		}, "file name too long"},
		{"no project", func(dir string, p *plan.Plan) error {
			return os.Remove(dir)
		}, "no such file or directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			p := planIn(dir, "karel")
			p.Dirs = nil
			must(t, test.spoil(dir, p))
			wantProblem(t, launch.WriteFiles(p), test.want)
			if left, _ := os.ReadDir(outside); len(left) > 0 {
				t.Errorf("it wrote through the link: %v", left)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".ucas/tmp/.new-*")); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
		})
	}
}

// A directory that cannot be written is one only for those who are not root.
func TestWriteFilesUnwritable(t *testing.T) {
	const asUser = "TEST_AS_USER"
	if dir := os.Getenv(asUser); dir != "" {
		if os.Getuid() == 0 {
			must(t, syscall.Setuid(65534))
		}
		wantProblem(t, launch.WriteFiles(planIn(dir, "karel")), "permission denied")
		return
	}
	dir, err := os.MkdirTemp("/tmp", "ucas")
	must(t, err)
	defer os.RemoveAll(dir)
	must(t, os.Chmod(dir, 0o555))
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self, "-test.run=^TestWriteFilesUnwritable$")
	cmd.Env = append(os.Environ(), asUser+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestWriteFilesFullDisk(t *testing.T) {
	const asChild = "TEST_FULL_DISK"
	if dir := os.Getenv(asChild); dir != "" {
		// A limit of the size of files fails as a full disk does, half-way.
		p := planIn(dir, "karel")
		p.Files[0].Text = strings.Repeat("x", 1<<16)
		must(t, launch.WriteFiles(&plan.Plan{Dir: dir, Dirs: []string{filepath.Dir(p.Files[0].Path)}}))
		var limit syscall.Rlimit
		must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 12, Max: limit.Max}))
		err := launch.WriteFiles(p)
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
		wantProblem(t, err, "file too large")
		if files := tmpFiles(t, dir); !slices.Equal(files, []string{".gitignore"}) {
			t.Errorf("it left %q", files)
		}
		return
	}
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self, "-test.run=^TestWriteFilesFullDisk$")
	cmd.Env = append(os.Environ(), asChild+"="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func BenchmarkWriteFilesUnchanged(b *testing.B) {
	p := planIn(b.TempDir(), "karel")
	if err := launch.WriteFiles(p); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := launch.WriteFiles(p); err != nil {
			b.Fatal(err)
		}
	}
}

// wantProblem checks that an error says a text, and names a way out.
func wantProblem(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", want)
	}
	for _, p := range diag.All(err) {
		if !strings.Contains(p.Message, want) || p.Hint == "" {
			t.Errorf("error %q, hint %q; want one with %q, and a hint", p.Message, p.Hint, want)
		}
	}
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	must(t, err)
	return info.Mode()
}

func inode(t *testing.T, path string) uint64 {
	t.Helper()
	info, err := os.Lstat(path)
	must(t, err)
	return info.Sys().(*syscall.Stat_t).Ino
}

func TestHookFiles(t *testing.T) {
	dir := t.TempDir()
	p := planIn(dir, "karel")
	files := filepath.Join(dir, ".ucas/tmp/karel")
	with := func(list ...plan.File) *plan.Plan {
		q := *p
		q.FilesDir = files
		for _, f := range list {
			f.Path = filepath.Join(files, f.Path)
			q.Files = append(slices.Clip(q.Files), f)
		}
		return &q
	}
	must(t, launch.WriteFiles(with(
		plan.File{Path: "config.json", Text: "{}"}, plan.File{Path: "a/b/text", Text: "one"},
		plan.File{Path: "skills", Link: "/nowhere"}, plan.File{Path: "a/link", Link: "../config.json"},
	)))
	want := func(step string, names ...string) {
		t.Helper()
		var got []string
		must(t, filepath.WalkDir(files, func(path string, e fs.DirEntry, err error) error {
			name, _ := filepath.Rel(files, path)
			if target, lerr := os.Readlink(path); lerr == nil {
				name += " -> " + target
			} else if !e.IsDir() && mode(t, path) != 0o600 {
				t.Errorf("%s is %v", path, mode(t, path))
			}
			if !e.IsDir() && name != plan.Manifest {
				got = append(got, name)
			}
			return err
		}))
		if !slices.Equal(got, names) {
			t.Errorf("%s: got %q, want %q", step, got, names)
		}
	}
	want("first", "a/b/text", "a/link -> ../config.json", "config.json", "skills -> /nowhere")

	must(t, os.WriteFile(filepath.Join(files, "a", "own"), nil, 0o600)) // the harness's
	must(t, launch.WriteFiles(with(
		plan.File{Path: "skills/one", Text: "1"}, plan.File{Path: "config.json", Link: "elsewhere"}, plan.File{Path: "a/link", Text: "text"},
	)))
	want("kinds changed", "a/link", "a/own", "config.json -> elsewhere", "skills/one")
	if _, err := os.Lstat("/nowhere"); err == nil {
		t.Error("a file was written through an old link")
	}

	must(t, os.RemoveAll(filepath.Join(files, "skills")))
	must(t, os.Symlink(t.TempDir(), filepath.Join(files, "skills")))
	err := launch.WriteFiles(with(plan.File{Path: "skills/one", Text: "1"}))
	if err == nil || !strings.Contains(err.Error(), "symbolic link, not a directory") {
		t.Errorf("a link in the way of a directory: %v", err)
	}
	// A manifest that somebody else wrote removes nothing outside.
	elsewhere := t.TempDir()
	must(t, os.WriteFile(filepath.Join(elsewhere, "precious"), nil, 0o600))
	must(t, os.Symlink(elsewhere, filepath.Join(files, "way")))
	must(t, os.WriteFile(filepath.Join(files, plan.Manifest), []byte("way/precious\n../../../x\n/etc/x\n"), 0o600))
	must(t, launch.WriteFiles(with()))
	if _, err := os.Stat(filepath.Join(elsewhere, "precious")); err != nil {
		t.Error("a file outside was removed:", err)
	}
	must(t, os.Remove(filepath.Join(files, plan.Manifest)))
	must(t, os.Symlink("/dev/zero", filepath.Join(files, plan.Manifest)))
	if err := launch.WriteFiles(with()); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a manifest that is a link: %v", err)
	}
	must(t, os.Remove(filepath.Join(files, plan.Manifest)))

	must(t, os.Remove(filepath.Join(files, "skills")))
	must(t, os.Mkdir(filepath.Join(files, "skills"), 0o700))
	if err := launch.WriteFiles(with(plan.File{Path: "skills", Link: "x"})); err == nil || !strings.Contains(err.Error(), "a directory, and a link belongs there") {
		t.Errorf("a directory in the way of a link: %v", err)
	}
}
