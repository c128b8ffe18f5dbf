package study

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mahabo/mahabo/space"
)

// State is where a trial is on its way.
type State string

// The states of a trial.
const (
	Waiting    State = "waiting"    // chosen by a user, or to be tried again; not served yet
	Running    State = "running"    // served to a worker
	Complete   State = "complete"   // has a value
	Failed     State = "failed"     // no value came of it; may be tried again
	Infeasible State = "infeasible" // cannot have a value; never suggested again
	Stale      State = "stale"      // running, but its lease is lost; may be served again
)

// Origin says who chose the point of a trial.
type Origin string

// The origins of a trial.
const (
	FromMethod Origin = "method"
	FromUser   Origin = "user"
	FromImport Origin = "import"
)

// Trial is one point of a study and what came of it.
type Trial struct {
	Number  int          `json:"number"`
	State   State        `json:"state"`
	Origin  Origin       `json:"origin"`
	Params  space.Values `json:"params"`
	Value   *float64     `json:"value"` // nil unless complete
	Std     float64      `json:"std,omitzero"`
	Reason  string       `json:"reason,omitempty"` // why it failed or is infeasible
	Notes   []string     `json:"notes,omitempty"`
	Batch   int          `json:"batch,omitzero"` // the last that served it
	Worker  string       `json:"worker,omitempty"`
	Created time.Time    `json:"created"`
	Asked   time.Time    `json:"asked,omitzero"` // when it was last served
	Told    time.Time    `json:"told,omitzero"`
	Expires time.Time    `json:"lease_expires,omitzero"` // zero: never
}

// seen is a copy of the trial at a time: a lease is lost by waiting, not by an
// event.
func (t Trial) seen(now time.Time) Trial {
	if t.Value != nil {
		value := *t.Value
		t.Value = &value
	}
	t.Notes = slices.Clone(t.Notes)
	if t.State == Running && !t.Expires.IsZero() && !now.Before(t.Expires) {
		t.State = Stale
	}
	return t
}

// Outcome is what came of a trial.
type Outcome struct {
	State  State   `json:"state"`            // Complete, Failed or Infeasible; empty for Complete
	Value  float64 `json:"value"`            // of a complete trial, in the sense of the study's goal
	Std    float64 `json:"std,omitzero"`     // standard deviation of the value's noise, 0 when unknown
	Reason string  `json:"reason,omitempty"` // why there is no value
}

// normal fills the state and drops what does not belong to it.
func (o Outcome) normal() (Outcome, error) {
	if o.State == "" {
		o.State = Complete
	}
	switch o.State {
	case Complete:
		if math.IsNaN(o.Value) || math.IsInf(o.Value, 0) {
			return o, fmt.Errorf("the value is %g: %w; tell the state failed or infeasible instead", o.Value, ErrNotFinite)
		}
		if !(o.Std >= 0) || math.IsInf(o.Std, 0) {
			return o, fmt.Errorf("the std is %g: give a finite number, 0 when it is not known", o.Std)
		}
		o.Reason = ""
	case Failed, Infeasible:
		o.Value, o.Std = 0, 0
	default:
		return o, fmt.Errorf("the state is %q: tell complete, failed or infeasible", o.State)
	}
	return o, nil
}

// text names an outcome in an error.
func (o Outcome) text() string {
	if o.State == Complete {
		return fmt.Sprintf("complete with value %v", o.Value)
	}
	return string(o.State)
}

// Finished is the outcome of one trial.
type Finished struct {
	Number int `json:"number"`
	Outcome
}

// told returns the trial with an outcome; again is true when it has that outcome
// already. A failed trial may still get a value.
func (t Trial) told(o Outcome, now time.Time) (_ Trial, again bool, err error) {
	switch t.State {
	case Complete, Infeasible:
		had := Outcome{State: t.State}
		if t.Value != nil {
			had.Value = *t.Value
		}
		if had.State != o.State || had.Value != o.Value {
			return t, false, &ConflictError{Number: t.Number, Had: had, Told: o}
		}
		return t, true, nil
	case Failed:
		if o.State == Failed {
			return t, true, nil
		}
	}
	t.State, t.Std, t.Reason, t.Told, t.Expires = o.State, o.Std, o.Reason, now, time.Time{}
	if o.State == Complete {
		t.Value = &o.Value
	}
	return t, false, nil
}

// noted returns the trial with one more note.
func (t Trial) noted(text string) Trial {
	t.Notes = append(slices.Clip(t.Notes), text)
	return t
}
