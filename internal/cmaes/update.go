package cmaes

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
)

// scratch is what the steps of one search share.
type scratch struct {
	dz, white, shift, t []float64 // n
	y                   linalg.Matrix
	order               []int
	weight              []float64
	vectors             linalg.Matrix // of the eigensolver, as are
	work                []float64
	squares             []float64
}

func newScratch(n int) scratch {
	return scratch{
		dz: make([]float64, n), white: make([]float64, n), shift: make([]float64, n), t: make([]float64, n),
	}
}

// grow makes room for lambda points.
func (s *scratch) grow(lambda int) {
	if s.y.Rows < lambda {
		s.y = linalg.New(lambda, len(s.dz))
		s.order = make([]int, lambda)
		s.weight = make([]float64, lambda)
	}
}

// Tell moves the distribution towards the better points. It takes one generation,
// at least two points as Sample or Unfold wrote them, normally Population, and the
// values at what they stand for. NaN and +Inf rank last. It panics when the sizes
// do not fit.
func (s *Search) Tell(us [][]float64, values []float64) {
	lambda := len(us)
	if lambda < 2 || len(values) != lambda {
		panic(fmt.Sprintf("cmaes: %d points and %d values: a generation is at least two of each", lambda, len(values)))
	}
	s.decompose()
	if len(s.rates.w) != lambda {
		s.rates = newRates(s.n, lambda)
	}
	s.grow(lambda)
	order := s.order[:lambda]
	rank(order, values)

	// y_i = (u_i - m)/sigma, best first; eq. 41: <y>_w = sum over i <= mu of w_i y_i
	clear(s.shift)
	for k, i := range order {
		y := s.y.Row(k)
		for j, v := range us[i] {
			y[j] = (v - s.mean[j]) / s.sigma
		}
		s.weight[k] = s.rates.w[k] * s.shorten(y, k)
		if k < s.rates.mu {
			linalg.Axpy(s.shift, s.rates.w[k], y)
		}
	}
	// eq. 42: m <- m + sigma <y>_w
	linalg.Axpy(s.mean, s.sigma, s.shift)
	s.g++
	stalled := s.walk()
	s.learn(lambda, stalled)
	s.remember(values[order[0]], values[order[lambda-1]])
}

// rank fills order with the points from best to worst, first come first on ties.
func rank(order []int, values []float64) {
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		va, vb := values[a], values[b]
		if math.IsNaN(va) || math.IsNaN(vb) {
			return cmp.Compare(vb, va) // which puts NaN first in its own order
		}
		return cmp.Compare(va, vb)
	})
}

// shorten cuts a step to length sqrt(n)+2 in the metric of C and returns what
// multiplies its weight of rank k in the rank-mu update: 1 for a good step,
// n/|C^-1/2 y|² for a bad one (eq. 46), which then counts by direction only.
func (s *Search) shorten(y []float64, k int) float64 {
	s.whiten(s.white, y)
	length, most := math.Sqrt(linalg.Dot(s.white, s.white)), math.Sqrt(float64(s.n))+2
	switch {
	case !(length <= math.MaxFloat64): // too far to say in which direction
		clear(y)
		return 0
	case length > most:
		for j := range y {
			y[j] *= most / length
		}
		length = most
	}
	switch {
	case k < s.rates.mu:
		return 1
	case length == 0:
		return 0
	}
	return float64(s.n) / (length * length)
}

// whiten stores C^-1/2 y = B (d⁻¹∘Bᵀy).
func (s *Search) whiten(dst, y []float64) {
	if s.B.Rows == 0 {
		copy(dst, y)
		return
	}
	clear(s.t)
	for i, v := range y {
		linalg.Axpy(s.t, v, s.B.Row(i))
	}
	for j := range s.t {
		s.t[j] /= s.d[j]
	}
	for i := range dst {
		dst[i] = linalg.Dot(s.B.Row(i), s.t)
	}
}

// walk updates both paths and the step size. It says whether ps is so long that pc
// must stand still (h_sigma = 0).
func (s *Search) walk() (stalled bool) {
	p, n := &s.rates, float64(s.n)
	// eq. 43: ps <- (1-cs) ps + sqrt(cs (2-cs) mu_eff) C^-1/2 <y>_w
	s.whiten(s.white, s.shift)
	step := math.Sqrt(p.cs * (2 - p.cs) * p.muEff)
	for j := range s.ps {
		s.ps[j] = (1-p.cs)*s.ps[j] + step*s.white[j]
	}
	length := math.Sqrt(linalg.Dot(s.ps, s.ps))
	// E|N(0,I)| = sqrt(n) (1 - 1/(4n) + 1/(21n²)) nearly
	chi := math.Sqrt(n) * (1 - 1/(4*n) + 1/(21*n*n))
	// eq. 44, by a factor of e at most
	s.sigma *= math.Exp(min(1, p.cs/p.ds*(length/chi-1)))

	// h_sigma: |ps| / sqrt(1-(1-cs)^2g) < (1.4 + 2/(n+1)) E|N(0,I)|
	grown := math.Sqrt(1 - math.Pow(1-p.cs, 2*float64(s.g)))
	stalled = length/grown >= (1.4+2/(n+1))*chi
	// eq. 45: pc <- (1-cc) pc + h_sigma sqrt(cc (2-cc) mu_eff) <y>_w
	step = math.Sqrt(p.cc * (2 - p.cc) * p.muEff)
	if stalled {
		step = 0
	}
	for j := range s.pc {
		s.pc[j] = (1-p.cc)*s.pc[j] + step*s.shift[j]
	}
	return stalled
}

// learn updates the lower triangle of C (eq. 47):
//
//	C <- (1 + c1 delta - c1 - cmu sum w) C + c1 pc pcᵀ + cmu sum w_i y_i y_iᵀ,
//	delta = (1-h_sigma) cc (2-cc).
func (s *Search) learn(lambda int, stalled bool) {
	p := &s.rates
	keep := 1 - p.c1 - p.cmu*p.sum
	if stalled {
		keep += p.c1 * p.cc * (2 - p.cc)
	}
	for i := range s.n {
		row := s.C.Row(i)[:i+1]
		for j := range row {
			row[j] *= keep
		}
		linalg.Axpy(row, p.c1*s.pc[i], s.pc[:i+1])
		for k := range lambda {
			y := s.y.Row(k)
			linalg.Axpy(row, p.cmu*s.weight[k]*y[i], y[:i+1])
		}
	}
}
