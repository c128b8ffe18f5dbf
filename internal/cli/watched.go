package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
)

// watched is a progress that also says how many trials are being evaluated and for how long,
// from the first one on: an evaluation may take hours.
type watched struct {
	progress
	stop chan struct{}
	all  sync.WaitGroup

	mu          sync.Mutex // guards what follows and the progress
	since       map[int]time.Time
	last        string // report
	done, total int
	text        string
}

// runningEvery is how often the time of running trials is shown anew.
const runningEvery = time.Second

func newWatched(p progress, done, total int) *watched {
	r := &watched{progress: p, stop: make(chan struct{}), since: map[int]time.Time{}, done: done, total: total}
	r.all.Go(func() {
		tick := time.NewTicker(runningEvery)
		defer tick.Stop()
		for {
			select {
			case <-r.stop:
				return
			case <-tick.C:
				r.show()
			}
		}
	})
	return r
}

// watch notices when evaluations begin and end.
func (r *watched) watch(e evaluate.Evaluator) evaluate.Evaluator {
	return evaluate.Func(func(ctx context.Context, number int, v space.Params) (evaluate.Outcome, error) {
		r.mu.Lock()
		r.since[number] = time.Now()
		first := len(r.since) == 1
		r.mu.Unlock()
		if first {
			r.show()
		}
		defer func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			delete(r.since, number)
		}()
		return e.Evaluate(ctx, number, v)
	})
}

// reached notices a report.
func (r *watched) reached(number int, step int64, value float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = fmt.Sprintf("trial %d at step %d: %.6g", number, step, value)
}

// update shows a result.
func (r *watched) update(done, total int, text string) {
	r.mu.Lock()
	r.done, r.total, r.text = done, total, text
	r.mu.Unlock()
	r.show()
}

func (r *watched) show() {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := r.text
	if len(r.since) > 0 {
		longest := time.Duration(0)
		for _, since := range r.since {
			longest = max(longest, time.Since(since))
		}
		now := fmt.Sprintf("%d running", len(r.since))
		if longest >= time.Second {
			now += ", the longest for " + longest.Round(time.Second).String()
		}
		if r.last != "" {
			now += ", " + r.last
		}
		if text != "" {
			now += ", "
		}
		text = now + text
	}
	if text != "" {
		r.progress.update(r.done, r.total, text)
	}
}

func (r *watched) close() {
	close(r.stop)
	r.all.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.text != "" {
		r.progress.update(r.done, r.total, r.text) // nothing runs any more
	}
	r.progress.close()
}
