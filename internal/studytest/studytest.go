// Package studytest has what tests of several packages do to studies.
package studytest

import (
	"encoding/json"
	"testing"

	"github.com/mahabo/mahabo/study"
)

// Misfit is an event that fits no log.
const Misfit = `{"noted": {"number": 7, "text": "there is no such trial"}}`

// Damage adds an event to the log of a study that then cannot be read.
func Damage(t *testing.T, st study.Store, name, event string) {
	t.Helper()
	id, err := st.Find(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	events, err := st.Events(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	var e study.Event
	if err := json.Unmarshal([]byte(event), &e); err != nil {
		t.Fatal(err)
	}
	e.Seq, e.Time = int64(len(events))+1, events[0].Time
	if err := st.Append(t.Context(), id, []study.Event{e}, nil); err != nil {
		t.Fatal(err)
	}
}
