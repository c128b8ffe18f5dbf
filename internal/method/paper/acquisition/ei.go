package acquisition

import (
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"github.com/mahabo/mahabo/internal/num"
)

// EI is minus the expected improvement over Best,
//
//	EI(x) = std*(phi(u) + u*Phi(u)),  u = (Best - mean)/std.
//
// It keeps scratch memory: use one EI for each goroutine.
type EI struct {
	Model lingp.Differentiable
	Best  float64

	moments
}

// LogEI is minus the logarithm of the expected improvement. It has the minimiser of EI
// and gradients where EI underflows, which in many dimensions is nearly everywhere
// (Ament et al. 2023). It keeps scratch memory: use one LogEI for each goroutine.
type LogEI struct {
	Model lingp.Differentiable
	Best  float64

	moments
}

var (
	_ BatchFunction = (*EI)(nil)
	_ BatchFunction = (*LogEI)(nil)
)

// Value returns -EI at x.
func (a *EI) Value(x []float64) float64 { return a.combine(a.Model.Predict(x)) }

// ValueGrad fills grad with Phi(u) grad mean - phi(u) grad std.
func (a *EI) ValueGrad(grad, x []float64) float64 {
	mean, variance := a.Model.PredictGrad(grad, a.slopes(len(x)), x)
	std, inverse := deviation(variance)
	u := (a.Best - mean) / std
	cdf, pdf := num.NormCDF(u), num.NormPDF(u)
	for i, d := range a.dVar {
		grad[i] = cdf*grad[i] - pdf*d*inverse/2
	}
	return a.combine(mean, variance)
}

// Values fills dst with the value at every row of x.
func (a *EI) Values(dst []float64, x linalg.Matrix) { a.values(dst, a.Model, x, a.combine) }

func (a *EI) combine(mean, variance float64) float64 {
	std, _ := deviation(variance)
	log, _ := num.LogImprovement((a.Best - mean) / std)
	return -std * math.Exp(log)
}

// Value returns -log EI at x.
func (a *LogEI) Value(x []float64) float64 { return a.combine(a.Model.Predict(x)) }

// ValueGrad fills grad with that of -log std - log h(u), h(u) = phi(u) + u*Phi(u):
//
//	(g grad mean + (g u - 1) grad std)/std,  g = d log h/du.
func (a *LogEI) ValueGrad(grad, x []float64) float64 {
	mean, variance := a.Model.PredictGrad(grad, a.slopes(len(x)), x)
	std, inverse := deviation(variance)
	u := (a.Best - mean) / std
	log, g := num.LogImprovement(u)
	for i, d := range a.dVar {
		grad[i] = (g*grad[i] + (g*u-1)*d*inverse/2) / std
	}
	return -math.Log(std) - log
}

// Values fills dst with the value at every row of x.
func (a *LogEI) Values(dst []float64, x linalg.Matrix) { a.values(dst, a.Model, x, a.combine) }

func (a *LogEI) combine(mean, variance float64) float64 {
	std, _ := deviation(variance)
	log, _ := num.LogImprovement((a.Best - mean) / std)
	return -math.Log(std) - log
}
