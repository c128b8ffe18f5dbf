package queue

import (
	"context"
	"encoding/json"
	"errors"
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
	sub, err := w.conn.SubscribeSync(w.conn.NewInbox())
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
	waiting, cancel := context.WithTimeout(ctx, pullWait+brief) // the broker ends the pull first
	defer cancel()
	m, err := sub.NextMsgWithContext(waiting)
	if ctx.Err() != nil {
		w.giveBack(sub, m)
		return nil, ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	switch m.Header.Get(statusHeader) {
	case "":
		return &Delivery{worker: w, message: m, silence: consumer.CachedInfo().Config.AckWait}, nil
	case "404", "408": // there is none, there was none in time
		return nil, nil
	}
	return nil, fmt.Errorf("%s %s", m.Header.Get(statusHeader), m.Header.Get("Description"))
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
func (w *Worker) giveBack(sub *nats.Subscription, m *nats.Msg) {
	if m == nil && w.conn.IsConnected() && sub.Drain() == nil && w.conn.FlushTimeout(brief) == nil {
		m, _ = sub.NextMsg(time.Millisecond) // what there is, is here
	}
	if m != nil && m.Header.Get(statusHeader) == "" {
		_ = m.Nak() // else the lease runs out
	}
}
