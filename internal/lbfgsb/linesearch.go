package lbfgsb

import (
	"context"
	"math"
)

// step describes a finished line search.
type step struct {
	ok      bool
	failure Status  // why not
	length  float64 // accepted multiple of d
	slope   float64 // g'd at the accepted point
	slope0  float64 // g'd at its start
	dd      float64 // d'd
}

// lineSearch moves x, g and the value to a point along d that satisfies the strong
// Wolfe conditions, or puts them back. A status means that the run ends, at the
// better of the start and the last trial.
func (w *run) lineSearch(ctx context.Context) (step, Status) {
	copy(w.xprev, w.x)
	copy(w.gprev, w.g)
	start := w.res.F
	st := step{failure: LineSearchFailed, dd: dot(w.d, w.d), slope0: dot(w.g, w.d)}
	if !(st.slope0 < 0) {
		return st, 0
	}
	length, longest := w.stepRange(math.Sqrt(st.dd))
	w.search.start(start, st.slope0, length, longest)
	lower := false // the last trial is better than the start
	for range maxSearch {
		if stop := w.stop(ctx); stop != 0 {
			if !lower {
				w.restore(start)
			}
			return st, stop
		}
		w.move(length)
		f := w.evaluate()
		slope := dot(w.g, w.d)
		if !finite(f) || !finite(slope) {
			lower, st.failure = false, NonFinite
			longest, length = length, length/10
			w.search.start(start, st.slope0, length, longest)
			continue
		}
		w.res.F, lower, st.failure = f, f < start, LineSearchFailed
		next, done := w.search.next(f, slope, length)
		if done {
			st.ok, st.length, st.slope = true, length, slope
			return st, 0
		}
		length = next
	}
	w.restore(start)
	return st, 0
}

// restore goes back to the start of the line search.
func (w *run) restore(f float64) {
	copy(w.x, w.xprev)
	copy(w.g, w.gprev)
	w.res.F = f
}

// stepRange returns the first and the longest step along d.
func (w *run) stepRange(norm float64) (first, longest float64) {
	const unlimited = 1e10
	longest = unlimited
	if w.constrained {
		if w.res.Iterations == 0 {
			longest = 1
		} else {
			for i, d := range w.d {
				room := w.upper[i] - w.x[i]
				if d < 0 {
					room = w.lower[i] - w.x[i]
				}
				if d != 0 && math.Abs(d)*longest > math.Abs(room) {
					longest = room / d
				}
			}
		}
	}
	first = min(1, longest)
	if w.res.Iterations == 0 && !w.boxed {
		first = min(1/norm, longest)
	}
	return first, longest
}

// move sets x to the point at a step length; rounding must not leave the box.
func (w *run) move(length float64) {
	if length == 1 {
		copy(w.x, w.z)
		return
	}
	for i, d := range w.d {
		w.x[i] = min(max(w.xprev[i]+length*d, w.lower[i]), w.upper[i])
	}
}

// Constants of the search: sufficient decrease, curvature, and the relative width
// at which a bracket is given up.
const (
	armijo     = 1e-3
	curvature  = 0.9
	bracketTol = 0.1
)

// trial is a step with the value and the slope there.
type trial struct{ t, f, g float64 }

// search is the Moré-Thuente search for a strong Wolfe step (dcsrch).
type search struct {
	longest   float64
	f0, g0    float64
	best, end trial // best step so far and the other end of the bracket
	bracketed bool
	second    bool // a step with sufficient decrease and rising slope was seen
	lo, hi    float64
	width     [2]float64 // of the bracket, now and before
}

func (s *search) start(f, g, length, longest float64) {
	*s = search{
		longest: longest, f0: f, g0: g,
		best: trial{0, f, g}, end: trial{0, f, g},
		lo: 0, hi: 5 * length,
		width: [2]float64{longest, 2 * longest},
	}
}

// next takes the value and slope at step t and returns the step to try, or that t is
// accepted: it satisfies the conditions or cannot be bettered.
func (s *search) next(f, g, t float64) (float64, bool) {
	gtest := armijo * s.g0
	ftest := s.f0 + t*gtest
	if f <= ftest && g >= 0 {
		s.second = true
	}
	switch {
	case s.bracketed && (t <= s.lo || t >= s.hi || s.hi-s.lo <= bracketTol*s.hi),
		t == s.longest && f <= ftest && g <= gtest,
		t == 0 && (f > ftest || g >= gtest),
		f <= ftest && math.Abs(g) <= curvature*-s.g0:
		return t, true
	}
	if !s.second && f <= s.best.f && f > ftest {
		// Work on f(t) - t*gtest, whose minimiser has sufficient decrease.
		tilt := func(p trial, sign float64) trial { return trial{p.t, p.f + sign*p.t*gtest, p.g + sign*gtest} }
		s.best, s.end = tilt(s.best, -1), tilt(s.end, -1)
		t = s.interpolate(trial{t, f - t*gtest, g - gtest})
		s.best, s.end = tilt(s.best, 1), tilt(s.end, 1)
	} else {
		t = s.interpolate(trial{t, f, g})
	}
	if s.bracketed {
		gap := math.Abs(s.end.t - s.best.t)
		if gap >= 0.66*s.width[1] {
			t = s.best.t + 0.5*(s.end.t-s.best.t)
		}
		s.width[0], s.width[1] = gap, s.width[0]
		s.lo, s.hi = min(s.best.t, s.end.t), max(s.best.t, s.end.t)
	} else {
		s.lo, s.hi = t+1.1*(t-s.best.t), t+4*(t-s.best.t)
	}
	t = min(max(t, 0), s.longest)
	if s.bracketed && (t <= s.lo || t >= s.hi || s.hi-s.lo <= bracketTol*s.hi) {
		t = s.best.t
	}
	return t, false
}

// interpolate chooses the next step from the safeguarded cubic and quadratic through
// the best step and p, and updates the bracket (dcstep).
func (s *search) interpolate(p trial) float64 {
	x, y := s.best, s.end
	opposite := p.g*math.Copysign(1, x.g) < 0
	var t float64
	switch {
	case p.f > x.f: // higher: the minimum is bracketed
		cubic := x.t + cubicRatio(x, p)*(p.t-x.t)
		quad := x.t + x.g/((x.f-p.f)/(p.t-x.t)+x.g)/2*(p.t-x.t)
		t = cubic
		if math.Abs(cubic-x.t) >= math.Abs(quad-x.t) {
			t = cubic + (quad-cubic)/2
		}
		s.bracketed = true
	case opposite: // lower, slopes of opposite sign: bracketed
		cubic := p.t + cubicRatio(p, x)*(x.t-p.t)
		quad := p.t + p.g/(p.g-x.g)*(x.t-p.t)
		t = quad
		if math.Abs(cubic-p.t) > math.Abs(quad-p.t) {
			t = cubic
		}
		s.bracketed = true
	case math.Abs(p.g) < math.Abs(x.g): // lower, same sign, slope shrinking
		quad := p.t + p.g/(p.g-x.g)*(x.t-p.t)
		// The cubic may have no minimiser beyond p; then take the end of the range.
		var cubic float64
		theta := 3*(x.f-p.f)/(p.t-x.t) + x.g + p.g
		scale := max(math.Abs(theta), math.Abs(x.g), math.Abs(p.g))
		gamma := scale * math.Sqrt(max(0, (theta/scale)*(theta/scale)-(x.g/scale)*(p.g/scale)))
		if p.t > x.t {
			gamma = -gamma
		}
		ratio := ((gamma - p.g) + theta) / ((gamma + (x.g - p.g)) + gamma)
		switch {
		case ratio < 0 && gamma != 0:
			cubic = p.t + ratio*(x.t-p.t)
		case p.t > x.t:
			cubic = s.hi
		default:
			cubic = s.lo
		}
		nearer := math.Abs(cubic-p.t) < math.Abs(quad-p.t)
		if s.bracketed {
			t = quad
			if nearer {
				t = cubic
			}
			limit := p.t + 0.66*(y.t-p.t)
			if p.t > x.t {
				t = min(limit, t)
			} else {
				t = max(limit, t)
			}
		} else {
			t = quad
			if math.Abs(cubic-p.t) > math.Abs(quad-p.t) {
				t = cubic
			}
			t = max(s.lo, min(s.hi, t))
		}
	case s.bracketed: // lower, same sign, slope not shrinking
		t = p.t + cubicRatio(p, y)*(y.t-p.t)
	case p.t > x.t:
		t = s.hi
	default:
		t = s.lo
	}
	if p.f > x.f {
		s.end = p
	} else {
		if opposite {
			s.end = x
		}
		s.best = p
	}
	return t
}

// cubicRatio locates the minimiser of the cubic through a and b as a fraction of
// the way from a to b.
func cubicRatio(a, b trial) float64 {
	theta := 3*(a.f-b.f)/(b.t-a.t) + a.g + b.g
	scale := max(math.Abs(theta), math.Abs(a.g), math.Abs(b.g))
	gamma := scale * math.Sqrt(max(0, (theta/scale)*(theta/scale)-(a.g/scale)*(b.g/scale)))
	if b.t < a.t {
		gamma = -gamma
	}
	return ((gamma - a.g) + theta) / (((gamma - a.g) + gamma) + b.g)
}
