package strategy

import (
	"context"
	"math"
	"slices"

	"github.com/mahabo/mahabo/gp"
	"github.com/mahabo/mahabo/internal/num"
)

// scale is a way to look at the outputs. With u = (y - y_min)/s, s the distance from the
// lowest to the middle value, a model sees w, standardised:
//
//	logarithmic  w = log(1 + u)
//	plain        w = u
type scale int

const (
	logarithmic scale = iota
	plain
	scales // their number
)

// scaled are outputs as a model sees them: y = low + size u, w = (u - mean)/std, or the same
// with log(1 + u).
type scaled struct {
	scale       scale
	w           []float64
	low, size   float64
	mean, std   float64
	logJacobian float64 // sum of log dw/du
}

// designShare keeps s from collapsing as the data concentrate: s is at least this share
// of the distance from the lowest value to the median of the initial design.
const designShare = 0.3

// apply transforms values.
func (s scale) apply(y []float64, designMedian float64) scaled {
	out := scaled{scale: s, low: slices.Min(y)}
	out.w, out.size = excess(y, designMedian)
	if s == logarithmic {
		for i, u := range out.w {
			out.w[i] = math.Log1p(u)
			out.logJacobian -= out.w[i]
		}
	}
	out.mean, out.std = num.MeanStd(out.w)
	if !(out.std > 0) {
		out.std = 1
	}
	for i := range out.w {
		out.w[i] = (out.w[i] - out.mean) / out.std
	}
	out.logJacobian -= float64(len(y)) * math.Log(out.std)
	return out
}

// surelyNoise is the standard deviation of w from which on a value says nothing.
const surelyNoise = 1e3

// noise returns the variances (std dw/dy)² of w for standard deviations of y, nil when none
// is known.
func (s scaled) noise(std []float64) []float64 {
	if len(std) == 0 || slices.Max(std) == 0 {
		return nil
	}
	variances := make([]float64, len(std))
	for i, v := range std {
		if v == 0 {
			continue
		}
		r := v / s.size / s.std
		if s.scale == logarithmic {
			r *= math.Exp(-s.mean - s.std*s.w[i])
		}
		r = min(r, surelyNoise)
		variances[i] = r * r
	}
	return variances
}

// undo returns the moments of y for those of w. Of log(1 + u) ~ N(m, v) the moments of u are
//
//	E u = exp(m + v/2) - 1,  var u = (exp(v) - 1) exp(2m + v).
func (s scaled) undo(m, v float64) (mean, variance float64) {
	m, v = s.mean+s.std*m, s.std*s.std*v
	if s.scale == logarithmic {
		m, v = math.Expm1(m+v/2), math.Expm1(v)*math.Exp(2*m+v)
	}
	return s.low + s.size*m, s.size * s.size * v
}

// excess returns u = (y - y_min)/size for values of any size; size is 0 when all are equal.
func excess(y []float64, designMedian float64) (u []float64, size float64) {
	var largest float64
	for _, v := range y {
		largest = max(largest, math.Abs(v))
	}
	_, e := math.Frexp(max(largest, math.Abs(designMedian)))
	unit := math.Ldexp(1, max(-e, -1000)) // y*unit lies in [-1,1], or y is below 1e-300
	u = make([]float64, len(y))
	lowest := math.Inf(1)
	for i, v := range y {
		u[i] = v * unit
		lowest = min(lowest, u[i])
	}
	s := max(num.Median(u)-lowest, designShare*(designMedian*unit-lowest))
	if !(s > 0) {
		s = 1
	}
	for i := range u {
		u[i] = (u[i] - lowest) / s
	}
	if slices.Max(u) == 0 {
		return u, 0
	}
	return u, s / unit
}

// scaleFit is the scale under which the data are most probable, with the
// hyperparameters fitted to it: remembered, not state, for the first n observations say
// all of it.
type scaleFit struct {
	n     int
	scale scale
	hyper gp.Isotropic
}

// fitScale compares the scales by the evidence for y itself,
//
//	log p(y) = log p(w) + sum log dw/dy.
func fitScale(ctx context.Context, cloud *gp.Cloud, y, std []float64, designMedian float64) (scaleFit, error) {
	var best scaleFit
	least := math.Inf(1)
	var failed error
	for s := range scales {
		t := s.apply(y, designMedian)
		hyper, loss, err := gp.FitIsotropic(ctx, cloud, t.w, t.noise(std))
		switch {
		case ctx.Err() != nil:
			return scaleFit{}, err
		case err != nil:
			failed = err
		case loss-t.logJacobian < least:
			least = loss - t.logJacobian
			best = scaleFit{scale: s, hyper: hyper}
		}
	}
	if math.IsInf(least, 1) {
		return scaleFit{}, failed
	}
	return best, nil
}
