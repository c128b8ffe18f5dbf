package linalg

import (
	"math"
	"slices"
	"testing"
)

func TestAddRowsHasTheBytesOfAxpy(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		r := newRand(3)
		m := New(9, 200)
		copy(m.Data, randomVector(r, len(m.Data)))
		for n := range 198 {
			for _, index := range [][]int{{}, {4}, {8, 0, 3, 3, 7}} {
				coef := randomVector(r, len(index))
				got := append(randomVector(r, n), guard)
				want := append([]float64(nil), got...)
				AddRows(got[:n], coef, index, m.Slice(0, 9, 1, 199))
				for k, i := range index {
					Axpy(want[:n], coef[k], m.Row(i)[1:n+1])
				}
				for i := range got {
					if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
						t.Fatalf("n=%d, rows %v: element %d is %g, want %g", n, index, i, got[i], want[i])
					}
				}
			}
		}
	})
}

func TestDotRowsHasTheBytesOfDot(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		r := newRand(6)
		m := New(9, 200)
		copy(m.Data, randomVector(r, len(m.Data)))
		for n := range 198 {
			for _, index := range [][]int{{}, {4}, {8, 0, 3, 3, 7}} {
				x, got := randomVector(r, n), make([]float64, len(index))
				DotRows(got, x, index, m.Slice(0, 9, 1, 199))
				for k, i := range index {
					if want := Dot(x, m.Row(i)[1:n+1]); math.Float64bits(got[k]) != math.Float64bits(want) {
						t.Fatalf("n=%d: row %d gave %g, want %g", n, i, got[k], want)
					}
				}
			}
		}
	})
}

func TestAddRowsRefusesRowsThatAreNotThere(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("row 3 of 3 rows was read")
		}
	}()
	AddRows(make([]float64, 2), []float64{1}, []int{3}, New(3, 2))
}

func TestClampedRows(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		r := newRand(4)
		m := New(9, 200)
		copy(m.Data, randomVector(r, len(m.Data)))
		for n := range 198 {
			for _, index := range [][]int{{}, {4}, {8, 0, 3, 3, 7}} {
				coef, base := randomVector(r, len(index)), randomVector(r, n)
				if n > 3 {
					base[3] = math.NaN()
				}
				got, want := append(randomVector(r, n), guard), append(slices.Clone(base), guard)
				ClampedRows(got[:n], base, coef, index, m.Slice(0, 9, 1, 199), 0.25)
				AddRows(want[:n], coef, index, m.Slice(0, 9, 1, 199))
				for i, v := range want[:n] {
					want[i] = max(0, v+0.25)
				}
				for i := range got {
					if got[i] != want[i] && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
						t.Fatalf("n=%d, rows %v: element %d is %g, want %g", n, index, i, got[i], want[i])
					}
				}
			}
		}
	})
}

func TestAddClamp(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		r := newRand(4)
		for n := range 40 {
			dst, y := append(randomVector(r, n), guard), randomVector(r, n)
			want := append([]float64(nil), dst...)
			addClamp(dst[:n], 0.25, y)
			for i, v := range y {
				want[i] = max(0, want[i]+(0.25+v))
			}
			for i := range dst {
				if dst[i] != want[i] {
					t.Fatalf("n=%d: element %d is %g, want %g", n, i, dst[i], want[i])
				}
			}
		}
	})
}

func TestAddProducts(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		r := newRand(5)
		for n := range 90 {
			dst, x, y := append(randomVector(r, n), guard), randomVector(r, n), randomVector(r, n)
			want := append([]float64(nil), dst...)
			AddProducts(dst[:n], x, y)
			addProductsPortable(want[:n], x, y)
			for i := range dst {
				if math.Abs(dst[i]-want[i]) > 1e-15*(1+math.Abs(want[i])) {
					t.Fatalf("n=%d: element %d is %g, want %g", n, i, dst[i], want[i])
				}
			}
		}
	})
}

func BenchmarkAddProducts(b *testing.B) {
	dst, x, y := make([]float64, 500), make([]float64, 500), make([]float64, 500)
	b.Run("kernel", func(b *testing.B) {
		for b.Loop() {
			AddProducts(dst, x, y)
		}
	})
	b.Run("portable", func(b *testing.B) {
		for b.Loop() {
			addProductsPortable(dst, x, y)
		}
	})
}

func BenchmarkAddRows(b *testing.B) {
	const rows = 20
	index := make([]int, rows)
	for k := range index {
		index[k] = (k * 7) % rows
	}
	m := New(rows, 128)
	dst, coef := make([]float64, 100), make([]float64, rows)
	b.Run("rows", func(b *testing.B) {
		for b.Loop() {
			AddRows(dst, coef, index, m)
		}
	})
	b.Run("axpy", func(b *testing.B) {
		for b.Loop() {
			addRowsByAxpy(dst, coef, index, m)
		}
	})
}
