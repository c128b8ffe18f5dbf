package linalg

import (
	"fmt"
	"math"
	"testing"
)

// appendAlone adds one row by the formulas.
func appendAlone(l, inverse *Lower, n int, k []float64, own float64) {
	row := l.Row(n)
	copy(row, k)
	for i := range n {
		r := l.Row(i)
		row[i] = (row[i] - Dot(r[:i], row[:i])) / r[i]
	}
	row[n] = math.Sqrt(own - Dot(row[:n], row[:n]))
	last := inverse.Row(n)
	for j := range n {
		Axpy(last[:j+1], -row[j]/row[n], inverse.Row(j))
	}
	last[n] = 1 / row[n]
}

// Rows that are added together have the bytes of rows that are added alone, and are those of a factor and its inverse.
func TestAppendLower(t *testing.T) {
	for _, c := range []struct{ n, rows int }{{0, 1}, {0, 20}, {1, 7}, {70, 16}, {100, 8}, {130, 33}, {lowerRows - 5, 40}} {
		t.Run(fmt.Sprint(c.n, "+", c.rows), func(t *testing.T) {
			size := c.n + c.rows
			x := make([]float64, size)
			for i := range x {
				x[i] = math.Mod(float64(i)*0.6180339887, 1)
			}
			at := func(i, j int) float64 { return math.Exp(-30 * (x[i] - x[j]) * (x[i] - x[j])) }
			var l, inverse [2]*Lower
			for v := range 2 {
				l[v], inverse[v] = NewLower(size), NewLower(size)
			}
			for n := range size {
				k := make([]float64, n)
				for j := range k {
					k[j] = at(n, j)
				}
				appendAlone(l[0], inverse[0], n, k, 1.01)
			}
			for n := 0; n < size; {
				rows := 1
				if n >= c.n {
					rows = c.rows
				}
				k := New(rows, n+rows)
				for i := range rows {
					for j := range n + i {
						k.Set(i, j, at(n+i, j))
					}
				}
				AppendLower(l[1], inverse[1], n, k, 1.01, 1e-6)
				n += rows
			}
			for i := range size {
				var sum float64
				for j := range i + 1 {
					if l[0].At(i, j) != l[1].At(i, j) || inverse[0].At(i, j) != inverse[1].At(i, j) {
						t.Fatalf("element %d, %d is %v and %v, alone %v and %v", i, j, l[1].At(i, j), inverse[1].At(i, j), l[0].At(i, j), inverse[0].At(i, j))
					}
					sum += l[1].At(i, j) * inverse[1].At(j, 0)
				}
				if want := float64(1 - min(i, 1)); math.Abs(sum-want) > 1e-9 {
					t.Errorf("L times its inverse has %g in row %d", sum, i)
				}
			}
		})
	}
}
