package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"golang.org/x/term"

	"ucas/engine"
	"ucas/engine/diag"
	"ucas/engine/script"
)

// evalCmd is "ucas eval".
type evalCmd struct {
	Agent  string   `arg:"" optional:"" help:"The agent; with --team and --member, theirs if none is given."`
	Mods   []string `arg:"" optional:"" name:"+mod" help:"Mods to lay over it, each written +NAME."`
	Expr   []string `short:"e" sep:"none" placeholder:"TEXT" help:"Evaluate an expression or a statement and print its value. Repeatable."`
	Level  string   `short:"l" placeholder:"LEVEL" help:"The level whose ctx is there, such as project or a mod's name; default: the finished assembly."`
	Team   string   `placeholder:"TEAM" help:"Assemble a member of this team."`
	Member string   `placeholder:"NAME" help:"The team's member."`
	Set    []string `sep:"none" placeholder:"KEY=VALUE" help:"Set a key; the value is YAML. Repeatable."`
}

// Help is shown below the options.
func (c *evalCmd) Help() string {
	return "Evaluates Starlark as a layer hook would: try ctx.get(\"env\"), or configure(ctx) of the level's own hooks. " +
		"Without -e it prompts, or reads standard input; an empty line ends a block."
}

func (c *evalCmd) run(p *program, g *global) error {
	if c.Agent == "" && (c.Team == "" || c.Member == "") {
		return errUsage{errors.New("name an agent, or --team and --member")}
	}
	o, err := p.options(g)
	if err != nil {
		return err
	}
	launch := runCmd{Agent: c.Agent, Mods: c.Mods, Set: c.Set}
	if err := launch.fill(&o); err != nil {
		return err
	}
	o.Team, o.Member = c.Team, c.Member
	console, err := engine.OpenConsole(context.Background(), o, c.Level)
	if err != nil {
		p.warn(console.Printed()...)
		return err
	}
	defer console.Close()
	e := &evaluation{p: p, console: console, level: c.Level}
	e.begin()
	if len(c.Expr) > 0 {
		return e.all(c.Expr)
	}
	if isTerminal(p.stdin) && isTerminal(p.stdout) {
		return e.prompt()
	}
	return e.script()
}

// An evaluation is one use of a console.
type evaluation struct {
	p       *program
	console *engine.Console
	level   string // that was asked for
	failed  bool
	// showsNone says that None is an answer, not just what a call came to.
	showsNone bool
}

// begin says what stood in the way of the assembly, if anything.
func (e *evaluation) begin() {
	e.p.said(e.console.Printed())
	for _, problem := range diag.All(e.console.Problem) {
		warning := *problem
		warning.Severity = diag.Warning
		e.p.warn(&warning)
	}
}

// all evaluates texts until one fails.
func (e *evaluation) all(texts []string) error {
	for i, text := range texts {
		e.showsNone = i == len(texts)-1
		if e.one(text); e.failed {
			return exitStatus(exitProblem)
		}
	}
	return nil
}

// one evaluates a text, and prints its value or what is wrong with it.
func (e *evaluation) one(text string) {
	value, err := e.console.Eval(text)
	e.p.said(e.console.Printed())
	if value != "" && (value != "None" || e.showsNone) {
		fmt.Fprintln(e.p.stdout, diag.Escape(value))
	}
	if err == nil {
		return
	}
	e.failed = true
	diag.Print(e.p.stderr, diag.All(err)...)
	if e.console.Lost() {
		fmt.Fprintln(e.p.stderr, "note: the names that were set before are gone")
	}
}

// script evaluates what standard input holds, up to what fails.
func (e *evaluation) script() error {
	lines := bufio.NewReader(e.p.stdin)
	for {
		text, err := readBlock(func(bool) (string, error) {
			line, err := lines.ReadString('\n')
			if err == io.EOF && line != "" {
				err = nil
			}
			return strings.TrimRight(line, "\r\n"), err
		})
		if strings.TrimSpace(text) != "" {
			if e.one(text); e.failed {
				return exitStatus(exitProblem)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// prompt talks with a person until the end of the input (Ctrl-D).
func (e *evaluation) prompt() error {
	what := "the finished assembly"
	if e.level != "" {
		what = "the level " + diag.Escape(e.console.Level.Level.Level.String())
	}
	fmt.Fprintf(e.p.stderr, "ctx is that of %s; Ctrl-D ends.\n", what)
	signal.Ignore(os.Interrupt) // while a text is evaluated, which does not take long
	keys := &keyboard{File: e.p.stdin}
	editor := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{keys, e.p.stdout}, "")
	editor.History = &history{}
	for {
		text, err := readBlock(func(more bool) (string, error) {
			editor.SetPrompt(map[bool]string{false: ">>> ", true: "... "}[more])
			return keys.readLine(editor)
		})
		switch {
		case err == errInterrupted:
			continue
		case err == io.EOF, isFarewell(text):
			fmt.Fprintln(e.p.stderr)
			return nil
		case err != nil:
			return err
		case strings.TrimSpace(text) != "":
			e.one(text)
		}
	}
}

// isFarewell reports whether a text is what people type to leave.
func isFarewell(text string) bool {
	switch strings.TrimSpace(text) {
	case "exit", "exit()", "quit", "quit()":
		return true
	}
	return false
}

// errInterrupted says that Ctrl-C was typed.
var errInterrupted = errors.New("interrupted")

// A keyboard is a terminal on which Ctrl-C throws the line away. (The editor
// would take it for the end.)
type keyboard struct {
	*os.File
	interrupted bool
}

// Read reads what is typed. For Ctrl-C, it reads as if the line had been deleted
// and ended.
func (k *keyboard) Read(buf []byte) (int, error) {
	const ctrlC, deleteLine = '\x03', "\x05\x15\r"
	if len(buf) < len(deleteLine) {
		return k.File.Read(buf)
	}
	n, err := k.File.Read(buf)
	if slices.Contains(buf[:n], ctrlC) {
		k.interrupted = true
		return copy(buf, deleteLine), err
	}
	return n, err
}

// readLine reads a line with the terminal in raw mode, which it leaves again.
func (k *keyboard) readLine(editor *term.Terminal) (string, error) {
	state, err := term.MakeRaw(int(k.Fd()))
	if err != nil {
		return "", err
	}
	defer term.Restore(int(k.Fd()), state)
	if width, height, err := term.GetSize(int(k.Fd())); err == nil && width > 0 {
		editor.SetSize(width, height)
	}
	k.interrupted = false
	line, err := editor.ReadLine()
	if k.interrupted {
		return "", errInterrupted
	}
	return line, err
}

// A history has the lines that were typed, but for empty ones.
type history struct{ lines []string }

// Add implements term.History.
func (h *history) Add(line string) {
	if line != "" && (len(h.lines) == 0 || h.At(0) != line) {
		h.lines = append(h.lines, line)
	}
}

// Len implements term.History.
func (h *history) Len() int { return len(h.lines) }

// At implements term.History: 0 is the latest.
func (h *history) At(i int) string { return h.lines[len(h.lines)-1-i] }

// readBlock reads a line, and those that belong to it: an open bracket goes on
// until it is closed, a line that ends in a colon to the next empty line.
func readBlock(line func(more bool) (string, error)) (string, error) {
	text, err := line(false)
	isBlock := strings.HasSuffix(strings.TrimSpace(text), ":")
	for err == nil && (isBlock || script.Incomplete(text)) {
		var next string
		next, err = line(true)
		if strings.TrimSpace(next) == "" && isBlock {
			break
		}
		text += "\n" + next
	}
	return text, err
}
