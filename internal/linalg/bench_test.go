package linalg

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

func gflops(b *testing.B, flops float64) {
	b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func matrices(m, n, k int) (c, a, b Matrix) {
	r := newRand(1)
	c, a, b = New(m, n), New(m, k), New(k, n)
	fill(r, a)
	fill(r, b)
	return c, a, b
}

func BenchmarkGemm(b *testing.B) {
	sizes := [][3]int{
		{32, 32, 32}, {48, 48, 48}, {64, 64, 64}, {100, 100, 100}, {500, 500, 500}, {1000, 1000, 1000},
		{1, 500, 500}, {3, 500, 500}, {6, 500, 500}, {10, 500, 500}, {30, 500, 500}, {60, 500, 500},
		{1, 1000, 1000}, {3, 1000, 1000}, {6, 1000, 1000}, {10, 1000, 1000}, {30, 1000, 1000}, {60, 1000, 1000}, {30, 1024, 1024},
	}
	for _, s := range sizes {
		b.Run(fmt.Sprintf("%dx%dx%d", s[0], s[1], s[2]), func(b *testing.B) {
			c, x, y := matrices(s[0], s[1], s[2])
			for b.Loop() {
				Gemm(c, 0, 1, x, y)
			}
			gflops(b, 2*float64(s[0]*s[1]*s[2]))
		})
	}
}

func BenchmarkGemmTransposed(b *testing.B) {
	for _, s := range [][3]int{{64, 64, 64}, {6, 1000, 1000}, {30, 1000, 1000}, {60, 1000, 1000}, {500, 500, 500}} {
		c, x, y := matrices(s[0], s[1], s[2])
		xt, yt := transposed(x), transposed(y)
		b.Run(fmt.Sprintf("TA/%dx%dx%d", s[0], s[1], s[2]), func(b *testing.B) {
			for b.Loop() {
				GemmTA(c, 0, 1, xt, y)
			}
			gflops(b, 2*float64(s[0]*s[1]*s[2]))
		})
		b.Run(fmt.Sprintf("TB/%dx%dx%d", s[0], s[1], s[2]), func(b *testing.B) {
			for b.Loop() {
				GemmTB(c, 0, 1, x, yt)
			}
			gflops(b, 2*float64(s[0]*s[1]*s[2]))
		})
	}
}

func BenchmarkSyrk(b *testing.B) {
	for _, n := range []int{32, 64, 500, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c, x, _ := matrices(n, n, n)
			for b.Loop() {
				Syrk(c, 0, 1, x)
			}
			gflops(b, float64(n*n*(n+1)))
		})
	}
}

func BenchmarkCholesky(b *testing.B) {
	for _, n := range []int{16, 32, 64, 100, 200, 500, 1000} {
		a, l := gram(n), New(n, n)
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=%d/threads=%d", n, threads), func(b *testing.B) {
				for b.Loop() {
					copy(l.Data, a.Data)
					if err := factorise(threads, l, l, 0); err != nil {
						b.Fatal(err)
					}
				}
				gflops(b, float64(n*n*n)/3)
			})
		}
	}
}

func BenchmarkInverse(b *testing.B) {
	for _, n := range []int{16, 32, 64, 100, 200, 500, 1000} {
		l, dst := gram(n), New(n, n)
		if err := Cholesky(l); err != nil {
			b.Fatal(err)
		}
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=%d/threads=%d", n, threads), func(b *testing.B) {
				for b.Loop() {
					ParallelLowerInverse(threads, dst, l)
				}
				gflops(b, 2*float64(n*n*n)/3)
			})
		}
	}
}

func BenchmarkSolve(b *testing.B) {
	for _, n := range []int{32, 500, 1000} {
		l := gram(n)
		if err := Cholesky(l); err != nil {
			b.Fatal(err)
		}
		for _, cols := range []int{1, 10, 100, 500} {
			_, rhs, _ := matrices(n, 1, cols)
			x := New(n, cols)
			for name, solve := range map[string]func(l, b Matrix){"lower": SolveLower, "trans": SolveLowerTrans} {
				b.Run(fmt.Sprintf("%s/n=%d/cols=%d", name, n, cols), func(b *testing.B) {
					for b.Loop() {
						copy(x.Data, rhs.Data)
						solve(l, x)
					}
					gflops(b, float64(n*n*cols))
				})
			}
		}
		x := make([]float64, n)
		b.Run(fmt.Sprintf("vec/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				x[0] = 1
				SolveLowerVec(l, x)
			}
			gflops(b, float64(n*n))
		})
		b.Run(fmt.Sprintf("transvec/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				x[n-1] = 1
				SolveLowerTransVec(l, x)
			}
			gflops(b, float64(n*n))
		})
		inv := New(n, n)
		b.Run(fmt.Sprintf("invertlower/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				copy(inv.Data, l.Data)
				InvertLower(inv)
			}
			gflops(b, float64(n*n*n)/3)
		})
	}
}

func BenchmarkRankOne(b *testing.B) {
	const n = 1000
	l := gram(n)
	if err := Cholesky(l); err != nil {
		b.Fatal(err)
	}
	v := randomVector(newRand(1), n)
	b.Run("update", func(b *testing.B) {
		for b.Loop() {
			UpdateRankOne(l, v)
		}
		gflops(b, 3*n*n)
	})
	b.Run("updatedowndate", func(b *testing.B) {
		for b.Loop() {
			UpdateRankOne(l, v)
			if err := DowndateRankOne(l, v); err != nil {
				b.Fatal(err)
			}
		}
		gflops(b, 7*n*n)
	})
	row := append([]float64(nil), l.Row(n-1)...)
	b.Run("removeappend", func(b *testing.B) {
		for b.Loop() {
			RemoveRow(l, n/2)
			clear(row)
			if err := AppendRow(l, row[:n-1], 1); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkVector(b *testing.B) {
	for _, n := range []int{16, 100, 1000} {
		x, y := randomVector(newRand(1), n), randomVector(newRand(2), n)
		perElement := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
		}
		b.Run(fmt.Sprintf("dot/%d", n), func(b *testing.B) {
			s := 0.0
			for b.Loop() {
				s += Dot(x, y)
			}
			perElement(b)
		})
		b.Run(fmt.Sprintf("axpy/%d", n), func(b *testing.B) {
			for b.Loop() {
				Axpy(y, 1e-9, x)
			}
			perElement(b)
		})
		b.Run(fmt.Sprintf("exp/%d", n), func(b *testing.B) {
			for b.Loop() {
				Exp(y, x)
			}
			perElement(b)
		})
	}
}

func BenchmarkSquaredDistances(b *testing.B) {
	for _, d := range []int{5, 20, 100} {
		x, dst := New(500, d), New(500, 500)
		fill(newRand(1), x)
		b.Run(fmt.Sprintf("n=500/d=%d", d), func(b *testing.B) {
			for b.Loop() {
				SquaredDistances(dst, x, x)
			}
			gflops(b, 2*500*500*float64(d))
		})
	}
}

// BenchmarkCholeskyInverse times factor plus full inverse on one thread, ours
// and gonum's in turn, and reports the ratio of the minimum times.
func BenchmarkCholeskyInverse(b *testing.B) {
	for _, n := range []int{500, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			a, l := gram(n), New(n, n)
			sym := blas64.Symmetric{N: n, Stride: n, Data: make([]float64, n*n), Uplo: blas.Upper}
			ours, gonum := time.Hour, time.Hour
			for b.Loop() {
				copy(l.Data, a.Data)
				start := time.Now()
				if err := Cholesky(l); err != nil {
					b.Fatal(err)
				}
				InverseFromCholesky(l, l)
				ours = min(ours, time.Since(start))

				copy(sym.Data, a.Data)
				start = time.Now()
				t, ok := lapack64.Potrf(sym)
				if !ok {
					b.Fatal("gonum: not positive definite")
				}
				lapack64.Potri(t)
				gonum = min(gonum, time.Since(start))
			}
			b.ReportMetric(ours.Seconds()*1e3, "ms")
			b.ReportMetric(gonum.Seconds()*1e3, "ms-gonum")
			b.ReportMetric(float64(gonum)/float64(ours), "x-gonum")
		})
	}
}
