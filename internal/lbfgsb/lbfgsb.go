package lbfgsb

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// maxSearch is the number of evaluations one line search may take.
const maxSearch = 20

// Minimize runs L-BFGS-B from x, clamped to the bounds, and leaves the best point
// in x; see Workspace.Minimize.
func Minimize(ctx context.Context, x, lower, upper []float64, f Func, o Options) (Result, error) {
	return new(Workspace).Minimize(ctx, x, lower, upper, f, o)
}

// Workspace holds the memory of a run, so that runs of one size share it. The
// zero value is ready; it must not be used by two goroutines at once.
type Workspace struct {
	bounds
	memory
	boxed       bool // every variable has both bounds
	constrained bool // some variable has a bound

	x, g         []float64 // current point and gradient
	xprev, gprev []float64 // the same at the start of the line search
	z            []float64 // Cauchy point, then minimiser of the model
	r            []float64 // reduced gradient, then subspace step
	d            []float64 // search direction
	where        []varState
	free         []bool // variable is free at the Cauchy point

	breaks   []breakpoint
	p, c, wb []float64 // of length 2m: W'd, W'(xcp - x), a row of W
	mv       []float64 // of length 2m: product with M
	cauchyX  []float64
}

// Minimize runs L-BFGS-B from x, clamped to the bounds, and leaves the best point
// in x, which lies inside the bounds exactly. Bounds are nil (none), of one entry
// (for all variables) or of len(x) entries; infinite entries are no bounds.
//
// A trial point where f or its gradient is not finite shortens the step; when no
// step helps, the run ends at the best finite point with status NonFinite. When
// ctx ends the error is that of ctx and x is the best point so far.
func (w *Workspace) Minimize(ctx context.Context, x, lower, upper []float64, f Func, o Options) (Result, error) {
	o = o.withDefaults()
	if err := w.start(x, lower, upper, o.Memory); err != nil {
		return Result{}, err
	}
	run := run{Workspace: w, f: f, Options: o, res: Result{F: math.Inf(1)}}
	run.res.Status = run.loop(ctx)
	copy(x, w.x)
	if run.res.Status == Cancelled {
		return run.res, context.Cause(ctx)
	}
	return run.res, nil
}

// start sizes the workspace and clamps the start into the box.
func (w *Workspace) start(x, lower, upper []float64, m int) error {
	n := len(x)
	if n == 0 {
		return errors.New("x is empty: there is nothing to minimise over")
	}
	if err := w.bounds.set(lower, upper, n); err != nil {
		return err
	}
	for _, v := range []*[]float64{&w.x, &w.g, &w.xprev, &w.gprev, &w.z, &w.r, &w.d, &w.cauchyX} {
		*v = resize(*v, n)
	}
	for _, v := range []*[]float64{&w.p, &w.c, &w.wb, &w.mv} {
		*v = resize(*v, 2*m)
	}
	w.where, w.free, w.breaks = resize(w.where, n), resize(w.free, n), resize(w.breaks, n)
	w.memory.size(n, m)
	w.boxed, w.constrained = true, false
	for i, v := range x {
		if math.IsNaN(v) {
			return fmt.Errorf("x[%d] is NaN: a start needs numbers", i)
		}
		l, u := w.lower[i], w.upper[i]
		w.x[i] = min(max(v, l), u)
		if math.IsInf(w.x[i], 0) {
			return fmt.Errorf("x[%d] is %g and has no bound on that side: a start needs finite numbers", i, v)
		}
		hasL, hasU := !math.IsInf(l, 0), !math.IsInf(u, 0)
		w.boxed = w.boxed && hasL && hasU
		w.constrained = w.constrained || hasL || hasU
		switch {
		case !hasL && !hasU:
			w.where[i] = unbounded
		case l == u:
			w.where[i] = fixed
		default:
			w.where[i] = inside
		}
	}
	return nil
}

// run is the state of one call that is not worth keeping.
type run struct {
	*Workspace
	Options
	f      Func
	res    Result
	pg     float64 // largest entry of the projected gradient
	search search
}

// stop says whether the run must end before another evaluation.
func (w *run) stop(ctx context.Context) Status {
	switch {
	case ctx.Err() != nil:
		return Cancelled
	case w.res.Evaluations >= w.MaxEval:
		return EvaluationLimit
	}
	return 0
}

// evaluate returns the value at x and sets the gradient.
func (w *run) evaluate() float64 {
	w.res.Evaluations++
	return w.f(w.g, w.x)
}

func (w *run) loop(ctx context.Context) Status {
	if stop := w.stop(ctx); stop != 0 {
		return stop
	}
	w.res.F = w.evaluate()
	if w.pg = w.projectedGradient(); !finite(w.res.F) || !finite(w.pg) {
		return NonFinite
	}
	if w.pg <= w.Gtol {
		return GradientSmall
	}
	for {
		// A factorisation that fails has met an indefinite model: forget it and go on
		// from steepest descent, for which nothing is factorised.
		if !w.direction() {
			w.memory.reset()
			continue
		}
		before := w.res.F
		s, stop := w.lineSearch(ctx)
		if stop != 0 {
			return stop
		}
		if !s.ok {
			if w.memory.col == 0 {
				return s.failure
			}
			w.memory.reset()
			continue
		}
		w.res.Iterations++
		w.pg = w.projectedGradient()
		switch {
		case w.pg <= w.Gtol:
			return GradientSmall
		case before-w.res.F <= w.Ftol*max(math.Abs(before), math.Abs(w.res.F), 1):
			return DecreaseSmall
		case w.res.Iterations >= w.MaxIter:
			return IterationLimit
		case w.res.Evaluations >= w.MaxEval:
			return EvaluationLimit
		}
		if !w.memory.update(w.d, w.g, w.gprev, s) {
			w.memory.reset()
		}
	}
}

// direction sets z to the minimiser of the model and d = z - x. It reports false
// when the model is not positive definite.
func (w *run) direction() bool {
	if !w.constrained && w.col > 0 {
		copy(w.z, w.x)
	} else if !w.cauchy(w.pg) {
		return false
	}
	nfree := 0
	for i, s := range w.where {
		w.free[i] = s <= inside
		if w.free[i] {
			nfree++
		}
	}
	if nfree > 0 && w.col > 0 {
		if !w.memory.factor(w.free) || !w.subspace() {
			return false
		}
	}
	for i, z := range w.z {
		w.d[i] = z - w.x[i]
	}
	return true
}

// projectedGradient returns the largest entry of P(x - g) - x.
func (w *Workspace) projectedGradient() float64 {
	var norm float64
	for i, g := range w.g {
		if g < 0 {
			g = max(w.x[i]-w.upper[i], g)
		} else {
			g = min(w.x[i]-w.lower[i], g)
		}
		// A NaN entry must not be lost: comparisons with it are false.
		if a := math.Abs(g); !(a <= norm) {
			norm = a
		}
		if math.IsNaN(norm) {
			return norm
		}
	}
	return norm
}

func finite(v float64) bool { return v-v == 0 }
