package linalg

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"testing"
)

// bandedKernel returns an RBF kernel matrix of n sorted points spread over span
// length-scales, with the envelope of its entries above 1e-15.
func bandedKernel(n int, span float64, r *rand.Rand) (Matrix, Envelope) {
	z := make([]float64, n)
	for i := range z {
		z[i] = span * r.Float64()
	}
	sort.Float64s(z)
	k := New(n, n)
	for i := range n {
		for j := range n {
			k.Set(i, j, math.Exp(-0.5*(z[i]-z[j])*(z[i]-z[j])))
		}
		k.Set(i, i, 1.01)
	}
	first := 0
	return k, NewEnvelope(n, func(row int) int {
		for z[row]-z[first] > 8.4 {
			first++
		}
		return first
	})
}

func copyOf(m Matrix) Matrix {
	c := New(m.Rows, m.Cols)
	for i := range m.Rows {
		copy(c.Row(i), m.Row(i))
	}
	return c
}

// Inside the envelope the factor, the inverse, the solution and the determinant
// are those of the dense routines; outside nothing is touched.
func TestEnvelopeAgreesWithDense(t *testing.T) {
	for _, n := range []int{1, 2, 31, 32, 33, 100, 257} {
		for _, span := range []float64{0, 5, 40, 300, 1e4} {
			t.Run(fmt.Sprintf("n=%d/span=%g", n, span), func(t *testing.T) {
				k, e := bandedKernel(n, span, rand.New(rand.NewPCG(uint64(n), uint64(span))))
				dense, inverse := copyOf(k), New(n, n)
				if err := Cholesky(dense); err != nil {
					t.Fatal(err)
				}
				InverseFromCholesky(inverse, dense)

				l, s := copyOf(k), New(n, n)
				const untouched = 12345.0
				for i := range s.Data {
					s.Data[i] = untouched
				}
				for i := range n {
					for j := range e.Begin(i) {
						l.Set(i, j, untouched)
					}
					for j := i + 1; j < n; j++ {
						l.Set(i, j, math.NaN()) // never read
					}
				}
				var f EnvelopeFactor
				if err := f.Factor(l, e); err != nil {
					t.Fatal(err)
				}
				f.SelectedInverse(s)
				for i := range n {
					for j := range i + 1 {
						if j < e.Begin(i) {
							if l.At(i, j) != untouched || s.At(i, j) != untouched {
								t.Fatalf("(%d,%d) outside the envelope was written", i, j)
							}
							continue
						}
						if d := math.Abs(l.At(i, j) - dense.At(i, j)); d > 1e-12 {
							t.Fatalf("factor (%d,%d) off by %g", i, j, d)
						}
						if d := math.Abs(s.At(i, j) - inverse.At(i, j)); d > 1e-9 {
							t.Fatalf("inverse (%d,%d) off by %g", i, j, d)
						}
						if s.At(i, j) != s.At(j, i) && i != j {
							t.Fatalf("inverse is not symmetric at (%d,%d): %g, %g", i, j, s.At(i, j), s.At(j, i))
						}
					}
				}
				x, want := make([]float64, n), make([]float64, n)
				for i := range x {
					x[i] = math.Sin(float64(i))
					want[i] = x[i]
				}
				f.Solve(x)
				SolveLowerVec(dense, want)
				SolveLowerTransVec(dense, want)
				for i := range x {
					if math.Abs(x[i]-want[i]) > 1e-9 {
						t.Fatalf("solution %d: %g, want %g", i, x[i], want[i])
					}
				}
			})
		}
	}
}

func TestEnvelopeFailureNamesThePivot(t *testing.T) {
	k, e := bandedKernel(100, 300, rand.New(rand.NewPCG(1, 1)))
	k.Set(70, 70, -1)
	var f EnvelopeFactor
	var npd *NotPositiveDefiniteError
	if err := f.Factor(k, e); !errors.As(err, &npd) || npd.Pivot != 70 {
		t.Fatalf("got %v, want pivot 70", npd)
	}
}

// share returns the fraction of the lower triangle's tiles inside.
func share(e Envelope) float64 {
	in, all := 0, 0
	for I, f := range e.First {
		in += I - f + 1
		all += I + 1
	}
	return float64(in) / float64(max(all, 1))
}

func BenchmarkEnvelope(b *testing.B) {
	for _, n := range []int{100, 250, 500} {
		for _, span := range []float64{0.1, 30, 300} {
			k, e := bandedKernel(n, span, rand.New(rand.NewPCG(1, 2)))
			l, s := New(n, n), New(n, n)
			b.Run(fmt.Sprintf("n=%d/span=%g", n, span), func(b *testing.B) {
				var f EnvelopeFactor
				for b.Loop() {
					for i := range n {
						copy(l.Row(i)[e.Begin(i):i+1], k.Row(i)[e.Begin(i):i+1])
					}
					if err := f.Factor(l, e); err != nil {
						b.Fatal(err)
					}
					f.SelectedInverse(s)
				}
				b.ReportMetric(share(e), "share")
			})
		}
	}
}
