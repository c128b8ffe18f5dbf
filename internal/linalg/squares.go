package linalg

import "fmt"

// RowSquares computes dst[k] = sum_j w[j]*(x[j] - z_jk)², a weighted squared distance of x
// to each column of Z. No product is fused into a sum: the bytes are the same on all paths.
func RowSquares(dst, w, x []float64, z Matrix) {
	if len(dst) != z.Cols || len(w) != z.Rows || len(x) != z.Rows {
		panic(fmt.Sprintf("linalg: RowSquares of lengths %d, %d and %d and a %dx%d matrix", len(dst), len(w), len(x), z.Rows, z.Cols))
	}
	z.check()
	if z.Rows == 0 || z.Cols == 0 {
		clear(dst)
		return
	}
	rowSquares(dst, w, x, z)
}

// ColumnSquares computes dst[j] = sum_k w[k]*(x[j] - z_kj)², what RowSquares contributes to
// derivatives in its weights.
func ColumnSquares(dst, w, x []float64, z Matrix) {
	if len(dst) != z.Cols || len(w) != z.Rows || len(x) != z.Cols {
		panic(fmt.Sprintf("linalg: ColumnSquares of lengths %d, %d and %d and a %dx%d matrix", len(dst), len(w), len(x), z.Rows, z.Cols))
	}
	z.check()
	if z.Rows == 0 || z.Cols == 0 {
		clear(dst)
		return
	}
	columnSquares(dst, w, x, z)
}

func rowSquaresPortable(dst, w, x []float64, z Matrix) {
	clear(dst)
	for j, v := range x {
		for k, u := range z.Row(j) {
			dst[k] += float64(w[j] * (v - u) * (v - u))
		}
	}
}

func columnSquaresPortable(dst, w, x []float64, z Matrix) {
	clear(dst)
	for k, c := range w {
		for j, u := range z.Row(k) {
			dst[j] += float64(c * (x[j] - u) * (x[j] - u))
		}
	}
}
