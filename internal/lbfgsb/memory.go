package lbfgsb

import "math"

// memory is the quadratic model B = theta*I - W M W' with W = [Y theta*S] and
//
//	M^-1 = [ -D   L'        ]
//	       [  L   theta*S'S ]
//
// Pairs are kept oldest first; small matrices are row-major with m columns.
type memory struct {
	m, col int         // most and current number of pairs
	theta  float64     //
	s, y   [][]float64 // rows of S and Y
	sy, ss []float64   // lower triangles of S'Y and S'S
	t      []float64   // upper Cholesky factor of theta*S'S + L D^-1 L'

	// The parts of the subspace matrix K that are sums over the free (Z) or the
	// active (A) variables, valid for the first known pairs and for the set kfree.
	yy, aa []float64 // lower triangles of Y'ZZ'Y and S'AA'S
	mix    []float64 // s_i'y_j over Z for i <= j, over A for i > j
	known  int
	kfree  []bool
	k      []float64 // factor of K, 2m columns
	ready  bool      // k belongs to the current pairs and to kfree
	yz, sa []float64 // newest pair with the active, the free variables zeroed
}

// size prepares the memory for n variables and m pairs and empties it.
func (w *memory) size(n, m int) {
	w.s, w.y = resizeRows(w.s, m, n), resizeRows(w.y, m, n)
	for _, v := range []*[]float64{&w.sy, &w.ss, &w.t, &w.yy, &w.aa, &w.mix} {
		*v = resize(*v, m*m)
	}
	w.k = resize(w.k, 4*m*m)
	w.kfree = resize(w.kfree, n)
	w.yz, w.sa = resize(w.yz, n), resize(w.sa, n)
	w.m = m
	w.reset()
}

func resizeRows(rows [][]float64, m, n int) [][]float64 {
	rows = resize(rows, m)
	for i := range rows {
		rows[i] = resize(rows[i], n)
	}
	return rows
}

// reset forgets all pairs: the model is that of steepest descent.
func (w *memory) reset() {
	w.col, w.theta, w.known, w.ready = 0, 1, 0, false
}

// update stores the pair of an accepted step along d. A pair without enough
// curvature is left out. It reports false when the new model is not positive
// definite.
func (w *memory) update(d, g, before []float64, st step) bool {
	sy := (st.slope - st.slope0) * st.length
	if sy <= -epsilon*st.slope0*st.length {
		return true
	}
	m := w.m
	if w.col == m {
		w.dropOldest()
	}
	c := w.col
	w.col++
	s, y := w.s[c], w.y[c]
	var yy float64
	for i := range y {
		s[i] = st.length * d[i]
		y[i] = g[i] - before[i]
		yy += y[i] * y[i]
	}
	w.theta = yy / sy
	for j := range c {
		w.sy[c*m+j], w.ss[c*m+j] = dot2(w.y[j], w.s[j], s)
	}
	w.ss[c*m+c] = st.length * st.length * st.dd
	w.sy[c*m+c] = sy
	w.ready = false
	return w.formT()
}

// dropOldest makes room for a pair.
func (w *memory) dropOldest() {
	m := w.m
	for _, rows := range [][][]float64{w.s, w.y} {
		oldest := rows[0]
		copy(rows, rows[1:])
		rows[m-1] = oldest
	}
	for _, a := range [][]float64{w.sy, w.ss, w.yy, w.aa, w.mix} {
		for i := range m - 1 {
			copy(a[i*m:i*m+m-1], a[(i+1)*m+1:(i+2)*m])
		}
	}
	w.col--
	w.known = max(w.known-1, 0)
}

// formT factors theta*S'S + L D^-1 L' = T'T.
func (w *memory) formT() bool {
	m := w.m
	for i := range w.col {
		for j := i; j < w.col; j++ {
			var sum float64
			for k := range i {
				sum += w.sy[i*m+k] * w.sy[j*m+k] / w.sy[k*m+k]
			}
			w.t[i*m+j] = sum + w.theta*w.ss[j*m+i]
		}
	}
	return cholesky(w.t, m, 0, w.col)
}

// mulM sets dst = M v through the factorisation
//
//	M^-1 = [ D^1/2       0 ] [ -I 0 ] [ D^1/2  -D^-1/2 L' ]
//	       [ -L D^-1/2   T'] [  0 I ] [ 0       T         ]
func (w *memory) mulM(dst, v []float64) bool {
	m, c := w.m, w.col
	p, q := dst[:c], dst[c:2*c]
	for i := range c {
		var sum float64
		for k := range i {
			sum += w.sy[i*m+k] * v[k] / w.sy[k*m+k]
		}
		q[i] = v[c+i] + sum
	}
	if !solveUpperT(w.t, m, q) || !solveUpper(w.t, m, q) {
		return false
	}
	for i := range c {
		var sum float64
		for k := i + 1; k < c; k++ {
			sum += w.sy[k*m+i] * q[k]
		}
		p[i] = (sum - v[i]) / w.sy[i*m+i]
	}
	return true
}

// factor brings the factor of the subspace matrix K up to date for a set of free
// variables. It reports false when K is not what theory promises.
func (w *memory) factor(free []bool) bool {
	if w.adjust(free) {
		w.ready = false
	}
	if w.ready {
		return true
	}
	for ; w.known < w.col; w.known++ {
		w.appendSums(w.known)
	}
	m, c, ld := w.m, w.col, 2*w.m
	for i := range c {
		for j := i; j < c; j++ {
			w.k[i*ld+j] = w.yy[j*m+i] / w.theta
			w.k[(c+i)*ld+c+j] = w.aa[j*m+i] * w.theta
		}
		w.k[i*ld+i] += w.sy[i*m+i]
		for j := range c { // s_i with y_j
			v := w.mix[i*m+j]
			if j < i {
				v = -v
			}
			w.k[j*ld+c+i] = v
		}
	}
	if !cholesky(w.k, ld, 0, c) {
		return false
	}
	// The second block becomes theta*S'AA'S + E'E, E the solved off-diagonal block.
	for j := c; j < 2*c; j++ {
		for i := range c {
			sum := w.k[i*ld+j]
			for l := range i {
				sum -= w.k[l*ld+i] * w.k[l*ld+j]
			}
			w.k[i*ld+j] = sum / w.k[i*ld+i]
		}
	}
	for i := c; i < 2*c; i++ {
		for j := i; j < 2*c; j++ {
			for l := range c {
				w.k[i*ld+j] += w.k[l*ld+i] * w.k[l*ld+j]
			}
		}
	}
	w.ready = cholesky(w.k, ld, c, c)
	return w.ready
}

// solveK solves K x = v in place.
func (w *memory) solveK(v []float64) bool {
	if !solveUpperT(w.k, 2*w.m, v) {
		return false
	}
	for i := range v[:w.col] {
		v[i] = -v[i]
	}
	return solveUpper(w.k, 2*w.m, v)
}

// adjust moves the terms of variables that changed side between the sums of the
// known pairs and reports whether there were any.
func (w *memory) adjust(free []bool) bool {
	m := w.m
	changed := false
	for i, f := range free {
		if f == w.kfree[i] {
			continue
		}
		w.kfree[i] = f
		changed = true
		sign := 1.0
		if !f {
			sign = -1
		}
		for a := range w.known {
			ya, sa := sign*w.y[a][i], sign*w.s[a][i]
			for b := range a + 1 {
				w.yy[a*m+b] += ya * w.y[b][i]
				w.aa[a*m+b] -= sa * w.s[b][i]
			}
			for b := range a {
				w.mix[a*m+b] -= sa * w.y[b][i]
			}
			for b := a; b < w.known; b++ {
				w.mix[a*m+b] += sa * w.y[b][i]
			}
		}
	}
	return changed
}

// appendSums adds pair c to the sums over the set kfree.
func (w *memory) appendSums(c int) {
	m := w.m
	active := false
	for i, f := range w.kfree {
		if f {
			w.yz[i], w.sa[i] = w.y[c][i], 0
		} else {
			w.yz[i], w.sa[i] = 0, w.s[c][i]
			active = true
		}
	}
	for j := range c + 1 {
		w.yy[c*m+j], w.mix[j*m+c] = dot2(w.y[j], w.s[j], w.yz)
	}
	for j := range c + 1 {
		var ya, sa float64
		if active {
			ya, sa = dot2(w.y[j], w.s[j], w.sa)
		}
		w.aa[c*m+j] = sa
		if j < c {
			w.mix[c*m+j] = ya
		}
	}
}

// cholesky factors the n x n block at (from, from) of a symmetric matrix, given by
// its upper triangle, as U'U in place.
func cholesky(a []float64, ld, from, n int) bool {
	for j := from; j < from+n; j++ {
		var square float64
		for k := from; k < j; k++ {
			v := a[k*ld+j]
			for l := from; l < k; l++ {
				v -= a[l*ld+k] * a[l*ld+j]
			}
			v /= a[k*ld+k]
			a[k*ld+j] = v
			square += v * v
		}
		// The negation also catches NaN.
		if square = a[j*ld+j] - square; !(square > 0) {
			return false
		}
		a[j*ld+j] = math.Sqrt(square)
	}
	return true
}

// solveUpperT solves U'x = b in place; false means a zero pivot.
func solveUpperT(u []float64, ld int, b []float64) bool {
	for j := range b {
		if u[j*ld+j] == 0 {
			return false
		}
		v := b[j]
		for i := range j {
			v -= u[i*ld+j] * b[i]
		}
		b[j] = v / u[j*ld+j]
	}
	return true
}

// solveUpper solves U x = b in place; false means a zero pivot.
func solveUpper(u []float64, ld int, b []float64) bool {
	for j := len(b) - 1; j >= 0; j-- {
		if u[j*ld+j] == 0 {
			return false
		}
		v := b[j]
		for i := j + 1; i < len(b); i++ {
			v -= u[j*ld+i] * b[i]
		}
		b[j] = v / u[j*ld+j]
	}
	return true
}
