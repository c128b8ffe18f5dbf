package gp

import (
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Ahead returns the logarithm of the density, up to a constant, of each value from number
// `from` on, given the values before it. Mean and s are those of the first `from` values, if
// the hyperparameters leave them open. The factor of all correlations holds every one of these
// predictions: with R = LL', u = L⁻¹1 and v = L⁻¹y, value i has the standardised residual
// v_i - mean u_i and the variance s L_ii².
func Ahead(h Hyper, d Data, from int) ([]float64, error) {
	n := len(d.Y)
	r, l := linalg.New(n, n), linalg.New(n, n)
	fillCorrelations(r, linalg.Matrix{}, h.Profile, h.Metric, h.Noise, d)
	addGiven(r, d.Given, h.Scale)
	if _, err := linalg.CholeskyJitter(l, r, linalg.DefaultLadder(r)); err != nil {
		return nil, err
	}
	u, v := make([]float64, n), make([]float64, n)
	for i := range n {
		row := l.Row(i)
		u[i] = (1 - linalg.Dot(row[:i], u[:i])) / row[i]
		v[i] = (d.Y[i] - linalg.Dot(row[:i], v[:i])) / row[i]
	}
	mean := linalg.Dot(u[:from], v[:from]) / linalg.Dot(u[:from], u[:from])
	if h.Mean != nil {
		mean = *h.Mean
	}
	linalg.Axpy(v, -mean, u)
	scale := h.Scale
	if d.Given == nil && !h.Known {
		scale = max(linalg.Dot(v[:from], v[:from])/float64(from), smallestScale)
	}
	density := make([]float64, n-from)
	for i := range density {
		std := math.Sqrt(scale) * l.At(from+i, from+i)
		t := v[from+i] / math.Sqrt(scale)
		density[i] = -math.Log(std) - t*t/2
	}
	return density, nil
}
