package adaptive

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/acquire"
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/strategy"
)

// weighings are the places with models that have weights, during one Ask.
type weighings struct {
	run      *run
	of       *relevance        // nil for none
	places   map[int]*weighing // by number of the model
	believed []strategy.Point
	spare    int  // points that may be believed
	stays    bool // no place follows points that are believed
	jitter   float64
}

// weighing is a place with such a model.
type weighing struct {
	place
	weights    []float64     // by coordinate, the largest is 1
	directions linalg.Matrix // that the weights are of; none where they are those of the parameters
	others     []basin       // other valleys
	looked     bool          // for them
}

// draw returns the place of a query; it is nil for the queries of the even model.
func (s *weighings) draw(ctx context.Context, r *rand.Rand) (*weighing, error) {
	if s.of == nil {
		return nil, nil
	}
	k, ok := s.of.draw(r)
	if !ok {
		return nil, nil
	}
	return s.at(ctx, k)
}

// at returns the place with model k.
func (s *weighings) at(ctx context.Context, k int) (*weighing, error) {
	if p, known := s.places[k]; known {
		return p, nil
	}
	p, err := s.of.weigh(ctx, k, s.spare)
	if err != nil {
		return nil, err
	}
	s.jitter = max(s.jitter, p.model.Jitter())
	gp.BelieveAll(p.model, s.believed)
	if !s.stays {
		for i, x := range s.believed {
			p.followTo(x, p.model.MeanOf(x, i+1))
		}
	}
	s.places[k] = p
	return p, nil
}

// believe adds a point to all models at its predicted value.
func (s *weighings) believe(x strategy.Point) {
	s.believed = append(s.believed, x)
	for _, p := range s.places {
		p.model.Believe(x)
		if !s.stays {
			p.follow(x)
		}
	}
}

// weigh is the place around the lowest point of model k.
func (v *relevance) weigh(ctx context.Context, k, spare int) (*weighing, error) {
	a := v.run
	known, err := v.condition(ctx, k, spare)
	if err != nil {
		return nil, err
	}
	p := &weighing{place: *a.around(known, everywhere), weights: make([]float64, a.Dim)}
	w, directions := v.models[k].weights()
	p.directions = directions
	largest := slices.Max(w)
	for j, i := range a.of {
		p.weights[j] = w[i] / largest
	}
	return p, nil
}

// condition returns the posterior of model k.
func (v *relevance) condition(ctx context.Context, k, spare int) (posterior, error) {
	a := v.run
	if v.turned {
		d, std := a.spread(a.MostFitted)
		s := a.newScaled(v.even.log, d.Y, std, a.designMedian(len(a.y)))
		model, err := gp.Condition(v.models[k].hyper, gp.Data{Points: d.Points, Y: s.w, Given: s.noise}, spare)
		return posterior{Data: d, scaled: s, std: std, model: model}, err
	}
	if a.many() {
		c, err := a.gather(ctx, v.crowds[k], v.models[k].hyper, v.even.log, weightCut)
		if err != nil {
			return posterior{}, err
		}
		if v.crowds == nil {
			v.crowds = map[int]*crowd{}
		}
		v.crowds[k] = c
		return c.posterior(a, spare)
	}
	d, std := a.keep(len(a.y), a.MostModel)
	s := a.newScaled(v.even.log, d.Y, std, a.designMedian(len(a.y)))
	model, err := v.growers.of(k, a.Config.Threads).Condition(v.models[k].hyper, gp.Data{Points: d.Points, Y: s.w, Given: s.noise}, spare)
	return posterior{Data: d, scaled: s, std: std, model: model}, err
}

// query minimises an acquisition function inside the place's box. Unlike the even model's, the
// function is flat where nothing matters, and steep where something does: many starts are
// looked at, the most promising ones are followed by L-BFGS-B, the winner further. With few
// parameters all queries maximise the expected improvement.
func (p *weighing) query(ctx context.Context, taken taken, r *rand.Rand) (strategy.Point, error) {
	f := acquire.Term{Model: p.model, Of: p.acquisition(p.improvement(), p.noise(), r)}
	region := p.region.Around(p.centre, p.reach)
	x := linalg.New(p.Screened, p.Dim)
	for i := range x.Rows {
		p.start(x.Row(i), i, r)
		region.Keep(x.Row(i))
	}
	winner, err := acquire.Race(ctx, f, x, region, followed, followSteps, winnerSteps, r)
	if err != nil {
		return nil, err
	}
	return p.evaluable(ctx, f, winner, region, taken, r)
}

// improvement is the share of the queries that maximise the expected improvement.
func (p *weighing) improvement() float64 {
	if p.few() && p.Improvement > 0 {
		return 1
	}
	return p.Improvement
}

// noise is the variance of the noise, 0 where it is too small to tell from what the model
// gets wrong.
func (p *weighing) noise() float64 {
	if noise := p.model.NoiseVariance(); noise > littleNoise*p.model.OutputScale() {
		return noise
	}
	return 0
}

// littleNoise is a variance of the noise relative to that of the function.
const littleNoise = 1e-3

const (
	followed    = 5 // starts
	followSteps = 8
	winnerSteps = 42
)

// start fills x with start number i: anywhere; elsewhere in parameters that matter; near the
// best point; near in parameters that matter. A parameter that does not matter stays where it
// is at the best point, often at a bound. Directions are treated as parameters are.
func (p *weighing) start(x []float64, i int, r *rand.Rand) {
	if p.directions.Rows > 0 {
		p.startAlong(x, i, r)
		return
	}
	tau := math.Pow(10, -3*r.Float64())
	for j, c := range p.centre {
		anywhere, near := 2*r.Float64()-1, c+tau*r.NormFloat64()
		matters := r.Float64() < math.Sqrt(p.weights[j])
		switch {
		case i%4 == 0, i%4 == 1 && matters:
			x[j] = anywhere
		case i%4 == 2, i%4 == 3 && matters:
			x[j] = near
		default:
			x[j] = c
		}
	}
}

// startAlong is start with directions.
func (p *weighing) startAlong(x []float64, i int, r *rand.Rand) {
	tau := math.Pow(10, -3*r.Float64())
	step := make([]float64, len(x))
	for j, c := range p.centre {
		anywhere, near := 2*r.Float64()-1-c, tau*r.NormFloat64()
		if step[j] = near; i%4 < 2 {
			step[j] = anywhere
		}
	}
	copy(x, p.centre)
	if i%2 == 0 {
		linalg.Axpy(x, 1, step)
		return
	}
	for k, w := range p.weights {
		if r.Float64() < math.Sqrt(w) {
			linalg.Axpy(x, linalg.Dot(step, p.directions.Row(k)), p.directions.Row(k))
		}
	}
}
