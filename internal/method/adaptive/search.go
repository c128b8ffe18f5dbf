package adaptive

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/acquire"
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/strategy"
)

// everywhere is the reach of the whole box [-1,1]^D.
const everywhere = 2

// place is where a query looks: in a box around a good point, with a model.
type place struct {
	*adaptive
	model  *gp.Posterior
	centre []float64
	best   float64 // what the model expects there
	reach  float64 // half-width of the box of queries
}

// around is the place around the lowest point of a model.
func (a *adaptive) around(p posterior, reach float64) *place {
	fitted, point := p.model.Fitted(), p.Points.At
	if p.crowd != nil {
		var points [][]float64
		points, fitted = p.crowd.lowest(p)
		point = func(i int) []float64 { return points[i] }
	}
	i := method.Lowest(fitted, 1)[0]
	at := &place{a, p.model, point(i), fitted[i], reach}
	if !a.region.Whole() {
		at.enter(point, fitted)
	}
	return at
}

// enter moves the centre into a region that the observations need not lie in: to the lowest
// of the images of the lowest points.
func (p *place) enter(point func(i int) []float64, fitted []float64) {
	p.best = math.Inf(1)
	for _, i := range method.Lowest(fitted, images) {
		x := slices.Clone(point(i))
		p.region.Keep(x)
		if mean, _ := p.model.Predict(x); mean < p.best {
			p.best, p.centre = mean, x
		}
	}
}

// images is the number of lowest points whose images in a region are compared.
const images = 20

// at is around a front that is not the lowest, with the same model.
func (p *place) at(front strategy.Point) *place {
	best, _ := p.model.Predict(front)
	return &place{p.adaptive, p.model, front, best, p.Territory}
}

// follow moves to a point that is believed to be better.
func (p *place) follow(x strategy.Point) {
	mean, _ := p.model.Predict(x)
	p.followTo(x, mean)
}

// followTo is follow where the model expects a mean.
func (p *place) followTo(x strategy.Point, mean float64) {
	if mean < p.best {
		p.best, p.centre = mean, x
	}
}

// query minimises an acquisition function inside the place's box: the expected
// improvement over best in a share of the cases, else mean - beta std.
func (p *place) query(ctx context.Context, taken taken, r *rand.Rand) (strategy.Point, error) {
	f := p.acquisition(p.Improvement, 0, r)
	region := p.region.Around(p.centre, p.reach)
	x := linalg.New(p.Starts, len(p.centre))
	for i := range p.Starts {
		p.start(x.Row(i), i, r)
		region.Keep(x.Row(i))
	}
	term := acquire.Term{Model: p.model, Of: f}
	winner, err := acquire.Descend(ctx, term, x, region, p.Steps)
	if err != nil {
		return nil, err
	}
	return p.evaluable(ctx, term, winner, region, taken, r)
}

// taken says whether a point is known or believed.
type taken func(x []float64) bool

// evaluable moves the end of a query to labels and levels.
func (p *place) evaluable(ctx context.Context, f acquire.Function, x []float64, region *acquire.Region, taken taken, r *rand.Rand) (strategy.Point, error) {
	if p.grid == nil {
		return x, nil
	}
	return p.grid.Improve(ctx, f, x, region, taken, r)
}

// acquisition draws what a query minimises: the expected improvement in a share of the cases.
func (p *place) acquisition(share, noise float64, r *rand.Rand) gp.Moments {
	f := acquire.LowerBound(betas[r.IntN(len(betas))])
	if share > 0 && r.Float64() < share {
		f = acquire.NoisyImprovement(p.best, noise)
	}
	return f
}

// start fills x with start number i. Its random part stays in directions that the model
// knows nothing of, where the acquisition function is flat: every evaluation teaches a new
// direction. How much of it there is varies over two decades.
func (p *place) start(x []float64, i int, r *rand.Rand) {
	tau := p.reach
	if i > 0 {
		tau *= math.Pow(10, -2*r.Float64())
	}
	switch whole := p.reach == everywhere; {
	case whole && i%3 == 1: // anywhere
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
	case whole && i%3 == 2: // near the middle
		for j := range x {
			x[j] = p.NearMiddle * r.NormFloat64()
		}
	default:
		for j, c := range p.centre {
			x[j] = c + tau*(2*r.Float64()-1)
		}
	}
}
