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
		return HideLiterals(line)
	}
	return name + ": (hidden)" + strings.Repeat(" ", max(0, column-len(name)))
}

// HideLiterals returns a line of a program in which the texts in quotes that
// follow the name of a secret variable, itself in quotes, are stars:
// ctx.set("env.API_KEY", "*****").
func HideLiterals(line string) string {
	out := []byte(line)
	secret := false
	for i := 0; i < len(line); i++ {
		quote := line[i]
		if quote != '"' && quote != '\'' {
			continue
		}
		start := i + 1
		for i++; i < len(line) && line[i] != quote; i++ {
			if line[i] == '\\' {
				i++
			}
		}
		end := min(i, len(line))
		name := line[start:max(start, end)]
		name = name[strings.LastIndexByte(name, '.')+1:]
		switch {
		case secret:
			for j := start; j < end; j++ {
				out[j] = '*'
			}
		case name == strings.ToUpper(name) && IsSecret(name):
			secret = true
		}
	}
	return string(out)
}
