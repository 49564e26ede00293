package plan

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ucas/engine/diag"
	"ucas/engine/merge"
	"ucas/engine/tree"
)

// byHook lets the harness's own hook build the command, in place of its
// mappings.
func (b *builder) byHook(program *merge.Definition) {
	result, err := b.Command.Call(b.parts())
	if err != nil {
		b.problems = append(b.problems, diag.All(err)...)
		return
	}
	if result != nil && result.Kind == tree.List {
		result = tree.NewMap([]*tree.Node{result.Named("argv")}, result.Span())
	}
	const shape = "struct(argv = [...], env = {...}, files = {...})"
	if result == nil || result.Kind != tree.Map {
		b.fail(b.Command.wrong("a struct with argv", result).WithHint("return %s; env and files may be left out", shape))
		return
	}
	for part := range result.Items() {
		if !slices.Contains([]string{"argv", "env", "files"}, part.Key) {
			b.fail(diag.At(b.Command.Run.Span, "%s must return argv, env and files; there is no %s", b.Command.Run, part.Key).
				WithHint("return %s", shape))
			return
		}
	}
	b.hookWords(result.Get("argv"), program)
	b.hookVariables(result.Get("env"))
	b.hookFiles(result.Get("files"))
	b.hookMemory()
}

// hookMemory lets the directory of memory be made, if the command names it.
func (b *builder) hookMemory() {
	dir := b.values[memoryDir][0].text
	named := slices.ContainsFunc(b.plan.Argv, func(w Word) bool { return strings.Contains(w.Text, dir) }) ||
		slices.ContainsFunc(b.plan.Env, func(v Var) bool { return strings.Contains(v.Value, dir) }) ||
		slices.ContainsFunc(b.plan.Files, func(f File) bool { return strings.Contains(f.Text, dir) || strings.Contains(f.Link, dir) })
	if named {
		b.plan.Dirs = append(b.plan.Dirs, dir)
	}
}

// parts is what a command hook builds from. session_id and resume are for
// sessions that are taken up again.
func (b *builder) parts() *tree.Node {
	var args []string
	for arg := range b.Doc.Get("args").Items() {
		args = append(args, arg.Text)
	}
	return newMap(
		newText(b.Doc.Text("executable")).Named("executable"),
		tree.NewTexts(args).Named("args"),
		orNone(b.plan.Prompt.File).Named("prompt_file"),
		orNone(b.plan.Prompt.Text).Named("prompt_text"),
		tree.NewTexts(b.skillDirs()).Named("skills"),
		orNone(b.plan.Model).Named("model"),
		b.only(task).Named("task"),
		newText(b.Session).Named("session"),
		orNone("").Named("session_id"),
		orNone("").Named("resume"),
		tree.NewTexts(b.Extra).Named("extra"),
		newText(b.values[memoryDir][0].text).Named("memory_dir"),
		tree.NewTexts(b.directories()).Named("directories"),
		newText(b.filesDir()).Named("files_dir"),
		newText(b.Dir).Named("dir"),
	)
}

// only returns the value of an input that has at most one.
func (b *builder) only(in input) *tree.Node {
	if len(b.values[in]) == 0 {
		return orNone("")
	}
	return newText(b.values[in][0].text)
}

func (b *builder) skillDirs() []string {
	dirs := make([]string, len(b.plan.Skills))
	for i, s := range b.plan.Skills {
		dirs[i] = s.Dir
	}
	return dirs
}

// directories are those of that key, from the root on.
func (b *builder) directories() []string {
	var dirs []string
	if key := b.Doc.Key("directories"); key != nil {
		for _, item := range key.Items {
			dirs = append(dirs, Absolute(item.Text, item.Dir))
		}
	}
	return dirs
}

// filesDir is where the files of a command hook are written.
func (b *builder) filesDir() string { return b.artifact("") }

// hookWords takes up the arguments that a command hook returned. One that is
// an input's value comes from where that does.
func (b *builder) hookWords(argv *tree.Node, program *merge.Definition) {
	texts, problem := b.Command.words("a list of text as argv", argv)
	if problem != nil {
		b.fail(problem.WithHint("return the program and its arguments, as in argv = [parts.executable] + parts.args"))
		return
	}
	for i, text := range texts {
		w := Word{Text: text, From: b.Command.origin(), ValueFrom: b.valueFrom(text)}
		if i == 0 && text == program.Value.Text {
			w.ValueFrom = origin("executable", program.Span, program)
		}
		b.word(w)
	}
}

// valueFrom returns where a text comes from that is the value of an input, of
// args or of the command line.
func (b *builder) valueFrom(text string) Origin {
	for _, values := range b.values {
		for _, v := range values {
			if v.text == text {
				return v.from
			}
		}
	}
	for arg := range b.Doc.Get("args").Items() {
		if arg.Text == text {
			return b.from("args", arg.Span())
		}
	}
	if slices.Contains(b.Extra, text) {
		return Origin{Key: "command line"}
	}
	return Origin{}
}

// hookVariables takes up the variables that a command hook returned. What env
// says about the same variable is stronger.
func (b *builder) hookVariables(env *tree.Node) {
	if env == nil || env.Kind == tree.Null {
		return
	}
	if env.Kind != tree.Map {
		b.fail(b.Command.wrong("a dict of variables as env", env).WithHint(`return env = {"NAME": "value"}`))
		return
	}
	if int(env.Len) > maxVars {
		b.fail(diag.At(b.Command.Run.Span, "%s sets %d variables; at most %d can be", b.Command.Run, env.Len, maxVars).WithHint("put them into a file"))
		return
	}
	for node := range env.Items() {
		v := Var{Name: node.Key, Value: node.Text, Unset: node.Kind == tree.Null, From: b.Command.origin()}
		if !node.IsScalar() {
			b.fail(b.Command.wrong("text for the variable "+node.Key, node).WithHint("a variable holds one text"))
			continue
		}
		if other, taken := b.taken(v.Name); taken {
			b.warn(diag.Warn(v.From.Span, "%s is set by %s, so that of the command hook does not count", v.Name, other.Key).
				WithPlace(other.Span, "it is set here"))
			continue
		}
		b.variable(v, v.From.Span)
	}
	b.sortVariables()
}

// hookFiles takes up the files that a command hook asks for: the text of each
// by its name below filesDir, or the target of a link.
func (b *builder) hookFiles(files *tree.Node) {
	if files == nil || files.Kind == tree.Null {
		return
	}
	hint := `return files = {"config.json": "text", "skills/one": struct(link = "/path")}`
	if files.Kind != tree.Map {
		b.fail(b.Command.wrong("a dict of files", files).WithHint("%s", hint))
		return
	}
	if int(files.Len) > maxFiles {
		b.fail(diag.At(b.Command.Run.Span, "%s wants %d files; at most %d can be had", b.Command.Run, files.Len, maxFiles).WithHint("put more into each"))
		return
	}
	for node := range files.Items() {
		if why := badFileName(node.Key, files); why != "" {
			b.fail(diag.At(b.Command.Run.Span, "%s cannot have the file %q: %s", b.Command.Run, node.Key, why).
				WithHint("a file's name is relative to .ucas/tmp/%s, with / between directories", b.Session))
			continue
		}
		f := File{Path: filepath.Join(b.plan.FilesDir, filepath.FromSlash(node.Key)), Text: node.Text}
		if node.Kind == tree.Map && node.Len == 1 {
			f.Text, f.Link = "", textOf(node.Get("link"))
		}
		if node.Kind != tree.String && f.Link == "" || strings.ContainsRune(f.Link, 0) {
			b.fail(b.Command.wrong("text or a link for the file "+node.Key, node).WithHint("%s", hint))
			continue
		}
		b.plan.Files = append(b.plan.Files, f)
	}
}

// badFileName says why a name can be no file's, "" if it can.
func badFileName(name string, files *tree.Node) string {
	switch {
	case name == "" || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "that is no name"
	case path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)) || name == ".":
		return "the name leads elsewhere, or is not in its plainest form"
	case name == Manifest:
		return "ucas keeps its list of the files there"
	case len(name) > maxFileName:
		return "the name is too long"
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if files.Get(dir) != nil {
			return dir + " is a file already"
		}
	}
	return ""
}

// Manifest is the file of Plan.FilesDir in which a launch lists what it wrote
// there.
const Manifest = ".ucas-files"

// What a hook may make of a command: more than any needs, and little enough to
// deal with.
const (
	maxFileName = 255 // bytes
	maxFiles    = 1_000
	maxVars     = 1_000
	maxWords    = 4_096
)
