package linalg

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

func supported() []kernelPath {
	paths := []kernelPath{portable}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		paths = append(paths, avx2)
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL {
			paths = append(paths, avx512)
		}
	}
	return paths
}

// panel computes C = beta*C + alpha*A*B for an m x n panel, n <= nr; element
// (i,l) of A is a[i*ras+l*cas]. C may be part of A's or B's memory as long as
// no element is both read as an operand and written.
func panel(c []float64, ldc int, a []float64, ras, cas int, b []float64, ldb, m, n, k int, alpha, beta float64) {
	if active.path == portable {
		panelPortable(c, ldc, a, ras, cas, b, ldb, m, n, k, alpha, beta)
		return
	}
	run(&call{panelCall, &c[0], ldc, &a[0], ras, cas, &b[0], ldb, m, n, k, alpha, beta}, 1)
}

// triangle solves T*X = C in place for the mr x n tile of C, n <= nr, whose
// row r starts at c[c0+r*ldc]; ldc may be negative. coef holds T column by
// column, with reciprocal diagonal.
func triangle(c []float64, c0, ldc int, coef []float64, n int) {
	if !hasTriangle(n) {
		trianglePortable(c, c0, ldc, coef, active.mr, n)
		return
	}
	run(&call{kernel: triangleCall, c: &c[c0], ldc: ldc, a: &coef[0], ras: n}, 1)
}

// hasTriangle says whether there is a kernel for n columns.
func hasTriangle(n int) bool { return active.path == avx512 || active.path == avx2 && n == 12 }

// factor computes the factor U of the mr x mr upper triangle u; see
// factorPortable.
func factor(coef, pivots, u []float64, ldu int) {
	if active.path == portable {
		factorPortable(coef, pivots, u, ldu, active.mr)
		return
	}
	run(&call{kernel: factorCall, c: &u[0], ldc: ldu, a: &coef[0], b: &pivots[0]}, 1)
}

// run makes calls with the kernels of the active path, which is not the portable one.
func run(calls *call, count int) {
	if active.path == avx512 {
		runAVX512(calls, count)
	} else {
		runAVX2(calls, count)
	}
}

func dot(x, y []float64) float64 {
	switch {
	case len(x) == 0 || active.path == portable:
		return dotPortable(x, y)
	case active.path == avx512:
		return dotAVX512(&x[0], &y[0], len(x))
	default:
		return dotAVX2(&x[0], &y[0], len(x))
	}
}

func axpy(y []float64, alpha float64, x []float64) {
	switch {
	case len(x) == 0 || active.path == portable:
		axpyPortable(y, alpha, x)
	case active.path == avx512:
		axpyAVX512(&y[0], alpha, &x[0], len(x))
	default:
		axpyAVX2(&y[0], alpha, &x[0], len(x))
	}
}

func expScaled(dst []float64, scale, rate float64, src []float64) {
	switch {
	case len(src) == 0 || active.path == portable:
		expPortable(dst, scale, rate, src)
	case active.path == avx512:
		expAVX512(&dst[0], scale, rate, &src[0], len(src))
	default:
		expAVX2(&dst[0], scale, rate, &src[0], len(src))
	}
}

// addClamp computes dst = max(0, dst + shift + y); NaN stays NaN.
func addClamp(dst []float64, shift float64, y []float64) {
	switch {
	case len(dst) == 0 || active.path == portable:
		addClampPortable(dst, shift, y)
	case active.path == avx512:
		addClampAVX512(&dst[0], shift, &y[0], len(dst))
	default:
		addClampAVX2(&dst[0], shift, &y[0], len(dst))
	}
}

func columnDistances(dst, x []float64, z Matrix) {
	switch {
	case len(x) == 0 || active.path == portable:
		columnDistancesPortable(dst, x, z)
	case active.path == avx512:
		columnDistancesAVX512(&dst[0], &x[0], &z.Data[0], z.Stride, len(x), len(dst))
	default:
		columnDistancesAVX2(&dst[0], &x[0], &z.Data[0], z.Stride, len(x), len(dst))
	}
}

func matern(x, slope []float64, scale float64) {
	switch {
	case len(x) == 0 || active.path == portable:
		maternByExp(x, slope, scale)
	case active.path == avx512:
		maternAVX512(&x[0], unsafe.SliceData(slope), scale, len(x))
	default:
		maternAVX2(&x[0], unsafe.SliceData(slope), scale, len(x))
	}
}

// sumRows computes dst = max(floor, base + sum_k coef[k]*row(index[k]) + shift).
func sumRows(dst, base, coef []float64, index []int, m Matrix, shift, floor float64) {
	if active.path == avx512 {
		addRowsAVX512(&dst[0], &base[0], len(dst), unsafe.SliceData(coef), unsafe.SliceData(index), len(coef),
			&m.Data[0], m.Stride, shift, floor)
	} else {
		addRowsAVX2(&dst[0], &base[0], len(dst), unsafe.SliceData(coef), unsafe.SliceData(index), len(coef),
			&m.Data[0], m.Stride, shift, floor)
	}
}

func rowDots(dst, x []float64, index []int, m Matrix) {
	switch active.path {
	case avx512:
		dotRowsAVX512(&dst[0], &x[0], len(x), &index[0], len(dst), &m.Data[0], m.Stride)
	case avx2:
		dotRowsAVX2(&dst[0], &x[0], len(x), &index[0], len(dst), &m.Data[0], m.Stride)
	default:
		rowDotsByDot(dst, x, index, m)
	}
}

func addProducts(dst, x, y []float64) {
	switch {
	case len(dst) == 0 || active.path == portable:
		addProductsPortable(dst, x, y)
	case active.path == avx512:
		addProductsAVX512(&dst[0], &x[0], &y[0], len(dst))
	default:
		addProductsAVX2(&dst[0], &x[0], &y[0], len(dst))
	}
}

func rowSquares(dst, w, x []float64, z Matrix) {
	switch active.path {
	case avx512:
		rowSquaresAVX512(&dst[0], &w[0], &x[0], &z.Data[0], z.Stride, z.Rows, z.Cols)
	case avx2:
		rowSquaresAVX2(&dst[0], &w[0], &x[0], &z.Data[0], z.Stride, z.Rows, z.Cols)
	default:
		rowSquaresPortable(dst, w, x, z)
	}
}

func columnSquares(dst, w, x []float64, z Matrix) {
	switch active.path {
	case avx512:
		columnSquaresAVX512(&dst[0], &w[0], &x[0], &z.Data[0], z.Stride, z.Rows, z.Cols)
	case avx2:
		columnSquaresAVX2(&dst[0], &w[0], &x[0], &z.Data[0], z.Stride, z.Rows, z.Cols)
	default:
		columnSquaresPortable(dst, w, x, z)
	}
}
