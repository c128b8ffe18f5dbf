package queue

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Tasks are pieces of work that this process has others do. It alone knows what is to be
// done and what came of it, so that nothing is kept in the broker: a plain NATS server will
// do. Those that work ask for a task, say now and then that they are still at it, and send
// the result; after a silence the task goes to another. Of two results the first counts.
type Tasks struct {
	conn    *nats.Conn
	version string
	silence time.Duration
	run     string // name of this process
	stop    context.CancelFunc
	ended   chan struct{}

	mu      sync.Mutex
	waiting []*task
	taken   map[string]*task // by id
}

// task is a piece of work on its way.
type task struct {
	id     string
	data   []byte
	heard  time.Time // last word of who has it
	result chan taskResult
}

// TasksOptions say how to reach the others.
type TasksOptions struct {
	URL     string // of the broker
	Token   string // "" for none
	Version string // of this program: only the same may work
	// Silence is how long one that works may be silent before its task goes to another;
	// 0 for 10 seconds.
	Silence time.Duration
	NATS    []nats.Option // credentials and the like
}

const (
	tasks       = "mahabo.tasks."
	takeTask    = tasks + "take"
	usualWait   = 10 * time.Second
	stillAt     = "go on"
	notYours    = "gone"
	wordsPerGap = 3 // words in the longest silence
)

// What goes over the wire.
type (
	taskRequest struct {
		Version string `json:"version"`
	}
	taskOffer struct {
		ID      string          `json:"id,omitempty"` // empty: there is none
		Run     string          `json:"run,omitempty"`
		Silence time.Duration   `json:"silence,omitzero"`
		Data    json.RawMessage `json:"data,omitempty"`
		Version string          `json:"version"`
	}
	taskResult struct {
		ID    string          `json:"id"`
		Data  json.RawMessage `json:"data,omitempty"`
		Error string          `json:"error,omitempty"`
	}
)

// OfferTasks begins to hand out tasks.
func OfferTasks(o TasksOptions) (*Tasks, error) {
	if o.Silence == 0 {
		o.Silence = usualWait
	}
	conn, err := dial(o.URL, loginOptions(o.Token, o.NATS)...)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	t := &Tasks{
		conn: conn, version: o.Version, silence: o.Silence, run: rand.Text(), stop: stop,
		ended: make(chan struct{}), taken: map[string]*task{},
	}
	_, err = conn.QueueSubscribe(takeTask, "mahabo", t.give) // one of several processes that have work
	if err == nil {
		_, err = conn.Subscribe(tasks+t.run+".word", t.word)
	}
	if err == nil {
		_, err = conn.Subscribe(tasks+t.run+".result", t.take)
	}
	if err == nil {
		err = conn.FlushTimeout(brief) // a broker that does not permit it says so now
	}
	if err == nil {
		err = conn.LastError()
	}
	if err != nil {
		stop()
		conn.Close()
		return nil, err
	}
	go t.watch(ctx)
	return t, nil
}

// loginOptions are the given ones and a token, if there is one, with its inbox.
func loginOptions(token string, options []nats.Option) []nats.Option {
	if token == "" {
		return options
	}
	return append([]nats.Option{nats.Token(token), nats.CustomInboxPrefix(privateInbox(token))}, options...)
}

// Close ends the offer.
func (t *Tasks) Close() {
	t.stop()
	<-t.ended
	t.conn.Close()
}

// Do has a task done, which is JSON, and returns its result.
func (t *Tasks) Do(ctx context.Context, data []byte) ([]byte, error) {
	one := &task{id: rand.Text(), data: data, result: make(chan taskResult, 1)}
	t.mu.Lock()
	t.waiting = append(t.waiting, one)
	t.mu.Unlock()
	select {
	case r := <-one.result:
		if r.Error != "" {
			return nil, errors.New(r.Error)
		}
		return r.Data, nil
	case <-ctx.Done():
		t.forget(one)
		return nil, ctx.Err()
	}
}

func (t *Tasks) forget(one *task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.taken, one.id)
	t.waiting = slices.DeleteFunc(t.waiting, func(w *task) bool { return w == one })
}

// give answers one that asks for a task.
func (t *Tasks) give(m *nats.Msg) {
	var r taskRequest
	if json.Unmarshal(m.Data, &r) != nil {
		return
	}
	offer := taskOffer{Run: t.run, Silence: t.silence, Version: t.version}
	t.mu.Lock()
	if r.Version == t.version && len(t.waiting) > 0 {
		one := t.waiting[0]
		t.waiting = t.waiting[1:]
		one.heard = time.Now()
		t.taken[one.id] = one
		offer.ID, offer.Data = one.id, one.data
	}
	t.mu.Unlock()
	t.reply(m, offer)
}

// reply answers. One that does not hear it asks again, and the task is taken back after a
// silence.
func (t *Tasks) reply(m *nats.Msg, answer any) {
	if data, err := json.Marshal(answer); err == nil {
		_ = m.Respond(data)
	}
}

// word hears that one is still at its task.
func (t *Tasks) word(m *nats.Msg) {
	t.mu.Lock()
	one, known := t.taken[string(m.Data)]
	if known {
		one.heard = time.Now()
	}
	t.mu.Unlock()
	if known {
		_ = m.Respond([]byte(stillAt))
		return
	}
	_ = m.Respond([]byte(notYours))
}

// take receives a result. A task that was given to another in the meantime is done too.
func (t *Tasks) take(m *nats.Msg) {
	var r taskResult
	if json.Unmarshal(m.Data, &r) != nil {
		return
	}
	t.mu.Lock()
	one := t.taken[r.ID]
	if i := slices.IndexFunc(t.waiting, func(w *task) bool { return w.id == r.ID }); i >= 0 {
		one = t.waiting[i]
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	delete(t.taken, r.ID)
	t.mu.Unlock()
	if one != nil {
		one.result <- r
	}
	_ = m.Respond([]byte(stillAt))
}

// watch takes tasks back from those that are silent.
func (t *Tasks) watch(ctx context.Context) {
	defer close(t.ended)
	tick := time.NewTicker(t.silence / wordsPerGap)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		t.mu.Lock()
		for id, one := range t.taken {
			if time.Since(one.heard) > t.silence {
				delete(t.taken, id)
				t.waiting = slices.Insert(t.waiting, 0, one)
			}
		}
		t.mu.Unlock()
	}
}
