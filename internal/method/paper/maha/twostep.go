package maha

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/paper/acquisition"
	"github.com/mahabo/mahabo/internal/method/paper/candidate"
	"github.com/mahabo/mahabo/internal/method/paper/embed"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"github.com/mahabo/mahabo/strategy"
)

// Pinv describes maha-pinv.
func Pinv() strategy.Method {
	return strategy.Method{
		Name:      "maha-pinv",
		Summary:   "maha in two steps: finds z in the learned subspace, queries its pseudo-inverse image; to compare with maha",
		Reference: "Horiguchi, Iwata, Tsuzuki & Ozawa 2022",
		Batch:     true,
		Options:   twoStepOptions(),
		New: func(cfg strategy.Config, s strategy.Settings) (strategy.Strategy, error) {
			return newMahaTwoStep(cfg, s, false)
		},
	}
}

// Random describes maha-random.
func Random() strategy.Method {
	return strategy.Method{
		Name:      "maha-random",
		Summary:   "maha in two steps: finds z in the learned subspace, queries a random point that maps to it; to compare with maha",
		Reference: "Horiguchi, Iwata, Tsuzuki & Ozawa 2022",
		Batch:     true,
		Options:   twoStepOptions(),
		New: func(cfg strategy.Config, s strategy.Settings) (strategy.Strategy, error) {
			return newMahaTwoStep(cfg, s, true)
		},
	}
}

func twoStepOptions() []strategy.Option {
	return []strategy.Option{
		{Key: "d", Default: "", Meaning: "embedding dimension: a number, or true for the problem's own (default: true where known, else 1)"},
		{Key: "starts", Default: "corners", Meaning: "of the search for z: corners (of the polytope of feasible z), inside (samples of it) or far (corners, but some searches fail)"},
	}
}

// mahaTwoStep is Maha-BO-pinv and Maha-BO-random (alg:two-step_bo): the model is that of
// maha, but the first point is searched among the z whose pseudo-inverse image B⁺z lies
// in the box and mapped back. The others of the batch are drawn as by maha, for pinv
// then moved to the row space of B.
type mahaTwoStep struct {
	*maha
	random bool
	starts string // of the search for z
}

// Of the starts=far searches for z, some fail: z stays where it was drawn.
const (
	farFailures = 1. / 8
	farBound    = 1e8 // of every coordinate there
)

var (
	_ strategy.Strategy = (*mahaTwoStep)(nil)
	_ strategy.Reporter = (*mahaTwoStep)(nil)
)

func newMahaTwoStep(cfg strategy.Config, s strategy.Settings, random bool) (strategy.Strategy, error) {
	d, err := method.EmbeddingDim(s, cfg, max(cfg.TrueDim, 1))
	if err != nil {
		return nil, err
	}
	starts, err := method.Choice(s, "starts", "corners", "inside", "far")
	if err != nil {
		return nil, err
	}
	m := &mahaTwoStep{maha: newMahaLoop(cfg), random: random, starts: starts}
	m.useMahalanobis(d)
	return m, nil
}

func (m *mahaTwoStep) Ask(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
	return m.ask(ctx, n, pending, m.propose)
}

// propose fits the model and chooses n points with it.
func (m *mahaTwoStep) propose(ctx context.Context, n int, pending []strategy.Point) ([]strategy.Point, error) {
	t, err := m.learn(ctx, pending)
	if err != nil {
		return nil, err
	}
	B := t.model.Hyper().B
	pinv, err := embed.NewPseudoInverse(B)
	if err != nil {
		return nil, err
	}
	z, err := t.lowest(ctx, pinv.Matrix(), m.starts)
	if err != nil {
		return nil, err
	}
	var back embed.Reconstruction = pinv
	if m.random {
		back = embed.NewRandomised(pinv)
	}
	first := make([]float64, m.Dim)
	if err := back.Reconstruct(ctx, first, z, t.stream("reconstruction")); err != nil {
		return nil, err
	}
	points, err := m.complete(ctx, t, first, n)
	if err != nil || m.random {
		return points, err
	}
	rest := points
	if m.starts != "far" {
		rest = points[1:] // the first is in the row space
	}
	for _, x := range rest { // x <- clamp(B⁺B x)
		embed.Linear{B: B}.Apply(z, x)
		if err := pinv.Reconstruct(ctx, x, z, nil); err != nil {
			return nil, err
		}
	}
	return points, nil
}

// lowest minimises mean - beta*std over {z : -1 <= Mz <= 1}, M = B⁺. The posterior in z is
// that of the squared-exponential kernel of length-scale 1 at the projected data.
func (t task) lowest(ctx context.Context, M linalg.Matrix, starts string) ([]float64, error) {
	hyper := t.model.Hyper()
	d := hyper.B.Rows
	in, z := lingp.NewInputs(d), make([]float64, d)
	for i := range t.in.Len() {
		embed.Linear{B: hyper.B}.Apply(z, t.in.At(i))
		in.Append(z)
	}
	ones := make([]float64, d)
	for a := range ones {
		ones[a] = 1
	}
	hyper.Kernel = lingp.RBFARD(ones)
	model, err := lingp.NewModel(hyper, in, t.y)
	if err != nil {
		return nil, err
	}
	polytope, err := candidate.NewPolytope(M)
	if err != nil {
		return nil, err
	}
	f := &acquisition.LCB{Model: model, Beta: t.beta}
	r := t.stream("first")
	if starts == "inside" {
		z, _, err = polytope.Minimize(ctx, f, candidate.Options{Starts: 5, Samples: 100}, r)
		return z, err
	}
	corners := linalg.New(5, d)
	if err := polytope.Corners(corners, r); err != nil {
		return nil, err
	}
	if starts == "far" {
		return lowestOfSome(ctx, polytope, f, corners, r)
	}
	z, _, err = polytope.MinimizeFrom(ctx, f, corners, candidate.Options{Starts: corners.Rows}, r)
	return z, err
}

// lowestOfSome searches from the corners one by one. A search that fails leaves z far outside the
// polytope, where f is flat as it is in most corners: the first of such equals is the result.
// They are equal in single precision.
func lowestOfSome(ctx context.Context, polytope *candidate.Polytope, f acquisition.Function, corners linalg.Matrix, r *rand.Rand) (lowest []float64, err error) {
	least := float32(math.Inf(1))
	for i := range corners.Rows {
		z := make([]float64, corners.Cols)
		if r.Float64() < farFailures {
			for a := range z {
				z[a] = farBound * (2*r.Float64() - 1)
			}
		} else if z, _, err = polytope.MinimizeFrom(ctx, f, corners.Slice(i, i+1, 0, corners.Cols), candidate.Options{Starts: 1}, r); err != nil {
			return nil, err
		}
		if v := float32(f.Value(z)); lowest == nil || v < least {
			lowest, least = z, v
		}
	}
	return lowest, nil
}
