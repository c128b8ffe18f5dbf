package lingp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mahabo/mahabo/internal/adam"
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/num"
)

// at maps a raw parameter into the interval, low + (high-low) sigmoid(raw), and
// gives the derivative.
func (b Interval) at(raw float64) (value, slope float64) {
	s := num.Sigmoid(raw)
	return b.Low + (b.High-b.Low)*s, (b.High - b.Low) * s * (1 - s)
}

// raw is the inverse of at.
func (b Interval) raw(value float64) float64 {
	return math.Log((value - b.Low) / (b.High - value))
}

func (b Interval) holds(value float64) bool { return b.Low < value && value < b.High }

// Bounds are the ranges of a fit; the constant mean is free.
type Bounds struct {
	LengthScale, OutputScale, NoiseVariance Interval
}

// ErrOutside says that a fit was to start outside its bounds.
var ErrOutside = errors.New("gp: the start lies outside the bounds")

// BoundedOptions are those of FitBounded.
type BoundedOptions struct {
	Steps   int
	Rate    float64
	Threads int // goroutines, 1; the result does not depend on it
}

// FitBounded takes a fixed number of Adam steps from one start towards lower
// -log p(y)/n, for an ARD kernel whose hyperparameters stay within bounds, and
// returns the last ones. Points that share most coordinates with an earlier one
// make it fast.
func FitBounded(ctx context.Context, start Hyper, b Bounds, points *Lineage, y []float64, o BoundedOptions) (Hyper, Report, error) {
	if err := start.validate(points.in.dim); err != nil {
		return Hyper{}, Report{}, err
	}
	theta, err := b.toRaw(start)
	if err != nil {
		return Hyper{}, Report{}, err
	}
	f := newBounded(start, b, points, y, o.Threads)
	grad, state := make([]float64, len(theta)), adam.New(len(theta))
	for range o.Steps {
		if err := ctx.Err(); err != nil {
			return Hyper{}, f.report, err
		}
		loss, err := f.loss(grad, theta)
		if err != nil {
			return Hyper{}, f.report, err
		}
		f.report.Loss = min(f.report.Loss, loss)
		state.Step(theta, grad, o.Rate)
	}
	b.fromRaw(&f.hyper, f.slopes, theta)
	return f.hyper, f.report, nil
}

// bounded evaluates the loss of a fit within bounds.
type bounded struct {
	Bounds
	in     *Inputs
	y      []float64
	hyper  Hyper
	slopes []float64 // of the hyperparameters in the raw parameters
	work   *ardLikelihood
	report Report
}

func newBounded(start Hyper, b Bounds, points *Lineage, y []float64, threads int) *bounded {
	in := points.in
	f := &bounded{Bounds: b, in: in, y: y, hyper: start, work: newARDLikelihood(points, threads), report: Report{Loss: math.Inf(1)}}
	f.hyper.LengthScales = make([]float64, in.dim)
	f.slopes = make([]float64, rawScalars+in.dim)
	return f
}

// loss is -log p(y)/n at the raw parameters, with its gradient.
func (f *bounded) loss(grad []float64, theta raw) (float64, error) {
	f.fromRaw(&f.hyper, f.slopes, theta)
	ev, err := f.work.evaluate(grad[rawScalars:], f.hyper, f.y)
	f.report.Evals++
	f.report.Jitter = max(f.report.Jitter, ev.jitter)
	if err != nil {
		return 0, err
	}
	grad[0], grad[1], grad[2] = ev.dMean, ev.dLogScale/f.hyper.OutputScale, ev.dNoise
	for i, slope := range f.slopes {
		grad[i] *= -slope / float64(f.in.n)
	}
	loss := -ev.value / float64(f.in.n)
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return 0, gp.ErrNoFit
	}
	return loss, nil
}

// toRaw returns mean, output scale, noise and length-scales without constraints.
func (b Bounds) toRaw(h Hyper) (raw, error) {
	if len(h.LengthScales) == 0 {
		return nil, errors.New("gp: bounds are for kernels with length-scales, not with B")
	}
	if !b.OutputScale.holds(h.OutputScale) || !b.NoiseVariance.holds(h.NoiseVariance) {
		return nil, fmt.Errorf("%w: output scale %g in %v, noise variance %g in %v",
			ErrOutside, h.OutputScale, b.OutputScale, h.NoiseVariance, b.NoiseVariance)
	}
	theta := raw{h.Mean, b.OutputScale.raw(h.OutputScale), b.NoiseVariance.raw(h.NoiseVariance)}
	for j, l := range h.LengthScales {
		if !b.LengthScale.holds(l) {
			return nil, fmt.Errorf("%w: length-scale %d is %g, not in %v", ErrOutside, j, l, b.LengthScale)
		}
		theta = append(theta, b.LengthScale.raw(l))
	}
	return theta, nil
}

// fromRaw sets the hyperparameters and the derivatives of each in its raw
// parameter.
func (b Bounds) fromRaw(h *Hyper, slopes []float64, theta raw) {
	h.Mean, slopes[0] = theta[0], 1
	h.OutputScale, slopes[1] = b.OutputScale.at(theta[1])
	h.NoiseVariance, slopes[2] = b.NoiseVariance.at(theta[2])
	for j, v := range theta[rawScalars:] {
		h.LengthScales[j], slopes[rawScalars+j] = b.LengthScale.at(v)
	}
}
