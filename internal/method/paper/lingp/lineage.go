package lingp

import (
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/parallel"
)

// Lineage describes points of which many differ from an earlier one, their
// parent, in few coordinates, as the points of a local search do. With weights
// w_j = 1/l_j² the squared distances of point i to the points k before it follow
// from those of its parent p:
//
//	r²(i,k) = r²(p,k) + sum_j w_j (x_ij - x_pj)(x_ij + x_pj - 2 x_kj),
//
// j over the coordinates in which i and p differ. All distances cost
// O(n² c) instead of O(n² D), c the mean number of differences, and so does the
// gradient in the weights, by the same recursion backwards. A point without a
// near relative has no parent, and its distances are summed over all coordinates.
//
// Parents are looked for once: points may be added between two fits. One goroutine at
// a time.
type Lineage struct {
	in     *Inputs
	parent []int   // -1 when there is none
	differ [][]int // coordinates that differ from the parent
}

// NewLineage returns the lineage of the points of in.
func NewLineage(in *Inputs) *Lineage { return &Lineage{in: in} }

// extend gives every new point the parent with the fewest differences, the
// latest of several, if they are fewer than half of the coordinates.
func (l *Lineage) extend() {
	for i := len(l.parent); i < l.in.n; i++ {
		parent, least := -1, (l.in.dim+1)/2
		var nearest, differ []int
		xi := l.in.At(i)
		for p := i - 1; p >= 0 && least > 0; p-- {
			differ = differ[:0]
			for j, v := range l.in.At(p) {
				if v != xi[j] {
					if differ = append(differ, j); len(differ) >= least {
						break
					}
				}
			}
			if len(differ) < least {
				parent, least = p, len(differ)
				nearest = append(nearest[:0], differ...)
			}
		}
		l.parent, l.differ = append(l.parent, parent), append(l.differ, nearest)
	}
}

// recursion computes the distances of a lineage and the gradients in them.
type recursion struct {
	*Lineage
	family  []int         // all points that are parents, in order
	place   []int         // of a parent in family
	columns linalg.Matrix // one row per parent: its distances to all points, or derivatives in them
	steps   []float64
}

// newRecursion lists the parents and makes room for their columns.
func newRecursion(lineage *Lineage) *recursion {
	lineage.extend()
	n := lineage.in.n
	l := &recursion{
		Lineage: lineage, place: make([]int, n), steps: make([]float64, lineage.in.dim),
	}
	isParent := make([]bool, n)
	for _, p := range l.parent {
		if p >= 0 {
			isParent[p] = true
		}
	}
	for i, is := range isParent {
		if is {
			l.place[i] = len(l.family)
			l.family = append(l.family, i)
		}
	}
	l.columns = padded(len(l.family), n)
	return l
}

// column returns the column of a parent.
func (l *recursion) column(p int) []float64 { return l.columns.Row(l.place[p]) }

// distances fills the lower triangle of r2.
func (l *recursion) distances(r2 linalg.Matrix, w []float64) {
	xt := l.in.XT()
	for i := range l.in.n {
		row, xi := r2.Row(i)[:i], l.in.At(i)
		if p := l.parent[i]; p >= 0 {
			xp := l.in.At(p)
			shift, steps := 0.0, l.steps[:len(l.differ[i])]
			for k, j := range l.differ[i] {
				step := w[j] * (xi[j] - xp[j])
				shift += step * (xi[j] + xp[j])
				steps[k] = -2 * step
			}
			linalg.ClampedRows(row, l.column(p)[:i], steps, l.differ[i], xt, shift)
		} else {
			linalg.RowSquares(row, w, xi, xt.Slice(0, xt.Rows, 0, i))
		}
		r2.Set(i, i, 0)
		for f, p := range l.family { // their distances to i
			if p > i {
				break
			}
			l.columns.Set(f, i, r2.At(i, p))
		}
		if len(l.family) > l.place[i] && l.family[l.place[i]] == i {
			copy(l.column(i), row)
		}
	}
}

// gradient turns g, the derivatives in the distances r²(i,k) for i > k, into those
// in the weights. It overwrites the lower triangle of g.
func (l *recursion) gradient(dW []float64, g linalg.Matrix) {
	clear(dW)
	x, xt := l.in.X(), l.in.XT()
	for f, p := range l.family { // what lies below the diagonal gathers here
		for k := p + 1; k < l.in.n; k++ {
			l.columns.Set(f, k, g.At(k, p))
		}
	}
	for i := l.in.n - 1; i > 0; i-- {
		row, xi := g.Row(i)[:i], l.in.At(i)
		for f, p := range l.family {
			if p >= i {
				break
			}
			row[p] = l.columns.At(f, i)
		}
		p := l.parent[i]
		if p < 0 {
			linalg.ColumnSquares(l.steps, row, xi, x.Slice(0, i, 0, x.Cols))
			linalg.Axpy(dW, 1, l.steps)
			continue
		}
		total := 0.0
		for _, v := range row {
			total += v
		}
		xp, dots := l.in.At(p), l.steps[:len(l.differ[i])]
		linalg.DotRows(dots, row, l.differ[i], xt)
		for k, j := range l.differ[i] {
			dW[j] += (xi[j] - xp[j]) * ((xi[j]+xp[j])*total - 2*dots[k])
		}
		linalg.Axpy(g.Row(p)[:p], 1, row[:p])
		for f, q := range l.family[:l.place[p]] {
			l.columns.Row(f)[p] += row[q]
		}
		linalg.Axpy(l.column(p)[p+1:i], 1, row[p+1:])
	}
}

// ardLikelihood evaluates log marginal likelihoods of ARD kernels over a lineage.
type ardLikelihood struct {
	*recursion
	threads  int
	k, slope linalg.Matrix // squared distances, then k(X,X), and -2 s phi', lower triangles
	l, s     linalg.Matrix // factor and inverse of K
	w, dW    []float64     // 1/l² and the derivatives in it
	alpha    []float64
}

// threadsFrom is the number of points from which on a second thread pays: with 200 the
// factorisations of internal/linalg take as long with two as with one, with 500 less.
const threadsFrom = 256

func newARDLikelihood(lineage *Lineage, threads int) *ardLikelihood {
	in := lineage.in
	n := in.n
	if n < threadsFrom {
		threads = 1
	}
	return &ardLikelihood{
		recursion: newRecursion(lineage), threads: threads,
		k: padded(n, n), slope: padded(n, n), l: padded(n, n), s: padded(n, n),
		w: make([]float64, in.dim), dW: make([]float64, in.dim), alpha: make([]float64, n),
	}
}

// evaluate computes the value and its derivatives in the scalars as
// workspace.evaluate does, and those in the length-scales: with
// c = alpha alphaᵀ - S,
//
//	d value/d r²_ik = -½ c_ik (-2 s phi'),  d value/d l_j = -2/l_j³ d value/d w_j.
func (a *ardLikelihood) evaluate(dLength []float64, h Hyper, y []float64) (evaluation, error) {
	n := a.in.n
	for j, l := range h.LengthScales {
		a.w[j] = 1 / (l * l)
	}
	a.distances(a.k, a.w)
	parallel.For(a.threads, n, func(_, k int) {
		i := n - 1 - k // long rows first
		row := a.k.Row(i)[:i+1]
		h.Profile.Apply(row, a.slope.Row(i)[:i+1], h.OutputScale)
		row[i] += h.NoiseVariance
	})
	var ev evaluation
	var err error
	if ev.jitter, err = linalg.ParallelCholeskyJitter(a.threads, a.l, a.k, linalg.DefaultLadder(a.k)); err != nil {
		return ev, err
	}
	ev.value = -0.5 * (float64(n)*math.Log(2*math.Pi) + linalg.LogDet(a.l))
	for i, v := range y {
		a.alpha[i] = v - h.Mean
	}
	linalg.SolveLowerVec(a.l, a.alpha)
	ev.value -= 0.5 * linalg.Dot(a.alpha, a.alpha)
	linalg.SolveLowerTransVec(a.l, a.alpha)
	linalg.ParallelLowerInverse(a.threads, a.s, a.l)

	var below, diagonal float64 // sums of c o k under the diagonal and of c on it
	for i, ai := range a.alpha {
		s, k, slope := a.s.Row(i), a.k.Row(i), a.slope.Row(i)
		for j, aj := range a.alpha[:i] {
			c := ai*aj - s[j]
			below += c * k[j]
			slope[j] *= -0.5 * c
		}
		diagonal += ai*ai - s[i]
		ev.dMean += ai
	}
	ev.dLogScale = below + 0.5*h.OutputScale*diagonal
	ev.dNoise = 0.5 * diagonal
	a.gradient(a.dW, a.slope)
	for j, l := range h.LengthScales {
		dLength[j] = -2 * a.dW[j] / (l * l * l)
	}
	return ev, nil
}
