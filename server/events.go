package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/token"
	"github.com/mahabo/mahabo/internal/wire"
	"github.com/mahabo/mahabo/study"
)

const (
	pollEvents = time.Second      // other processes may write to the log
	keepAlive  = 15 * time.Second // so that proxies do not cut a quiet stream
	writeEvent = 10 * time.Second // for a client to take what is sent
)

func (s *Server) registerEvents(api huma.API) {
	op := operation(http.MethodGet, "/v1/studies/{study}/events", "events", "Watch a study as server-sent events", token.Read, http.StatusNotFound)
	op.Description = "Events are created, asked, told, heartbeat, enqueued, retried, released, noted, imported, stale and deleted. " +
		"The id of an event is its place in the study's log: a client that comes back with Last-Event-ID, or after, misses nothing. " + op.Description
	op.Responses = map[string]*huma.Response{"200": {
		Description: "The stream.",
		Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}},
	}}
	huma.Register(api, op, s.events)
}

type eventsInput struct {
	wire.StudyPath
	After       int64 `query:"after" minimum:"-1" default:"-1" doc:"Place in the log after which to begin; -1 for now, 0 for the beginning."`
	LastEventID int64 `header:"Last-Event-ID" minimum:"0" doc:"Place in the log of the last event that was received; counts before after."`
}

func (s *Server) events(ctx context.Context, in *eventsInput) (*huma.StreamResponse, error) {
	out := &huma.StreamResponse{}
	return out, s.with(ctx, in.Study, func(h *host) error {
		now, err := h.Summary(ctx)
		if err != nil {
			return err
		}
		after := in.After
		switch {
		case in.LastEventID > 0:
			after = in.LastEventID
		case after < 0:
			after = now.Length
		}
		select {
		case s.streams <- struct{}{}:
		default:
			return problem(http.StatusServiceUnavailable, problemContention, fmt.Sprintf("%d streams of events are open: try again", s.limits.Streams))
		}
		s.hosts.stay(h)
		out.Body = func(c huma.Context) {
			defer func() {
				s.hosts.leave(h)
				<-s.streams
			}()
			s.stream(c, h, after)
		}
		return nil
	})
}

// stream sends events until the client leaves, the study is gone, the token is
// revoked or the server closes.
func (s *Server) stream(c huma.Context, h *host, after int64) {
	s.metrics.streams.Inc()
	defer s.metrics.streams.Dec()
	r, w := unwrap(c)
	c.SetHeader("Content-Type", "text/event-stream")
	c.SetHeader("X-Accel-Buffering", "no") // nginx would hold events back
	c.SetStatus(http.StatusOK)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.closing, cancel)()

	out := eventWriter{w: w, control: http.NewResponseController(w)}
	watch := watcher{host: h, after: after}
	poll := time.NewTicker(pollEvents)
	defer poll.Stop()
	for {
		rung := h.notifier.rung() // before the log is read, so that nothing is missed
		gone := watch.send(ctx, &out)
		if _, ok := s.identify(r); !ok || gone || out.err != nil {
			return
		}
		if time.Since(out.last) > keepAlive {
			out.write([]byte(": still here\n\n"))
		}
		select {
		case <-ctx.Done():
			return
		case <-rung:
		case <-poll.C:
		}
	}
}

// eventWriter writes to a client that may be slow, or gone.
type eventWriter struct {
	w       io.Writer
	control *http.ResponseController
	last    time.Time
	err     error
}

func (o *eventWriter) write(data []byte) {
	if o.err != nil {
		return
	}
	o.last = time.Now()
	_ = o.control.SetWriteDeadline(o.last.Add(writeEvent))
	if _, o.err = o.w.Write(data); o.err == nil {
		o.err = o.control.Flush()
	}
	_ = o.control.SetWriteDeadline(time.Time{}) // over HTTP/2 it would end a stream that is quiet
}

// event writes one event; seq 0 is no place in the log.
func (o *eventWriter) event(seq int64, name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		o.err = errors.Join(o.err, err)
		return
	}
	var b bytes.Buffer
	if seq > 0 {
		fmt.Fprintf(&b, "id: %d\n", seq)
	}
	fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", name, text)
	o.write(b.Bytes())
}

// watcher turns the log of a study into events for one client.
type watcher struct {
	host  *host
	after int64
	stale map[int]bool // trials whose lost lease was told
}

// send writes what is new. gone is true when nothing more will come.
func (w *watcher) send(ctx context.Context, out *eventWriter) (gone bool) {
	events, err := w.host.Events(ctx, w.after)
	if errors.Is(err, study.ErrNotFound) {
		out.event(0, "deleted", struct{}{})
		return true
	}
	if err != nil {
		return ctx.Err() != nil // a store that does not answer may come back
	}
	for _, e := range events {
		name, data := shapeEvent(e)
		out.event(e.Seq, name, data)
		w.after = e.Seq
	}
	w.sendStale(ctx, out)
	return false
}

// sendStale tells of leases that ran out, which the log does not: that follows
// from the clock.
func (w *watcher) sendStale(ctx context.Context, out *eventWriter) {
	trials, _, err := w.host.Select(ctx, study.Query{States: []evaluate.State{study.Stale}})
	if err != nil {
		return
	}
	stale := map[int]bool{}
	var lost []int
	for _, t := range trials {
		stale[t.Number] = true
		if !w.stale[t.Number] {
			lost = append(lost, t.Number)
		}
	}
	w.stale = stale
	if len(lost) > 0 {
		out.event(0, "stale", map[string]any{"trials": lost})
	}
}

// eventTrial is a trial in an event.
type eventTrial struct {
	Number int            `json:"number"`
	State  evaluate.State `json:"state"`
	Value  *float64       `json:"value,omitempty"`

	Outcomes map[string]float64 `json:"outcomes,omitempty"`
	Reason   string             `json:"reason,omitempty"`
}

// shapeEvent is an event of the log without the points, which a client can get by
// their numbers.
func shapeEvent(e study.Event) (name string, data map[string]any) {
	data = map[string]any{"time": e.Time}
	switch {
	case e.Created != nil:
		name = "created"
	case e.Asked != nil:
		name = "asked"
		data["batch_id"], data["worker"] = e.Asked.Batch, e.Asked.Worker
		data["trials"] = append(append([]int{}, e.Asked.Served...), placed(e.Asked.New)...)
		data["model"] = shapeModelUsed(e.Asked.ModelInfo)
	case e.Told != nil:
		name = "told"
		trials := []eventTrial{}
		for _, r := range e.Told.Results {
			t := eventTrial{Number: r.Number, State: r.State, Reason: r.Reason, Outcomes: r.Outcomes}
			if r.State == evaluate.Complete {
				t.Value = &r.Value
			}
			trials = append(trials, t)
		}
		data["trials"] = trials
	case e.Heartbeat != nil:
		name = "heartbeat"
		data["trials"], data["lease_expires"] = []int{e.Heartbeat.Number}, instant(e.Heartbeat.Expires)
	case e.Enqueued != nil:
		name, data["trials"] = "enqueued", placed(e.Enqueued.New)
	case e.Retried != nil:
		name, data["trials"] = "retried", []int{e.Retried.Number}
	case e.Released != nil:
		name, data["trials"] = "released", e.Released.Numbers
	case e.Noted != nil:
		name, data["trials"], data["text"] = "noted", []int{e.Noted.Number}, e.Noted.Text
	case e.Imported != nil:
		name, data["trials"] = "imported", placed(e.Imported.New)
	case e.Corrected != nil:
		name, data["trials"], data["by"] = "corrected", []int{e.Corrected.Number}, e.Corrected.By
	case e.Stopped != nil:
		name = "stopped"
		trials := []eventTrial{}
		for _, r := range e.Stopped.Results {
			trials = append(trials, eventTrial{Number: r.Number, State: evaluate.Stopped, Reason: r.Reason})
		}
		data["trials"] = trials
	case e.Changed != nil:
		name, data["by"] = "changed", e.Changed.By
	}
	return name, data
}

func placed(list []study.Placed) []int {
	numbers := make([]int, len(list))
	for i, p := range list {
		numbers[i] = p.Number
	}
	return numbers
}
