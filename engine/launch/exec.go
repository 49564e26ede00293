package launch

import (
	"errors"
	"os"
	"syscall"

	"ucas/engine/diag"
	"ucas/engine/plan"
)

// execute replaces this process by the Plan's command. It returns only if that
// failed.
func execute(p *plan.Plan, program string, o Options) error {
	if err := WriteFiles(p); err != nil {
		return err
	}
	if err := os.Chdir(p.Dir); err != nil {
		return diag.Errorf("cannot go to %s: %v", p.Dir, err).
			WithHint("name a directory that exists: ucas -C DIR").WithCause(err)
	}
	args, environ := p.Args(), p.Environ(o.Environ)
	err := syscall.Exec(program, args, environ)
	if errors.Is(err, syscall.ENOEXEC) {
		// A script without #! is one for the shell, and a shell that is
		// given the same line runs it.
		err = syscall.Exec("/bin/sh", append([]string{"sh", program}, args[1:]...), environ)
	}
	return execProblem(p, program, err)
}

func execProblem(p *plan.Plan, program string, err error) *diag.Problem {
	problem := diag.At(p.Argv[0].From.Span, "cannot run %s: %v", program, err).WithCause(err)
	switch {
	case errors.Is(err, syscall.E2BIG):
		return problem.WithHint("the command and the environment are too long for the system: pass the prompt as a file (prompt_file)")
	case errors.Is(err, syscall.ENOENT):
		return problem.WithHint("it names an interpreter that is missing: head -1 %s", program)
	}
	return problem.WithHint("try it by hand: %s --version", program)
}
