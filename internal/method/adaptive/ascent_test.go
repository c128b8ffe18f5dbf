package adaptive

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/strategy"
)

// TestNoAscentAfterALuckyValue: a value that noise made low looks like the end of all
// progress, but where the search has been the model expects lower and lower values.
func TestNoAscentAfterALuckyValue(t *testing.T) {
	const dim, count, lucky = 500, 200, 80
	built, err := New("adaptive:descents=1", strategy.Config{Domain: strategy.Box(dim), Init: 4, Seed: 1, Budget: 500})
	if err != nil {
		t.Fatal(err)
	}
	a := built.(*adaptive)
	r := rand.New(rand.NewPCG(7, 9))
	stood := false
	for i := range count {
		x, value := around(0, dim, r), 10.0
		for j := range x {
			x[j] = 0.1*x[j] - 0.5*float64(i)/count
			value += 8 * x[j] / dim
		}
		value += 0.2 * r.NormFloat64()
		if i == lucky {
			value -= 1.2
		}
		if err := a.Tell(strategy.Observation{X: x, Y: []float64{value}}); err != nil {
			t.Fatal(err)
		}
		stood = stood || a.stalled(a.whole.y)
		if a.ascent.run != nil {
			t.Fatalf("an ascent after %d observations", i+1)
		}
	}
	if !stood {
		t.Error("no value looked like the end of progress")
	}
}

// TestAscent follows adaptive on functions that stand still after the first descent: a smooth
// one is climbed once, and its other side is where the search goes on.
func TestAscent(t *testing.T) {
	const dim, budget, design = 500, 500, 4
	const length = design + descentLength
	sum := func(x strategy.Point) (s float64) {
		for _, v := range x {
			s += v
		}
		return s
	}
	for _, c := range []struct {
		name, spec string
		told       int // observations before the stall
		f          func(x strategy.Point, r *rand.Rand) float64
		climbs     bool
	}{
		{"smooth", "adaptive", length, func(x strategy.Point, _ *rand.Rand) float64 { return sum(x) }, true},
		{"switched off", "adaptive:without=ascent", length, func(x strategy.Point, _ *rand.Rand) float64 { return sum(x) }, false},
		{"too late", "adaptive", budget - ascentLength - aloneLength, func(x strategy.Point, _ *rand.Rand) float64 { return sum(x) }, false},
		{"rough", "adaptive:descents=1", length, func(_ strategy.Point, r *rand.Rand) float64 { return r.Float64() }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			built, err := New(c.spec, strategy.Config{Domain: strategy.Box(dim), Init: design, Seed: 1, Budget: budget})
			if err != nil {
				t.Fatal(err)
			}
			a := built.(*adaptive)
			r := rand.New(rand.NewPCG(7, 8))
			tell := func(x strategy.Point, value float64) {
				t.Helper()
				if err := a.Tell(strategy.Observation{X: x, Y: []float64{value}}); err != nil {
					t.Fatal(err)
				}
			}
			for i := range c.told {
				x := around(0, dim, r)
				for j := range x {
					x[j] -= 0.5 * float64(i) / float64(c.told) // progress
				}
				tell(x, c.f(x, r))
			}
			lowest := a.whole.x[a.whole.best]
			for i := range stallLength {
				if a.ascent.run != nil {
					t.Fatalf("an ascent after %d observations without progress", i)
				}
				x := around(0, dim, r)
				tell(x, 1+c.f(x, r))
			}
			if got := a.ascent.run != nil; got != c.climbs {
				t.Fatalf("an ascent is under way: %t, want %t", got, c.climbs)
			}
			if !c.climbs {
				return
			}
			points, err := a.Ask(t.Context(), 1, nil)
			if err != nil || sum(points[0]) < 2*sum(a.ascent.run.x[a.ascent.run.best]) {
				t.Errorf("the ascent asks for a point of value %g, %v", sum(points[0]), err)
			}
			if note := a.LastAsk().Note; !strings.Contains(note, "in 150 evaluations more") {
				t.Errorf("the note of an ascent is %q", note)
			}
			top := make(strategy.Point, dim)
			for j := range top {
				top[j] = 0.5
			}
			for range ascentLength {
				tell(top, sum(top))
			}
			if points, err = a.Ask(t.Context(), 5, nil); err != nil || points[0][0] != -0.5 || points[0][dim-1] != -0.5 {
				t.Errorf("after the ascent it asks for %v, %v, want its other side", points, err)
			}
			if note := a.LastAsk().Note; note != "" {
				t.Errorf("the note after the ascent is %q", note)
			}
			more, err := a.Ask(t.Context(), 5, points)
			for _, x := range append(points, more...) {
				if err != nil || !a.whole.fronts.cover(x) || method.SquaredDistance(x, points[0]) > method.SquaredDistance(x, lowest) {
					t.Fatalf("it asks for %v, %v, want points around the other side", x, err)
				}
			}
			if f := a.whole.fronts; len(f.at) != 2 || !slices.Equal(f.at[0], lowest) {
				t.Errorf("fronts at %v", f.at)
			}
			for range aloneLength {
				tell(points[0], sum(points[0])-float64(budget))
			}
			if f := a.whole.fronts; len(f.at) != 1 || f.at[0][0] != -0.5 {
				t.Errorf("the search goes on from %v, want the other side alone", f.at)
			}
		})
	}
}
