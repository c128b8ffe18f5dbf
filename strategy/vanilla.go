package strategy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/acquisition"
	"github.com/mahabo/mahabo/internal/candidate"
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/rng"
)

func vanillaMethod() Method {
	return Method{
		Name:      "vanilla",
		Summary:   "one Gaussian process over all parameters, its length-scales expected to grow with sqrt(D) (logEI): no structure assumed",
		Reference: "Hvarfner, Hellsten & Nardi 2024; Ament et al. 2023",
		Batch:     true,
		build: func(cfg Config, _ settings) (Strategy, error) {
			return &vanilla{cfg: cfg, history: history{dim: cfg.Dim}, in: gp.NewInputs(cfg.Dim)}, nil
		},
	}
}

// Settings of the searches over the box.
const (
	vanillaSobol   = 128  // Sobol samples
	vanillaAround  = 128  // samples around the best points
	vanillaStdDev  = 2e-3 // of these, a thousandth of the box
	vanillaCentres = 0.05 // share of the observations that are such centres
	vanillaStarts  = 5
	vanillaRace    = 8  // iterations of every start
	vanillaIter    = 50 // iterations of the lowest
)

// Gradients of the fits.
const (
	vanillaCold   = 60 // from the mode of the prior
	vanillaWarm   = 6  // from the last cold fit
	vanillaGrowth = 10 // a cold fit is made anew when the data have grown by one part in so many
)

// vanilla is Bayesian optimisation with one length-scale per parameter and no structure
// but the prior that length-scales grow as sqrt(D), so that a function does not look
// more complex only for having more parameters. Points maximise the expected
// improvement; those of a batch come one by one, each believed at its predicted mean.
type vanilla struct {
	cfg Config
	history
	in     *gp.Inputs
	cold   coldFit
	hyper  gp.Hyper // of the last Ask
	report AskReport
}

// coldFit is the fit to the first n observations: remembered, not state, for they say
// all of it.
type coldFit struct {
	n     int
	hyper gp.Hyper
}

var (
	_ Strategy = (*vanilla)(nil)
	_ Reporter = (*vanilla)(nil)
)

func (v *vanilla) Tell(obs ...Observation) error {
	if err := v.tell(obs); err != nil {
		return err
	}
	for _, o := range obs {
		v.in.Append(o.X)
	}
	return nil
}

func (v *vanilla) Ask(ctx context.Context, n int, pending []Point) ([]Point, error) {
	return v.askModel(ctx, v.cfg, &v.report, n, pending, v.propose)
}

// LastAsk says how the last Ask went.
func (v *vanilla) LastAsk() AskReport { return v.report }

// propose fits the model and chooses n points with it.
func (v *vanilla) propose(ctx context.Context, n int, pending []Point) ([]Point, error) {
	hyper, err := v.fit(ctx)
	if err != nil {
		return nil, err
	}
	v.hyper = hyper
	y, _ := standardise(v.y)
	in, y, err := believe(hyper, v.in, y, pending)
	if err != nil {
		return nil, err
	}
	in = in.Clone()
	r := rng.New(v.cfg.Seed, uint64(len(v.x)), uint64(len(pending)), rng.Purpose("vanilla"))
	points := make([]Point, 0, n)
	for range n {
		model, err := gp.NewModel(hyper, in, y)
		if err != nil {
			return nil, err
		}
		v.report.Jitter = max(v.report.Jitter, model.Jitter())
		x, err := v.improve(ctx, model, in, y, r)
		if err != nil {
			return nil, err
		}
		mean, _ := model.Predict(x)
		in.Append(x)
		y = append(y, mean)
		points = append(points, x)
	}
	return points, nil
}

// fit learns the hyperparameters: from scratch whenever the data have grown by a tenth,
// in between by a few steps from there.
func (v *vanilla) fit(ctx context.Context) (gp.Hyper, error) {
	n := len(v.y)
	if c := coldCount(n); v.cold.n != c {
		hyper, err := v.fitFirst(ctx, c, v.priorMode(), vanillaCold)
		if err != nil {
			return gp.Hyper{}, err
		}
		v.cold = coldFit{c, hyper}
	}
	if v.cold.n == n {
		return v.cold.hyper, nil
	}
	return v.fitFirst(ctx, n, v.cold.hyper, vanillaWarm)
}

// coldCount is the number of observations of the last cold fit among n.
func coldCount(n int) int {
	for c := 1; ; {
		next := c + max(1, c/vanillaGrowth)
		if next > n {
			return c
		}
		c = next
	}
}

// fitFirst finds the most probable hyperparameters given the first n observations.
func (v *vanilla) fitFirst(ctx context.Context, n int, start gp.Hyper, maxEvals int) (gp.Hyper, error) {
	y, _ := standardise(v.y[:n])
	lengthScale, noise := vanillaPriors(v.dim)
	hyper, report, err := gp.FitMAP(ctx, []gp.Hyper{start}, v.in.First(n), y, gp.MAPOptions{
		LengthScale: lengthScale, LengthScaleBounds: gp.Interval{Low: 2 * 0.025},
		Noise: noise, NoiseBounds: gp.Interval{Low: gp.MinNoise},
		UnitOutputScale: true, MaxEvals: maxEvals,
	})
	v.report.Jitter = max(v.report.Jitter, report.Jitter)
	return hyper, err
}

// vanillaPriors are those of length-scales and noise. The length-scales of the paper
// are those of [0,1]^D; ours are twice as long, which adds log 2 to the logarithm.
func vanillaPriors(dim int) (lengthScale, noise gp.LogNormalPrior) {
	mu := math.Sqrt2 + math.Log(float64(dim))/2
	return gp.LogNormalPrior{Mu: mu + math.Ln2, StdDev: math.Sqrt(3)}, gp.LogNormalPrior{Mu: -4, StdDev: 1}
}

// priorMode is where cold fits begin.
func (v *vanilla) priorMode() gp.Hyper {
	lengthScale, noise := vanillaPriors(v.dim)
	l := make([]float64, v.dim)
	for j := range l {
		l[j] = lengthScale.Mode()
	}
	return gp.Hyper{Kernel: gp.RBFARD(l), OutputScale: 1, NoiseVariance: noise.Mode()}
}

// improve searches the box for the largest expected improvement over the lowest y.
func (v *vanilla) improve(ctx context.Context, model *gp.Model, in *gp.Inputs, y []float64, r *rand.Rand) ([]float64, error) {
	around := linalg.New(vanillaAround, v.dim)
	candidate.Around(around, lowestPoints(in, y), vanillaStdDev, r)
	f := &acquisition.LogEI{Model: model, Best: slices.Min(y)}
	x, _, err := candidate.Minimize(ctx, f, v.dim, candidate.Options{
		Starts: vanillaStarts, Samples: vanillaSobol, MaxIter: vanillaIter, Race: vanillaRace, Extra: around,
	}, r)
	return x, err
}

// lowestPoints returns the points of lowest y, the best first.
func lowestPoints(in *gp.Inputs, y []float64) [][]float64 {
	points := make([][]float64, int(math.Ceil(vanillaCentres*float64(len(y)))))
	for k, i := range lowest(y, len(points)) {
		points[k] = in.At(i)
	}
	return points
}
