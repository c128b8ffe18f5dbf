package candidate

import (
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
)

// qp minimises gᵀp + ½pᵀHp subject to |x + Up| <= 1 from p = 0, by the primal active-set
// method (Nocedal & Wright, algorithm 16.3). With H = LLᵀ and y = Lᵀp it is the point of
// the polytope nearest to -L⁻¹g. Whenever it stops, p is feasible and no worse than 0.
type qp struct {
	u linalg.Matrix // Uᵀ, rank x D

	target, y, dir []float64 // rank: -L⁻¹g, Lᵀp, direction
	dp             []float64 // rank: the direction in p
	up, du         []float64 // D: Up and U dp

	active  []bound
	working []bool        // D: constraint is active
	q       linalg.Matrix // orthonormal basis of the active normals, by rows
	r       linalg.Matrix // normal i = sum over k <= i of r(i,k) q(k)
	lambda  []float64     // multipliers
}

// bound is sign*(x + Up)_i <= 1.
type bound struct {
	i    int
	sign float64
}

func newQP(u linalg.Matrix) *qp {
	rank, high := u.Rows, u.Cols
	q := &qp{
		u: u, up: make([]float64, high), du: make([]float64, high), working: make([]bool, high),
		q: linalg.New(rank, rank), r: linalg.New(rank, rank),
	}
	for _, v := range []*[]float64{&q.target, &q.y, &q.dir, &q.dp, &q.lambda} {
		*v = make([]float64, rank)
	}
	return q
}

// solve fills p; l is the Cholesky factor of H.
func (q *qp) solve(p []float64, l linalg.Matrix, g, x []float64) {
	clear(p)
	clear(q.y)
	clear(q.up)
	q.release()
	for k, v := range g {
		q.target[k] = -v
	}
	linalg.SolveLowerVec(l, q.target)
	size := norm(q.target)
	for range 50 + 10*len(p) {
		for k, t := range q.target {
			q.dir[k] = t - q.y[k]
		}
		q.project()
		if !(norm(q.dir) > 1e-12*size) {
			if !q.relax(l) {
				return
			}
			continue
		}
		copy(q.dp, q.dir)
		linalg.SolveLowerTransVec(l, q.dp)
		combine(q.du, q.dp, q.u)
		alpha, blocking := q.reach(x)
		linalg.Axpy(q.y, alpha, q.dir)
		linalg.Axpy(p, alpha, q.dp)
		linalg.Axpy(q.up, alpha, q.du)
		if blocking.i >= 0 && !q.add(blocking, l) {
			return
		}
	}
}

// reach returns how far along the direction no constraint is crossed, at most 1, and the
// constraint in the way, if any. Rates that are rounding beside the largest are not.
func (q *qp) reach(x []float64) (alpha float64, blocking bound) {
	largest := 0.0
	for _, d := range q.du {
		largest = max(largest, math.Abs(d))
	}
	alpha, blocking = 1, bound{i: -1}
	for i, d := range q.du {
		if q.working[i] || !(math.Abs(d) > 1e-12*largest) {
			continue
		}
		sign := math.Copysign(1, d)
		if a := (1 - sign*(x[i]+q.up[i])) / math.Abs(d); a < alpha {
			alpha, blocking = a, bound{i, sign}
		}
	}
	return max(alpha, 0), blocking
}

// project removes from dir what the active constraints forbid, twice against rounding.
func (q *qp) project() {
	for range 2 {
		for k := range q.active {
			linalg.Axpy(q.dir, -linalg.Dot(q.dir, q.q.Row(k)), q.q.Row(k))
		}
	}
}

// add makes a constraint active: its normal sign*L⁻¹u_i joins the basis. It refuses one
// that depends on the others.
func (q *qp) add(b bound, l linalg.Matrix) bool {
	n := len(q.active)
	if n == q.q.Rows {
		return false
	}
	row, coef := q.q.Row(n), q.r.Row(n)
	for k := range row {
		row[k] = b.sign * q.u.At(k, b.i)
	}
	linalg.SolveLowerVec(l, row)
	length := norm(row)
	clear(coef)
	for range 2 {
		for k := range n {
			c := linalg.Dot(row, q.q.Row(k))
			coef[k] += c
			linalg.Axpy(row, -c, q.q.Row(k))
		}
	}
	coef[n] = norm(row)
	if !(coef[n] > 1e-10*length) {
		return false
	}
	for k := range row {
		row[k] /= coef[n]
	}
	q.active = append(q.active, b)
	q.working[b.i] = true
	return true
}

// relax drops the active constraint with the most negative multiplier, where
// target - y = sum_i lambda_i normal_i, and returns false when there is none: y is optimal.
func (q *qp) relax(l linalg.Matrix) bool {
	n := len(q.active)
	for k, t := range q.target {
		q.dir[k] = t - q.y[k]
	}
	worst, at := 0.0, -1
	for k := n - 1; k >= 0; k-- {
		q.lambda[k] = linalg.Dot(q.dir, q.q.Row(k))
		for i := k + 1; i < n; i++ {
			q.lambda[k] -= q.r.At(i, k) * q.lambda[i]
		}
		q.lambda[k] /= q.r.At(k, k)
		// Scaled by the length of the normal, multipliers compare with |target|.
		scaled := q.lambda[k] * norm(q.r.Row(k)[:k+1])
		if scaled < worst-1e-12*norm(q.target) {
			worst, at = scaled, k
		}
	}
	if at < 0 {
		return false
	}
	kept := append([]bound(nil), q.active...)
	q.release()
	for k, b := range kept {
		if k != at {
			q.add(b, l)
		}
	}
	return true
}

// release empties the active set.
func (q *qp) release() {
	for _, b := range q.active {
		q.working[b.i] = false
	}
	q.active = q.active[:0]
}

func norm(v []float64) float64 { return math.Sqrt(linalg.Dot(v, v)) }
