package engine

import (
	"strings"

	"ucas/engine/diag"
	"ucas/engine/tree"
	"ucas/engine/yaml"
)

// parseSet reads what --set was given, KEY=VALUE: a path of keys joined by
// dots, a key with dots in quotes, and a value in YAML. No value is null.
func parseSet(text string) (path []string, value *tree.Node, err error) {
	path, rest, ok := parsePath(text)
	if !ok || !strings.HasPrefix(rest, "=") {
		return nil, nil, diag.Errorf("--set %s: expected KEY=VALUE", text).
			WithHint(`as in --set env.DEBUG=1 or --set 'model_mapping."gpt-5.2"=opus'`)
	}
	value, err = yaml.Parse("--set "+strings.TrimSuffix(text, rest), []byte(rest[1:]))
	if err == nil && value.IsScalar() && !value.Quoted && strings.Contains(" "+rest[1:], " #") {
		return nil, nil, diag.Errorf("--set %s: what follows # would be a comment", text).
			WithHint("put the value into quotes of its own: --set '%s=\"...\"'", strings.TrimSuffix(text, rest))
	}
	return path, value, err
}

// parsePath reads a path of keys at the start of a text.
func parsePath(text string) (path []string, rest string, ok bool) {
	for {
		var key string
		if strings.HasPrefix(text, `"`) {
			key, text, ok = strings.Cut(text[1:], `"`)
		} else {
			n := strings.IndexAny(text, ".=")
			if n < 0 {
				return nil, text, false
			}
			key, text, ok = text[:n], text[n:], n > 0
		}
		if !ok {
			return nil, text, false
		}
		path = append(path, key)
		if !strings.HasPrefix(text, ".") {
			return path, text, true
		}
		text = text[1:]
	}
}
