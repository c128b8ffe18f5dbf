package polytope

import (
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Entry is a coefficient of a row, or of a column.
type Entry struct {
	Index int
	A     float64
}

// Polytope is Au <= b with rows of length 1.
type Polytope struct {
	Rows    [][]Entry // by row: Index is the column
	Of      [][]Entry // by column: Index is the row
	B       []float64
	entries int // of all rows
}

// New makes the polytope of some rows over so many columns.
func New(columns int, rows [][]Entry, b []float64) *Polytope {
	p := &Polytope{Rows: rows, Of: make([][]Entry, columns), B: b}
	for i, entries := range rows {
		p.entries += len(entries)
		for _, e := range entries {
			p.Of[e.Index] = append(p.Of[e.Index], Entry{i, e.A})
		}
	}
	return p
}

// Projection finds the point U of {Au <= b, lo <= u <= hi} nearest to a target t by the dual
// active-set method (Goldfarb & Idnani 1983). It keeps u the nearest point to t of the
// constraints that are active, with multipliers
//
//	t - u = sum over active rows of lambda_i a_i + sum over columns at a bound of nu_j side_j e_j,
//
// none negative, and takes in the constraint that is exceeded most until none is. An active
// bound only takes its column out of the free ones F, so the linear systems, A_F A_Fᵀ over
// active rows, have the size of these. The distance to t grows with every constraint taken
// in: the method ends, with u or with rows that contradict each other.
type Projection struct {
	p *Polytope
	B []float64 // a copy of the polytope's, to be changed

	target, lo, hi []float64
	U              []float64

	active []int     // rows
	lambda []float64 // beside active
	side   []float64 // by column: 0 in F, 1 at hi, -1 at lo
	held   []bool    // lo is hi: not in F whatever its multiplier
	nu     []float64
	L      linalg.Matrix // factor of A_F A_Fᵀ, in store
	store  linalg.Matrix
	age    int // changes of L since it was computed anew

	r, z     []float64 // the direction
	before   []float64 // u before the last constraint
	Blocking []int     // rows that contradict each other, after a failure
	Work     int       // operations done since it was made, roughly
}

// halfspace is a constraint c·u <= d with |c| = 1: a row, or with row < 0 a bound, where c is
// side*e_column.
type halfspace struct {
	row, column int
	side        float64
}

const (
	// Exceeded is by how much a constraint may be, and barely by how much where less is
	// not possible: the set is then empty by rounding alone.
	Exceeded = 1e-11
	barely   = 5e-10
	// dependent is the length below which a normal depends on the active ones.
	dependent = 1e-8
)

// NewProjection makes one for any number of targets.
func NewProjection(p *Polytope) *Projection {
	n := len(p.Of)
	q := &Projection{p: p, B: slices.Clone(p.B), held: make([]bool, n)}
	for _, v := range []*[]float64{&q.U, &q.side, &q.nu, &q.z, &q.before} {
		*v = make([]float64, n)
	}
	return q
}

// Solve fills U and says whether there is such a point.
func (q *Projection) Solve(target, lo, hi []float64) bool {
	q.target, q.lo, q.hi = target, lo, hi
	q.active, q.lambda, q.Blocking = q.active[:0], q.lambda[:0], q.Blocking[:0]
	q.L = linalg.Matrix{}
	q.age = 0
	q.Work += 1000
	for j, t := range target {
		q.U[j] = min(max(t, lo[j]), hi[j])
		q.nu[j] = math.Abs(t - q.U[j])
		q.side[j] = sign(t - q.U[j])
		q.held[j] = lo[j] == hi[j]
	}
	for range 100 + 10*(len(q.U)+len(q.B)) {
		q.refine()
		c, excess := q.worst()
		if excess <= Exceeded {
			return true
		}
		copy(q.before, q.U)
		if !q.enforce(c) {
			copy(q.U, q.before)
			return excess <= barely
		}
	}
	return false
}

func sign(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// free says that column j is in F.
func (q *Projection) free(j int) bool { return q.side[j] == 0 && !q.held[j] }

// excess is c·u - d.
func (q *Projection) excess(c halfspace) float64 {
	switch {
	case c.row >= 0:
		s := -q.B[c.row]
		for _, e := range q.p.Rows[c.row] {
			s += e.A * q.U[e.Index]
		}
		return s
	case c.side > 0:
		return q.U[c.column] - q.hi[c.column]
	}
	return q.lo[c.column] - q.U[c.column]
}

// worst returns the constraint that is exceeded most, active ones apart.
func (q *Projection) worst() (c halfspace, excess float64) {
	q.Work += q.p.entries + len(q.U)
	try := func(other halfspace) {
		if v := q.excess(other); v > excess {
			c, excess = other, v
		}
	}
	for j := range q.U {
		if q.free(j) {
			try(halfspace{-1, j, 1})
			try(halfspace{-1, j, -1})
		}
	}
	for i := range q.B {
		try(halfspace{row: i})
	}
	return c, excess
}

// enforce takes a constraint in: its multiplier mu grows from 0, u moves along -z and the
// other multipliers along -r, until the constraint holds; one whose multiplier would get
// negative on the way leaves the active ones. It returns false when nothing stops mu.
func (q *Projection) enforce(c halfspace) bool {
	mu := 0.0
	for range 10 + 2*(len(q.U)+len(q.B)) {
		q.direction(c)
		zz := 0.0
		for j, z := range q.z {
			if q.free(j) {
				zz += z * z
			}
		}
		full := math.Inf(1)
		if zz > dependent*dependent {
			full = max(q.excess(c), 0) / zz // c·z = |z_F|²
		}
		step, leaving := q.reach()
		if math.IsInf(min(full, step), 1) {
			q.contradict(c)
			return false
		}
		q.move(min(full, step))
		mu += min(full, step)
		if full <= step {
			q.take(c, mu)
			return true
		}
		q.leave(leaving)
	}
	return false
}

// direction computes r = (A_F A_Fᵀ)⁻¹ A_F c_F over active rows, and z = c - Aᵀr: on F what
// of c the active rows leave, elsewhere times side how fast nu falls. The second pass is
// against rounding.
func (q *Projection) direction(c halfspace) {
	clear(q.z)
	if c.row >= 0 {
		for _, e := range q.p.Rows[c.row] {
			q.z[e.Index] = e.A
		}
	} else {
		q.z[c.column] = c.side
	}
	q.r = append(q.r[:0], make([]float64, len(q.active))...)
	if len(q.active) == 0 {
		return
	}
	d := make([]float64, len(q.active))
	for range 2 {
		for k, i := range q.active {
			d[k] = 0
			for _, e := range q.p.Rows[i] {
				if q.free(e.Index) {
					d[k] += e.A * q.z[e.Index]
				}
			}
		}
		linalg.SolveLowerVec(q.L, d)
		linalg.SolveLowerTransVec(q.L, d)
		for k, i := range q.active {
			q.r[k] += d[k]
			for _, e := range q.p.Rows[i] {
				q.z[e.Index] -= d[k] * e.A
			}
		}
	}
}

// negligible is a rate at which no multiplier falls.
const negligible = 1e-12

// reach returns for which step the first multiplier is 0, and whose it is.
func (q *Projection) reach() (step float64, leaving halfspace) {
	step = math.Inf(1)
	for k, r := range q.r {
		if r > negligible && q.lambda[k]/r < step {
			step, leaving = q.lambda[k]/r, halfspace{row: q.active[k]}
		}
	}
	for j, side := range q.side {
		if rate := side * q.z[j]; rate > negligible && !q.held[j] && q.nu[j]/rate < step {
			step, leaving = q.nu[j]/rate, halfspace{-1, j, side}
		}
	}
	return step, leaving
}

func (q *Projection) move(step float64) {
	for k, r := range q.r {
		q.lambda[k] = max(0, q.lambda[k]-step*r)
	}
	for j, z := range q.z {
		if q.free(j) {
			q.U[j] -= step * z
		} else {
			q.nu[j] = max(0, q.nu[j]-step*q.side[j]*z)
		}
	}
}

func (q *Projection) take(c halfspace, multiplier float64) {
	if c.row >= 0 {
		q.active = append(q.active, c.row)
		q.lambda = append(q.lambda, multiplier)
		q.appendRow()
		return
	}
	j := c.column
	q.side[j], q.nu[j] = c.side, multiplier
	q.U[j] = q.lo[j]
	if c.side > 0 {
		q.U[j] = q.hi[j]
	}
	// The column leaves F: A_F A_Fᵀ loses vvᵀ.
	if v := q.column(j); v != nil && linalg.DowndateRankOne(q.L, v) != nil || q.stale() {
		q.factorise()
	}
}

func (q *Projection) leave(c halfspace) {
	if c.row < 0 {
		q.side[c.column], q.nu[c.column] = 0, 0
		if v := q.column(c.column); v != nil {
			linalg.UpdateRankOne(q.L, v)
		}
	} else {
		k := slices.Index(q.active, c.row)
		q.active, q.lambda = slices.Delete(q.active, k, k+1), slices.Delete(q.lambda, k, k+1)
		q.L = linalg.RemoveRow(q.L, k)
		q.Work += len(q.active) * len(q.active)
	}
	if q.stale() {
		q.factorise()
	}
}

// column returns column j of the active rows, or nil if it is 0.
func (q *Projection) column(j int) []float64 {
	v := make([]float64, len(q.active))
	zero := true
	for _, e := range q.p.Of[j] {
		if k := slices.Index(q.active, e.Index); k >= 0 {
			v[k], zero = e.A, false
		}
	}
	if zero {
		return nil
	}
	q.Work += len(v) * len(v)
	return v
}

// stale says, once in a hundred changes, that rounding should be removed from L.
func (q *Projection) stale() bool {
	q.age++
	return q.age >= 100
}

// appendRow extends L by the last active row.
func (q *Projection) appendRow() {
	n := len(q.active)
	if n > q.store.Rows {
		store := linalg.New(2*n, 2*n)
		for k := range n - 1 {
			copy(store.Row(k), q.L.Row(k))
		}
		q.store = store
	}
	q.L = q.store.Slice(0, n, 0, n)
	products := make([]float64, n)
	q.products(products, n-1)
	if linalg.AppendRow(q.L, products[:n-1], products[n-1]) != nil || q.stale() {
		q.factorise()
	}
}

// products fills dst with the inner products over F of active row k and the rows up to it.
func (q *Projection) products(dst []float64, k int) {
	clear(q.z)
	for _, e := range q.p.Rows[q.active[k]] {
		if q.free(e.Index) {
			q.z[e.Index] = e.A
		}
	}
	for l, i := range q.active[:k+1] {
		dst[l] = 0
		for _, e := range q.p.Rows[i] {
			dst[l] += e.A * q.z[e.Index]
		}
		q.Work += len(q.p.Rows[i])
	}
}

// factorise computes L anew. The active normals are independent, if barely: the ladder of
// jitters is for that, and refine for what the jitter leaves.
func (q *Projection) factorise() {
	q.age = 0
	n := len(q.active)
	if n == 0 {
		return
	}
	q.Work += n * n * n / 3
	G := linalg.New(n, n)
	for k := range n {
		q.products(G.Row(k), k)
		for l := range k {
			G.Set(l, k, G.At(k, l))
		}
	}
	if _, err := linalg.CholeskyJitter(q.L, G, linalg.DefaultLadder(G)); err != nil {
		for k := range n { // no column is free: what is solved with L is 0
			clear(q.L.Row(k))
			q.L.Set(k, k, 1)
		}
	}
}

// refine moves u back to where the active rows hold exactly.
func (q *Projection) refine() {
	if len(q.active) == 0 {
		return
	}
	d := make([]float64, len(q.active))
	for k, i := range q.active {
		d[k] = q.excess(halfspace{row: i})
	}
	linalg.SolveLowerVec(q.L, d)
	linalg.SolveLowerTransVec(q.L, d)
	for k, i := range q.active {
		q.lambda[k] = max(0, q.lambda[k]+d[k])
		for _, e := range q.p.Rows[i] {
			if j := e.Index; q.free(j) {
				q.U[j] -= d[k] * e.A
			} else {
				q.nu[j] = max(0, q.nu[j]-q.side[j]*d[k]*e.A)
			}
		}
	}
}

// contradict notes the rows that cannot hold together with c: with weights 1 for c and
// -r for the active ones their sum exceeds its bound everywhere between lo and hi.
func (q *Projection) contradict(c halfspace) {
	if c.row >= 0 {
		q.Blocking = append(q.Blocking, c.row)
	}
	for k, r := range q.r {
		if r < -1e-6 {
			q.Blocking = append(q.Blocking, q.active[k])
		}
	}
}
