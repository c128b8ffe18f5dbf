package linalg

import "fmt"

// Dot returns the inner product of x and y.
func Dot(x, y []float64) float64 {
	if len(x) != len(y) {
		panic(fmt.Sprintf("linalg: Dot of lengths %d and %d", len(x), len(y)))
	}
	return dot(x, y)
}

// Axpy computes y += alpha*x.
func Axpy(y []float64, alpha float64, x []float64) {
	if len(x) != len(y) {
		panic(fmt.Sprintf("linalg: Axpy of lengths %d and %d", len(y), len(x)))
	}
	axpy(y, alpha, x)
}

// Exp writes exp(src) to dst, which may be src. The error is below
// 0.9 ulp (portable kernels: that of math.Exp, 1.3 ulp). Results below the smallest normal number (src < -708.396) are 0; results
// above the largest are +Inf; NaN stays NaN.
func Exp(dst, src []float64) { ExpScaled(dst, 1, 1, src) }

// ExpScaled writes scale*exp(rate*src) to dst, which may be src: the radial
// kernels in one pass. The limits of Exp hold for rate*src.
func ExpScaled(dst []float64, scale, rate float64, src []float64) {
	if len(dst) != len(src) {
		panic(fmt.Sprintf("linalg: Exp of lengths %d and %d", len(dst), len(src)))
	}
	expScaled(dst, scale, rate, src)
}

// ColumnDistances writes |x - z_j|² to dst for the columns z_j of z, each a sum of squared
// differences in the order of the rows, the same on every path.
func ColumnDistances(dst, x []float64, z Matrix) {
	if len(dst) != z.Cols || len(x) != z.Rows {
		panic(fmt.Sprintf("linalg: ColumnDistances of %d results and %d coordinates with a %dx%d matrix", len(dst), len(x), z.Rows, z.Cols))
	}
	z.check()
	if len(dst) > 0 {
		columnDistances(dst, x, z)
	}
}

// Transpose writes the transpose of src to dst. They must not overlap.
func Transpose(dst, src Matrix) {
	if dst.Rows != src.Cols || dst.Cols != src.Rows {
		panic(fmt.Sprintf("linalg: Transpose of a %dx%d matrix into %dx%d", src.Rows, src.Cols, dst.Rows, dst.Cols))
	}
	dst.check()
	src.check()
	if src.Rows > 0 && src.Cols > 0 {
		transpose(dst.Data, dst.Stride, src.Data, src.Stride, src.Rows, src.Cols)
	}
}

// SquaredDistances writes |x_i - y_j|² to dst for the rows of x and y, as
// |x_i|² + |y_j|² - 2 x_i·y_j clamped at 0: the absolute error is about 1e-16
// of the squared norms. When x and y are the same view the diagonal is 0.
func SquaredDistances(dst, x, y Matrix) {
	GemmTB(dst, 0, -2, x, y)
	if dst.Rows == 0 || dst.Cols == 0 {
		return
	}
	s := getScratch()
	defer s.release()
	norms := s.take(y.Rows)
	for j := range norms {
		norms[j] = dot(y.Row(j), y.Row(j))
	}
	same := x.Rows == y.Rows && x.Stride == y.Stride && x.Cols > 0 && &x.Data[0] == &y.Data[0]
	for i := range dst.Rows {
		addClamp(dst.Row(i), dot(x.Row(i), x.Row(i)), norms)
		if same {
			dst.Set(i, i, 0)
		}
	}
}
