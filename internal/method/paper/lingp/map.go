package lingp

import (
	"context"
	"errors"
	"math"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/lbfgsb"
	"github.com/mahabo/mahabo/internal/linalg"
)

// MAPOptions are the settings of FitMAP. A nil prior is flat.
type MAPOptions struct {
	LengthScale, OutputScale, Noise                   gp.Density // LengthScale holds for every length-scale
	LengthScaleBounds, OutputScaleBounds, NoiseBounds Interval
	UnitOutputScale                                   bool // keep the output scale at 1
	MaxEvals                                          int  // gradients per start; 0 leaves it to the tolerances
}

func (o MAPOptions) validate() error {
	return errors.Join(
		o.LengthScaleBounds.validate("LengthScaleBounds"),
		o.OutputScaleBounds.validate("OutputScaleBounds"),
		o.NoiseBounds.validate("NoiseBounds"),
	)
}

// FitMAP minimises -(log p(y) + sum of log priors)/n from every start and returns the
// best hyperparameters seen. It moves the mean and the logarithms of output scale,
// noise and length-scales; priors are densities of the numbers themselves. The starts
// share one ARD profile.
func FitMAP(ctx context.Context, starts []Hyper, in *Inputs, y []float64, o MAPOptions) (Hyper, Report, error) {
	if o.UnitOutputScale {
		o.OutputScaleBounds = Interval{1, 1}
	}
	if err := o.validate(); err != nil {
		return Hyper{}, Report{}, err
	}
	d, err := newDescent(starts, in, y)
	if err != nil {
		return Hyper{}, Report{}, err
	}
	if !d.shape.ard {
		return Hyper{}, Report{}, errors.New("gp: FitMAP moves length-scales, the kernel has B: use RBFARD or Matern52ARD")
	}
	p := posterior{d, o}
	lower, upper := p.bounds()
	for i, h := range starts {
		d.start = i
		if _, err := lbfgsb.Minimize(ctx, toLogs(h), lower, upper, p.loss, lbfgsb.Options{MaxEval: o.MaxEvals}); err != nil {
			return Hyper{}, d.report, err
		}
	}
	if math.IsInf(d.report.Loss, 1) {
		return Hyper{}, d.report, gp.ErrNoFit
	}
	return d.shape.fromLogs(d.best), d.report, nil
}

// posterior evaluates the loss of FitMAP. Its parameters are the mean, then the
// logarithms of output scale, noise and length-scales.
type posterior struct {
	*descent
	MAPOptions
}

// smallestNoise is where a start without noise begins.
const smallestNoise = 1e-12

// toLogs returns the parameters of h.
func toLogs(h Hyper) []float64 {
	x := []float64{h.Mean, math.Log(h.OutputScale), math.Log(max(h.NoiseVariance, smallestNoise))}
	for _, l := range h.LengthScales {
		x = append(x, math.Log(l))
	}
	return x
}

// fromLogs is the inverse of toLogs.
func (s shape) fromLogs(x []float64) Hyper {
	h := Hyper{
		Kernel: Kernel{Profile: s.profile, LengthScales: make([]float64, s.high)},
		Mean:   x[0], OutputScale: math.Exp(x[1]), NoiseVariance: math.Exp(x[2]),
	}
	linalg.Exp(h.LengthScales, x[rawScalars:])
	return h
}

// bounds returns the bounds of the parameters.
func (p posterior) bounds() (lower, upper []float64) {
	add := func(low, high float64) { lower, upper = append(lower, low), append(upper, high) }
	add(math.Inf(-1), math.Inf(1))
	add(p.OutputScaleBounds.logs())
	add(p.NoiseBounds.logs())
	for range p.shape.high {
		add(p.LengthScaleBounds.logs())
	}
	return lower, upper
}

// loss is -(log p(y) + log priors)/n at the parameters x, with its gradient.
func (p posterior) loss(grad, x []float64) float64 {
	h := p.shape.fromLogs(x)
	ev, err := p.evaluate(h)
	if err != nil {
		return math.Inf(1)
	}
	value := ev.value
	grad[0], grad[1], grad[2] = ev.dMean, ev.dLogScale, ev.dNoise*h.NoiseVariance
	for j := range h.LengthScales {
		// z_j = x_j/l_j, so d value/d log l_j = -sum_i (d value/d z_ji) z_ji.
		grad[rawScalars+j] = -linalg.Dot(p.dZ.Row(j), p.z.Row(j))
	}
	value += addPrior(&grad[1], p.OutputScale, h.OutputScale)
	value += addPrior(&grad[2], p.Noise, h.NoiseVariance)
	for j, l := range h.LengthScales {
		value += addPrior(&grad[rawScalars+j], p.LengthScale, l)
	}
	n := float64(p.in.n)
	for i := range grad {
		grad[i] /= -n
	}
	p.keep(-value/n, x)
	return -value / n
}

// addPrior returns the log density at v and adds its derivative in log v to dLog.
func addPrior(dLog *float64, prior gp.Density, v float64) float64 {
	if prior == nil {
		return 0
	}
	value, slope := prior.LogDensity(v)
	*dLog += slope * v
	return value
}
