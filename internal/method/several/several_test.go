package several

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/pareto"
	"github.com/mahabo/mahabo/internal/problem"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// task is a configuration and what its points tell.
func task(dim, objectives, limits int) (strategy.Config, func(x []float64) []float64) {
	cfg := strategy.Config{Domain: strategy.Box(dim), Objectives: objectives, Limits: limits, Init: 6, Seed: 3}.WithDefaults()
	return cfg, func(x []float64) []float64 {
		y := make([]float64, objectives+limits)
		for k := range y {
			for j, v := range x {
				d := v - math.Cos(float64(j+3*k))/2
				y[k] += d * d
			}
			if k >= objectives {
				y[k] -= float64(dim) / 6
			}
		}
		return y
	}
}

func play(t *testing.T, s strategy.Strategy, f func([]float64) []float64, rounds, batch int) (obs []strategy.Observation) {
	t.Helper()
	for range rounds {
		asked, err := s.Ask(t.Context(), batch, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range asked {
			if err := strategy.CheckPoint(a.X, len(a.X)); err != nil {
				t.Fatal(err)
			}
			o := strategy.Observation{X: a.X, Tag: a.Tag, Y: f(a.X)}
			if slices.ContainsFunc(obs, func(p strategy.Observation) bool { return slices.Equal(p.X, o.X) }) {
				t.Fatalf("%v was asked for twice", o.X)
			}
			if err := s.Tell(o); err != nil {
				t.Fatal(err)
			}
			obs = append(obs, o)
		}
	}
	return obs
}

// What is asked for follows from what was told: a new strategy that is told the same asks for the
// same, with pending points too.
func TestReplay(t *testing.T) {
	for _, c := range []struct{ dim, objectives, limits int }{{3, 1, 2}, {3, 2, 0}, {4, 3, 1}, {3, 4, 0}, {30, 1, 3}, {26, 2, 1}} {
		cfg, f := task(c.dim, c.objectives, c.limits)
		s := New(cfg)
		obs := play(t, s, f, 4, 4)
		pending := []strategy.Suggestion{{X: make(strategy.Point, c.dim)}}
		want, err := s.Ask(t.Context(), 3, pending)
		if err != nil {
			t.Fatal(err)
		}
		if r := s.(strategy.Reporter).LastAsk(); r.Fallback != nil {
			t.Errorf("%+v: the model could not be used: %v", c, r.Fallback)
		}
		again := New(cfg)
		if err := again.Tell(obs...); err != nil {
			t.Fatal(err)
		}
		got, err := again.Ask(t.Context(), 3, pending)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !slices.Equal(want[i].X, got[i].X) || want[i].Tag != got[i].Tag {
				t.Errorf("%+v: point %d is %v, after a replay %v", c, i, want[i], got[i])
			}
		}
		means, stds, ok := s.(*several).PredictOutcomes(got[0].X)
		if !ok || len(means) != c.objectives+c.limits || slices.ContainsFunc(stds, func(v float64) bool { return !(v > 0) }) {
			t.Errorf("%+v: it expects %v ± %v, %v", c, means, stds, ok)
		}
	}
}

// The model learns: what it expects of the front after some rounds is near what comes.
func TestPredictOutcomes(t *testing.T) {
	cfg, f := task(3, 2, 2)
	s := New(cfg)
	play(t, s, f, 10, 5)
	if _, err := s.Ask(t.Context(), 1, nil); err != nil {
		t.Fatal(err)
	}
	x := strategy.Point{0, -0.03, -0.03} // between the objectives' lowest points
	means, _, ok := s.(*several).PredictOutcomes(x)
	for k, want := range f(x) {
		if !ok || math.Abs(means[k]-want) > 0.05 {
			t.Errorf("outcome %d: %g is expected, it is %g", k, means[k], want)
		}
	}
}

// Noise that is told counts: values that are known to be poor hardly move the model, and the best is not one of them.
func TestToldNoise(t *testing.T) {
	for _, dim := range []int{2, 26} { // length-scales of parameters, and a shared one
		cfg, f := task(dim, 1, 2)
		s := New(cfg).(*several)
		r := rng.New(11)
		fill := rng.NewFiller(r)
		for i := range 60 {
			x := make(strategy.Point, dim)
			fill.Uniform(x)
			o := strategy.Observation{X: x, Y: f(x), Std: []float64{0.01, 0.01, 0.01}}
			if i%2 == 1 {
				for k := range o.Y {
					o.Std[k] = 5
					o.Y[k] += 5 * r.NormFloat64()
				}
			}
			if err := s.Tell(o); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Ask(t.Context(), 1, nil); err != nil {
			t.Fatal(err)
		}
		if r := s.LastAsk(); r.Fallback != nil {
			t.Fatal(r.Fallback)
		}
		wrong := 0.0
		for i := range 20 {
			x := make(strategy.Point, dim)
			fill.Uniform(x)
			means, _, ok := s.PredictOutcomes(x)
			if !ok {
				t.Fatalf("nothing is expected of point %d", i)
			}
			for k, v := range f(x) {
				wrong += math.Abs(v-means[k]) / 60
			}
		}
		if most := 0.15 * float64(dim); wrong > most {
			t.Errorf("%d parameters: the model is wrong by %g in the mean, want at most %g", dim, wrong, most)
		}
		st := s.state()
		m, err := s.fit(t.Context(), st, 0)
		if err != nil {
			t.Fatal(err)
		}
		s.judge(&st, m)
		lowest := math.Inf(1)
		for i, x := range s.X {
			if y := f(x); y[1] <= 0 && y[2] <= 0 && i%2 == 0 {
				lowest = min(lowest, y[0])
			}
		}
		if y := f(s.X[st.centre]); y[0] > lowest+0.1*float64(dim) {
			t.Errorf("%d parameters: the best by the model has %g, one that is well known %g", dim, y[0], lowest)
		}
	}
}

// The best point keeps the limits and is near the optimum.
func TestKeepsLimits(t *testing.T) {
	cfg := strategy.Config{Domain: strategy.Box(4), Limits: 2, Init: 8, Seed: 1}.WithDefaults()
	f := func(x []float64) []float64 { // the lowest sum with |x|² <= 1 and x0 >= 0: -sqrt(3)
		sum, square := 0.0, 0.0
		for _, v := range x {
			sum += v
			square += v * v
		}
		return []float64{sum, square - 1, -x[0]}
	}
	best := math.Inf(1)
	for _, o := range play(t, New(cfg), f, 12, 4) {
		if o.Y[1] <= 0 && o.Y[2] <= 0 {
			best = min(best, o.Y[0])
		}
	}
	if best > -math.Sqrt(3)+0.02 {
		t.Errorf("the best is %g, the optimum %g", best, -math.Sqrt(3))
	}
}

// Values that hardly can be modelled leave it with points all the same.
func TestOddValues(t *testing.T) {
	for name, f := range map[string]func(x []float64) []float64{
		"constant":  func([]float64) []float64 { return []float64{3, 3, 0, 5} },
		"enormous":  func(x []float64) []float64 { return []float64{1e300 * x[0], -1e300 * x[1], 1e300, -1e300} },
		"tiny":      func(x []float64) []float64 { return []float64{1e-300 * x[0], 1e-300, 1e-300 * x[1], 0} },
		"one spike": func(x []float64) []float64 { return []float64{math.Exp(100 * x[0]), x[1], x[0], math.Exp(50 * x[1])} },
		"duplicates": func(x []float64) []float64 {
			return []float64{math.Round(x[0]), math.Round(x[1]), -1, math.Round(x[0])}
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := strategy.Config{Domain: strategy.Box(2), Objectives: 2, Limits: 2, Init: 4}.WithDefaults()
			play(t, New(cfg), f, 8, 3)
		})
	}
}

// The largest number stands for a failure in many programs. Values like that, and deviations that are nothing beside them, leave a model.
func TestPenalties(t *testing.T) {
	for _, c := range []struct{ objectives, limits, params, design int }{{1, 1, 3, 6}, {1, 2, 26, 6}, {2, 2, 3, 6}, {1, 1, 3, 1}} {
		cfg, f := task(c.params, c.objectives, c.limits)
		cfg.Init = c.design
		s := New(cfg)
		fill := rng.NewFiller(rng.New(7))
		for i := range 24 {
			x := make(strategy.Point, c.params)
			fill.Uniform(x)
			o := strategy.Observation{X: x, Y: f(x), Std: make([]float64, c.objectives+c.limits)}
			for k := range o.Y {
				o.Y[k] *= 1e-3
				if i%5 == 0 {
					o.Y[k] = math.MaxFloat64
				}
				o.Std[k] = 1e-300
			}
			if err := s.Tell(o); err != nil {
				t.Fatal(err)
			}
			if i%6 > 0 {
				continue
			}
			if _, err := s.Ask(t.Context(), 1, nil); err != nil {
				t.Fatal(err)
			}
			if err := s.(strategy.Reporter).LastAsk().Fallback; err != nil {
				t.Errorf("%+v, %d values: %v", c, i+1, err)
			}
		}
	}
}

// scattered is a strategy that was told n points of a plane.
func scattered(t *testing.T, objectives, n int, f func(i int, x []float64) []float64) *several {
	t.Helper()
	cfg := strategy.Config{Domain: strategy.Box(2), Objectives: objectives, Limits: 1, Init: 6, Seed: 3}.WithDefaults()
	s := New(cfg).(*several)
	fill := rng.NewFiller(rng.New(5))
	for i := range n {
		x := make(strategy.Point, 2)
		fill.Uniform(x)
		if err := s.Tell(strategy.Observation{X: x, Y: f(i, x)}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Of more observations than a model knows it knows one that keeps all limits, also where this one is the worst in all else.
func TestModelKnowsWhatKeepsLimits(t *testing.T) {
	s := scattered(t, 2, 1400, func(i int, x []float64) []float64 {
		if i == 5 {
			return []float64{10, 10, -1}
		}
		return []float64{x[0], x[1], 1 + x[0]*x[0]}
	})
	if _, err := s.Ask(t.Context(), 1, nil); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(s.last.kept, 5) || len(s.last.kept) != mostModel || !slices.IsSorted(s.last.kept) {
		t.Errorf("the model has %d observations, number 5 among them: %v", len(s.last.kept), slices.Contains(s.last.kept, 5))
	}
}

// The distances of many observations are not kept, and nothing is chosen differently for that.
func TestManyDistances(t *testing.T) {
	f := func(_ int, x []float64) []float64 { return []float64{x[0] + x[1]*x[1], 0.2 - x[0]} }
	s, far := scattered(t, 1, 1100, f), scattered(t, 1, 1100, f)
	far.points.Forget()
	want, err := s.Ask(t.Context(), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := far.Ask(t.Context(), 2, nil)
	if err != nil || !slices.Equal(got[0].X, want[0].X) || !slices.Equal(got[1].X, want[1].X) {
		t.Errorf("it asks for %v, %v, want %v", got, err, want)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s = scattered(t, 1, 9000, f)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if used := int64(after.HeapAlloc) - int64(before.HeapAlloc); used > 100<<20 {
		t.Errorf("9000 observations take %d MB", used>>20)
	}
	runtime.KeepAlive(s)
}

func TestCancelled(t *testing.T) {
	cfg, f := task(5, 2, 2)
	s := New(cfg)
	play(t, s, f, 3, 5)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Ask(ctx, 2, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled Ask gave %v", err)
	}
	if _, err := s.Ask(t.Context(), 2, nil); err != nil {
		t.Errorf("the next Ask gave %v", err)
	}
}

// The gradients of the targets are those of their values.
func TestTargetGradients(t *testing.T) {
	for _, objectives := range []int{1, 3} {
		cfg, f := task(4, objectives, 2)
		s := New(cfg).(*several)
		play(t, s, f, 5, 5)
		m, err := s.fit(t.Context(), s.state(), 1)
		if err != nil {
			t.Fatal(err)
		}
		least := 0.1
		targets := []*target{{worth: 1, rho: 10}, {worth: 0.7, beta: 0.5, gamma: 1, rho: 3}}
		if objectives == 1 {
			targets = append(targets, &target{improvement: &least})
		}
		for _, g := range targets {
			g.model, g.objectives, g.weights, g.ideal = m, objectives, []float64{1, 0.5, 0.3}, []float64{-1, 0, 0.2}
			value := func(x []float64) float64 {
				v := make([]float64, 1)
				g.Evaluate(v, linalg.Matrix{}, linalg.Matrix{Rows: 1, Cols: 4, Stride: 4, Data: x})
				return v[0]
			}
			x := linalg.New(2, 4)
			rng.NewFiller(rng.New(1)).Uniform(x.Data)
			grad := linalg.New(2, 4)
			g.Evaluate(make([]float64, 2), grad, x)
			for i := range 2 {
				fdcheck.Check(t, value, grad.Row(i), x.Row(i), 2e-3)
			}
		}
	}
}

// many is the method with a thousand observations of 124 parameters, an objective and 68 limits.
func many(t testing.TB) strategy.Strategy {
	cfg, f := task(124, 1, 68)
	s := New(cfg)
	fill := rng.NewFiller(rng.New(7))
	for range 1000 {
		x := make(strategy.Point, 124)
		fill.Uniform(x)
		if err := s.Tell(strategy.Observation{X: x, Y: f(x)}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Seventy outcomes of a thousand observations stay cheap.
func TestManyLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds; make test runs it")
	}
	s := many(t)
	for _, what := range []string{"a first batch of 5", "another"} {
		start := time.Now()
		if _, err := s.Ask(t.Context(), 5, nil); err != nil {
			t.Fatal(err)
		}
		took := time.Since(start)
		t.Logf("%s took %v", what, took)
		if took > time.Minute { // ten seconds on an idle core are the aim
			t.Errorf("%s took %v", what, took)
		}
	}
}

// Of four objectives nearly all observations are on the front: a batch with a thousand of them took minutes.
func TestManyOnTheFront(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds; make test runs it")
	}
	cfg := strategy.Config{Domain: strategy.Box(5), Objectives: 4, Init: 10, Seed: 1}.WithDefaults()
	s, r := New(cfg), rng.New(3)
	for range 1000 {
		x, sum := make(strategy.Point, 5), 0.0
		for j := range 4 {
			x[j] = r.ExpFloat64()
			sum += x[j]
		}
		y := make([]float64, 4)
		for j := range 4 { // squared distances from the ends of four axes
			x[j] /= sum
			for k := range y {
				y[k] += x[j] * x[j]
			}
			y[j] += 1 - 2*x[j]
		}
		if err := s.Tell(strategy.Observation{X: x, Y: y}); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	if _, err := s.Ask(t.Context(), 4, nil); err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	t.Logf("a batch of 4 took %v", took)
	if took > time.Minute { // three seconds on an idle core are the aim
		t.Errorf("a batch of 4 took %v", took)
	}
}

// BenchmarkManyLimits is one suggestion with a thousand observations, 124 parameters and 68 limits.
func BenchmarkManyLimits(b *testing.B) {
	s := many(b)
	if _, err := s.Ask(b.Context(), 1, nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Ask(b.Context(), 1, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// Of many parameters and limits, with hardly any point that keeps all, one is found soon.
func TestFindsWhatKeepsLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds; make test runs it")
	}
	p, err := problem.New("panels124", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	cfg := strategy.Config{Domain: strategy.Box(124), Limits: 68, Init: 10, Seed: 1}.WithDefaults()
	f := func(x []float64) []float64 {
		params, err := p.Space.Decode(x)
		if err != nil {
			t.Fatal(err)
		}
		e, err := p.Named(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		y := []float64{e.Value}
		for k := range 68 {
			y = append(y, e.Seen.Outcomes[fmt.Sprintf("c%d", k)])
		}
		return y
	}
	s := New(cfg)
	for n := 0; n < 300; n += 5 {
		for _, o := range play(t, s, f, 1, 5) {
			if pareto.Kept(o.Y[1:]) {
				t.Logf("found after %d evaluations", n)
				return
			}
		}
	}
	t.Error("no point keeps all limits after 300 evaluations")
}

// A smooth function of many parameters is taken for one also with more points than parameters.
func TestSmoothWithManyPoints(t *testing.T) {
	cfg, f := task(26, 2, 1)
	s := New(cfg).(*several)
	fill := rng.NewFiller(rng.New(5))
	for range 60 {
		x := make(strategy.Point, 26)
		fill.Uniform(x)
		if err := s.Tell(strategy.Observation{X: x, Y: f(x)}); err != nil {
			t.Fatal(err)
		}
	}
	learned, err := s.refit(t.Context(), 60)
	if err != nil {
		t.Fatal(err)
	}
	for g, h := range learned.hypers {
		if h.Profile != gp.RBF {
			t.Errorf("group %d has profile %v", g, h.Profile)
		}
	}
}

// Where limits are kept in places far from each other, the front has points of all of them.
func TestIslands(t *testing.T) {
	cfg := strategy.Config{Domain: strategy.Box(4), Objectives: 2, Limits: 1, Init: 6, Seed: 3}.WithDefaults()
	islands := []float64{-0.95, 0, 0.95}
	f := func(x []float64) []float64 {
		away := 0.0
		for _, v := range x[1:] {
			away += v * v
		}
		limit := math.Inf(1)
		for _, at := range islands {
			limit = min(limit, (x[0]-at)*(x[0]-at)+away)
		}
		return []float64{x[0] + away, -x[0] + away, limit - 0.04}
	}
	found := make([]bool, len(islands))
	for _, o := range play(t, New(cfg), f, 12, 5) {
		for k, at := range islands {
			found[k] = found[k] || o.Y[2] <= 0 && math.Abs(o.X[0]-at) < 0.3
		}
	}
	if slices.Contains(found, false) {
		t.Errorf("of the places at %v these were found: %v", islands, found)
	}
}
