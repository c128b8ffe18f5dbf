package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/queue"
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
	params space.Params
	every  time.Duration               // how often to say so:
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
		every:  f.lease / beats,
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

// queueFeed takes from a queue what the database says is the queue's to give.
type queueFeed struct {
	remote *remote
	space  *space.Space
	queue  *queue.Worker
}

var _ feed = (*queueFeed)(nil)

func (f *queueFeed) next(ctx context.Context) (job, bool, error) {
	d, err := f.pull(ctx)
	if err != nil || d == nil {
		return job{}, false, err
	}
	t, err := f.remote.trial(ctx, d.Number())
	if isProblem(err, noTrial) {
		return job{}, false, f.done(ctx, d) // the study was deleted and made again
	}
	if err != nil {
		return job{}, false, errors.Join(err, d.Return())
	}
	open := evaluate.State(t.State) == study.Running || evaluate.State(t.State) == study.Stale
	if !open || t.Worker != study.QueueWorker {
		return job{}, false, f.done(ctx, d) // told in the meantime, or another has it
	}
	params, err := f.space.Complete(t.Params)
	return job{
		number: t.Number,
		params: params,
		every:  d.Silence() / beats,
		keep:   func(context.Context) error { return d.Keep() },
		told:   func(ctx context.Context) error { return f.done(ctx, d) },
		giveUp: func(context.Context) error { return errors.Join(d.Return(), f.queue.Flush()) },
	}, err == nil, err
}

// pull waits for a trial. A broker that is away is waited for, one that refuses is not.
func (f *queueFeed) pull(ctx context.Context) (*queue.Delivery, error) {
	d, err := f.queue.Pull(ctx)
	if err == nil || errors.Is(err, queue.ErrRefused) {
		return d, err
	}
	if ctx.Err() == nil {
		f.remote.log.Warn("the queue cannot be reached, trying again", "error", err, "pause", idlePause)
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(idlePause):
		return nil, nil
	}
}

// done ends a delivery. When the broker does not hear it, it delivers the trial again,
// and finds that it is told.
func (f *queueFeed) done(ctx context.Context, d *queue.Delivery) error {
	ctx, cancel := context.WithTimeout(ctx, parting)
	defer cancel()
	if err := d.Done(ctx); err != nil {
		f.remote.log.Warn("the queue did not hear that a trial is told", "trial", d.Number(), "error", err)
	}
	return nil
}

// leave sends what was given back.
func (f *queueFeed) leave(context.Context) error { return f.queue.Flush() }
