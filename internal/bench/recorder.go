package bench

import (
	"context"
	"errors"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/problem"
	"github.com/mahabo/mahabo/space"
)

// recorder evaluates a problem and keeps the values by which results are judged. Trials are
// evaluated one at a time.
type recorder struct {
	evaluate func(context.Context, space.Params) (problem.Evaluation, error)
	early    int       // evaluations that failed before the first value
	best     []float64 // after each evaluation from that on
	failed   int
	failure  string
}

func newRecorder(p problem.Problem) (*recorder, error) {
	f, err := p.Evaluator()
	return &recorder{evaluate: f}, err
}

// Evaluate finds out the value of a trial. The method may see a noisy one.
func (r *recorder) Evaluate(ctx context.Context, _ int, v space.Params) (evaluate.Outcome, error) {
	e, err := r.evaluate(ctx, v)
	if err != nil {
		return e.Seen, err
	}
	n := len(r.best)
	switch {
	case e.Seen.State != evaluate.Complete:
		r.failed++
		r.failure = e.Seen.Reason
		if n == 0 {
			r.early++
		} else {
			r.best = append(r.best, r.best[n-1])
		}
	case n == 0:
		r.best = append(r.best, e.Value)
	default:
		r.best = append(r.best, min(r.best[n-1], e.Value))
	}
	return e.Seen, nil
}

// errNoValue says that nothing can be drawn of a trial.
var errNoValue = errors.New("no evaluation gave a value")

// curve has a number for each of n evaluations. Where the first ones failed that is the first
// value found, and where the space had no more points the last.
func (r *recorder) curve(n int) ([]float64, error) {
	if len(r.best) == 0 {
		return nil, errNoValue
	}
	curve := make([]float64, n)
	for i := range curve {
		curve[i] = r.best[min(max(i-r.early, 0), len(r.best)-1)]
	}
	return curve, nil
}
