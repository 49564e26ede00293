package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// isSecret reports whether a key is a variable whose value is not for reports.
func isSecret(key string) bool {
	name, ok := strings.CutPrefix(key, "env.")
	if !ok {
		return false
	}
	name = strings.ToUpper(name)
	for _, word := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// hidden stands for the value of a secret.
func hidden(text string) string {
	return fmt.Sprintf("(hidden, %d characters)", utf8.RuneCountInString(text))
}

// needsQuotes reports whether a text is not plainly one word.
func needsQuotes(text string) bool {
	return text == "" || strings.ContainsAny(text, " ,:[]{}\"'#\n\t") || text != strings.TrimSpace(text)
}

func quoted(text string) string { return strconv.Quote(text) }
