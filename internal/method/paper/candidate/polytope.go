package candidate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/acquire"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/acquisition"
	"gonum.org/v1/gonum/mat"
)

// Polytope is {z : -1 <= Mz <= 1}, the points that M = B⁺ takes into the box. Searches
// run in coordinates w with
//
//	M = U S Vᵀ,  z = V S⁻¹ w,  Mz = Uw,
//
// where it is round, between the balls of radius 1 and sqrt(D). Directions that M does
// not see are unbounded and left at 0.
type Polytope struct {
	m linalg.Matrix // D x d
	t linalg.Matrix // V S⁻¹, d x rank
	u linalg.Matrix // Uᵀ, rank x D
}

// NewPolytope factorises M, of size D x d.
func NewPolytope(M linalg.Matrix) (*Polytope, error) {
	if M.Rows < 1 || M.Cols < 1 {
		return nil, fmt.Errorf("M is %d x %d: a polytope needs rows and columns", M.Rows, M.Cols)
	}
	dense := mat.NewDense(M.Rows, M.Cols, nil)
	for i := range M.Rows {
		for j, v := range M.Row(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("M[%d,%d] is %g: a polytope needs finite constraints", i, j, v)
			}
		}
		dense.SetRow(i, M.Row(i))
	}
	var svd mat.SVD
	if !svd.Factorize(dense, mat.SVDThin) {
		return nil, errors.New("the singular values of M did not converge: scale its entries towards 1")
	}
	var U, V mat.Dense
	svd.UTo(&U)
	svd.VTo(&V)
	s := svd.Values(nil)
	rank := 0
	for rank < len(s) && s[rank] > 1e-12*s[0] {
		rank++
	}
	p := &Polytope{m: M, t: linalg.New(M.Cols, rank), u: linalg.New(rank, M.Rows)}
	for k := range rank {
		for a := range M.Cols {
			p.t.Set(a, k, V.At(a, k)/s[k])
		}
		for i := range M.Rows {
			p.u.Set(k, i, U.At(i, k))
		}
	}
	return p, nil
}

// Dim returns d.
func (p *Polytope) Dim() int { return p.m.Cols }

// Sample fills the rows of z with points of the polytope, nearly uniform and nearly
// independent: hit-and-run from 0 in the round coordinates, several steps a point.
func (p *Polytope) Sample(z linalg.Matrix, r *rand.Rand) {
	walk := newWalk(p)
	for i := range z.Rows {
		walk.advance(6+2*p.u.Rows, r)
		p.lift(z.Row(i), walk.w)
		p.pull(z.Row(i))
	}
}

// Corners fills the rows of z with the points of the polytope nearest to points far
// outside, uniform in a cube: corners, as far as rounding allows. This is what a search
// by quadratic programming makes in its first step of starts that are not feasible.
func (p *Polytope) Corners(z linalg.Matrix, r *rand.Rand) error {
	const far = 1e6 // in lengths of the polytope
	search := newSQP(p, nil)
	search.resetHessian()
	copy(search.l.Data, search.h.Data)
	if err := linalg.Cholesky(search.l); err != nil {
		return err
	}
	for i := range z.Rows {
		clear(search.g)
		for a := range z.Cols {
			// ½|z - c|² has the slope -c at 0.
			linalg.Axpy(search.g, far*p.length()*(1-2*r.Float64()), p.t.Row(a))
		}
		clear(search.x)
		search.qp.solve(search.s, search.l, search.g, search.x)
		p.lift(z.Row(i), search.s)
		p.pull(z.Row(i))
	}
	return nil
}

// length bounds the coordinates of z.
func (p *Polytope) length() float64 {
	longest := 0.0
	for a := range p.t.Rows {
		longest = max(longest, linalg.Dot(p.t.Row(a), p.t.Row(a)))
	}
	return math.Sqrt(longest * float64(p.m.Rows)) // |w| <= sqrt(D)
}

// Minimize returns the lowest point of f over the polytope found by sequential
// quadratic programming from several of the samples, chosen as those of the box search;
// of equal ends the one of the earlier start. Should every run fail, the best sample is
// returned. When ctx ends, the result is the best point so far and the error that of
// ctx; z is nil when there is none.
func (p *Polytope) Minimize(ctx context.Context, f acquisition.Function, o Options, r *rand.Rand) (z []float64, value float64, err error) {
	o = o.WithDefaults()
	if err := o.Validate(); err != nil {
		return nil, 0, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, 0, err
	}
	samples := linalg.New(o.Samples, p.Dim())
	p.Sample(samples, r)
	return p.MinimizeFrom(ctx, f, samples, o, r)
}

// MinimizeFrom is Minimize with the caller's samples, points of the polytope, one a row.
// It does not read o.Samples.
func (p *Polytope) MinimizeFrom(ctx context.Context, f acquisition.Function, samples linalg.Matrix, o Options, r *rand.Rand) (z []float64, value float64, err error) {
	return p.minimize(ctx, f, samples, o, r, func(ends linalg.Matrix, maxIter int) error {
		search := newSQP(p, f)
		for i := range ends.Rows {
			if err := search.minimise(ctx, ends.Row(i), maxIter); err != nil {
				return err
			}
		}
		return nil
	})
}

// minimize chooses starts among the samples, lets descend move them and returns the
// lowest end.
func (p *Polytope) minimize(ctx context.Context, f acquisition.Function, samples linalg.Matrix, o Options, r *rand.Rand,
	descend func(ends linalg.Matrix, maxIter int) error,
) (z []float64, value float64, err error) {
	o = o.WithDefaults()
	if err := o.Validate(); err != nil {
		return nil, 0, err
	}
	if o.Joint {
		return nil, 0, errors.New("Joint is true: starts inside a polytope are searched one by one, set it to false")
	}
	if err := context.Cause(ctx); err != nil {
		return nil, 0, err
	}
	values := make([]float64, samples.Rows)
	evaluate(values, f, samples)
	starts := acquire.Starts(values, o.Starts, r)
	ends := linalg.New(len(starts), p.Dim())
	for i, s := range starts {
		copy(ends.Row(i), samples.Row(s))
	}
	err = descend(ends, o.MaxIter)
	z, value = make([]float64, p.Dim()), math.Inf(1)
	take := func(v float64, at []float64) {
		if v < value && !math.IsInf(v, -1) {
			copy(z, at)
			value = v
		}
	}
	for i := range ends.Rows {
		p.pull(ends.Row(i))
		take(f.Value(ends.Row(i)), ends.Row(i))
	}
	for i, v := range values {
		take(v, samples.Row(i)) // where the gradient failed
	}
	if math.IsInf(value, 1) {
		z, value = nil, 0
		if err == nil {
			err = ErrNotFinite
		}
	}
	return z, value, err
}

// lift computes z = V S⁻¹ w.
func (p *Polytope) lift(z, w []float64) {
	for a := range z {
		z[a] = linalg.Dot(p.t.Row(a), w)
	}
}

// drop computes w = UᵀMz, the inverse of lift.
func (p *Polytope) drop(w, z []float64) {
	x := make([]float64, p.m.Rows)
	p.apply(x, z)
	for k := range w {
		w[k] = linalg.Dot(p.u.Row(k), x)
	}
}

// apply computes x = Mz.
func (p *Polytope) apply(x, z []float64) {
	for i := range x {
		x[i] = linalg.Dot(p.m.Row(i), z)
	}
}

// pull moves z towards 0 until no constraint is violated: rounding at most.
func (p *Polytope) pull(z []float64) {
	worst := 1.0
	for i := range p.m.Rows {
		worst = max(worst, math.Abs(linalg.Dot(p.m.Row(i), z)))
	}
	for a := range z {
		z[a] /= worst
	}
}

// walk is a hit-and-run chain: from w, a uniform point of the chord in a random direction.
type walk struct {
	p       *Polytope
	w, step []float64 // rank
	x, dx   []float64 // D: Uw and U step
}

func newWalk(p *Polytope) *walk {
	rank, high := p.u.Rows, p.u.Cols
	return &walk{
		p: p, w: make([]float64, rank), step: make([]float64, rank),
		x: make([]float64, high), dx: make([]float64, high),
	}
}

func (c *walk) advance(steps int, r *rand.Rand) {
	combine(c.x, c.w, c.p.u)
	for range steps {
		for k := range c.step {
			c.step[k] = r.NormFloat64()
		}
		combine(c.dx, c.step, c.p.u)
		// The chord is x + t dx, back <= t <= ahead.
		back, ahead := math.Inf(-1), math.Inf(1)
		for i, d := range c.dx {
			if d != 0 {
				one, other := (1-c.x[i])/d, (-1-c.x[i])/d
				ahead = min(ahead, max(one, other))
				back = max(back, min(one, other))
			}
		}
		t := back + (ahead-back)*r.Float64()
		if math.IsInf(t, 0) || math.IsNaN(t) {
			continue // rank 0: there is no direction
		}
		linalg.Axpy(c.w, t, c.step)
		linalg.Axpy(c.x, t, c.dx)
	}
}

// combine computes x = Uw for U given by its transpose.
func combine(x, w []float64, u linalg.Matrix) {
	clear(x)
	for k, v := range w {
		linalg.Axpy(x, v, u.Row(k))
	}
}
