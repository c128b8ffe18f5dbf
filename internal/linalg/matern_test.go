package linalg

import (
	"slices"
	"testing"
)

// Every path gives the bytes of the formula with that path's exponentials.
func TestMatern52(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 7, 8, 9, 127, 128, 129, 300} {
			r2 := randomVector(newRand(uint64(n)), n)
			for i, v := range r2 {
				r2[i] = 40 * v * v
			}
			want, wantSlope, e := slices.Clone(r2), make([]float64, n), make([]float64, n)
			maternRootsPortable(want)
			ExpScaled(e, 1.7, -1, want)
			maternFinishPortable(want, wantSlope, e)

			alone, with, slope := slices.Clone(r2), slices.Clone(r2), make([]float64, n)
			Matern52(alone, nil, 1.7)
			Matern52(with, slope, 1.7)
			if !slices.Equal(alone, want) || !slices.Equal(with, want) || !slices.Equal(slope, wantSlope) {
				t.Errorf("n=%d: values %v and %v with slopes %v, want %v and %v", n, alone, with, slope, want, wantSlope)
			}
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
