package linalg

import (
	"math"
	"testing"
)

func TestSquaresHaveTheBytesOfTheLoops(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		r := newRand(5)
		for rows := range 5 {
			for n := range 40 {
				z := New(rows, n+3).Slice(0, rows, 2, 2+n)
				copy(z.Data, randomVector(r, len(z.Data)))
				w, x, across := randomVector(r, rows), randomVector(r, rows), randomVector(r, n)
				got, want := append(randomVector(r, n), guard), append(make([]float64, n), guard)
				RowSquares(got[:n], w, x, z)
				loopRows(want[:n], w, x, z)
				sameBits(t, "rows", rows, got, want)
				ColumnSquares(got[:n], w, across, z)
				loopColumns(want[:n], w, across, z)
				sameBits(t, "columns", rows, got, want)
			}
		}
	})
}

func loopRows(dst, w, x []float64, z Matrix) {
	clear(dst)
	for j := range x {
		for k := range dst {
			d := x[j] - z.At(j, k)
			dst[k] += float64(w[j] * d * d)
		}
	}
}

func loopColumns(dst, w, x []float64, z Matrix) {
	clear(dst)
	for k := range w {
		for j := range dst {
			d := x[j] - z.At(k, j)
			dst[j] += float64(w[k] * d * d)
		}
	}
}

func sameBits(t *testing.T, what string, rows int, got, want []float64) {
	t.Helper()
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("%s: %d rows, element %d of %d is %g, want %g", what, rows, i, len(got)-1, got[i], want[i])
		}
	}
}

func TestSquaresOfASmallCase(t *testing.T) {
	z := Matrix{Rows: 2, Cols: 3, Stride: 3, Data: []float64{1, 2, 3, 4, 5, 6}}
	dst := make([]float64, 3)
	RowSquares(dst, []float64{2, 3}, []float64{0, 1}, z)
	for k, want := range []float64{2 + 27, 8 + 48, 18 + 75} {
		if dst[k] != want {
			t.Errorf("RowSquares: column %d has %g, want %g", k, dst[k], want)
		}
	}
	ColumnSquares(dst, []float64{2, 3}, []float64{0, 1, 2}, z)
	for k, want := range []float64{2 + 48, 2 + 48, 2 + 48} {
		if dst[k] != want {
			t.Errorf("ColumnSquares: column %d has %g, want %g", k, dst[k], want)
		}
	}
}

func BenchmarkSquares(b *testing.B) {
	r := newRand(1)
	z := New(100, 10)
	copy(z.Data, randomVector(r, len(z.Data)))
	dst, w, x := make([]float64, 10), randomVector(r, 100), randomVector(r, 100)
	b.Run("rows", func(b *testing.B) {
		for b.Loop() {
			RowSquares(dst, w, x, z)
		}
	})
	b.Run("columns", func(b *testing.B) {
		for b.Loop() {
			ColumnSquares(dst, w, x[:10], z)
		}
	})
}
