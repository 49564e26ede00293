package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"ucas/engine"
	"ucas/engine/diag"
	"ucas/engine/plan"
	"ucas/layers"
	"ucas/starlib"
)

// The exit statuses.
const (
	exitDone    = 0
	exitProblem = 1
	exitUsage   = 2
)

// A program is one run of ucas: all that it takes from its process.
type program struct {
	args    []string
	environ []string
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File
}

// global are the options of every command.
type global struct {
	Dir string `name:"dir" short:"C" placeholder:"DIR" help:"Work as if started in DIR."`
}

// cli is the whole command line.
type cli struct {
	global
	Run     runCmd     `cmd:"" help:"Assemble an agent and launch it."`
	List    listCmd    `cmd:"" help:"List agents, mods, harnesses (ACLIs) and teams."`
	Show    showCmd    `cmd:"" help:"Show what defines an agent, a mod, a harness or a team."`
	Eval    evalCmd    `cmd:"" help:"Evaluate Starlark with the ctx of a layer hook, to try hooks."`
	Version versionCmd `cmd:"" help:"Show the version."`
}

const description = `ucas assembles and launches coding agents that run in a terminal: it finds their
definitions in three layers (./.ucas, ~/.ucas, system), merges them, chooses the
harness (ACLI) and the model, and starts the result.`

// main runs the program and returns its exit status.
func (p *program) main() int {
	args, extra := splitExtra(p.args)
	if len(args) == 0 {
		p.stdout = p.stderr // help that was not asked for
		p.parse([]string{"--help"})
		return exitUsage
	}
	switch args[0] { // what people try first
	case "--version":
		args[0] = "version"
	case "help":
		args = append(args[1:], "--help")
	}
	c, status := p.parse(args)
	if c == nil {
		return status
	}
	if len(extra) > 0 {
		run, ok := c.command.(*runCmd)
		if !ok {
			return p.usage(errors.New("only run takes arguments after --"))
		}
		run.Extra = extra
	}
	return p.report(c.command.run(p, &c.global))
}

// A command is what the command line asks for.
type command interface {
	run(p *program, g *global) error
}

// splitExtra takes apart what stands before and after the first "--".
func splitExtra(args []string) (own, extra []string) {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i], args[i+1:]
	}
	return args, nil
}

// A call is a command line that was understood.
type call struct {
	global
	command command
}

// parse reads the command line. The call is nil if there is nothing left to
// do; status then says how it went.
func (p *program) parse(args []string) (c *call, status int) {
	if c := quick(args); c != nil {
		return c, exitDone
	}
	if option := withoutValue(args); option != "" {
		return nil, p.usage(fmt.Errorf("%s needs a value", option))
	}
	return p.kong(args)
}

// kong reads the command line with the whole grammar.
func (p *program) kong(args []string) (c *call, status int) {
	var grammar cli
	exited := false
	parser, err := kong.New(&grammar,
		kong.Name("ucas"), kong.Description(description), kong.Writers(p.stdout, p.stderr),
		kong.Exit(func(code int) { exited, status = true, code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
	)
	if err != nil {
		panic(err)
	}
	ctx, err := parser.Parse(modsLast(args))
	switch {
	case exited:
		return nil, status
	case err != nil:
		return nil, p.usage(err)
	}
	return &call{grammar.global, ctx.Selected().Target.Addr().Interface().(command)}, exitDone
}

// usage reports a wrong use of the command line.
func (p *program) usage(err error) int {
	fmt.Fprintf(p.stderr, "error: %s\nhint: ucas --help shows the commands, ucas COMMAND --help their options\n", diag.Escape(usageText(err)))
	return exitUsage
}

// usageText says in our words what kong says in those of its scanner.
func usageText(err error) string {
	text := err.Error()
	if option, ok := strings.CutSuffix(text, `: expected string value but got "EOL" (<EOL>)`); ok {
		return option + " needs a value"
	}
	if name, ok := strings.CutPrefix(text, `expected "<`); ok {
		return "the argument " + strings.TrimSuffix(name, `>"`) + " is missing"
	}
	return text
}

// errUsage marks a wrong use that only the command itself can see.
type errUsage struct{ error }

// report prints an error and returns the exit status that belongs to it.
func (p *program) report(err error) int {
	var wrongUse errUsage
	var status exitStatus
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &wrongUse):
		return p.usage(wrongUse)
	}
	diag.Print(p.stderr, diag.All(err)...)
	return exitProblem
}

// An exitStatus is an error that has been reported already.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// options are the engine's options as far as every command has them.
func (p *program) options(g *global) (engine.Options, error) {
	here, err := os.Getwd()
	if err != nil {
		return engine.Options{}, diag.Errorf("the working directory is gone: %s", err).WithHint("change to another")
	}
	o := engine.Options{
		Dir: here, Home: absolute(p.getenv("HOME"), here),
		SystemDir: absolute(p.getenv("UCAS_HOME"), here), DefaultSystemDir: "/opt/ucas",
		Factory: layers.FS(), CacheDir: absolute(p.cacheDir(), here),
		Environ: p.environ, Starlib: starlib.FS(),
	}
	if g.Dir == "" {
		return o, nil
	}
	dir := absolute(g.Dir, here)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return o, diag.Errorf("-C %s: there is no such directory", g.Dir).WithHint("name one that exists, or make it")
	}
	o.Dir, o.ShownAs, o.Chdir = dir, filepath.Clean(g.Dir), dir != here
	return o, nil
}

// absolute returns a path from the root on; "" stays what it is.
func absolute(path, dir string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// cacheDir is the user's directory for what can be made again.
func (p *program) cacheDir() string {
	if dir := p.getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if home := p.getenv("HOME"); home != "" {
		return filepath.Join(home, ".cache")
	}
	return ""
}

func (p *program) getenv(name string) string { return plan.Getenv(p.environ, name) }
