package silbo

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/internal/method/paper/embed"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// silboAfter returns silbo after n observations of methodtest.Ridge at the points it asked for.
func silboAfter(t *testing.T, dim, n int) *silbo {
	t.Helper()
	s := build(t, "silbo", strategy.Config{Domain: strategy.Box(dim), TrueDim: min(2, dim), Seed: 3})
	methodtest.Play(t, s, n, 1, methodtest.Ridge)
	return s
}

func build(t testing.TB, spec string, cfg strategy.Config) *silbo {
	t.Helper()
	return methodtest.Build(t, Method(), spec, cfg).(*silbo)
}

// An embedding follows from the observations before it: later ones do not change it,
// and it does not matter whether it was learned on the way.
func TestSilboEmbeddingIsAFunctionOfItsObservations(t *testing.T) {
	s := silboAfter(t, 12, 55)
	late := build(t, "silbo", strategy.Config{Domain: strategy.Box(12), TrueDim: 2, Seed: 3})
	for i := range s.X {
		methodtest.Tell(t, late, s.X[i], s.Y[i])
	}
	if _, err := late.embedding(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(s.maps) != 3 || len(late.maps) != 3 { // after 10, 30 and 50 observations
		t.Fatalf("%d and %d embeddings, want 3", len(s.maps), len(late.maps))
	}
	for e := range s.maps {
		if !slices.Equal(s.maps[e].B.Data, late.maps[e].B.Data) {
			t.Errorf("embedding %d differs", e)
		}
	}
}

// A design of one point has no direction; the next embedding has.
func TestSilboRecoversFromATinyDesign(t *testing.T) {
	s := build(t, "silbo", strategy.Config{Domain: strategy.Box(5), Init: 1})
	methodtest.Play(t, s, 3, 1, methodtest.Ridge)
	if err := s.LastAsk().Fallback; !errors.Is(err, embed.ErrNoDirection) {
		t.Errorf("after one observation the report is %v, want %v", err, embed.ErrNoDirection)
	}
	methodtest.Play(t, s, 22, 1, methodtest.Ridge)
	if err := s.LastAsk().Fallback; err != nil {
		t.Errorf("after 24 observations: %v", err)
	}
}

// The round that is repeated for an embedding is the round that was played.
func TestSilboTrailEndsAtThePointAsked(t *testing.T) {
	s := silboAfter(t, 12, 30)
	v, err := s.learn(context.Background(), s.maps[0].B, 29)
	if err != nil {
		t.Fatal(err)
	}
	trail, err := s.search(context.Background(), v, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(trail) != 2 || !slices.Equal(trail[1], s.X[29]) {
		t.Errorf("a trail of %d points ends at %v, point 29 is %v", len(trail), trail[len(trail)-1], s.X[29])
	}
}

// The tied length-scale ends where its likelihood is flat or at a bound.
func TestFitIsotropic(t *testing.T) {
	r := rng.New(5)
	in, y := lingp.NewInputs(2), make([]float64, 40)
	for i := range y {
		z := []float64{4*r.Float64() - 2, 4*r.Float64() - 2}
		in.Append(z)
		y[i] = math.Sin(2*z[0]) + math.Cos(z[1]) + 0.1*r.NormFloat64()
	}
	y, _ = method.Standardise(y)
	model, err := fitIsotropic(context.Background(), make([]float64, 3), new(lingp.Tied), in, y)
	if err != nil {
		t.Fatal(err)
	}
	h := model.Hyper()
	if h.LengthScales[0] != h.LengthScales[1] {
		t.Fatalf("length-scales %v are not tied", h.LengthScales)
	}
	loss := func(theta []float64) float64 {
		l := math.Exp(theta[0])
		h := lingp.Hyper{Kernel: lingp.Matern52ARD([]float64{l, l}), OutputScale: math.Exp(theta[1]), NoiseVariance: math.Exp(theta[2])}
		value, _, _, err := lingp.LogMarginal(h, in, y)
		if err != nil {
			t.Fatal(err)
		}
		return value / float64(len(y))
	}
	theta := []float64{math.Log(h.LengthScales[0]), math.Log(h.OutputScale), math.Log(h.NoiseVariance)}
	for k := range theta {
		if g, _ := fdcheck.Derivative(loss, theta, k, 1e-3); math.Abs(g) > 1e-4 {
			t.Errorf("slope %g in parameter %d at %v", g, k, theta)
		}
	}
	if !(loss(theta) > loss(make([]float64, 3))) {
		t.Errorf("the fit has loss %g, its start %g", -loss(theta), -loss(make([]float64, 3)))
	}
}

// Two generations come near z in few dimensions, and the second is no worse.
func TestReconstruct(t *testing.T) {
	r := rng.New(6)
	B := linalg.New(1, 4)
	for j := range B.Data {
		B.Data[j] = r.NormFloat64()
	}
	miss := func(x, z []float64) float64 {
		zx := make([]float64, 1)
		embed.Linear{B: B}.Apply(zx, x)
		return math.Abs(zx[0] - z[0])
	}
	z := []float64{0.4}
	for range 20 {
		trail, err := reconstruct(B, z, r)
		if err != nil {
			t.Fatal(err)
		}
		if first, last := miss(trail[0], z), miss(trail[1], z); last > first || last > 0.3 {
			t.Errorf("|Bx - z| is %g after one generation, %g after two", first, last)
		}
		for _, x := range trail {
			if err := strategy.CheckPoint(x, 4); err != nil {
				t.Error(err)
			}
		}
	}
}

func BenchmarkSilboAsk(b *testing.B) {
	s := build(b, "silbo:d=2", strategy.Config{Domain: strategy.Box(1000)})
	for i := range 300 {
		x := make(strategy.Point, 1000)
		rng.NewFiller(rng.New(uint64(i))).Uniform(x)
		methodtest.Tell(b, s, x, methodtest.Ridge(x))
	}
	for b.Loop() {
		if _, err := s.Ask(context.Background(), 1, nil); err != nil {
			b.Fatal(err)
		}
	}
}
