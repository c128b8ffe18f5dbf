package linalg

import (
	"fmt"
	"math"
)

// AppendRow extends a factor by one row. L is (n+1)x(n+1), its leading n x n
// block is a factor of K; the last row becomes that of the factor of
// [K k; kᵀ kk]. On failure the error is a *NotPositiveDefiniteError and the
// last row is arbitrary.
func AppendRow(l Matrix, k []float64, kk float64) error {
	n := l.Rows - 1
	if l.Rows != l.Cols || len(k) != n {
		panic(fmt.Sprintf("linalg: AppendRow of %d covariances to a %dx%d view", len(k), l.Rows, l.Cols))
	}
	l.check()
	row := l.Row(n)
	copy(row, k)
	if n > 0 {
		SolveLowerVec(l.Slice(0, n, 0, n), row[:n])
	}
	d := kk - Dot(row[:n], row[:n])
	if !(d > 0) || d > math.MaxFloat64 {
		return &NotPositiveDefiniteError{Pivot: n, Value: d}
	}
	row[n] = math.Sqrt(d)
	return nil
}

// RemoveRow turns the factor of K into that of K without row and column i and
// returns its (n-1)x(n-1) view. With column i below the pivot called v, the
// rows behind i satisfy L'L'ᵀ = LLᵀ + vvᵀ.
func RemoveRow(l Matrix, i int) Matrix {
	n := l.Rows
	if l.Rows != l.Cols || i < 0 || i >= n {
		panic(fmt.Sprintf("linalg: RemoveRow %d of a %dx%d factor", i, l.Rows, l.Cols))
	}
	l.check()
	s := getScratch()
	defer s.release()
	buf := s.take(3 * n)
	v := buf[:n-1-i]
	for r := i + 1; r < n; r++ {
		v[r-i-1] = l.At(r, i)
		copy(l.Row(r - 1)[:i], l.Row(r)[:i])
		copy(l.Row(r - 1)[i:r], l.Row(r)[i+1:r+1])
	}
	rotate(l.Slice(i, n-1, i, n-1), v, buf[n:])
	return l.Slice(0, n-1, 0, n-1)
}

// UpdateRankOne replaces L by the factor of L*Lᵀ + v*vᵀ. v is not changed.
func UpdateRankOne(l Matrix, v []float64) {
	checkVector(l, v)
	s := getScratch()
	defer s.release()
	buf := s.take(3 * len(v))
	copy(buf, v)
	rotate(l, buf[:len(v)], buf[len(v):])
}

// rotate applies the Givens rotations that turn [L v] into [L' 0]; v is
// destroyed, cs is scratch for the cosines and sines. Row r needs rotation j
// after row j is done, so rows go in order; within a row each step waits for
// the one before, so four rows run together.
func rotate(l Matrix, v, cs []float64) {
	n := l.Rows
	c, s := cs[:n], cs[n:2*n]
	for r0 := 0; r0 < n; r0 += 4 {
		if r0 > 0 && r0+4 <= n {
			rotateRows(l, v, c, s, r0)
		} else {
			for r := r0; r < min(r0+4, n); r++ {
				v[r] = rotateRow(l.Row(r)[:r0], v[r], c, s)
			}
		}
		for r := r0; r < min(r0+4, n); r++ {
			row := l.Row(r)
			v[r] = rotateRow(row[r0:r], v[r], c[r0:], s[r0:])
			h := math.Hypot(row[r], v[r])
			c[r], s[r] = row[r]/h, v[r]/h
			row[r] = h
		}
	}
}

func rotateRow(row []float64, v float64, c, s []float64) float64 {
	c, s = c[:len(row)], s[:len(row)]
	for j, x := range row {
		row[j] = c[j]*x + s[j]*v
		v = c[j]*v - s[j]*x
	}
	return v
}

// rotateRows is rotateRow for the rows r0..r0+3 and the columns before r0.
func rotateRows(l Matrix, v, c, s []float64, r0 int) {
	a, b := l.Row(r0)[:r0], l.Row(r0 + 1)[:r0]
	d, e := l.Row(r0 + 2)[:r0], l.Row(r0 + 3)[:r0]
	va, vb, vd, ve := v[r0], v[r0+1], v[r0+2], v[r0+3]
	c, s = c[:r0], s[:r0]
	for j, cj := range c {
		sj := s[j]
		xa, xb, xd, xe := a[j], b[j], d[j], e[j]
		a[j], b[j], d[j], e[j] = cj*xa+sj*va, cj*xb+sj*vb, cj*xd+sj*vd, cj*xe+sj*ve
		va, vb, vd, ve = cj*va-sj*xa, cj*vb-sj*xb, cj*vd-sj*xd, cj*ve-sj*xe
	}
	v[r0], v[r0+1], v[r0+2], v[r0+3] = va, vb, vd, ve
}

// DowndateRankOne replaces L by the factor of L*Lᵀ - v*vᵀ. v is not changed.
// If that matrix is not positive definite L is unchanged and the error is a
// *NotPositiveDefiniteError with Value = 1 - vᵀ(L*Lᵀ)⁻¹v and Pivot = n.
//
// With p = L⁻¹v, the rotations that turn (sqrt(1-|p|²), p) into (1, 0) turn
// [0 L] into [v L'] (Stewart, LINPACK xCHDD).
func DowndateRankOne(l Matrix, v []float64) error {
	checkVector(l, v)
	n := len(v)
	sc := getScratch()
	defer sc.release()
	buf := sc.take(3 * n)
	p, c, s := buf[:n], buf[n:2*n], buf[2*n:]
	copy(p, v)
	SolveLowerVec(l, p)
	rho2 := 1 - Dot(p, p)
	if !(rho2 > 0) {
		return &NotPositiveDefiniteError{Pivot: n, Value: rho2}
	}
	rho := math.Sqrt(rho2)
	for i := n - 1; i >= 0; i-- {
		h := math.Hypot(rho, p[i])
		c[i], s[i] = rho/h, p[i]/h
		rho = h
	}
	for r := 0; r < n; r += 4 {
		unrotate(l, c, s, r, min(r+4, n))
	}
	return nil
}

// unrotate applies the rotations of DowndateRankOne to the rows r0..r1-1, at
// most four: from the diagonal to column r0 one by one, then together.
func unrotate(l Matrix, c, s []float64, r0, r1 int) {
	var t [4]float64
	for r := r0; r < r1; r++ {
		t[r-r0] = unrotateRow(l.Row(r), 0, c, s, r, r0)
	}
	if r1 < r0+4 {
		for r := r0; r < r1; r++ {
			unrotateRow(l.Row(r), t[r-r0], c, s, r0-1, 0)
		}
		return
	}
	a, b, d, e := l.Row(r0), l.Row(r0+1), l.Row(r0+2), l.Row(r0+3)
	ta, tb, td, te := t[0], t[1], t[2], t[3]
	for i := r0 - 1; i >= 0; i-- {
		ci, si := c[i], s[i]
		xa, xb, xd, xe := a[i], b[i], d[i], e[i]
		a[i], b[i], d[i], e[i] = ci*xa-si*ta, ci*xb-si*tb, ci*xd-si*td, ci*xe-si*te
		ta, tb, td, te = ci*ta+si*xa, ci*tb+si*xb, ci*td+si*xd, ci*te+si*xe
	}
}

// unrotateRow goes from column i down to column last.
func unrotateRow(row []float64, t float64, c, s []float64, i, last int) float64 {
	for ; i >= last; i-- {
		x := row[i]
		row[i] = c[i]*x - s[i]*t
		t = c[i]*t + s[i]*x
	}
	return t
}
