package adaptive

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/strategy"
)

// surroundings are the places with local models during one Ask. A model of everything is as
// smooth as the function is on the whole, and follows no narrow valley; a model of the
// nearest observations is as rough as the function is there. As the search closes in they
// do so too, and with them the box of its queries. Where the model of everything predicts
// these observations better, as it does when there is noise to average, there is no other.
type surroundings struct {
	run      *run
	all      posterior
	lowest   strategy.Point // of the model of everything
	places   map[int]*place // by number of the front, aroundLowest for lowest; nil where there is none
	believed []strategy.Point
	spare    int     // points that may be believed
	jitter   float64 // largest of a local model
}

const aroundLowest = -1

// draw returns, for a share of the queries, the place around front k at a point, or around
// the lowest point when there is no such front. It is nil for the rest of the queries and
// where local models say nothing.
func (s *surroundings) draw(ctx context.Context, k int, at strategy.Point, r *rand.Rand) (*place, error) {
	if s.run.LocalShare == 0 || len(s.all.Y) < 2*s.neighbours() || r.Float64() >= s.run.LocalShare {
		return nil, nil
	}
	if at == nil {
		k, at = aroundLowest, s.lowest
	}
	if p, known := s.places[k]; known {
		return p, nil
	}
	p, err := s.around(ctx, at)
	if p != nil {
		gp.BelieveAll(p.model, s.believed)
	}
	s.places[k] = p
	return p, err
}

// believe adds a point to all models at its predicted value.
func (s *surroundings) believe(x strategy.Point) {
	s.believed = append(s.believed, x)
	for _, p := range s.places {
		if p != nil {
			p.model.Believe(x)
		}
	}
}

// neighbours is the number of observations of a local model.
func (s *surroundings) neighbours() int { return min(20+2*s.run.params, s.run.Neighbours) }

// around returns the place around x with a model of the nearest observations, nil where it
// does not predict them better than the model of everything. The prior expects of the
// surroundings what it expects of the whole box, on their own scale.
func (s *surroundings) around(ctx context.Context, x strategy.Point) (*place, error) {
	a := s.run
	numbers := nearest(s.all.Points, len(s.all.Y), x, s.neighbours())
	reach := make([]float64, len(numbers))
	for k, i := range numbers {
		for j, v := range s.all.Points.At(i) {
			reach[k] = max(reach[k], math.Abs(v-x[j]))
		}
	}
	d, std := gp.Data{Points: s.all.Points.Subset(numbers), Y: pick(s.all.Y, numbers)}, pick(s.all.std, numbers)
	prior := gp.Prior{
		Profile: gp.Matern52,
		Metric: gp.Isotropic{Prior: gp.LogNormalPrior{
			Mu: math.Log(a.LocalTheta / max(d.Points.MeanSquare(), smallestSquare)), StdDev: a.LocalSpread,
		}},
		Noise: gp.NoiseParam(gp.LogNormalPrior{Mu: math.Log(a.Noise), StdDev: a.NoiseSpread}),
	}
	median := num.Median(d.Y)
	fit, err := a.fitScale(ctx, prior, d, std, median)
	if err != nil {
		return nil, ctx.Err()
	}
	local := a.newScaled(fit.log, d.Y, std, median)
	model, err := gp.Condition(fit.hyper, gp.Data{Points: d.Points, Y: local.w, Given: local.noise}, s.spare)
	if err != nil {
		return nil, nil
	}
	s.jitter = max(s.jitter, model.Jitter())
	gain := 0.0
	for k, i := range numbers {
		gain += local.logDensity(model, k) - s.all.logDensityAt(i)
	}
	if !(gain > 0) {
		return nil, nil
	}
	return a.around(posterior{Data: d, model: model}, num.Median(reach)), nil
}

// smallestSquare is the mean square of points on top of each other.
const smallestSquare = 1e-12

// nearest returns the numbers of those of the first n points that are closest to x, in order.
func nearest(points *gp.Points, n int, x strategy.Point, count int) []int {
	numbers, r2 := make([]int, n), make([]float64, n)
	for i := range n {
		numbers[i], r2[i] = i, method.SquaredDistance(points.At(i), x)
	}
	slices.SortStableFunc(numbers, func(i, j int) int { return cmp.Compare(r2[i], r2[j]) })
	numbers = numbers[:count]
	slices.Sort(numbers)
	return numbers
}
