package adaptive

import (
	"math/rand/v2"
	"testing"

	"github.com/mahabo/mahabo/strategy"
)

// TestFirstDescents follows the descents of adaptive on a rough function: short ones that are
// blind to each other, then one that has seen everything.
func TestFirstDescents(t *testing.T) {
	const dim, length = 300, 4 + descentLength
	built, err := New("adaptive:descents=3", strategy.Config{Domain: strategy.Box(dim), Init: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	a := built.(*adaptive)
	r := rand.New(rand.NewPCG(3, 4))
	tell := func(count int, at, value float64) { // values without any order
		t.Helper()
		for range count {
			x := around(at, dim, r)
			if err := a.Tell(strategy.Observation{X: x, Y: []float64{value + r.Float64()}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	tell(length-1, -0.9, 0)
	if got := len(a.current().y); got != length-1 || a.current() == a.whole {
		t.Fatalf("%d observations in the first descent, want %d", got, length-1)
	}
	tell(1, -0.9, -100)
	tell(1, -0.9, 0)
	if len(a.current().y) != 0 || len(a.whole.fronts.at) != 1 {
		t.Error("a point where the first descent ended does not belong to it")
	}
	if _, _, ok := a.Predict(make(strategy.Point, dim)); ok {
		t.Error("a prediction without a model")
	}
	tell(length-1, 0.9, -200)
	tell(length, 0, 0)
	if a.first != nil || len(a.current().y) != 3*length {
		t.Errorf("%d observations after the first descents, want %d", len(a.current().y), 3*length)
	}
	if at := a.whole.fronts.at; len(at) != 3 || at[0][0] != -0.9 || at[1][0] != 0.9 || at[2][0] != 0 {
		t.Errorf("the fronts are at %v", at)
	}
	points, err := a.Ask(t.Context(), 2, nil)
	if err != nil || len(points) != 2 || a.LastAsk().Fallback != nil {
		t.Errorf("ask: %d points, %v, %v", len(points), err, a.LastAsk().Fallback)
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
	var f fronts
	left, right, far := strategy.Point{-1, 0}, strategy.Point{1, 0}, strategy.Point{0, 9}
	f.add(left, 3)
	f.add(right, 4)
	f.add(far, 2)
	if !f.cover(strategy.Point{-0.5, 0.5}) || f.cover(strategy.Point{-0.3, 0}) {
		t.Errorf("the territory of a front is not %g", territory)
	}
	f.learn(strategy.Observation{X: strategy.Point{0.5, 0}, Y: []float64{3.5}})
	f.learn(strategy.Observation{X: strategy.Point{-0.5, 0}, Y: []float64{3.5}})
	if f.value[0] != 3 || f.value[1] != 3.5 || f.at[1][0] != 0.5 {
		t.Errorf("the fronts are at %v with %v", f.at, f.value)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		if k, other := f.draw(r); other == (k == 2) {
			t.Errorf("front %d is called another than the lowest: %t", k, other)
		}
	}
	for i, want := range []int{2, 1, 1} {
		for range frontLength - 2*max(0, 1-i) { // two were told above
			f.learn(strategy.Observation{X: far, Y: []float64{5}})
		}
		if len(f.at) != want || f.value[len(f.value)-1] != 2 {
			t.Errorf("fronts with %v, want %d and the lowest among them", f.value, want)
		}
	}
	if _, other := f.draw(r); other {
		t.Error("there is another front than the last")
	}
}

func TestNumberOfDescents(t *testing.T) {
	for _, c := range []struct {
		spec              string
		dim, budget, want int
	}{
		{"adaptive", 1000, 0, 1},
		{"adaptive", 1000, worthDescents - 1, 1},
		{"adaptive", 1000, worthDescents, firstDescents},
		{"adaptive:descents=5", 1000, 0, 5},
		{"adaptive:descents=1", 1000, 500, 1},
		{"adaptive", 500, 500, firstDescents},
		{"adaptive", 499, 500, 1},
		{"adaptive:descents=5", 10 + descentLength, 500, 5},
		{"adaptive:descents=5", 10 + descentLength - 1, 500, 1},
	} {
		built, err := New(c.spec, strategy.Config{Domain: strategy.Box(c.dim), Init: 10, Budget: c.budget})
		if err != nil {
			t.Fatal(err)
		}
		if a := built.(*adaptive); a.descents != c.want || (a.first == nil) != (c.want == 1) {
			t.Errorf("%s with %d parameters, %d meant: %d descents, want %d", c.spec, c.dim, c.budget, a.descents, c.want)
		}
	}
	for _, spec := range []string{"adaptive:descents=0", "adaptive:without=luck"} {
		if _, err := New(spec, strategy.Config{Domain: strategy.Box(10)}); err == nil {
			t.Errorf("%s is accepted", spec)
		}
	}
}
