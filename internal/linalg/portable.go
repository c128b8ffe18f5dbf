package linalg

import "math"

// Tile of the portable kernels.
const (
	portableMR = 4
	portableNR = 8
)

// panelPortable computes C = beta*C + alpha*A*B for an m x n panel. Element
// (i,l) of A is a[i*ras+l*cas]. Every element of C is one sum in the order of
// l, whichever of the loops below it falls in.
func panelPortable(c []float64, ldc int, a []float64, ras, cas int, b []float64, ldb, m, n, k int, alpha, beta float64) {
	i := 0
	for ; i+2 <= m; i += 2 {
		j := 0
		for ; j+4 <= n; j += 4 {
			var s00, s01, s02, s03, s10, s11, s12, s13 float64
			ia, ib := i*ras, j
			for range k {
				r := b[ib : ib+4 : ib+4]
				x, y := a[ia], a[ia+ras]
				s00 += x * r[0]
				s01 += x * r[1]
				s02 += x * r[2]
				s03 += x * r[3]
				s10 += y * r[0]
				s11 += y * r[1]
				s12 += y * r[2]
				s13 += y * r[3]
				ia += cas
				ib += ldb
			}
			store(c[i*ldc+j:], alpha, beta, s00, s01, s02, s03)
			store(c[(i+1)*ldc+j:], alpha, beta, s10, s11, s12, s13)
		}
		for ; j < n; j++ {
			panelElement(c, i*ldc+j, a, i*ras, cas, b, j, ldb, k, alpha, beta)
			panelElement(c, (i+1)*ldc+j, a, (i+1)*ras, cas, b, j, ldb, k, alpha, beta)
		}
	}
	if i < m {
		for j := range n {
			panelElement(c, i*ldc+j, a, i*ras, cas, b, j, ldb, k, alpha, beta)
		}
	}
}

func store(c []float64, alpha, beta, s0, s1, s2, s3 float64) {
	c = c[:4:4]
	if beta == 0 {
		c[0], c[1], c[2], c[3] = alpha*s0, alpha*s1, alpha*s2, alpha*s3
		return
	}
	c[0] = beta*c[0] + alpha*s0
	c[1] = beta*c[1] + alpha*s1
	c[2] = beta*c[2] + alpha*s2
	c[3] = beta*c[3] + alpha*s3
}

// panelElement computes one element of panelPortable.
func panelElement(c []float64, ic int, a []float64, ia, cas int, b []float64, ib, ldb, k int, alpha, beta float64) {
	var s float64
	for range k {
		s += a[ia] * b[ib]
		ia += cas
		ib += ldb
	}
	if beta == 0 {
		c[ic] = alpha * s
		return
	}
	c[ic] = beta*c[ic] + alpha*s
}

// trianglePortable solves T*X = C in place for rows x n C whose row r starts
// at c[c0+r*ldc]; coef holds the lower triangle T, column after column, with
// the reciprocals of its diagonal.
func trianglePortable(c []float64, c0, ldc int, coef []float64, rows, n int) {
	for r := range rows {
		row := c[c0+r*ldc : c0+r*ldc+n]
		for s := range r {
			t := coef[s*rows+r]
			prev := c[c0+s*ldc : c0+s*ldc+n]
			for j, v := range prev {
				row[j] -= t * v
			}
		}
		t := coef[r*rows+r]
		for j := range row {
			row[j] *= t
		}
	}
}

// transposePortable writes dst[j*ldd+i] = src[i*lds+j], in blocks of 8 rows so
// that the lines of dst are filled while they are in the cache.
func transposePortable(dst []float64, ldd int, src []float64, lds, rows, cols int) {
	for i0 := 0; i0 < rows; i0 += 8 {
		i1 := min(i0+8, rows)
		for j := range cols {
			d := dst[j*ldd+i0 : j*ldd+i1]
			is := i0*lds + j
			for x := range d {
				d[x] = src[is]
				is += lds
			}
		}
	}
}

// factorPortable computes the factor U of the mr x mr matrix u (row stride
// ldu, upper triangle): row j of coef receives row j of U with 1/U[j,j] on the
// diagonal, pivots the squares of the diagonal, to be checked by the caller.
func factorPortable(coef, pivots, u []float64, ldu, mr int) {
	for j := range mr {
		copy(coef[j*mr+j:j*mr+mr], u[j*ldu+j:])
	}
	for j := range mr {
		row := coef[j*mr+j : j*mr+mr]
		pivots[j] = row[0]
		r := 1 / math.Sqrt(row[0])
		row[0] = r
		for i := 1; i < len(row); i++ {
			row[i] *= r
		}
		for i := 1; i < len(row); i++ {
			f := row[i]
			other := coef[(j+i)*mr+j+i:]
			for k, v := range row[i:] {
				other[k] -= f * v
			}
		}
	}
}

func dotPortable(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	y = y[:len(x)]
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 += x[i] * y[i]
		s1 += x[i+1] * y[i+1]
		s2 += x[i+2] * y[i+2]
		s3 += x[i+3] * y[i+3]
	}
	for ; i < len(x); i++ {
		s0 += x[i] * y[i]
	}
	return (s0 + s1) + (s2 + s3)
}

func axpyPortable(y []float64, alpha float64, x []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += alpha * v
	}
}

// expMin is the smallest argument whose exponential is a normal number.
const expMin = -708.3964185322641

func expPortable(dst []float64, scale, rate float64, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		v *= rate
		switch {
		case v < expMin:
			v = 0
		case v > 709 && v < 710:
			v = expTop(v)
		default:
			v = math.Exp(v)
		}
		dst[i] = scale * v
	}
}

// expTop is exp near the top of the range, where math.Exp on amd64 overflows
// too early: exp(x) = 2^64 exp(x - 64 log 2). The subtraction is exact.
func expTop(x float64) float64 {
	const (
		hi = 0x1.62e42fefa38p-1   // log 2, first 42 bits
		lo = 0x1.ef35793c7673p-45 // log 2, rest
	)
	return math.Exp(x-64*hi) * (1 - 64*lo) * 0x1p64
}

func columnDistancesPortable(dst, x []float64, z Matrix) {
	clear(dst)
	for a, xa := range x {
		for j, v := range z.Row(a)[:len(dst)] {
			dst[j] += float64((v - xa) * (v - xa)) // never fused
		}
	}
}

func addClampPortable(dst []float64, shift float64, y []float64) {
	y = y[:len(dst)]
	for i, v := range dst {
		dst[i] = max(0, v+(shift+y[i]))
	}
}
