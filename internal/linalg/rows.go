package linalg

import "fmt"

// AddRows computes dst += sum_k coef[k]*row(index[k]) for rows of m, which may be longer
// than dst. The bytes are those of Axpy with one row after the other.
func AddRows(dst, coef []float64, index []int, m Matrix) {
	checkRows("AddRows", dst, coef, index, m)
	if len(dst) > 0 && len(coef) > 0 {
		addRows(dst, coef, index, m)
	}
}

// DotRows computes dst[k] = x·row(index[k]) for rows of m, which may be longer than x. The
// bytes are those of Dot.
func DotRows(dst, x []float64, index []int, m Matrix) {
	checkRows("DotRows", x, dst, index, m)
	if len(x) == 0 {
		clear(dst)
	} else if len(dst) > 0 {
		rowDots(dst, x, index, m)
	}
}

// checkRows is for a vector along the rows and one with an element per index.
func checkRows(name string, along, each []float64, index []int, m Matrix) {
	if len(each) != len(index) || len(along) > m.Cols {
		panic(fmt.Sprintf("linalg: %s of %d elements, %d coefficients and %d rows of a %dx%d matrix",
			name, len(along), len(each), len(index), m.Rows, m.Cols))
	}
	m.check()
	for _, i := range index {
		if uint(i) >= uint(m.Rows) {
			panic(fmt.Sprintf("linalg: %s: row %d of a %dx%d matrix", name, i, m.Rows, m.Cols))
		}
	}
}

func rowDotsByDot(dst, x []float64, index []int, m Matrix) {
	for k, i := range index {
		dst[k] = dot(x, m.Row(i)[:len(x)])
	}
}

func addRowsByAxpy(dst, coef []float64, index []int, m Matrix) {
	for k, i := range index {
		axpy(dst, coef[k], m.Row(i)[:len(dst)])
	}
}

// ClampedRows computes dst = max(0, base + sum_k coef[k]*row(index[k]) + shift), with the sum
// of AddRows; NaN stays NaN.
func ClampedRows(dst, base, coef []float64, index []int, m Matrix, shift float64) {
	checkRows("ClampedRows", dst, coef, index, m)
	if len(base) != len(dst) {
		panic(fmt.Sprintf("linalg: ClampedRows of lengths %d and %d", len(dst), len(base)))
	}
	if len(dst) > 0 {
		clampedRows(dst, base, coef, index, m, shift)
	}
}

func clampedRowsByAxpy(dst, base, coef []float64, index []int, m Matrix, shift float64) {
	copy(dst, base)
	addRowsByAxpy(dst, coef, index, m)
	for i, v := range dst {
		dst[i] = max(0, v+shift)
	}
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
