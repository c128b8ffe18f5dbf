package worker

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// feed hands out trials.
type feed interface {
	// next waits for a trial; ok is false when there was none for a while.
	next(ctx context.Context) (j job, ok bool, err error)
	// leave is the end. No slot has a trial any more.
	leave(ctx context.Context) error
}

// job is a trial that a slot has.
type job struct {
	number int
	params space.Values
	keep   func(context.Context) error // the trial is still worked on
	told   func(context.Context) error // its outcome is in the database
	giveUp func(context.Context) error // it will not be told
}

// askFeed asks the server.
type askFeed struct {
	remote *remote
	space  *space.Space
	worker string
	lease  time.Duration
}

var _ feed = (*askFeed)(nil)

func (f *askFeed) next(ctx context.Context) (job, bool, error) {
	trials, err := f.remote.ask(ctx, f.worker, rand.Text(), f.lease)
	if isProblem(err, exhausted) {
		return job{}, false, evaluate.ErrExhausted
	}
	if err != nil || len(trials) == 0 {
		return job{}, false, err
	}
	number := trials[0].Number
	params, err := f.space.Complete(trials[0].Params)
	return job{
		number: number,
		params: params,
		keep: func(ctx context.Context) error {
			return f.remote.heartbeat(ctx, number, f.worker, f.lease)
		},
		told:   func(context.Context) error { return nil },
		giveUp: func(context.Context) error { return nil }, // leave does it
	}, err == nil, err
}

// leave gives back all trials of this worker, also those of asks whose answers it did
// not wait for.
func (f *askFeed) leave(ctx context.Context) error { return f.remote.release(ctx, f.worker) }

// Queue is a work queue that says which trials to evaluate. Package queue has one.
type Queue interface {
	// Pull waits for a trial; ok is false when there was none for a while.
	Pull(ctx context.Context) (d Delivery, ok bool, err error)
}

// Delivery is a trial that the queue has given to this worker. It is given to another
// when nothing is heard of it for some time.
type Delivery interface {
	Number() int
	Keep(ctx context.Context) error   // not yet
	Done(ctx context.Context) error   // no more
	Return(ctx context.Context) error // now
}

// queueFeed takes from a queue what the database says is the queue's to give.
type queueFeed struct {
	remote *remote
	space  *space.Space
	queue  Queue
}

var _ feed = (*queueFeed)(nil)

func (f *queueFeed) next(ctx context.Context) (job, bool, error) {
	d, ok, err := f.queue.Pull(ctx)
	if err != nil || !ok {
		return job{}, false, err
	}
	t, err := f.remote.trial(ctx, d.Number())
	if err != nil {
		return job{}, false, fmt.Errorf("trial %d of the queue: %w", d.Number(), err)
	}
	open := study.State(t.State) == study.Running || study.State(t.State) == study.Stale
	if !open || t.Worker != study.QueueWorker {
		return job{}, false, d.Done(ctx) // told in the meantime, or another has it
	}
	params, err := f.space.Complete(t.Params)
	return job{number: t.Number, params: params, keep: d.Keep, told: d.Done, giveUp: d.Return}, err == nil, err
}

func (f *queueFeed) leave(context.Context) error { return nil }
