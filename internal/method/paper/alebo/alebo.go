package alebo

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/paper/acquisition"
	"github.com/mahabo/mahabo/internal/method/paper/candidate"
	"github.com/mahabo/mahabo/internal/method/paper/embed"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// Method describes alebo.
func Method() strategy.Method {
	return strategy.Method{
		Name:      "alebo",
		Summary:   "searches one random subspace, inside the box only, with a Gaussian process of full metric; to compare with",
		Reference: "Letham, Calandra, Rai & Bakshy 2020 (arXiv:2001.11659)",
		Options: []strategy.Option{
			{Key: "d", Default: "", Meaning: "embedding dimension: a number, or true for the problem's own (default: twice that where known, else 8)"},
		},
		New: newALEBO,
	}
}

// Settings of the authors' program, in the Ax platform.
const (
	aleboRestarts = 10    // starts of the metric's fit
	aleboMembers  = 25    // metrics in the mixture, the fitted one first
	aleboNoise    = 1e-7  // fixed variance, of standardised values
	aleboSamples  = 1000  // points of the polytope among which a search chooses its starts
	aleboStarts   = 10    // these
	aleboTries    = 10000 // proposals of the rejection sampler at one width
	aleboWidth    = 16    // half-width of the box of its first proposals
)

// Settings of this one.
const (
	aleboDim    = 8  // embedding dimension where the problem's is not known
	aleboIter   = 15 // iterations of a search
	aleboGrowth = 10 // a fit serves until the data have grown by this part
)

// alebo is ALEBO. A random d x D matrix B, columns of length 1, is drawn once; all points
// are x = B⁺z with z in the polytope -1 <= B⁺z <= 1. There z = Bx, which is also what is
// used of a told point off the subspace. The values follow a Gaussian process in z with the
// kernel exp(-½|U(z-z')|²), U upper triangular; its posterior is averaged over 25
// draws of U, and the expected improvement is maximised over the polytope.
//
// The code has B multiplied by d/D, so that the polytope is about the unit ball; the
// learned U takes the factor back.
//
// A fit serves until the data have grown by a tenth; in between the mixture grows
// by rows. Which observations are fitted is a function of their number, so that a
// replay fits the same ones.
type alebo struct {
	cfg strategy.Config
	method.History
	B        embed.Linear
	pinv     *embed.PseudoInverse
	spread   linalg.Matrix // lower factor of BBᵀ
	polytope *candidate.Polytope
	in       *lingp.Inputs // z of the observations
	model    *lingp.Mixture
	fitted   int // observations that the hyperparameters of model were fitted to
	report   strategy.AskReport
}

var (
	_ strategy.Strategy = (*alebo)(nil)
	_ strategy.Reporter = (*alebo)(nil)
)

func newALEBO(cfg strategy.Config, s strategy.Settings) (strategy.Strategy, error) {
	d := aleboDim
	if cfg.TrueDim > 0 {
		d = 2 * cfg.TrueDim
	}
	d, err := method.EmbeddingDim(s, cfg, d)
	if err != nil {
		return nil, err
	}
	B := aleboEmbedding(d, cfg.Domain.Dim(), rng.New(cfg.Seed, rng.Purpose("alebo embedding")))
	pinv, err := embed.NewPseudoInverse(B)
	if err != nil {
		return nil, err
	}
	polytope, err := candidate.NewPolytope(pinv.Matrix())
	if err != nil {
		return nil, err
	}
	spread, gram := linalg.New(d, d), linalg.New(d, d)
	linalg.Syrk(gram, 0, 1, B)
	if _, err := linalg.CholeskyJitter(spread, gram, linalg.DefaultLadder(gram)); err != nil {
		return nil, err
	}
	return &alebo{
		cfg: cfg, History: method.NewHistory(cfg), B: embed.Linear{B: B}, pinv: pinv, spread: spread,
		polytope: polytope, in: lingp.NewInputs(d),
	}, nil
}

// aleboEmbedding draws B: normal columns of length 1, times d/D.
func aleboEmbedding(d, dim int, r *rand.Rand) linalg.Matrix {
	B, column := linalg.New(d, dim), make([]float64, d)
	for j := range dim {
		for a := range column {
			column[a] = r.NormFloat64()
		}
		scale := float64(d) / float64(dim) / math.Sqrt(linalg.Dot(column, column))
		for a, v := range column {
			B.Set(a, j, scale*v)
		}
	}
	return B
}

func (a *alebo) Tell(obs ...strategy.Observation) error {
	if err := a.Add(obs); err != nil {
		return err
	}
	for _, o := range obs {
		a.in.Append(a.down(o.X))
	}
	return nil
}

// LastAsk says how the last Ask went.
func (a *alebo) LastAsk() strategy.AskReport { return a.report }

func (a *alebo) Ask(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
	return a.AskPoints(ctx, n, pending, a.choose)
}

// choose returns n points.
func (a *alebo) choose(ctx context.Context, n int, pending []strategy.Point) ([]strategy.Point, error) {
	a.report = strategy.AskReport{EmbeddingDim: a.B.B.Rows}
	seen := len(a.X) + len(pending)
	if seen < a.cfg.Init || len(a.X) == 0 {
		return a.randoms(seen, n), nil
	}
	points, err := a.propose(ctx, n, pending)
	if err != nil && ctx.Err() == nil {
		a.report.Fallback = err
		return a.randoms(seen, n), nil
	}
	return points, err
}

// propose chooses n points, each after the ones before it were believed to have their
// predicted values.
func (a *alebo) propose(ctx context.Context, n int, pending []strategy.Point) ([]strategy.Point, error) {
	if err := a.learn(ctx); err != nil {
		return nil, err
	}
	a.report.Jitter = a.model.Jitter()
	defer a.model.Truncate(len(a.X))
	y, best := method.Standardise(a.Y)
	a.model.SetValues(y)
	for _, p := range pending {
		y = a.believe(y, p)
	}
	taken := slices.Clone(pending)
	for i := range n {
		x, err := a.search(ctx, best, rng.New(a.cfg.Seed, uint64(len(a.X)), uint64(len(taken)), rng.Purpose("alebo search")))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(taken, func(p strategy.Point) bool { return method.Coincide(p, x) }) {
			x = a.random(len(a.X) + len(taken)) // the last place of a small polytope is taken
		}
		taken = append(taken, x)
		if i+1 < n {
			y = a.believe(y, x)
		}
	}
	return taken[len(pending):], nil
}

// believe adds x to the model with its predicted value, and that to y.
func (a *alebo) believe(y []float64, x strategy.Point) []float64 {
	z := a.down(x)
	mean, _ := a.model.Predict(z)
	y = append(y, mean)
	a.model.Append(z)
	a.model.SetValues(y)
	return y
}

// search maximises the expected improvement over the polytope, by its logarithm: the
// same point, found also where the improvement is too small for the search's tolerance.
func (a *alebo) search(ctx context.Context, best float64, r *rand.Rand) (strategy.Point, error) {
	samples := linalg.New(aleboSamples, a.B.B.Rows)
	a.sample(samples, r)
	f := func(model lingp.Differentiable) acquisition.Function {
		return &acquisition.LogEI{Model: model, Best: best}
	}
	z, _, err := a.polytope.MinimizeTogether(ctx, a.model, f, samples, candidate.Options{Starts: aleboStarts, MaxIter: aleboIter}, r)
	if err != nil {
		return nil, err
	}
	return a.up(z), nil
}

// learn brings the model to the observations.
func (a *alebo) learn(ctx context.Context) error {
	n := aleboFitted(len(a.X), a.cfg.Init)
	if a.model == nil || a.fitted != n {
		model, err := a.fit(ctx, n)
		if err != nil {
			return err
		}
		a.model, a.fitted = model, n
	}
	for i := a.model.Len(); i < len(a.X); i++ {
		a.model.Append(a.in.At(i))
	}
	return nil
}

// aleboFitted returns how many of n observations are fitted: the largest size up to n of
// the sequence that begins with the initial design and grows by a tenth.
func aleboFitted(n, initial int) int {
	size := min(n, initial)
	for next := size; next <= n; next += max(1, next/aleboGrowth) {
		size = next
	}
	return size
}

// fit learns the metric of the first n observations and draws the mixture from its
// posterior.
func (a *alebo) fit(ctx context.Context, n int) (*lingp.Mixture, error) {
	in := lingp.NewInputs(a.in.Dim())
	for i := range n {
		in.Append(a.in.At(i))
	}
	y, _ := method.Standardise(a.Y[:n])
	r := rng.New(a.cfg.Seed, uint64(n), rng.Purpose("alebo fit"))
	starts := make([]lingp.Hyper, aleboRestarts)
	for i := range starts {
		U, err := a.metric(r)
		if err != nil {
			return nil, err
		}
		starts[i] = lingp.Hyper{Kernel: lingp.Mahalanobis(U), OutputScale: num.Softplus(0), NoiseVariance: aleboNoise}
	}
	best, _, err := lingp.FitTriangular(ctx, starts, in, y, lingp.TriangularOptions{Screen: 25, Finalists: 2, Finish: 175})
	if err != nil {
		return nil, err
	}
	members, err := lingp.SampleTriangular(ctx, best, in, y, aleboMembers, r)
	if err != nil {
		return nil, err
	}
	return lingp.NewMixture(members, in, y)
}

// metric draws a start of U: the metric that a function of d random orthonormal
// directions A has in z,
//
//	UᵀU = (AB⁺)ᵀ(AB⁺).
func (a *alebo) metric(r *rand.Rand) (linalg.Matrix, error) {
	d := a.B.B.Rows
	A := linalg.New(d, a.Dim)
	for k := range d {
		row := A.Row(k)
		for j := range row {
			row[j] = r.NormFloat64()
		}
		for l := range k {
			linalg.Axpy(row, -linalg.Dot(row, A.Row(l)), A.Row(l))
		}
		norm := math.Sqrt(linalg.Dot(row, row))
		for j := range row {
			row[j] /= norm
		}
	}
	AB, gamma, L, U := linalg.New(d, d), linalg.New(d, d), linalg.New(d, d), linalg.New(d, d)
	linalg.Gemm(AB, 0, 1, A, a.pinv.Matrix())
	linalg.GemmTA(gamma, 0, 1, AB, AB)
	if _, err := linalg.CholeskyJitter(L, gamma, linalg.DefaultLadder(gamma)); err != nil {
		return U, err
	}
	for k := range d {
		for l := range k + 1 {
			U.Set(l, k, L.At(k, l))
		}
	}
	return U, nil
}

// down computes z = Bx.
func (a *alebo) down(x strategy.Point) []float64 {
	z := make([]float64, a.B.B.Rows)
	a.B.Apply(z, x)
	return z
}

// up computes x = B⁺z; the clamp takes rounding away.
func (a *alebo) up(z []float64) strategy.Point {
	x := make(strategy.Point, a.Dim)
	for j := range x {
		x[j] = min(max(linalg.Dot(a.pinv.Matrix().Row(j), z), -1), 1)
	}
	return x
}

// randoms returns the random points from..from+n-1.
func (a *alebo) randoms(from, n int) []strategy.Point {
	points := make([]strategy.Point, n)
	for i := range points {
		points[i] = a.random(from + i)
	}
	return points
}

// random returns random point i of the polytope, in the box.
func (a *alebo) random(i int) strategy.Point {
	z := linalg.New(1, a.B.B.Rows)
	a.sample(z, rng.New(a.cfg.Seed, uint64(i), rng.Purpose("alebo random")))
	return a.up(z.Row(0))
}

// sample fills the rows of z with points of the polytope by rejection. Proposals are Bx,
// x uniform in a box of half-width b, whose law for all but the smallest D is
// N(0, b²/3 BBᵀ); b is halved until enough of them are inside.
func (a *alebo) sample(z linalg.Matrix, r *rand.Rand) {
	g := make([]float64, z.Cols)
	for b := float64(aleboWidth); ; b /= 2 {
		found := 0
		for tries := 0; tries < aleboTries && found < z.Rows; tries++ {
			for k := range g {
				g[k] = b / math.Sqrt(3) * r.NormFloat64()
			}
			row := z.Row(found)
			for k := range row {
				row[k] = linalg.Dot(a.spread.Row(k)[:k+1], g[:k+1])
			}
			if a.feasible(row) {
				found++
			}
		}
		if found == z.Rows {
			return
		}
	}
}

// feasible says whether B⁺z lies in the box.
func (a *alebo) feasible(z []float64) bool {
	M := a.pinv.Matrix()
	for j := range M.Rows {
		if !(math.Abs(linalg.Dot(M.Row(j), z)) <= 1) {
			return false
		}
	}
	return true
}
