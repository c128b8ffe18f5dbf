package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/outcome"
	"github.com/mahabo/mahabo/internal/pareto"
	"github.com/mahabo/mahabo/internal/problem"
	"github.com/mahabo/mahabo/space"
)

// recorder evaluates a problem and keeps the values by which results are judged. Trials are
// evaluated one at a time.
type recorder struct {
	evaluate func(context.Context, space.Params) (problem.Evaluation, error)
	early    int       // evaluations that failed, or violated a limit, before the first value
	violated bool      // one of them violated a limit
	best     []float64 // after each evaluation from that on
	failed   int
	failure  string
	stopped  int // evaluations that were ended early

	scheme    outcome.Scheme
	front     [][]float64 // with several objectives
	reference []float64   // of it
}

func newRecorder(p problem.Problem) (*recorder, error) {
	f, err := p.Evaluator()
	r := &recorder{evaluate: f}
	if p.Space != nil {
		r.scheme = outcome.Of(p.Space.Outcomes())
	}
	for _, t := range r.scheme.Objectives {
		if len(r.scheme.Objectives) > 1 && t.Reference == nil {
			return nil, fmt.Errorf("objective %s of problem %s has no reference: a benchmark of several objectives needs one for each", t.Name, p.Name)
		}
		if t.Reference != nil {
			r.reference = append(r.reference, t.Inner(*t.Reference))
		}
	}
	return r, err
}

// judged is the value by which an evaluation is judged: with limits that of trials that keep all, and
// with several objectives minus the hypervolume of all so far. ok is false without one.
func (r *recorder) judged(e problem.Evaluation) (value float64, ok bool) {
	if !r.scheme.Declared() {
		return e.Value, true
	}
	y, limits := r.scheme.Split(r.scheme.Inner(e.Seen.Outcomes))
	kept := pareto.Kept(limits)
	if len(y) == 1 {
		return y[0], kept
	}
	if kept && !slices.ContainsFunc(r.front, func(p []float64) bool { return pareto.Covers(p, y) }) {
		r.front = append(slices.DeleteFunc(r.front, func(p []float64) bool { return pareto.Covers(y, p) }), y)
	}
	return -pareto.Hypervolume(r.front, r.reference), true
}

// Evaluate finds out the value of a trial. The method may see a noisy one.
func (r *recorder) Evaluate(ctx context.Context, _ int, v space.Params) (evaluate.Outcome, error) {
	e, err := r.evaluate(ctx, v)
	if err != nil {
		return e.Seen, err
	}
	n := len(r.best)
	value, ok := 0.0, false
	switch e.Seen.State {
	case evaluate.Complete:
		value, ok = r.judged(e)
	case evaluate.Stopped:
		r.stopped++
	default:
		r.failed++
		r.failure = e.Seen.Reason
	}
	switch {
	case !ok:
		if n == 0 {
			r.early++
			r.violated = r.violated || e.Seen.State == evaluate.Complete
		} else {
			r.best = append(r.best, r.best[n-1])
		}
	case n == 0:
		r.best = append(r.best, value)
	default:
		r.best = append(r.best, min(r.best[n-1], value))
	}
	return e.Seen, nil
}

// neverKept is the value of a trial that found no point that keeps all limits: worse than all others.
const neverKept = 1e9

// errNoValue says that nothing can be drawn of a trial.
var errNoValue = errors.New("no evaluation gave a value")

// curve has a number for each of n evaluations. Where the first ones failed that is the first
// value found, before any keeps all limits neverKept, and where the space had no more points the last.
func (r *recorder) curve(n int) ([]float64, error) {
	if r.violated {
		r.best = slices.Concat(slices.Repeat([]float64{neverKept}, r.early), r.best)
		r.early = 0
	}
	if len(r.best) == 0 {
		return nil, errNoValue
	}
	curve := make([]float64, n)
	for i := range curve {
		curve[i] = r.best[min(max(i-r.early, 0), len(r.best)-1)]
	}
	return curve, nil
}
