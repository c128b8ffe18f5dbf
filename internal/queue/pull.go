package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const statusHeader = "Status" // of a message that is an answer, not a trial

// pull waits for a trial. The library's Fetch drops what arrives at the moment its context
// ends, and the trial would be nobody's until the lease has run out; hence a subscription of
// our own, which is read to its end.
func (w *Worker) pull(ctx context.Context, consumer jetstream.Consumer) (*Delivery, error) {
	lost := w.conn.StatusChanged(nats.RECONNECTING, nats.CLOSED)
	defer w.conn.RemoveStatusListener(lost)
	came := make(chan *nats.Msg, 1)
	sub, err := w.conn.ChanSubscribe(w.conn.NewInbox(), came)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }() // it may have ended
	if err := w.request(sub.Subject, consumer.CachedInfo().Name); err != nil {
		return nil, err
	}
	if err := w.callOut(); err != nil { // after the pull: who hears it counts the pulls that wait
		return nil, err
	}
	select {
	case m := <-came:
		return w.receive(m, consumer.CachedInfo().Config.AckWait)
	case <-ctx.Done():
		w.giveBack(sub, came)
		return nil, ctx.Err()
	case <-lost: // and the pull with it
		return nil, nil
	case <-time.After(pullWait + brief): // the broker ends a pull sooner
		return nil, nil
	}
}

// receive reads what came for a pull.
func (w *Worker) receive(m *nats.Msg, silence time.Duration) (*Delivery, error) {
	switch status := m.Header.Get(statusHeader); status {
	case "":
		return &Delivery{worker: w, message: m, silence: silence}, nil
	case "404", "408": // there is none, there was none in time
		return nil, nil
	default:
		return nil, fmt.Errorf("%s %s", status, m.Header.Get("Description"))
	}
}

// request asks for one trial.
func (w *Worker) request(inbox, consumer string) error {
	data, err := json.Marshal(struct {
		Batch   int           `json:"batch"`
		Expires time.Duration `json:"expires"`
	}{1, pullWait})
	if err != nil {
		return err
	}
	return w.conn.PublishRequest("$JS.API.CONSUMER.MSG.NEXT."+streamName+"."+consumer, inbox, data)
}

// giveBack ends a pull and returns what came for it. Once the broker has answered a flush,
// nothing more is on its way. A broker that is away has dropped the pull.
func (w *Worker) giveBack(sub *nats.Subscription, came <-chan *nats.Msg) {
	if !w.conn.IsConnected() || sub.Drain() != nil || w.conn.FlushTimeout(brief) != nil {
		return
	}
	select {
	case m := <-came:
		if m.Header.Get(statusHeader) == "" {
			_ = m.Nak() // else the lease runs out
		}
	default:
	}
}
