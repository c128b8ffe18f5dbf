package strategy

import (
	"context"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
)

// designShare keeps the size of a warp from collapsing as the data concentrate: it is at
// least this share of the distance from the lowest value to the median of the initial design.
const designShare = 0.3

// surelyNoise is the standard deviation of a warped value from which on it says nothing.
const surelyNoise = 1e3

// scaled are outputs as a model sees them.
type scaled struct {
	gp.Warp
	w     []float64
	noise []float64 // variances of w that are known, nil for none
}

// newScaled warps values whose noise has the given standard deviations, 0 where it is not
// known.
func newScaled(log bool, y, std []float64, designMedian float64) scaled {
	var s scaled
	s.Warp, s.w = gp.NewWarp(log, y, designMedian, designShare)
	if slices.ContainsFunc(std, func(v float64) bool { return v > 0 }) {
		s.noise = make([]float64, len(std))
	}
	for i := range s.noise {
		if std[i] > 0 {
			r := min(s.Noise(s.w[i], std[i]), surelyNoise)
			s.noise[i] = r * r
		}
	}
	return s
}

// logDensity returns that of value i, not scaled, given the others under a model of w.
func (s scaled) logDensity(model *gp.IsotropicModel, i int) float64 {
	w := s.w[i]
	mean, variance := model.LeaveOneOut(i, w)
	return math.Log(s.Noise(w, 1)) - 0.5*math.Log(variance) - 0.5*(w-mean)*(w-mean)/variance
}

// scaleFit is the scale under which the data are most probable, with the
// hyperparameters fitted to it: remembered, not state, for the first n observations say
// all of it.
type scaleFit struct {
	n     int
	log   bool
	hyper gp.Isotropic
}

// fitScale compares the scales, u and log(1 + u), by the evidence for y itself,
//
//	log p(y) = log p(w) + sum log dw/dy.
func fitScale(ctx context.Context, prior gp.IsotropicPrior, cloud *gp.Cloud, y, std []float64, designMedian float64, logarithm bool) (scaleFit, error) {
	var best scaleFit
	least := math.Inf(1)
	var failed error
	for _, log := range []bool{true, false} {
		if log && !logarithm {
			continue
		}
		s := newScaled(log, y, std, designMedian)
		hyper, loss, err := gp.FitIsotropic(ctx, prior, cloud, s.w, s.noise)
		switch {
		case ctx.Err() != nil:
			return scaleFit{}, ctx.Err() // the fit may have ended before it looked
		case err != nil:
			failed = err
		case loss-s.LogJacobian < least:
			least = loss - s.LogJacobian
			best = scaleFit{log: log, hyper: hyper}
		}
	}
	if math.IsInf(least, 1) {
		return scaleFit{}, failed
	}
	return best, nil
}
