package linalg

import (
	"fmt"
	"math"
	"testing"
)

// shapes of products: random small ones, then those around block borders.
func shapes() [][3]int {
	r := newRand(7)
	s := [][3]int{{1, 1, 1}, {8, 24, 1}, {64, 64, 64}, {1, 100, 300}, {2, 75, 90}, {3, 101, 170}, {17, 70, 533}, {100, 50, 161}, {130, 49, 320}, {530, 26, 10}, {40, 260, 9}, {200, 3, 100}}
	for range 60 {
		s = append(s, [3]int{r.IntN(71), r.IntN(71), r.IntN(71)})
	}
	return s
}

var scalars = [][2]float64{{0, 1}, {1, 1}, {1, -1}, {0, -0.5}, {0.5, 2}, {-1, 0}, {0, 0}, {1, 0}}

func TestProductsAgainstDefinition(t *testing.T) {
	products := []struct {
		name   string
		ta, tb bool
		run    func(c Matrix, beta, alpha float64, a, b Matrix)
	}{
		{"Gemm", false, false, Gemm},
		{"GemmTA", true, false, GemmTA},
		{"GemmTB", false, true, GemmTB},
	}
	onEveryPath(t, func(t *testing.T) {
		for _, p := range products {
			for i, s := range shapes() {
				m, n, k := s[0], s[1], s[2]
				beta, alpha := scalars[i%len(scalars)][0], scalars[i%len(scalars)][1]
				r := newRand(uint64(i))
				a, _ := view(r, m, k)
				b, _ := view(r, k, n)
				c, intact := view(r, m, n)
				want := naive(c, beta, alpha, a, b)
				if beta == 0 && m*n > 0 {
					c.Set(m-1, n-1, math.NaN())
					c.Set(0, 0, math.Inf(1))
				}
				if p.ta {
					a = transposed(a)
				}
				if p.tb {
					b = transposed(b)
				}
				p.run(c, beta, alpha, a, b)
				name := fmt.Sprintf("%s m=%d n=%d k=%d beta=%g alpha=%g", p.name, m, n, k, beta, alpha)
				if d := differ(c, want, false); d > 1e-14*float64(k+10) {
					t.Errorf("%s: off by %g", name, d)
				}
				if err := intact(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	})
}

func TestSyrkAgainstDefinition(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for i, s := range shapes() {
			n, k := s[0], s[2]
			beta, alpha := scalars[i%len(scalars)][0], scalars[i%len(scalars)][1]
			r := newRand(uint64(i))
			a, _ := view(r, n, k)
			c, intact := view(r, n, n)
			want := naive(c, beta, alpha, a, transposed(a))
			before := clone(c)
			if beta == 0 && n > 0 {
				c.Set(n-1, 0, math.NaN())
			}
			Syrk(c, beta, alpha, a)
			name := fmt.Sprintf("n=%d k=%d beta=%g alpha=%g", n, k, beta, alpha)
			if d := differ(c, want, true); d > 1e-14*float64(k+10) {
				t.Errorf("%s: off by %g", name, d)
			}
			for x := range n {
				for y := x + 1; y < n; y++ {
					if c.At(x, y) != before.At(x, y) {
						t.Fatalf("%s: upper element (%d,%d) was written", name, x, y)
					}
				}
			}
			if err := intact(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestProductSizesArePanicsNotMemory(t *testing.T) {
	for name, call := range map[string]func(){
		"inner":  func() { Gemm(New(2, 2), 0, 1, New(2, 3), New(2, 2)) },
		"rows":   func() { Gemm(New(3, 2), 0, 1, New(2, 3), New(3, 2)) },
		"short":  func() { Gemm(Matrix{2, 2, 2, make([]float64, 3)}, 0, 1, New(2, 2), New(2, 2)) },
		"stride": func() { Gemm(Matrix{2, 2, 1, make([]float64, 8)}, 0, 1, New(2, 2), New(2, 2)) },
		"syrk":   func() { Syrk(New(2, 2), 0, 1, New(3, 2)) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}

func TestTranspose(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		r := newRand(3)
		for _, s := range shapes() {
			src, _ := view(r, s[0], s[1])
			dst, intact := view(r, s[1], s[0])
			Transpose(dst, src)
			if d := differ(dst, transposed(src), false); d != 0 {
				t.Errorf("%dx%d: off by %g", s[0], s[1], d)
			}
			if err := intact(); err != nil {
				t.Errorf("%dx%d: %v", s[0], s[1], err)
			}
		}
	})
}
