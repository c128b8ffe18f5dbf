package linalg

import (
	"math"
	"testing"
	"time"
)

// BenchmarkPaths times kernels on every path that this processor has and says which share of the
// path's own peak they reach:
//
//	go test -run '^$' -bench Paths ./internal/linalg
//
// The peak is that of the panel kernel with operands that never leave the first-level cache. It
// and the kernel run in turn, and the fastest runs of both count: other work on the machine makes
// runs slower, never faster.
func BenchmarkPaths(b *testing.B) {
	for _, k := range pathKernels() {
		b.Run(k.name, func(b *testing.B) {
			for _, p := range supported() {
				b.Run(p.String(), func(b *testing.B) {
					usePath(b, p)
					kernel, peak := math.Inf(1), math.Inf(1)
					k.run() // fills caches and scratch
					for b.Loop() {
						kernel = min(kernel, seconds(k.run))
						peak = min(peak, seconds(runPeak))
					}
					b.ReportMetric(k.flops/kernel/1e9, "GFLOP/s")
					b.ReportMetric(peakFlops()/peak/1e9, "GFLOP/s-peak")
					b.ReportMetric(100*k.flops/kernel/(peakFlops()/peak), "%peak")
				})
			}
		})
	}
}

func seconds(run func()) float64 {
	start := time.Now()
	run()
	return time.Since(start).Seconds()
}

// pathKernel is a piece of work of at least some microseconds and its number of floating-point operations.
type pathKernel struct {
	name  string
	flops float64
	run   func()
}

const peakLength = 8192

// runPeak multiplies one column by one row over and over.
func runPeak() {
	var a [maxMR]float64
	var b [maxNR]float64
	var c [maxMR * maxNR]float64
	panel(c[:], active.nr, a[:], 1, 0, b[:], 0, active.mr, active.nr, peakLength, 1, 0)
}

func peakFlops() float64 { return float64(2 * active.mr * active.nr * peakLength) }

func pathKernels() []pathKernel {
	const n, d, repeats = 240, 100, 20
	r := newRand(1)
	x, y, z := randomVector(r, n), randomVector(r, n), randomVector(r, n)
	for i := range x {
		x[i] = math.Abs(x[i])
	}
	a, b, c := New(n, n), New(n, n), New(n, n)
	fill(r, a)
	fill(r, b)
	spd, l := gram(n), gram(n)
	if err := Cholesky(l); err != nil {
		panic(err)
	}
	points := New(d, n)
	fill(r, points)
	weights, across := randomVector(r, d), randomVector(r, n)
	index := make([]int, d)
	for k := range index {
		index[k] = k * 7 % d
	}
	rhs := New(n, 10)
	fill(r, rhs)
	solution := New(n, 10)
	sums := make([]float64, d)
	again := func(run func()) func() {
		return func() {
			for range repeats {
				run()
			}
		}
	}
	small, low := gram(d), New(d, d)
	return []pathKernel{
		{"product", 2 * n * n * n, func() { Gemm(c, 0, 1, a, b) }},
		{"product-small", 2 * repeats * 64 * 64 * 64, again(func() {
			Gemm(c.Slice(0, 64, 0, 64), 0, 1, a.Slice(0, 64, 0, 64), b.Slice(0, 64, 0, 64))
		})},
		{"cholesky", n * n * n / 3, func() {
			copy(c.Data, spd.Data)
			if err := Cholesky(c); err != nil {
				panic(err)
			}
		}},
		{"cholesky-small", repeats * d * d * d / 3, again(func() {
			copy(low.Data, small.Data)
			if err := Cholesky(low); err != nil {
				panic(err)
			}
		})},
		{"inverse", 2 * n * n * n / 3, func() { ParallelLowerInverse(1, c, l) }},
		{"solve", n * n * 10, func() {
			copy(solution.Data, rhs.Data)
			SolveLower(l, solution)
		}},
		{"dot", 2 * repeats * n, again(func() { sums[0] = Dot(x, y) })},
		{"axpy", 2 * repeats * n, again(func() { Axpy(y, 1e-9, x) })},
		{"products", 2 * repeats * n, again(func() { AddProducts(z, x, y) })},
		{"distances", 3 * d * n, func() { ColumnDistances(z, weights, points) }},
		{"row-squares", 4 * d * n, func() { RowSquares(z, weights, sums, points) }},
		{"column-squares", 4 * d * n, func() { ColumnSquares(z, weights, across, points) }},
		{"add-rows", 2 * d * n, func() { AddRows(z, weights, index, points) }},
		{"clamped-rows", 2 * d * n, func() { ClampedRows(z, across, weights, index, points, 0.5) }},
		{"dot-rows", 2 * d * n, func() { DotRows(sums, across, index, points) }},
		// Operations as the vector kernels have them: a polynomial of degree 12, its reduction and scaling; then a root and eight more.
		{"exp", 34 * repeats * n, again(func() { ExpScaled(z, 1.5, -1, x) })},
		{"matern", 43 * repeats * n, again(func() {
			copy(z, x)
			Matern52(z, y, 1.5)
		})},
	}
}
