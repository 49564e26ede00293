package selector

import (
	"ucas/engine/diag"
	"ucas/engine/merge"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// A Model says which model name the harness is given, and why.
type Model struct {
	// Requested is the name that the configuration asks for, "" if none.
	Requested string
	// Passed is the name that the harness is given; "" leaves it to the
	// harness.
	Passed string
	// From is the definition that Passed was taken from; it may be zero.
	From source.Span
	// Hook is the layer hook that gave it, nil if none did.
	Hook  *merge.Hook
	Steps []Step
}

// A Mapper is a layer hook that translates model names.
type Mapper struct {
	Run *merge.Hook
	// Map returns the harness's name of a model, "" to leave it to the next.
	Map func(model string) (string, error)
}

// ChooseModel translates the model that is asked for to the harness's name of
// it. Doc is the configuration with the chosen harness's own level in it; the
// mappers are asked before its table, in order.
func ChooseModel(doc *merge.Doc, acli string, mappers []Mapper) (m *Model, warnings diag.List, err error) {
	m = &Model{Requested: doc.Text("requested_model")}
	mapping := doc.Get("model_mapping")
	if m.Requested == "" {
		m.try(1, "requested_model", NotSet, "", "", source.Span{})
		m.byDefault(mapping)
		return m, nil, nil
	}
	asked := doc.Winner("requested_model")
	m.try(1, "requested_model of "+asked.Level.String(), Asked, m.Requested, "", asked.Span)
	if done, err := m.ask(mappers); done || err != nil {
		return m, nil, err
	}
	if to := mapped(mapping, m.Requested); to != nil {
		m.take(2, "model_mapping", to)
		return m, nil, nil
	}
	m.try(2, "model_mapping", NotSet, "", m.Requested+" is not in it", source.Span{})
	if m.byDefault(mapping) {
		return m, nil, nil
	}
	return m.unknown(doc, asked.Span, acli)
}

// ask asks the layer hooks one after another. It reports whether one knew.
func (m *Model) ask(mappers []Mapper) (bool, error) {
	for _, mapper := range mappers {
		name, err := mapper.Map(m.Requested)
		if err != nil {
			m.try(2, mapper.Run.String(), Invalid, "", "it failed", mapper.Run.Span)
			return false, err
		}
		if name == "" {
			m.try(2, mapper.Run.String(), Passed, "", "it left it to the next", mapper.Run.Span)
			continue
		}
		m.Passed, m.From, m.Hook = name, mapper.Run.Span, mapper.Run
		m.try(2, mapper.Run.String(), Chosen, name, "", mapper.Run.Span)
		return true, nil
	}
	return false, nil
}

// unknown is the end of a request that no mapping knows.
func (m *Model) unknown(doc *merge.Doc, asked source.Span, acli string) (*Model, diag.List, error) {
	p := diag.At(asked, "%s has no mapping for the model %q, and no default", acli, m.Requested).
		WithHint("add it to the harness's model_mapping: %q: name, or a default;\n"+
			"or set ignore_unknown: true to let the harness use its own default", m.Requested)
	ignore := doc.Get("ignore_unknown")
	if ignore == nil || !ignore.Bool() {
		m.try(4, "ignore_unknown", NotSet, "", "so an unknown model is an error", source.Span{})
		return m, nil, p
	}
	m.try(4, "ignore_unknown", Chosen, "", "no model is passed", ignore.Span())
	p.Severity = diag.Warning
	p.Message += ": no model is passed"
	p.Hint = ""
	return m, diag.List{p}, nil
}

// byDefault takes the mapping's default, if it has one.
func (m *Model) byDefault(mapping *tree.Node) bool {
	if to := mapped(mapping, "default"); to != nil {
		m.take(3, "default of model_mapping", to)
		return true
	}
	m.try(3, "default of model_mapping", NotSet, "", "", source.Span{})
	return false
}

// mapped returns the entry of a name; null is as good as none.
func mapped(mapping *tree.Node, name string) *tree.Node {
	if to := mapping.Get(name); to != nil && to.Kind != tree.Null {
		return to
	}
	return nil
}

func (m *Model) take(number int, rule string, to *tree.Node) {
	m.Passed, m.From = to.Text, to.Span()
	m.try(number, rule, Chosen, to.Text, "", to.Span())
}

func (m *Model) try(number int, rule string, outcome Outcome, value, reason string, span source.Span) {
	m.Steps = append(m.Steps, Step{
		Number: number, Rule: rule, Outcome: outcome, Value: value, Reason: reason, Span: span,
	})
}
