package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// WorkOptions say how tasks are done.
type WorkOptions struct {
	TasksOptions // Silence is the other side's to say
	Slots        int
	Log          *slog.Logger
	// Do does a task. It is called from several goroutines.
	Do func(ctx context.Context, data []byte) ([]byte, error)
}

const askPause = 500 * time.Millisecond // before one that got no task asks again

// Work does tasks that others offer until ctx ends or the broker refuses it.
func Work(ctx context.Context, o WorkOptions) error {
	conn, err := dial(o.URL, loginOptions(o.Token, o.NATS)...)
	if err != nil {
		return err
	}
	defer conn.Close()
	w := &taskWorker{o, conn, map[string]bool{}, sync.Mutex{}}
	var slots sync.WaitGroup
	for range o.Slots {
		slots.Go(func() { w.work(ctx) })
	}
	slots.Wait()
	if ctx.Err() == nil {
		return ErrRefused
	}
	return nil
}

type taskWorker struct {
	WorkOptions
	conn   *nats.Conn
	warned map[string]bool // of versions
	mu     sync.Mutex      // guards warned
}

// work is a slot. A connection that is closed is so for good.
func (w *taskWorker) work(ctx context.Context) {
	for ctx.Err() == nil && !w.conn.IsClosed() {
		if offer, ok := w.ask(ctx); ok {
			w.do(ctx, offer)
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(askPause):
		}
	}
}

// ask returns a task, if there is one. A broker that is away is waited for.
func (w *taskWorker) ask(ctx context.Context) (offer taskOffer, ok bool) {
	request, err := json.Marshal(taskRequest{Version: w.Version})
	if err != nil {
		return offer, false
	}
	asking, cancel := context.WithTimeout(ctx, brief)
	defer cancel()
	m, err := w.conn.RequestWithContext(asking, takeTask, request)
	if err != nil || json.Unmarshal(m.Data, &offer) != nil {
		return offer, false
	}
	if offer.Version != w.Version {
		w.warn(offer.Version)
	}
	return offer, offer.ID != ""
}

// warn says once that there is work for another version.
func (w *taskWorker) warn(version string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.warned[version] {
		w.warned[version] = true
		w.Log.Warn("there is work for another version, which this worker leaves alone", "its", version, "ours", w.Version)
	}
}

// do works on a task and sends the result.
func (w *taskWorker) do(ctx context.Context, offer taskOffer) {
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var words sync.WaitGroup
	words.Go(func() { w.say(working, stop, offer) })
	data, err := w.Do(working, offer.Data)
	result := taskResult{ID: offer.ID, Data: data}
	if err != nil {
		result.Data, result.Error = nil, err.Error()
	}
	if working.Err() == nil {
		if err := w.send(working, offer, result); err != nil && ctx.Err() == nil {
			w.Log.Warn("a result could not be sent, the task is done again", "error", err)
		}
	} else if ctx.Err() == nil {
		w.Log.Info("a task was given up", "reason", context.Cause(working))
	}
	stop(nil)
	words.Wait()
}

// errGone is why a task is given up.
var errGone = errors.New("nobody waits for its result any more")

// say tells that the task is still worked on, and stops when nobody wants to know.
func (w *taskWorker) say(ctx context.Context, stop context.CancelCauseFunc, offer taskOffer) {
	every := offer.Silence / wordsPerGap
	tick := time.NewTicker(every)
	defer tick.Stop()
	unheard := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		m, err := w.conn.Request(tasks+offer.Run+".word", []byte(offer.ID), every)
		switch {
		case err == nil && string(m.Data) == notYours:
			stop(errGone)
		case errors.Is(err, nats.ErrNoResponders):
			if unheard++; unheard >= wordsPerGap {
				stop(errGone)
			}
		case err == nil:
			unheard = 0
		}
	}
}

// send repeats until the result was received, or nobody is there to receive it.
func (w *taskWorker) send(ctx context.Context, offer taskOffer, r taskResult) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	for unheard := 0; ; {
		_, err := w.conn.Request(tasks+offer.Run+".result", data, brief)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, nats.ErrMaxPayload):
			return w.send(ctx, offer, taskResult{ID: r.ID, Error: fmt.Sprintf("the result has %d bytes, more than the broker takes: raise its max_payload", len(data))})
		case errors.Is(err, nats.ErrNoResponders):
			if unheard++; unheard >= wordsPerGap {
				return errGone
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(askPause):
		}
	}
}
