package adaptive

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// observation is one with a single value.
type observation struct {
	x      strategy.Point
	y, std float64
}

// run is one descent: a model of the observations that belong to it, and queries around the
// best of them.
type run struct {
	*adaptive
	x      []strategy.Point
	y      []float64
	std    []float64 // of their noise, 0 when it is not known
	points *gp.Points
	fit    scaleFit
	best   int // number of the lowest value

	grower    gp.Grower  // of the model of everything
	crowd     *crowd     // that model of many observations
	relevance *relevance // nil for a run that has none
	turned    *relevance // with directions; nil before many points are open

	last posterior // of the last Ask, without the points that it believed
	seen int       // observations that it knows
}

func (a *adaptive) newRun() *run {
	return &run{adaptive: a, points: gp.NewPoints(a.Dim), grower: gp.Grower{Threads: a.Config.Threads}}
}

// add adds an observation.
func (a *run) add(o observation) {
	a.x, a.y, a.std = append(a.x, o.x), append(a.y, o.y), append(a.std, o.std)
	a.last = posterior{} // it holds much memory, and says nothing of the observation
	if a.many() {
		a.points.Forget()
		a.grower = gp.Grower{}
	}
	a.points.Append(o.x)
	if o.y < a.y[a.best] {
		a.best = len(a.y) - 1
	}
}

// propose chooses n points, one after another, each with those before it and the
// pending ones believed at their predicted values. A point that is believed to be the best
// is the centre of those after it. Without fronts all are around the lowest point.
func (a *run) propose(ctx context.Context, n int, pending []strategy.Point, fronts *fronts) ([]strategy.Point, error) {
	if err := a.refit(ctx); err != nil {
		return nil, err
	}
	if a.relevance != nil {
		if err := a.relevance.learn(ctx); err != nil {
			return nil, err
		}
	}
	all, err := a.condition(ctx, len(pending)+n)
	if err != nil {
		return nil, err
	}
	defer all.release()
	a.last, a.seen = all, len(a.y)
	a.report.Fit = time.Since(a.began)
	a.report.Jitter = all.model.Jitter()
	if err := method.InParts(ctx, pending, func(part []strategy.Point) { all.believe(part...) }); err != nil {
		return nil, err
	}
	r := rng.New(a.Config.Seed, uint64(len(a.Y)), uint64(len(pending)), rng.Purpose("adaptive"))
	whole := a.around(all, everywhere)
	q := asking{
		run: a, all: all, whole: whole, fronts: fronts, rand: r,
		near: surroundings{
			run: a, all: all, lowest: whole.centre, places: map[int]*place{},
			believed: slices.Clip(pending), spare: len(pending) + n,
		},
		weighed: weighings{run: a, of: a.relevance, places: map[int]*weighing{}, believed: slices.Clip(pending), spare: len(pending) + n},
	}
	if q.wide, err = a.newWide(ctx, len(pending)+n, slices.Clip(pending), &q.weighed); err != nil {
		return nil, err
	}
	if fronts != nil && fronts.opposite {
		x := fronts.unseen()
		a.separate(x, all.Points, r)
		q.believe(x)
	}
	if a.MiddleFirst && !a.far() { // there are descents and an ascent instead
		if x := a.inMiddle(a.x[a.best], pending, n); x != nil {
			a.middle.first = true
			whole.follow(x)
			q.believe(x)
		}
	}
	for len(q.points) < n {
		if err := q.choose(ctx); err != nil {
			return nil, err
		}
	}
	a.report.Jitter = max(a.report.Jitter, q.near.jitter, q.weighed.jitter)
	if q.wide != nil {
		a.report.Jitter = max(a.report.Jitter, q.wide.turned.jitter)
	}
	if a.relevance != nil {
		a.relevance.tell(&a.report)
		a.relevance.growers.thin()
	}
	return q.points, nil
}

// unseen returns a copy of the front that has no value.
func (f *fronts) unseen() strategy.Point {
	k := slices.IndexFunc(f.all, func(p front) bool { return !p.seen })
	return slices.Clone(f.all[k].at)
}

// posterior is a model with the observations that it knows.
type posterior struct {
	gp.Data // in the units of the values told
	scaled
	std   []float64
	model *gp.Posterior
	crowd *crowd // nil for an exact model
}

// believe adds points at their predicted values.
func (p posterior) believe(points ...strategy.Point) {
	gp.BelieveAll(p.model, points)
	if p.crowd == nil {
		return
	}
	for _, x := range points {
		p.Points.Append(x)
	}
}

// release takes believed points out of those of the data.
func (p posterior) release() {
	p.model.Release()
	p.Points.Truncate(len(p.Y))
}

// logDensityAt returns that of value i, not scaled, given the others.
func (p posterior) logDensityAt(i int) float64 {
	if p.crowd != nil {
		return p.crowd.logDensity(p, i)
	}
	return p.logDensity(p.model, i)
}

// condition returns the posterior of the last fit; spare is the number of points that may
// be believed later.
func (a *run) condition(ctx context.Context, spare int) (posterior, error) {
	if a.many() {
		c, err := a.gather(ctx, a.crowd, a.fit.hyper, a.fit.log, 1)
		if err != nil {
			return posterior{}, err
		}
		a.crowd = c
		return c.posterior(a, spare)
	}
	d, std := a.keep(len(a.y), a.MostModel)
	s := a.newScaled(a.fit.log, d.Y, std, a.designMedian(len(a.y)))
	model, err := a.grower.Condition(a.fit.hyper, gp.Data{Points: d.Points, Y: s.w, Given: s.noise}, spare)
	return posterior{Data: d, scaled: s, std: std, model: model}, err
}

// forecast is that of the model that predicts best; the random points that begin a run have none.
func (a *run) forecast() (*method.Forecast, error) {
	ctx := context.Background() // the model is there already
	if a.fit.n == 0 {
		return nil, gp.ErrNoFit
	}
	if a.relevance != nil {
		if k, ok := a.relevance.best(); ok {
			all, err := a.relevance.condition(ctx, k, 0)
			if err != nil {
				return nil, err
			}
			return &method.Forecast{Model: all.model, Noise: all.model.NoiseVariance(), Back: all.Moments}, nil
		}
	}
	all := a.last
	if a.seen != len(a.y) {
		var err error
		if all, err = a.condition(ctx, 0); err != nil {
			return nil, err
		}
	}
	return &method.Forecast{Model: all.model, Noise: all.model.NoiseVariance(), Back: all.Moments}, nil
}

// keep returns the first n observations, or the relevant ones when they exceed the limit.
func (a *run) keep(n, limit int) (d gp.Data, std []float64) {
	if n <= limit && a.many() { // the distances of all are forgotten
		return gp.Data{Points: a.points.Subset(numbers(0, n)), Y: a.y[:n]}, a.std[:n]
	}
	if n <= limit {
		return gp.Data{Points: a.points, Y: a.y[:n]}, a.std[:n]
	}
	kept := relevant(a.y[:n], limit)
	return gp.Data{Points: a.points.Subset(kept), Y: pick(a.y, kept)}, pick(a.std, kept)
}

// refit learns scale and hyperparameters anew when enough observations have come. The
// fit depends on the first FitCount of them alone.
func (a *run) refit(ctx context.Context) error {
	n := method.FitCount(len(a.y), a.ExactFits)
	if n == a.fit.n {
		return nil
	}
	d, std := a.keep(n, a.MostFitted)
	fit, err := a.fitScale(ctx, a.prior(len(d.Y)), d, std, a.designMedian(n))
	if err != nil {
		return err
	}
	fit.n = n
	a.fit = fit
	return nil
}

// prior is that of a model fitted to n observations. With more points than parameters they
// show how rough the function is and where it bends. A rough one is rather taken for a
// smooth one with noise, as the smooth part says where to go, and a Matérn profile follows
// the bends; under the wide prior it does far worse. With fewer points each one explores a
// direction of its own, and the data choose.
func (a *run) prior(n int) gp.Prior {
	profile, theta, noise := gp.RBF, a.ThetaSpread, a.NoiseSpread
	if n >= a.params {
		theta, noise = a.ThetaSpreadMany, a.NoiseSpreadMany
		if a.Matern {
			profile = gp.Matern52
		}
	}
	return gp.Prior{
		Profile: profile,
		Metric:  gp.Isotropic{Prior: gp.LogNormalPrior{Mu: math.Log(a.Theta), StdDev: theta}},
		Noise:   gp.NoiseParam(gp.LogNormalPrior{Mu: math.Log(a.Noise), StdDev: noise}),
	}
}

// rough says whether two random points of the box, of a mean squared distance of 2/3 for each
// parameter, tell little of each other.
func (a *run) rough(ctx context.Context) (bool, error) {
	if len(a.y) == 0 || a.refit(ctx) != nil {
		return false, ctx.Err()
	}
	return math.Exp(-a.fit.hyper.Metric.(gp.Isotropic).Theta/3) < a.Rough, nil
}

// expected returns the values that the model expects at its points, those observed where it
// has none or does not see all points.
func (a *run) expected(ctx context.Context) ([]float64, error) {
	if len(a.y) > a.MostModel || a.refit(ctx) != nil {
		return a.y, ctx.Err()
	}
	all, err := a.condition(ctx, 0)
	if err != nil {
		return a.y, nil
	}
	values := make([]float64, len(a.y))
	for i, w := range all.model.Fitted() {
		values[i] = all.Invert(w)
	}
	return values, nil
}

// relevant returns the numbers of at most limit observations, in order: the lowest and
// the latest, half of each.
func relevant(y []float64, limit int) []int {
	latest := len(y) - limit/2
	numbers := method.Lowest(y[:latest], limit-limit/2)
	for i := latest; i < len(y); i++ {
		numbers = append(numbers, i)
	}
	slices.Sort(numbers)
	return numbers
}

// pick returns the values with the given numbers.
func pick(y []float64, numbers []int) []float64 {
	out := make([]float64, len(numbers))
	for a, i := range numbers {
		out[a] = y[i]
	}
	return out
}

// designMedian is the median of the initial design's values among the first n.
func (a *run) designMedian(n int) float64 { return num.Median(a.y[:min(n, a.Config.Init)]) }

// apart is the distance below which two points are the same.
func (a *run) apart() float64 { return a.Apart * math.Sqrt(float64(a.Dim)) }

// separate moves x until it is not on top of another point.
func (a *run) separate(x strategy.Point, points *gp.Points, r *rand.Rand) {
	a.move(x, func(x []float64) bool { return points.Nearest(x) < a.apart() }, r)
}

// move moves x until it is not taken.
func (a *run) move(x strategy.Point, taken taken, r *rand.Rand) {
	for range separations {
		if !taken(x) {
			return
		}
		for j := range x {
			x[j] = min(1, max(-1, x[j]+a.Move*r.NormFloat64()))
		}
		a.region.Keep(x)
		if a.grid != nil {
			a.grid.Snap(x)
		}
	}
}

// separations is how often a point is moved: a region may be a single point.
const separations = 100
