package adaptive

import (
	"math/rand/v2"
	"testing"

	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/strategy"
)

// TestFirstDescents follows the descents of adaptive on a rough function: short ones that are
// blind to each other, then one that has seen everything.
func TestFirstDescents(t *testing.T) {
	const dim = 300
	length := 4 + defaults.DescentLength
	a := newAdaptive(t, "adaptive:descents=3", strategy.Config{Domain: strategy.Box(dim), Init: 4, Seed: 1})
	r := rand.New(rand.NewPCG(3, 4))
	tell := func(count int, at, value float64) { // values without any order
		t.Helper()
		for range count {
			methodtest.Tell(t, a, around(at, dim, r), value+r.Float64())
		}
		a.learned(t)
	}
	tell(length-1, -0.9, 0)
	if got := len(a.phase.run().y); got != length-1 || a.phase.run() == a.whole {
		t.Fatalf("%d observations in the first descent, want %d", got, length-1)
	}
	tell(1, -0.9, -100)
	tell(1, -0.9, 0)
	if d, ok := a.phase.(*descent); !ok || d.number != 2 || len(d.of.y) != 0 || len(d.ends) != 1 {
		t.Errorf("a point where the first descent ended does not belong to it: %+v", a.phase)
	}
	if _, _, ok := a.Predict(make(strategy.Point, dim)); ok {
		t.Error("a prediction without a model")
	}
	tell(length-1, 0.9, -200)
	tell(length, 0, 0)
	f, ok := a.phase.(*fronts)
	if !ok || len(f.run().y) != 3*length {
		t.Fatalf("%T with %d observations after the first descents, want %d", a.phase, len(a.phase.run().y), 3*length)
	}
	if len(f.all) != 3 || f.all[0].at[0] != -0.9 || f.all[1].at[0] != 0.9 || f.all[2].at[0] != 0 {
		t.Errorf("the fronts are at %v", f.all)
	}
	methodtest.Ask(t, a, 2)
	if err := a.LastAsk().Fallback; err != nil {
		t.Error(err)
	}
}

// around returns a random point whose first two coordinates are at the given place and whose
// others are near the middle.
func around(at float64, dim int, r *rand.Rand) strategy.Point {
	x := make(strategy.Point, dim)
	for j := range x {
		x[j] = 0.5*r.Float64() - 0.25
	}
	x[0], x[1] = at, at
	return x
}

func TestFronts(t *testing.T) {
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(2)})
	left, right, far := strategy.Point{-1, 0}, strategy.Point{1, 0}, strategy.Point{0, 9}
	f := &fronts{adaptive: a, all: []front{{left, 3, true}, {right, 4, true}, {far, 2, true}}, left: a.FrontLength}
	if end := f.all[0]; !end.covers(strategy.Point{-0.5, 0.5}, a.Territory) || end.covers(strategy.Point{-0.3, 0}, a.Territory) {
		t.Errorf("the territory of a front is not %g", a.Territory)
	}
	f.learn(observation{x: strategy.Point{0.5, 0}, y: 3.5})
	f.learn(observation{x: strategy.Point{-0.5, 0}, y: 3.5})
	if f.all[0].value != 3 || f.all[1].value != 3.5 || f.all[1].at[0] != 0.5 {
		t.Errorf("the fronts are %v", f.all)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		if k, other := f.draw(r); other == (k == 2) {
			t.Errorf("front %d is called another than the lowest: %t", k, other)
		}
	}
	for i, want := range []int{2, 1} {
		for range a.FrontLength - 2*max(0, 1-i) { // two were told above
			if next, err := f.next(t.Context()); err != nil || next != phase(f) {
				t.Fatalf("with %d fronts the next phase is %T, %v", len(f.all), next, err)
			}
			f.learn(observation{x: far, y: 5})
		}
		if len(f.all) != want || f.all[len(f.all)-1].value != 2 {
			t.Errorf("the fronts are %v, want %d and the lowest among them", f.all, want)
		}
	}
	if _, other := f.draw(r); other {
		t.Error("there is another front than the last")
	}
	next, err := f.next(t.Context())
	if s, ok := next.(*search); !ok || err != nil || s.mayAscend {
		t.Errorf("a single front is followed by %+v, %v, want a search without an ascent", next, err)
	}
}

// What has no value is higher than all fronts and is given up before them.
func TestUnseenFrontIsHighest(t *testing.T) {
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(1)})
	f := &fronts{adaptive: a, all: []front{{strategy.Point{-1}, 1e300, true}, {at: strategy.Point{1}}}, left: 1}
	if f.highest() != 1 || f.all[1].lower(f.all[0]) || !f.all[0].lower(f.all[1]) {
		t.Errorf("front %d is the highest", f.highest())
	}
	f.learn(observation{x: strategy.Point{-0.9}, y: 2})
	if len(f.all) != 1 || f.all[0].value != 2 {
		t.Errorf("the fronts are %v, want the one that was seen", f.all)
	}
}

func TestNumberOfDescents(t *testing.T) {
	length := 10 + defaults.DescentLength
	for _, c := range []struct {
		spec              string
		dim, budget, want int
	}{
		{"adaptive", 1000, 0, 1},
		{"adaptive", 1000, defaults.FarBudget - 1, 1},
		{"adaptive", 1000, defaults.FarBudget, firstDescents},
		{"adaptive:descents=5", 1000, 0, 5},
		{"adaptive:descents=1", 1000, 500, 1},
		{"adaptive:descents=0", 1000, 500, firstDescents}, // the default by its number
		{"adaptive", 500, 500, firstDescents},
		{"adaptive", 499, 500, 1},
		{"adaptive:descents=5", length, 500, 5},
		{"adaptive:descents=5", length - 1, 500, 1},
	} {
		a := newAdaptive(t, c.spec, strategy.Config{Domain: strategy.Box(c.dim), Init: 10, Budget: c.budget})
		if _, several := a.phase.(*descent); a.first() != c.want || several != (c.want > 1) {
			t.Errorf("%s with %d parameters, %d meant: %d descents, begins with %T, want %d", c.spec, c.dim, c.budget, a.first(), a.phase, c.want)
		}
	}
}
