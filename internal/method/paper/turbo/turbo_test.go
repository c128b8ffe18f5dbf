package turbo

import (
	"math"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"github.com/mahabo/mahabo/strategy"
)

func newTestTurbo(t *testing.T, cfg strategy.Config, m string) *turbo {
	t.Helper()
	s, err := newTurbo(cfg.WithDefaults(), strategy.Settings{"m": m})
	if err != nil {
		t.Fatal(err)
	}
	return s.(*turbo)
}

// askTell asks for n points and tells them the values in order.
func askTell(t *testing.T, s strategy.Strategy, n int, value func(x strategy.Point) float64) []strategy.Observation {
	t.Helper()
	obs := make([]strategy.Observation, n)
	for i, p := range methodtest.Suggest(t, s, n) {
		obs[i] = strategy.Observation{X: p.X, Tag: p.Tag, Y: []float64{value(p.X)}}
	}
	if err := s.Tell(obs...); err != nil {
		t.Fatal(err)
	}
	return obs
}

func TestTrustRegionSize(t *testing.T) {
	type count struct {
		evals    int
		improved bool
	}
	good, bad := count{1, true}, count{1, false}
	for _, c := range []struct {
		name     string
		length   float64
		patience int
		rounds   []count
		want     resizing
	}{
		{"two successes", 0.8, 4, []count{good, good}, resizing{0.8, 2, 0}},
		{"three successes double", 0.4, 4, []count{good, good, good}, resizing{0.8, 0, 0}},
		{"six successes double twice", 0.1, 4, []count{good, good, good, good, good, good}, resizing{0.4, 0, 0}},
		{"the side is bounded", 1.6, 4, []count{good, good, good}, resizing{1.6, 0, 0}},
		{"a failure between successes", 0.8, 4, []count{good, good, bad, good}, resizing{0.8, 1, 0}},
		{"a success between failures", 0.8, 4, []count{bad, bad, bad, good, bad}, resizing{0.8, 0, 1}},
		{"patience in single evaluations", 0.8, 4, []count{bad, bad, bad, bad}, resizing{0.4, 0, 0}},
		{"patience in batches", 0.8, 6, []count{{5, false}, {5, false}}, resizing{0.4, 0, 0}},
		{"a batch short of it", 0.8, 6, []count{{5, false}}, resizing{0.8, 0, 5}},
		{"a batch is one success", 0.8, 4, []count{{5, true}, {5, true}}, resizing{0.8, 2, 0}},
	} {
		got := resizing{length: c.length}
		for _, r := range c.rounds {
			got.resize(r.evals, r.improved, c.patience)
		}
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// A design consists of pairs of mirror images, so regions share no point.
func TestDesignsOfRegions(t *testing.T) {
	for _, init := range []int{1, 3, 4, 10} {
		s := newTestTurbo(t, strategy.Config{Domain: strategy.Box(3), Init: init}, "4")
		var all []strategy.Point
		for _, r := range s.regions {
			if len(r.design) != init+init%2 {
				t.Errorf("Init is %d: a design of %d points", init, len(r.design))
			}
			for k, x := range r.design {
				mirror := r.design[len(r.design)-1-k]
				for j, v := range x {
					if mirror[j] != -v {
						t.Errorf("point %d has no mirror image", k)
					}
				}
				all = append(all, x)
			}
		}
		for i, x := range all {
			if slices.ContainsFunc(all[:i], func(p strategy.Point) bool { return method.Coincide(p, x) }) {
				t.Errorf("Init is %d: a point is in two designs", init)
			}
		}
	}
}

func TestPatience(t *testing.T) {
	for _, c := range []struct{ dim, regions, want int }{{1, 1, 4}, {60, 1, 60}, {1, 5, 5}, {1000, 5, 1000}} {
		r := newTrustRegion(strategy.Config{Domain: strategy.Box(c.dim)}.WithDefaults(), 0, c.regions)
		if got := r.patience(); got != c.want {
			t.Errorf("D=%d, m=%d: %d, want %d", c.dim, c.regions, got, c.want)
		}
	}
}

// An improvement of at most a thousandth of the best value does not count.
func TestImprovementThreshold(t *testing.T) {
	for _, c := range []struct {
		best, value float64
		want        bool
	}{{10, 9.995, false}, {10, 9.98, true}, {-10, -10.005, false}, {-10, -10.02, true}, {0, 0, false}, {0, -1e-9, true}} {
		r := newTrustRegion(strategy.Config{Domain: strategy.Box(2)}.WithDefaults(), 0, 1)
		r.add(strategy.Point{0, 0}, c.best)
		r.tellProposed(strategy.Point{0, 0.1}, c.value)
		if r.improved != c.want {
			t.Errorf("%g after %g: improved is %v", c.value, c.best, r.improved)
		}
	}
}

// On a flat function a side of 0.8 falls below 2^-7 after seven halvings; then the
// region starts again with another design, here and in a replay.
func TestRestart(t *testing.T) {
	cfg := strategy.Config{Domain: strategy.Box(2), Init: 4, Seed: 4}
	for _, batch := range []int{1, 4} {
		s := newTestTurbo(t, cfg, "1")
		flat := func(strategy.Point) float64 { return 1 }
		all := askTell(t, s, cfg.Init, flat)
		for range 7 * 4 / batch { // a patience of four evaluations
			all = append(all, askTell(t, s, batch, flat)...)
		}
		if s.regions[0].life != 0 {
			t.Fatalf("batches of %d: restarted too early", batch)
		}
		next := askTell(t, s, cfg.Init, flat)
		again := newTestTurbo(t, cfg, "1")
		if err := again.Tell(all...); err != nil {
			t.Fatal(err)
		}
		replayed := askTell(t, again, cfg.Init, flat)
		for i, p := range s.regions[0].design {
			if s.regions[0].life != 1 || !slices.Equal(next[i].X, p) || !slices.Equal(replayed[i].X, p) {
				t.Errorf("batches of %d: point %d after the restart is not of the new design", batch, i)
			}
			if slices.Equal(all[i].X, p) {
				t.Errorf("point %d of the design is the old one", i)
			}
		}
		if got := len(s.regions[0].y); got != cfg.Init {
			t.Errorf("the new life has %d data, want %d", got, cfg.Init)
		}
	}
}

// A batch is one success wherever in it the improvement stands.
func TestBatchCountsOnce(t *testing.T) {
	for _, place := range []int{0, 2, 4} {
		s := newTestTurbo(t, strategy.Config{Domain: strategy.Box(30), Seed: 1}, "1")
		low := 0.0
		askTell(t, s, 10, func(strategy.Point) float64 { return low })
		for batch := range 3 {
			k := 0
			askTell(t, s, 5, func(strategy.Point) float64 {
				k++
				if k-1 == place {
					low--
					return low
				}
				return 5
			})
			view := slices.Clone(s.regions)
			settle(view, len(s.X))
			want := []resizing{{0.8, 1, 0}, {0.8, 2, 0}, {1.6, 0, 0}}[batch]
			if got := view[0].resizing; got != want {
				t.Errorf("improvement at place %d, batch %d: %+v, want %+v", place, batch, got, want)
			}
		}
	}
}

func TestBoxSides(t *testing.T) {
	r := newTrustRegion(strategy.Config{Domain: strategy.Box(3)}.WithDefaults(), 0, 1)
	r.add(strategy.Point{0, 0.8, -1}, 1)
	r.fitted = fit{count: 1, hyper: lingp.Hyper{Kernel: lingp.Matern52ARD([]float64{0.1, 0.4, 1.6})}}
	product := 1.0
	for _, w := range boxWeights(r.fitted.hyper.LengthScales) {
		product *= w
	}
	if math.Abs(product-1) > 1e-12 {
		t.Errorf("the weights have product %g", product)
	}
	// Weights 1/4, 1, 4; the centre is 0.5, 0.9, 0.
	_, lower, upper := r.box()
	for j, want := range [][2]float64{{0.4, 0.6}, {0.5, 1}, {0, 1}} {
		if math.Abs(lower[j]-want[0]) > 1e-12 || math.Abs(upper[j]-want[1]) > 1e-12 {
			t.Errorf("side %d is [%g, %g], want %v", j, lower[j], upper[j], want)
		}
	}
}

// Candidates lie in the box and share the other coordinates with the centre, bit by
// bit.
func TestCandidates(t *testing.T) {
	s := newTestTurbo(t, strategy.Config{Domain: strategy.Box(60), Seed: 3}, "2")
	sum := func(x strategy.Point) (v float64) {
		for j, c := range x {
			v += c * float64(j%3-1)
		}
		return v
	}
	for range 4 {
		askTell(t, s, 10, sum)
	}
	for _, p := range methodtest.Suggest(t, s, 6) {
		x, name := p.X, s.read(p.Tag, p.X, len(s.X))
		if name.round != len(s.X) {
			t.Fatalf("the tag %q says %+v after %d observations", p.Tag, name, len(s.X))
		}
		view := slices.Clone(s.regions)
		settle(view, len(s.X))
		region := &view[name.region]
		_, lower, upper := region.box()
		differ := 0
		for j, v := range region.x[region.best] {
			if x[j] != v {
				differ++
			}
			if u := (x[j] + 1) / 2; u < lower[j]-1e-12 || u > upper[j]+1e-12 {
				t.Errorf("coordinate %d is %g, outside [%g, %g]", j, u, lower[j], upper[j])
			}
		}
		if differ < 2 || differ > 45 {
			t.Errorf("%d of 60 coordinates differ from the centre", differ)
		}
	}
}

// A foreign point joins the region with the nearest centre, moves it when it is
// better, and leaves the counters alone.
func TestForeignPointsJoinTheNearestRegion(t *testing.T) {
	s := newTestTurbo(t, strategy.Config{Domain: strategy.Box(2), Init: 1, Seed: 1}, "2")
	s.regions[0].add(strategy.Point{-0.5, 0}, 1)
	s.regions[1].add(strategy.Point{0.5, 0}, 1)
	if err := s.Tell(strategy.Observation{X: strategy.Point{0.4, 0.1}, Y: []float64{-1}}, strategy.Observation{X: strategy.Point{-0.6, 0.1}, Y: []float64{2}}); err != nil {
		t.Fatal(err)
	}
	for r, want := range []struct{ count, best int }{{2, 0}, {2, 1}} {
		got := s.regions[r]
		if len(got.y) != want.count || got.best != want.best || got.successes+got.failures != 0 {
			t.Errorf("region %d has %d data, best %d, %+v", r, len(got.y), got.best, got.resizing)
		}
	}
}

// Several regions in batches, past their designs and restarts: a replay gives the
// same bytes.
func TestTurboReplay(t *testing.T) {
	cfg := strategy.Config{Domain: strategy.Box(3), Init: 4, Seed: 2}
	s := newTestTurbo(t, cfg, "3")
	bumpy := func(x strategy.Point) float64 { return math.Round(2*math.Sin(5*x[0])+x[1]*x[1]) + x[2]*0 }
	var all []strategy.Observation
	for round := range 40 {
		all = append(all, askTell(t, s, 4+round%3, bumpy)...)
	}
	lives := 0
	for _, r := range s.regions {
		lives += r.life
	}
	if lives == 0 {
		t.Fatal("no region restarted")
	}
	again := newTestTurbo(t, cfg, "3")
	for _, o := range all {
		if err := again.Tell(o); err != nil {
			t.Fatal(err)
		}
	}
	want, got := methodtest.Suggest(t, s, 5), methodtest.Suggest(t, again, 5)
	for i := range want {
		if !slices.Equal(got[i].X, want[i].X) || got[i].Tag != want[i].Tag {
			t.Errorf("point %d is %v, the replay gives %v", i, want[i], got[i])
		}
	}
}

func TestTurboOptions(t *testing.T) {
	registry, err := strategy.NewRegistry(Method())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []string{"0", "-1", "two", "1.5"} {
		if _, err := registry.New("turbo:m="+m, strategy.Config{Domain: strategy.Box(3)}); err == nil {
			t.Errorf("m=%s was accepted", m)
		}
	}
	if got, err := registry.Canonical("turbo:m=5"); err != nil || got != "turbo" {
		t.Errorf("turbo:m=5 is %q (%v)", got, err)
	}
}
