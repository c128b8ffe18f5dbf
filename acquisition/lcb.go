package acquisition

import (
	"math"

	"github.com/mahabo/mahabo/gp"
	"github.com/mahabo/mahabo/internal/linalg"
)

// LCB is mean - Beta*std (eq:LCB); a negative Beta gives the upper confidence bound.
// It keeps scratch memory: use one LCB for each goroutine.
type LCB struct {
	Model gp.Differentiable
	Beta  float64

	dVar, mean, variance []float64
}

var _ BatchFunction = (*LCB)(nil)

// minVariance is the floor of the variance under the square root. Below it the
// standard deviation is constant, so its gradient is zero and not 0/0: the branch is
// taken at noise-free observations, where rounding leaves variances around 1e-16 of
// either sign.
const minVariance = 1e-18

// Value returns mean - Beta*std at x.
func (a *LCB) Value(x []float64) float64 {
	return a.combine(a.Model.Predict(x))
}

// ValueGrad fills grad with grad mean - Beta*(grad variance)/(2*std).
func (a *LCB) ValueGrad(grad, x []float64) float64 {
	if len(a.dVar) != len(x) {
		a.dVar = make([]float64, len(x))
	}
	mean, variance := a.Model.PredictGrad(grad, a.dVar, x)
	if !(variance <= minVariance) {
		scale := a.Beta / (2 * math.Sqrt(variance))
		for i, d := range a.dVar {
			grad[i] -= scale * d
		}
	}
	return a.combine(mean, variance)
}

// Values fills dst with the value at every row of x, in one prediction when the model
// is a gp.Batch.
func (a *LCB) Values(dst []float64, x linalg.Matrix) {
	batch, ok := a.Model.(gp.Batch)
	if !ok {
		for i := range x.Rows {
			dst[i] = a.Value(x.Row(i))
		}
		return
	}
	if len(a.mean) < x.Rows {
		a.mean, a.variance = make([]float64, x.Rows), make([]float64, x.Rows)
	}
	mean, variance := a.mean[:x.Rows], a.variance[:x.Rows]
	batch.PredictBatch(mean, variance, x)
	for i := range mean {
		dst[i] = a.combine(mean[i], variance[i])
	}
}

// combine keeps a NaN variance visible: max(NaN, floor) is NaN.
func (a *LCB) combine(mean, variance float64) float64 {
	return mean - a.Beta*math.Sqrt(max(variance, minVariance))
}
