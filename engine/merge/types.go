package merge

import (
	"slices"
	"strings"

	"ucas/engine/diag"
	"ucas/engine/tree"
)

// A shape is what the value of a known key must look like.
type shape struct {
	what string // "a list of names"
	fits func(n *tree.Node) bool
	// example is a line of YAML that is right.
	example string
}

// shapeOf returns the shape of a known key; other keys may be anything.
func shapeOf(key string) (shape, bool) {
	switch key {
	case "executable", "requested_model", "default_acli", "override_acli", "wrapper":
		return shape{"a name", isName, key + ": name"}, true
	case "task", "description", "skills_join", "name":
		return shape{"text", isText, key + `: "text"`}, true
	case "prompt_mode":
		return shape{"append or replace", isPromptMode, "prompt_mode: append"}, true
	case "ignore_unknown":
		return shape{"true or false", isBool, "ignore_unknown: true"}, true
	case "sleep_seconds":
		return shape{"a number of seconds, 0 or more", isSeconds, "sleep_seconds: 5"}, true
	case "allowed_acli", "capabilities", "locked":
		return shape{"a list of names", isListOf(isName), key + ": [name]"}, true
	case "skills", "directories":
		return shape{"a list of paths", isListOf(isName), key + ": [path]"}, true
	case "args":
		return shape{"a list of text", isListOf(isWord), key + `: ["text"]`}, true
	case "env":
		return shape{"a mapping of variables", isMap, "env:\n  NAME: value"}, true
	case "mcp_servers", "team", "members":
		return shape{"a mapping", isMap, key + ":\n  name: ..."}, true
	case "arg_mapping":
		return shape{"a mapping of inputs to arguments", isMapOf(isTemplate), "arg_mapping:\n  prompt_file: \"--flag\""}, true
	case "env_mapping":
		return shape{"a mapping of inputs to variables", isMapOf(isName), "env_mapping:\n  prompt_file: NAME"}, true
	case "model_mapping":
		return shape{"a mapping of names to names", isMapOf(isText), "model_mapping:\n  default: name"}, true
	case "wrappers":
		return shape{"a mapping of names to lists of arguments", isMapOf(isListOf(isWord)),
			"wrappers:\n  screen: [screen, -dmS, \"{name}\", sh, \"{script}\"]"}, true
	}
	return shape{}, false
}

// knownKeys returns the keys that have a shape.
func knownKeys() []string {
	return []string{
		"allowed_acli", "arg_mapping", "args", "capabilities", "default_acli", "description", "directories", "env",
		"env_mapping", "executable", "ignore_unknown", "locked", "mcp_servers", "members", "model_mapping", "name",
		"override_acli", "prompt_mode", "requested_model", "skills", "skills_join", "sleep_seconds", "task", "team",
		"wrapper", "wrappers",
	}
}

// Slips returns a warning for each key that is not known but a slip of the keys
// away from one that is. Unknown keys are legal, and mean nothing to ucas
// itself.
func (d *Doc) Slips() diag.List {
	var warnings diag.List
	for _, k := range d.Keys {
		if _, known := shapeOf(k.Name); known || strings.Contains(k.Name, ".") || len(k.Definitions) == 0 {
			continue
		}
		near := diag.Slips(k.Name, knownKeys())
		if lower := strings.ToLower(k.Name); slices.Contains(knownKeys(), lower) {
			near = []string{lower}
		}
		if len(near) > 0 {
			warnings = append(warnings, diag.Warn(k.Definitions[0].Value.KeySpan(), "%s is no key that ucas knows", k.Name).
				WithHint("did you mean %s?", strings.Join(near, " or ")))
		}
	}
	return warnings
}

// check reports whether the value of a top-level key has the right type, and
// records a problem if not. A null is right for every key: it unsets it.
func (f *Folder) check(key string, n *tree.Node) bool {
	s, known := shapeOf(key)
	if !known || n.Kind == tree.Null || s.fits(n) {
		return true
	}
	at := n
	message := "%s must be %s, not %s"
	if bad := firstMisfit(key, n); bad != nil {
		at = bad
		message = "%s must be %s; one of its values is %s"
	}
	f.problems = append(f.problems, diag.At(at.Span(), message, key, s.what, at.Describe()).
		WithHint("write %s", diag.Lines(s.example)))
	return false
}

// firstMisfit returns the child that makes a list or mapping wrong, nil if
// the value is wrong as a whole.
func firstMisfit(key string, n *tree.Node) *tree.Node {
	for c := range n.Items() {
		one := tree.Node{Kind: n.Kind, Len: 1, First: &tree.Node{}}
		*one.First = *c
		one.First.Next = nil
		if s, _ := shapeOf(key); !s.fits(&one) && s.fits(&tree.Node{Kind: n.Kind}) {
			return c
		}
	}
	return nil
}

// checkEntry is check for an entry of a mapping that merges by name.
func (f *Folder) checkEntry(group, name string, d *Definition) bool {
	n := d.Value
	switch {
	case group == "mcp_servers" && len(d.Path) > 0:
		return true // a part of a mapping, which will be one
	case group == "env" && len(d.Path) > 0:
		f.problems = append(f.problems, diag.At(d.Span, "env.%s is text: there is nothing called %s in it", name, d.Path[0]).
			WithHint("a variable holds one text: env.%s=...", name))
	case n.Kind == tree.Null, group == "env" && n.IsScalar(), group == "mcp_servers" && n.Kind == tree.Map:
		return true
	case group == "env":
		p := diag.At(n.Span(), "env.%s must be text, not %s", name, n.Describe()).
			WithHint("a variable holds one text: %s: \"...\"", name)
		p.Secret = diag.IsSecret(name)
		f.problems = append(f.problems, p)
	default:
		f.problems = append(f.problems, diag.At(n.Span(), "%s.%s must be a mapping, not %s", group, name, n.Describe()).
			WithHint("write what the server needs below its name:\n%s:\n  command: ...", name))
	}
	return false
}

func isText(n *tree.Node) bool {
	return n.Kind == tree.String || n.Kind == tree.Int || n.Kind == tree.Float
}

func isName(n *tree.Node) bool { return isText(n) && n.Text != "" }

func isWord(n *tree.Node) bool { return n.IsScalar() && n.Kind != tree.Null }

func isBool(n *tree.Node) bool { return n.Kind == tree.Bool }

func isMap(n *tree.Node) bool { return n.Kind == tree.Map }

func isSeconds(n *tree.Node) bool {
	return (n.Kind == tree.Int || n.Kind == tree.Float) && n.Text[0] != '-'
}

func isPromptMode(n *tree.Node) bool {
	return n.Kind == tree.String && (n.Text == "append" || n.Text == "replace")
}

// isTemplate fits what an input is mapped to: one text or several.
func isTemplate(n *tree.Node) bool {
	return isName(n) || isListOf(isWord)(n)
}

func isListOf(fits func(*tree.Node) bool) func(*tree.Node) bool {
	return func(n *tree.Node) bool { return n.Kind == tree.List && all(n, fits) }
}

// isMapOf fits mappings whose values fit or are null.
func isMapOf(fits func(*tree.Node) bool) func(*tree.Node) bool {
	return func(n *tree.Node) bool {
		return n.Kind == tree.Map && all(n, func(c *tree.Node) bool { return c.Kind == tree.Null || fits(c) })
	}
}

func all(n *tree.Node, fits func(*tree.Node) bool) bool {
	for c := range n.Items() {
		if !fits(c) {
			return false
		}
	}
	return true
}
