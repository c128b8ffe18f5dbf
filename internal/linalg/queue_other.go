//go:build !amd64

package linalg

// queue makes calls of kernels at once.
type queue struct{}

func (*queue) run() {}

func (*queue) panel(c []float64, ldc int, a []float64, ras, cas int, b []float64, ldb, m, n, k int, alpha, beta float64) {
	panel(c, ldc, a, ras, cas, b, ldb, m, n, k, alpha, beta)
}

func (*queue) triangle(c []float64, c0, ldc int, coef []float64, n int) {
	triangle(c, c0, ldc, coef, n)
}

func (*queue) factor(coef, pivots, u []float64, ldu int) { factor(coef, pivots, u, ldu) }
