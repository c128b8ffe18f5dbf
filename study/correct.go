package study

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/outcome"
	"github.com/mahabo/mahabo/internal/suggest"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

// Correction says what of a trial was recorded wrongly. Fields left zero stay as they are.
type Correction struct {
	State  evaluate.State // complete, failed or infeasible
	Value  *float64       // makes a failed or infeasible trial complete
	Std    *float64
	Reason *string

	Outcomes map[string]float64 // the right values by name, where the space declares outcomes
	Stds     map[string]float64

	Params  space.Params // those that were really used, if others than the trial has
	Exclude *bool        // true: the trial keeps its outcome, but nobody learns from it; false: it counts again
	Note    int          // number of the note to delete, from 1 on
	By      string       // who corrects it, if known
}

// mendsOutcome says whether the correction is of the outcome.
func (c Correction) mendsOutcome() bool {
	return c.State != "" || c.Value != nil || c.Std != nil || c.Reason != nil || len(c.Outcomes) > 0 || len(c.Stds) > 0
}

// corrected is a correction of a trial. What it replaces stands in the events before it.
type corrected struct {
	Number  int               `json:"number"`
	By      string            `json:"by,omitempty"`
	Outcome *evaluate.Outcome `json:"outcome,omitempty"`
	Used    *used             `json:"used,omitempty"`
	Exclude *bool             `json:"exclude,omitempty"`
	Note    int               `json:"deleted_note,omitzero"` // its number, from 1 on
}

// teaches says whether methods learn of it.
func (c *corrected) teaches() bool { return c.Outcome != nil || c.Used != nil || c.Exclude != nil }

// used are the values that were really evaluated, and the point that stands for them.
type used struct {
	Params space.Params   `json:"params"`
	Point  strategy.Point `json:"point"`
}

// change is one correction as people read it, or a failure that another outcome replaced.
type change struct {
	Time time.Time `json:"time"`
	By   string    `json:"by,omitempty"`
	What string    `json:"what"` // value 8.2 -> 0.82
}

// Correct mends what was recorded of a trial. The log keeps both. What was suggested before
// stays; every later Ask knows only the corrected trial. changed is false when the trial is
// so already.
func (s *Study) Correct(ctx context.Context, number int, c Correction) (t Trial, changed bool, err error) {
	err = s.write(ctx, func(l *ledger) (*Event, error) {
		e, err := l.correction(ctx, number, c)
		changed = e != nil
		if err != nil || e == nil {
			return nil, err
		}
		return &Event{Corrected: e}, nil
	}, func(l *ledger) { t = l.trialsOf([]int{number}, s.time())[0] })
	if err == nil {
		err = s.filled(ctx, 1, func(int) *Trial { return &t })
	}
	return t, changed, err
}

// correction returns what has to be written, nil when there is nothing to change.
func (l *ledger) correction(ctx context.Context, number int, c Correction) (*corrected, error) {
	if c.Params.Len() > 0 {
		if err := l.fetch(ctx, number); err != nil {
			return nil, err
		}
	}
	t, err := l.trial(number)
	if err != nil {
		return nil, &RequestError{err}
	}
	e := &corrected{Number: number, By: c.By}
	if e.Outcome, err = t.mended(c, l.scheme); err != nil {
		return nil, requestf("trial %d: %w", number, err)
	}
	if e.Used, err = t.reused(l.config.Space, c.Params); err != nil {
		return nil, requestf("trial %d: %w", number, err)
	}
	if c.Exclude != nil && *c.Exclude != t.Excluded {
		if *c.Exclude && !t.hasOutcome() && t.State != evaluate.Stopped {
			return nil, requestf("trial %d is %s: only a trial with an outcome can be excluded; tell it failed or infeasible instead", number, t.State)
		}
		e.Exclude = c.Exclude
	}
	if c.Note != 0 {
		if c.Note < 1 || c.Note > len(t.Notes) {
			return nil, requestf("trial %d has no note %d: it has %d", number, c.Note, len(t.Notes))
		}
		e.Note = c.Note
	}
	if !e.teaches() && e.Note == 0 {
		return nil, nil
	}
	return e, nil
}

// hasOutcome says whether something was told of the trial.
func (t *Trial) hasOutcome() bool {
	return t.State == evaluate.Failed || t.State == evaluate.Complete || t.State == evaluate.Infeasible
}

// outcome is what was told of a trial that has an outcome.
func (t *Trial) outcome() evaluate.Outcome {
	o := evaluate.Outcome{State: t.State, Std: t.Std, Reason: t.Reason, Outcomes: t.Outcomes, Stds: t.Stds}
	if t.Value != nil {
		o.Value = *t.Value
	}
	return o
}

// mended returns the outcome after a correction, nil when it stays.
func (t *Trial) mended(c Correction, scheme outcome.Scheme) (*evaluate.Outcome, error) {
	if !c.mendsOutcome() {
		return nil, nil
	}
	if !t.hasOutcome() {
		return nil, fmt.Errorf("it is %s and has no outcome to correct: tell it one", t.State)
	}
	o := t.outcome()
	named := len(c.Outcomes) > 0 || len(c.Stds) > 0
	switch {
	case c.State != "":
		o.State = c.State
	case c.Value != nil || len(c.Outcomes) > 0:
		o.State = evaluate.Complete
	}
	if scheme.Declared() {
		if o.State == evaluate.Complete {
			return t.mendedNamed(c, o, scheme)
		}
	} else if named {
		return nil, fmt.Errorf("outcomes: the study declares none: give the value")
	}
	if named {
		return nil, fmt.Errorf("a trial that is %s has no values: leave out outcomes", o.State)
	}
	switch complete := o.State == evaluate.Complete; {
	case complete && c.Value == nil && t.Value == nil:
		return nil, fmt.Errorf("a complete trial has a value: give it")
	case !complete && (c.Value != nil || c.Std != nil):
		return nil, fmt.Errorf("a trial that is %s has no value: leave out value and std", o.State)
	case complete && c.Reason != nil && *c.Reason != "":
		return nil, fmt.Errorf("a complete trial has no reason: leave it out, or add a note")
	}
	if c.Value != nil {
		o.Value = *c.Value
	}
	if c.Std != nil {
		o.Std = *c.Std
	}
	if c.Reason != nil {
		o.Reason = *c.Reason
	}
	o, err := normal(o, scheme)
	if err != nil || same(o, t.outcome()) {
		return nil, err
	}
	return &o, nil
}

// same compares outcomes.
func same(a, b evaluate.Outcome) bool {
	return a.State == b.State && a.Value == b.Value && a.Std == b.Std && a.Reason == b.Reason && maps.Equal(a.Outcomes, b.Outcomes) && maps.Equal(a.Stds, b.Stds)
}

// mendedNamed is mended for declared outcomes of a trial that is complete then.
func (t *Trial) mendedNamed(c Correction, o evaluate.Outcome, scheme outcome.Scheme) (*evaluate.Outcome, error) {
	right := evaluate.Outcome{State: evaluate.Complete, Outcomes: c.Outcomes, Stds: maps.Clone(c.Stds)}
	switch {
	case c.Reason != nil && *c.Reason != "":
		return nil, fmt.Errorf("a complete trial has no reason: leave it out, or add a note")
	case c.Value != nil || c.Std != nil:
		if len(scheme.Objectives) > 1 || len(c.Outcomes) > 0 {
			return nil, fmt.Errorf("value and std: give outcomes by their names instead")
		}
		name := scheme.Objectives[0].Name
		right.Outcomes, right.Stds = map[string]float64{name: o.Value}, map[string]float64{name: o.Std}
		if c.Value != nil {
			right.Outcomes[name] = *c.Value
		}
		if c.Std != nil {
			right.Stds[name] = *c.Std
		}
	}
	for name := range c.Stds { // a std alone
		if _, ok := right.Outcomes[name]; !ok {
			if had, known := t.Outcomes[name]; known {
				right.Outcomes = maps.Clone(right.Outcomes)
				if right.Outcomes == nil {
					right.Outcomes = map[string]float64{}
				}
				right.Outcomes[name] = had
			}
		}
	}
	for name := range right.Outcomes { // its noise stays as it was told
		if std, known := t.Stds[name]; known {
			if _, given := right.Stds[name]; !given {
				if right.Stds == nil {
					right.Stds = map[string]float64{}
				}
				right.Stds[name] = std
			}
		}
	}
	if len(right.Outcomes) > 0 {
		if err := right.Validate(); err != nil {
			return nil, err
		}
		if err := scheme.Check(right.Outcomes, right.Stds); err != nil {
			return nil, err
		}
	}
	values, stds, complete := t.named(right, scheme)
	if !complete {
		return nil, fmt.Errorf("outcome %q is missing: a complete trial has all objectives and limits", scheme.Missing(values)[0])
	}
	o, err := normal(evaluate.Outcome{State: evaluate.Complete, Outcomes: values, Stds: stds}, scheme)
	if err != nil || same(o, t.outcome()) {
		return nil, err
	}
	return &o, nil
}

// reused returns the values of a trial with some of them replaced, nil when they stay.
func (t *Trial) reused(sp *space.Space, really space.Params) (*used, error) {
	if really.Len() == 0 {
		return nil, nil
	}
	all := maps.Collect(t.Params.All())
	maps.Insert(all, really.All())
	p, err := place(sp, space.ParamsOf(all))
	if err == nil {
		err = keepsConstraints(sp, p.Params)
	}
	if err != nil {
		return nil, fmt.Errorf("the parameters that were used: %w", err)
	}
	if p.Params.String() == t.Params.String() {
		return nil, nil
	}
	return &used{p.Params, p.Point}, nil
}

// corrected returns a trial after a correction.
func (t entry) corrected(e *corrected, sp *space.Space, now time.Time) (entry, error) {
	had := t.Trial
	if o := e.Outcome; o != nil {
		if !t.hasOutcome() {
			return t, fmt.Errorf("trial %d is %s and has no outcome to correct", t.Number, t.State)
		}
		t.State, t.Std, t.Reason, t.Value = o.State, o.Std, o.Reason, nil
		t.Outcomes, t.Stds = o.Outcomes, o.Stds
		if o.State == evaluate.Complete {
			t.Value = &o.Value
		}
	}
	if e.Used != nil {
		params, err := sp.Complete(e.Used.Params) // JSON does not tell 3.0 from 3
		if err != nil {
			return t, fmt.Errorf("trial %d: %w", t.Number, err)
		}
		t.Params, t.point, t.key, t.packed = params, e.Used.Point, suggest.Key(e.Used.Point), false
		t.replaced = true
		t.Predicted = nil // it was expected elsewhere
	}
	if e.Exclude != nil {
		t.dropped = *e.Exclude
		t.Excluded = t.dropped || t.Outside != ""
	}
	if e.Note != 0 {
		if e.Note < 1 || e.Note > len(t.Notes) {
			return t, fmt.Errorf("trial %d has no note %d", t.Number, e.Note)
		}
		t.Notes = slices.Delete(slices.Clone(t.Notes), e.Note-1, e.Note)
		if len(t.Notes) == 0 {
			t.Notes = nil
		}
	}
	t.History = append(slices.Clip(t.History), change{now, e.By, had.difference(t.Trial, e.Note)})
	return t, nil
}

// difference says what a correction changed: old -> new.
func (t Trial) difference(now Trial, note int) string {
	var parts []string
	switch {
	case t.State != now.State:
		parts = append(parts, text(t.outcome())+" -> "+text(now.outcome()))
	case len(now.Outcomes) > 0:
		for _, name := range slices.Sorted(maps.Keys(now.Outcomes)) {
			if was, known := t.Outcomes[name]; !known {
				parts = append(parts, fmt.Sprintf("%s %v", name, now.Outcomes[name]))
			} else if was != now.Outcomes[name] {
				parts = append(parts, fmt.Sprintf("%s %v -> %v", name, was, now.Outcomes[name]))
			}
			if t.Stds[name] != now.Stds[name] {
				parts = append(parts, fmt.Sprintf("std of %s %v -> %v", name, t.Stds[name], now.Stds[name]))
			}
		}
	case t.Value != nil:
		if *t.Value != *now.Value {
			parts = append(parts, fmt.Sprintf("value %v -> %v", *t.Value, *now.Value))
		}
		if t.Std != now.Std {
			parts = append(parts, fmt.Sprintf("std %v -> %v", t.Std, now.Std))
		}
	}
	if t.Reason != now.Reason {
		parts = append(parts, fmt.Sprintf("reason %q -> %q", t.Reason, now.Reason))
	}
	for name := range now.Params.All() {
		was, _ := t.Params.Text(name)
		if is, _ := now.Params.Text(name); was != is {
			if a, b := shortened(t.Params, name), shortened(now.Params, name); a != b {
				was, is = a, b
			}
			parts = append(parts, name+" "+was+" -> "+is)
		}
	}
	switch {
	case now.Excluded && !t.Excluded:
		parts = append(parts, "excluded")
	case t.Excluded && !now.Excluded:
		parts = append(parts, "included")
	}
	if note > 0 {
		parts = append(parts, fmt.Sprintf("deleted note %d: %q", note, t.Notes[note-1]))
	}
	return strings.Join(parts, "; ")
}

// shortened is a parameter with six digits, which readers can take in; the log has all.
func shortened(v space.Params, name string) string {
	value, _ := v.Get(name)
	if f, ok := value.(float64); ok {
		return strconv.FormatFloat(f, 'g', 6, 64)
	}
	text, _ := v.Text(name)
	return text
}

// mend keeps what follows from the trials after one was corrected. What questions and a
// transaction that may be rolled back still refer to is replaced, never changed.
func (l *ledger) mend(e Event, was, is entry) {
	if !e.Corrected.teaches() {
		return
	}
	l.mended = e.Seq
	l.memo = newMemo()
	if was.key != is.key {
		l.keys = &keys{} // with another at of each trial
		l.index()
	}
	if unfinished(&is.Trial) && !unfinished(&was.Trial) {
		l.unfinish(is.Number)
	}
	if unfinished(&was.Trial) || unfinished(&is.Trial) {
		l.retrack()
	}
}

// unfinish takes a trial from the list of those that methods learn of.
func (l *ledger) unfinish(number int) {
	i := slices.IndexFunc(l.finished, func(f finish) bool { return f.number == number })
	l.finished = slices.Delete(slices.Clone(l.finished), i, i+1)
	if i < l.frozen {
		l.frozen--
	}
}
