package strategy

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/gp"
	"github.com/mahabo/mahabo/internal/linalg"
)

// candidateSet holds points of a box that agree with its centre except in a few
// coordinates. Candidate i has the coordinates coord[first[i]:first[i+1]] changed
// to value[...].
type candidateSet struct {
	centre, lower, upper []float64
	first                []int
	coord                []int
	value                []float64
	moved                linalg.Matrix // differences from the centre in length-scales, once they are wanted
}

// newCandidateSet returns an empty set with room for count candidates.
func newCandidateSet(count int, centre, lower, upper []float64) *candidateSet {
	changes := count * min(turboPerturbed+1, len(centre))
	return &candidateSet{
		centre: centre, lower: lower, upper: upper,
		first: make([]int, 1, count+1), coord: make([]int, 0, changes), value: make([]float64, 0, changes),
	}
}

func (c *candidateSet) len() int { return len(c.first) - 1 }

// add appends the candidate that has the coordinates of the mask from u, a point of
// [-1,1]^D that is scaled to the box.
func (c *candidateSet) add(u []float64, mask []int) {
	for _, j := range mask {
		c.coord = append(c.coord, j)
		c.value = append(c.value, c.lower[j]+(c.upper[j]-c.lower[j])*(u[j]+1)/2)
	}
	c.first = append(c.first, len(c.coord))
}

// full says whether every candidate has all coordinates changed, in order.
func (c *candidateSet) full() bool { return len(c.coord) == c.len()*len(c.centre) }

// moves returns the differences of a full set from the centre in length-scales, one row per
// candidate. All calls are to have the same scales.
func (c *candidateSet) moves(scales []float64) linalg.Matrix {
	if c.moved.Rows == 0 {
		c.moved = linalg.New(c.len(), len(c.centre))
		for i := range c.len() {
			row := c.moved.Row(i)
			_, value := c.changes(i)
			for j, v := range value {
				row[j] = (v - c.centre[j]) / scales[j]
			}
		}
	}
	return c.moved
}

// changes returns the changed coordinates of candidate i and their values.
func (c *candidateSet) changes(i int) (coord []int, value []float64) {
	return c.coord[c.first[i]:c.first[i+1]], c.value[c.first[i]:c.first[i+1]]
}

// point returns candidate i in [-1,1]^D; what it shares with the centre it shares
// to the last bit.
func (r *trustRegion) point(c *candidateSet, i int) Point {
	x := slices.Clone(r.x[r.best])
	coord, value := c.changes(i)
	for k, j := range coord {
		x[j] = 2*value[k] - 1
	}
	return x
}

// Sampling costs: jointCandidates are drawn with all their correlations, groups of
// sampleGroup share one triangular solve. Rows of a group lie sampleStride apart: a power
// of two would put them into the same cache sets.
const (
	jointCandidates = 64
	sampleGroup     = 128
	sampleStride    = sampleGroup + 8
)

// sample draws the noisy posterior at all candidates, slots times, in the units of
// the values told.
//
// The covariance of 5000 candidates is too large to factor every round. A sample is
// drawn in two steps: the jointCandidates most promising ones (lowest mean - 3 std)
// jointly and exactly; each of the others from its exact distribution given the
// data and those, independently of its like. Every mean and variance and every
// covariance with a promising candidate is then exact; what is lost is the
// correlation of two unpromising candidates beyond what data and promising
// candidates explain. With up to jointCandidates candidates the sample is exact.
//
//	data       L Lᵀ = K(X,X) + noise,  W = L⁻¹ K(X,.),  zeta = L⁻¹ (y - mean)
//	promising  M Mᵀ = C(S,S) + noise,  C = K(S,.) - W_Sᵀ W,  V = M⁻¹ C
//	sample     mean + Wᵀ zeta + Vᵀ xi + sqrt(s + noise - |w|² - |v|²) epsilon
//
// with xi and epsilon standard normal; in S it is mean + Wᵀ zeta + M xi.
//
// room is scratch memory, kept for the next call.
func (r *trustRegion) sample(c *candidateSet, slots int, rnd *rand.Rand, room *[]float64) (samples [][]float64, jitter float64, err error) {
	y, median, std := r.standardised()
	p := &localPosterior{hyper: r.fitted.hyper, set: c, count: c.len()}
	p.makeRoom(r.in.Len(), room)
	if jitter, err = p.condition(r.in, y); err != nil {
		return nil, jitter, err
	}
	more, err := p.chooseJoint(min(jointCandidates, p.count))
	if err != nil {
		return nil, max(jitter, more), err
	}
	samples = p.draw(slots, rnd)
	for _, s := range samples {
		for i, v := range s {
			s[i] = median + std*v
		}
	}
	return samples, max(jitter, more), nil
}

// localPosterior is the posterior at a set of candidates.
type localPosterior struct {
	hyper    gp.Hyper
	set      *candidateSet
	count    int
	w        []linalg.Matrix // n x count, in groups of columns
	mean     []float64
	variance []float64     // with noise, given the data
	joint    []int         // S
	wS       linalg.Matrix // n x |S|
	factor   linalg.Matrix
	anchors  *anchors // S
}

// makeRoom lays the groups of w out one after the other; their content is arbitrary.
func (p *localPosterior) makeRoom(n int, room *[]float64) {
	groups, size := (p.count+sampleGroup-1)/sampleGroup, n*sampleStride
	if len(*room) < groups*size {
		*room = make([]float64, groups*size*5/4)
	}
	p.w = make([]linalg.Matrix, groups)
	for g := range p.w {
		cols := min(sampleGroup, p.count-g*sampleGroup)
		p.w[g] = linalg.Matrix{Rows: n, Cols: cols, Stride: sampleStride, Data: (*room)[g*size : (g+1)*size]}
	}
}

// condition computes mean and variance of all candidates given the data.
func (p *localPosterior) condition(in *gp.Inputs, y []float64) (jitter float64, err error) {
	n := in.Len()
	data := newAnchors(p.set, p.hyper.LengthScales, n)
	for k := range n {
		for j, v := range in.At(k) {
			data.put(k, j, v)
		}
	}
	k := linalg.New(n, n)
	linalg.GemmTA(k, 0, -2, data.delta, data.delta)
	for i := range n {
		row := k.Row(i)[:i+1]
		for l := range row {
			row[l] = max(row[l]+data.norm2[i]+data.norm2[l], 0)
		}
		row[i] = 0
		p.hyper.Covariances(row)
		row[i] += p.hyper.NoiseVariance
	}
	l := linalg.New(n, n)
	if jitter, err = linalg.CholeskyJitter(l, k, linalg.DefaultLadder(k)); err != nil {
		return jitter, err
	}
	zeta := make([]float64, n)
	for i, v := range y {
		zeta[i] = v - p.hyper.Mean
	}
	linalg.SolveLowerVec(l, zeta)

	p.mean, p.variance = make([]float64, p.count), make([]float64, p.count)
	for i := range p.count {
		p.mean[i], p.variance[i] = p.hyper.Mean, p.hyper.OutputScale+p.hyper.NoiseVariance
	}
	rows := linalg.New(sampleGroup, n)
	for g, group := range p.w {
		from := g * sampleGroup
		to := from + group.Cols
		data.covariances(group, rows, p.hyper, from)
		linalg.SolveLower(l, group)
		for i, z := range zeta {
			row := group.Row(i)
			linalg.Axpy(p.mean[from:to], z, row)
			subtractSquares(p.variance[from:to], row)
		}
	}
	return jitter, nil
}

// subtractSquares computes dst -= row².
func subtractSquares(dst, row []float64) {
	for i, v := range row {
		dst[i] -= v * v
	}
}

// chooseJoint picks the count candidates that can become lowest and factors their
// covariance.
func (p *localPosterior) chooseJoint(count int) (jitter float64, err error) {
	bound := make([]float64, p.count)
	for i := range bound {
		bound[i] = p.mean[i] - 3*math.Sqrt(max(p.variance[i], 0))
	}
	p.joint = lowestPlaces(bound, count)
	p.anchors = newAnchors(p.set, p.hyper.LengthScales, count)
	for a, i := range p.joint {
		coord, value := p.set.changes(i)
		for k, j := range coord {
			p.anchors.put(a, j, value[k])
		}
	}
	cov := linalg.New(count, count)
	p.wS = p.columns(p.joint)
	for a, i := range p.joint {
		p.anchors.distances(cov.Row(a), i)
		p.hyper.Covariances(cov.Row(a))
	}
	linalg.GemmTA(cov, 1, -1, p.wS, p.wS)
	for a := range count {
		cov.Set(a, a, cov.At(a, a)+p.hyper.NoiseVariance)
	}
	p.factor = linalg.New(count, count)
	return linalg.CholeskyJitter(p.factor, cov, linalg.DefaultLadder(cov))
}

// lowestPlaces returns the places of the count lowest values in increasing order, the earlier
// of equal ones first.
func lowestPlaces(values []float64, count int) []int {
	order := make([]int, 0, count+1)
	for i, v := range values {
		if len(order) == count && !cmp.Less(v, values[order[count-1]]) {
			continue
		}
		k := len(order)
		for k > 0 && cmp.Less(v, values[order[k-1]]) {
			k--
		}
		order = slices.Insert(order, k, i)
		order = order[:min(len(order), count)]
	}
	return order
}

// columns gathers columns of w.
func (p *localPosterior) columns(index []int) linalg.Matrix {
	n := p.w[0].Rows
	out := linalg.New(n, len(index))
	for a, i := range index {
		group, column := p.w[i/sampleGroup], i%sampleGroup
		for k := range n {
			out.Set(k, a, group.At(k, column))
		}
	}
	return out
}

// draw returns slots samples of standardised values.
func (p *localPosterior) draw(slots int, rnd *rand.Rand) [][]float64 {
	count := len(p.joint)
	xi := linalg.New(slots, count)
	for i := range xi.Data {
		xi.Data[i] = rnd.NormFloat64()
	}
	samples := make([][]float64, slots)
	for s := range samples {
		samples[s] = slices.Clone(p.mean)
	}
	if count < p.count {
		p.drawOthers(samples, xi, rnd)
	}
	// In S the sample is mean + M xi.
	for s := range samples {
		for a, i := range p.joint {
			samples[s][i] = p.mean[i] + linalg.Dot(p.factor.Row(a)[:a+1], xi.Row(s)[:a+1])
		}
	}
	return samples
}

// drawOthers draws every candidate given the joint ones.
func (p *localPosterior) drawOthers(samples [][]float64, xi linalg.Matrix, rnd *rand.Rand) {
	slots, count := len(samples), len(p.joint)
	v, shift := linalg.New(count, sampleGroup), linalg.New(slots, sampleGroup)
	rows, rest := linalg.New(sampleGroup, count), make([]float64, sampleGroup)
	for g, w := range p.w {
		from := g * sampleGroup
		to := from + w.Cols
		group, moved := v.Slice(0, count, 0, to-from), shift.Slice(0, slots, 0, to-from)
		p.anchors.covariances(group, rows, p.hyper, from)
		linalg.GemmTA(group, 1, -1, p.wS, w)
		linalg.SolveLower(p.factor, group)
		linalg.Gemm(moved, 0, 1, xi, group)
		copy(rest, p.variance[from:to])
		for a := range count {
			subtractSquares(rest[:to-from], group.Row(a))
		}
		for s, sample := range samples {
			for i, m := range moved.Row(s) {
				sample[from+i] += m + math.Sqrt(max(rest[i], 0))*rnd.NormFloat64()
			}
		}
	}
}

// anchors are points whose covariances with all candidates are wanted, as
// differences from the centre in length-scales. A candidate differs from the centre
// in few coordinates, so with its differences d_j
//
//	r² = |d|² + |delta|² - 2 sum_j d_j delta_j
//
// costs as many operations as it has changes.
type anchors struct {
	set    *candidateSet
	scales []float64
	delta  linalg.Matrix // D x anchors
	norm2  []float64
	zeros  []float64
	steps  []float64     // scratch, D
	points linalg.Matrix // delta transposed, once it is wanted
}

func newAnchors(set *candidateSet, scales []float64, count int) *anchors {
	return &anchors{
		set: set, scales: scales, delta: linalg.New(len(scales), count),
		norm2: make([]float64, count), zeros: make([]float64, count), steps: make([]float64, len(scales)),
	}
}

// put sets coordinate j of anchor a, which lies on the centre until then.
func (n *anchors) put(a, j int, value float64) {
	d := (value - n.set.centre[j]) / n.scales[j]
	n.delta.Set(j, a, d)
	n.norm2[a] += d * d
}

// distances fills dst with r² of candidate i and the anchors.
func (n *anchors) distances(dst []float64, i int) {
	copy(dst, n.norm2)
	coord, value := n.set.changes(i)
	own, steps := 0.0, n.steps[:len(coord)]
	for k, j := range coord {
		d := (value[k] - n.set.centre[j]) / n.scales[j]
		own += d * d
		steps[k] = -2 * d
	}
	linalg.AddRows(dst, steps, coord, n.delta)
	linalg.AddClamp(dst, own, n.zeros)
}

// covariances fills a group, one column per candidate from the given one on. rows is
// scratch for one row per candidate.
func (n *anchors) covariances(group, rows linalg.Matrix, h gp.Hyper, from int) {
	if n.set.full() {
		n.distancesFull(group, from)
	} else {
		rows = rows.Slice(0, group.Cols, 0, group.Rows)
		for i := range group.Cols {
			n.distances(rows.Row(i), from+i)
		}
		linalg.Transpose(group, rows)
	}
	for a := range group.Rows {
		h.Covariances(group.Row(a))
	}
}

// distancesFull fills a group with r² where every candidate has all coordinates changed:
// one product.
func (n *anchors) distancesFull(group linalg.Matrix, from int) {
	if n.points.Rows == 0 {
		n.points = linalg.New(n.delta.Cols, n.delta.Rows)
		linalg.Transpose(n.points, n.delta)
	}
	linalg.SquaredDistances(group, n.points, n.set.moves(n.scales).Slice(from, from+group.Cols, 0, len(n.scales)))
}
