package strategy

import (
	"context"
	"math"

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

// scaled are outputs as a model sees them.
type scaled struct {
	w           []float64
	logJacobian float64 // sum of log dw/du
}

// designShare keeps s from collapsing as the data concentrate: s is at least this share
// of the distance from the lowest value to the median of the initial design.
const designShare = 0.3

// apply transforms values.
func (s scale) apply(y []float64, designMedian float64) scaled {
	out := scaled{w: excess(y, designMedian)}
	if s == logarithmic {
		for i, u := range out.w {
			out.w[i] = math.Log1p(u)
			out.logJacobian -= out.w[i]
		}
	}
	mean, std := num.MeanStd(out.w)
	if !(std > 0) {
		std = 1
	}
	for i := range out.w {
		out.w[i] = (out.w[i] - mean) / std
	}
	out.logJacobian -= float64(len(y)) * math.Log(std)
	return out
}

// excess returns u = (y - y_min)/s for values of any size.
func excess(y []float64, designMedian float64) []float64 {
	var largest float64
	for _, v := range y {
		largest = max(largest, math.Abs(v))
	}
	_, e := math.Frexp(max(largest, math.Abs(designMedian)))
	unit := math.Ldexp(1, max(-e, -1000)) // y*unit lies in [-1,1], or y is below 1e-300
	u := make([]float64, len(y))
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
	return u
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
func fitScale(ctx context.Context, cloud *gp.Cloud, y []float64, designMedian float64) (scaleFit, error) {
	var best scaleFit
	least := math.Inf(1)
	var failed error
	for s := range scales {
		t := s.apply(y, designMedian)
		hyper, loss, err := gp.FitIsotropic(ctx, cloud, t.w)
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
