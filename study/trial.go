package study

import (
	"fmt"
	"slices"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
)

// The states of a trial beside those of an outcome.
const (
	Waiting evaluate.State = "waiting" // to be served: chosen by a user, to be tried again, or given back
	Running evaluate.State = "running" // served to a worker
	Stale   evaluate.State = "stale"   // running, but its lease is lost; may be served again
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
	Number    int            `json:"number"`
	State     evaluate.State `json:"state"`
	Origin    Origin         `json:"origin"`
	Params    space.Params   `json:"params,omitzero"`
	Predicted *Prediction    `json:"predicted,omitempty"` // when it was chosen; nil without a model
	Value     *float64       `json:"value"`               // nil unless complete
	Std       float64        `json:"std,omitzero"`
	Reason    string         `json:"reason,omitempty"` // why it failed or is infeasible
	Notes     []string       `json:"notes,omitempty"`
	Excluded  bool           `json:"excluded,omitzero"` // nobody learns from its outcome
	Outside   string         `json:"outside,omitempty"` // why the present space has no place for it, which excludes it
	History   []change       `json:"history,omitempty"` // its corrections, the latest last
	Batch     int            `json:"batch,omitzero"`    // the last that served it
	Worker    string         `json:"worker,omitempty"`
	Created   time.Time      `json:"created"`
	Asked     time.Time      `json:"asked,omitzero"` // when it was last served
	Told      time.Time      `json:"told,omitzero"`
	Expires   time.Time      `json:"lease_expires,omitzero"` // zero: never
}

// Prediction is what the method expected of a value, its noise included, in the sense of
// the study's goal.
type Prediction struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
}

// seen is a copy of the trial at a time: a lease is lost by waiting, not by an
// event.
func (t Trial) seen(now time.Time) Trial {
	if t.Value != nil {
		value := *t.Value
		t.Value = &value
	}
	if t.Predicted != nil {
		predicted := *t.Predicted
		t.Predicted = &predicted
	}
	t.Notes, t.History = slices.Clone(t.Notes), slices.Clone(t.History)
	t.State = t.stateAt(now)
	return t
}

// stateAt is the state at a time. A clock that was set back, by more than the lease is long,
// says nothing about a lease: it is taken for lost, and a worker that lives has it again with
// its next heartbeat.
func (t *Trial) stateAt(now time.Time) evaluate.State {
	if t.State != Running || t.Expires.IsZero() {
		return t.State
	}
	lease := t.Expires.Sub(t.Asked) // negative after a heartbeat since then
	if !now.Before(t.Expires) || lease > 0 && t.Asked.Sub(now) > lease {
		return Stale
	}
	return Running
}

// normal fills the state and drops what does not belong to it.
func normal(o evaluate.Outcome) (evaluate.Outcome, error) {
	switch o.State {
	case "", evaluate.Complete:
		o.State, o.Reason = evaluate.Complete, ""
	case evaluate.Failed, evaluate.Infeasible:
		o.Value, o.Std = 0, 0
	}
	return o, o.Validate()
}

// text names an outcome in an error.
func text(o evaluate.Outcome) string {
	if o.State == evaluate.Complete && o.Std > 0 {
		return fmt.Sprintf("complete with value %v ± %v", o.Value, o.Std)
	}
	if o.State == evaluate.Complete {
		return fmt.Sprintf("complete with value %v", o.Value)
	}
	return string(o.State)
}

// Finished is the outcome of one trial.
type Finished struct {
	Number int `json:"number"`
	evaluate.Outcome
	Worker string `json:"worker,omitempty"` // who evaluated it, if another than it was served to

	// Params are those that were really used, if others than were suggested. The log keeps
	// them as a correction.
	Params space.Params `json:"-"`
}

// told returns the trial with an outcome; again is true when it has that outcome
// already. A failed trial may still get a value.
func (t Trial) told(o evaluate.Outcome, now time.Time) (_ Trial, again bool, err error) {
	switch t.State {
	case evaluate.Complete, evaluate.Infeasible:
		had := t.outcome()
		if had.State != o.State || had.Value != o.Value || o.Std > 0 && had.Std != o.Std {
			return t, false, &ConflictError{Number: t.Number, Had: had, Told: o}
		}
		return t, true, nil
	case evaluate.Failed:
		if o.State == evaluate.Failed {
			return t, true, nil
		}
	}
	t.State, t.Std, t.Reason, t.Told, t.Expires = o.State, o.Std, o.Reason, now, time.Time{}
	if o.State == evaluate.Complete {
		t.Value = &o.Value
	}
	return t, false, nil
}

// noted returns the trial with one more note.
func (t Trial) noted(text string) Trial {
	t.Notes = append(slices.Clip(t.Notes), text)
	return t
}
