package study

import (
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/strategy"
)

// feasibility is the probability that a point can be evaluated, learned from those that
// could and those that could not: a Gaussian process on the labels +1 and -1 (least-squares
// classification, Rasmussen & Williams 2006, section 6.5),
//
//	t = c + f(x) + noise,  cov(f(x), f(x')) = (1-c²) exp(-theta |x-x'|²/(2D)),
//	P(feasible | x) = Phi(mean/sqrt(variance + noise)),
//
// c the mean label. theta is the one under which the labels, each left out in turn, are
// most probable.
type feasibility struct {
	points []strategy.Point
	good   int // the first points are feasible
	rate   float64
	c      float64
	alpha  []float64     // K⁻¹(t - c)
	s      linalg.Matrix // K⁻¹
}

const (
	labelNoise = 0.05 // of the labels' variance: one may be an accident
	confidence = 0.9  // of a suggestion; unknown places have it while one trial in ten is infeasible
	mostLabels = 300  // of each kind, the latest: a choice stays in milliseconds
	halvings   = 30   // of the way back to a feasible point
)

// thetas are the smoothnesses compared, from one half-space to small pockets.
var thetas = []float64{0.3, 1, 3, 10, 30, 100, 300, 1000}

// learnFeasibility returns nil when there is nothing to tell apart.
func learnFeasibility(feasible []strategy.Observation, infeasible []strategy.Point) *feasibility {
	if len(feasible) == 0 || len(infeasible) == 0 {
		return nil
	}
	var points []strategy.Point
	for _, o := range feasible[max(0, len(feasible)-mostLabels):] {
		points = append(points, o.X)
	}
	good := len(points)
	points = append(points, infeasible[max(0, len(infeasible)-mostLabels):]...)
	var best *feasibility
	most := math.Inf(-1)
	for _, theta := range thetas {
		f := &feasibility{points: points, good: good, rate: -theta / (2 * float64(len(points[0])))}
		f.c = float64(2*good-len(points)) / float64(len(points))
		if score, ok := f.fit(); ok && score > most {
			best, most = f, score
		}
	}
	return best
}

// fit conditions on the labels and returns the sum of log P(label i | the others). Without
// point i, its mean is t_i - alpha_i/S_ii and its variance 1/S_ii, noise included.
func (f *feasibility) fit() (score float64, ok bool) {
	n := len(f.points)
	k := linalg.New(n, n)
	for i := range n {
		f.correlate(k.Row(i)[:i], f.points[i])
		k.Set(i, i, 1+labelNoise)
	}
	if linalg.Cholesky(k) != nil {
		return 0, false
	}
	f.s = linalg.New(n, n)
	linalg.InverseFromCholesky(f.s, k)
	residual := make([]float64, n)
	for i := range residual {
		residual[i] = f.label(i) - f.c
	}
	f.alpha = make([]float64, n)
	for i := range f.alpha {
		f.alpha[i] = linalg.Dot(f.s.Row(i), residual)
		precision := f.s.At(i, i)
		mean := f.label(i) - f.alpha[i]/precision
		score += num.LogNormCDF(f.label(i) * mean * math.Sqrt(precision/f.scale()))
	}
	return score, true
}

// scale is the variance of the labels, and of f before it is learned.
func (f *feasibility) scale() float64 { return 1 - f.c*f.c }

func (f *feasibility) label(i int) float64 {
	if i < f.good {
		return 1
	}
	return -1
}

// correlate fills k with the correlations of x and the first len(k) points.
func (f *feasibility) correlate(k []float64, x strategy.Point) {
	for i := range k {
		k[i] = squaredDistance(x, f.points[i])
	}
	linalg.ExpScaled(k, 1, f.rate, k)
}

func squaredDistance(x, y strategy.Point) float64 {
	sum := 0.0
	for j := range x {
		sum += (x[j] - y[j]) * (x[j] - y[j])
	}
	return sum
}

// probability is that of x being feasible.
func (f *feasibility) probability(x strategy.Point) float64 {
	k := make([]float64, len(f.points))
	f.correlate(k, x)
	mean, variance := f.c+linalg.Dot(k, f.alpha), 1.0
	for i, v := range k {
		variance -= v * linalg.Dot(f.s.Row(i), k)
	}
	return num.NormCDF(mean / math.Sqrt(f.scale()*(max(variance, 0)+labelNoise)))
}

func (f *feasibility) likely(x strategy.Point) bool { return f.probability(x) >= confidence }

// withdraw returns x when it is likely feasible, else the farthest point on the way to it
// from the nearest feasible one that looks so too. Where none does the labels say nothing,
// and x stays.
func (f *feasibility) withdraw(x strategy.Point) strategy.Point {
	if f == nil || f.likely(x) {
		return x
	}
	var from strategy.Point
	nearest := math.Inf(1)
	for _, y := range f.points[:f.good] {
		if d := squaredDistance(x, y); d < nearest && f.likely(y) {
			from, nearest = y, d
		}
	}
	if from == nil {
		return x
	}
	between := func(t float64) strategy.Point {
		y := make(strategy.Point, len(x))
		for j := range y {
			y[j] = from[j] + t*(x[j]-from[j])
		}
		return y
	}
	low, high := 0.0, 1.0
	for range halvings {
		if middle := (low + high) / 2; f.likely(between(middle)) {
			low = middle
		} else {
			high = middle
		}
	}
	return between(low)
}
