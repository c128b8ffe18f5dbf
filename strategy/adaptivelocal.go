package strategy

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/num"
)

const (
	localShare    = 0.3 // of the queries look at the surroundings alone
	maxNeighbours = 100 // observations of a local model, 20 + 2D in few dimensions
)

// place is where a query looks: a point, and the model around it.
type place struct {
	model  *gp.IsotropicModel
	centre []float64
	best   float64 // what the model expects there
	reach  float64 // half-width of the box of queries
}

// newPlace is around the lowest point of a model.
func newPlace(model *gp.IsotropicModel, cloud *gp.Cloud, reach float64) *place {
	i := lowest(model.Fitted(), 1)[0]
	return &place{model: model, centre: cloud.At(i), best: model.Fitted()[i], reach: reach}
}

// at is around a front that is not the lowest, with the same model.
func (p *place) at(front Point) *place {
	best, _ := p.model.Predict(front)
	return &place{model: p.model, centre: front, best: best, reach: territory}
}

// query searches for a point.
func (p *place) query(ctx context.Context, improvements bool, r *rand.Rand) (Point, error) {
	return query{centre: p.centre, reach: p.reach}.search(ctx, p.model, p.best, improvements, r)
}

// follow moves to x when it is believed to be better.
func (p *place) follow(x Point) {
	if mean, _ := p.model.Predict(x); mean < p.best {
		p.best, p.centre = mean, x
	}
}

// surroundings are the places with local models during one Ask. A model of everything is as
// smooth as the function is on the whole, and follows no narrow valley; a model of the
// nearest observations is as rough as the function is there. As the search closes in they
// do so too, and with them the box of its queries. Where the model of everything predicts
// these observations better, as it does when there is noise to average, there is no other.
type surroundings struct {
	run      *run
	all      posterior
	lowest   Point          // of the model of everything
	places   map[int]*place // by number of the front, aroundLowest for lowest; nil where there is none
	believed []Point
	spare    int     // points that may be believed
	jitter   float64 // largest of a local model
}

const aroundLowest = -1

// draw returns, for a share of the queries, the place around a front, or around the lowest
// point when the front is no other one. It is nil for the rest of the queries and where
// local models say nothing.
func (s *surroundings) draw(ctx context.Context, front int, other bool, r *rand.Rand) (*place, error) {
	if s.run.without == local || len(s.all.y) < 2*s.neighbours() || r.Float64() >= localShare {
		return nil, nil
	}
	at := s.lowest
	if other {
		at = s.run.fronts.at[front]
	} else {
		front = aroundLowest
	}
	if p, known := s.places[front]; known {
		return p, nil
	}
	p, err := s.around(ctx, at)
	if p != nil {
		for _, x := range s.believed {
			p.model.Believe(x)
		}
	}
	s.places[front] = p
	return p, err
}

// believe adds a point to all models at its predicted value.
func (s *surroundings) believe(x Point) {
	s.believed = append(s.believed, x)
	for _, p := range s.places {
		if p != nil {
			p.model.Believe(x)
		}
	}
}

// neighbours is the number of observations of a local model.
func (s *surroundings) neighbours() int { return min(20+2*s.run.cfg.Dim, maxNeighbours) }

// around returns the place around x with a model of the nearest observations, nil where it
// does not predict them better than the model of everything. The prior expects of the
// surroundings what it expects of the whole box, on their own scale.
func (s *surroundings) around(ctx context.Context, x Point) (*place, error) {
	numbers := nearest(s.all.cloud, len(s.all.y), x, s.neighbours())
	reach := make([]float64, len(numbers))
	for k, i := range numbers {
		for j, v := range s.all.cloud.At(i) {
			reach[k] = max(reach[k], math.Abs(v-x[j]))
		}
	}
	cloud, y, std := s.all.cloud.Subset(numbers), pick(s.all.y, numbers), pick(s.all.std, numbers)
	prior := gp.IsotropicPrior{
		Profile: gp.Matern52,
		Theta:   gp.LogNormalPrior{Mu: math.Log(usualTheta * boxSquare / max(cloud.MeanSquare(), smallestSquare)), StdDev: 1},
		Noise:   gp.LogNormalPrior{Mu: math.Log(usualNoise), StdDev: 2},
	}
	median := num.Median(y)
	fit, err := fitScale(ctx, prior, cloud, y, std, median, s.run.without != logarithm)
	if err != nil {
		return nil, ctx.Err()
	}
	local := newScaled(fit.log, y, std, median)
	model, err := gp.NewIsotropicModel(fit.hyper, cloud, local.w, local.noise, s.spare)
	if err != nil {
		return nil, nil
	}
	s.jitter = max(s.jitter, model.Jitter())
	gain := 0.0
	for k, i := range numbers {
		gain += local.logDensity(model, k) - s.all.logDensity(s.all.model, i)
	}
	if !(gain > 0) {
		return nil, nil
	}
	return newPlace(model, cloud, num.Median(reach)), nil
}

const (
	boxSquare      = 2. / 3 // mean squared difference of two uniform coordinates of the box
	smallestSquare = 1e-12  // of points on top of each other
)

// nearest returns the numbers of those of the first n points that are closest to x, in order.
func nearest(cloud *gp.Cloud, n int, x Point, count int) []int {
	numbers, r2 := make([]int, n), make([]float64, n)
	for i := range n {
		numbers[i], r2[i] = i, squaredDistance(cloud.At(i), x)
	}
	slices.SortStableFunc(numbers, func(i, j int) int { return cmp.Compare(r2[i], r2[j]) })
	numbers = numbers[:count]
	slices.Sort(numbers)
	return numbers
}
