// Package adam holds the Adam optimiser (Kingma & Ba 2015) and the stopping rule
// the paper's program used with it.
package adam

import "math"

// Betas and epsilon of the original paper.
const (
	beta1   = 0.9
	beta2   = 0.999
	epsilon = 1e-8
)

// State is Adam's memory of one parameter vector.
type State struct {
	m, v        []float64
	t           int
	step, scale float64 // rate/(1-b1^t) and 1/sqrt(1-b2^t)
}

// New returns the state for n parameters.
func New(n int) *State { return &State{m: make([]float64, n), v: make([]float64, n)} }

// Step moves x against grad:
//
//	m <- b1 m + (1-b1) g,  v <- b2 v + (1-b2) g²,
//	x <- x - rate * (m/(1-b1^t)) / (sqrt(v/(1-b2^t)) + eps).
func (s *State) Step(x, grad []float64, rate float64) {
	s.Advance(rate)
	s.Move(0, x, grad)
}

// Advance begins a step whose parameters are then moved part by part.
func (s *State) Advance(rate float64) {
	s.t++
	s.step = rate / (1 - math.Pow(beta1, float64(s.t)))
	s.scale = 1 / math.Sqrt(1-math.Pow(beta2, float64(s.t)))
}

// Move moves the parameters x, the first of which is number from.
func (s *State) Move(from int, x, grad []float64) {
	step, scale := s.step, s.scale
	m, v := s.m[from:from+len(x)], s.v[from:from+len(x)]
	grad = grad[:len(x)]
	for i, g := range grad {
		mi := beta1*m[i] + (1-beta1)*g
		vi := beta2*v[i] + (1-beta2)*g*g
		m[i], v[i] = mi, vi
		x[i] -= step * mi / (math.Sqrt(vi)*scale + epsilon)
	}
}

// Stop is BoTorch's moving-average rule: with weights proportional to
// exp(linspace(-1, 0, 10)), stop when the weighted mean of the last ten losses
// lies less than a relative Tolerance below that of the ten before the last.
type Stop struct {
	Tolerance float64
	window    []float64
}

// stopWindow is the number of losses in each average.
const stopWindow = 10

// Done records a loss and says whether to stop.
func (s *Stop) Done(loss float64) bool {
	s.window = append(s.window, loss)
	if len(s.window) > stopWindow+1 {
		s.window = s.window[1:]
	}
	if len(s.window) <= stopWindow {
		return false
	}
	var before, now, sum float64
	for i := range stopWindow {
		w := math.Exp(-1 + float64(i)/(stopWindow-1))
		sum += w
		before += w * s.window[i]
		now += w * s.window[i+1]
	}
	before, now = before/sum, now/sum
	return (before-now)/math.Abs(before) < s.Tolerance
}
