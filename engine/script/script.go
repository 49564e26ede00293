// Package script evaluates layer hooks: functions in Starlark that compute what
// files cannot say.
//
// A hook can do nothing by itself. Whatever it reads or sets is a [Question]
// that its [World] answers, so that there is one place where a hook reaches the
// outside, and where all it saw is recorded. [Start] evaluates hooks in a child
// process, which no hook can make hurt the program; [NewLocal] does it in this
// process, for hooks that are known. Start with one of them, then ask the
// [Evaluator] for the hooks of a file, and call them.
//
// The package knows nothing of layers, keys and Plans. It reads no files.
package script

import (
	"time"

	"ucas/engine/source"
	"ucas/engine/tree"
)

// The limits of one assembly.
const (
	MaxSteps  = 5_000_000               // of the interpreter: 15 to 25 ms of work
	MaxTime   = 1500 * time.Millisecond // of evaluation
	MaxMemory = 512 << 20               // bytes of data in the child process
	MaxResult = 1 << 20                 // bytes of a value that leaves a hook
	MaxDepth  = 64                      // levels of lists and mappings in it
)

// A World answers the questions of hooks. An error is raised at the place
// where the hook asked; one that is a diag.Problem keeps its hint.
type World interface {
	Answer(q Question) (Answer, error)
}

// A World that is an Environment says beforehand which variables there are: a
// hook in another process that looks at many, as for what CI this is, gets them
// there. The World is told of each in its turn, with the question, and its
// answer does not matter.
type Environment interface {
	// Environ returns variables as "NAME=value"; of several of one name the
	// last counts.
	Environ() []string
}

// A Question is what a hook wants from its world.
type Question struct {
	Op Op
	// Name is the key, variable, program, path, pattern, module, fact or
	// text that it is about.
	Name string
	// Value is what a key is set to.
	Value *tree.Node
	// At is where the hook asked: the innermost call that stands in a file of
	// a layer. It may be zero.
	At source.Span
}

// An Op is a kind of question.
type Op uint8

// The kinds of questions, named after the functions of ctx.
const (
	OpLoad   Op = iota // load(): Answer.File
	OpGet              // get: Answer.Value
	OpSet              // set
	OpUnset            // unset
	OpEnv              // env: Answer.Value, a string
	OpWhich            // which: Answer.Value, a string
	OpRead             // read: Answer.Value, a string
	OpExists           // exists: Answer.Value, a boolean
	OpGlob             // glob: Answer.Value, a list of strings
	OpFact             // an attribute of ctx, such as agent: Answer.Value
	OpWarn             // warn
	OpPrint            // print()
	numOps
)

var opNames = [numOps]string{
	"load", "get", "set", "unset", "env", "which", "read", "exists", "glob", "fact", "warn", "print",
}

// String returns the name of the function that asks.
func (o Op) String() string { return opNames[o] }

// An Answer is what the world says. A nil Value means that there is none: the
// hook gets the default that it named, or None.
type Answer struct {
	Value *tree.Node
	// File is a module that was loaded. Its Name is its identity: the same
	// module must come with the same name.
	File *source.File
}

// Facts are the attributes of ctx that are no functions.
func Facts() []string {
	return []string{
		"layer", "level", "agent", "mods", "team", "member", "session", "project", "os", "arch", "acli",
	}
}

// The names of hooks, and how many parameters each takes.
const (
	Configure = "configure" // (ctx)
	MapModel  = "map_model" // (ctx, model)
	Command   = "command"   // (ctx, parts)
	Wrap      = "wrap"      // (ctx, command)
	Wrapper   = "wrapper"   // (ctx, command)
)

// An Evaluator evaluates hooks. All that it evaluates has one budget, see the
// limits. It is not for use by several goroutines at a time. Errors are
// diag.Problems or a diag.List; after one that says that a limit was reached,
// the Evaluator fails every call.
type Evaluator interface {
	// Hooks executes a file, once, and returns the hooks that it defines,
	// with the place of each. For says for whom, for messages: "project".
	Hooks(file *source.File, forWhom string) (map[string]source.Span, error)
	// Call calls a hook.
	Call(c Call) (*tree.Node, error)
	// Eval evaluates text that a person typed, an expression or statements,
	// and returns the printed form of the expression's value, "" for
	// statements. It sees the global names of scope, if that is not nil, those that
	// earlier texts set, and ctx. Every text has a budget of its own.
	Eval(text, scope *source.File) (string, error)
	// Spent reports whether a limit was reached: nothing can be evaluated any
	// more.
	Spent() bool
	// Close ends it.
	Close() error
}

// A Call says which hook to call, and with what.
type Call struct {
	File *source.File
	Hook string
	// For says for whom, as in Hooks.
	For string
	// Args follow ctx. A mapping becomes a struct; mappings in it become dicts.
	Args []*tree.Node
	// ReadOnly says that ctx.set and ctx.unset are refused in this call.
	ReadOnly bool
}
