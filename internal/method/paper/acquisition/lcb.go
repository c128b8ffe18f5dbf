package acquisition

import (
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
)

// LCB is mean - Beta*std (eq:LCB); a negative Beta gives the upper confidence bound.
// It keeps scratch memory: use one LCB for each goroutine.
type LCB struct {
	Model lingp.Differentiable
	Beta  float64

	moments
}

var _ BatchFunction = (*LCB)(nil)

// Value returns mean - Beta*std at x.
func (a *LCB) Value(x []float64) float64 {
	return a.combine(a.Model.Predict(x))
}

// ValueGrad fills grad with grad mean - Beta*(grad variance)/(2*std).
func (a *LCB) ValueGrad(grad, x []float64) float64 {
	mean, variance := a.Model.PredictGrad(grad, a.slopes(len(x)), x)
	if std, inverse := deviation(variance); inverse != 0 {
		scale := a.Beta / (2 * std)
		for i, d := range a.dVar {
			grad[i] -= scale * d
		}
	}
	return a.combine(mean, variance)
}

// Values fills dst with the value at every row of x.
func (a *LCB) Values(dst []float64, x linalg.Matrix) { a.values(dst, a.Model, x, a.combine) }

func (a *LCB) combine(mean, variance float64) float64 {
	std, _ := deviation(variance)
	return mean - a.Beta*std
}
