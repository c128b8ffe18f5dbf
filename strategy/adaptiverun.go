package strategy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/rng"
)

// run is one descent of adaptive: a model of the observations that belong to it, and
// queries around the best of them.
type run struct {
	cfg     Config
	without part
	x       []Point
	y       []float64
	std     []float64 // of their noise, 0 when it is not known
	cloud   *gp.Cloud
	fronts  fronts
	fit     scaleFit
	best    int       // number of the lowest value
	last    posterior // of the last Ask, without the points that it believed
}

const (
	nearDuplicate = 1e-4 // root mean square distance of points that are the same
	duplicateStep = 0.03 // standard deviation by which such a point is moved
)

// Medians of the priors: the rate of change of a function, and its noise.
const (
	usualTheta = 0.3
	usualNoise = 1e-6
)

// littleCorrelation is that of points which tell little of each other.
const littleCorrelation = 0.25

// Limits that keep an Ask in seconds when there are thousands of observations.
const (
	adaptiveExact  = 5    // below 2^5 observations every one makes a new fit
	maxFitted      = 600  // observations of a fit
	maxConditioned = 3000 // observations of a model
)

func newRun(cfg Config, without part) *run {
	return &run{cfg: cfg, without: without, cloud: gp.NewCloud(cfg.Dim)}
}

// add adds an observation.
func (a *run) add(o Observation) {
	a.x, a.y, a.std = append(a.x, o.X), append(a.y, o.Value), append(a.std, o.Std)
	a.cloud.Append(o.X)
	if o.Value < a.y[a.best] {
		a.best = len(a.y) - 1
	}
}

// propose chooses n points, one after another, each with those before it and the
// pending ones believed at their predicted values. A point that is believed to be the best
// is the centre of those after it.
func (a *run) propose(ctx context.Context, report *AskReport, n int, pending []Point, seen int) ([]Point, error) {
	if err := a.refit(ctx); err != nil {
		return nil, err
	}
	all, err := a.condition(len(pending) + n)
	if err != nil {
		return nil, err
	}
	model, cloud := all.model, all.cloud
	defer model.Release()
	a.last = all
	report.Jitter = model.Jitter()
	for _, p := range pending {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		model.Believe(p)
	}
	r := rng.New(a.cfg.Seed, uint64(seen), uint64(len(pending)), rng.Purpose("adaptive"))
	whole := newPlace(model, cloud, everywhere)
	near := surroundings{
		run: a, all: all, lowest: whole.centre, places: map[int]*place{},
		believed: slices.Clip(pending), spare: len(pending) + n,
	}
	points := make([]Point, 0, n)
	add := func(x Point) {
		model.Believe(x)
		near.believe(x)
		points = append(points, x)
	}
	if x, ok := a.fronts.unseen(); ok && len(pending) == 0 {
		separate(x, cloud, r)
		add(x)
	}
	for len(points) < n {
		front, other := a.fronts.draw(r)
		local, err := near.draw(ctx, front, other, r)
		if err != nil {
			return nil, err
		}
		at, follower := local, local
		if local == nil {
			at, follower = whole, whole
			if other {
				at = whole.at(a.fronts.at[front])
			}
		}
		x, err := at.query(ctx, a.without != improvements, r)
		if err != nil {
			return nil, err
		}
		separate(x, cloud, r)
		follower.follow(x)
		add(x)
	}
	report.Jitter = max(report.Jitter, near.jitter)
	return points, nil
}

// posterior is a model with the observations that it knows.
type posterior struct {
	scaled
	model  *gp.IsotropicModel
	cloud  *gp.Cloud
	y, std []float64
}

// condition returns the posterior of the last fit; spare is the number of points that may
// be believed later.
func (a *run) condition(spare int) (posterior, error) {
	cloud, y, std := a.keep(len(a.y), maxConditioned)
	s := newScaled(a.fit.log, y, std, a.designMedian(len(a.y)))
	model, err := gp.NewIsotropicModel(a.fit.hyper, cloud, s.w, s.noise, spare)
	return posterior{s, model, cloud, y, std}, err
}

// keep returns the first n observations, or the relevant ones when they exceed the limit.
func (a *run) keep(n, limit int) (cloud *gp.Cloud, y, std []float64) {
	if n <= limit {
		return a.cloud, a.y[:n], a.std[:n]
	}
	kept := relevant(a.y[:n], limit)
	return a.cloud.Subset(kept), pick(a.y, kept), pick(a.std, kept)
}

// refit learns scale and hyperparameters anew when enough observations have come. The
// fit depends on the first fitCount of them alone.
func (a *run) refit(ctx context.Context) error {
	n := fitCount(len(a.y), adaptiveExact)
	if n == a.fit.n {
		return nil
	}
	cloud, y, std := a.keep(n, maxFitted)
	fit, err := fitScale(ctx, a.prior(len(y)), cloud, y, std, a.designMedian(n), a.without != logarithm)
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
func (a *run) prior(n int) gp.IsotropicPrior {
	p := gp.IsotropicPrior{
		Theta: gp.LogNormalPrior{Mu: math.Log(usualTheta), StdDev: 2},
		Noise: gp.LogNormalPrior{Mu: math.Log(usualNoise), StdDev: 2},
	}
	if n >= a.cfg.Dim {
		p.Theta.StdDev, p.Noise.StdDev = 0.25, 6
		if a.without != matern {
			p.Profile = gp.Matern52
		}
	}
	return p
}

// rough says whether two random points of the box, of a mean squared distance of 2/3 for each
// parameter, tell little of each other.
func (a *run) rough() bool {
	if len(a.y) == 0 || a.refit(context.Background()) != nil {
		return false
	}
	return math.Exp(-a.fit.hyper.Theta/3) < littleCorrelation
}

// expected returns the values that the model expects at its points, those observed where it
// has none or does not see all points.
func (a *run) expected() []float64 {
	if len(a.y) > maxConditioned || a.refit(context.Background()) != nil {
		return a.y
	}
	all, err := a.condition(0)
	if err != nil {
		return a.y
	}
	values := make([]float64, len(a.y))
	for i, w := range all.model.Fitted() {
		values[i] = all.Invert(w)
	}
	return values
}

// relevant returns the numbers of at most limit observations, in order: the lowest and
// the latest, half of each.
func relevant(y []float64, limit int) []int {
	latest := len(y) - limit/2
	numbers := lowest(y[:latest], limit-limit/2)
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
func (a *run) designMedian(n int) float64 { return num.Median(a.y[:min(n, a.cfg.Init)]) }

// separate moves x until it is not on top of another point.
func separate(x Point, cloud *gp.Cloud, r *rand.Rand) {
	for cloud.Nearest(x) < nearDuplicate*math.Sqrt(float64(len(x))) {
		for j := range x {
			x[j] = min(1, max(-1, x[j]+duplicateStep*r.NormFloat64()))
		}
	}
}
