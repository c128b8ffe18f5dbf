package space

import (
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
)

// projection finds the point of {Au <= b, lo <= u <= hi} nearest to a target t, by its dual
//
//	maximise g(lambda) = min over lo <= u <= hi of |u-t|²/2 + lambda·(Au - b), lambda >= 0,
//
// where the minimum is at u = clip(t - Aᵀlambda) and the gradient of g is Au - b. Hildreth's
// method maximises g exactly in one multiplier after the other, which converges for every
// feasible set; Newton steps in the positive multipliers, with Hessian -A_F A_Fᵀ over the
// columns F off their bounds, end it once these are the right ones. g is bounded by the
// largest |u-t|²/2 in the box if and only if the set is not empty.
type projection struct {
	p *polytope
	b []float64

	target, lo, hi []float64
	lambda         []float64
	y, u           []float64 // t - Aᵀlambda, and clipped
}

// exceeded is by how much a row of length 1 may be exceeded.
const exceeded = 1e-11

func newProjection(p *polytope) *projection {
	n, m := len(p.columns), len(p.rows)
	return &projection{
		p: p, b: make([]float64, m), lambda: make([]float64, m),
		y: make([]float64, n), u: make([]float64, n),
	}
}

// solve fills u and says whether it is in the set.
func (q *projection) solve(target, lo, hi []float64) bool {
	q.target, q.lo, q.hi = target, lo, hi
	clear(q.lambda)
	q.refresh()
	for i := range q.b {
		if q.lowest(i) > q.b[i]+exceeded {
			q.lambda[i] = 1
			return false
		}
	}
	ceiling := 0.0
	for j, t := range target {
		far := max(t-lo[j], hi[j]-t)
		ceiling += 0.5 * far * far
	}
	for range 1000 {
		for i := range q.b {
			q.ascend(i)
		}
		q.refresh()
		if q.residual() <= exceeded {
			return true
		}
		q.newton()
		if q.residual() <= exceeded {
			return true
		}
		if q.value() > ceiling+1e-9*(1+ceiling) {
			return false
		}
	}
	for i := range q.b { // feasible, though perhaps not the nearest
		if q.excess(i) > exceeded {
			return false
		}
	}
	return true
}

// refresh computes y and u from lambda.
func (q *projection) refresh() {
	copy(q.y, q.target)
	for i, row := range q.p.rows {
		if q.lambda[i] == 0 {
			continue
		}
		for _, e := range row {
			q.y[e.index] -= q.lambda[i] * e.a
		}
	}
	for j, y := range q.y {
		q.u[j] = min(max(y, q.lo[j]), q.hi[j])
	}
}

// excess is (Au - b)_i.
func (q *projection) excess(i int) float64 {
	s := 0.0
	for _, e := range q.p.rows[i] {
		s += e.a * q.u[e.index]
	}
	return s - q.b[i]
}

// lowest is the least (Au)_i between the bounds.
func (q *projection) lowest(i int) (s float64) {
	for _, e := range q.p.rows[i] {
		s += min(e.a*q.lo[e.index], e.a*q.hi[e.index])
	}
	return s
}

// residual is the largest violation of the conditions of optimality: no row is exceeded,
// and a row with a positive multiplier is kept exactly.
func (q *projection) residual() (worst float64) {
	for i, l := range q.lambda {
		r := q.excess(i)
		if l > 0 {
			r = math.Abs(r)
		}
		worst = max(worst, r)
	}
	return worst
}

// value is g(lambda).
func (q *projection) value() (g float64) {
	for j, u := range q.u {
		d := u - q.target[j]
		g += 0.5 * d * d
	}
	for i, l := range q.lambda {
		if l > 0 {
			g += l * q.excess(i)
		}
	}
	return g
}

// ascend maximises g in lambda_i: with lambda_i + step the excess
//
//	phi(step) = a_i·clip(y - step a_i) - b_i
//
// falls, piecewise linearly; its root is found by Newton steps within a bracket.
func (q *projection) ascend(i int) {
	row := q.p.rows[i]
	low, high := -q.lambda[i], math.Inf(1)
	step := 0.0
	phi, slope := q.along(row, i, step)
	if phi <= 0 {
		if q.lambda[i] == 0 {
			return
		}
		high = 0
		if atLow, _ := q.along(row, i, low); atLow <= 0 {
			q.move(i, low)
			return
		}
	} else {
		low, high = 0, q.furthest(row)
	}
	for range 100 {
		if phi > 0 {
			low = step
		} else {
			high = step
		}
		next := step + phi/slope
		if !(next > low && next < high) {
			next = 0.5 * (low + high)
		}
		if math.Abs(phi) <= 0.1*exceeded || next == low || next == high {
			break
		}
		step = next
		phi, slope = q.along(row, i, step)
	}
	q.move(i, step)
}

// along returns phi(step) and its falling slope.
func (q *projection) along(row []entry, i int, step float64) (phi, slope float64) {
	phi = -q.b[i]
	for _, e := range row {
		y := q.y[e.index] - step*e.a
		u := min(max(y, q.lo[e.index]), q.hi[e.index])
		phi += e.a * u
		if u == y {
			slope += e.a * e.a
		}
	}
	return phi, slope
}

// furthest is the step from which on all columns of a row are at their bounds.
func (q *projection) furthest(row []entry) (step float64) {
	for _, e := range row {
		bound := q.lo[e.index]
		if e.a < 0 {
			bound = q.hi[e.index]
		}
		step = max(step, (q.y[e.index]-bound)/e.a)
	}
	return step
}

// move adds a step to lambda_i.
func (q *projection) move(i int, step float64) {
	if step <= -q.lambda[i] {
		step = -q.lambda[i]
	}
	q.lambda[i] += step
	for _, e := range q.p.rows[i] {
		j := e.index
		q.y[j] -= step * e.a
		q.u[j] = min(max(q.y[j], q.lo[j]), q.hi[j])
	}
}

// newton solves for the positive multipliers as if the columns at their bounds stayed
// there, and keeps what raises g or, where g is flat to rounding, lowers the residual.
func (q *projection) newton() {
	var active []int
	for i, l := range q.lambda {
		if l > 0 {
			active = append(active, i)
		}
	}
	n := len(active)
	if n == 0 {
		return
	}
	H := q.hessian(active)
	L := linalg.New(n, n)
	if _, err := linalg.CholeskyJitter(L, H, linalg.DefaultLadder(H)); err != nil {
		return
	}
	d := make([]float64, n)
	for k, i := range active {
		d[k] = q.excess(i)
	}
	linalg.SolveLowerVec(L, d)
	linalg.SolveLowerTransVec(L, d)

	before := append([]float64(nil), q.lambda...)
	g, residual := q.value(), q.residual()
	for step := 1.0; step > 0.1; step *= 0.5 {
		for k, i := range active {
			q.lambda[i] = max(0, before[i]+step*d[k])
		}
		q.refresh()
		if v := q.value(); v > g+1e-12*math.Abs(g) || v > g-1e-12*math.Abs(g) && q.residual() < 0.5*residual {
			return
		}
	}
	copy(q.lambda, before)
	q.refresh()
}

// hessian is A_F A_Fᵀ over active rows and columns off their bounds.
func (q *projection) hessian(active []int) linalg.Matrix {
	H := linalg.New(len(active), len(active))
	dense := make([]float64, len(q.u))
	for k, i := range active {
		for _, e := range q.p.rows[i] {
			if j := e.index; q.y[j] > q.lo[j] && q.y[j] < q.hi[j] {
				dense[j] = e.a
			}
		}
		for l := range k + 1 {
			s := 0.0
			for _, e := range q.p.rows[active[l]] {
				s += e.a * dense[e.index]
			}
			H.Set(k, l, s)
			H.Set(l, k, s)
		}
		for _, e := range q.p.rows[i] {
			dense[e.index] = 0
		}
	}
	return H
}

// contradiction returns the rows with a part in the proof that the set is empty: their
// sum with the multipliers as weights exceeds its bound everywhere in the box.
func (q *projection) contradiction() (rows []int) {
	largest := 0.0
	for _, l := range q.lambda {
		largest = max(largest, l)
	}
	for i, l := range q.lambda {
		if l > 1e-6*largest {
			rows = append(rows, i)
		}
	}
	return rows
}
