package subspace

import (
	"context"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/paper/acquisition"
	"github.com/mahabo/mahabo/internal/method/paper/candidate"
	"github.com/mahabo/mahabo/internal/method/paper/embed"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// Settings of Ax 0.2 and BoTorch 0.5.
const (
	subspaceSamples = 1000 // Sobol samples of the acquisition function, per search
	subspaceStarts  = 20   // of a search
)

const (
	presumedDim   = 4    // of a problem whose dimension is not known
	subspaceEvals = 50   // gradients per fit
	subspaceExact = 7    // below 2^7 observations every one makes a new fit
	inSubspace    = 0.01 // root mean square distance at which a point still counts as an image
	freshTries    = 200  // draws of z for a point that is not taken
)

// subspaceBO is Bayesian optimisation in random subspaces x = clamp(Az) that are drawn
// once, REMBO and HeSBO. Point number s, s the count of points before it, observed and
// pending, lies in subspace s mod k, where a Gaussian process in z and the expected
// improvement choose it.
//
// An observation counts in every subspace that holds it, at a z recovered from x alone,
// which may not be the z that was asked for but has the same image. Points in no
// subspace (the user's own; rounding to a hundredth is forgiven) are not used.
type subspaceBO struct {
	cfg strategy.Config
	method.History
	spaces []*subspace
	design []strategy.Point
	report strategy.AskReport
}

// subspace is one embedding and what was observed in it.
type subspace struct {
	embed.Subspace
	dim    int // d
	in     *lingp.Inputs
	y      []float64
	hyper  lingp.Hyper
	fitted int // observations that hyper knows, 0 before the first fit
}

var (
	_ strategy.Strategy = (*subspaceBO)(nil)
	_ strategy.Reporter = (*subspaceBO)(nil)
)

func newSubspaceBO(cfg strategy.Config, spaces ...embed.Subspace) *subspaceBO {
	b := &subspaceBO{cfg: cfg, History: method.NewHistory(cfg)}
	for _, s := range spaces {
		d, _ := s.Dims()
		b.spaces = append(b.spaces, &subspace{Subspace: s, dim: d, in: lingp.NewInputs(d)})
	}
	for s := range cfg.Init {
		b.design = append(b.design, b.fresh(s, b.design))
	}
	return b
}

// trueDim is the dimension of the problem inside the embedding, or a guess.
func trueDim(cfg strategy.Config) int {
	if cfg.TrueDim > 0 {
		return cfg.TrueDim
	}
	return presumedDim
}

func (b *subspaceBO) Tell(obs ...strategy.Observation) error {
	if err := b.Add(obs); err != nil {
		return err
	}
	for _, o := range obs {
		for _, s := range b.spaces {
			if z, ok := s.find(o.X); ok {
				s.in.Append(z)
				s.y = append(s.y, o.Y[0])
			}
		}
	}
	return nil
}

// find returns the z of x, if x is in the subspace.
func (s *subspace) find(x strategy.Point) (z []float64, ok bool) {
	z = make([]float64, s.dim)
	return z, s.Recover(z, x) <= inSubspace
}

func (b *subspaceBO) Ask(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
	return b.AskPoints(ctx, n, pending, b.choose)
}

// choose returns n points.
func (b *subspaceBO) choose(ctx context.Context, n int, pending []strategy.Point) ([]strategy.Point, error) {
	b.report = strategy.AskReport{EmbeddingDim: b.spaces[0].dim}
	waiting := slices.Clone(pending)
	for range n {
		x, err := b.next(ctx, waiting)
		if err != nil {
			return nil, err
		}
		waiting = append(waiting, x)
	}
	return waiting[len(pending):], nil
}

// LastAsk says how the last Ask went.
func (b *subspaceBO) LastAsk() strategy.AskReport { return b.report }

// next chooses one point while others wait for their values.
func (b *subspaceBO) next(ctx context.Context, waiting []strategy.Point) (strategy.Point, error) {
	number := len(b.X) + len(waiting)
	if number < b.cfg.Init {
		return slices.Clone(b.design[number]), nil
	}
	s := b.spaces[number%len(b.spaces)]
	var pending []strategy.Point
	for _, x := range waiting {
		if z, ok := s.find(x); ok {
			pending = append(pending, z)
		}
	}
	taken := func() []strategy.Point { return slices.Concat(b.X, waiting) }
	// Ax: a subspace gets its share of the design before its first fit.
	if s.in.Len() == 0 || s.in.Len()+len(pending) < b.cfg.Init/len(b.spaces) {
		return b.fresh(number, taken()), nil
	}
	z, err := b.improve(ctx, s, pending, len(waiting))
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		b.report.Fallback = err
		return b.fresh(number, taken()), nil
	}
	x := make(strategy.Point, b.Dim)
	s.Expand(x, z)
	// Two z can have one image, and a corner can stay the best choice although it is taken.
	if among(taken(), x) {
		return b.fresh(number, taken()), nil
	}
	return x, nil
}

// among says whether x is one of the points up to rounding.
func among(points []strategy.Point, x strategy.Point) bool {
	return slices.ContainsFunc(points, func(p strategy.Point) bool { return method.Coincide(p, x) })
}

// fresh returns the image of a uniform z that is not taken, for point number i. Should all
// of a small subspace be taken it is a point outside.
func (b *subspaceBO) fresh(i int, taken []strategy.Point) strategy.Point {
	s := b.spaces[i%len(b.spaces)]
	fill := rng.NewFiller(rng.New(b.cfg.Seed, uint64(i), rng.Purpose("subspace point")))
	x, z := make(strategy.Point, b.Dim), make([]float64, s.dim)
	for range freshTries {
		fill.Uniform(z)
		if s.Expand(x, z); !among(taken, x) {
			return x
		}
	}
	fill.Uniform(x)
	return x
}

// improve returns the z of largest expected improvement over the lowest posterior mean
// at an observed or pending point. For observations without noise this is the noisy
// expected improvement that Ax estimates by sampling.
func (b *subspaceBO) improve(ctx context.Context, s *subspace, pending []strategy.Point, waiting int) ([]float64, error) {
	if err := s.fit(ctx, &b.report); err != nil {
		return nil, err
	}
	y, _ := method.Standardise(s.y)
	in, y, err := lingp.Believe(s.hyper, s.in, y, pending)
	if err != nil {
		return nil, err
	}
	model, err := lingp.NewModel(s.hyper, in, y)
	if err != nil {
		return nil, err
	}
	b.report.Jitter = max(b.report.Jitter, model.Jitter())
	mean, variance := make([]float64, in.Len()), make([]float64, in.Len())
	model.PredictBatch(mean, variance, in.X())
	f := &acquisition.LogEI{Model: model, Best: slices.Min(mean)}
	r := rng.New(b.cfg.Seed, uint64(len(b.X)), uint64(waiting), rng.Purpose("expected improvement"))
	z, _, err := candidate.Minimize(ctx, f, s.dim, candidate.Options{Starts: subspaceStarts, Samples: subspaceSamples}, r)
	return z, err
}

// fit learns the hyperparameters from the first fitCount observations, from scratch: they
// are the same whenever they are asked for.
func (s *subspace) fit(ctx context.Context, report *strategy.AskReport) error {
	n := method.FitCount(s.in.Len(), subspaceExact)
	if n == s.fitted {
		return nil
	}
	start := lingp.Hyper{OutputScale: num.Softplus(0), NoiseVariance: 1e-4}
	lengthScales := make([]float64, s.dim)
	for a := range lengthScales {
		lengthScales[a] = 2 * num.Softplus(0)
	}
	start.Kernel = lingp.Matern52ARD(lengthScales)
	y, _ := method.Standardise(s.y[:n])
	h, fit, err := lingp.FitMAP(ctx, []lingp.Hyper{start}, s.in.First(n), y, lingp.MAPOptions{
		// BoTorch has Gamma(3, 6) for inputs in [0,1]; z in [-1,1] is twice as long.
		LengthScale: gp.GammaPrior{Shape: 3, Rate: 3},
		OutputScale: gp.GammaPrior{Shape: 2, Rate: 0.15},
		Noise:       gp.GammaPrior{Shape: 1.1, Rate: 0.05},
		// Only values without spread or without structure meet the bounds, but for the
		// lowest noise, which stands for none.
		LengthScaleBounds: lingp.Interval{Low: 0.01, High: 100},
		OutputScaleBounds: lingp.Interval{Low: 1e-3, High: 1e3},
		NoiseBounds:       lingp.Interval{Low: 1e-6, High: 1e2},
		MaxEvals:          subspaceEvals,
	})
	report.Jitter = max(report.Jitter, fit.Jitter)
	if err != nil {
		return err
	}
	s.hyper, s.fitted = h, n
	return nil
}
