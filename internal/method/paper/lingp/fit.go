package lingp

import (
	"context"
	"errors"
	"math"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/lbfgsb"
	"github.com/mahabo/mahabo/internal/linalg"
)

// Report says how a fit went.
type Report struct {
	Start  int     // which start won
	Loss   float64 // its lowest negative log marginal likelihood, or log posterior, divided by n
	Evals  int     // gradient evaluations of all starts together
	Jitter float64 // the largest jitter any factorisation needed
}

// FitLBFGS minimises -log p(y)/n from every start, with at most maxEvals gradients
// each, and returns the best hyperparameters seen. The starts share a kernel type.
func FitLBFGS(ctx context.Context, starts []Hyper, in *Inputs, y []float64, maxEvals int) (Hyper, Report, error) {
	d, err := newDescent(starts, in, y)
	if err != nil {
		return Hyper{}, Report{}, err
	}
	for i, h := range starts {
		d.start = i
		if _, err := lbfgsb.Minimize(ctx, toRaw(h), nil, nil, d.loss, lbfgsb.Options{MaxEval: maxEvals}); err != nil {
			return Hyper{}, d.report, err
		}
	}
	if math.IsInf(d.report.Loss, 1) {
		return Hyper{}, d.report, gp.ErrNoFit
	}
	return d.shape.hyper(d.best[:rawScalars], d.best[rawScalars:]), d.report, nil
}

// descent evaluates a loss for L-BFGS and keeps the best point seen.
type descent struct {
	shape  shape
	in     *Inputs
	y      []float64
	work   *workspace
	z, dZ  linalg.Matrix
	start  int
	best   raw
	report Report
}

// newDescent checks the starts and makes room for the evaluations.
func newDescent(starts []Hyper, in *Inputs, y []float64) (*descent, error) {
	if len(starts) == 0 {
		return nil, errors.New("gp: a fit needs at least one start")
	}
	for _, h := range starts {
		if err := h.validate(in.dim); err != nil {
			return nil, err
		}
	}
	sh := starts[0].shape()
	return &descent{
		shape: sh, in: in, y: y, work: newWorkspace(in.n), z: padded(sh.low, in.n), dZ: padded(sh.low, in.n),
		best: make(raw, rawScalars+sh.mapLen()), report: Report{Loss: math.Inf(1)},
	}, nil
}

// evaluate computes log p(y) at h and its derivative in z.
func (d *descent) evaluate(h Hyper) (evaluation, error) {
	projectAll(d.z, h.Kernel, d.in)
	ev, err := d.work.evaluate(d.dZ, d.z, d.y, h)
	d.report.Evals++
	d.report.Jitter = max(d.report.Jitter, ev.jitter)
	return ev, err
}

// keep remembers the parameters x when their loss is the lowest so far.
func (d *descent) keep(loss float64, x []float64) {
	if loss < d.report.Loss {
		d.report.Loss, d.report.Start = loss, d.start
		copy(d.best, x)
	}
}

// loss is -log p(y)/n at the raw parameters x, with its gradient.
func (d *descent) loss(grad, x []float64) float64 {
	scalars, mapping := x[:rawScalars], x[rawScalars:]
	h := d.shape.hyper(scalars, mapping)
	ev, err := d.evaluate(h)
	if err != nil {
		return math.Inf(1)
	}
	scalarGradient(grad, ev, scalars, d.in.n)
	if gm := grad[rawScalars:]; d.shape.ard {
		lengthScaleLossGradient(gm, mapping, h, d.dZ, d.in)
	} else {
		g := linalg.Matrix{Rows: d.shape.low, Cols: d.shape.high, Stride: d.shape.high, Data: gm}
		linalg.Gemm(g, 0, -1/float64(d.in.n), d.dZ, d.in.X())
	}
	loss := -ev.value / float64(d.in.n)
	d.keep(loss, x)
	return loss
}
