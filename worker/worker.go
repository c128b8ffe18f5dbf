package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/live"
	"github.com/mahabo/mahabo/internal/queue"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
	"github.com/nats-io/nats.go"
)

// Options says what a worker does.
type Options struct {
	Server string // URL
	Token  string // "" for a server that wants none
	Study  string
	Name   string // of the worker, which no other has
	Slots  int    // trials at a time
	Lease  time.Duration
	Evals  int // trials with an outcome that end the work, whoever made them; 0: it never ends
	Log    *slog.Logger

	// Broker is the URL of the NATS server that hands out the trials; "": the server is asked.
	Broker        string
	BrokerToken   string        // "" for none
	BrokerOptions []nats.Option // credentials and the like

	// Evaluator makes what evaluates trials of a space.
	Evaluator func(*space.Space) (evaluate.Evaluator, error)
	// OnResult is called after every trial, from one goroutine at a time. It may be nil.
	OnResult func(evaluate.Result)
	// Stop, when closed, ends the worker as soon as the running trials have ended.
	Stop <-chan struct{}
}

// Validate names the first field that cannot be used.
func (o Options) Validate() error {
	if err := checkServer(o.Server); err != nil {
		return err
	}
	switch {
	case o.Study == "":
		return errors.New("study is empty: name the study to work for")
	case o.Name == "":
		return errors.New("name is empty: a worker needs a name of its own")
	case o.Slots < 1:
		return fmt.Errorf("slots is %d: at least one trial must be evaluated at a time", o.Slots)
	case o.Lease < time.Second:
		return fmt.Errorf("lease is %s: give heartbeats at least a second", o.Lease)
	case o.Evals < 0:
		return fmt.Errorf("evals is %d: it cannot be negative", o.Evals)
	case o.Evaluator == nil:
		return errors.New("Evaluator is nil: there is nothing to evaluate with")
	}
	return nil
}

const (
	beats   = 3                // heartbeats that a lease has time for
	parting = 10 * time.Second // to give trials back

	longestReport = 30 * time.Second // to send one
	manyWaits     = 10               // pauses after which a slot says that it waits
	idlePause     = time.Second      // before the server is asked whether there is work again
	warnBehind    = "the lease could not be kept, another worker may get the trial"
)

// Run works until there is nothing left to do, Stop is closed, or ctx ends: then
// running trials are ended and given back.
func Run(ctx context.Context, o Options) error {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := o.Validate(); err != nil {
		return err
	}
	var broker *queue.Worker
	if o.Broker != "" {
		var err error
		broker, err = queue.NewWorker(queue.WorkerOptions{
			URL: o.Broker, Token: o.BrokerToken, Study: o.Study, Lease: o.Lease, Evals: o.Evals, NATS: o.BrokerOptions,
		})
		if err != nil {
			return err
		}
		defer broker.Close()
	}
	r := newRemote(o.Server, o.Token, o.Study, o.Log)
	defer r.client.CloseIdleConnections()
	taking, stopTaking := context.WithCancel(ctx)
	defer stopTaking()
	go func() {
		select {
		case <-o.Stop:
			stopTaking()
		case <-taking.Done():
		}
	}()
	p, err := r.progress(taking)
	if err != nil {
		return wanted(taking, err)
	}
	evaluator, err := o.Evaluator(p.Space)
	if err != nil {
		return err
	}
	w := &worker{Options: o, remote: r, evaluator: evaluator, feed: &askFeed{r, p.Space, o.Name, o.Lease}, turn: make(chan struct{}, 1), stopTaking: stopTaking}
	if broker != nil {
		w.feed = &queueFeed{r, p.Space, broker}
	}
	return w.run(ctx, taking)
}

// wanted drops the error of a context that was meant to end.
func wanted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// worker is the state of Run.
type worker struct {
	Options
	remote    *remote
	evaluator evaluate.Evaluator
	feed      feed
	turn      chan struct{} // held by the slot that looks whether there is work

	stopTaking context.CancelFunc
	waiting    sync.Once   // said
	unheard    atomic.Bool // said that a report was lost

	mu  sync.Mutex
	err error // the first
}

// run works in all slots. The first error ends all: no other trial would fare better.
func (w *worker) run(ctx, taking context.Context) error {
	hard, end := context.WithCancel(ctx)
	defer end()
	var slots sync.WaitGroup
	for range w.Slots {
		slots.Go(func() {
			err := w.work(hard, taking)
			if err != nil && !(taking.Err() != nil && errors.Is(err, context.Canceled)) {
				w.note(err)
				w.stopTaking()
				end()
			}
		})
	}
	slots.Wait()
	bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), parting)
	defer cancel()
	if err := w.feed.leave(bye); err != nil {
		w.Log.Warn("trials could not be given back, they are served again when their leases have run out", "error", err)
	}
	return w.err
}

func (w *worker) note(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

// work is a slot.
func (w *worker) work(hard, taking context.Context) error {
	waits := 0
	for {
		j, state, err := w.take(taking)
		if err != nil {
			return err
		}
		switch state {
		case finished:
			w.stopTaking() // for the other slots too
			return nil
		case got:
			if err := w.evaluate(hard, j); err != nil {
				return err
			}
		case idle:
			if waits++; waits == manyWaits {
				w.waiting.Do(func() {
					w.Log.Info("waiting for trials that run elsewhere: they may come back; mahabo release gives back what nobody evaluates", "study", w.Study)
				})
			}
			select {
			case <-taking.Done():
				return nil
			case <-time.After(idlePause):
			}
		}
	}
}

// What a slot finds when it looks for work.
type supply int

const (
	got      supply = iota
	none            // look again
	idle            // perhaps later
	finished        // never again
)

// take gets a trial. One slot at a time counts and takes, so that they do not take
// more than is wanted.
func (w *worker) take(ctx context.Context) (job, supply, error) {
	if w.Evals > 0 {
		if w.Broker == "" { // a queue counts itself
			select {
			case w.turn <- struct{}{}:
				defer func() { <-w.turn }()
			case <-ctx.Done():
				return job{}, finished, nil
			}
		}
		p, err := w.remote.progress(ctx)
		if err != nil {
			return job{}, finished, err
		}
		if s := w.left(p.States); s != got {
			return job{}, s, nil
		}
	}
	j, ok, err := w.feed.next(ctx)
	switch {
	case errors.Is(err, evaluate.ErrExhausted):
		return w.afterLast(ctx)
	case err != nil:
		return job{}, finished, err
	case !ok:
		return job{}, none, nil
	}
	return j, got, nil
}

// left compares the trials that there are with those that are wanted. Trials that
// run elsewhere may still come back.
func (w *worker) left(states map[string]int) supply {
	done := states[string(evaluate.Complete)] + states[string(evaluate.Failed)] + states[string(evaluate.Infeasible)] + states[string(evaluate.Stopped)]
	switch {
	case done >= w.Evals:
		return finished
	case w.Broker == "" && done+states[string(study.Running)] >= w.Evals:
		return idle
	}
	return got
}

// afterLast waits, in a space whose points were all served, for those that may be
// served again.
func (w *worker) afterLast(ctx context.Context) (job, supply, error) {
	p, err := w.remote.progress(ctx)
	if err != nil {
		return job{}, finished, err
	}
	if p.States[string(study.Running)] == 0 && p.States[string(study.Stale)] == 0 && p.States[string(study.Waiting)] == 0 {
		return job{}, finished, nil
	}
	return job{}, idle, nil
}

// evaluate finds out the value of a trial and tells it.
func (w *worker) evaluate(ctx context.Context, j job) error {
	stop := w.beat(ctx, j)
	r := evaluate.Result{Trial: evaluate.Trial{Number: j.number, Params: j.params}, Attempts: 1, Started: time.Now()}
	outcome, err := w.evaluator.Evaluate(live.With(ctx, w.reports(j.number)), j.number, j.params)
	if errors.Is(err, evaluate.ErrStopped) {
		outcome, err = evaluate.Outcome{State: evaluate.Stopped}, nil
	}
	r.Ended = time.Now()
	if outcome.Seconds == 0 {
		outcome.Seconds = r.Ended.Sub(r.Started).Seconds()
	}
	r.Outcome = outcome
	if err == nil {
		err = outcome.Validate()
	}
	var before bool
	if err == nil { // heartbeats go on: the server may be away
		patient, cancel := outlive(ctx, parting)
		before, err = w.remote.tell(patient, j.number, w.Name, outcome)
		cancel()
	}
	stop()
	if err != nil {
		w.handBack(ctx, j)
		return err
	}
	if before {
		w.Log.Warn("another worker was faster, its outcome stays", "trial", j.number)
	}
	w.report(r)
	return j.told(context.WithoutCancel(ctx))
}

// reports sends what a trial reports to the server. What is lost is reported again by the next value, as far as it
// matters.
func (w *worker) reports(number int) live.Send {
	return func(ctx context.Context, list []live.Report) string {
		once, cancel := context.WithTimeout(ctx, longestReport)
		defer cancel()
		stop, err := w.remote.report(once, number, w.Name, list)
		if err != nil && ctx.Err() == nil && !w.unheard.Swap(true) {
			w.Log.Warn("what a trial reports cannot be kept", "trial", number, "error", err)
		}
		return stop
	}
}

func (w *worker) report(r evaluate.Result) {
	if w.OnResult == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.OnResult(r)
}

// outlive returns a context that ends some time after another, so that what was found
// is not lost.
func outlive(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-longer.Done():
		case <-time.After(after):
			cancel()
		}
	})
	return longer, func() { stop(); cancel() }
}

// handBack returns a trial that will not be told. When that fails its lease runs out.
func (w *worker) handBack(ctx context.Context, j job) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), parting)
	defer cancel()
	if err := j.giveUp(ctx); err != nil {
		w.Log.Warn("a trial could not be given back, it is served again when its lease has run out", "trial", j.number, "error", err)
		return
	}
	w.Log.Info("trial given back", "trial", j.number)
}

// beat keeps the lease of a trial until stop is called. One that is lost is no reason
// to stop: the value is still one.
func (w *worker) beat(ctx context.Context, j job) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(j.every)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			once, done := context.WithTimeout(ctx, j.every)
			err := j.keep(once)
			done()
			if err != nil && ctx.Err() == nil {
				w.Log.Warn(warnBehind, "trial", j.number, "error", err)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
