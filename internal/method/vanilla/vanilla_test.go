package vanilla

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/strategy"
)

func newVanilla(t testing.TB, dim int) *vanilla {
	t.Helper()
	return methodtest.Build(t, Method(), "vanilla", strategy.Config{Domain: strategy.Box(dim), Seed: 1}).(*vanilla)
}

// The last cold fit is never further back than a tenth of the data and does not move
// until the next.
func TestColdCount(t *testing.T) {
	last := 0
	for n := 1; n <= 3000; n++ {
		c := coldCount(n)
		if c > n || c < last || n-c > c/growth {
			t.Fatalf("n=%d: cold fit at %d after %d", n, c, last)
		}
		if c != last && c != n {
			t.Fatalf("n=%d: the cold fit jumps to %d, which was there before", n, c)
		}
		last = c
	}
}

// The densities of the paper, of length-scales in [0,1]^D and of the noise, are those of our
// logarithms up to a constant: the same values are the most probable. Lengths of our box are
// twice as long.
func TestVanillaPriorIsThatOfTheUnitCube(t *testing.T) {
	gaussian := func(p gp.LogNormalPrior, log float64) float64 {
		d := (log - p.Mu) / p.StdDev
		return -d * d / 2
	}
	for _, dim := range []int{1, 60, 1000} {
		weight, noise := priors(dim)
		unit := gp.LogNormalPrior{Mu: math.Sqrt2 + 0.5*math.Log(float64(dim)), StdDev: math.Sqrt(3)}
		if got, want := lengthScale(math.Exp(weight.Prior.Mu)), 2*unit.Mode(); math.Abs(got-want) > 1e-12*want {
			t.Errorf("D=%d: mode %g, want %g", dim, got, want)
		}
		top, _ := unit.LogDensity(unit.Mode())
		for _, l := range []float64{0.1, 3, 50} {
			ours := gaussian(weight.Prior, -2*math.Log(2*l))
			if theirs, _ := unit.LogDensity(l); math.Abs(ours-(theirs-top)) > 1e-12*math.Abs(ours) {
				t.Errorf("D=%d: the log density at %g is %g below the mode, want %g", dim, 2*l, -ours, top-theirs)
			}
		}
		paper := gp.LogNormalPrior{Mu: -4, StdDev: 1}
		top, _ = paper.LogDensity(paper.Mode())
		for _, v := range []float64{1e-3, 0.02, 1} {
			ours := gaussian(noise.Prior, math.Log(v))
			if theirs, _ := paper.LogDensity(v); math.Abs(ours-(theirs-top)) > 1e-12 {
				t.Errorf("the log density of the noise %g is %g below the mode, want %g", v, -ours, top-theirs)
			}
		}
	}
}

// lengthScale is that of a weight.
func lengthScale(weight float64) float64 { return 1 / math.Sqrt(weight) }

// A function of two of thirty parameters: the fit shortens their length-scales and
// leaves the others to the prior.
func TestVanillaFindsTheParametersThatMatter(t *testing.T) {
	f := func(x []float64) float64 {
		return (x[3]-0.4)*(x[3]-0.4) + (x[17]+0.6)*(x[17]+0.6)
	}
	v := newVanilla(t, 30)
	_, best := methodtest.Play(t, v, 12, 5, f)
	if best > 1e-3 {
		t.Errorf("best value %g, want 0", best)
	}
	hyper, err := v.fit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	prior, _ := priors(30)
	mode := lengthScale(math.Exp(prior.Prior.Mu))
	for j, w := range hyper.Metric.(gp.Weighted).Weights {
		if matters := j == 3 || j == 17; matters != (lengthScale(w) < mode) {
			t.Errorf("length-scale %d is %g, the mode of the prior %g", j, lengthScale(w), mode)
		}
	}
	if v.LastAsk().Fallback != nil {
		t.Errorf("fell back: %v", v.LastAsk().Fallback)
	}
}

// A remembered cold fit is what a new strategy finds for itself, whenever it was made.
func TestVanillaRemembersOnlyWhatTheDataSay(t *testing.T) {
	asked := newVanilla(t, 12)
	methodtest.Play(t, asked, 27, 1, methodtest.Ridge)
	fresh := newVanilla(t, 12)
	for i, x := range asked.X {
		methodtest.Tell(t, fresh, x, asked.Y[i])
	}
	want, err := asked.fit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got, err := fresh.fit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if asked.cold.n == len(asked.Y) {
		t.Fatal("the case has no warm fit")
	}
	if !slices.Equal(got.Logs, want.Logs) {
		t.Errorf("the logarithms of the hyperparameters are %v, replayed %v", want.Logs, got.Logs)
	}
}

func TestVanillaForgetsACancelledFit(t *testing.T) {
	v := newVanilla(t, 5)
	methodtest.Play(t, v, 2, 5, methodtest.Ridge)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := v.Ask(ctx, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if v.cold.n != 0 {
		t.Errorf("a cancelled fit to %d observations is remembered", v.cold.n)
	}
}

// A choice of labels has one weight, whatever the number of its coordinates.
func TestVanillaWeighsParameters(t *testing.T) {
	d := strategy.Domain{Params: []strategy.Param{
		{Name: "a", Kind: strategy.Real, First: 0, Width: 1},
		{Name: "b", Kind: strategy.Label, First: 1, Width: 3},
		{Name: "c", Kind: strategy.Real, First: 4, Width: 1},
	}}
	v := methodtest.Build(t, Method(), "vanilla", strategy.Config{Domain: d, Init: 4, Seed: 1}).(*vanilla)
	methodtest.Play(t, v, 8, 1, methodtest.Ridge)
	hyper, err := v.fit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m := hyper.Metric.(gp.Weighted); len(m.Weights) != 3 || !slices.Equal(m.Of, []int{0, 1, 1, 1, 2}) {
		t.Errorf("the weights %v belong to the parameters %v of the coordinates", m.Weights, m.Of)
	}
}

// The less sure a value is, the less it moves the model.
func TestVanillaTrustsByStd(t *testing.T) {
	at := strategy.Point{0.1, -0.2, 0.3}
	predict := func(told ...strategy.Observation) float64 {
		t.Helper()
		v := newVanilla(t, 3)
		for i := range 20 {
			x := strategy.Point{math.Sin(float64(3 * i)), math.Sin(float64(3*i + 1)), math.Sin(float64(3*i + 2))}
			told = append(told, strategy.Observation{X: x, Y: []float64{x[0] + x[1]*x[2]}, Std: []float64{0.01}})
		}
		if err := v.Tell(told...); err != nil {
			t.Fatal(err)
		}
		methodtest.Ask(t, v, 1)
		mean, _, ok := v.Predict(at)
		if !ok {
			t.Fatal("no prediction")
		}
		return mean
	}
	without := predict()
	pull := func(std float64) float64 {
		return predict(strategy.Observation{X: at, Y: []float64{1.5}, Std: []float64{std}}) - without
	}
	if sure, unsure := pull(0.01), pull(5); !(sure > 0.5 && math.Abs(unsure) < sure/4) {
		t.Errorf("the value pulls by %g, with a std of 5 by %g", sure, unsure)
	}
}
