package script

import (
	"bytes"
	"context"
	"strings"
	"syscall"

	"ucas/engine/diag"
	"ucas/engine/source"
)

// lost says why the child is gone, and where it was. What names what it was
// doing.
func (p *Process) lost(what string) error {
	notes := p.bury(killedUnasked)
	problem := p.causeOfDeath(what, notes)
	problem.Span = lineSpan(p.conn.files.get(notes.file), notes.line)
	return problem
}

func (p *Process) causeOfDeath(what string, notes lastNotes) *diag.Problem {
	var status syscall.WaitStatus
	if p.state != nil {
		status, _ = p.state.Sys().(syscall.WaitStatus)
	}
	switch killed := p.killed.Load(); {
	case killed == killedByContext:
		cause := context.Cause(p.ctx)
		return diag.Errorf("%s: %v", what, cause).WithCause(cause)
	case killed == killedLate, status.Signaled() && status.Signal() == syscall.SIGXCPU:
		return diag.Errorf("%s: more than %g seconds", what, MaxTime.Seconds()).
			WithHint("all hooks of an assembly together have %g seconds: look for a loop or a value that grows without end", MaxTime.Seconds())
	case notes.reason == outOfMemory, isAbout(notes.text, "out of memory", "cannot allocate memory", "SIGSEGV: "):
		return diag.Errorf("%s: out of memory: hooks may use %d MiB", what, MaxMemory>>20).
			WithHint("look for a text or a list that is added to itself, or repeated many times")
	case isAbout(notes.text, "stack overflow"):
		return diag.Errorf("%s: stack too deep: values or calls are nested too deeply", what).
			WithHint("look for a list or dict that is put into another again and again")
	case status.Signaled() && status.Signal() == syscall.SIGKILL:
		return diag.Errorf("%s: the process for hooks was killed", what).
			WithHint("try again; if the system has too little memory, it kills processes")
	}
	return diag.Errorf("%s: the process for hooks crashed: %s", what, lastWords(notes.text, status)).
		WithHint("this is a fault of the program: report it, with the file of the hook")
}

// isAbout reports whether a fatal error of the Go runtime contains one of the
// words: what the hook printed does not get there.
func isAbout(text string, words ...string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// lastWords is the line in which the Go runtime says why it ended.
func lastWords(text string, status syscall.WaitStatus) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "panic: ") {
			return strings.TrimSpace(line)
		}
	}
	if status.Signaled() {
		return status.Signal().String()
	}
	return "it ended by itself"
}

// lineSpan returns the text of a line, which counts from 1: no place if the
// file has no such line.
func lineSpan(f *source.File, line int) source.Span {
	if f == nil {
		return source.Span{}
	}
	u := &unit{file: f}
	u.findLines()
	if line < 1 || line > len(u.lines) {
		return source.Span{}
	}
	start := u.lines[line-1]
	text := f.Text[start:]
	if i := bytes.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	indent := len(text) - len(bytes.TrimLeft(text, " \t"))
	return source.Span{File: f, Start: start + indent, End: start + max(indent, len(bytes.TrimRight(text, " \t")))}
}
