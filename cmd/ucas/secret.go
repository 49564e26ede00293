package main

import (
	"strings"

	"ucas/engine/diag"
	"ucas/engine/tree"
)

// isSecret reports whether a key is a variable whose value is not for reports:
// env.API_KEY, mcp_servers.forge.env.TOKEN.
func isSecret(key string) bool {
	before, name, ok := cutLast(key, ".")
	return ok && (before == "env" || strings.HasSuffix(before, ".env")) && diag.IsSecret(name)
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+len(sep):], true
}

// withoutSecrets returns a file's text with the values of variables that look
// secret hidden.
func withoutSecrets(text string, node *tree.Node) string {
	var b strings.Builder
	at := 0
	hideBelow(node, "", func(secret *tree.Node) {
		b.WriteString(text[at:secret.Start])
		b.WriteString(diag.Hidden(secret.Text))
		at = int(secret.End)
	})
	b.WriteString(text[at:])
	return b.String()
}

// hideBelow calls hide for each secret below a node, in order.
func hideBelow(node *tree.Node, key string, hide func(*tree.Node)) {
	for c := range node.Items() {
		name := c.Key
		if key != "" && name != "" {
			name = key + "." + name
		} else if name == "" {
			name = key
		}
		if c.IsScalar() && c.Kind != tree.Null && isSecret(name) {
			hide(c)
		}
		hideBelow(c, name, hide)
	}
}
