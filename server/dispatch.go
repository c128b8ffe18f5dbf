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
	open map[string]chan struct{} // studies that workers wait for
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
		case name := <-d.queue.Demand():
			if wake, isNew := d.wake(name); isNew {
				studies.Go(func() { d.follow(ctx, name, wake) })
			}
		}
	}
}

// wake says that a study is in demand. Demand that comes while it is served counts once.
func (d *dispatcher) wake(name string) (wake chan struct{}, isNew bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	wake, known := d.open[name]
	if !known {
		wake = make(chan struct{}, 1)
		d.open[name] = wake
	}
	select {
	case wake <- struct{}{}:
	default:
	}
	return wake, !known
}

// follow serves a study while it is in demand.
func (d *dispatcher) follow(ctx context.Context, name string, wake <-chan struct{}) {
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
		case <-wake:
		}
		var err error
		if time.Since(compared) > recheck {
			if err = d.compare(ctx, name); err == nil {
				compared = time.Now()
			}
		}
		if err == nil {
			err = d.serve(ctx, name)
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
func (d *dispatcher) serve(ctx context.Context, name string) error {
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
		b, err := h.desk.ask(ctx, study.AskRequest{Count: min(n, mostOffers), Worker: study.QueueWorker, RequestID: rand.Text(), Lease: queueLease})
		if errors.Is(err, study.ErrExhausted) {
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

// compare offers what the queue should have and has not, and keeps the leases.
func (d *dispatcher) compare(ctx context.Context, name string) error {
	return d.server.change(ctx, name, func(h *host) error {
		trials, _, err := h.Select(ctx, study.Query{States: []study.State{study.Running, study.Stale}})
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
