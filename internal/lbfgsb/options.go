package lbfgsb

import (
	"fmt"
	"math"
)

// Func fills grad with the gradient at x and returns the value. It must not
// change or keep x.
type Func func(grad, x []float64) float64

// Options of a run. A zero field takes its default; a negative Ftol or Gtol
// turns that test off.
type Options struct {
	Memory  int     // m, stored corrections (10)
	MaxIter int     // iterations (15000)
	MaxEval int     // evaluations of f (15000)
	Ftol    float64 // stop when the decrease is below Ftol*max(|f|, |f+|, 1) (2.220446049250313e-9)
	Gtol    float64 // stop when no entry of the projected gradient exceeds Gtol (1e-5)
}

func (o Options) withDefaults() Options {
	if o.Memory <= 0 {
		o.Memory = 10
	}
	if o.MaxIter <= 0 {
		o.MaxIter = 15000
	}
	if o.MaxEval <= 0 {
		o.MaxEval = 15000
	}
	if o.Ftol == 0 {
		o.Ftol = 1e7 * epsilon
	}
	if o.Gtol == 0 {
		o.Gtol = 1e-5
	}
	return o
}

// epsilon is the distance from 1 to the next double.
const epsilon = 0x1p-52

// Status says why a run ended.
type Status int

// The reasons.
const (
	GradientSmall    Status = iota + 1 // converged: projected gradient within Gtol
	DecreaseSmall                      // converged: relative decrease within Ftol
	IterationLimit                     // MaxIter reached
	EvaluationLimit                    // MaxEval reached
	LineSearchFailed                   // no decrease along steepest descent: rounding, or a wrong gradient
	NonFinite                          // f or its gradient is NaN or infinite wherever the search went
	Cancelled                          // the context ended
)

// Converged reports whether a tolerance was met.
func (s Status) Converged() bool { return s == GradientSmall || s == DecreaseSmall }

func (s Status) String() string {
	names := [...]string{
		"not run", "projected gradient small", "decrease small", "iteration limit",
		"evaluation limit", "line search failed", "value not finite", "cancelled",
	}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("status %d", int(s))
	}
	return names[s]
}

// Result of a run; the point itself is in the argument x.
type Result struct {
	F           float64 // value at x; +Inf when cancelled before the first evaluation
	Iterations  int
	Evaluations int
	Status      Status
}

// bounds of one problem; infinite entries mean no bound.
type bounds struct{ lower, upper []float64 }

// set broadcasts and checks the bounds for n variables. A nil slice is no bound, a
// slice of one entry holds for all variables.
func (b *bounds) set(lower, upper []float64, n int) error {
	var err error
	if b.lower, err = broadcast(b.lower, lower, n, math.Inf(-1), "lower"); err != nil {
		return err
	}
	if b.upper, err = broadcast(b.upper, upper, n, math.Inf(1), "upper"); err != nil {
		return err
	}
	for i, l := range b.lower {
		if u := b.upper[i]; !(l <= u) || math.IsInf(l, 1) || math.IsInf(u, -1) {
			return fmt.Errorf("bounds of variable %d are [%g, %g]: the lower one must not exceed the upper one", i, l, u)
		}
	}
	return nil
}

func broadcast(dst, src []float64, n int, none float64, name string) ([]float64, error) {
	dst = resize(dst, n)
	switch len(src) {
	case n:
		copy(dst, src)
	case 0, 1:
		v := none
		if len(src) == 1 {
			v = src[0]
		}
		for i := range dst {
			dst[i] = v
		}
	default:
		return dst, fmt.Errorf("%s has %d entries: it needs none, one or as many as x (%d)", name, len(src), n)
	}
	return dst, nil
}

// resize returns a slice of n entries, in place when there is room.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
