// Package selector decides which harness (ACLI) runs an agent, and which model
// name it is given. [Choose] and [ChooseModel] are the functions to start with;
// both keep every step that they took with its reason, also when they fail.
package selector

import (
	"fmt"
	"strings"

	"ucas/engine/diag"
	"ucas/engine/merge"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// An ACLI is what a name was found to mean.
type ACLI struct {
	Name string
	// Dir is the directory of its definition.
	Dir string
	// Runs says that it sets executable; what does not is no ACLI.
	Runs bool
}

// Options are what the choice is made from.
type Options struct {
	// Doc is the whole sandwich merged, no level left out.
	Doc *merge.Doc
	// Asked returns the name by which the entity of a source was asked for, ""
	// for a source that is no agent or mod.
	Asked func(source int) string
	// Find looks a name up in the layers.
	Find func(name string) (ACLI, error)
}

// A Choice says which harness was chosen, and why.
type Choice struct {
	// Name is the ACLI's name. If it is empty, no ACLI was chosen but a
	// level that is none sets executable: then Level is that level.
	Name  string
	Level *source.Level
	Steps []Step
}

// IsFallback reports whether the harness was taken because nothing else named
// one.
func (c *Choice) IsFallback() bool {
	return len(c.Steps) > 0 && c.Steps[len(c.Steps)-1].Number == fallbackStep
}

// Rule returns the rule that chose the harness.
func (c *Choice) Rule() string {
	if len(c.Steps) == 0 {
		return ""
	}
	return c.Steps[len(c.Steps)-1].Rule
}

// fallbackStep is the number of the rule that takes the first allowed.
const fallbackStep = 5

// A Step is one rule that was tried.
type Step struct {
	// Number is the rule's place in the order of the selection, from 1.
	Number int
	// Rule says what was looked at: `default_acli of agent php-master`.
	Rule    string
	Outcome Outcome
	// Value is the name that the rule gave, if any; Reason says why the
	// outcome is what it is.
	Value, Reason string
	// Span is the definition that the rule went by; it may be zero.
	Span source.Span
}

// An Outcome is what a step came to.
type Outcome uint8

// The outcomes.
const (
	NotSet  Outcome = iota // the rule has nothing to go by
	Asked                  // its value has to be translated
	Passed                 // it names something that may not be taken
	Chosen                 // its value is taken
	Invalid                // its value would be taken, but is no ACLI
)

var outcomeNames = [...]string{"not set", "asked for", "passed over", "chosen", "invalid"}

// String returns the words that reports use.
func (o Outcome) String() string { return outcomeNames[o] }

// Choose picks the harness. The Choice holds the steps up to the last, also
// when the error says that none could be chosen; warnings are for the user.
func Choose(o Options) (choice *Choice, warnings diag.List, err error) {
	c := &chooser{Options: o, choice: &Choice{}}
	for _, rule := range []func() (bool, error){c.byOverride, c.byExecutable, c.byDefault, c.byAllowed} {
		if done, err := rule(); done || err != nil {
			return c.choice, c.warnings, err
		}
	}
	return c.choice, c.warnings, c.nothing()
}

type chooser struct {
	Options
	choice   *Choice
	warnings diag.List
}

// byOverride is step 1: a veto needs no permission.
func (c *chooser) byOverride() (bool, error) {
	d := c.Doc.Winner("override_acli")
	if d == nil {
		c.step(Step{Number: 1, Rule: "override_acli", Outcome: NotSet})
		return false, nil
	}
	return c.take(Step{
		Number: 1, Rule: "override_acli of " + d.Level.String(), Value: d.Value.Text, Span: d.Span,
		Reason: "a veto, whatever allowed_acli says",
	})
}

// byExecutable is step 2: the last agent or mod that brings an executable
// along or, if there is none, the last other level that does.
func (c *chooser) byExecutable() (bool, error) {
	r := c.lastRunner()
	if r == nil {
		c.step(Step{Number: 2, Rule: "executable in the configuration", Outcome: NotSet})
		return false, nil
	}
	step := Step{
		Number: 2, Rule: "executable of " + r.Level.String(), Outcome: Chosen, Span: r.Span,
		Reason: "it is in the configuration already",
	}
	if !r.Level.Role.IsEntity() {
		c.choice.Level = &r.Level
		c.warnings = append(c.warnings, diag.Warn(r.Span,
			"executable is set by %s itself, so no harness's mappings apply", r.Level).
			WithHint("choose a harness with default_acli or +NAME; its executable can then be replaced here"))
	} else {
		name := c.Asked(r.Source)
		c.choice.Name, step.Value = name, name
		if !c.isAllowed(name) {
			c.warnings = append(c.warnings, diag.Warn(r.Span, "%s is used although it is not in allowed_acli", name).
				WithHint("it was named for this run; add it to allowed_acli to say that it is meant"))
		}
	}
	c.step(step)
	return true, nil
}

// lastRunner returns the definition of executable that is the candidate, nil if
// the key is not set.
func (c *chooser) lastRunner() *merge.Definition {
	key := c.Doc.Key("executable")
	if key == nil || key.Value == nil {
		return nil
	}
	var last *merge.Definition
	for _, d := range key.Definitions {
		switch {
		case d.Fate == merge.Dropped || d.Fate == merge.Refused:
		case d.Value.Kind == tree.Null:
			last = nil // what came before is unset
		case last == nil || d.Level.Role.IsEntity() || !last.Level.Role.IsEntity():
			last = d
		}
	}
	return last
}

// byDefault is steps 3 and 4: the values of default_acli from the strongest
// level to the weakest, the first that is allowed.
func (c *chooser) byDefault() (bool, error) {
	key := c.Doc.Key("default_acli")
	if key == nil {
		c.step(Step{Number: 3, Rule: "default_acli", Outcome: NotSet})
		return false, nil
	}
	for i := len(key.Definitions) - 1; i >= 0; i-- {
		d := key.Definitions[i]
		if d.Fate == merge.Dropped || d.Fate == merge.Refused {
			continue
		}
		step := Step{Number: defaultStep(d.Level.Role), Rule: "default_acli of " + d.Level.String(), Value: d.Value.Text, Span: d.Span}
		if d.Value.Kind == tree.Null {
			step.Value, step.Reason = "", "null unsets all weaker ones"
			c.step(step)
			return false, nil
		}
		if c.isAllowed(d.Value.Text) {
			step.Reason = "it is in allowed_acli"
			return c.take(step)
		}
		step.Outcome, step.Reason = Passed, "it is not in allowed_acli"
		c.step(step)
		c.warnOfSlip(d)
	}
	return false, nil
}

// warnOfSlip warns of a wish that no layer defines, and that is a slip of the
// keys away from an allowed one.
func (c *chooser) warnOfSlip(d *merge.Definition) {
	var allowed []string
	for item := range c.Doc.Get("allowed_acli").Items() {
		allowed = append(allowed, item.Text)
	}
	near := diag.Slips(d.Value.Text, allowed)
	if len(near) == 0 {
		return
	}
	if _, err := c.Find(d.Value.Text); err != nil {
		c.warnings = append(c.warnings, diag.Warn(d.Span, "%s is passed over: it is not in allowed_acli", d.Value.Text).
			WithHint("did you mean %s?", strings.Join(near, " or ")))
	}
}

// defaultStep tells an agent's own wish from the defaults of layers.
func defaultStep(role source.Role) int {
	if role <= source.Project {
		return 4
	}
	return 3
}

// byAllowed is step 5: the first that is allowed.
func (c *chooser) byAllowed() (bool, error) {
	allowed := c.Doc.Get("allowed_acli")
	if allowed == nil || allowed.Len == 0 {
		reason := ""
		if allowed != nil {
			reason = "it is empty"
		}
		c.step(Step{Number: fallbackStep, Rule: "first of allowed_acli", Outcome: NotSet, Reason: reason})
		return false, nil
	}
	return c.take(Step{
		Number: fallbackStep, Rule: "first of allowed_acli", Value: allowed.First.Text, Span: allowed.First.Span(),
		Reason: "no rule before named an allowed one",
	})
}

// take chooses the value of a step, which must be an ACLI.
func (c *chooser) take(s Step) (bool, error) {
	found, err := c.Find(s.Value)
	if err == nil && !found.Runs {
		err = diag.Errorf("%s is no harness: its ucas.yaml sets no executable", s.Value).
			WithHint("name an ACLI (ucas list shows them), or give it an executable")
	}
	if err != nil {
		return false, c.invalid(s, diag.All(err))
	}
	s.Outcome = Chosen
	c.step(s)
	c.choice.Name = s.Value
	return true, nil
}

// invalid returns the error that a chosen name cannot be taken. A problem with a
// place of its own, such as a broken file, is told as it is.
func (c *chooser) invalid(s Step, problems diag.List) error {
	first := *problems[0]
	s.Outcome, s.Reason = Invalid, first.Message
	c.step(s)
	if !first.Span.IsZero() {
		first.WithPlace(s.Span, "%s chooses %s", s.Rule, s.Value)
		return append(diag.List{&first}, problems[1:]...)
	}
	p := diag.At(s.Span, "%s says %s, but %s", s.Rule, s.Value, first.Message).WithCause(first.Cause)
	p.Hint = first.Hint
	return p
}

func (c *chooser) step(s Step) { c.choice.Steps = append(c.choice.Steps, s) }

// isAllowed reports whether a name is in allowed_acli, or means the same
// directory as one that is.
func (c *chooser) isAllowed(name string) bool {
	allowed := c.Doc.Get("allowed_acli")
	for item := range allowed.Items() {
		if item.Text == name {
			return true
		}
	}
	if !strings.Contains(name, "/") && !anyQualified(allowed) {
		return false
	}
	wanted, err := c.Find(name)
	for item := range allowed.Items() {
		if found, ferr := c.Find(item.Text); err == nil && ferr == nil && found.Dir == wanted.Dir {
			return true
		}
	}
	return false
}

func anyQualified(names *tree.Node) bool {
	for item := range names.Items() {
		if strings.Contains(item.Text, "/") {
			return true
		}
	}
	return false
}

// nothing is step 6: an error that shows every step.
func (c *chooser) nothing() error {
	c.step(Step{Number: 6, Rule: "no rule is left", Outcome: NotSet})
	p := diag.Errorf("no harness (ACLI) can be chosen")
	if key := c.Doc.Key("allowed_acli"); key != nil {
		for _, d := range key.Definitions {
			if d.Fate == merge.Set || d.Fate == merge.Unset {
				p.WithPlace(d.Span, "%s allows none", d.Level)
			}
		}
	}
	for _, s := range c.choice.Steps[:len(c.choice.Steps)-1] {
		p.Message += "\n  " + diag.Escape(s.String())
	}
	return p.WithHint("allow one, in ~/.ucas/ucas.yaml for all projects, as in allowed_acli: [acli-claude]\n" +
		"or name one for this run, as in +acli-claude; ucas list shows what there is")
}

// String returns the step in one line: `3 default_acli of agent x: acli-codex:
// passed over, it is not in allowed_acli`.
func (s Step) String() string {
	text := fmt.Sprintf("%d %s: ", s.Number, s.Rule)
	if s.Value != "" {
		text += s.Value + ": "
	}
	text += s.Outcome.String()
	if s.Reason != "" {
		text += ", " + s.Reason
	}
	if !s.Span.IsZero() {
		text += " (" + s.Span.Position().String() + ")"
	}
	return text
}
