package turbo

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"github.com/mahabo/mahabo/internal/parallel"
)

// Sampling costs: jointCandidates are drawn with all their correlations, groups of
// sampleGroup share one triangular solve. Rows of a group lie sampleStride apart: a power
// of two would put them into the same cache sets.
const (
	jointCandidates = 64
	sampleGroup     = 128
	sampleStride    = sampleGroup + 8
)

// sampleReach is the number of standard deviations below its mean where no sample is
// expected: a normal number gets there with probability 1e-12.
const sampleReach = 7

// sampleMargin is far above the rounding of standardised values.
const sampleMargin = 1e-6

// standings are the lowest values of each slot so far, in increasing order. Earlier slots
// take at most one candidate each, so the winner of slot s is among its s+1 lowest.
type standings [][]float64

// limit is what a value of slot s has to be below to matter.
func (l standings) limit(s int) float64 {
	if len(l[s]) <= s {
		return math.Inf(1)
	}
	return l[s][s]
}

// enter counts one more value of slot s.
func (l standings) enter(s int, v float64) {
	if v < l.limit(s) {
		k, _ := slices.BinarySearch(l[s], v)
		l[s] = slices.Insert(l[s], k, v)[:min(len(l[s])+1, s+1)]
	}
}

// sample draws the noisy posterior at the candidates, once for each slot of the standings,
// in the units of the values told. A candidate that cannot win a slot is +Inf there.
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
func (r *trustRegion) sample(c *candidateSet, rnd *rand.Rand, best standings, room *[]float64) (samples [][]float64, jitter float64, err error) {
	data := dataAnchors(r.cfg.Threads, c, r.in)
	if r.fitted.data == nil {
		if r.fitted.data, err = r.factorise(data); err != nil {
			return nil, 0, err
		}
	}
	d := r.fitted.data
	p := &localPosterior{
		threads: r.cfg.Threads, hyper: r.fitted.hyper, set: c, count: c.len(), median: d.median, std: d.std, best: best,
		together: min(jointCandidates, c.len()),
	}
	p.makeRoom(r.in.Len(), room)
	p.condition(d, data)
	samples, jitter, err = p.draw(rnd)
	return samples, max(jitter, d.jitter), err
}

// conditioned is what the data of a fit give to every sample.
type conditioned struct {
	median, std float64 // of the values told
	l           linalg.Matrix
	zeta        []float64
	jitter      float64
}

// factorise computes L and zeta from the anchors at the data.
func (r *trustRegion) factorise(data *anchors) (*conditioned, error) {
	n, hyper := r.in.Len(), r.fitted.hyper
	k := linalg.New(n, n)
	data.between(k)
	for i := range n {
		row := k.Row(i)[:i+1]
		hyper.Covariances(row)
		row[i] += hyper.NoiseVariance
	}
	d := &conditioned{l: linalg.New(n, n)}
	var err error
	if d.jitter, err = linalg.CholeskyJitter(d.l, k, linalg.DefaultLadder(k)); err != nil {
		return nil, err
	}
	d.zeta, d.median, d.std = r.standardised()
	for i := range d.zeta {
		d.zeta[i] -= hyper.Mean
	}
	linalg.SolveLowerVec(d.l, d.zeta)
	return d, nil
}

// localPosterior is the posterior at a set of candidates.
type localPosterior struct {
	threads     int
	hyper       lingp.Hyper
	set         *candidateSet
	count       int
	together    int     // |S|
	median, std float64 // of the values told
	best        standings

	places   []int           // of all candidates
	w        []linalg.Matrix // n x count, in groups of columns
	mean     []float64
	variance []float64 // with noise, given the data

	xi, epsilon linalg.Matrix // one row per slot
	joint       []int         // S
	wS          linalg.Matrix // n x |S|
	factor      linalg.Matrix
	anchors     *anchors // S
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
	p.places = make([]int, p.count)
	for i := range p.places {
		p.places[i] = i
	}
}

// condition computes mean and variance of all candidates given the data at the anchors.
func (p *localPosterior) condition(d *conditioned, data *anchors) {
	p.mean, p.variance = make([]float64, p.count), make([]float64, p.count)
	for i := range p.count {
		p.mean[i], p.variance[i] = p.hyper.Mean, p.hyper.OutputScale+p.hyper.NoiseVariance
	}
	data.distancesTo(p.w, p.places)
	parallel.For(p.threads, len(p.w), func(_, g int) {
		group, from := p.w[g], g*sampleGroup
		to := from + group.Cols
		p.covariances(group)
		linalg.SolveLower(d.l, group)
		for i, z := range d.zeta {
			row := group.Row(i)
			linalg.Axpy(p.mean[from:to], z, row)
			subtractSquares(p.variance[from:to], row)
		}
	})
}

// covariances replaces r² by covariances.
func (p *localPosterior) covariances(r2 linalg.Matrix) {
	for a := range r2.Rows {
		p.hyper.Covariances(r2.Row(a))
	}
}

// subtractSquares computes dst -= row².
func subtractSquares(dst, row []float64) {
	for i, v := range row {
		dst[i] -= v * v
	}
}

// draw returns one sample for each slot, in the units of the values told.
func (p *localPosterior) draw(rnd *rand.Rand) (samples [][]float64, jitter float64, err error) {
	p.drawNormals(rnd)
	samples = make([][]float64, len(p.best))
	for s := range samples {
		samples[s] = slices.Repeat([]float64{math.Inf(1)}, p.count)
	}
	groups := p.hopefulGroups()
	if len(groups) == 0 {
		return samples, 0, nil
	}
	if jitter, err = p.chooseJoint(); err != nil {
		return nil, jitter, err
	}
	p.drawJoint(samples)
	if p.together < p.count {
		p.drawOthers(samples, p.hopefulOthers(groups, samples))
	}
	return samples, jitter, nil
}

// drawJoint draws S.
func (p *localPosterior) drawJoint(samples [][]float64) {
	for s := range samples {
		for a, i := range p.joint {
			p.put(samples, s, i, p.mean[i]+linalg.Dot(p.factor.Row(a)[:a+1], p.xi.Row(s)[:a+1]))
		}
	}
}

// put stores a standardised value.
func (p *localPosterior) put(samples [][]float64, s, i int, v float64) {
	samples[s][i] = p.median + p.std*v
	p.best.enter(s, samples[s][i])
}

// drawNormals draws all random numbers, whatever becomes of them.
func (p *localPosterior) drawNormals(rnd *rand.Rand) {
	slots := len(p.best)
	p.xi, p.epsilon = linalg.New(slots, p.together), linalg.New(slots, p.count)
	for i := range p.xi.Data {
		p.xi.Data[i] = rnd.NormFloat64()
	}
	if p.together == p.count {
		return
	}
	for from := 0; from < p.count; from += sampleGroup {
		for s := range slots {
			row := p.epsilon.Row(s)[from:min(from+sampleGroup, p.count)]
			for i := range row {
				row[i] = rnd.NormFloat64()
			}
		}
	}
}

// limit is that of the standings, standardised and with a margin.
func (p *localPosterior) limit(s int) float64 {
	return (p.best.limit(s)-p.median)/p.std + sampleMargin
}

// hopefulGroups returns the groups in which some candidate can fall below the limit of a
// slot. A sample is mean + std e·(xi, epsilon) with a unit vector e, so it is not below
// mean - std |(xi, epsilon)|; and e·(xi, epsilon) is a normal number.
func (p *localPosterior) hopefulGroups() (groups []int) {
	hopeful := make([]bool, len(p.w))
	for s := range p.best {
		limit, xi2 := p.limit(s), linalg.Dot(p.xi.Row(s), p.xi.Row(s))
		for i, e := range p.epsilon.Row(s) {
			if d := p.mean[i] - limit; d <= 0 || d*d <= p.variance[i]*min(xi2+e*e, sampleReach*sampleReach) {
				hopeful[i/sampleGroup] = true
			}
		}
	}
	for g, is := range hopeful {
		if is {
			groups = append(groups, g)
		}
	}
	return groups
}

// hopefulOthers returns the candidates of these groups, outside S, whose sample can be
// below the limit of a slot. With beta = M⁻ᵀ xi,
//
//	Vᵀ xi = Cᵀ beta = K(S,.)ᵀ beta - Wᵀ W_S beta
//
// needs no solve for a candidate, and std bounds the factor of epsilon.
func (p *localPosterior) hopefulOthers(groups []int, samples [][]float64) []int {
	slots, count := len(p.best), len(p.joint)
	beta, u := linalg.New(slots, count), linalg.New(slots, p.wS.Rows)
	copy(beta.Data, p.xi.Data)
	for s := range slots {
		linalg.SolveLowerTransVec(p.factor, beta.Row(s))
	}
	linalg.GemmTB(u, 0, 1, beta, p.wS)
	limits := make([]float64, slots)
	for s := range limits {
		limits[s] = p.limit(s)
	}
	rooms := make([]linalg.Matrix, max(p.threads, 1)) // of the threads that get a group
	found := make([][]int, len(groups))
	parallel.For(p.threads, len(groups), func(worker, k int) {
		g := groups[k]
		w, from := p.w[g], g*sampleGroup
		if rooms[worker].Rows == 0 {
			rooms[worker] = linalg.New(count+slots, sampleGroup)
		}
		room := rooms[worker]
		group, moved := room.Slice(0, count, 0, w.Cols), room.Slice(count, count+slots, 0, w.Cols)
		p.anchors.distancesToGroup(worker, group, p.places[from:])
		p.covariances(group)
		linalg.Gemm(moved, 0, 1, beta, group)
		linalg.Gemm(moved, 1, -1, u, w)
		for i := from; i < from+w.Cols; i++ {
			if !math.IsInf(samples[0][i], 1) {
				continue // of S
			}
			std := math.Sqrt(max(p.variance[i], 0))
			for s, limit := range limits {
				if p.mean[i]+moved.At(s, i-from)+min(p.epsilon.At(s, i), 0)*std < limit {
					found[k] = append(found[k], i)
					break
				}
			}
		}
	})
	return slices.Concat(found...)
}

// drawOthers draws these candidates given the joint ones.
func (p *localPosterior) drawOthers(samples [][]float64, others []int) {
	slots, count := len(samples), len(p.joint)
	v, shift := linalg.New(count, sampleGroup), linalg.New(slots, sampleGroup)
	rest := make([]float64, sampleGroup)
	for index := range slices.Chunk(others, sampleGroup) {
		group, moved := v.Slice(0, count, 0, len(index)), shift.Slice(0, slots, 0, len(index))
		p.anchors.distancesToGroup(0, group, index)
		p.covariances(group)
		linalg.GemmTA(group, 1, -1, p.wS, p.columns(index))
		linalg.SolveLower(p.factor, group)
		linalg.Gemm(moved, 0, 1, p.xi, group)
		for k, i := range index {
			rest[k] = p.variance[i]
		}
		for a := range count {
			subtractSquares(rest[:len(index)], group.Row(a))
		}
		for s := range slots {
			for k, i := range index {
				p.put(samples, s, i, p.mean[i]+(moved.At(s, k)+math.Sqrt(max(rest[k], 0))*p.epsilon.At(s, i)))
			}
		}
	}
}

// chooseJoint picks the candidates of S, that can become lowest, and factors their
// covariance.
func (p *localPosterior) chooseJoint() (jitter float64, err error) {
	count := p.together
	bound := make([]float64, p.count)
	for i := range bound {
		bound[i] = p.mean[i] - 3*math.Sqrt(max(p.variance[i], 0))
	}
	p.joint = lowestPlaces(bound, count)
	p.anchors = candidateAnchors(p.threads, p.set, p.joint)
	cov := linalg.New(count, count)
	p.wS = p.columns(p.joint)
	for a, i := range p.joint {
		p.anchors.distances(cov.Row(a), i, 0)
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
