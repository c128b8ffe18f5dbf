package study

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/suggest"
	"github.com/mahabo/mahabo/space"
)

// Tell records what came of a trial. Telling the same again changes nothing; a
// different outcome is a *ConflictError, except that a failed trial may still be
// told a value. A worker whose lease is lost may tell too: a value is a value.
func (s *Study) Tell(ctx context.Context, number int, o evaluate.Outcome) error {
	_, err := s.Record(ctx, Finished{Number: number, Outcome: o})
	return err
}

// Record records several outcomes, all or none, and returns the trials as they are
// then.
func (s *Study) Record(ctx context.Context, results ...Finished) (trials []Trial, err error) {
	results = slices.Clone(results)
	numbers := make([]int, len(results))
	scheme := s.scheme()
	for i, r := range results {
		numbers[i] = r.Number
		if results[i].Outcome, err = normal(r.Outcome, scheme); err != nil {
			return nil, requestf("trial %d: %w", r.Number, err)
		}
	}
	last, err := s.lastReports(ctx, results)
	if err != nil {
		return nil, err
	}
	err = s.writeTogether(ctx, func(l *ledger) ([]Event, error) { return l.record(ctx, results, last) },
		func(l *ledger) { trials = l.trialsOf(numbers, s.time()) })
	if err != nil {
		return trials, err
	}
	return trials, s.fill(ctx, trials)
}

// record returns the events that record outcomes: first the corrections of parameters that
// were not used, then what is new. All of them fit, or there is an error.
func (l *ledger) record(ctx context.Context, results []Finished, last map[int]lastReport) (events []Event, err error) {
	ended, rest, err := l.halts(results, last)
	if err != nil {
		return nil, err
	}
	told, err := l.told(rest)
	if err != nil {
		return nil, err
	}
	early := map[int]bool{}
	for _, r := range ended.Results {
		early[r.Number] = true
	}
	for _, r := range rest {
		if early[r.Number] {
			return nil, twice(r.Number)
		}
	}
	done := map[int]bool{}
	for _, r := range results {
		if r.Params.Len() == 0 || done[r.Number] {
			continue
		}
		done[r.Number] = true
		t := *l.trials.at(r.Number)
		c, err := l.correction(ctx, r.Number, Correction{Params: r.Params, By: cmp.Or(r.Worker, t.Worker)})
		if err != nil {
			return nil, err
		}
		if c != nil && !unfinished(&t.Trial) {
			return nil, requestf("trial %d is %s already, with other parameters: to mend them, correct it", r.Number, t.State)
		}
		if c != nil {
			events = append(events, Event{Corrected: c})
		}
	}
	if len(told.Results) > 0 {
		events = append(events, Event{Told: told})
	}
	if len(ended.Results) > 0 {
		events = append(events, Event{Stopped: ended})
	}
	return events, nil
}

// twice refuses two outcomes of a trial in one call.
func twice(number int) error {
	return requestf("trial %d is told twice: send one outcome", number)
}

// told returns the outcomes that are new, or why they cannot be.
func (l *ledger) told(results []Finished) (*told, error) {
	told := &told{}
	now := map[int]Trial{} // trials told in this call
	for _, r := range results {
		t, changed := now[r.Number]
		if !changed {
			e, err := l.trial(r.Number)
			if err != nil {
				return nil, &RequestError{err}
			}
			t = e.Trial
		}
		t, again, err := t.told(r.Outcome, time.Time{}, l.scheme)
		if err != nil {
			return nil, &RequestError{err}
		}
		if !again && changed {
			return nil, twice(r.Number)
		}
		if r.Worker == t.Worker {
			r.Worker = ""
		}
		r.Params = space.Params{} // they are corrected apart
		if !again {
			if r.State == evaluate.Complete && t.State != evaluate.Complete {
				r.State = partial
			}
			now[r.Number] = t
			told.Results = append(told.Results, r)
		}
	}
	return told, nil
}

// longLease divides the time that a trial has run: a heartbeat gives it that much at least.
const longLease = 10

// Heartbeat extends the lease of a running trial to a time from now on, 0 for
// ever. It returns ErrLeaseLost when the trial was served to another worker or
// has an outcome: there is no point in going on.
//
// A trial that has run for hours gets a tenth of that time at least, and a heartbeat
// that finds such a lease is not written: a trial of days leaves a hundred entries
// in the log, not thousands.
func (s *Study) Heartbeat(ctx context.Context, number int, worker string, lease time.Duration) error {
	if lease < 0 {
		return requestf("lease is %s: it cannot be negative; 0 means for ever", lease)
	}
	return s.write(ctx, func(l *ledger) (*Event, error) {
		t, err := l.trial(number)
		switch {
		case err != nil:
			return nil, &RequestError{err}
		case t.State != Running:
			return nil, requestf("trial %d is %s: %w", number, t.State, ErrLeaseLost)
		case t.Worker != worker:
			return nil, requestf("trial %d was served to worker %q: %w", number, t.Worker, ErrLeaseLost)
		}
		if lease == 0 && t.Expires.IsZero() {
			return nil, nil
		}
		if lease == 0 {
			return &Event{Heartbeat: &heartbeat{Number: number}}, nil
		}
		now := s.time()
		granted := max(lease, now.Sub(t.Asked)/longLease)
		if left := t.Expires.Sub(now); lease <= left && left <= granted {
			return nil, nil
		}
		return &Event{Heartbeat: &heartbeat{Number: number, Expires: now.Add(granted)}}, nil
	}, nil)
}

// EnqueueRequest holds points that a user wants evaluated.
type EnqueueRequest struct {
	RequestID string         `json:"request_id,omitempty"` // repeating it with the same points returns the same trials
	Params    []space.Params `json:"params"`
}

// Enqueue adds points to be served before any other. They have to keep the
// constraints.
func (s *Study) Enqueue(ctx context.Context, r EnqueueRequest) (trials []Trial, err error) {
	if len(r.Params) == 0 || len(r.Params) > mostCount {
		return nil, requestf("params holds %d points: enqueue 1 to %d", len(r.Params), mostCount)
	}
	sp, err := s.space(ctx)
	if err != nil {
		return nil, err
	}
	points := make([]Placed, len(r.Params))
	for i, v := range r.Params {
		if points[i], err = place(sp, v); err == nil {
			err = keepsConstraints(sp, points[i].Params)
		}
		if err != nil {
			return nil, requestf("point %d: %w", i+1, err)
		}
	}
	var numbers []int
	err = s.write(ctx, func(l *ledger) (*Event, error) {
		if l.config.Space != sp {
			return nil, errSpaceChanged
		}
		known, done := l.enqueued[r.RequestID]
		if done && r.RequestID != "" {
			same, err := l.hasPoints(ctx, known, points)
			if err != nil {
				return nil, err
			}
			if !same {
				return nil, fmt.Errorf("request_id %q: %w", r.RequestID, ErrUsedID)
			}
			numbers = known
			return nil, nil
		}
		numbers = number(points, l.trials.len()+1)
		return &Event{Enqueued: &enqueued{RequestID: r.RequestID, New: points}}, nil
	}, func(l *ledger) { trials = l.trialsOf(numbers, s.time()) })
	if err != nil {
		return trials, err
	}
	return trials, s.fill(ctx, trials)
}

// hasPoints says whether trials have the points of others, in order.
func (l *ledger) hasPoints(ctx context.Context, numbers []int, points []Placed) (bool, error) {
	if len(numbers) != len(points) {
		return false, nil
	}
	for i, n := range numbers {
		if err := l.fetch(ctx, n); err != nil || l.trials.at(n).Params.String() != points[i].Params.String() {
			return false, err
		}
	}
	return true, nil
}

// number gives new trials their numbers from first on.
func number(points []Placed, first int) []int {
	numbers := make([]int, len(points))
	for i := range points {
		numbers[i] = first + i
		points[i].Number = first + i
	}
	return numbers
}

// place finds the point that stands for values, and writes them as the space does.
func place(sp *space.Space, v space.Params) (p Placed, err error) {
	p.Params, p.Point, err = suggest.Place(sp, v)
	return p, err
}

func keepsConstraints(sp *space.Space, v space.Params) error {
	constraint, by, err := sp.Broken(v)
	if err != nil || by == 0 {
		return err
	}
	return fmt.Errorf("it breaks the constraint %q by %g", constraint, by)
}

// Retry sends a failed or stopped trial back to the queue.
func (s *Study) Retry(ctx context.Context, number int) error {
	return s.write(ctx, func(l *ledger) (*Event, error) {
		t, err := l.trial(number)
		switch {
		case err != nil:
			return nil, &RequestError{err}
		case t.State == Waiting:
			return nil, nil
		case t.Excluded:
			return nil, requestf("trial %d is excluded: include it first", number)
		case t.State != evaluate.Failed && t.State != evaluate.Stopped:
			return nil, requestf("trial %d is %s: only a failed or stopped one can be tried again", number, t.seen(s.time()).State)
		}
		return &Event{Retried: &retried{number}}, nil
	}, nil)
}

// Release gives back running trials of a worker that will not be told, so that the next Ask
// serves them before their leases run out. Without numbers it gives back all. Trials that
// another worker has, or that have an outcome, stay as they are.
func (s *Study) Release(ctx context.Context, worker string, numbers ...int) error {
	return s.write(ctx, func(l *ledger) (*Event, error) {
		released := &released{}
		for t := range l.underWay() {
			if t.State == Running && t.Worker == worker && (len(numbers) == 0 || slices.Contains(numbers, t.Number)) {
				released.Numbers = append(released.Numbers, t.Number)
			}
		}
		if len(released.Numbers) == 0 {
			return nil, nil
		}
		return &Event{Released: released}, nil
	}, nil)
}

// Note adds a remark to a trial. The same remark is kept once.
func (s *Study) Note(ctx context.Context, number int, text string) error {
	if text == "" {
		return requestf("trial %d: the note is empty", number)
	}
	return s.write(ctx, func(l *ledger) (*Event, error) {
		t, err := l.trial(number)
		if err != nil {
			return nil, &RequestError{err}
		}
		if slices.Contains(t.Notes, text) {
			return nil, nil
		}
		return &Event{Noted: &noted{number, text}}, nil
	}, nil)
}
