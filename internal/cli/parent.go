package cli

import (
	"context"
	"io"
	"os"
	"time"
)

// parentInfo is what serve --with-parent prints.
type parentInfo struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

const (
	parentPoll  = time.Second     // between two looks at who the parent is
	parentGrace = 5 * time.Second // for requests under way; what was answered is on disk anyway
)

// untilParentEnds returns a context that ends with the parent process. Standard input, a pipe
// that the parent holds, then closes, on every platform. Where children of the parent have
// inherited the pipe it stays open; but on Unix an orphan gets another parent.
func untilParentEnds(ctx context.Context, in io.Reader) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	context.AfterFunc(ctx, func() {
		time.AfterFunc(parentGrace, func() { os.Exit(exitFailed) })
	})
	go func() {
		_, _ = io.Copy(io.Discard, in) // an error is an end too
		stop()
	}()
	parent := os.Getppid()
	go func() {
		tick := time.NewTicker(parentPoll)
		defer tick.Stop()
		for os.Getppid() == parent {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
		stop()
	}()
	return ctx, stop
}
