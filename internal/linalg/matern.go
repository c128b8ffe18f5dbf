package linalg

import (
	"fmt"
	"math"
)

// Matern52 replaces squared distances x by scale*(1 + r + r²/3)*exp(-r), r = sqrt(5x), the
// Matérn-5/2 kernel. When slope is not nil it receives -2 times the derivative in x,
// scale*5/3*(1 + r)*exp(-r).
func Matern52(x, slope []float64, scale float64) {
	if slope != nil && len(slope) != len(x) {
		panic(fmt.Sprintf("linalg: Matern52 of lengths %d and %d", len(x), len(slope)))
	}
	matern(x, slope, scale)
}

// maternGroup is the number of elements whose exponentials are computed together: several
// times faster than one by one.
const maternGroup = 128

// maternByExp leaves the exponentials to expScaled.
func maternByExp(x, slope []float64, scale float64) {
	var e [maternGroup]float64
	for len(x) > 0 {
		n := min(len(e), len(x))
		for i, v := range x[:n] {
			x[i] = math.Sqrt(5 * v)
		}
		expScaled(e[:n], scale, -1, x[:n])
		for i, r := range x[:n] {
			x[i] = (1 + r + r*r/3) * e[i]
			if slope != nil {
				slope[i] = 5. / 3 * (1 + r) * e[i]
			}
		}
		x = x[n:]
		if slope != nil {
			slope = slope[n:]
		}
	}
}
