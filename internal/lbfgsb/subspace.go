package lbfgsb

// subspace moves z from the Cauchy point to the minimiser of the model over the
// free variables, projected on the box. It reports false when M is singular.
func (w *Workspace) subspace() bool {
	col, theta := w.col, w.theta
	r := w.r
	// r = -Z'(g + theta*(z - x) - W M c), zero at the active variables.
	if !w.constrained {
		for i, g := range w.g {
			r[i] = -g
		}
	} else {
		for i, g := range w.g {
			r[i] = -theta*(w.z[i]-w.x[i]) - g
		}
		if !w.mulM(w.mv, w.c[:2*col]) {
			return false
		}
		for j := range col {
			axpy2(r, w.mv[j], w.y[j], theta*w.mv[col+j], w.s[j])
		}
		mask(r, w.free)
	}
	// d = r/theta + Z'W K^-1 W'Z r / theta^2, K being factored by memory.factor.
	v := w.mv[:2*col]
	for j := range col {
		yr, sr := dot2(w.y[j], w.s[j], r)
		v[j], v[col+j] = yr, theta*sr
	}
	if !w.solveK(v) {
		return false
	}
	for j := range col {
		axpy2(r, v[j]/theta, w.y[j], v[col+j], w.s[j])
	}
	for i, free := range w.free {
		if free {
			r[i] *= 1 / theta
		} else {
			r[i] = 0
		}
	}
	if !w.constrained {
		axpy(w.z, 1, r)
		return true
	}

	copy(w.cauchyX, w.z)
	touched := false
	var slope float64
	for i, z := range w.z {
		if w.free[i] {
			z = min(w.upper[i], max(w.lower[i], z+r[i]))
			w.z[i] = z
			touched = touched || z == w.lower[i] || z == w.upper[i]
		}
		slope += (z - w.x[i]) * w.g[i]
	}
	// The projected point may fail to be a descent direction; then stop at the first
	// bound on the straight way instead.
	if touched && slope > 0 {
		w.truncate()
	}
	return true
}

// truncate sets z to the Cauchy point plus the largest feasible part of the
// subspace step r.
func (w *Workspace) truncate() {
	copy(w.z, w.cauchyX)
	alpha, hit := 1.0, -1
	for i, d := range w.r {
		if !w.free[i] || d == 0 {
			continue
		}
		room := w.upper[i] - w.z[i]
		if d < 0 {
			room = w.lower[i] - w.z[i]
		}
		if a := room / d; a < alpha {
			alpha, hit = max(a, 0), i
		}
	}
	for i, d := range w.r {
		if w.free[i] {
			w.z[i] = min(w.upper[i], max(w.lower[i], w.z[i]+alpha*d))
		}
	}
	if hit >= 0 {
		w.z[hit] = w.upper[hit]
		if w.r[hit] < 0 {
			w.z[hit] = w.lower[hit]
		}
	}
}

// mask zeroes the entries of v that are not free.
func mask(v []float64, free []bool) {
	for i, f := range free {
		if !f {
			v[i] = 0
		}
	}
}
