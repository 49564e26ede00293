package plan

import (
	"path/filepath"
	"slices"
	"strings"

	"ucas/engine/diag"
	"ucas/engine/merge"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// An input is something that a harness can be given by its mappings.
type input int

// The inputs, in the order of their arguments.
const (
	promptFile input = iota
	promptText
	skillsDir
	modelFlag
	memoryDir
	sessionName
	task
	numInputs
)

var inputNames = [numInputs]string{
	"prompt_file", "prompt_text", "skills_dir", "model_flag", "memory_dir", "session", "task",
}

// skillsJoin may stand in arg_mapping beside the inputs: what joins the
// directories of skills to one value.
const skillsJoin = "skills_join"

// maxText is how long an argument or variable can be on Linux, its end marked
// by a NUL (MAX_ARG_STRLEN); macOS takes longer ones.
const maxText = 128 << 10

// A value is what an input holds, and where that comes from.
type value struct {
	text string
	from Origin
}

// joined returns the values as one, which comes from where the first does.
func joined(values []value, by string) value {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = v.text
	}
	return value{strings.Join(texts, by), values[0].from}
}

// origin returns where a value comes from that a definition sets; the
// definition may be nil.
func origin(key string, span source.Span, d *merge.Definition) Origin {
	o := Origin{Key: key, Span: span}
	if d != nil {
		o.Hook = d.Hook
	}
	return o
}

// from returns the origin of a value, or of a part of it, that a key's winner
// sets.
func (b *builder) from(key string, span source.Span) Origin {
	name, _, _ := strings.Cut(key, ".")
	if k := b.Doc.Key(name); k != nil {
		for _, d := range slices.Backward(k.Definitions) {
			at := d.Span
			if (d.Fate == merge.Set || d.Fate == merge.Merged) && at.File == span.File && at.Start <= span.Start && span.End <= at.End {
				return origin(key, span, d)
			}
		}
	}
	return origin(key, span, nil)
}

// collect finds the values of the inputs, and checks that the mappings name
// no others.
func (b *builder) collect() {
	if b.plan.Prompt.File != "" {
		b.values[promptFile] = []value{{b.plan.Prompt.File, Origin{Key: "PROMPT.md"}}}
		b.values[promptText] = []value{{b.plan.Prompt.Text, Origin{Key: "PROMPT.md"}}}
	}
	for _, s := range b.plan.Skills {
		b.values[skillsDir] = append(b.values[skillsDir], value{s.Dir, s.From})
	}
	if b.plan.Model != "" {
		from := b.from("model_mapping", b.Model.From)
		if b.Model.Hook != nil {
			from.Hook = b.Model.Hook
		}
		b.values[modelFlag] = []value{{b.plan.Model, from}}
	}
	b.values[memoryDir] = []value{{filepath.Join(b.Dir, source.ProjectDir, source.MemDir, b.Memory), Origin{Key: "agent"}}}
	b.values[sessionName] = []value{{b.Session, Origin{Key: "session"}}}
	if t := b.Doc.Get("task"); t != nil {
		b.values[task] = []value{{t.Text, b.from("task", t.Span())}}
	}
	b.checkInputs("arg_mapping")
	b.checkInputs("env_mapping")
	if b.isMapped(memoryDir) && b.Command == nil {
		b.plan.Dirs = append(b.plan.Dirs, b.values[memoryDir][0].text)
	}
}

func (b *builder) checkInputs(mapping string) {
	for node := range b.Doc.Get(mapping).Items() {
		if node.Key == skillsJoin && mapping == "arg_mapping" {
			if !node.IsScalar() {
				b.fail(diag.At(node.Span(), "%s must be text, not a %s", skillsJoin, node.Kind).WithHint(`write %s: ":"`, skillsJoin))
			}
			continue
		}
		if slices.Contains(inputNames[:], node.Key) {
			continue
		}
		p := diag.At(node.KeySpan(), "%s: there is no input %q", mapping, node.Key)
		p.Hint = diag.DidYouMean(node.Key, inputNames[:])
		if p.Hint == "" {
			p.Hint = "the inputs are " + strings.Join(inputNames[:], ", ")
		}
		b.fail(p)
	}
}

// mapping returns what an input is mapped to, nil if it is not.
func (b *builder) mapping(name string, in input) *tree.Node {
	if to := b.Doc.Get(name).Get(inputNames[in]); to != nil && to.Kind != tree.Null {
		return to
	}
	return nil
}

func (b *builder) isMapped(in input) bool {
	return b.mapping("arg_mapping", in) != nil || b.mapping("env_mapping", in) != nil
}

// command makes the arguments.
func (b *builder) command() {
	program := b.Doc.Winner("executable")
	if program == nil || program.Value.Text == "" {
		b.fail(diag.Errorf("%s sets no executable", b.ACLI).WithHint("an ACLI needs the key executable: the program to run"))
		return
	}
	if b.Command != nil {
		b.byHook(program)
		return
	}
	b.word(Word{Text: b.Doc.Text("executable"), From: origin("executable", program.Span, program)})
	for arg := range b.Doc.Get("args").Items() {
		b.word(Word{Text: arg.Text, From: b.from("args", arg.Span())})
	}
	for in := promptFile; in < task; in++ {
		b.mapped(in)
	}
	for _, arg := range b.Extra {
		b.word(Word{Text: arg, From: Origin{Key: "command line"}})
	}
	b.mapped(task)
}

// word adds an argument, if it can be one.
func (b *builder) word(w Word) {
	if strings.Contains(w.Text, "\x00") {
		b.fail(diag.At(w.From.Span, "%s holds a NUL character, which no argument can", w.From.Key).WithHint("remove it"))
		return
	}
	if len(w.Text) >= maxText {
		b.fail(diag.At(w.From.Span, "%s is longer than the system lets an argument be (%d bytes)", w.From.Key, maxText).
			WithHint("pass a long prompt by its file: map prompt_file, not prompt_text"))
		return
	}
	b.plan.Argv = append(b.plan.Argv, w)
}

// mapped adds the arguments of an input.
func (b *builder) mapped(in input) {
	to := b.mapping("arg_mapping", in)
	if to == nil {
		return
	}
	values := b.values[in]
	if join, ok := b.join(); in == skillsDir && ok && len(values) > 0 {
		values = []value{joined(values, join)}
	}
	for _, v := range values {
		for _, w := range expand(to, v) {
			w.From = b.from("arg_mapping."+inputNames[in], to.Span())
			b.word(w)
		}
	}
}

// join returns what joins the directories of skills, if anything.
func (b *builder) join() (string, bool) {
	join := b.Doc.Get("arg_mapping").Get(skillsJoin)
	if join == nil {
		join = b.Doc.Get(skillsJoin)
	}
	if join == nil || join.Kind == tree.Null {
		return "", false
	}
	return join.Text, true
}

// expand puts a value into what its input is mapped to. "--flag" gives two
// arguments; a text with {} gives one; a list gives one an item, and one more
// for the value if no item has {}.
func expand(to *tree.Node, v value) []Word {
	var words []Word
	placed := false
	put := func(template string) {
		w := Word{Text: strings.ReplaceAll(template, "{}", v.text)}
		if strings.Contains(template, "{}") {
			w.ValueFrom, placed = v.from, true
		}
		words = append(words, w)
	}
	if to.Kind == tree.List {
		for item := range to.Items() {
			put(item.Text)
		}
	} else {
		put(to.Text)
	}
	if !placed {
		put("{}")
	}
	return words
}

// ignored warns of what the configuration says and the harness cannot take.
func (b *builder) ignored() {
	if b.Command == nil {
		b.unmapped()
	}
	if d := b.Doc.Winner("locked"); d != nil {
		b.warn(diag.Warn(d.Span, "locked locks nothing: this version has no locks").WithHint("force values with override files"))
	}
	for _, key := range []string{"mcp_servers", "directories", "prompt_mode"} {
		if span, ok := b.isSet(key); ok && !b.isCapable(key) {
			b.warn(diag.Warn(span, "%s cannot take %s, which is set here", b.ACLI, key).
				WithHint("what a harness can take is listed in its capabilities"))
		}
	}
}

// unmapped warns of inputs that no mapping passes on.
func (b *builder) unmapped() {
	if b.plan.Prompt.File != "" && !b.isMapped(promptFile) && !b.isMapped(promptText) {
		b.warn(diag.Warn(source.Span{}, "the prompt is not passed: %s maps neither prompt_file nor prompt_text", b.ACLI).
			WithHint("add one to its arg_mapping"))
	}
	if b.plan.Model != "" && !b.isMapped(modelFlag) {
		b.warn(diag.Warn(b.Model.From, "the model %s is not passed: %s maps no model_flag", b.plan.Model, b.ACLI).
			WithHint("add model_flag to its arg_mapping"))
	}
	if d := b.Doc.Winner("task"); d != nil && !b.isMapped(task) {
		b.warn(diag.Warn(d.Span, "the task is not passed: %s does not map task", b.ACLI).
			WithHint("add task to its arg_mapping, or give the task yourself"))
	}
}

// isSet reports whether a key, or an entry of it, is in force, and where.
func (b *builder) isSet(key string) (source.Span, bool) {
	for _, k := range b.Doc.Below(key) {
		if d := k.Winner(); d != nil {
			return d.Span, true
		}
	}
	k := b.Doc.Key(key)
	if k == nil || k.Value == nil {
		return source.Span{}, false
	}
	if len(k.Items) > 0 {
		return k.Items[0].Span, true
	}
	return k.Value.Span(), true
}

func (b *builder) isCapable(of string) bool {
	for item := range b.Doc.Get("capabilities").Items() {
		if item.Text == of {
			return true
		}
	}
	return false
}
