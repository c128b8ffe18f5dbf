package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"
)

// ReplayOptions says which finished trials to make again.
type ReplayOptions struct {
	Trials  []Trial // as Read returns them
	PerCell int     // how many of every cell, the first ones; at least 1
	Evals   *int    // evaluations after the initial design, fewer than the trials have; nil for all
	Jobs    int     // trials at the same time, at least 1
	Version string

	Methods, Problems []string      // specifications of programs among them: results have only their names
	AnswerLimit       time.Duration // of a program, 0 for DefaultAnswerLimit

	OnTrial func(done, total int) // called after every trial, one at a time; may be nil
}

// Validate names the first field that cannot be used.
func (o ReplayOptions) Validate() error {
	switch {
	case o.PerCell < 1:
		return fmt.Errorf("trials is %d: at least one is needed", o.PerCell)
	case o.Evals != nil && *o.Evals < 0:
		return fmt.Errorf("evals is %d: it cannot be negative", *o.Evals)
	case o.Jobs < 1:
		return fmt.Errorf("jobs is %d: at least one is needed", o.Jobs)
	}
	return nil
}

// Replayed is how the trials of a cell came out again.
type Replayed struct {
	Cell
	Trials  int         // made again
	Equal   int         // of these whose curves are the stored ones, to the last digit
	Values  int         // of a curve that were compared
	First   *Difference // of the first trial that differs; nil when there is none
	CPU     float64     // seconds of these trials now
	WasCPU  float64     // and when they were stored; 0 when only a part was made again
	Failure error       // of the first trial that could not be made
}

// Difference is where a curve leaves the stored one.
type Difference struct {
	Trial, Value int // number of the value in the curve, from 1
	Got, Stored  float64
}

// Same says whether all trials came out as they were stored.
func (r Replayed) Same() bool { return r.Equal == r.Trials }

// Replay makes trials again and compares their curves with the stored ones. With fewer
// evaluations the methods still plan for all, so that a curve is the beginning of the stored
// one. When ctx ends, it returns what is known by then, with the error.
func Replay(ctx context.Context, o ReplayOptions) ([]Replayed, error) {
	if err := o.Validate(); err != nil {
		return nil, &InputError{err}
	}
	s, err := o.setting()
	if err != nil {
		return nil, &InputError{err}
	}
	var picked []Trial
	for _, r := range Summarise(o.Trials) {
		of := slices.DeleteFunc(slices.Clone(o.Trials), func(t Trial) bool { return t.Cell != r.Cell })
		slices.SortFunc(of, func(a, b Trial) int { return cmp.Compare(a.Trial, b.Trial) })
		picked = append(picked, of[:min(o.PerCell, len(of))]...)
	}
	outcomes := make([]*replay, len(picked))
	queue := make(chan int)
	var mu sync.Mutex
	done := 0
	var workers sync.WaitGroup
	for range min(o.Jobs, len(picked)) {
		workers.Go(func() {
			for i := range queue {
				again := o.again(ctx, s, picked[i])
				mu.Lock()
				if again.err == nil || ctx.Err() == nil {
					outcomes[i] = &again
				}
				if done++; o.OnTrial != nil {
					o.OnTrial(done, len(picked))
				}
				mu.Unlock()
			}
		})
	}
feed:
	for i := range picked {
		select {
		case queue <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(queue)
	workers.Wait()
	return gather(outcomes), ctx.Err()
}

// setting knows the programs.
func (o ReplayOptions) setting() (setting, error) {
	s := setting{version: o.Version, threads: 1, limit: cmp.Or(o.AnswerLimit, DefaultAnswerLimit)}
	for _, m := range o.Methods {
		if _, err := s.programs.method(m); err != nil {
			return s, err
		}
	}
	for _, p := range o.Problems {
		if _, err := s.programs.problem(p); err != nil {
			return s, err
		}
	}
	return s, nil
}

// replay is a stored trial and what it is now.
type replay struct {
	stored, now Trial
	err         error
}

// again makes one trial.
func (o ReplayOptions) again(ctx context.Context, s setting, t Trial) replay {
	j := t.job()
	evals := t.Evals
	if o.Evals != nil {
		evals = min(evals, *o.Evals)
	}
	now, err := guard(func() (Trial, error) { return j.run(ctx, s, evals) })
	return replay{t, now, err}
}

// gather makes a row of the outcomes of every cell, which follow each other.
func gather(outcomes []*replay) (rows []Replayed) {
	for _, r := range outcomes {
		if r == nil {
			continue
		}
		if len(rows) == 0 || rows[len(rows)-1].Cell != r.stored.Cell {
			rows = append(rows, Replayed{Cell: r.stored.Cell})
		}
		rows[len(rows)-1].add(r)
	}
	return rows
}

// add counts one trial.
func (r *Replayed) add(one *replay) {
	r.Trials++
	if one.err != nil {
		if r.Failure == nil {
			r.Failure = fmt.Errorf("trial %d: %w", one.stored.Trial, one.err)
		}
		return
	}
	r.Values = len(one.now.Curve)
	r.CPU += one.now.CPUSeconds
	if len(one.now.Curve) == len(one.stored.Curve) {
		r.WasCPU += one.stored.CPUSeconds
	}
	for i, v := range one.now.Curve {
		if v != one.stored.Curve[i] {
			if r.First == nil {
				r.First = &Difference{one.stored.Trial, i + 1, v, one.stored.Curve[i]}
			}
			return
		}
	}
	r.Equal++
}

// ErrDiffers says that a trial did not come out as it was stored.
var ErrDiffers = errors.New("not all trials came out as they were stored")

// WriteReplayed writes a line per cell. It returns ErrDiffers when a trial differs.
func WriteReplayed(w io.Writer, rows []Replayed, format Format) error {
	s := sheet{header: []string{"method", "problem", "dim", "batch", "trials", "values", "curves", "cpu seconds", "then", "ratio"}, left: 2}
	same := true
	for _, r := range rows {
		same = same && r.Same()
		s.add(append(r.Cell.words(), words(strconv.Itoa(r.Trials), strconv.Itoa(r.Values), r.verdict(),
			fmt.Sprintf("%.3g", r.CPU), orMissing(r.WasCPU, r.WasCPU), orMissing(r.CPU/r.WasCPU, r.WasCPU))...)...)
	}
	if err := s.write(w, format); err != nil {
		return err
	}
	if !same {
		return ErrDiffers
	}
	return nil
}

// orMissing writes a number, if there is what it was made of.
func orMissing(v, of float64) string {
	if of == 0 {
		return missing
	}
	return fmt.Sprintf("%.3g", v)
}

// verdict says whether the curves are equal, and where the first is not.
func (r Replayed) verdict() string {
	switch d := r.First; {
	case r.Same():
		return "equal"
	case d != nil:
		return fmt.Sprintf("%d of %d equal; trial %d from value %d on: %v, was %v", r.Equal, r.Trials, d.Trial, d.Value, d.Got, d.Stored)
	}
	return fmt.Sprintf("%d of %d equal; %v", r.Equal, r.Trials, r.Failure)
}
