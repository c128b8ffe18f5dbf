package candidate

import (
	"context"
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/acquisition"
)

const (
	sqpTolerance = 1e-12 // relative decrease at which a search ends
	sqpSearch    = 30    // trial steps of a line search
)

// sqp minimises f over a polytope by sequential quadratic programming (Nocedal & Wright,
// chapter 18). Constraints are linear, so every iterate is feasible and the line search
// sees f alone:
//
//	p = argmin gᵀp + ½pᵀHp  subject to  |U(w+p)| <= 1
//	w <- w + alpha p,  alpha <= 1
//	H <- damped BFGS update
//
// H starts as the identity in z, where the length-scales of a model are 1.
type sqp struct {
	p       *Polytope
	f       acquisition.Function
	h, l    linalg.Matrix // H and its Cholesky factor
	qp      *qp
	z, gz   []float64 // d
	w, g    []float64 // rank
	wn, gn  []float64 // the same at the trial point
	s, y, v []float64 // of the update: step, change of g, H s
	x       []float64 // Uw
}

func newSQP(p *Polytope, f acquisition.Function) *sqp {
	rank := p.u.Rows
	s := &sqp{
		p: p, f: f, h: linalg.New(rank, rank), l: linalg.New(rank, rank), qp: newQP(p.u),
		z: make([]float64, p.Dim()), gz: make([]float64, p.Dim()), x: make([]float64, p.u.Cols),
	}
	for _, v := range []*[]float64{&s.w, &s.g, &s.wn, &s.gn, &s.s, &s.y, &s.v} {
		*v = make([]float64, rank)
	}
	return s
}

// minimise improves z, which is feasible up to rounding, until nothing is gained.
func (s *sqp) minimise(ctx context.Context, z []float64, maxIter int) error {
	s.p.drop(s.w, z)
	s.resetHessian()
	value, ok := s.evaluate(s.g, s.w)
	for range maxIter {
		if !ok {
			break
		}
		if err := context.Cause(ctx); err != nil {
			s.p.lift(z, s.w)
			return err
		}
		value, ok = s.step(value)
	}
	s.p.lift(z, s.w)
	return nil
}

// step moves w once and returns the new value, or false when the search is over.
func (s *sqp) step(value float64) (float64, bool) {
	if _, err := linalg.CholeskyJitter(s.l, s.h, linalg.DefaultLadder(s.h)); err != nil {
		s.resetHessian()
		copy(s.l.Data, s.h.Data)
		if linalg.Cholesky(s.l) != nil {
			return value, false
		}
	}
	combine(s.x, s.w, s.p.u)
	s.qp.solve(s.s, s.l, s.g, s.x)
	slope := linalg.Dot(s.g, s.s)
	enough := sqpTolerance * max(math.Abs(value), 1)
	if !(slope < -enough) {
		return value, false
	}
	lower, alpha := s.search(value, slope)
	if alpha == 0 {
		return value, false
	}
	for k := range s.s {
		s.s[k] *= alpha
		s.y[k] = s.gn[k] - s.g[k]
	}
	copy(s.w, s.wn)
	copy(s.g, s.gn)
	s.update()
	return lower, value-lower > enough
}

// search backtracks along s from 1 until f decreases by 1e-4 of what the slope promises.
// The next trial is the minimum of the parabola through what is known, between a tenth
// and half of the last. alpha is 0 when no step helps.
func (s *sqp) search(value, slope float64) (lower, alpha float64) {
	alpha = 1
	for range sqpSearch {
		copy(s.wn, s.w)
		linalg.Axpy(s.wn, alpha, s.s)
		v, ok := s.evaluate(s.gn, s.wn)
		if ok && v <= value+1e-4*alpha*slope {
			return v, alpha
		}
		shrink := 0.1
		if ok {
			shrink = min(max(-slope*alpha/(2*(v-value-slope*alpha)), 0.1), 0.5)
		}
		alpha *= shrink
	}
	return value, 0
}

// update is Powell's damped BFGS update,
//
//	H <- H - (Hs)(Hs)ᵀ/sᵀHs + rrᵀ/sᵀr,  r = theta y + (1-theta) Hs,
//
// with theta such that sᵀr >= 0.2 sᵀHs: H stays positive definite where f is not convex.
func (s *sqp) update() {
	for k := range s.v {
		s.v[k] = linalg.Dot(s.h.Row(k), s.s)
	}
	sHs, sy := linalg.Dot(s.s, s.v), linalg.Dot(s.s, s.y)
	if !(sHs > 0) {
		return
	}
	if sy < 0.2*sHs {
		theta := 0.8 * sHs / (sHs - sy)
		for k := range s.y {
			s.y[k] = theta*s.y[k] + (1-theta)*s.v[k]
		}
		sy = linalg.Dot(s.s, s.y)
	}
	for k := range s.v {
		linalg.Axpy(s.h.Row(k), -s.v[k]/sHs, s.v)
		linalg.Axpy(s.h.Row(k), s.y[k]/sy, s.y)
	}
}

// resetHessian sets H = TᵀT, T = V S⁻¹: the identity in z. The floor keeps the factor
// usable where B hardly sees a direction.
func (s *sqp) resetHessian() {
	linalg.GemmTA(s.h, 0, 1, s.p.t, s.p.t)
	largest := 0.0
	for k := range s.h.Rows {
		largest = max(largest, s.h.At(k, k))
	}
	for k := range s.h.Rows {
		s.h.Set(k, k, max(s.h.At(k, k), 1e-10*largest))
	}
}

// evaluate returns f at w and fills g with its gradient there, Tᵀ times that in z; ok is
// false when they are not finite.
func (s *sqp) evaluate(g, w []float64) (value float64, ok bool) {
	s.p.lift(s.z, w)
	value = s.f.ValueGrad(s.gz, s.z)
	clear(g)
	for a, v := range s.gz {
		linalg.Axpy(g, v, s.p.t.Row(a))
	}
	ok = value-value == 0
	for _, v := range g {
		ok = ok && v-v == 0
	}
	return value, ok
}
