package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
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
var ErrNotFinite = evaluate.ErrNotFinite

// EvaluationError says which evaluation failed; the first one is number 1.
type EvaluationError = evaluate.TrialError

// Run minimises the objective. The result is never nil: after an error it holds
// what was observed before it.
func Run(ctx context.Context, o Options) (*Result, error) {
	b := &box{Options: o, start: time.Now(), result: &Result{}}
	if err := o.Validate(); err != nil {
		return b.result, err
	}
	err := evaluate.Run(ctx, evaluate.Options{
		Source: b, Evaluator: b, Init: o.Init, Trials: o.Init + o.Evals, Batch: o.Batch, Parallel: 1,
	})
	return b.result, err
}

// box is a strategy as a source of trials, which have a point instead of values.
type box struct {
	Options
	start  time.Time
	points []strategy.Point // all that were asked for
	round  int              // size of the last round
	asking time.Duration    // time of its Ask
	result *Result
}

var (
	_ evaluate.Source    = (*box)(nil)
	_ evaluate.Evaluator = (*box)(nil)
)

func (b *box) Ask(ctx context.Context, n int) ([]evaluate.Trial, error) {
	start := time.Now()
	points, err := b.Strategy.Ask(ctx, n, nil)
	b.asking = time.Since(start)
	b.result.Optimiser += b.asking
	if err != nil {
		return nil, err
	}
	if reporter, ok := b.Strategy.(strategy.Reporter); ok {
		report := reporter.LastAsk()
		b.result.Jitter = max(b.result.Jitter, report.Jitter)
		if report.Fallback != nil {
			b.result.Fallbacks++
			b.result.Fallback = report.Fallback
		}
	}
	if len(points) != n {
		return nil, fmt.Errorf("the strategy returned %d points, asked for %d", len(points), n)
	}
	b.round = n
	trials := make([]evaluate.Trial, n)
	for i := range trials {
		trials[i].Number = len(b.points) + i + 1
	}
	b.points = append(b.points, points...)
	return trials, nil
}

func (b *box) Evaluate(ctx context.Context, number int, _ space.Values) (Outcome, error) {
	y, err := b.Objective(ctx, b.points[number-1])
	return Outcome{State: Complete, Value: y}, err
}

// Tell notes a value, and tells the strategy when its round is complete.
func (b *box) Tell(_ context.Context, number int, o Outcome) error {
	r := b.result
	r.Observations = append(r.Observations, strategy.Observation{X: b.points[number-1], Value: o.Value})
	if number == 1 || o.Value < r.Observations[r.best].Value {
		r.best = number - 1
	}
	r.Curve = append(r.Curve, r.Observations[r.best].Value)
	if number < len(b.points) {
		return nil
	}
	start := time.Now()
	err := b.Strategy.Tell(r.Observations[number-b.round:]...)
	spent := time.Since(start)
	r.Optimiser += spent
	if err != nil {
		return err
	}
	if number > b.Init {
		share := (b.asking + spent) / time.Duration(b.round)
		r.Suggestions = append(r.Suggestions, slices.Repeat([]time.Duration{share}, b.round)...)
	}
	b.progress()
	return nil
}

func (b *box) progress() {
	if b.OnBatch == nil {
		return
	}
	done, total := len(b.points), b.Init+b.Evals
	elapsed := time.Since(b.start)
	b.OnBatch(Progress{
		Done: done, Total: total, Best: b.result.Curve[done-1], Elapsed: elapsed,
		Remaining: time.Duration(float64(elapsed) / float64(done) * float64(total-done)),
	})
}
