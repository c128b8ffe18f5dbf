package suggest

import (
	"context"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// Costs are what evaluations have cost, for a search for one objective that weighs improvement against cost:
//
//	a(x) = log EI(x) - Share log cost(x),
//
// expected improvement and expected cost of two Gaussian processes, the second of logarithms. Share falls from 1
// to 0 with the budget (Lee et al., Cost-aware Bayesian optimization, 2020): in the end only the value counts. With several
// objectives cost does not count: the improvement of the first alone would lead away from the others.
// Candidates are points of the method and points near them and near the best, so that every method can be made aware of
// cost.
type Costs struct {
	Points []strategy.Point
	Costs  []float64 // positive
	Share  float64
}

const (
	leastCosts = 6   // before them cost does not count
	mostCosts  = 250 // the latest: a choice stays in tenths of a second
	perPoint   = 4   // points that the method is asked for, for each
	neighbours = 24  // of each
	fitEvals   = 60

	mostBelieved = 256  // pending points
	stepsAround  = 0.25 // standard deviation of their coordinates
)

// choose replaces the points of a method by some that bring more for their cost. It returns nil when
// too little is known.
func (c *Costs) choose(ctx context.Context, q *Question, from []strategy.Suggestion) ([]strategy.Suggestion, error) {
	of := parametersOf(q)
	cost, err := learnSurface(ctx, of, c.Points, logs(c.Costs))
	if err != nil || cost == nil {
		return nil, err
	}
	points, values := make([]strategy.Point, len(q.Observations)), make([]float64, len(q.Observations))
	best := 0
	for i, o := range q.Observations {
		points[i], values[i] = o.X, o.Y[0]
		if values[i] < values[best] {
			best = i
		}
	}
	value, err := learnSurface(ctx, of, points, values)
	if err != nil || value == nil {
		return nil, err
	}
	var pending []strategy.Point
	for _, p := range q.Pending[max(0, len(q.Pending)-mostBelieved):] {
		pending = append(pending, p.X)
	}
	gp.BelieveAll(value.model, pending)
	r := rng.New(q.Config.Seed, uint64(q.Trials), rng.Purpose("cost"))
	type candidate struct {
		strategy.Suggestion
		parent int
		score  float64
	}
	var all []candidate
	add := func(s strategy.Suggestion, parent int) {
		placed, err := q.nearest(s.X)
		if err != nil {
			return
		}
		mean, std := value.at(placed.X)
		ei, _ := num.LogImprovement((value.least - mean) / std)
		logCost, _ := cost.at(placed.X)
		all = append(all, candidate{strategy.Suggestion{X: placed.X, Tag: s.Tag}, parent, ei + math.Log(std) - c.Share*cost.spread*logCost})
	}
	parents := append(slices.Clone(from), strategy.Suggestion{X: points[best]})
	for i, s := range parents {
		if i < len(from) {
			add(s, i)
		}
		for range neighbours {
			if q.Config.Limits > 0 {
				break // of limits only the method knows
			}
			x := slices.Clone(s.X)
			share := r.Float64()
			for _, p := range q.Space.Domain().Params {
				if r.Float64() > share {
					continue
				}
				for k := p.First; k < p.First+p.Width; k++ {
					x[k] = min(1, max(-1, x[k]+stepsAround*r.NormFloat64()))
				}
			}
			add(strategy.Suggestion{X: x, Tag: s.Tag}, i)
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	var chosen []strategy.Suggestion
	taken := map[int]bool{}
	for _, a := range all { // no two of one batch near the same point
		if !taken[a.parent] && len(chosen) < q.Count {
			taken[a.parent] = true
			chosen = append(chosen, a.Suggestion)
		}
	}
	return chosen, nil
}

func logs(values []float64) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = math.Log(v)
	}
	return list
}

// parametersOf says which parameter a coordinate belongs to.
func parametersOf(q *Question) []int {
	var of []int
	for i, p := range q.Space.Domain().Params {
		for range p.Width {
			of = append(of, i)
		}
	}
	return of
}

// surface is a Gaussian process of standardised values, with a weight for each parameter.
type surface struct {
	model  *gp.Posterior
	spread float64
	least  float64 // fitted value
}

// learnSurface fits the latest values; nil when they are too few, or all alike.
func learnSurface(ctx context.Context, of []int, points []strategy.Point, values []float64) (*surface, error) {
	from := max(0, len(points)-mostCosts)
	points, values = points[from:], values[from:]
	if len(points) < leastCosts {
		return nil, nil
	}
	mean, std := num.MeanStd(values)
	if !(std > 1e-9*math.Abs(mean)) { // in whatever unit
		return nil, nil
	}
	d := gp.Data{Points: gp.NewPoints(len(of)), Y: make([]float64, len(values))}
	for i, x := range points {
		d.Points.Append(x)
		d.Y[i] = (values[i] - mean) / std
	}
	params := 1 + slices.Max(of)
	prior := gp.HyperParam{
		Name: "weight", Prior: gp.LogNormalPrior{Mu: -math.Log(float64(params)), StdDev: 2}, Low: math.Log(1e-8), High: math.Log(100),
	}
	noise := gp.HyperParam{Name: "noise", Prior: gp.LogNormalPrior{Mu: -5, StdDev: 1.5}, Low: math.Log(1e-6), High: math.Log(10)}
	hyper, _, err := gp.Fit(ctx, gp.Prior{Metric: gp.Weighted{Of: of, Param: prior}, Noise: noise, Scale: 1, Evals: fitEvals}, d)
	if err != nil {
		return nil, err
	}
	model, err := gp.Condition(hyper, d, mostBelieved)
	if err != nil {
		return nil, err
	}
	return &surface{model: model, spread: std, least: slices.Min(model.Fitted())}, nil
}

// at is what is expected at a point, in units of the spread.
func (s *surface) at(x strategy.Point) (mean, std float64) {
	mean, variance := s.model.Predict(x)
	return mean, math.Sqrt(math.Max(variance, 1e-12))
}
