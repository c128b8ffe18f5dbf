package lbfgsb

// The inner loops are plain Go with a fixed order of summation: the path of a run
// does not depend on the processor's vector width.

// dot returns x'y.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	var a, b, c, d float64
	for len(x) >= 4 {
		u, v := x[:4:4], y[:4:4]
		a += u[0] * v[0]
		b += u[1] * v[1]
		c += u[2] * v[2]
		d += u[3] * v[3]
		x, y = x[4:], y[4:]
	}
	for i, u := range x {
		a += u * y[i]
	}
	return (a + b) + (c + d)
}

// axpy adds a*x to dst.
func axpy(dst []float64, a float64, x []float64) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += a * x[i]
	}
}

// axpy2 adds a*x + b*y to dst.
func axpy2(dst []float64, a float64, x []float64, b float64, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] += a*x[i] + b*y[i]
	}
}

// dot2 returns x'v and y'v in one pass over v.
func dot2(x, y, v []float64) (xv, yv float64) {
	x, y = x[:len(v)], y[:len(v)]
	var a, b, c, d float64
	i := 0
	for ; i+1 < len(v); i += 2 {
		p, q := v[i], v[i+1]
		a += x[i] * p
		b += x[i+1] * q
		c += y[i] * p
		d += y[i+1] * q
	}
	if i < len(v) {
		a += x[i] * v[i]
		c += y[i] * v[i]
	}
	return a + b, c + d
}
