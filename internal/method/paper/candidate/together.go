package candidate

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/acquisition"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
)

// MinimizeTogether is MinimizeFrom of f(model), with the same result, for models that
// predict several points at little more than the cost of one. The searches run in
// turns: each goes on until it needs a prediction, and all are predicted at once. f is
// called for every search.
func (p *Polytope) MinimizeTogether(ctx context.Context, model lingp.BatchDifferentiable, f func(lingp.Differentiable) acquisition.Function,
	samples linalg.Matrix, o Options, r *rand.Rand,
) (z []float64, value float64, err error) {
	return p.minimize(ctx, f(model), samples, o, r, func(ends linalg.Matrix, maxIter int) error {
		var active []*turn
		for i := range ends.Rows {
			t := &turn{BatchDifferentiable: model}
			search := newSQP(p, f(t))
			var stop func()
			t.next, stop = iter.Pull(func(yield func(struct{}) bool) {
				t.wait = func() bool { return yield(struct{}{}) }
				t.err = search.minimise(ctx, ends.Row(i), maxIter)
			})
			defer stop()
			active = append(active, t)
		}
		return takeTurns(active, model, p.Dim())
	})
}

// turn is a search, and the model as it sees it.
type turn struct {
	lingp.BatchDifferentiable
	next func() (struct{}, bool) // runs the search until it waits, false when it is over
	wait func() bool             // false when the search shall end
	err  error                   // of the search, when it is over

	x, dMean, dVar []float64 // what it waits for
	mean, variance float64
}

// PredictGrad waits for its turn.
func (t *turn) PredictGrad(dMean, dVar, x []float64) (mean, variance float64) {
	t.x, t.dMean, t.dVar = x, dMean, dVar
	if !t.wait() {
		return math.NaN(), math.NaN()
	}
	return t.mean, t.variance
}

// takeTurns runs all searches to their end and returns the first error.
func takeTurns(active []*turn, model lingp.BatchDifferentiable, dim int) (err error) {
	count := len(active)
	x, dMean, dVar := linalg.New(count, dim), linalg.New(count, dim), linalg.New(count, dim)
	mean, variance := make([]float64, count), make([]float64, count)
	for {
		waiting := active[:0]
		for _, t := range active {
			if _, ok := t.next(); ok {
				copy(x.Row(len(waiting)), t.x)
				waiting = append(waiting, t)
			} else if err == nil {
				err = t.err
			}
		}
		if active = waiting; len(active) == 0 {
			return err
		}
		rows := len(active)
		model.PredictGrads(dMean.Slice(0, rows, 0, dim), dVar.Slice(0, rows, 0, dim), mean[:rows], variance[:rows], x.Slice(0, rows, 0, dim))
		for i, t := range active {
			copy(t.dMean, dMean.Row(i))
			copy(t.dVar, dVar.Row(i))
			t.mean, t.variance = mean[i], variance[i]
		}
	}
}
