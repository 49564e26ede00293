package launch

import (
	"context"

	"ucas/engine/diag"
)

// attach shows the window until the user leaves it or ctx is cancelled.
func (w *window) attach(ctx context.Context, o Options) error {
	status, err := child{
		path: w.tmux.path, args: []string{"tmux", "attach-session", "-t", w.home},
		dir: w.tmux.dir, environ: w.tmux.environ,
	}.run(ctx, o)
	if ctx.Err() != nil || err == nil && status == 0 {
		return nil
	}
	problem := diag.Errorf("%s runs, but tmux attach-session ended %s", w.session.Name, statusWords(status))
	if err != nil {
		problem = diag.Errorf("%s runs, but tmux attach-session cannot be started: %v", w.session.Name, err)
	}
	return problem.WithCause(err).WithHint("see it with: tmux attach-session -t %s", quoted(w.session.Target))
}
