package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mahabo/mahabo/study"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Worker takes trials of one study from a queue.
type Worker struct {
	conn *nats.Conn
	js   jetstream.JetStream
	o    WorkerOptions

	mu    sync.Mutex
	known jetstream.Consumer // nil: to be looked for
}

// WorkerOptions say what a worker takes.
type WorkerOptions struct {
	URL   string // of the broker
	Token string // "" for none
	Study string
	// Lease is how long a worker may be silent before its trials go to others. The
	// first worker of a study decides for all.
	Lease time.Duration
	Evals int           // trials of the study that are enough; 0: none are
	NATS  []nats.Option // credentials and the like
}

const (
	pullWait = 5 * time.Second     // for a trial, before the broker is told again that one is wanted
	brief    = 5 * time.Second     // for an answer of the broker
	forget   = 30 * 24 * time.Hour // after which a consumer that nobody uses is dropped
)

// NewWorker connects to the broker of a server.
func NewWorker(o WorkerOptions) (*Worker, error) {
	conn, err := dialPatiently(o.URL, loginOptions(o.Token, o.NATS)...)
	if err != nil {
		return nil, &unreachable{err}
	}
	js, err := jetstream.New(conn)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &Worker{conn: conn, js: js, o: o}, nil
}

// ErrRefused is what a worker gets whose broker does not let it in any more.
var ErrRefused = errors.New("the broker does not let this worker in: its token has ended or was revoked")

// Close leaves the broker.
func (w *Worker) Close() { w.conn.Close() }

// Flush sends what was said and waits until the broker has it, unless it is away: then
// leases run out.
func (w *Worker) Flush() error {
	if !w.conn.IsConnected() {
		return nil
	}
	return w.conn.FlushTimeout(brief)
}

// consumer returns the consumer of the study's workers.
func (w *Worker) consumer(ctx context.Context) (c jetstream.Consumer, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known == nil {
		w.known, err = w.findConsumer(ctx)
	}
	return w.known, err
}

// forgetConsumer has it looked for again: it may be gone.
func (w *Worker) forgetConsumer() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known = nil
}

func (w *Worker) findConsumer(ctx context.Context) (jetstream.Consumer, error) {
	name := key(w.o.Study)
	c, err := w.js.Consumer(ctx, streamName, name)
	if err == nil {
		return c, nil
	}
	if !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil, err
	}
	return w.js.CreateOrUpdateConsumer(ctx, streamName, jetstream.ConsumerConfig{
		Durable:           name,
		Description:       "workers of study " + w.o.Study,
		FilterSubject:     subjectsOf(w.o.Study),
		AckPolicy:         jetstream.AckExplicitPolicy,
		AckWait:           w.o.Lease,
		MaxDeliver:        -1,
		MaxAckPending:     -1,
		InactiveThreshold: forget,
	})
}

// Pull waits some seconds for a trial; d is nil when there was none. When ctx ends it says so,
// and has kept no trial. Another error may be gone later, when the broker is back.
func (w *Worker) Pull(ctx context.Context) (d *Delivery, err error) {
	asking, cancel := context.WithTimeout(ctx, brief)
	consumer, err := w.consumer(asking)
	cancel()
	if err == nil {
		d, err = w.pull(ctx, consumer)
	}
	if err != nil {
		w.forgetConsumer()
		if w.conn.IsClosed() && errors.Is(w.conn.LastError(), nats.ErrAuthorization) {
			err = ErrRefused
		}
		return nil, fmt.Errorf("the queue of study %q: %w", w.o.Study, err)
	}
	return d, nil
}

// callOut says that there are workers, so that the server looks after the study.
func (w *Worker) callOut() error {
	demand, err := json.Marshal(study.Demand{Study: w.o.Study, Evals: w.o.Evals})
	if err != nil {
		return err
	}
	return w.conn.Publish(want+key(w.o.Study), demand)
}

// Delivery is a trial that a worker was given.
type Delivery struct {
	worker  *Worker
	message *nats.Msg
	silence time.Duration
}

// Number is that of the trial.
func (d *Delivery) Number() int { return numberOf(d.message.Subject) }

// Silence is how long the broker waits for a word before it gives the trial to another.
func (d *Delivery) Silence() time.Duration { return d.silence }

// Keep says that the trial is still worked on.
func (d *Delivery) Keep() error { return errors.Join(d.message.InProgress(), d.worker.callOut()) }

// Done says that there is nothing left to do. It waits for the broker to confirm.
func (d *Delivery) Done(ctx context.Context) error { return d.message.AckSync(nats.Context(ctx)) }

// Return gives the trial to another worker now.
func (d *Delivery) Return() error { return d.message.Nak() }

// ErrUnreachable says that a worker could not connect to its broker.
var ErrUnreachable = errors.New("the broker cannot be reached")

// unreachable is ErrUnreachable with its cause, which says it better.
type unreachable struct{ error }

func (e *unreachable) Unwrap() []error { return []error{ErrUnreachable, e.error} }
