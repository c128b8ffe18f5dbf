package acquisition

import (
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
)

// minVariance is the floor of the variance under the square root. Below it the
// standard deviation is constant, so its gradient is zero and not 0/0: the branch is
// taken at noise-free observations, where rounding leaves variances around 1e-16 of
// either sign.
const minVariance = 1e-18

// deviation returns the standard deviation and, for its gradient
// grad variance * inverse/2, its inverse: zero at the floor. A NaN variance stays
// visible: max(NaN, floor) is NaN.
func deviation(variance float64) (std, inverse float64) {
	std = math.Sqrt(max(variance, minVariance))
	if variance <= minVariance {
		return std, 0
	}
	return std, 1 / std
}

// moments is the scratch memory of a function of mean and variance.
type moments struct {
	dVar, mean, variance []float64
}

// slopes returns room for the gradient of the variance.
func (m *moments) slopes(dim int) []float64 {
	if len(m.dVar) != dim {
		m.dVar = make([]float64, dim)
	}
	return m.dVar
}

// values combines the moments at every row of x, in one prediction when the model is a
// lingp.Batch.
func (m *moments) values(dst []float64, model lingp.Surrogate, x linalg.Matrix, combine func(mean, variance float64) float64) {
	batch, ok := model.(lingp.Batch)
	if !ok {
		for i := range x.Rows {
			dst[i] = combine(model.Predict(x.Row(i)))
		}
		return
	}
	if len(m.mean) < x.Rows {
		m.mean, m.variance = make([]float64, x.Rows), make([]float64, x.Rows)
	}
	mean, variance := m.mean[:x.Rows], m.variance[:x.Rows]
	batch.PredictBatch(mean, variance, x)
	for i := range mean {
		dst[i] = combine(mean[i], variance[i])
	}
}
