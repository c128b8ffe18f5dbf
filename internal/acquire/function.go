package acquire

import (
	"math"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/num"
)

// Function is what is minimised: Evaluate fills value and grad at the rows of x.
type Function interface {
	Evaluate(value []float64, grad, x linalg.Matrix)
}

// Term is a function of the moments of one model.
type Term struct {
	Model *gp.Posterior
	Of    gp.Moments
}

// Evaluate fills value and grad at the rows of x.
func (t Term) Evaluate(value []float64, grad, x linalg.Matrix) {
	t.Model.Evaluate(value, grad, x, t.Of)
}

// Sum adds functions up. Logarithms of an improvement and of probabilities are added so.
type Sum []Function

// Evaluate fills value and grad at the rows of x.
func (s Sum) Evaluate(value []float64, grad, x linalg.Matrix) {
	clear(value)
	for i := range grad.Rows {
		clear(grad.Row(i))
	}
	v, g := make([]float64, len(value)), linalg.New(grad.Rows, grad.Cols)
	for _, f := range s {
		f.Evaluate(v, g, x)
		linalg.Axpy(value, 1, v)
		for i := range grad.Rows {
			linalg.Axpy(grad.Row(i), 1, g.Row(i))
		}
	}
}

// LowerBound is mean - beta std.
func LowerBound(beta float64) gp.Moments {
	return func(mean, variance float64) (value, dMean, dVariance float64) {
		std := math.Sqrt(variance)
		return mean - beta*std, 1, -beta / (2 * std)
	}
}

// LogImprovement is minus the logarithm of the expected improvement over best. With
// u = (best - mean)/std and l the logarithm of phi(u) + u Phi(u),
//
//	value = -log std - l(u),  dMean = l'/std,  dStd = -(1 - u l')/std.
func LogImprovement(best float64) gp.Moments {
	return func(mean, variance float64) (value, dMean, dVariance float64) {
		std := math.Sqrt(variance)
		u := (best - mean) / std
		l, slope := num.LogImprovement(u)
		return -math.Log(std) - l, slope / std, -(1 - u*slope) / (2 * variance)
	}
}

// NoisyImprovement is minus the logarithm of the expected improvement over best, times what
// an observation with noise of the given variance tells of it (Huang et al. 2006). Without
// that factor a place that was observed often, and is the best known one, stays attractive.
// With t = sqrt(variance + noise) the factor is 1 - sqrt(noise)/t = variance / (t (t + sqrt(noise))).
func NoisyImprovement(best, noise float64) gp.Moments {
	improvement, root := LogImprovement(best), math.Sqrt(noise)
	if noise == 0 {
		return improvement
	}
	return func(mean, variance float64) (value, dMean, dVariance float64) {
		value, dMean, dVariance = improvement(mean, variance)
		t := math.Sqrt(variance + noise)
		return value - math.Log(variance/(t*(t+root))), dMean, dVariance - root*(t+root)/(2*t*t*variance)
	}
}
