package plan

import (
	"slices"

	"ucas/engine/diag"
	"ucas/engine/merge"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// A Hook is a layer hook that has a say in the command.
type Hook struct {
	// Run names the hook in origins.
	Run *merge.Hook
	// Call calls it with its argument besides ctx.
	Call func(argument *tree.Node) (*tree.Node, error)
}

func (h *Hook) origin() Origin { return Origin{Key: h.Run.Name, Span: h.Run.Span, Hook: h.Run} }

// wrong returns the error that a hook returned what it must not.
func (h *Hook) wrong(want string, got *tree.Node) *diag.Problem {
	if got == nil || got.Kind == tree.Null {
		return diag.At(h.Run.Span, "%s must return %s, and returned None", h.Run, want)
	}
	return diag.At(h.Run.Span, "%s must return %s, not %s", h.Run, want, Kind(got))
}

// Kind says what a value is, but not which: a hook may return a secret.
func Kind(n *tree.Node) string {
	switch n.Kind {
	case tree.Null:
		return "None"
	case tree.Int:
		return "an " + n.Kind.String()
	}
	return "a " + n.Kind.String()
}

// words returns a list of text that a hook returned; it must not be empty.
func (h *Hook) words(what string, list *tree.Node) ([]string, *diag.Problem) {
	if list == nil || list.Kind != tree.List {
		return nil, h.wrong(what, list)
	}
	if list.Len > maxWords {
		return nil, diag.At(h.Run.Span, "%s returns %d arguments; at most %d can be passed", h.Run, list.Len, maxWords)
	}
	if list.Len == 0 {
		return nil, diag.At(h.Run.Span, "%s must return %s, and the list is empty", h.Run, what)
	}
	var texts []string
	for item := range list.Items() {
		switch item.Kind {
		case tree.String, tree.Int, tree.Float:
			texts = append(texts, item.Text)
		default:
			return nil, diag.At(h.Run.Span, "%s must return %s; its item %d (from 0) is %s", h.Run, what, len(texts), Kind(item))
		}
	}
	return texts, nil
}

// wrap puts around the command what layer hooks say, the weakest innermost.
func (b *builder) wrap() {
	if len(b.problems) > 0 {
		return // a command that is not whole would only lead to more
	}
	for _, h := range b.Wraps {
		result, err := h.Call(b.wholeCommand())
		if err != nil {
			b.problems = append(b.problems, diag.All(err)...)
			return
		}
		texts, problem := h.words("a list of text", result)
		if problem != nil {
			b.fail(problem.WithHint(`return the arguments to run, as in ["nice"] + command.argv; to change nothing, return command.argv`))
			return
		}
		inner := b.plan.Argv
		b.plan.Argv = nil
		b.around(inner, texts, h)
	}
}

// around makes the words of a wrapped command: those of the command inside keep
// their origins, the others come from the hook.
func (b *builder) around(inner []Word, texts []string, h *Hook) {
	start := lastIndex(texts, inner)
	for i, text := range texts {
		if start >= 0 && i >= start && i < start+len(inner) {
			b.word(inner[i-start])
			continue
		}
		b.word(Word{Text: text, From: h.origin()})
	}
}

// lastIndex returns where the words stand in the texts, one after another, -1 if
// they do not.
func lastIndex(texts []string, words []Word) int {
	same := func(w Word, text string) bool { return w.Text == text }
	for i := len(texts) - len(words); i >= 0; i-- {
		if slices.EqualFunc(words, texts[i:i+len(words)], same) {
			return i
		}
	}
	return -1
}

// wholeCommand is what the hook wrap is given.
func (b *builder) wholeCommand() *tree.Node {
	var env []*tree.Node
	for _, v := range b.plan.Env {
		value := newText(v.Value)
		if v.Unset {
			value = &tree.Node{}
		}
		env = append(env, value.Named(v.Name))
	}
	return newMap(
		tree.NewTexts(b.plan.Args()).Named("argv"),
		newText(b.Dir).Named("dir"),
		newText(b.Session).Named("session"),
		newMap(env...).Named("env"),
		tree.NewTexts(b.plan.SearchPath.Dirs).Named("path"),
		tree.NewTexts(b.skillDirs()).Named("skills"),
		orNone(b.plan.Prompt.File).Named("prompt_file"),
		orNone(b.usedFilesDir()).Named("files_dir"),
	)
}

// usedFilesDir is where a command hook has files, "" if it has none.
func (b *builder) usedFilesDir() string {
	for _, f := range b.plan.Files {
		if _, ok := b.plan.HookFile(f); ok {
			return b.plan.FilesDir
		}
	}
	return ""
}

// scripted is what the hook wrapper is given: the command, and what stands for
// the script that runs it.
func (b *builder) scripted() *tree.Node {
	return b.wholeCommand().With("script", newText("{script}"))
}

// launcherOf returns the hook that a definition of the key wrapper stands for.
func (b *builder) launcherOf(d *merge.Definition) *Hook {
	if b.Launcher == nil {
		return nil
	}
	return b.Launcher(d)
}

// launcher lets a layer hook make the wrapper. It reports whether the hook did:
// one that returns None leaves it to what its definition replaced.
func (b *builder) launcher(h *Hook) bool {
	if len(b.problems) > 0 {
		return true
	}
	result, err := h.Call(b.scripted())
	if err != nil {
		b.problems = append(b.problems, diag.All(err)...)
		return true
	}
	if result == nil || result.Kind == tree.Null {
		return false
	}
	texts, problem := h.words("a list of text", result)
	const example = `["screen", "-S", command.session, "sh", command.script]`
	switch {
	case problem != nil:
		b.fail(problem.WithHint("return the arguments that start the session, as in %s; or None to leave it to weaker levels", diag.Lines(example)))
	case !namesScript(texts):
		b.fail(diag.At(h.Run.Span, "%s would not start the agent: none of its arguments is command.script", h.Run).
			WithHint("return it as in %s", diag.Lines(example)))
	default:
		b.plan.Wrapper = Wrapper{Name: WrapperHook, Argv: texts, From: h.origin()}
	}
	return true
}

func textOf(n *tree.Node) string {
	if n == nil || n.Kind != tree.String {
		return ""
	}
	return n.Text
}

func newText(text string) *tree.Node { return tree.NewString(text, source.Span{}) }

// orNone returns a text, or null for "".
func orNone(text string) *tree.Node {
	if text == "" {
		return &tree.Node{}
	}
	return newText(text)
}

func newMap(values ...*tree.Node) *tree.Node { return tree.NewMap(values, source.Span{}) }
