package vanilla

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/strategy"
)

// The last cold fit is never further back than a tenth of the data and does not move
// until the next.
func TestColdCount(t *testing.T) {
	last := 0
	for n := 1; n <= 3000; n++ {
		c := coldCount(n)
		if c > n || c < last || n-c > c/vanillaGrowth {
			t.Fatalf("n=%d: cold fit at %d after %d", n, c, last)
		}
		if c != last && c != n {
			t.Fatalf("n=%d: the cold fit jumps to %d, which was there before", n, c)
		}
		last = c
	}
}

// The prior of the paper on [0,1]^D, in lengths of our box: the mode is twice as long.
func TestVanillaPriorIsThatOfTheUnitCube(t *testing.T) {
	for _, dim := range []int{1, 60, 1000} {
		ours, _ := vanillaPriors(dim)
		unit := gp.LogNormalPrior{Mu: math.Sqrt2 + 0.5*math.Log(float64(dim)), StdDev: math.Sqrt(3)}
		if got, want := ours.Mode(), 2*unit.Mode(); math.Abs(got-want) > 1e-12*want {
			t.Errorf("D=%d: mode %g, want %g", dim, got, want)
		}
		for _, l := range []float64{0.1, 3, 50} {
			a, _ := ours.LogDensity(2 * l)
			b, _ := unit.LogDensity(l)
			if math.Abs(a-b+math.Ln2) > 1e-12 {
				t.Errorf("D=%d: log density %g at %g, want %g - log 2", dim, a, 2*l, b)
			}
		}
	}
}

// A function of two of thirty parameters: the fit shortens their length-scales and
// leaves the others to the prior.
func TestVanillaFindsTheParametersThatMatter(t *testing.T) {
	f := func(x []float64) float64 {
		return (x[3]-0.4)*(x[3]-0.4) + (x[17]+0.6)*(x[17]+0.6)
	}
	v := build(t, "vanilla", 30, 1).(*vanilla)
	_, best := play(t, v, 12, 5, f)
	if best > 1e-3 {
		t.Errorf("best value %g, want 0", best)
	}
	hyper, err := v.fit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	prior, _ := vanillaPriors(30)
	for j, l := range hyper.LengthScales {
		if matters := j == 3 || j == 17; matters != (l < prior.Mode()) {
			t.Errorf("length-scale %d is %g, the mode of the prior %g", j, l, prior.Mode())
		}
	}
	if v.LastAsk().Fallback != nil {
		t.Errorf("fell back: %v", v.LastAsk().Fallback)
	}
}

// A remembered cold fit is what a new strategy finds for itself, whenever it was made.
func TestVanillaRemembersOnlyWhatTheDataSay(t *testing.T) {
	asked := build(t, "vanilla", 12, 1).(*vanilla)
	play(t, asked, 27, 1, ridge)
	fresh := build(t, "vanilla", 12, 1).(*vanilla)
	for i, x := range asked.x {
		if err := fresh.Tell(strategy.Observation{X: x, Y: []float64{asked.y[i]}}); err != nil {
			t.Fatal(err)
		}
	}
	want, err := asked.fit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got, err := fresh.fit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if asked.cold.n == len(asked.y) {
		t.Fatal("the case has no warm fit")
	}
	for j, l := range want.LengthScales {
		if got.LengthScales[j] != l {
			t.Errorf("length-scale %d is %v, replayed %v", j, l, got.LengthScales[j])
		}
	}
}

func TestVanillaForgetsACancelledFit(t *testing.T) {
	v := build(t, "vanilla", 5, 1).(*vanilla)
	play(t, v, 2, 5, ridge)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := v.Ask(ctx, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if v.cold.n != 0 {
		t.Errorf("a cancelled fit to %d observations is remembered", v.cold.n)
	}
}
