package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mahabo/mahabo/strategy"
)

// Objective is the function to minimise over the box [-1,1]^D. It must not change
// x.
type Objective func(ctx context.Context, x []float64) (float64, error)

// Options says what to run.
type Options struct {
	Strategy  strategy.Strategy
	Objective Objective
	Init      int            // size of the initial design, at least 1
	Evals     int            // evaluations after the initial design
	Batch     int            // points per round after the initial design, at least 1
	OnBatch   func(Progress) // called after every round; nil for none
}

// Validate names the first field that cannot be used.
func (o Options) Validate() error {
	switch {
	case o.Strategy == nil:
		return errors.New("Strategy is nil: build one with strategy.New")
	case o.Objective == nil:
		return errors.New("Objective is nil: there is nothing to minimise")
	case o.Init < 1:
		return fmt.Errorf("Init is %d: the initial design needs at least one point", o.Init)
	case o.Evals < 0:
		return fmt.Errorf("Evals is %d: it cannot be negative", o.Evals)
	case o.Batch < 1:
		return fmt.Errorf("Batch is %d: a round needs at least one point", o.Batch)
	}
	return nil
}

// Progress is the state of a run after a round.
type Progress struct {
	Done, Total int     // evaluations, the initial design included
	Best        float64 // lowest value so far
	Elapsed     time.Duration
	Remaining   time.Duration // estimate from the speed so far
}

// Result is what a run has seen. It is valid, up to the failure, when Run
// returns an error too.
type Result struct {
	Observations []strategy.Observation // in order of evaluation
	Curve        []float64              // lowest value after each evaluation
	Optimiser    time.Duration          // wall time of Ask and Tell
	Suggestions  []time.Duration        // share of every point after the initial design in its round's Ask and Tell
	Fallbacks    int                    // rounds in which the method could not choose and said so
	Fallback     error                  // why, the last time
	Jitter       float64                // largest jitter the method reported

	best int // index of the lowest observation
}

// Best returns the observation with the lowest value; ok is false when nothing
// has been observed.
func (r *Result) Best() (o strategy.Observation, ok bool) {
	if len(r.Observations) == 0 {
		return o, false
	}
	return r.Observations[r.best], true
}

// MedianSuggestion returns the median of Suggestions, zero when there is none.
func (r *Result) MedianSuggestion() time.Duration {
	if len(r.Suggestions) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(r.Suggestions))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// ErrNotFinite is wrapped by an EvaluationError when the objective returned NaN
// or an infinity.
var ErrNotFinite = errors.New("only finite values can be modelled")

// EvaluationError says which evaluation failed; the first one is number 1.
type EvaluationError struct {
	Number int
	Err    error
}

func (e *EvaluationError) Error() string { return fmt.Sprintf("evaluation %d: %v", e.Number, e.Err) }

func (e *EvaluationError) Unwrap() error { return e.Err }

// Run minimises the objective. The result is never nil: after an error it holds
// what was observed before it.
func Run(ctx context.Context, o Options) (*Result, error) {
	r := &Result{}
	if err := o.Validate(); err != nil {
		return r, err
	}
	start := time.Now()
	total := o.Init + o.Evals
	for n := o.Init; len(r.Observations) < total; n = min(o.Batch, total-len(r.Observations)) {
		if err := r.round(ctx, o, n); err != nil {
			return r, err
		}
		if o.OnBatch != nil {
			done := len(r.Observations)
			elapsed := time.Since(start)
			o.OnBatch(Progress{
				Done: done, Total: total, Best: r.Curve[done-1], Elapsed: elapsed,
				Remaining: time.Duration(float64(elapsed) / float64(done) * float64(total-done)),
			})
		}
	}
	return r, nil
}

// round asks for n points, evaluates them and tells their values.
func (r *Result) round(ctx context.Context, o Options, n int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	initial := len(r.Observations) == 0
	start := time.Now()
	points, err := o.Strategy.Ask(ctx, n, nil)
	spent := time.Since(start)
	r.Optimiser += spent
	if err != nil {
		return fmt.Errorf("asking for evaluation %d: %w", len(r.Observations)+1, err)
	}
	if reporter, ok := o.Strategy.(strategy.Reporter); ok {
		report := reporter.LastAsk()
		r.Jitter = max(r.Jitter, report.Jitter)
		if report.Fallback != nil {
			r.Fallbacks++
			r.Fallback = report.Fallback
		}
	}
	if len(points) != n {
		return fmt.Errorf("the strategy returned %d points, asked for %d", len(points), n)
	}

	first := len(r.Observations)
	for _, x := range points {
		if err := r.evaluate(ctx, o.Objective, x); err != nil {
			return err
		}
	}

	start = time.Now()
	err = o.Strategy.Tell(r.Observations[first:]...)
	told := time.Since(start)
	r.Optimiser += told
	if err != nil {
		return fmt.Errorf("telling evaluations %d to %d: %w", first+1, len(r.Observations), err)
	}
	if !initial {
		r.Suggestions = append(r.Suggestions, slices.Repeat([]time.Duration{(spent + told) / time.Duration(n)}, n)...)
	}
	return nil
}

// evaluate appends one observation, or nothing and an error.
func (r *Result) evaluate(ctx context.Context, f Objective, x strategy.Point) error {
	number := len(r.Observations) + 1
	if err := ctx.Err(); err != nil {
		return err
	}
	y, err := f(ctx, x)
	if err != nil {
		return &EvaluationError{number, err}
	}
	if math.IsNaN(y) || math.IsInf(y, 0) {
		return &EvaluationError{number, fmt.Errorf("the objective returned %g: %w", y, ErrNotFinite)}
	}
	r.Observations = append(r.Observations, strategy.Observation{X: x, Value: y})
	if number == 1 || y < r.Observations[r.best].Value {
		r.best = number - 1
	}
	r.Curve = append(r.Curve, r.Observations[r.best].Value)
	return nil
}
