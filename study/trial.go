package study

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/outcome"
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
	Reason    string         `json:"reason,omitempty"`    // why it failed, is infeasible or was stopped
	Cost      float64        `json:"cost,omitzero"`       // that was told; 0: none, and its time counts
	Seconds   float64        `json:"seconds,omitzero"`    // that its evaluation took, as was told; 0: the time from Asked to Told counts
	Last      *Reported      `json:"last,omitempty"`      // last report of a stopped trial
	CountsAs  *float64       `json:"counts_as,omitempty"` // what methods take for the value of a stopped trial; nil: nothing
	CountsStd float64        `json:"counts_std,omitzero"` // standard deviation of that, 0 when it is not known
	Stop      string         `json:"-"`                   // why the rule of the study wants a running trial to end

	// Outcomes are the values told so far, by name, where the space declares outcomes. Value is
	// that of the first objective once all that methods need are there.
	Outcomes map[string]float64 `json:"outcomes,omitempty"`
	Stds     map[string]float64 `json:"stds,omitempty"` // of their noise, where it is known

	Notes    []string  `json:"notes,omitempty"`
	Excluded bool      `json:"excluded,omitzero"` // nobody learns from its outcome
	Outside  string    `json:"outside,omitempty"` // why the present space has no place for it, which excludes it
	History  []change  `json:"history,omitempty"` // its corrections, and how it failed or was stopped before, the latest last
	Batch    int       `json:"batch,omitzero"`    // that chose it; of one that a user chose, the first that served it
	Worker   string    `json:"worker,omitempty"`
	Created  time.Time `json:"created"`
	Asked    time.Time `json:"asked,omitzero"` // when it was last served
	Told     time.Time `json:"told,omitzero"`
	Expires  time.Time `json:"lease_expires,omitzero"` // zero: never
}

// Prediction is what the method expected of a value, its noise included, in the sense of
// the study's goal.
type Prediction struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`

	Outcomes map[string]Prediction `json:"outcomes,omitempty"` // by name, where the space declares outcomes
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
		predicted.Outcomes = maps.Clone(predicted.Outcomes)
		t.Predicted = &predicted
	}
	if t.CountsAs != nil {
		bound := *t.CountsAs
		t.CountsAs = &bound
	}
	t.Outcomes, t.Stds = maps.Clone(t.Outcomes), maps.Clone(t.Stds)
	t.Notes, t.History = slices.Clone(t.Notes), slices.Clone(t.History)
	t.State = t.stateAt(now)
	if t.State == Waiting {
		t.Worker = "" // who had it has given it back, or is gone
	}
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

// normal fills the state and drops what does not belong to it. Of declared outcomes some may be
// missing.
func normal(o evaluate.Outcome, scheme outcome.Scheme) (evaluate.Outcome, error) {
	switch o.State {
	case "", evaluate.Complete:
		o.State, o.Reason = evaluate.Complete, ""
		var err error
		if o, err = declared(o, scheme); err != nil {
			return o, err
		}
	case evaluate.Failed, evaluate.Infeasible, evaluate.Stopped:
		o.Value, o.Std, o.Outcomes, o.Stds = 0, 0, nil, nil
	}
	return o, o.Validate()
}

// declared gives a complete outcome the names of the study's outcomes.
func declared(o evaluate.Outcome, scheme outcome.Scheme) (evaluate.Outcome, error) {
	if !scheme.Declared() {
		if len(o.Outcomes) > 0 {
			return o, fmt.Errorf("outcomes: the study declares none: tell its value, or make a study whose space has the section outcomes")
		}
		o.Outcomes, o.Stds = nil, nil
		return o, nil
	}
	first := scheme.Objectives[0].Name
	if len(o.Outcomes) == 0 {
		if len(scheme.Objectives) > 1 {
			return o, fmt.Errorf("value: the study has %d objectives: tell outcomes by their names", len(scheme.Objectives))
		}
		o.Outcomes = map[string]float64{first: o.Value}
		if o.Std > 0 {
			o.Stds = map[string]float64{first: o.Std}
		}
	}
	if err := scheme.Check(o.Outcomes, o.Stds); err != nil {
		return o, err
	}
	o.Stds = maps.Clone(o.Stds)
	maps.DeleteFunc(o.Stds, func(_ string, std float64) bool { return std == 0 })
	if len(o.Stds) == 0 {
		o.Stds = nil
	}
	o.Value, o.Std = o.Outcomes[first], o.Stds[first]
	return o, nil
}

// partial is the state in the log of an outcome that leaves others to be told.
const partial evaluate.State = "partial"

// named says which outcomes a trial has when more are told; complete when none is missing.
func (t Trial) named(o evaluate.Outcome, scheme outcome.Scheme) (values, stds map[string]float64, complete bool) {
	values, stds = maps.Clone(t.Outcomes), maps.Clone(t.Stds)
	if values == nil {
		values = map[string]float64{}
	}
	if stds == nil {
		stds = map[string]float64{}
	}
	for name, v := range o.Outcomes {
		values[name] = v
		if std, ok := o.Stds[name]; ok {
			stds[name] = std
		} else if t.Outcomes[name] != v {
			delete(stds, name)
		}
	}
	if len(stds) == 0 {
		stds = nil
	}
	return values, stds, len(scheme.Missing(values)) == 0
}

// tellNamed is told for declared outcomes.
func (t Trial) tellNamed(o evaluate.Outcome, now time.Time, scheme outcome.Scheme) (_ Trial, again bool, err error) {
	values, stds, complete := t.named(o, scheme)
	again = maps.Equal(values, t.Outcomes) && maps.Equal(stds, t.Stds)
	if t.State == evaluate.Complete {
		for name, v := range o.Outcomes {
			had, known := t.Outcomes[name]
			if std, told := o.Stds[name]; known && (had != v || told && std != t.Stds[name]) {
				return t, false, &ConflictError{Number: t.Number, Had: t.outcome(), Told: o}
			}
		}
	}
	if again && (!complete || t.State == evaluate.Complete) {
		return t, true, nil
	}
	t.Outcomes, t.Stds, t.Seconds = values, stds, cmp.Or(o.Seconds, t.Seconds)
	if !complete || t.State == evaluate.Complete { // the rest comes later, or is only recorded
		return t, false, nil
	}
	t = t.remembered()
	t.Last, t.CountsAs, t.CountsStd, t.Cost = nil, nil, 0, cmp.Or(o.Cost, t.Cost)
	first := scheme.Objectives[0].Name
	value := values[first]
	t.State, t.Value, t.Std, t.Reason, t.Told, t.Expires = evaluate.Complete, &value, stds[first], "", now, time.Time{}
	return t, false, nil
}

// text names an outcome in an error.
func text(o evaluate.Outcome) string {
	if o.State == evaluate.Complete && len(o.Outcomes) > 0 {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(o.Outcomes)) {
			part := fmt.Sprintf("%s %v", name, o.Outcomes[name])
			if std := o.Stds[name]; std > 0 {
				part += fmt.Sprintf(" ± %v", std)
			}
			parts = append(parts, part)
		}
		return "complete with " + strings.Join(parts, ", ")
	}
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
func (t Trial) told(o evaluate.Outcome, now time.Time, scheme outcome.Scheme) (_ Trial, again bool, err error) {
	if scheme.Declared() && (o.State == evaluate.Complete || o.State == partial) && t.State != evaluate.Infeasible {
		return t.tellNamed(o, now, scheme)
	}
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
	case evaluate.Stopped:
		if o.State != evaluate.Complete {
			return t, false, &ConflictError{Number: t.Number, Had: t.outcome(), Told: o}
		}
	}
	t = t.remembered()
	t.Last, t.CountsAs, t.CountsStd, t.Cost, t.Seconds = nil, nil, 0, o.Cost, o.Seconds
	t.State, t.Std, t.Reason, t.Told, t.Expires = o.State, o.Std, o.Reason, now, time.Time{}
	t.Outcomes, t.Stds = nil, nil
	if o.State == evaluate.Complete {
		t.Value = &o.Value
	}
	return t, false, nil
}

// remembered returns the trial with its failure, or why it was stopped, in its history: another outcome takes its place.
func (t Trial) remembered() Trial {
	if t.State != evaluate.Failed && t.State != evaluate.Stopped {
		return t
	}
	what := "was " + string(t.State)
	if t.Reason != "" {
		what += ": " + t.Reason
	}
	t.History = append(slices.Clip(t.History), change{Time: t.Told, What: what})
	slices.SortStableFunc(t.History, func(a, b change) int { return a.Time.Compare(b.Time) }) // it may have been corrected since then
	return t
}

// noted returns the trial with one more note.
func (t Trial) noted(text string) Trial {
	t.Notes = append(slices.Clip(t.Notes), text)
	return t
}
