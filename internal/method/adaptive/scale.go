package adaptive

import (
	"context"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
)

// surelyNoise is the standard deviation of a warped value from which on it says nothing.
const surelyNoise = 1e3

// scaled are outputs as a model sees them.
type scaled struct {
	gp.Warp
	w     []float64
	noise []float64 // variances of w that are known, nil for none
}

// newScaled warps values whose noise has the given standard deviations, 0 where it is not
// known. The unit of a warp is at least a share of the distance from the lowest value to the
// median of the initial design: it does not collapse as the data concentrate.
func (s settings) newScaled(log bool, y, std []float64, designMedian float64) scaled {
	var out scaled
	out.Warp, out.w = gp.NewWarp(log, y, designMedian, s.Share)
	if slices.ContainsFunc(std, func(v float64) bool { return v > 0 }) {
		out.noise = make([]float64, len(std))
	}
	for i := range out.noise {
		if std[i] > 0 {
			r := min(out.Noise(out.w[i], std[i]), surelyNoise)
			out.noise[i] = r * r
		}
	}
	return out
}

// logDensity returns that of value i, not scaled, given the others under a model of w.
func (s scaled) logDensity(model *gp.Posterior, i int) float64 {
	w := s.w[i]
	mean, variance := model.LeaveOneOut(i)
	return math.Log(s.Noise(w, 1)) - 0.5*math.Log(variance) - 0.5*(w-mean)*(w-mean)/variance
}

// scaleFit is the scale under which the data are most probable, with the
// hyperparameters fitted to it: remembered, not state, for the first n observations say
// all of it.
type scaleFit struct {
	n     int
	log   bool
	hyper gp.Hyper
}

// fitScale compares the scales, u and log(1 + u), by the evidence for y itself,
//
//	log p(y) = log p(w) + sum log dw/dy.
func (s settings) fitScale(ctx context.Context, prior gp.Prior, d gp.Data, std []float64, designMedian float64) (scaleFit, error) {
	var best scaleFit
	least := math.Inf(1)
	var failed error
	for _, log := range []bool{true, false} {
		if log && !s.Log {
			continue
		}
		seen := s.newScaled(log, d.Y, std, designMedian)
		hyper, loss, err := gp.Fit(ctx, prior, gp.Data{Points: d.Points, Y: seen.w, Given: seen.noise})
		switch {
		case ctx.Err() != nil:
			return scaleFit{}, ctx.Err() // the fit may have ended before it looked
		case err != nil:
			failed = err
		case loss-seen.LogJacobian < least:
			least = loss - seen.LogJacobian
			best = scaleFit{log: log, hyper: hyper}
		}
	}
	if math.IsInf(least, 1) {
		return scaleFit{}, failed
	}
	return best, nil
}
