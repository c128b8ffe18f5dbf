package linalg

import (
	"fmt"
	"math"
)

// maternGroup is the number of elements whose exponentials are computed together: several
// times faster than one by one.
const maternGroup = 128

// Matern52 replaces squared distances x by scale*(1 + r + r²/3)*exp(-r), r = sqrt(5x), the
// Matérn-5/2 kernel. When slope is not nil it receives -2 times the derivative in x,
// scale*5/3*(1 + r)*exp(-r).
func Matern52(x, slope []float64, scale float64) {
	if slope != nil && len(slope) != len(x) {
		panic(fmt.Sprintf("linalg: Matern52 of lengths %d and %d", len(x), len(slope)))
	}
	var e [maternGroup]float64
	for len(x) > 0 {
		n := min(len(e), len(x))
		maternRoots(x[:n])
		expScaled(e[:n], scale, -1, x[:n])
		if slope == nil {
			maternFinish(x[:n], nil, e[:n])
		} else {
			maternFinish(x[:n], slope[:n], e[:n])
			slope = slope[n:]
		}
		x = x[n:]
	}
}

// maternRootsPortable computes x = sqrt(5x).
func maternRootsPortable(x []float64) {
	for i, v := range x {
		x[i] = math.Sqrt(5 * v)
	}
}

// maternFinishPortable computes x = (1 + x + x²/3) e and, if wanted, slope = 5/3 (1 + x) e.
func maternFinishPortable(x, slope, e []float64) {
	for i, r := range x {
		x[i] = (1 + r + r*r/3) * e[i]
		if slope != nil {
			slope[i] = 5. / 3 * (1 + r) * e[i]
		}
	}
}
