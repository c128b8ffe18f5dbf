package linalg

import "fmt"

// AddRows computes dst += sum_k coef[k]*row(index[k]) for rows of m, which may be longer
// than dst. The bytes are those of Axpy with one row after the other.
func AddRows(dst, coef []float64, index []int, m Matrix) {
	if len(coef) != len(index) || len(dst) > m.Cols {
		panic(fmt.Sprintf("linalg: AddRows of %d elements, %d coefficients and %d rows of a %dx%d matrix",
			len(dst), len(coef), len(index), m.Rows, m.Cols))
	}
	m.check()
	for _, i := range index {
		if uint(i) >= uint(m.Rows) {
			panic(fmt.Sprintf("linalg: AddRows: row %d of a %dx%d matrix", i, m.Rows, m.Cols))
		}
	}
	if len(dst) > 0 && len(coef) > 0 {
		addRows(dst, coef, index, m)
	}
}

func addRowsByAxpy(dst, coef []float64, index []int, m Matrix) {
	for k, i := range index {
		axpy(dst, coef[k], m.Row(i)[:len(dst)])
	}
}

// AddClamp computes dst = max(0, dst + shift + y); NaN stays NaN.
func AddClamp(dst []float64, shift float64, y []float64) {
	if len(dst) != len(y) {
		panic(fmt.Sprintf("linalg: AddClamp of lengths %d and %d", len(dst), len(y)))
	}
	addClamp(dst, shift, y)
}

// AddProducts computes dst += x*y, element by element.
func AddProducts(dst, x, y []float64) {
	if len(dst) != len(x) || len(dst) != len(y) {
		panic(fmt.Sprintf("linalg: AddProducts of lengths %d, %d and %d", len(dst), len(x), len(y)))
	}
	addProducts(dst, x, y)
}

func addProductsPortable(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i, v := range x {
		dst[i] += v * y[i]
	}
}
