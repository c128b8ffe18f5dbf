package strategy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/gp"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/rng"
)

func adaptiveMethod() Method {
	return Method{
		Name:      "adaptive",
		Summary:   "mahabo's own: one smooth model of all parameters, outputs on the scale the data ask for, steps of the size that pays",
		Reference: "docs/METHOD.md",
		Batch:     true,
		build: func(cfg Config, _ settings) (Strategy, error) {
			return &adaptive{cfg: cfg, history: history{dim: cfg.Dim}, cloud: gp.NewCloud(cfg.Dim), arms: newArms(cfg)}, nil
		},
	}
}

// adaptive is the method of docs/METHOD.md: a Gaussian process that treats all
// directions alike, fitted to outputs whose scale is chosen by evidence (adaptivescale.go),
// and queries inside a box around a good point, whose size and kind are chosen by what
// has paid so far (adaptivearms.go).
//
// Every part is a function of the observations: fits of the first fitted of them, the
// record of the arms of where each point lay when it was told.
type adaptive struct {
	cfg Config
	history
	cloud  *gp.Cloud
	arms   *arms
	fit    scaleFit
	report AskReport
}

var (
	_ Strategy = (*adaptive)(nil)
	_ Reporter = (*adaptive)(nil)
)

const (
	nearDuplicate = 1e-4 // root mean square distance of points that are the same
	duplicateStep = 0.03 // standard deviation by which such a point is moved
)

// Limits that keep an Ask in seconds when there are thousands of observations.
const (
	adaptiveExact  = 5    // below 2^5 observations every one makes a new fit
	maxFitted      = 600  // observations of a fit
	maxConditioned = 3000 // observations of a model
)

func (a *adaptive) Tell(obs ...Observation) error {
	if err := a.tell(obs); err != nil {
		return err
	}
	for _, o := range obs {
		a.arms.learn(a.x[:a.cloud.Len()], a.y[:a.cloud.Len()], o)
		a.cloud.Append(o.X)
	}
	return nil
}

func (a *adaptive) Ask(ctx context.Context, n int, pending []Point) ([]Point, error) {
	return a.askModel(ctx, a.cfg, &a.report, n, pending, a.propose)
}

// LastAsk says how the last Ask went.
func (a *adaptive) LastAsk() AskReport { return a.report }

// propose chooses n points, one after another, each with those before it and the
// pending ones believed at their predicted values.
func (a *adaptive) propose(ctx context.Context, n int, pending []Point) ([]Point, error) {
	if err := a.refit(ctx); err != nil {
		return nil, err
	}
	cloud, y := a.cloud, a.y
	if len(y) > maxConditioned {
		kept := relevant(y, maxConditioned)
		cloud, y = cloud.Subset(kept), pick(y, kept)
	}
	s := a.fit.scale.apply(y, a.designMedian())
	model, err := gp.NewIsotropicModel(a.fit.hyper, cloud, s.w, len(pending)+n)
	if err != nil {
		return nil, err
	}
	defer model.Release()
	a.report.Jitter = model.Jitter()
	for _, p := range pending {
		model.Believe(p)
	}
	r := rng.New(a.cfg.Seed, uint64(len(a.x)), uint64(len(pending)), rng.Purpose("adaptive"))
	ranked := lowest(model.Fitted(), centres)
	points := make([]Point, 0, n)
	for range n {
		q := a.arms.draw(cloud, ranked, r)
		x, err := q.search(ctx, model, model.Fitted()[ranked[0]], r)
		if err != nil {
			return nil, err
		}
		separate(x, cloud, r)
		model.Believe(x)
		points = append(points, x)
	}
	return points, nil
}

// refit learns scale and hyperparameters anew when enough observations have come. The
// fit depends on the first fitCount of them alone.
func (a *adaptive) refit(ctx context.Context) error {
	n := fitCount(len(a.y), adaptiveExact)
	if n == a.fit.n {
		return nil
	}
	cloud, y := a.cloud, a.y[:n]
	if n > maxFitted {
		kept := relevant(y, maxFitted)
		cloud, y = cloud.Subset(kept), pick(y, kept)
	}
	fit, err := fitScale(ctx, cloud, y, a.designMedian())
	if err != nil {
		return err
	}
	fit.n = n
	a.fit = fit
	return nil
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

// designMedian is the median of the initial design's values.
func (a *adaptive) designMedian() float64 { return num.Median(a.y[:min(len(a.y), a.cfg.Init)]) }

// separate moves x until it is not on top of another point.
func separate(x Point, cloud *gp.Cloud, r *rand.Rand) {
	for cloud.Nearest(x) < nearDuplicate*math.Sqrt(float64(len(x))) {
		for j := range x {
			x[j] = min(1, max(-1, x[j]+duplicateStep*r.NormFloat64()))
		}
	}
}
