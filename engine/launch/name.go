package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ucas/engine/diag"
	"ucas/engine/plan"
	"ucas/engine/source"
)

// scriptLife is how long a script that nobody has run keeps its session's name
// taken: a wrapper may queue it. One that is older was left by a crash.
const scriptLife = time.Hour

// freeName returns the Plan with a name that is not taken: its own; or with
// the time added; or with a number too. A name whose script waits to be run
// is taken as well.
func freeName(p *plan.Plan, replan Replan, o Options, taken func(name string) bool) (*plan.Plan, error) {
	now := o.now()
	free := func(name string) bool { return !taken(name) && !isScriptFresh(scriptPath(p, name), now) }
	if free(p.Session) {
		return p, nil
	}
	if replan == nil {
		return nil, diag.Errorf("a session named %s runs already", p.Session).
			WithHint("choose another name: --name NAME")
	}
	stamped := p.Session + now.Format("-20060102-150405")
	name := stamped
	for n := 2; !free(name); n++ {
		name = fmt.Sprintf("%s-%d", stamped, n)
	}
	renamed, err := replan(name)
	if err != nil {
		return nil, err
	}
	if renamed.Session != name || renamed.Dir != p.Dir {
		return nil, diag.Errorf("the Plan for session %s is one for %s", name, renamed.Session).
			WithHint("this is a bug in ucas, please report it")
	}
	return renamed, nil
}

func isScriptFresh(path string, now time.Time) bool {
	info, err := os.Lstat(path)
	return err == nil && now.Sub(info.ModTime()) < scriptLife
}

// scriptPath returns where the script of a session of that name lies.
func scriptPath(p *plan.Plan, name string) string {
	return filepath.Join(p.Dir, source.ProjectDir, source.TmpDir, name+".sh")
}

// writeSession writes the files of a Plan and its script, and returns the
// script's path. The variables in keep are those that the wrapper sets for
// what it runs.
func writeSession(p *plan.Plan, environ, keep []string) (string, error) {
	if err := WriteFiles(p); err != nil {
		return "", err
	}
	path := scriptPath(p, p.Session)
	return path, replaceFile(path, p.Script(environ, keep))
}
