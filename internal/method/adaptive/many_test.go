package adaptive

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/mahabo/mahabo/strategy"
)

// told are observations of a bowl with noise in the cube.
func told(n int) []strategy.Observation {
	r := rand.New(rand.NewPCG(1, 2))
	obs := make([]strategy.Observation, n)
	for i := range obs {
		x := strategy.Point{2*r.Float64() - 1, 2*r.Float64() - 1, 2*r.Float64() - 1}
		obs[i] = strategy.Observation{X: x, Y: []float64{x[0]*x[0] + 2*(x[1]-0.4)*(x[1]-0.4) + 0.2*x[2] + 0.05*r.NormFloat64()}}
	}
	return obs
}

// askAfter tells observations, asks at some counts on the way, and returns the last points.
func askAfter(t *testing.T, spec string, obs []strategy.Observation, counts ...int) []strategy.Suggestion {
	t.Helper()
	s := newAdaptive(t, spec, strategy.Config{Domain: strategy.Box(3), Init: 5, Seed: 3})
	var points []strategy.Suggestion
	known := 0
	for _, n := range append(counts, len(obs)) {
		if err := s.Tell(obs[known:n]...); err != nil {
			t.Fatal(err)
		}
		known = n
		var err error
		if points, err = s.Ask(t.Context(), 2, []strategy.Suggestion{{X: strategy.Point{0.1, 0.2, 0.3}}}); err != nil {
			t.Fatal(err)
		}
		if s.report.Fallback != nil {
			t.Fatal(s.report.Fallback)
		}
	}
	if x := points[0].X; s.Dim == 3 {
		if _, _, ok := s.Predict(x); !ok {
			t.Error("there is no prediction")
		}
	}
	return points
}

// With more observations than an exact model holds, points do not depend on when others were asked for.
func TestManyReplay(t *testing.T) {
	obs := told(620)
	const spec = "adaptive:most-model=300,most-fitted=120,weights-from=8"
	want := askAfter(t, spec, obs)
	if got := askAfter(t, spec, obs, 290, 301, 416, 600, 611); !reflect.DeepEqual(got, want) {
		t.Errorf("asked on the way: %v, want %v", got, want)
	}
}

// Values that are neither among the lowest nor among the latest count.
func TestManySeeAll(t *testing.T) {
	obs := told(900)
	order := make([]int, 500)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		if obs[i].Y[0] < obs[j].Y[0] {
			return -1
		}
		return 1
	})
	const spec = "adaptive:most-model=200,most-fitted=120,without=weights"
	before := askAfter(t, spec, obs)
	for _, i := range order[400:] {
		obs[i].Y = []float64{obs[i].Y[0] + 0.5}
	}
	if after := askAfter(t, spec, obs); reflect.DeepEqual(after, before) {
		t.Error("a hundred high values of the first half are not seen")
	}
}

// Counts that are farther apart than a fit has observations are scored too.
func TestManyScores(t *testing.T) {
	if points := askAfter(t, "adaptive:most-fitted=16,most-model=100,weights-from=8", told(330)); len(points) != 2 {
		t.Errorf("%d points", len(points))
	}
}

// The chosen observations have the lowest, the latest and others from everywhere, none twice.
func TestChosen(t *testing.T) {
	y := make([]float64, 1000)
	for i := range y {
		y[i] = float64((i * 617) % 1000)
	}
	got := chosen(y, 48)
	if len(slices.Compact(slices.Clone(got))) != 48 || !slices.IsSorted(got) {
		t.Fatalf("%d numbers: %v", len(got), got)
	}
	for _, i := range []int{0, 999, 984} {
		if !slices.Contains(got, i) {
			t.Errorf("observation %d is not among %v", i, got)
		}
	}
	if m := crowdPoints(50_000, 1); m < 900 || m > 1000 || m%24 != 0 {
		t.Errorf("50000 observations have %d points", m)
	}
	for _, c := range [][2]int{{3001, 2944}, {5000, 4864}, {10_000, 9728}, {50_000, 49_664}} {
		if got := crowdCount(c[0]); got != c[1] {
			t.Errorf("of %d observations %d are together, want %d", c[0], got, c[1])
		}
	}
}

// The first point of a new process, which has to fit all models.
func BenchmarkFirstAsk(b *testing.B) {
	for _, n := range []int{300, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			obs := closingIn(n, 20)
			for b.Loop() {
				a := newAdaptive(b, "adaptive", strategy.Config{Domain: strategy.Box(20), Init: 10, Seed: 3, Threads: 1})
				if err := a.Tell(obs...); err != nil {
					b.Fatal(err)
				}
				if _, err := a.Ask(b.Context(), 1, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// closingIn are observations that come closer to the middle, as those of a search do. Every fifth
// parameter matters most.
func closingIn(n, dim int) []strategy.Observation {
	r := rand.New(rand.NewPCG(1, 2))
	obs := make([]strategy.Observation, n)
	for i := range obs {
		x, y := make(strategy.Point, dim), 0.0
		for j := range x {
			x[j] = (1 - 0.9*float64(i)/float64(n)) * (2*r.Float64() - 1)
			y += 0.05 * (x[j] + 0.2) * (x[j] + 0.2)
			if j%5 == 0 {
				y += (x[j] - 0.3) * (x[j] - 0.3)
			}
		}
		obs[i] = strategy.Observation{X: x, Y: []float64{y}}
	}
	return obs
}

// Fits become rarer once they see a part of the observations only.
func TestWeightFitsBecomeRare(t *testing.T) {
	a := newAdaptive(t, "adaptive:most-fitted=64", strategy.Config{Domain: strategy.Box(3), Init: 5, Seed: 3})
	if err := a.Tell(told(200)...); err != nil {
		t.Fatal(err)
	}
	v := a.learned(t).whole.relevance
	var counts []int
	for v.n = 32; v.next() <= 200; v.n = counts[len(counts)-1] {
		counts = append(counts, v.next())
	}
	if want := []int{36, 40, 44, 48, 52, 56, 60, 64, 96, 128, 192}; !slices.Equal(counts, want) {
		t.Errorf("fits after %v observations, want %v", counts, want)
	}
}
