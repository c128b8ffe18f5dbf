//go:build !amd64 && !arm64

package linalg

func supported() []kernelPath { return []kernelPath{portable} }

func panel(c []float64, ldc int, a []float64, ras, cas int, b []float64, ldb, m, n, k int, alpha, beta float64) {
	panelPortable(c, ldc, a, ras, cas, b, ldb, m, n, k, alpha, beta)
}

func triangle(c []float64, c0, ldc int, coef []float64, n int) {
	trianglePortable(c, c0, ldc, coef, active.mr, n)
}

func factor(coef, pivots, u []float64, ldu int) {
	factorPortable(coef, pivots, u, ldu, active.mr)
}

func transpose(dst []float64, ldd int, src []float64, lds, rows, cols int) {
	transposePortable(dst, ldd, src, lds, rows, cols)
}

func dot(x, y []float64) float64                   { return dotPortable(x, y) }
func axpy(y []float64, alpha float64, x []float64) { axpyPortable(y, alpha, x) }
func expScaled(dst []float64, scale, rate float64, src []float64) {
	expPortable(dst, scale, rate, src)
}
func addClamp(dst []float64, shift float64, y []float64) { addClampPortable(dst, shift, y) }
func columnDistances(dst, x []float64, z Matrix)         { columnDistancesPortable(dst, x, z) }
func matern(x, slope []float64, scale float64)           { maternByExp(x, slope, scale) }
func addRows(dst, coef []float64, index []int, m Matrix) { addRowsByAxpy(dst, coef, index, m) }
func rowDots(dst, x []float64, index []int, m Matrix)    { rowDotsByDot(dst, x, index, m) }
func addProducts(dst, x, y []float64)                    { addProductsPortable(dst, x, y) }

func clampedRows(dst, base, coef []float64, index []int, m Matrix, shift float64) {
	clampedRowsByAxpy(dst, base, coef, index, m, shift)
}

func rowSquares(dst, w, x []float64, z Matrix) { rowSquaresPortable(dst, w, x, z) }

func columnSquares(dst, w, x []float64, z Matrix) { columnSquaresPortable(dst, w, x, z) }
