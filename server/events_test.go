package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mahabo/mahabo/server"
	"github.com/mahabo/mahabo/study"
)

// event is one of a stream.
type event struct{ id, name, data string }

// watch opens a stream of events; it ends with the test.
func watch(t *testing.T, c client, query, last string) <-chan event {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/v1/studies/rig/events"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("the stream is %s, %s", answer.Status, answer.Header.Get("Content-Type"))
	}
	events, done := make(chan event, 100), make(chan struct{})
	go func() {
		defer close(done)
		defer close(events)
		defer answer.Body.Close()
		var e event
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			field, value, _ := strings.Cut(lines.Text(), ": ")
			switch field {
			case "id":
				e.id = value
			case "event":
				e.name = value
			case "data":
				e.data = value
			case "":
				if e.name != "" {
					events <- e
				}
				e = event{}
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return events
}

// next waits for an event of a name and part of its data.
func next(t *testing.T, events <-chan event, name, data string) event {
	t.Helper()
	select {
	case e, ok := <-events:
		if !ok || e.name != name || !strings.Contains(e.data, data) {
			t.Fatalf("the next event is %+v, want %s %s", e, name, data)
		}
		return e
	case <-time.After(20 * time.Second):
		t.Fatalf("no event %s came", name)
	}
	return event{}
}

func TestEvents(t *testing.T) {
	st := open(t, "memory:")
	c := start(t, server.Config{Store: st})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	live := watch(t, c, "", "")
	c.must("POST", "/v1/studies/rig/ask", object{"worker": "w", "count": 2, "lease_seconds": 0.2}, nil)
	asked := next(t, live, "asked", `"trials":[1,2]`)
	c.must("POST", "/v1/studies/rig/trials/1/tell", object{"value": 0.5}, nil)
	told := next(t, live, "told", `{"number":1,"state":"complete","value":0.5}`)
	if stale := next(t, live, "stale", `"trials":[2]`); stale.id != "" {
		t.Errorf("a lost lease has the place %s in the log", stale.id)
	}

	// Another process writes to the log.
	other, err := study.Open(t.Context(), st, "rig")
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Note(t.Context(), 1, "hm"); err != nil {
		t.Fatal(err)
	}
	next(t, live, "noted", "hm")

	// Who comes back misses nothing and gets nothing twice.
	again := watch(t, c, "", asked.id)
	if e := next(t, again, "told", ""); e != told {
		t.Errorf("the event was %+v, now %+v", told, e)
	}
	all := watch(t, c, "?after=0", "")
	for i, name := range []string{"created", "asked", "told", "noted"} {
		if e := next(t, all, name, ""); e.id != fmt.Sprint(i+1) {
			t.Errorf("event %s has the id %s, want %d", name, e.id, i+1)
		}
	}
	c.must("DELETE", "/v1/studies/rig", nil, nil)
	for _, stream := range []<-chan event{live, again, all} {
		for e := range stream {
			if e.name != "deleted" && e.name != "noted" && e.name != "stale" {
				t.Errorf("the last event is %+v", e)
			}
		}
	}
	c.refused(404, "GET", "/v1/studies/rig/events", nil)
}
