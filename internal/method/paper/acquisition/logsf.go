package acquisition

import (
	"math"
	"sync"

	"github.com/mahabo/mahabo/internal/num"
)

// The table of log(1 - Phi(z)) covers (tableFrom, tableTo): below it the value is
// smaller than 1.2e-19, above it smaller than certain.
const (
	tableFrom = -9.0
	tableTo   = 9.0
	perUnit   = 64
	degree    = 7
)

// logSFTable holds Taylor polynomials of h(z) = log(1 - Phi(z)) about a grid of step
// 1/64. The relative error is below 5e-14, largest in the far left tail where derivatives
// grow as |z|^n; an evaluation costs a fraction of an erfc and a logarithm.
type logSFTable [(tableTo-tableFrom)*perUnit + 1][degree + 1]float64

// logSF builds the table once.
var logSF = sync.OnceValue(func() *logSFTable {
	t := new(logSFTable)
	for i := range t {
		z := tableFrom + float64(i)/perUnit
		// h' = -lambda, and the hazard lambda = phi/(1 - Phi) satisfies
		// lambda' = lambda*(lambda - z): a recurrence for its Taylor coefficients.
		var lambda [degree]float64
		lambda[0] = num.NormPDF(z) / num.NormCDF(-z)
		for n := range degree - 1 {
			sum := -z * lambda[n]
			if n > 0 {
				sum -= lambda[n-1]
			}
			for k := range n + 1 {
				sum += lambda[k] * lambda[n-k]
			}
			lambda[n+1] = sum / float64(n+1)
		}
		t[i][0] = num.LogNormSF(z)
		for n, l := range lambda {
			t[i][n+1] = -l / float64(n+1)
		}
	}
	return t
})

// sum returns the sum of h((w - mean)*inv) over points. Below the table h is taken at
// its end, above it the sum is minus infinity.
func (t *logSFTable) sum(w float64, mean, inv []float64) float64 {
	var total float64
	inv = inv[:len(mean)]
	for i, mu := range mean {
		z := (w - mu) * inv[i]
		if z < tableFrom {
			z = tableFrom
		}
		if z >= tableTo {
			return math.Inf(-1)
		}
		j := int((z-tableFrom)*perUnit + 0.5)
		x := z - (tableFrom + float64(j)*(1.0/perUnit))
		c := &t[j]
		x2 := x * x
		// Even and odd halves side by side shorten the chain of dependent operations.
		even := c[0] + x2*(c[2]+x2*(c[4]+x2*c[6]))
		odd := c[1] + x2*(c[3]+x2*(c[5]+x2*c[7]))
		total += even + x*odd
	}
	return total
}
