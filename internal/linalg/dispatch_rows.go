//go:build amd64 || arm64

package linalg

import "math"

func addRows(dst, coef []float64, index []int, m Matrix) {
	if active.path == portable {
		addRowsByAxpy(dst, coef, index, m)
		return
	}
	sumRows(dst, dst, coef, index, m, math.Copysign(0, -1), math.Inf(-1))
}

func clampedRows(dst, base, coef []float64, index []int, m Matrix, shift float64) {
	if active.path == portable {
		clampedRowsByAxpy(dst, base, coef, index, m, shift)
		return
	}
	sumRows(dst, base, coef, index, m, shift, 0)
}
