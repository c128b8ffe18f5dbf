package study

import (
	"context"
	"fmt"
	"slices"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/outcome"
	"github.com/mahabo/mahabo/space"
)

// Row is a trial that was evaluated before or elsewhere.
type Row struct {
	Params  space.Params
	Outcome evaluate.Outcome
	Notes   []string

	Excluded bool // it is kept, but nobody learns from it
}

// MostRows bounds the rows of one Import: they become one event.
const MostRows = 100_000

// Check returns the row as a study with that space keeps it, or what is wrong with it. A
// row needs the values of all parameters that are not fixed, within their bounds, that keep
// the constraints, and a value, or the state failed or infeasible.
func (r Row) Check(sp *space.Space) (Row, error) {
	var err error
	if r.Outcome, err = normal(r.Outcome, outcome.Of(sp.Outcomes())); err != nil {
		return r, err
	}
	if missing := outcome.Of(sp.Outcomes()).Missing(r.Outcome.Outcomes); r.Outcome.State == evaluate.Complete && len(missing) > 0 {
		return r, fmt.Errorf("outcome %q is missing: a row needs all objectives and limits", missing[0])
	}
	if r.Params, err = sp.Complete(r.Params); err != nil {
		return r, err
	}
	return r, keepsConstraints(sp, r.Params)
}

// Import adds trials that were evaluated before or elsewhere, all or none, and returns their
// numbers. When rows with the same digest were imported before, nothing is added, repeated is
// true and the numbers are of then; an empty digest stands for none. Without rows it only says whether the
// digest was imported.
func (s *Study) Import(ctx context.Context, digest string, rows ...Row) (numbers []int, repeated bool, err error) {
	if len(rows) == 0 && digest != "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		if err := s.follow(ctx); err != nil {
			return nil, false, err
		}
		numbers, repeated = s.ledger.imported[digest]
		return slices.Clone(numbers), repeated, nil
	}
	return s.importRows(ctx, digest, rows, nil)
}

// importRows calls done with the ledger right behind the event, if it is not nil.
func (s *Study) importRows(ctx context.Context, digest string, rows []Row, done func(*ledger)) (numbers []int, repeated bool, err error) {
	if len(rows) == 0 || len(rows) > MostRows {
		return nil, false, requestf("there are %d rows: import 1 to %d at once", len(rows), MostRows)
	}
	sp, err := s.space(ctx)
	if err != nil {
		return nil, false, err
	}
	event := &imported{Digest: digest, New: make([]Placed, len(rows)), Outcomes: make([]evaluate.Outcome, len(rows))}
	var excluded []int
	for i, row := range rows {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if err := event.set(i, row, sp); err != nil {
			return nil, false, requestf("row %d: %w", i+1, err)
		}
		if row.Excluded {
			excluded = append(excluded, i) // the rows themselves are not needed any more
		}
	}
	err = s.writeTogether(ctx, func(l *ledger) ([]Event, error) {
		if l.config.Space != sp {
			return nil, errSpaceChanged
		}
		if numbers, repeated = l.imported[digest]; repeated {
			return nil, nil
		}
		numbers = number(event.New, l.trials.len()+1)
		events, yes := []Event{{Imported: event}}, true
		for _, i := range excluded {
			events = append(events, Event{Corrected: &corrected{Number: numbers[i], Exclude: &yes}})
		}
		return events, nil
	}, done)
	if err != nil {
		return nil, false, err
	}
	return numbers, repeated, nil
}

// set puts a row in its place. There are no notes while no row has any.
func (m *imported) set(i int, row Row, sp *space.Space) (err error) {
	if row, err = row.Check(sp); err != nil {
		return err
	}
	if m.New[i], err = place(sp, row.Params); err != nil {
		return err
	}
	m.Outcomes[i] = row.Outcome
	if len(row.Notes) == 0 {
		return nil
	}
	if m.Notes == nil {
		m.Notes = make([][]string, len(m.New))
	}
	m.Notes[i] = row.Notes
	return nil
}

// Add adds one trial that was evaluated before or elsewhere.
func (s *Study) Add(ctx context.Context, params space.Params, o evaluate.Outcome) (Trial, error) {
	sp, err := s.space(ctx)
	if err != nil {
		return Trial{}, err
	}
	row, err := Row{Params: params, Outcome: o}.Check(sp)
	if err != nil {
		return Trial{}, &RequestError{err}
	}
	var trials []Trial
	if _, _, err := s.importRows(ctx, "", []Row{row}, func(l *ledger) { trials = l.trialsOf([]int{l.trials.len()}, s.time()) }); err != nil {
		return Trial{}, err
	}
	return trials[0], nil
}
