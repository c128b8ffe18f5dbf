package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// deadlines records those of a connection.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

// A client has so long for an event; between events there is no deadline, which over HTTP/2
// would end the stream.
func TestEventsLeaveNoDeadline(t *testing.T) {
	d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	o := eventWriter{w: d, control: http.NewResponseController(d)}
	o.event(3, "told", map[string]int{"number": 1})
	if o.err != nil {
		t.Fatal(o.err)
	}
	if len(d.set) != 2 || d.set[0].IsZero() || !d.set[1].IsZero() {
		t.Errorf("deadlines %v, want one for the event and then none", d.set)
	}
}
