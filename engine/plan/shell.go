package plan

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ShellLine returns one line that a POSIX shell can run: it has the same
// arguments, environment and directory as the launch. The environment given is
// that of the caller, in which the line will be run.
//
// The line holds nothing that could drive a terminal: what does not print is
// written with printf's octal escapes.
func (p *Plan) ShellLine(environ []string) string {
	var q quoter
	var steps []string
	if path := p.pathExport(&q, Getenv(environ, "PATH")); path != "" {
		steps = append(steps, path)
	}
	if set := p.exports(&q); set != "" {
		steps = append(steps, set)
	}
	if unset := p.unsets(); unset != "" {
		steps = append(steps, unset)
	}
	steps = append(steps, p.command(&q))
	line := strings.Join(steps, "; ")
	if p.Chdir {
		line = "cd " + q.word(p.Dir) + " && { " + line + "; }"
	}
	return q.prelude() + line
}

// Script returns a POSIX shell script that ends in the command of the Plan
// with exactly the environment of a launch from the given one, whatever the
// environment that the script itself is started in; of that only the
// variables in keep stay. The script removes its own file first: it holds
// every variable, secrets included.
func (p *Plan) Script(environ, keep []string) string {
	var q quoter
	var body strings.Builder
	for _, item := range p.Environ(environ) {
		n, value, _ := strings.Cut(item, "=")
		if !slices.Contains(keep, n) && isVarName(n) && !isShellsOwn(n) {
			fmt.Fprintf(&body, "export %s=%s\n", n, q.word(value))
		}
	}
	for _, v := range p.Env {
		if slices.Contains(keep, v.Name) {
			if v.Unset {
				fmt.Fprintf(&body, "unset %s\n", v.Name)
			} else {
				fmt.Fprintf(&body, "export %s=%s\n", v.Name, q.word(v.Value))
			}
		}
	}
	fmt.Fprintf(&body, "cd %s || exit\nexport PWD\nunset OLDPWD\n", q.word(p.Dir))
	words := make([]string, len(p.Argv))
	for i, w := range p.Argv {
		words[i] = q.word(w.Text)
	}
	fmt.Fprintf(&body, "exec %s\n", strings.Join(words, " "))

	return "#!/bin/sh\n" +
		"rm -f -- \"$0\"\n" +
		clearEnvironment(keep) +
		strings.ReplaceAll(q.prelude(), "; ", "\n") +
		body.String()
}

// clearEnvironment returns the lines that unset every exported variable but
// those to keep. A value that looks like the export of another name costs
// nothing: the real values are exported afterwards.
func clearEnvironment(keep []string) string {
	pattern := strings.Join(append([]string{"PATH"}, keep...), "|")
	return "for ucas_v in $(export -p | sed -n" +
		` -e 's/^export \([A-Za-z_][A-Za-z0-9_]*\).*/\1/p'` +
		` -e 's/^declare -[a-z]* \([A-Za-z_][A-Za-z0-9_]*\).*/\1/p'); do` + "\n" +
		"  case $ucas_v in " + pattern + ") ;; *) unset \"$ucas_v\" ;; esac\n" +
		"done\n"
}

// pathExport returns the statement that sets PATH, or "" if it stays.
func (p *Plan) pathExport(q *quoter, callers string) string {
	s := p.SearchPath
	if s.Fixed {
		if path := s.join(""); path != "" {
			return "export PATH=" + q.word(path)
		}
		return "unset PATH"
	}
	if len(s.Dirs) == 0 {
		return ""
	}
	front := q.word(s.join(""))
	switch {
	case callers == "":
		return "export PATH=" + front
	case isPlain(callers, plainMarks):
		return "export PATH=" + front + ":$PATH"
	}
	// Shells before POSIX.1-2024 split what export is given.
	return "export PATH=" + front + `:"$PATH"`
}

func (p *Plan) exports(q *quoter) string {
	var b strings.Builder
	for _, v := range p.Env {
		if !v.Unset {
			fmt.Fprintf(&b, " %s=%s", v.Name, q.word(v.Value))
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "export" + b.String()
}

func (p *Plan) unsets() string {
	var b strings.Builder
	for _, v := range p.Env {
		if v.Unset {
			b.WriteString(" " + v.Name)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "unset" + b.String()
}

// command returns the command's words. A name that shells take for a command
// of their own goes through env, so that the program is run.
func (p *Plan) command(q *quoter) string {
	words := make([]string, 0, len(p.Argv)+1)
	if len(p.Argv) > 0 && isShellBuiltin(p.Argv[0].Text) {
		words = append(words, "env")
	}
	for _, w := range p.Argv {
		words = append(words, q.word(w.Text))
	}
	return strings.Join(words, " ")
}

// plainMarks need no quotes in any shell.
const plainMarks = "/._-:+@%,"

// A quoter writes strings as words of a POSIX shell.
type quoter struct{ newlines bool }

// word returns a word that the shell reads as exactly s. What quotes alone cannot
// write for every shell (control characters, invalid bytes, the ! of history
// expansion) stands between quoted pieces.
func (q *quoter) word(s string) string {
	if s == "" {
		return "''"
	}
	var b strings.Builder
	for s != "" {
		class := classOf(s)
		n := class.run(s)
		b.WriteString(q.piece(s[:n], class))
		s = s[n:]
	}
	return b.String()
}

// A charClass tells characters apart by how they can be written.
type charClass uint8

const (
	printing charClass = iota
	exclamation
	newline
	octal
)

func classOf(s string) charClass {
	r, _ := utf8.DecodeRuneInString(s)
	switch {
	case r == '\n':
		return newline
	case r == '!':
		return exclamation
	case r == utf8.RuneError, !unicode.IsPrint(r):
		return octal
	}
	return printing
}

// run returns how many bytes at the start of s are of the class.
func (c charClass) run(s string) int {
	n := 0
	for n < len(s) && classOf(s[n:]) == c {
		_, size := utf8.DecodeRuneInString(s[n:])
		n += size
	}
	return n
}

func (q *quoter) piece(s string, class charClass) string {
	switch class {
	case exclamation:
		return "'" + s + "'"
	case newline:
		q.newlines = true
		return `"` + strings.Repeat("${ucas_nl}", len(s)) + `"`
	case octal:
		var b strings.Builder
		for i := range len(s) {
			fmt.Fprintf(&b, `\%03o`, s[i])
		}
		return `"$(printf '` + b.String() + `')"`
	}
	return ShellWord(s)
}

// ShellWord returns a text that prints, and has no !, as a word for any POSIX
// shell.
func ShellWord(s string) string {
	if s != "" && isPlain(s, plainMarks) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// prelude returns what defines the variable that stands for a line break,
// if one is used: a line of shell cannot hold one, and $(...) cuts it off.
func (q *quoter) prelude() string {
	if !q.newlines {
		return ""
	}
	return `ucas_nl=$(printf '\n.'); ucas_nl=${ucas_nl%.}; `
}

// isPlain reports whether a text consists of ASCII letters, digits and the
// given marks.
func isPlain(text, marks string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(marks, r))
	})
}
