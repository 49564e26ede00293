package script

import (
	"bytes"
	"context"
	"strings"
	"syscall"

	"ucas/engine/diag"
	"ucas/engine/source"
)

// lost says why the child is gone, and where it was: at least in which file. The
// error is that of the exchange.
func (p *Process) lost(request *msg, err error) error {
	notes := p.bury(killedUnasked)
	problem := p.causeOfDeath(title(request), notes)
	if err != errGone {
		problem = diag.Errorf("%sthe process for hooks failed: %v", title(request), err)
	}
	problem.Span = lineSpan(p.conn.files.get(notes.file), notes.line)
	if problem.Span.IsZero() {
		problem.Span.File = request.file()
	} else {
		problem.Hint += "\nthe hook was last seen at this line; it may have been at the next"
	}
	return problem
}

func (p *Process) causeOfDeath(what string, notes lastNotes) *diag.Problem {
	status := p.status
	switch killed := p.killed.Load(); {
	case killed == killedByContext:
		cause := context.Cause(p.ctx)
		return diag.Errorf("%s%v", what, cause).WithCause(cause)
	case killed == killedLate:
		return diag.Errorf("%smore than %g seconds", what, MaxTime.Seconds()).
			WithHint("all hooks of an assembly together have %g seconds: look for a loop or a value that grows without end", MaxTime.Seconds())
	case notes.reason == outOfMemory, isAbout(notes.text, noMemory...):
		return diag.Errorf("%sout of memory: hooks may use %d MiB", what, MaxMemory>>20).
			WithHint("look for a text or a list that is added to itself, or repeated many times")
	case isAbout(notes.text, "stack overflow"):
		return diag.Errorf("%sstack too deep: values or calls are nested too deeply", what).
			WithHint("look for a list or dict that is put into another again and again")
	case status.Signaled() && status.Signal() == syscall.SIGKILL:
		return diag.Errorf("%sthe process for hooks was killed", what).
			WithHint("try again; if the system has too little memory, it kills processes")
	}
	return diag.Errorf("%sthe process for hooks crashed: %s", what, lastWords(notes.text, status)).
		WithHint("this is a fault of the program: report it, with the file of the hook")
}

// noMemory is what the Go runtime says when it gets no memory. For the tables of
// its collector, it does not look whether it got some.
var noMemory = []string{"out of memory", "cannot allocate memory", "failed to create new OS thread", "SIGSEGV: "}

// isAbout reports whether the last words of the Go runtime contain one of the
// given ones. What a hook prints does not get there.
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
