package engine

import (
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ucas/engine/diag"
	"ucas/engine/find"
	"ucas/engine/merge"
	"ucas/engine/plan"
	"ucas/engine/script"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// A world answers the questions of layer hooks, and is the only place where
// they reach anything. It records what they read.
type world struct {
	a   *assembler
	run *run
	// files are the answers about files: each is looked at once in an
	// assembly.
	files map[string]script.Answer
	// size is how much the hooks made so far and read how much of files, in
	// bytes; reads is how often they asked, spent how long the answers took.
	size, read, reads int
	spent             time.Duration
}

// The limits of what all hooks of an assembly can make this process do, besides
// those of package script.
const (
	maxAnswers = 500 * time.Millisecond // for all answers together
	maxReads   = 50_000
	maxRead    = 16 << 20 // bytes of answers, those about files counted once more
	maxName    = 4 << 10  // bytes of a path or a key: as long as a path can be
)

// A run is one evaluation of a hook.
type run struct {
	level *Level
	index int
	hook  *merge.Hook
	// folder is what is merged so far, sets what the hook added to it, if it
	// may.
	folder   *merge.Folder
	writable bool
	sets     []merge.Source
	// asksACLI says that it looked at the harness that is chosen.
	asksACLI bool
	// said is what it printed and warned of, size how much it made.
	said diag.List
	size int
	// strayed says that it loads a file that is not known, see [hooks.isKnown].
	strayed bool
	// local says that it runs in this process.
	local bool
}

// library is where load finds what comes with ucas.
const library = "@ucas//"

func newWorld(a *assembler) *world {
	return &world{a: a, files: make(map[string]script.Answer)}
}

func (w *world) begin(r *run) { w.run = r }
func (w *world) end()         { w.run = nil }

// Answer answers a question of the hook that runs.
func (w *world) Answer(q script.Question) (script.Answer, error) {
	if err := w.allow(q); err != nil {
		return script.Answer{}, err
	}
	began := time.Now()
	defer func() { w.spent += time.Since(began) }()
	switch q.Op {
	case script.OpLoad:
		return w.load(q)
	case script.OpGet:
		return w.get(q)
	case script.OpSet, script.OpUnset:
		return script.Answer{}, w.set(q)
	case script.OpEnv:
		return w.record(q, w.variable(q.Name)), nil
	case script.OpWhich:
		return w.which(q)
	case script.OpRead, script.OpExists, script.OpGlob:
		return w.file(q)
	case script.OpFact:
		return w.fact(q), nil
	case script.OpWarn, script.OpPrint:
		return script.Answer{}, w.say(q)
	}
	return script.Answer{}, diag.Errorf("no hook can ask that (%d)", q.Op).WithHint("this is a bug in ucas, please report it")
}

// allow refuses what would take too much of this process.
func (w *world) allow(q script.Question) error {
	w.reads++
	switch {
	case w.spent > maxAnswers:
		return diag.Errorf("what the hooks ask for takes more than %g seconds", maxAnswers.Seconds()).
			WithHint("ask less often, and for less")
	case w.read > maxRead:
		return diag.Errorf("the hooks read more than %d MiB", maxRead>>20).WithHint("read less, or read it once")
	case w.reads > maxReads:
		return diag.Errorf("the hooks ask more than %d times", maxReads).WithHint("ask once, and keep the answer in a variable")
	case len(q.Name) > maxName && q.Op != script.OpWarn && q.Op != script.OpPrint:
		return diag.Errorf("a name of %d bytes; at most %d are allowed", len(q.Name), maxName).WithHint("use a shorter one")
	}
	return nil
}

// Environ implements [script.Environment].
func (w *world) Environ() []string { return w.a.o.Environ }

// record keeps what a hook read.
func (w *world) record(q script.Question, value *tree.Node, definitions ...*merge.Definition) script.Answer {
	w.read += sizeOf(value)
	w.run.hook.Reads = append(w.run.hook.Reads, &merge.Read{
		Op: q.Op.String(), Name: q.Name, Value: value, At: q.At, Definitions: definitions,
	})
	return script.Answer{Value: value}
}

// load finds a module: one of ucas's own, or a file of the layer.
func (w *world) load(q script.Question) (script.Answer, error) {
	w.record(q, nil)
	if name, ok := strings.CutPrefix(q.Name, library); ok {
		return w.loadLibrary(q.Name, name)
	}
	if !strings.HasSuffix(q.Name, ".star") {
		return script.Answer{}, diag.Errorf("%q is no file of Starlark", q.Name).
			WithHint(`name a file that ends in .star, or %sNAME.star`, library)
	}
	name := strings.TrimPrefix(q.Name, ":")
	file, err := w.a.library.ReadInside(w.place(q.At), name)
	if err != nil {
		return script.Answer{}, err
	}
	if file == nil {
		return script.Answer{}, diag.Errorf("there is no file %q in the layer", q.Name).
			WithHint("a name is relative to the file that loads it; //NAME starts at the layer's own directory")
	}
	if w.run.local && !w.a.hooks.isKnown(file) {
		w.run.strayed = true
		return script.Answer{}, diag.Errorf("%s is not known", q.Name) // see hooks.load
	}
	return script.Answer{File: file}, nil
}

func (w *world) loadLibrary(whole, name string) (script.Answer, error) {
	if w.a.o.Starlib == nil {
		return script.Answer{}, diag.Errorf("this program comes without %s", library).
			WithHint("a program that embeds ucas gives it as Options.Starlib")
	}
	text, err := fs.ReadFile(w.a.o.Starlib, name)
	if err == nil {
		return script.Answer{File: source.NewFile(whole, text)}, nil
	}
	names, _ := fs.Glob(w.a.o.Starlib, "*.star")
	p := diag.Errorf("there is no %s", whole)
	if near := diag.Nearest(name, names); len(near) > 0 {
		return script.Answer{}, p.WithHint("did you mean %s%s?", library, near[0])
	}
	return script.Answer{}, p.WithHint("there are %s", strings.Join(names, ", "))
}

// place is the directory that the paths of a hook are relative to: that of the
// file that asks, if it lies in the layer.
func (w *world) place(at source.Span) find.Place {
	place := find.Place{Layer: w.run.level.Layer, Dir: w.run.level.Dir}
	if at.File != nil && at.File.Path != "" {
		place.Dir = filepath.Dir(at.File.Path)
	}
	return place
}

func (w *world) get(q script.Question) (script.Answer, error) {
	path, err := hookPath(q.Name)
	if err != nil {
		return script.Answer{}, err
	}
	value, definitions := w.run.folder.Doc().Lookup(path)
	return w.record(q, value, definitions...), nil
}

// set adds a definition, at the place where the hook asks for it.
func (w *world) set(q script.Question) error {
	path, err := hookPath(q.Name)
	if err != nil {
		return err
	}
	if !w.run.writable {
		return diag.Errorf("keys are settled here").WithHint("a level's configure(ctx) sets keys; in ucas eval, name the level: --level NAME")
	}
	if path[0] == "members" {
		return diag.Errorf("a team's members are read before hooks run, so none can set them").
			WithHint("list them in the team's ucas.yaml; a hook can compute what each gets from ctx.member")
	}
	value := q.Value
	if q.Op == script.OpUnset {
		value = &tree.Node{File: q.At.File, Start: uint32(q.At.Start), End: uint32(q.At.End)}
	}
	if err := w.grow(len(q.Name) + sizeOf(value)); err != nil {
		return err
	}
	r := w.run
	set := merge.Source{
		Level: r.level.Level.Level, Index: r.index, Dir: r.level.Dir, Tree: value, Path: path,
		Hook: r.hook, Reads: slices.Clip(r.hook.Reads),
	}
	if err := r.folder.Add(&set); err != nil {
		return inHook(err)
	}
	r.sets = append(r.sets, set)
	return nil
}

// inHook returns the first problem of what a hook set; the way out of it is
// told for files.
func inHook(err error) error {
	problems := diag.All(err)
	if len(problems) == 0 {
		return nil
	}
	p := *problems[0]
	if example, ok := strings.CutPrefix(p.Hint, "write "); ok {
		p.Hint = "in ucas.yaml it would be\n" + example
	}
	return &p
}

// grow counts what hooks make.
func (w *world) grow(size int) error {
	w.run.size += size
	if w.size += size; w.size > script.MaxResult {
		return diag.Errorf("the hooks make more than %d MiB in all", script.MaxResult>>20).
			WithHint("keep what is large in files, and name them")
	}
	return nil
}

// sizeOf is about how many bytes a value takes.
func sizeOf(n *tree.Node) int {
	const node = 16
	if n == nil {
		return node
	}
	size := node + len(n.Key) + len(n.Text)
	for c := range n.Items() {
		size += sizeOf(c)
	}
	return size
}

// hookPath reads a path of keys as hooks write it.
func hookPath(text string) ([]string, error) {
	path, rest, ok := parsePath(text + "=")
	if !ok || rest != "=" || slices.Contains(path, "") || len(path) > script.MaxDepth {
		return nil, diag.Errorf("%q is no path of keys", text).
			WithHint(`join keys with dots, as in "env.DEBUG"; write one that has a dot in quotes: 'model_mapping."gpt-5.2"'`)
	}
	return path, nil
}

// variable returns a variable of the environment, nil if it is not set.
func (w *world) variable(name string) *tree.Node {
	value, ok := plan.LookupEnv(w.a.o.Environ, name)
	if !ok {
		return nil
	}
	return tree.NewString(value, source.Span{})
}

// which looks for a program as a shell would.
func (w *world) which(q script.Question) (script.Answer, error) {
	const longest = 255 // bytes of a file's name
	if q.Name == "" || len(q.Name) > longest || strings.Contains(q.Name, "/") {
		return script.Answer{}, diag.Errorf("%q is no name of a program", q.Name).
			WithHint("give the name alone: it is looked for on PATH")
	}
	path := plan.Getenv(w.a.o.Environ, "PATH")
	found, err := plan.LookPath(q.Name, w.a.o.Dir, path)
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(plan.Absolute(dir, w.a.o.Dir), q.Name)
		w.a.library.Note(file, err == nil && file == found)
		if file == found {
			break
		}
	}
	if err != nil {
		return w.record(q, nil), nil
	}
	return w.record(q, tree.NewString(found, source.Span{})), nil
}

// file answers questions about files of the layer.
func (w *world) file(q script.Question) (script.Answer, error) {
	place := w.place(q.At)
	key := q.Op.String() + "\x00" + place.Dir + "\x00" + q.Name
	answer, known := w.files[key]
	if !known {
		value, err := w.look(q, place)
		if err != nil {
			return script.Answer{}, err
		}
		w.read += len(key) + sizeOf(value)
		answer = script.Answer{Value: value}
		w.files[key] = answer
	}
	return w.record(q, answer.Value), nil
}

func (w *world) look(q script.Question, place find.Place) (*tree.Node, error) {
	switch q.Op {
	case script.OpRead:
		file, err := w.a.library.ReadInside(place, q.Name)
		if file == nil || err != nil {
			return nil, err
		}
		return tree.NewString(string(file.Text), source.Span{}), nil
	case script.OpExists:
		there, err := w.a.library.ExistsInside(place, q.Name)
		return newBool(there), err
	}
	paths, err := w.a.library.GlobInside(place, q.Name)
	return tree.NewTexts(paths), err
}

// fact answers what an attribute of ctx is.
func (w *world) fact(q script.Question) script.Answer {
	if q.Name == "mods" {
		return w.record(q, tree.NewTexts(w.a.mods))
	}
	if q.Name == "acli" {
		w.run.asksACLI = true
	}
	if text := w.factText(q.Name); text != "" {
		return w.record(q, tree.NewString(text, source.Span{}))
	}
	return w.record(q, nil)
}

// factText returns a fact, "" if there is none.
func (w *world) factText(name string) string {
	switch a, l := w.a, w.run.level; name {
	case "layer":
		return l.Layer.String()
	case "level":
		return l.Level.Level.String()
	case "agent":
		return a.agent
	case "team":
		return a.o.Team
	case "member":
		return a.o.Member
	case "session":
		return a.sessionName(a.agentLevel().Entity)
	case "project":
		return a.o.Dir
	case "os":
		return runtime.GOOS
	case "arch":
		return runtime.GOARCH
	case "acli":
		return a.chosenName()
	}
	return ""
}

// say takes up what a hook prints or warns of. It is told if the run counts in
// the end.
func (w *world) say(q script.Question) error {
	if err := w.grow(sizeOfProblem + len(q.Name)); err != nil {
		return err
	}
	p := diag.Warn(q.At, "%s", q.Name)
	if q.Op == script.OpPrint {
		p.Severity, p.Message = diag.Note, q.Name
	}
	w.run.said = append(w.run.said, p)
	return nil
}

// sizeOfProblem is about how many bytes a problem takes, besides its text.
const sizeOfProblem = 64

func newBool(b bool) *tree.Node {
	if b {
		return &tree.Node{Kind: tree.Bool, Text: "true"}
	}
	return &tree.Node{Kind: tree.Bool, Text: "false"}
}
