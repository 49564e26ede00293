package plan

import (
	"slices"
	"strings"

	"ucas/engine/diag"
	"ucas/engine/merge"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// environment makes the changes to the environment: the variables of env, the
// inputs that are mapped to variables, and PATH.
func (b *builder) environment() {
	for i := len(b.plan.Skills) - 1; i >= 0; i-- {
		b.plan.SearchPath.Dirs = append(b.plan.SearchPath.Dirs, b.plan.Skills[i].Dir)
	}
	for _, key := range b.Doc.Below("env") {
		if v, at, ok := variable(key); ok {
			b.variable(v, at)
		}
	}
	if b.Command == nil {
		b.mappedVariables()
	}
	b.sortVariables()
}

// sortVariables puts the variables in the order of their names.
func (b *builder) sortVariables() {
	slices.SortFunc(b.plan.Env, func(x, y Var) int { return strings.Compare(x.Name, y.Name) })
}

// variable returns the change that a key such as env.DEBUG makes, if any, and
// where its name stands.
func variable(key *merge.Key) (v Var, at source.Span, ok bool) {
	name := strings.TrimPrefix(key.Name, "env.")
	for i := len(key.Definitions) - 1; i >= 0; i-- {
		switch d := key.Definitions[i]; d.Fate {
		case merge.Set:
			return Var{Name: name, Value: key.Value.Text, From: origin(key.Name, d.Span, d)}, d.Value.KeySpan(), true
		case merge.Unset:
			return Var{Name: name, Unset: true, From: origin(key.Name, d.Span, d)}, d.Value.KeySpan(), true
		}
	}
	return Var{}, source.Span{}, false
}

// variable takes up one change; its name stands at the given place.
func (b *builder) variable(v Var, at source.Span) {
	switch {
	case !isVarName(v.Name):
		b.fail(diag.At(at, "%q is no name of a variable", v.Name).
			WithHint("use letters, digits and '_', not a digit first"))
	case isShellsOwn(v.Name):
		b.fail(diag.At(at, "shells set %s themselves, so a value given here would not arrive", v.Name).
			WithHint("choose another name"))
	case strings.Contains(v.Value, "\x00"):
		b.fail(diag.At(at, "%s holds a NUL character, which no variable can", v.From.Key).WithHint("remove it"))
	case len(v.Name)+len(v.Value) >= maxText:
		b.fail(diag.At(at, "%s is longer than the system lets a variable be (%d bytes)", v.From.Key, maxText).
			WithHint("put it into a file"))
	case v.Name == "PATH":
		b.plan.SearchPath.Fixed, b.plan.SearchPath.Rest, b.plan.SearchPath.From = true, v.Value, v.From
	default:
		b.plan.Env = append(b.plan.Env, v)
	}
}

// mappedVariables sets the variables that env_mapping gives inputs to. What
// env says about the same variable is stronger.
func (b *builder) mappedVariables() {
	for in := promptFile; in < numInputs; in++ {
		to := b.mapping("env_mapping", in)
		if to == nil || len(b.values[in]) == 0 {
			continue
		}
		from := b.from("env_mapping."+inputNames[in], to.Span())
		if other, taken := b.taken(to.Text); taken {
			b.warn(diag.Warn(from.Span, "%s is set by %s, so %s is not put into it", to.Text, other.Key, inputNames[in]).
				WithPlace(other.Span, "it is set here"))
			continue
		}
		join, ok := b.join()
		if !ok {
			join = ":"
		}
		v := joined(b.values[in], join)
		b.variable(Var{Name: to.Text, Value: v.text, From: from, ValueFrom: v.from}, to.Span())
	}
}

// taken returns what sets a variable already, if anything.
func (b *builder) taken(name string) (by Origin, taken bool) {
	if name == "PATH" && b.plan.SearchPath.Fixed {
		return b.plan.SearchPath.From, true
	}
	for _, v := range b.plan.Env {
		if v.Name == name {
			return v.From, true
		}
	}
	return Origin{}, false
}

// wrapper finds what starts the command.
func (b *builder) wrapper() {
	w := Wrapper{Name: WrapperTmux, From: Origin{Key: "wrapper"}}
	for d := b.Doc.Winner("wrapper"); d != nil; d = d.Replaced {
		if h := b.launcherOf(d); h == nil {
			if d.Value.Kind != tree.Null {
				w.Name, w.From = d.Value.Text, origin("wrapper", d.Span, d)
			}
			break
		} else if b.launcher(h) {
			return
		}
	}
	declared := b.Doc.Get("wrappers")
	var names []string
	for node := range declared.Items() {
		names = append(names, node.Key)
		if node.Key == WrapperTmux || node.Key == WrapperExec {
			b.fail(diag.At(node.KeySpan(), "wrappers: %s is built in", node.Key).WithHint("give yours another name"))
		}
	}
	if w.Name != WrapperTmux && w.Name != WrapperExec {
		node := declared.Get(w.Name)
		if node == nil || node.Kind == tree.Null {
			b.unknownWrapper(w, names)
			return
		}
		w.From = b.from("wrappers."+w.Name, node.Span())
		for arg := range node.Items() {
			w.Argv = append(w.Argv, arg.Text)
		}
		b.requireScript(w, node.Span())
	}
	b.plan.Wrapper = w
}

func (b *builder) unknownWrapper(w Wrapper, names []string) {
	names = append(names, WrapperTmux, WrapperExec)
	p := diag.At(w.From.Span, "there is no wrapper %q", w.Name)
	p.Hint = diag.DidYouMean(w.Name, names)
	if p.Hint == "" {
		p.WithHint("choose one of %s, or define it under wrappers:", strings.Join(names, ", "))
	}
	b.fail(p)
}

// requireScript refuses a wrapper that would not run the command.
func (b *builder) requireScript(w Wrapper, span source.Span) {
	if !namesScript(w.Argv) {
		b.fail(diag.At(span, "the wrapper %s would not start the agent: none of its arguments has {script}", w.Name).
			WithHint("add it as in: %s: [screen, -dmS, \"{name}\", sh, \"{script}\"]", w.Name))
	}
}

func namesScript(argv []string) bool {
	return slices.ContainsFunc(argv, func(arg string) bool { return strings.Contains(arg, "{script}") })
}
