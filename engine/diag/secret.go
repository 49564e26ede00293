package diag

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// IsSecret reports whether a variable's name says that its value is not for
// reports.
func IsSecret(name string) bool {
	name = strings.ToUpper(name)
	for _, word := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// Hidden stands for the value of a secret.
func Hidden(text string) string {
	return fmt.Sprintf("(hidden, %d characters)", utf8.RuneCountInString(text))
}

// hideSecret returns a line of a file as an excerpt may show it: if it sets a
// variable that looks secret, without what follows its name. Columns count
// from 1; carets that point behind the name find blanks there.
func hideSecret(line string, column int) string {
	name, value, ok := strings.Cut(line, ":")
	word := strings.Trim(name, " -'\"")
	if !ok || word != strings.ToUpper(word) || !IsSecret(word) || strings.TrimSpace(value) == "" {
		return line
	}
	return name + ": (hidden)" + strings.Repeat(" ", max(0, column-len(name)))
}
