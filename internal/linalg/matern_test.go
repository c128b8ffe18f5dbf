package linalg

import (
	"math"
	"slices"
	"testing"
)

// Every path gives the bytes of the formula with that path's exponentials.
func TestMatern52(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 7, 8, 9, 127, 128, 129, 300, 20000} {
			r := newRand(uint64(n))
			r2 := randomVector(r, n)
			for i, v := range r2 {
				r2[i] = 40 * v * v * math.Exp2(-float64(r.IntN(40)))
			}
			want, wantSlope, e := slices.Clone(r2), make([]float64, n), make([]float64, n)
			for i, v := range r2 {
				want[i] = math.Sqrt(5 * v)
			}
			ExpScaled(e, 1.7, -1, want)
			for i, r := range want {
				want[i], wantSlope[i] = (1+r+r*r/3)*e[i], 5./3*(1+r)*e[i]
			}

			alone, with, slope := slices.Clone(r2), slices.Clone(r2), make([]float64, n)
			Matern52(alone, nil, 1.7)
			Matern52(with, slope, 1.7)
			for i := range want {
				if alone[i] != want[i] || with[i] != want[i] || slope[i] != wantSlope[i] {
					t.Fatalf("n=%d: %g gave %g and %g with slope %g, want %g and %g",
						n, r2[i], alone[i], with[i], slope[i], want[i], wantSlope[i])
				}
			}
		}
	})
}

// The ends of the range: equal points, points so far apart that nothing is left.
func TestMatern52Ends(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		x, slope := []float64{0, 1e-320, 1e7, math.Inf(1), math.NaN()}, make([]float64, 5)
		Matern52(x, slope, 2)
		if x[0] != 2 || x[1] != 2 || x[2] != 0 || !math.IsNaN(x[3]) || !math.IsNaN(x[4]) {
			t.Errorf("values %v", x)
		}
		if slope[0] != 2*5./3 || slope[2] != 0 {
			t.Errorf("slopes %v", slope)
		}
	})
}

func BenchmarkMatern52(b *testing.B) {
	x, slope := make([]float64, 128), make([]float64, 128)
	for b.Loop() {
		for i := range x {
			x[i] = float64(i) / 16
		}
		Matern52(x, slope, 1)
	}
}
