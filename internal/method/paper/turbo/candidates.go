package turbo

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/design"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"github.com/mahabo/mahabo/internal/parallel"
	"github.com/mahabo/mahabo/strategy"
)

// drawCandidates perturbs the centres of the regions: one scrambled Sobol point
// gives every region one candidate, with masks of their own. The sets, one per region, are
// emptied first. Every thread has some of the regions, and all points.
func drawCandidates(threads int, sets []candidateSet, regions []*trustRegion, dim int, stream func(string, int) *rand.Rand) error {
	parts := max(1, min(threads, len(regions)))
	failures := make([]error, parts)
	parallel.For(parts, parts, func(_, part int) {
		from, to := part*len(regions)/parts, (part+1)*len(regions)/parts
		failures[part] = drawSome(sets[from:to], regions[from:to], dim, stream)
	})
	return errors.Join(failures...)
}

// drawSome is drawCandidates on one thread.
func drawSome(sets []candidateSet, regions []*trustRegion, dim int, stream func(string, int) *rand.Rand) error {
	points, err := design.NewSequence(dim, stream("turbo candidates", 0))
	if err != nil {
		return err
	}
	masks := make([]*mask, len(regions))
	perturbed := min(turboPerturbed/float64(dim), 1)
	for a, region := range regions {
		centre, lower, upper := region.box()
		sets[a].reset(centre, lower, upper, region.fitted.hyper.LengthScales)
		masks[a] = newMask(dim, perturbed, stream("turbo mask", region.index))
	}
	u := make([]float64, dim)
	for range min(turboPerDim*dim, turboMaxCandidates) {
		for a := range sets {
			coords := masks[a].draw()
			points.Peek(u, coords)
			sets[a].add(u, coords)
		}
		points.Skip(1)
	}
	return nil
}

// candidateSet holds points of a box that agree with its centre except in a few
// coordinates. Candidate i has the coordinates coord[first[i]:first[i+1]] changed
// to value[...].
type candidateSet struct {
	centre, lower, upper []float64
	scales               []float64
	first                []int
	coord                []int
	value                []float64
	move                 []float64 // differences of the values from the centre in length-scales
	norm2                []float64 // of a candidate: the sum of their squares
}

// reset empties the set and keeps its memory.
func (c *candidateSet) reset(centre, lower, upper, scales []float64) {
	c.centre, c.lower, c.upper, c.scales = centre, lower, upper, scales
	c.first = append(c.first[:0], 0)
	c.coord, c.value, c.move, c.norm2 = c.coord[:0], c.value[:0], c.move[:0], c.norm2[:0]
}

func (c *candidateSet) len() int { return len(c.norm2) }

// add appends the candidate whose coordinates of the mask are those of u, numbers of
// [-1,1] that are scaled to the box.
func (c *candidateSet) add(u []float64, mask []int) {
	from, to := len(c.coord), len(c.coord)+len(mask)
	c.coord = append(c.coord, mask...)
	c.value = slices.Grow(c.value, len(mask))[:to]
	c.move = slices.Grow(c.move, len(mask))[:to]
	value, move := c.value[from:], c.move[from:]
	norm2 := 0.0
	for k, j := range mask {
		v := c.lower[j] + (c.upper[j]-c.lower[j])*(u[k]+1)/2
		d := (v - c.centre[j]) / c.scales[j]
		value[k], move[k] = v, d
		norm2 += d * d
	}
	c.first, c.norm2 = append(c.first, to), append(c.norm2, norm2)
}

// full says whether every candidate has all coordinates changed, in order.
func (c *candidateSet) full() bool { return len(c.coord) == c.len()*len(c.centre) }

// changes returns the changed coordinates of candidate i, their values and their moves.
func (c *candidateSet) changes(i int) (coord []int, value, move []float64) {
	from, to := c.first[i], c.first[i+1]
	return c.coord[from:to], c.value[from:to], c.move[from:to]
}

// point returns candidate i in [-1,1]^D; what it shares with the centre it shares
// to the last bit.
func (r *trustRegion) point(c *candidateSet, i int) strategy.Point {
	x := slices.Clone(r.x[r.best])
	coord, value, _ := c.changes(i)
	for k, j := range coord {
		x[j] = 2*value[k] - 1
	}
	return x
}

// anchors are points whose covariances with all candidates are wanted. A candidate
// differs from the centre in few coordinates, so with its differences d_j in
// length-scales and those of an anchor, delta_j,
//
//	r² = |d|² + |delta|² - 2 sum_j d_j delta_j
//
// costs as many operations as it has changes.
type anchors struct {
	set   *candidateSet
	steps linalg.Matrix // -2 delta, D x anchors
	norm2 []float64
	delta linalg.Matrix   // anchors x D, for full sets
	parts []linalg.Matrix // scratch of a thread: distances of a group of candidates to a block of anchors, or a full group
}

// anchorBlock is the number of anchors whose steps stay in the cache while candidates pass.
const anchorBlock = 64

func newAnchors(threads int, set *candidateSet, count int) *anchors {
	stride := (count + 7) / 8 * 8 // rows start on cache lines
	dim := len(set.centre)
	return &anchors{
		set:   set,
		steps: linalg.Matrix{Rows: dim, Cols: count, Stride: stride, Data: make([]float64, dim*stride)},
		norm2: make([]float64, count),
		parts: make([]linalg.Matrix, max(threads, 1)),
	}
}

// dataAnchors are the points of in.
func dataAnchors(threads int, set *candidateSet, in *lingp.Inputs) *anchors {
	n := newAnchors(threads, set, in.Len())
	x := in.XT()
	for j, c := range set.centre {
		steps := n.steps.Row(j)
		for k, v := range x.Row(j) {
			d := (v - c) / set.scales[j]
			steps[k] = -2 * d
			n.norm2[k] += d * d
		}
	}
	n.finish()
	return n
}

// candidateAnchors are candidates of the set.
func candidateAnchors(threads int, set *candidateSet, index []int) *anchors {
	n := newAnchors(threads, set, len(index))
	for a, i := range index {
		coord, _, move := set.changes(i)
		for k, j := range coord {
			n.steps.Set(j, a, -2*move[k])
		}
		n.norm2[a] = set.norm2[i]
	}
	n.finish()
	return n
}

func (n *anchors) finish() {
	if !n.set.full() {
		return
	}
	n.delta = linalg.New(n.steps.Cols, n.steps.Rows)
	linalg.Transpose(n.delta, n.steps)
	for i := range n.delta.Data {
		n.delta.Data[i] *= -0.5
	}
}

// part returns rows of the scratch memory of a thread, which always asks for as many columns.
func (n *anchors) part(worker, rows, columns int) linalg.Matrix {
	if n.parts[worker].Rows == 0 {
		n.parts[worker] = linalg.New(sampleGroup, columns)
	}
	return n.parts[worker].Slice(0, rows, 0, columns)
}

// between fills the lower triangle of dst with the r² of the anchors.
func (n *anchors) between(dst linalg.Matrix) {
	linalg.GemmTA(dst, 0, -0.5, n.steps, n.steps)
	for i := range dst.Rows {
		row := dst.Row(i)[:i+1]
		for k := range row {
			row[k] = max(row[k]+n.norm2[i]+n.norm2[k], 0)
		}
		row[i] = 0
	}
}

// distances fills dst with r² of candidate i and the anchors from..from+len(dst)-1.
func (n *anchors) distances(dst []float64, i, from int) {
	to := from + len(dst)
	coord, _, move := n.set.changes(i)
	linalg.ClampedRows(dst, n.norm2[from:to], move, coord, n.steps.Slice(0, n.steps.Rows, from, to), n.set.norm2[i])
}

// distancesTo fills groups with r², one row per anchor and one column per candidate of
// index, sampleGroup of them in each group, on all threads.
func (n *anchors) distancesTo(groups []linalg.Matrix, index []int) {
	threads := len(n.parts)
	if n.set.full() {
		parallel.For(threads, len(groups), func(worker, g int) { n.distancesFull(worker, groups[g], index[g*sampleGroup:]) })
		return
	}
	for from := 0; from < n.steps.Cols; from += anchorBlock {
		parallel.For(threads, len(groups), func(worker, g int) {
			n.distancesFrom(worker, groups[g], index[g*sampleGroup:], from)
		})
	}
}

// distancesToGroup is distancesTo for one group, on one of the threads.
func (n *anchors) distancesToGroup(worker int, group linalg.Matrix, index []int) {
	if n.set.full() {
		n.distancesFull(worker, group, index)
		return
	}
	for from := 0; from < n.steps.Cols; from += anchorBlock {
		n.distancesFrom(worker, group, index, from)
	}
}

// distancesFrom fills the rows of a group that belong to one block of anchors.
func (n *anchors) distancesFrom(worker int, group linalg.Matrix, index []int, from int) {
	to := min(from+anchorBlock, n.steps.Cols)
	part := n.part(worker, group.Cols, min(anchorBlock, n.steps.Cols)).Slice(0, group.Cols, 0, to-from)
	for k := range group.Cols {
		n.distances(part.Row(k), index[k], from)
	}
	linalg.Transpose(group.Slice(from, to, 0, group.Cols), part)
}

// distancesFull fills a group where every candidate has all coordinates changed: products.
func (n *anchors) distancesFull(worker int, group linalg.Matrix, index []int) {
	points := n.part(worker, group.Cols, n.delta.Cols)
	for k := range group.Cols {
		_, _, move := n.set.changes(index[k])
		copy(points.Row(k), move)
	}
	linalg.SquaredDistances(group, n.delta, points)
}
