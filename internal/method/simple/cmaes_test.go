package simple

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

func buildCMAES(t *testing.T, cfg strategy.Config) *evolution {
	t.Helper()
	s, err := CMAES().New(cfg.WithDefaults(), strategy.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return s.(*evolution)
}

func equalPoints(t *testing.T, what string, got, want []strategy.Point) {
	t.Helper()
	if !slices.EqualFunc(got, want, slices.Equal[strategy.Point]) {
		t.Fatalf("%s: points differ", what)
	}
}

// offCentre has its minimum 0 inside the box, off the centre.
func offCentre(x []float64) float64 {
	f := 0.0
	for j, v := range x {
		d := v - 0.6*math.Sin(float64(j+1))
		f += d * d
	}
	return f
}

func TestCMAESOption(t *testing.T) {
	for _, v := range []string{"0", "-1", "2.1", "NaN", "x"} {
		if _, err := newEvolution(strategy.Config{Domain: strategy.Box(2)}, strategy.Settings{"sigma": v}); err == nil || !strings.Contains(err.Error(), "sigma") {
			t.Errorf("sigma=%s: %v", v, err)
		}
	}
	s, err := newEvolution(strategy.Config{Domain: strategy.Box(2)}, strategy.Settings{"sigma": "0.7"})
	if err != nil || s.(*evolution).sigma != 0.7 {
		t.Errorf("sigma=0.7: %v", err)
	}
	if def := CMAES().Options[0].Default; def != fmt.Sprint(buildCMAES(t, strategy.Config{Domain: strategy.Box(2)}).sigma) {
		t.Errorf("the registry says that sigma is %s", def)
	}
}

// 300 evaluations in 10 dimensions, batches smaller and larger than lambda = 10.
func TestCMAESBeatsRandom(t *testing.T) {
	for batch, factor := range map[int]float64{1: 8, 5: 8, 20: 2.5} {
		var best, random float64
		for seed := range uint64(3) {
			_, b := methodtest.Play(t, buildCMAES(t, strategy.Config{Domain: strategy.Box(10), Seed: seed}), 300/batch, batch, offCentre)
			_, r := methodtest.Play(t, methodtest.Build(t, Random(), "random", strategy.Config{Domain: strategy.Box(10), Seed: seed}), 300/batch, batch, offCentre)
			best, random = best+b, random+r
		}
		if best > random/factor {
			t.Errorf("batch %d: %g, random search %g", batch, best/3, random/3)
		}
	}
}

// Every size stays in the box (Tell refuses anything else) and gains on the design.
func TestCMAESSizes(t *testing.T) {
	for _, dim := range []int{1, 2, 60} {
		for _, batch := range []int{1, 5, 20} {
			s := buildCMAES(t, strategy.Config{Domain: strategy.Box(dim), Seed: 1})
			_, best := methodtest.Play(t, s, 200/batch, batch, offCentre)
			if start := slices.Min(s.Y[:strategy.DefaultInit]); best > 0.7*start {
				t.Errorf("D=%d, batch %d: %g, the design had %g", dim, batch, best, start)
			}
		}
	}
}

// The minimum lies in a corner of the box.
func TestCMAESOnTheBorder(t *testing.T) {
	slope := func(x []float64) float64 {
		f := 0.0
		for _, v := range x {
			f += v + 1
		}
		return f
	}
	if _, best := methodtest.Play(t, buildCMAES(t, strategy.Config{Domain: strategy.Box(5), Seed: 1}), 160, 5, slope); best > 1e-3 {
		t.Errorf("%g above the minimum", best)
	}
}

func TestCMAESSharesTheDesign(t *testing.T) {
	got, _ := methodtest.Play(t, buildCMAES(t, strategy.Config{Domain: strategy.Box(7), Seed: 5}), 10, 1, offCentre)
	equalPoints(t, "design", got, method.InitialDesign(strategy.Config{Domain: strategy.Box(7), Seed: 5}, 0, 10))
}

// Telling all observations at once to a new strategy restores it at every moment of
// a run, whatever was asked in between; asking changes nothing.
func TestCMAESReplays(t *testing.T) {
	for _, c := range []struct{ dim, batch, rounds int }{{1, 1, 200}, {2, 7, 60}, {10, 1, 45}, {10, 5, 12}, {10, 25, 6}} {
		s := buildCMAES(t, strategy.Config{Domain: strategy.Box(c.dim), Seed: 9})
		var told []strategy.Observation
		for range c.rounds {
			points := methodtest.Ask(t, s, c.batch)
			fresh := buildCMAES(t, strategy.Config{Domain: strategy.Box(c.dim), Seed: 9})
			if err := fresh.Tell(told...); err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("D=%d, batch %d, after %d", c.dim, c.batch, len(told))
			equalPoints(t, what, methodtest.Ask(t, fresh, c.batch), points)
			equalPoints(t, what+", asked twice", methodtest.Ask(t, s, c.batch), points)
			for _, x := range points {
				told = append(told, strategy.Observation{X: x, Y: []float64{offCentre(x)}})
				methodtest.Tell(t, s, x, offCentre(x))
				methodtest.Ask(t, s, 1)
			}
		}
	}
}

// One generation does not depend on the batches it was asked in.
func TestCMAESBatchesSplitAGeneration(t *testing.T) {
	for _, at := range []int{10, 20} { // lambda is 10: generations begin here
		s := buildCMAES(t, strategy.Config{Domain: strategy.Box(10), Seed: 2})
		methodtest.Play(t, s, at, 1, offCentre)
		want := methodtest.Ask(t, s, 10)
		var got []strategy.Point
		for _, n := range []int{1, 2, 3, 4} {
			got = append(got, methodtest.Ask(t, s, n, got...)...)
		}
		equalPoints(t, "pending", got, want)
		got, _ = methodtest.Play(t, s, 5, 2, offCentre)
		equalPoints(t, "told", got, want)
	}
}

// A batch larger than lambda is one generation, in whatever order it comes back.
func TestCMAESLargeBatchIsOneGeneration(t *testing.T) {
	s := buildCMAES(t, strategy.Config{Domain: strategy.Box(10), Seed: 2})
	methodtest.Play(t, s, 1, 30, offCentre) // the design, larger than Init
	if s.now != nil || s.start != 0 {
		t.Fatal("30 points of the design are not all part of it")
	}
	for _, size := range []int{25, 40} {
		points := methodtest.Ask(t, s, size)
		first := len(s.X)
		rng.New(uint64(size)).Shuffle(size, func(i, j int) { points[i], points[j] = points[j], points[i] })
		for _, x := range points {
			methodtest.Tell(t, s, x, offCentre(x))
		}
		if s.start != first || len(s.us) != size {
			t.Errorf("generation of %d from %d, want %d from %d", len(s.us), s.start, size, first)
		}
	}
}

// Workers that ask whenever one is free get new points and make progress.
func TestCMAESAsynchronous(t *testing.T) {
	for _, workers := range []int{4, 15} {
		s := buildCMAES(t, strategy.Config{Domain: strategy.Box(10), Seed: 3})
		r := rng.New(uint64(workers))
		seen := map[string]bool{}
		var pending []strategy.Point
		best := math.Inf(1)
		for range 400 {
			for len(pending) < workers {
				x := methodtest.Ask(t, s, 1, pending...)[0]
				if key := fmt.Sprint(x); seen[key] {
					t.Fatal("a point was asked for twice")
				} else {
					seen[key] = true
				}
				pending = append(pending, x)
			}
			i := r.IntN(workers)
			x := pending[i]
			pending = slices.Delete(pending, i, i+1)
			best = min(best, offCentre(x))
			methodtest.Tell(t, s, x, offCentre(x))
		}
		if best > 0.4 {
			t.Errorf("%d workers reached %g", workers, best)
		}
	}
}

// Points that were changed on their way, or never asked for, do no harm.
func TestCMAESTakesForeignPoints(t *testing.T) {
	rounded := buildCMAES(t, strategy.Config{Domain: strategy.Box(10), Seed: 3})
	best := math.Inf(1)
	for range 300 {
		x := methodtest.Ask(t, rounded, 1)[0]
		for j, v := range x {
			x[j] = math.Round(100*v) / 100
		}
		best = min(best, offCentre(x))
		methodtest.Tell(t, rounded, x, offCentre(x))
	}
	if best > 0.3 {
		t.Errorf("rounded points reached %g", best)
	}
	own := buildCMAES(t, strategy.Config{Domain: strategy.Box(10), Seed: 3})
	x := make(strategy.Point, 10)
	for i := range uint64(50) {
		rng.NewFiller(rng.New(i)).Uniform(x)
		methodtest.Tell(t, own, x, offCentre(x))
	}
	start := slices.Min(own.Y)
	if _, best := methodtest.Play(t, own, 250, 1, offCentre); best > start/5 {
		t.Errorf("from %g among the user's points to %g", start, best)
	}
}

// A converged search starts anew with twice the population and finds what the first
// one missed: two basins, the wide one wrong.
func TestCMAESRestarts(t *testing.T) {
	basins := func(x []float64) float64 {
		wide, narrow := 0.5, 0.0
		for _, v := range x {
			wide += (v - 0.5) * (v - 0.5)
			narrow += 4 * (v + 0.5) * (v + 0.5)
		}
		return min(wide, narrow)
	}
	s := buildCMAES(t, strategy.Config{Domain: strategy.Box(2), Seed: 4})
	_, best := methodtest.Play(t, s, 3000, 1, basins)
	if s.now.Population() <= 6 || best > 1e-6 {
		t.Errorf("population %d, best %g", s.now.Population(), best)
	}
}

func TestCMAESSurvivesDegenerateData(t *testing.T) {
	for name, value := range map[string]func(i int) float64{
		"constant":    func(int) float64 { return 3 },
		"zero":        func(int) float64 { return 0 },
		"huge":        func(i int) float64 { return 1e300 * float64(i%7-3) },
		"tiny":        func(i int) float64 { return 1e-300 * float64(i%5) },
		"largest":     func(i int) float64 { return math.MaxFloat64 * float64(i%2*2-1) },
		"one outlier": func(i int) float64 { return map[bool]float64{true: 1e15, false: float64(i)}[i == 4] },
		"falling":     func(i int) float64 { return -float64(i) },
	} {
		for _, dim := range []int{1, 2, 12} {
			i := 0
			methodtest.Play(t, buildCMAES(t, strategy.Config{Domain: strategy.Box(dim), Init: 1}), 100, 3, func([]float64) float64 { i++; return value(i) })
			same := buildCMAES(t, strategy.Config{Domain: strategy.Box(dim)})
			for i := range 300 {
				methodtest.Tell(t, same, make(strategy.Point, dim), value(i))
			}
			for _, x := range methodtest.Ask(t, same, 3) {
				if err := strategy.CheckPoint(x, dim); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

func TestCMAESRefusesBadArguments(t *testing.T) {
	s := buildCMAES(t, strategy.Config{Domain: strategy.Box(3)})
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := s.Ask(ctx, 0, nil); err == nil {
		t.Error("no points were asked for")
	}
	if _, err := s.Ask(ctx, 1, []strategy.Suggestion{{X: strategy.Point{0}}}); err == nil {
		t.Error("a short pending point was accepted")
	}
	if s.Tell(strategy.Observation{X: strategy.Point{0, 0, 2}, Y: []float64{1}}) == nil || s.Tell(strategy.Observation{X: strategy.Point{0, 0, 0}, Y: []float64{math.NaN()}}) == nil {
		t.Error("a bad observation was accepted")
	}
	methodtest.Play(t, s, 12, 1, offCentre)
	cancel()
	if _, err := s.Ask(ctx, 5, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled Ask: %v", err)
	}
}
