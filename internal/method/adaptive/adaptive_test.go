package adaptive

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/strategy"
)

func newAdaptive(t testing.TB, spec string, cfg strategy.Config) *adaptive {
	t.Helper()
	return methodtest.Build(t, Method(), spec, cfg).(*adaptive)
}

// learned has the observations told gone through, as the next Ask would.
func (a *adaptive) learned(t testing.TB) *adaptive {
	t.Helper()
	if err := a.follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAdaptiveFitCount(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {10, 10}, {31, 31}, {32, 32}, {33, 32}, {63, 62}, {67, 64}, {500, 496}, {1023, 992}} {
		if got := method.FitCount(c[0], defaults.ExactFits); got != c[1] {
			t.Errorf("the fit for %d observations uses %d, want %d", c[0], got, c[1])
		}
	}
}

func TestRelevantObservations(t *testing.T) {
	got := relevant([]float64{5, 1, 4, 2, 9, 8, 7}, 4)
	if want := []int{1, 3, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("kept %v, want the two lowest of the first five and the last two, %v", got, want)
	}
}

// The profile of a fit follows from the number of its observations.
func TestProfile(t *testing.T) {
	for _, c := range []struct {
		spec   string
		points int
		want   gp.Profile
	}{
		{"adaptive", 9, gp.RBF},
		{"adaptive", 10, gp.Matern52},
		{"adaptive:without=matern", 10, gp.RBF},
	} {
		a := newAdaptive(t, c.spec, strategy.Config{Domain: strategy.Box(10), Init: 5}).newRun()
		r := rand.New(rand.NewPCG(1, 2))
		for range c.points {
			x := make([]float64, 10)
			for j := range x {
				x[j] = 2*r.Float64() - 1
			}
			a.add(observation{x: x, y: x[0]})
		}
		if err := a.refit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := a.fit.hyper.Profile; got != c.want {
			t.Errorf("%s: %d points in 10 dimensions have profile %d, want %d", c.spec, c.points, got, c.want)
		}
	}
}

// What is told is kept, whatever the caller does with the slice afterwards.
func TestAdaptiveKeepsItsPoints(t *testing.T) {
	ask := func(spoil bool) strategy.Point {
		s := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(3), Init: 4, Seed: 1})
		x := make(strategy.Point, 3)
		for i := range 12 {
			for j := range x {
				x[j] = math.Sin(float64(3*i + j))
			}
			told := slices.Clone(x)
			if spoil {
				told = x
			}
			methodtest.Tell(t, s, told, x[0]+x[1]*x[2])
		}
		return methodtest.Ask(t, s, 1)[0]
	}
	if got, want := ask(true), ask(false); !slices.Equal(got, want) {
		t.Errorf("with a slice that is used again: %v, want %v", got, want)
	}
}

// The first point after the design is the middle, once, with the labels of the best point.
func TestMiddleFirst(t *testing.T) {
	rule := strategy.Param{Name: "rule", Kind: strategy.Label, First: 2, Width: 3}
	mixed := strategy.Domain{Params: []strategy.Param{
		{Name: "rate", Kind: strategy.Real, First: 0, Width: 1},
		{Name: "layers", Kind: strategy.Integer, First: 1, Width: 1, Levels: []float64{-0.75, -0.25, 0.1, 0.75}},
		rule,
	}}
	held := strategy.Box(3)
	held.Fixed = map[int]float64{1: 0.5}
	rule.First = 0
	for name, c := range map[string]struct {
		domain strategy.Domain
		best   strategy.Point // a point of the design that is told as the best
		budget int
		middle strategy.Point // nil for none
	}{
		"reals":       {strategy.Box(4), strategy.Point{1, 1, 0, 1}, 400, strategy.Point{0, 0, 0, 0}},
		"one is held": {held, strategy.Point{1, 0.5, 1}, 0, strategy.Point{0, 0.5, 0}},
		"mixed":       {mixed, strategy.Point{1, 0.75, -1, 1, -1}, 0, strategy.Point{0, 0.1, -1, 1, -1}},
		"labels":      {strategy.Domain{Params: []strategy.Param{rule}}, strategy.Point{-1, 1, -1}, 0, nil},
		"it is known": {strategy.Box(2), strategy.Point{0, 0}, 0, nil},
		"far":         {strategy.Box(400), slices.Repeat(strategy.Point{1}, 400), 400, nil},
	} {
		s := newAdaptive(t, "adaptive", strategy.Config{Domain: c.domain, Init: 4, Seed: 1, Budget: c.budget})
		for i, x := range methodtest.Ask(t, s, 3) {
			methodtest.Tell(t, s, x, float64(1+i))
		}
		methodtest.Tell(t, s, c.best, 0)
		asked := methodtest.Ask(t, s, 2)
		if c.middle == nil {
			c.middle = make(strategy.Point, s.Dim)
			if slices.ContainsFunc(asked, func(x strategy.Point) bool { return method.Coincide(x, c.middle) }) {
				t.Errorf("%s: asked for %v", name, asked)
			}
			continue
		}
		if !slices.Equal(asked[0], c.middle) || slices.Equal(asked[1], c.middle) {
			t.Errorf("%s: asked for %v, want %v first", name, asked, c.middle)
		}
		if again := methodtest.Ask(t, s, 1, asked...)[0]; slices.Equal(again, c.middle) {
			t.Errorf("%s: asked for %v again while it was pending", name, again)
		}
	}
}

// Of many workers, more points than those of the design are told before one asks again; studies that are long under way go on as they are.
func TestMiddleOfManyWorkers(t *testing.T) {
	for told, want := range map[int]bool{40: true, 44: false} {
		s := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(3), Init: 4, Seed: 1})
		for i, x := range methodtest.Ask(t, s, told) {
			methodtest.Tell(t, s, x, float64(i))
		}
		asked := methodtest.Ask(t, s, 40)
		if got := slices.Equal(asked[0], strategy.Point{0, 0, 0}); got != want {
			t.Errorf("with %d points told, 40 more begin in the middle: %v, want %v", told, got, want)
		}
	}
}

// The middle is asked for once, also where it was evaluated elsewhere: it may have been rounded, or drawn back from where points
// are infeasible.
func TestMiddleThatMoves(t *testing.T) {
	s := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(2), Init: 4, Seed: 1})
	for i, x := range methodtest.Ask(t, s, 4) {
		methodtest.Tell(t, s, x, float64(i))
	}
	failed := []strategy.Suggestion{{X: strategy.Point{0.9, 0.9}}, {X: strategy.Point{-0.9, 0.9}}, {X: strategy.Point{0.9, -0.9}}}
	inMiddle := func(x strategy.Point) bool { return slices.Equal(x, strategy.Point{0, 0}) }
	first := methodtest.Suggest(t, s, 1, failed...)[0]
	if !inMiddle(first.X) {
		t.Fatalf("it begins with %v", first)
	}
	moved := strategy.Suggestion{X: strategy.Point{0.01, 0.2}, Tag: first.Tag}
	if next := methodtest.Suggest(t, s, 1, append(slices.Clone(failed), moved)...)[0]; inMiddle(next.X) || next.Tag != "" {
		t.Errorf("while it is pending elsewhere it asks for %v", next)
	}
	if err := s.Tell(strategy.Observation{X: moved.X, Tag: moved.Tag, Y: []float64{1}}); err != nil {
		t.Fatal(err)
	}
	if next := methodtest.Suggest(t, s, 1, failed...)[0]; inMiddle(next.X) || next.Tag != "" {
		t.Errorf("when it was observed elsewhere it asks for %v", next)
	}
}

// BenchmarkAdaptive measures one suggestion of a study, the Tell before it included, when n
// observations lie around a descent. Fits come at every fourth to hundredth of them:
// ms-median is what one usually waits, ms-max what one waits with a fit.
func BenchmarkAdaptive(b *testing.B) {
	for _, dim := range []int{10, 100, 1000, 10000} {
		for _, n := range []int{100, 500, 1000, 3000} {
			b.Run(fmt.Sprintf("D=%d/n=%d", dim, n), func(b *testing.B) { benchmarkAdaptive(b, dim, n) })
		}
	}
}

func benchmarkAdaptive(b *testing.B, dim, n int) {
	s := newAdaptive(b, "adaptive", strategy.Config{Domain: strategy.Box(dim), Init: 10, Seed: 1})
	r := rand.New(rand.NewPCG(1, 2))
	eval := func(x strategy.Point) float64 {
		var u, v float64
		for j, c := range x {
			u += c * math.Cos(float64(j)) / float64(dim)
			v += c * math.Sin(float64(2*j)) / float64(dim)
		}
		return (u-0.3)*(u-0.3) + 10*(v-u*u)*(v-u*u)
	}
	near := func(spread float64) strategy.Observation {
		x := make(strategy.Point, dim)
		for j := range x {
			x[j] = min(1, max(-1, 0.3+spread*r.NormFloat64()))
		}
		return strategy.Observation{X: x, Y: []float64{eval(x)}}
	}
	for i := range n - 1 {
		if err := s.Tell(near(1 / (1 + float64(i)/20))); err != nil {
			b.Fatal(err)
		}
	}
	next := near(0.1)
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		if err := s.Tell(next); err != nil {
			b.Fatal(err)
		}
		points, err := s.Ask(b.Context(), 1, nil)
		if err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
		next = strategy.Observation{X: points[0].X, Y: []float64{eval(points[0].X)}}
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(times[len(times)-1].Microseconds())/1000, "ms-max")
}
