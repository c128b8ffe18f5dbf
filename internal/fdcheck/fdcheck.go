// Package fdcheck compares analytic gradients with finite differences in tests.
//
// Each derivative is Ridders' extrapolation of central differences: the step h
// shrinks by a constant factor, a Neville tableau removes the errors h^2, h^4, ...,
// and the entry with the smallest estimated error is used. It costs at most 24
// values for each coordinate and gives about 1e-10 relative accuracy on smooth
// functions of moderate scale.
package fdcheck

import (
	"math"
	"testing"
)

const (
	rows   = 12
	shrink = 1.6
)

// Derivative estimates df/dx_i at x, starting from step h; x is restored. The second
// result estimates the absolute error.
func Derivative(f func(x []float64) float64, x []float64, i int, h float64) (value, err float64) {
	at := x[i]
	defer func() { x[i] = at }()
	central := func(h float64) float64 {
		x[i] = at + h
		right, up := x[i], f(x)
		x[i] = at - h
		return (up - f(x)) / (right - x[i])
	}
	var a [rows][rows]float64
	err = math.Inf(1)
	for r := range rows {
		a[r][0] = central(h)
		if r == 0 {
			value = a[0][0]
		}
		factor := 1.0
		for c := 1; c <= r; c++ {
			factor *= shrink * shrink
			a[r][c] = (a[r][c-1]*factor - a[r-1][c-1]) / (factor - 1)
			e := max(math.Abs(a[r][c]-a[r][c-1]), math.Abs(a[r][c]-a[r-1][c-1]))
			if e <= err {
				value, err = a[r][c], e
			}
		}
		// Higher orders got worse by far: rounding has taken over.
		if r > 1 && math.Abs(a[r][r]-a[r-1][r-1]) >= 4*err {
			break
		}
		h /= shrink
	}
	return value, err
}

// MaxError returns the largest relative error of grad at x and its coordinate. An
// error is relative to the larger of the two derivatives or, for small ones, to a
// thousandth of the largest derivative. NaN counts as an infinite error.
func MaxError(f func(x []float64) float64, grad, x []float64) (worst float64, at int) {
	point := append([]float64(nil), x...)
	estimate := make([]float64, len(x))
	var norm float64
	for i := range x {
		estimate[i], _ = Derivative(f, point, i, 0.02*max(1, math.Abs(x[i])))
		norm = max(norm, math.Abs(estimate[i]))
	}
	for i, e := range estimate {
		d := math.Abs(grad[i] - e)
		if d == 0 {
			continue
		}
		rel := d / max(math.Abs(e), math.Abs(grad[i]), 1e-3*norm)
		if math.IsNaN(rel) {
			rel = math.Inf(1)
		}
		if rel > worst {
			worst, at = rel, i
		}
	}
	return worst, at
}

// Check fails the test when grad deviates from finite differences by more than tol.
func Check(t testing.TB, f func(x []float64) float64, grad, x []float64, tol float64) {
	t.Helper()
	if len(grad) != len(x) {
		t.Fatalf("gradient has %d entries, the point %d", len(grad), len(x))
	}
	if worst, i := MaxError(f, grad, x); worst > tol {
		d, e := Derivative(f, append([]float64(nil), x...), i, 0.02*max(1, math.Abs(x[i])))
		t.Errorf("gradient[%d] = %g, finite differences %g (+-%.1g): relative error %.2g exceeds %g", i, grad[i], d, e, worst, tol)
	}
}
