package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// onEveryPath runs the test with each set of kernels this CPU supports.
func onEveryPath(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	for _, p := range supported() {
		t.Run(p.String(), func(t *testing.T) {
			usePath(t, p)
			test(t)
		})
	}
}

// usePath switches the kernels for the rest of a test.
func usePath(t testing.TB, p kernelPath) {
	old := active
	active = p.set()
	t.Cleanup(func() { active = old })
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// guard is written around views; it must survive every function.
const guard = 1234.5

// view returns a random rows x cols view with an odd stride and offset, and a
// function that reports an overwritten element outside of it.
func view(r *rand.Rand, rows, cols int) (Matrix, func() error) {
	stride := cols + r.IntN(9)
	off := r.IntN(9)
	data := make([]float64, off+rows*stride+16)
	for i := range data {
		data[i] = guard
	}
	m := Matrix{rows, cols, stride, data[off:]}
	fill(r, m)
	return m, func() error {
		for i, v := range data {
			row, col := (i-off)/max(stride, 1), (i-off)%max(stride, 1)
			inside := i >= off && row < rows && col < cols
			if !inside && v != guard {
				return fmt.Errorf("element %d outside the %dx%d view was written", i, rows, cols)
			}
		}
		return nil
	}
}

func fill(r *rand.Rand, m Matrix) {
	for i := range m.Rows {
		row := m.Row(i)
		for j := range row {
			row[j] = r.NormFloat64()
		}
	}
}

func randomVector(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

func clone(m Matrix) Matrix {
	c := New(m.Rows, m.Cols)
	for i := range m.Rows {
		copy(c.Row(i), m.Row(i))
	}
	return c
}

func transposed(m Matrix) Matrix {
	c := New(m.Cols, m.Rows)
	for i := range m.Rows {
		for j := range m.Cols {
			c.Set(j, i, m.At(i, j))
		}
	}
	return c
}

// naive returns beta*C + alpha*A*B by the definition.
func naive(c Matrix, beta, alpha float64, a, b Matrix) Matrix {
	out := New(c.Rows, c.Cols)
	for i := range c.Rows {
		row := out.Row(i)
		for k := range a.Cols {
			f := a.At(i, k)
			for j, v := range b.Row(k) {
				row[j] += f * v
			}
		}
		for j, s := range row {
			row[j] = alpha * s
			if beta != 0 {
				row[j] += beta * c.At(i, j)
			}
		}
	}
	return out
}

// differ returns the largest |got-want| over the lower triangle or the whole;
// a NaN on one side only counts as infinite.
func differ(got, want Matrix, lowerOnly bool) float64 {
	worst := 0.0
	for i := range got.Rows {
		cols := got.Cols
		if lowerOnly {
			cols = i + 1
		}
		for j := range cols {
			g, w := got.At(i, j), want.At(i, j)
			if math.IsNaN(g) != math.IsNaN(w) {
				return math.Inf(1)
			}
			worst = max(worst, math.Abs(g-w))
		}
	}
	return worst
}

// sameBytes compares two matrices bit by bit.
func sameBytes(a, b Matrix) bool {
	for i := range a.Rows {
		for j := range a.Cols {
			if math.Float64bits(a.At(i, j)) != math.Float64bits(b.At(i, j)) {
				return false
			}
		}
	}
	return a.Rows == b.Rows && a.Cols == b.Cols
}

// positive returns a random symmetric positive definite matrix with condition
// number of about 10 and NaN in its strict upper triangle.
func positive(r *rand.Rand, n int) Matrix {
	g := New(n, n+5)
	fill(r, g)
	a := naive(New(n, n), 0, 1/float64(n+5), g, transposed(g))
	for i := range n {
		a.Set(i, i, a.At(i, i)+0.5)
		for j := i + 1; j < n; j++ {
			a.Set(i, j, math.NaN())
		}
	}
	return a
}

// lower copies the lower triangle and puts zeros above it.
func lower(m Matrix) Matrix {
	c := New(m.Rows, m.Cols)
	for i := range m.Rows {
		copy(c.Row(i)[:i+1], m.Row(i))
	}
	return c
}

// square returns L*Lᵀ for the lower triangle of m.
func square(m Matrix) Matrix {
	l := lower(m)
	return naive(New(l.Rows, l.Rows), 0, 1, l, transposed(l))
}

// orders are the matrix orders of the factorisation tests: around the tile,
// panel and block sizes of all paths.
var orders = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 23, 24, 25, 33, 48, 63, 95, 96, 97, 121, 200}

// gram is a cheap well conditioned matrix of any order.
func gram(n int) Matrix {
	a := New(n, n)
	for i := range n {
		for j := range n {
			a.Set(i, j, 1/float64(1+(i-j)*(i-j)))
		}
	}
	return a
}

// times returns M*v.
func times(m Matrix, v []float64) []float64 {
	out := make([]float64, m.Rows)
	for i := range out {
		out[i] = dotPortable(m.Row(i), v)
	}
	return out
}

// farthest is the largest |a_i - b_i|.
func farthest(a, b []float64) float64 {
	return differ(Matrix{len(a), 1, 1, a}, Matrix{len(b), 1, 1, b}, false)
}
