package linalg

import (
	"fmt"
	"testing"
)

// The vector kernels round denormals to zero inside and must leave the
// processor's mode as it was: Go's own arithmetic keeps them.
func TestKernelsRestoreDenormals(t *testing.T) {
	small := []float64{1e-200, 1e-120}
	onEveryPath(t, func(t *testing.T) {
		n := 30
		a, b, c := New(n, n), New(n, n), New(n, n)
		for i := range n {
			for j := range n {
				a.Set(i, j, 1e-200)
				b.Set(i, j, 1e-120)
			}
		}
		for name, kernel := range map[string]func() error{
			"Gemm":     func() error { Gemm(c, 0, 1, a, b); return nil },
			"Syrk":     func() error { Syrk(c, 0, 1, a); return nil },
			"Cholesky": func() error { return Cholesky(identityMatrix(n)) },
			"inverse":  func() error { InverseFromCholesky(c, identityMatrix(n)); return nil },
			"solve":    func() error { SolveLower(identityMatrix(n), c); return nil },
		} {
			if err := kernel(); err != nil {
				t.Fatal(err)
			}
			if product := small[0] * small[1]; product == 0 {
				t.Errorf("after %s, Go's arithmetic rounds denormals to zero", name)
			}
		}
		Gemm(c, 0, 1, a, b)
		if v := c.At(3, 5); v != 0 && v > 1e-300 {
			t.Errorf("an underflowing product gave %g", v)
		}
	})
}

func identityMatrix(n int) Matrix {
	m := New(n, n)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

// A factor whose entries decay through the denormal range must not be slower than one
// without them.
func BenchmarkDenormals(b *testing.B) {
	const n = 96
	for _, scale := range []float64{1e-1, 1e-170} {
		x, y, c := New(n, n), New(n, n), New(n, n)
		for i := range x.Data {
			x.Data[i], y.Data[i] = scale, scale
		}
		b.Run(fmt.Sprintf("entries=%g", scale), func(b *testing.B) {
			for b.Loop() {
				Gemm(c, 0, 1, x, y)
			}
		})
	}
}
