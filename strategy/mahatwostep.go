package strategy

import (
	"context"

	"github.com/mahabo/mahabo/acquisition"
	"github.com/mahabo/mahabo/candidate"
	"github.com/mahabo/mahabo/embed"
	"github.com/mahabo/mahabo/gp"
	"github.com/mahabo/mahabo/internal/linalg"
)

func mahaPinvMethod() Method {
	return Method{
		Name:      "maha-pinv",
		Summary:   "maha in two steps: finds z in the learned subspace, queries its pseudo-inverse image; to compare with maha",
		Reference: "Horiguchi, Iwata, Tsuzuki & Ozawa 2022",
		Batch:     true,
		Options:   twoStepOptions(),
		build: func(cfg Config, s settings) (Strategy, error) {
			return newMahaTwoStep(cfg, s, false)
		},
	}
}

func mahaRandomMethod() Method {
	return Method{
		Name:      "maha-random",
		Summary:   "maha in two steps: finds z in the learned subspace, queries a random point that maps to it; to compare with maha",
		Reference: "Horiguchi, Iwata, Tsuzuki & Ozawa 2022",
		Batch:     true,
		Options:   twoStepOptions(),
		build: func(cfg Config, s settings) (Strategy, error) {
			return newMahaTwoStep(cfg, s, true)
		},
	}
}

func twoStepOptions() []Option {
	return []Option{
		{"d", "", "embedding dimension: a number, or true for the problem's own (default: true where known, else 1)"},
		{"starts", "corners", "of the search for z: corners (of the polytope of feasible z) or inside (samples of it)"},
	}
}

// mahaTwoStep is Maha-BO-pinv and Maha-BO-random (alg:two-step_bo): the model is that of
// maha, but the first point is searched among the z whose pseudo-inverse image B⁺z lies
// in the box and mapped back. The others of the batch are drawn as by maha, for pinv
// then moved to the row space of B.
type mahaTwoStep struct {
	*maha
	random  bool
	corners bool // where the searches for z start
}

var (
	_ Strategy = (*mahaTwoStep)(nil)
	_ Reporter = (*mahaTwoStep)(nil)
)

func newMahaTwoStep(cfg Config, s settings, random bool) (Strategy, error) {
	d, err := s.embeddingDim(cfg, max(cfg.TrueDim, 1))
	if err != nil {
		return nil, err
	}
	starts, err := s.choice("starts", "corners", "inside")
	if err != nil {
		return nil, err
	}
	m := &mahaTwoStep{maha: newMahaLoop(cfg), random: random, corners: starts == "corners"}
	m.useMahalanobis(d)
	return m, nil
}

func (m *mahaTwoStep) Ask(ctx context.Context, n int, pending []Point) ([]Point, error) {
	return m.ask(ctx, n, pending, m.propose)
}

// propose fits the model and chooses n points with it.
func (m *mahaTwoStep) propose(ctx context.Context, n int, pending []Point) ([]Point, error) {
	t, err := m.learn(ctx, pending)
	if err != nil {
		return nil, err
	}
	B := t.model.Hyper().B
	pinv, err := embed.NewPseudoInverse(B)
	if err != nil {
		return nil, err
	}
	z, err := t.lowest(ctx, pinv.Matrix(), m.corners)
	if err != nil {
		return nil, err
	}
	var back embed.Reconstruction = pinv
	if m.random {
		back = embed.NewRandomised(pinv)
	}
	first := make([]float64, m.dim)
	if err := back.Reconstruct(ctx, first, z, t.stream("reconstruction")); err != nil {
		return nil, err
	}
	points, err := m.complete(ctx, t, first, n)
	if err != nil || m.random {
		return points, err
	}
	// x <- clamp(B⁺B x); the first point is there already.
	for _, x := range points[1:] {
		embed.Linear{B: B}.Apply(z, x)
		if err := pinv.Reconstruct(ctx, x, z, nil); err != nil {
			return nil, err
		}
	}
	return points, nil
}

// lowest minimises mean - beta*std over {z : -1 <= Mz <= 1}, M = B⁺. The posterior in z is
// that of the squared-exponential kernel of length-scale 1 at the projected data.
func (t task) lowest(ctx context.Context, M linalg.Matrix, corners bool) ([]float64, error) {
	hyper := t.model.Hyper()
	d := hyper.B.Rows
	in, z := gp.NewInputs(d), make([]float64, d)
	for i := range t.in.Len() {
		embed.Linear{B: hyper.B}.Apply(z, t.in.At(i))
		in.Append(z)
	}
	ones := make([]float64, d)
	for a := range ones {
		ones[a] = 1
	}
	hyper.Kernel = gp.RBFARD(ones)
	model, err := gp.NewModel(hyper, in, t.y)
	if err != nil {
		return nil, err
	}
	polytope, err := candidate.NewPolytope(M)
	if err != nil {
		return nil, err
	}
	f := &acquisition.LCB{Model: model, Beta: t.beta}
	if !corners {
		z, _, err = polytope.Minimize(ctx, f, candidate.Options{Starts: 5, Samples: 100}, t.stream("first"))
		return z, err
	}
	r, starts := t.stream("first"), linalg.New(5, d)
	if err := polytope.Corners(starts, r); err != nil {
		return nil, err
	}
	z, _, err = polytope.MinimizeFrom(ctx, f, starts, candidate.Options{Starts: starts.Rows}, r)
	return z, err
}
