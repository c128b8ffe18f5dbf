package linalg

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

func supported() []kernelPath {
	if cpu.ARM64.HasASIMD {
		return []kernelPath{portable, neon}
	}
	return []kernelPath{portable}
}

// panel computes C = beta*C + alpha*A*B for an m x n panel, n <= nr; element
// (i,l) of A is a[i*ras+l*cas]. C may be part of A's or B's memory as long as
// no element is both read as an operand and written.
func panel(c []float64, ldc int, a []float64, ras, cas int, b []float64, ldb, m, n, k int, alpha, beta float64) {
	if active.path == portable {
		panelPortable(c, ldc, a, ras, cas, b, ldb, m, n, k, alpha, beta)
		return
	}
	panelNEON(&c[0], ldc, &a[0], ras, cas, &b[0], ldb, m, n, k, alpha, beta)
}

// triangle solves T*X = C in place for the mr x n tile of C, n <= nr, whose
// row r starts at c[c0+r*ldc]; ldc may be negative. coef holds T column by
// column, with reciprocal diagonal.
func triangle(c []float64, c0, ldc int, coef []float64, n int) {
	if active.path == portable {
		trianglePortable(c, c0, ldc, coef, active.mr, n)
		return
	}
	triangleNEON(&c[c0], ldc, &coef[0], n)
}

// factor computes the factor U of the mr x mr upper triangle u; see
// factorPortable.
func factor(coef, pivots, u []float64, ldu int) {
	if active.path == portable {
		factorPortable(coef, pivots, u, ldu, active.mr)
		return
	}
	factorNEON(&coef[0], &pivots[0], &u[0], ldu)
}

func dot(x, y []float64) float64 {
	if len(x) == 0 || active.path == portable {
		return dotPortable(x, y)
	}
	return dotNEON(&x[0], &y[0], len(x))
}

func axpy(y []float64, alpha float64, x []float64) {
	if len(x) == 0 || active.path == portable {
		axpyPortable(y, alpha, x)
		return
	}
	axpyNEON(&y[0], alpha, &x[0], len(x))
}

func expScaled(dst []float64, scale, rate float64, src []float64) {
	if len(src) == 0 || active.path == portable {
		expPortable(dst, scale, rate, src)
		return
	}
	expNEON(&dst[0], scale, rate, &src[0], len(src))
}

// addClamp computes dst = max(0, dst + shift + y); NaN stays NaN.
func addClamp(dst []float64, shift float64, y []float64) {
	if len(dst) == 0 || active.path == portable {
		addClampPortable(dst, shift, y)
		return
	}
	addClampNEON(&dst[0], shift, &y[0], len(dst))
}

func columnDistances(dst, x []float64, z Matrix) {
	if len(x) == 0 || active.path == portable {
		columnDistancesPortable(dst, x, z)
		return
	}
	columnDistancesNEON(&dst[0], &x[0], &z.Data[0], z.Stride, len(x), len(dst))
}

func matern(x, slope []float64, scale float64) {
	if len(x) == 0 || active.path == portable {
		maternByExp(x, slope, scale)
		return
	}
	maternNEON(&x[0], unsafe.SliceData(slope), scale, len(x))
}

// sumRows computes dst = max(floor, base + sum_k coef[k]*row(index[k]) + shift).
func sumRows(dst, base, coef []float64, index []int, m Matrix, shift, floor float64) {
	addRowsNEON(&dst[0], &base[0], len(dst), unsafe.SliceData(coef), unsafe.SliceData(index), len(coef),
		&m.Data[0], m.Stride, shift, floor)
}

func rowDots(dst, x []float64, index []int, m Matrix) { rowDotsByDot(dst, x, index, m) }

func addProducts(dst, x, y []float64) {
	if len(dst) == 0 || active.path == portable {
		addProductsPortable(dst, x, y)
		return
	}
	addProductsNEON(&dst[0], &x[0], &y[0], len(dst))
}

func rowSquares(dst, w, x []float64, z Matrix) {
	if active.path == portable {
		rowSquaresPortable(dst, w, x, z)
		return
	}
	rowSquaresNEON(&dst[0], &w[0], &x[0], &z.Data[0], z.Stride, z.Rows, z.Cols)
}

func columnSquares(dst, w, x []float64, z Matrix) {
	if active.path == portable {
		columnSquaresPortable(dst, w, x, z)
		return
	}
	columnSquaresNEON(&dst[0], &w[0], &x[0], &z.Data[0], z.Stride, z.Rows, z.Cols)
}
