package suggest

import (
	"math"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/method"
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
	model  *gp.Posterior
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
	f := &feasibility{}
	for _, o := range feasible[max(0, len(feasible)-mostLabels):] {
		f.points = append(f.points, o.X)
	}
	f.good = len(f.points)
	f.points = append(f.points, infeasible[max(0, len(infeasible)-mostLabels):]...)
	d := gp.Data{Points: gp.NewPoints(len(f.points[0])), Y: make([]float64, len(f.points))}
	for i, x := range f.points {
		d.Points.Append(x)
		d.Y[i] = f.label(i)
	}
	c := float64(2*f.good-len(f.points)) / float64(len(f.points))
	most := math.Inf(-1)
	for _, theta := range thetas {
		model, err := gp.Condition(gp.Hyper{
			Metric: gp.Isotropic{Theta: theta}, Noise: labelNoise, Scale: 1 - c*c, Known: true, Mean: &c,
		}, d, 0)
		if err != nil {
			continue
		}
		if score := f.score(model); score > most {
			f.model, most = model, score
		}
	}
	if f.model == nil {
		return nil
	}
	return f
}

// score is the sum of log P(label i | the others).
func (f *feasibility) score(model *gp.Posterior) (score float64) {
	for i := range f.points {
		mean, variance := model.LeaveOneOut(i)
		score += num.LogNormCDF(f.label(i) * mean / math.Sqrt(variance))
	}
	return score
}

func (f *feasibility) label(i int) float64 {
	if i < f.good {
		return 1
	}
	return -1
}

// probability is that of x being feasible.
func (f *feasibility) probability(x strategy.Point) float64 {
	mean, variance := f.model.Predict(x)
	return num.NormCDF(mean / math.Sqrt(variance+f.model.NoiseVariance()))
}

func (f *feasibility) likely(x strategy.Point) bool { return f.probability(x) >= confidence }

// retreat returns x when it is likely feasible, else the farthest point on the way to it
// from the nearest feasible one that looks so too. Where none does the labels say nothing,
// and x stays.
func (f *feasibility) retreat(x strategy.Point) strategy.Point {
	if f == nil || f.likely(x) {
		return x
	}
	var from strategy.Point
	nearest := math.Inf(1)
	for _, y := range f.points[:f.good] {
		if d := method.SquaredDistance(x, y); d < nearest && f.likely(y) {
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
