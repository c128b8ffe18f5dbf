// Package adaptive is mahabo's own method, described in docs/METHOD.md: descents (run.go)
// with a Gaussian process that treats all directions alike, fitted to outputs whose scale
// is chosen by evidence (scale.go), and queries that keep a random part (search.go).
//
// With fewer evaluations than parameters a descent sees little of the rest of the box. How
// rough the function was on the way of the first one says where else to look. A rough one has
// valleys of its own everywhere, and the first steps decide which one a descent ends in:
// more short descents follow, each from random points of its own and blind to the others,
// and the search goes on from where they ended (fronts.go), with what all have seen. A
// smooth one is followed as long as it pays, then seen from its other side (ascent.go).
// These are phases, one after the other.
//
// Tasks with limits or several objectives are those of package several.
package adaptive

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/mahabo/mahabo/internal/acquire"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/several"
	"github.com/mahabo/mahabo/strategy"
)

// Method describes adaptive.
func Method() strategy.Method {
	return strategy.Method{
		Name:      "adaptive",
		Summary:   "mahabo's own: Gaussian processes with and without a weight for each parameter, used by how well they predict, and a look at other valleys",
		Reference: "docs/METHOD.md",
		Batch:     true,
		Abilities: strategy.Abilities{Objectives: several.Most, Limits: true},
		Options:   options(),
		New:       build,
	}
}

// adaptive is the method. Tell keeps observations; Ask goes through those that are new, and
// the phases they lead to, and lets the last phase choose. All of it is a function of the
// observations.
type adaptive struct {
	settings
	method.History
	region *acquire.Region
	grid   *acquire.Grid // nil where all parameters are real
	params int           // number of parameters
	of     []int         // parameter of each coordinate
	whole  *run          // all observations that Ask has gone through
	phase  phase
	within bool // the phase has learned of the next observation, and has to be followed
	middle middle
	cloud  cloud
	report strategy.AskReport
	began  time.Time // the last Ask
}

var (
	_ strategy.Strategy  = (*adaptive)(nil)
	_ strategy.Reporter  = (*adaptive)(nil)
	_ strategy.Predictor = (*adaptive)(nil)
)

// phase is what the method is about.
type phase interface {
	// learn takes note of an observation, which the whole run has already.
	learn(o observation)
	// next is the phase that follows the last observation, often the same. It may fit.
	next(ctx context.Context) (phase, error)
	// run is the descent under way.
	run() *run
	// propose chooses n points, given which are pending.
	propose(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Point, error)
}

func build(cfg strategy.Config, given strategy.Settings) (strategy.Strategy, error) {
	s, err := read(given)
	if err != nil {
		return nil, err
	}
	if cfg.Objectives > 1 || cfg.Limits > 0 {
		return several.New(cfg), nil
	}
	a := &adaptive{settings: s, History: method.NewHistory(cfg), region: acquire.NewRegion(cfg.Domain), grid: acquire.NewGrid(cfg.Domain)}
	a.params = len(cfg.Domain.Params)
	for i, p := range cfg.Domain.Params {
		a.of = append(a.of, slices.Repeat([]int{i}, p.Width)...)
	}
	a.whole = a.newRun()
	if a.WeightShare > 0 {
		a.whole.relevance = &relevance{run: a.whole}
	}
	if a.first() > 1 {
		a.phase = &descent{adaptive: a, number: 1, of: a.newRun()}
	} else {
		a.phase = &search{adaptive: a, mayAscend: a.far() && a.Ascent}
	}
	return a, nil
}

// far says that there are many evaluations to come, and more parameters.
func (a *adaptive) far() bool { return a.Config.Budget >= a.FarBudget && a.params >= a.Config.Budget }

// first is the number of first descents.
func (a *adaptive) first() int {
	switch {
	case a.params < a.Config.Init+a.DescentLength: // one descent knows the surroundings
		return 1
	case a.Descents > 0:
		return a.Descents
	case a.far():
		return firstDescents
	}
	return 1
}

// Tell keeps observations.
func (a *adaptive) Tell(obs ...strategy.Observation) error {
	if err := a.Add(obs); err != nil {
		return err
	}
	a.cloud.learn(len(a.Y)-len(obs), obs)
	a.middle.told = a.middle.told || slices.ContainsFunc(obs, func(o strategy.Observation) bool { return o.Tag == middleTag })
	return nil
}

// Ask chooses points. The point opposite to the end of an ascent has a tag: while it is
// pending it is not asked for again. So has the middle, which is asked for once, wherever it was
// evaluated: whoever asks may round it, or draw it back from where points are infeasible.
func (a *adaptive) Ask(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
	a.began = time.Now()
	a.middle.open = slices.ContainsFunc(pending, func(p strategy.Suggestion) bool { return p.Tag == middleTag })
	a.middle.first = false
	a.cloud.drawn = 0
	asked, err := a.AskModel(ctx, &a.report, n, pending, func(ctx context.Context, n int, _ []strategy.Point) ([]strategy.Point, error) {
		if err := a.follow(ctx); err != nil {
			return nil, err
		}
		return a.phase.propose(ctx, n, pending)
	})
	if f, ok := a.phase.(*fronts); ok && err == nil && a.report.Fallback == nil && f.opposite {
		asked[0].Tag = oppositeTag
	}
	if err == nil && a.report.Fallback == nil {
		if a.middle.first {
			asked[0].Tag = middleTag
		}
		a.cloud.tag(asked)
	}
	return asked, err
}

// follow goes through the observations that are new. When the context ends, the next call goes
// on where it was.
func (a *adaptive) follow(ctx context.Context) error {
	for {
		if i := len(a.whole.y); !a.within {
			if i == len(a.Y) {
				return nil
			}
			o := observation{a.X[i], a.Y[i], a.Std[i]}
			a.whole.add(o)
			a.phase.learn(o)
			a.within = true
		}
		next, err := a.phase.next(ctx)
		if err != nil {
			return err
		}
		a.phase, a.within = next, false
	}
}

// LastAsk says how the last Ask went.
func (a *adaptive) LastAsk() strategy.AskReport { return a.report }

// Predict returns what the model of the last Ask expects at a point.
func (a *adaptive) Predict(x strategy.Point) (mean, std float64, ok bool) {
	return a.PredictBy(x, a.phase.run().forecast)
}

// middle is what became of the middle of the box.
type middle struct {
	told  bool // it was observed
	open  bool // it is pending
	first bool // the last Ask begins with it
}

// middleTag marks its suggestion.
const middleTag = "middle"

// inMiddle is the middle of the box, with the labels of the best point: the first of n points after the design, nil when it is taken
// and later. Of many workers more points than those of the design are told when one asks again. In many dimensions the middle is
// nearer to most points than they are to each other, and people tend to choose bounds around what they would try.
func (a *adaptive) inMiddle(best strategy.Point, pending []strategy.Point, n int) strategy.Point {
	if a.middle.told || a.middle.open || len(a.Y) >= a.Config.Init+len(pending)+n {
		return nil
	}
	x := slices.Clone(best)
	var numbers []int
	for _, p := range a.Config.Domain.Params {
		if p.Kind != strategy.Label && p.Kind != strategy.Bool {
			x[p.First] = 0
			numbers = append(numbers, p.First)
		}
	}
	a.region.Keep(x)
	if a.grid != nil {
		a.grid.Snap(x)
	}
	same := func(p strategy.Point) bool {
		return !slices.ContainsFunc(numbers, func(j int) bool { return math.Abs(p[j]-x[j]) > 1e-9 })
	}
	if slices.ContainsFunc(a.X, same) || slices.ContainsFunc(pending, same) { // as all are where there are no numbers
		return nil
	}
	return x
}

// uniform returns n random points, which begin a descent.
func (a *adaptive) uniform(n, pending int) []strategy.Point {
	return method.UniformAfterDesign(a.Config, len(a.Y)+pending, n)
}

// descent is one of the first descents, blind to the others: it does not see what lies around their ends.
type descent struct {
	*adaptive
	number int // from 1 on
	of     *run
	ends   []front // of those before it
}

func (d *descent) run() *run { return d.of }

func (d *descent) learn(o observation) {
	if !slices.ContainsFunc(d.ends, func(f front) bool { return f.covers(o.x, d.Territory) }) {
		d.of.add(o)
	}
}

// next follows the last observation of the descent. Others follow the first one when the
// function is rough; then there is no ascent.
func (d *descent) next(ctx context.Context) (phase, error) {
	if len(d.whole.y)%(d.Config.Init+d.DescentLength) != 0 {
		return d, nil
	}
	ends := d.ends
	if len(d.of.y) > 0 {
		ends = append(slices.Clip(ends), front{d.of.x[d.of.best], d.of.y[d.of.best], true})
	}
	if d.number < d.first() {
		rough := true
		if d.number == 1 {
			var err error
			if rough, err = d.of.rough(ctx); err != nil {
				return nil, err
			}
		}
		if rough {
			return &descent{adaptive: d.adaptive, number: d.number + 1, of: d.newRun(), ends: ends}, nil
		}
	}
	if len(ends) > 1 {
		return &fronts{adaptive: d.adaptive, all: ends, left: d.FrontLength}, nil
	}
	return &search{adaptive: d.adaptive, mayAscend: d.number == 1 && d.far() && d.Ascent}, nil
}

func (d *descent) propose(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Point, error) {
	if len(d.of.y) == 0 || len(d.of.y)+len(pending) < d.Config.Init {
		return d.uniform(n, len(pending)), nil
	}
	return d.of.propose(ctx, n, method.Points(pending), nil)
}

// search goes on from the lowest point with all observations.
type search struct {
	*adaptive
	mayAscend bool
}

func (s *search) run() *run         { return s.whole }
func (s *search) learn(observation) {}

func (s *search) propose(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Point, error) {
	return s.whole.proposeWithCloud(ctx, n, pending)
}
