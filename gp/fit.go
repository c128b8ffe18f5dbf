package gp

import (
	"context"
	"errors"
	"math"

	"github.com/mahabo/mahabo/internal/lbfgsb"
	"github.com/mahabo/mahabo/internal/linalg"
)

// Report says how a fit went.
type Report struct {
	Start  int     // which start won
	Loss   float64 // its lowest negative log marginal likelihood divided by n
	Evals  int     // gradient evaluations of all starts together
	Jitter float64 // the largest jitter any factorisation needed
}

// ErrNoFit says that no start had a finite likelihood.
var ErrNoFit = errors.New("gp: the likelihood is not finite at any start")

// FitLBFGS minimises -log p(y)/n from one start with at most maxEvals gradients
// and returns the best hyperparameters seen.
func FitLBFGS(ctx context.Context, start Hyper, in *Inputs, y []float64, maxEvals int) (Hyper, Report, error) {
	if err := start.validate(in.dim); err != nil {
		return Hyper{}, Report{}, err
	}
	sh, theta := start.shape(), toRaw(start)
	work := newWorkspace(in.n)
	z, dZ := padded(sh.low, in.n), padded(sh.low, in.n)
	best := append(raw(nil), theta...)
	report := Report{Loss: math.Inf(1)}
	loss := func(grad, x []float64) float64 {
		scalars, mapping := x[:rawScalars], x[rawScalars:]
		h := sh.hyper(scalars, mapping)
		projectAll(z, h.Kernel, in)
		ev, err := work.evaluate(dZ, z, y, h)
		report.Evals++
		report.Jitter = max(report.Jitter, ev.jitter)
		if err != nil {
			return math.Inf(1)
		}
		scalarGradient(grad, ev, scalars, in.n)
		gm := grad[rawScalars:]
		if sh.ard {
			lengthScaleLossGradient(gm, mapping, h, dZ, in)
		} else {
			linalg.Gemm(linalg.Matrix{Rows: sh.low, Cols: sh.high, Stride: sh.high, Data: gm}, 0, -1/float64(in.n), dZ, in.X())
		}
		v := -ev.value / float64(in.n)
		if v < report.Loss {
			report.Loss = v
			copy(best, x)
		}
		return v
	}
	if _, err := lbfgsb.Minimize(ctx, theta, nil, nil, loss, lbfgsb.Options{MaxEval: maxEvals}); err != nil {
		return Hyper{}, report, err
	}
	if math.IsInf(report.Loss, 1) {
		return Hyper{}, report, ErrNoFit
	}
	return sh.hyper(best[:rawScalars], best[rawScalars:]), report, nil
}
