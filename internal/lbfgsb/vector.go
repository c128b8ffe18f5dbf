package lbfgsb

import "github.com/mahabo/mahabo/internal/linalg"

// dot returns x'y.
func dot(x, y []float64) float64 { return linalg.Dot(x, y) }

// dot2 returns x'v and y'v.
func dot2(x, y, v []float64) (xv, yv float64) { return linalg.Dot(x, v), linalg.Dot(y, v) }

// axpy adds a*x to dst.
func axpy(dst []float64, a float64, x []float64) { linalg.Axpy(dst, a, x) }

// axpy2 adds a*x + b*y to dst.
func axpy2(dst []float64, a float64, x []float64, b float64, y []float64) {
	linalg.Axpy(dst, a, x)
	linalg.Axpy(dst, b, y)
}
