// Package vanilla is Bayesian optimisation with one length-scale per parameter and no
// structure but the prior that length-scales grow as sqrt(D).
package vanilla

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/acquire"
	"github.com/mahabo/mahabo/internal/design"
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// Method describes vanilla.
func Method() strategy.Method {
	return strategy.Method{
		Name:      "vanilla",
		Summary:   "one Gaussian process over all parameters, its length-scales expected to grow with sqrt(D) (logEI): no structure assumed",
		Reference: "Hvarfner, Hellsten & Nardi 2024; Ament et al. 2023",
		Batch:     true,
		New: func(cfg strategy.Config, _ strategy.Settings) (strategy.Strategy, error) {
			v := &vanilla{History: method.NewHistory(cfg), region: acquire.NewRegion(cfg.Domain), points: gp.NewPoints(cfg.Domain.Dim())}
			for i, p := range cfg.Domain.Params {
				v.of = append(v.of, slices.Repeat([]int{i}, p.Width)...)
			}
			return v, nil
		},
	}
}

// Settings of the searches over the box.
const (
	sobolSamples  = 128
	aroundSamples = 128  // around the best points
	aroundStdDev  = 2e-3 // of these, a thousandth of the box
	centreShare   = 0.05 // of the observations that are such centres
	starts        = 5
	raceIter      = 8  // iterations of every start
	winnerIter    = 42 // more of the lowest
)

// Gradients of the fits.
const (
	coldEvals = 60 // from the mode of the prior
	warmEvals = 6  // from the last cold fit
	growth    = 10 // a cold fit is made anew when the data have grown by one part in so many
)

// vanilla is the method. A function does not look more complex only for having more
// parameters. Points maximise the expected improvement; those of a batch come one by one,
// each believed at its predicted mean.
type vanilla struct {
	method.History
	region *acquire.Region
	points *gp.Points
	of     []int // parameter of each coordinate
	cold   coldFit
	hyper  gp.Hyper // of the last Ask
	report strategy.AskReport
}

// coldFit is the fit to the first n observations: remembered, not state, for they say
// all of it.
type coldFit struct {
	n     int
	hyper gp.Hyper
}

var (
	_ strategy.Strategy  = (*vanilla)(nil)
	_ strategy.Reporter  = (*vanilla)(nil)
	_ strategy.Predictor = (*vanilla)(nil)
)

func (v *vanilla) Tell(obs ...strategy.Observation) error {
	if err := v.Add(obs); err != nil {
		return err
	}
	for _, o := range obs {
		v.points.Append(o.X)
	}
	return nil
}

func (v *vanilla) Ask(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
	return v.AskModel(ctx, &v.report, n, pending, v.propose)
}

// LastAsk says how the last Ask went.
func (v *vanilla) LastAsk() strategy.AskReport { return v.report }

// Predict returns what the model of the last Ask expects at a point.
func (v *vanilla) Predict(x strategy.Point) (mean, std float64, ok bool) {
	return v.PredictBy(x, func() (*method.Forecast, error) {
		model, err := gp.Condition(v.hyper, v.data(len(v.Y)), 0)
		if err != nil {
			return nil, err
		}
		mean, std := num.MeanStd(v.Y)
		return &method.Forecast{Model: model, Noise: model.NoiseVariance(), Back: func(m, variance float64) (float64, float64) {
			return mean + std*m, std * std * variance
		}}, nil
	})
}

// propose fits the model and chooses n points with it.
func (v *vanilla) propose(ctx context.Context, n int, pending []strategy.Point) ([]strategy.Point, error) {
	hyper, err := v.fit(ctx)
	if err != nil {
		return nil, err
	}
	v.hyper = hyper
	data := v.data(len(v.Y))
	model, err := gp.Condition(hyper, data, len(pending)+n)
	if err != nil {
		return nil, err
	}
	defer model.Release()
	v.report.Jitter = max(v.report.Jitter, model.Jitter())
	y := slices.Clone(data.Y)
	var believed []strategy.Point
	believe := func(x strategy.Point) {
		mean, _ := model.Predict(x)
		model.Believe(x)
		y, believed = append(y, mean), append(believed, x)
	}
	err = method.InParts(ctx, pending, func(part []strategy.Point) {
		gp.BelieveAll(model, part)
		for _, p := range part {
			y, believed = append(y, model.MeanOf(p, len(believed))), append(believed, p)
		}
	})
	if err != nil {
		return nil, err
	}
	r := rng.New(v.Config.Seed, uint64(len(v.X)), uint64(len(pending)), rng.Purpose("vanilla"))
	points := make([]strategy.Point, 0, n)
	for range n {
		best := slices.Min(y)
		if !v.region.Whole() {
			best = v.reachable(model, believed)
		}
		x, err := v.improve(ctx, model, best, r)
		if err != nil {
			return nil, err
		}
		believe(x)
		points = append(points, x)
	}
	return points, nil
}

// reachable is the lowest value that the model expects at the images of points in a region
// that these need not lie in: those of the lowest observed values, and those believed. What
// was observed outside may be lower than all of the region.
func (v *vanilla) reachable(model *gp.Posterior, believed []strategy.Point) float64 {
	points := slices.Clone(believed)
	for _, i := range method.Lowest(v.Y, images) {
		points = append(points, v.X[i])
	}
	best := math.Inf(1)
	for _, p := range points {
		x := slices.Clone(p)
		v.region.Keep(x)
		mean, _ := model.Predict(x)
		best = min(best, mean)
	}
	return best
}

// images is the number of lowest points whose images in a region are compared.
const images = 20

// data are the first n observations, standardised.
func (v *vanilla) data(n int) gp.Data {
	y, _ := method.Standardise(v.Y[:n])
	d := gp.Data{Points: v.points, Y: y}
	if slices.ContainsFunc(v.Std[:n], func(s float64) bool { return s > 0 }) {
		_, scale := num.MeanStd(v.Y[:n])
		d.Given = make([]float64, n)
		for i, s := range v.Std[:n] {
			if scale > 0 {
				d.Given[i] = min(s/scale*(s/scale), mostNoise)
			}
		}
	}
	return d
}

// mostNoise is the variance of a standardised value that says nothing.
const mostNoise = 1e6

// fit learns the hyperparameters: from scratch whenever the data have grown by a tenth,
// in between by a few steps from there.
func (v *vanilla) fit(ctx context.Context) (gp.Hyper, error) {
	n := len(v.Y)
	if c := coldCount(n); v.cold.n != c {
		hyper, err := v.fitFirst(ctx, c, nil, coldEvals)
		if err != nil {
			return gp.Hyper{}, err
		}
		v.cold = coldFit{c, hyper}
	}
	if v.cold.n == n {
		return v.cold.hyper, nil
	}
	return v.fitFirst(ctx, n, v.cold.hyper.Logs, warmEvals)
}

// coldCount is the number of observations of the last cold fit among n.
func coldCount(n int) int {
	for c := 1; ; {
		next := c + max(1, c/growth)
		if next > n {
			return c
		}
		c = next
	}
}

// fitFirst finds the most probable hyperparameters given the first n observations.
func (v *vanilla) fitFirst(ctx context.Context, n int, start []float64, evals int) (gp.Hyper, error) {
	weight, noise := priors(len(v.Config.Domain.Params))
	hyper, _, err := gp.Fit(ctx, gp.Prior{
		Metric: gp.Weighted{Of: v.of, Param: weight}, Noise: noise, Scale: 1, Start: start, Evals: evals,
	}, v.data(n))
	return hyper, err
}

// smallest length-scale of our box, and smallest noise.
const (
	shortest   = 2 * 0.025
	leastNoise = 1e-4
)

// priors are those of the weights, 1/l² of length-scales l, and of the noise. Hvarfner et al. give
// the densities of l in [0,1]^D and of the noise, log-normal with mu and sigma. Ours are of
// logarithms, of which the mode lies at mu - sigma²; our box is twice as long, which adds
// log 2 to the logarithm of l.
func priors(params int) (weight, noise gp.HyperParam) {
	mu, variance := math.Sqrt2+math.Log(float64(params))/2+math.Ln2, 3.0
	weight = gp.HyperParam{
		Name: "weight", Prior: gp.LogNormalPrior{Mu: -2 * (mu - variance), StdDev: 2 * math.Sqrt(variance)},
		Low: math.Log(1e-30), High: -2 * math.Log(shortest),
	}
	noise = gp.HyperParam{Name: "noise", Prior: gp.LogNormalPrior{Mu: -4 - 1, StdDev: 1}, Low: math.Log(leastNoise), High: math.Log(1e3)}
	return weight, noise
}

// improve searches the region for the largest expected improvement over the best value.
func (v *vanilla) improve(ctx context.Context, model *gp.Posterior, best float64, r *rand.Rand) ([]float64, error) {
	samples := linalg.New(sobolSamples+aroundSamples, v.Dim)
	design.Sobol(samples.Slice(0, sobolSamples, 0, v.Dim), r)
	acquire.Around(samples.Slice(sobolSamples, samples.Rows, 0, v.Dim), v.lowest(), aroundStdDev, r)
	for i := range samples.Rows {
		v.region.Keep(samples.Row(i))
	}
	f := acquire.Term{Model: model, Of: acquire.LogImprovement(best)}
	return acquire.Race(ctx, f, samples, v.region, starts, raceIter, winnerIter, r)
}

// lowest returns the points of lowest values, the best first.
func (v *vanilla) lowest() [][]float64 {
	points := make([][]float64, int(math.Ceil(centreShare*float64(len(v.Y)))))
	for k, i := range method.Lowest(v.Y, len(points)) {
		points[k] = v.X[i]
	}
	return points
}
