package server

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/study"
)

// dispatcher asks for trials in the name of the queue, as many as its workers wait
// for, and offers them there.
//
// The store is the truth. Trials that it says are the queue's, but that the queue does
// not have (the server died between the two, or the queue lost its disk) are offered
// again. Their leases are kept while there is demand: when the queue is gone for good,
// whoever asks gets them.
type dispatcher struct {
	server *Server
	queue  study.Queue

	mu   sync.Mutex
	open map[string]*inDemand
}

// inDemand is a study that workers wait for.
type inDemand struct {
	wake  chan struct{}
	evals int // the most that was asked for since it was last served; 0: no limit
}

const (
	queueLease = 15 * time.Minute
	recheck    = queueLease / 3         // how often store and queue are compared
	settle     = 100 * time.Millisecond // until the broker counts a pull that it was told of
	noDemand   = 2 * recheck            // after which a study is left alone
	mostOffers = 1000                   // trials of one ask
)

// run offers trials until ctx ends.
func (d *dispatcher) run(ctx context.Context) {
	var studies sync.WaitGroup
	defer studies.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case demand := <-d.queue.Demands():
			if one, isNew := d.wake(demand); isNew {
				studies.Go(func() { d.follow(ctx, demand.Study, one) })
			}
		}
	}
}

// wake says that a study is in demand. Demands that come while it is served count once.
func (d *dispatcher) wake(demand study.Demand) (one *inDemand, isNew bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	one, known := d.open[demand.Study]
	if !known {
		one = &inDemand{wake: make(chan struct{}, 1)}
		d.open[demand.Study] = one
	}
	select {
	case one.wake <- struct{}{}:
		one.evals = demand.Evals
	default:
		one.evals = more(one.evals, demand.Evals)
	}
	return one, !known
}

// more is the larger of two limits, 0 for none.
func more(a, b int) int {
	if a == 0 || b == 0 {
		return 0
	}
	return max(a, b)
}

// follow serves a study while it is in demand.
func (d *dispatcher) follow(ctx context.Context, name string, one *inDemand) {
	defer func() {
		d.mu.Lock()
		delete(d.open, name)
		d.mu.Unlock()
	}()
	var compared time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(noDemand):
			return
		case <-one.wake:
		}
		d.mu.Lock()
		evals := one.evals
		d.mu.Unlock()
		var err error
		if time.Since(compared) > recheck {
			if err = d.compare(ctx, name); err == nil {
				compared = time.Now()
			}
		}
		if err == nil {
			err = d.serve(ctx, name, evals)
		}
		if err != nil && ctx.Err() == nil {
			d.server.log.WarnContext(ctx, "the queue gets no trials", "study", name, "error", err)
		}
		var gone *huma.ErrorModel
		if errors.As(err, &gone) && gone.Status == http.StatusNotFound {
			return
		}
	}
}

// serve asks for what is wanted and offers it.
func (d *dispatcher) serve(ctx context.Context, name string, evals int) error {
	n, err := d.queue.Wanted(ctx, name)
	if err == nil && n == 0 {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(settle):
			n, err = d.queue.Wanted(ctx, name)
		}
	}
	if err != nil || n == 0 {
		return err
	}
	return d.server.change(ctx, name, func(h *host) error {
		count, err := lacking(ctx, h.Study, min(n, mostOffers), evals)
		if err != nil || count <= 0 {
			return err
		}
		b, err := h.chooser.ask(ctx, study.AskRequest{Count: count, Worker: study.QueueWorker, RequestID: rand.Text(), Lease: queueLease})
		if errors.Is(err, evaluate.ErrExhausted) {
			return nil
		}
		if err != nil {
			return err
		}
		numbers := make([]int, len(b.Trials))
		for i, t := range b.Trials {
			numbers[i] = t.Number
		}
		return d.queue.Offer(ctx, name, numbers...)
	})
}

// lacking is how many trials may be served until there are enough.
func lacking(ctx context.Context, one *study.Study, n, evals int) (int, error) {
	if evals == 0 {
		return n, nil
	}
	sum, err := one.Summary(ctx)
	// Trials that wait or are stale come first.
	return min(n, evals-(sum.Trials-sum.States[study.Waiting]-sum.States[study.Stale])), err
}

// compare offers what the queue should have and has not, and keeps the leases.
func (d *dispatcher) compare(ctx context.Context, name string) error {
	return d.server.change(ctx, name, func(h *host) error {
		trials, _, err := h.Select(ctx, study.Query{States: []evaluate.State{study.Running, study.Stale}})
		if err != nil {
			return err
		}
		offered, err := d.queue.Offered(ctx, name)
		if err != nil {
			return err
		}
		for _, t := range trials {
			if t.Worker != study.QueueWorker {
				continue
			}
			if time.Until(t.Expires) < queueLease-recheck/2 {
				err = h.Heartbeat(ctx, t.Number, study.QueueWorker, queueLease)
			}
			if err == nil && !slices.Contains(offered, t.Number) {
				err = d.queue.Offer(ctx, name, t.Number)
			}
			if err != nil && !errors.Is(err, study.ErrLeaseLost) { // told meanwhile
				return err
			}
		}
		return nil
	})
}
