package adaptive

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/strategy"
)

// A query stays in its box, and its starts reach all of it.
func TestQueryBox(t *testing.T) {
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(3)})
	q := place{adaptive: a, centre: []float64{0, 0.75, -0.875}, reach: 0.5}
	box := a.region.Around(q.centre, q.reach)
	if !slices.Equal(box.Low, []float64{-0.5, 0.25, -1}) || !slices.Equal(box.High, []float64{0.5, 1, -0.375}) {
		t.Errorf("the box is %v to %v", box.Low, box.High)
	}
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 3)
	var reach, nearest float64 = 0, math.Inf(1)
	for i := range 200 {
		q.start(x, i%a.Starts, r)
		var step float64
		for j, c := range q.centre {
			step = max(step, math.Abs(x[j]-c))
		}
		reach, nearest = max(reach, step), min(nearest, step)
	}
	if reach > 0.5 || reach < 0.45 || nearest > 0.01 {
		t.Errorf("starts are %g to %g from the centre of a box of half-width 0.5", nearest, reach)
	}
}

// Local models need points enough, and a function that they predict better than the model of
// everything does.
func TestLocalModels(t *testing.T) {
	const dim = 3 // 26 neighbours
	// A narrow curved valley.
	valley := func(x strategy.Point, _ *rand.Rand) float64 {
		u := x[0] - x[1]*x[1]
		return u*u*1e4 + x[2]*x[2]
	}
	noise := func(x strategy.Point, r *rand.Rand) float64 { return x[0] + r.NormFloat64() }
	for _, c := range []struct {
		name, spec string
		points     int
		f          func(x strategy.Point, r *rand.Rand) float64
		want       bool
	}{
		{"few points", "adaptive", 51, valley, false},
		{"many points", "adaptive", 52, valley, true},
		{"without local models", "adaptive:without=local", 52, valley, false},
		{"noise", "adaptive", 200, noise, false},
	} {
		a := newAdaptive(t, c.spec, strategy.Config{Domain: strategy.Box(dim), Init: 10}).newRun()
		r := rand.New(rand.NewPCG(1, 2))
		for i := range c.points { // half of them around the middle
			x := make(strategy.Point, dim)
			for j := range x {
				x[j] = 0.1 * (2*r.Float64() - 1)
				if i%2 == 0 {
					x[j] *= 10
				}
			}
			a.add(observation{x: x, y: c.f(x, r)})
		}
		near := surroundingsOf(t, a, make(strategy.Point, dim))
		drawn := 0
		for range 100 {
			p, err := near.draw(t.Context(), 0, nil, r)
			if err != nil {
				t.Fatal(err)
			}
			if p != nil {
				drawn++
			}
		}
		if c.want != (drawn > 15 && drawn < 45) || !c.want && drawn > 0 {
			t.Errorf("%s: %d of 100 queries are local", c.name, drawn)
		}
	}
}

// surroundingsOf are those of a run after a fit.
func surroundingsOf(t *testing.T, a *run, lowest strategy.Point) *surroundings {
	t.Helper()
	if err := a.refit(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := a.condition(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	return &surroundings{run: a, all: all, lowest: lowest, places: map[int]*place{}, spare: 3}
}

// A local model has the nearest points alone, looks no farther than they are, and believes
// what the model of everything believes.
func TestLocalModelIsLocal(t *testing.T) {
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(1), Init: 3}).newRun()
	for i := range 60 { // 22 neighbours
		x := float64(i-30) / 30
		value := x * x
		if x < 0 { // rough where the neighbours are not
			value = math.Sin(60 * x)
		}
		a.add(observation{x: strategy.Point{x}, y: value})
	}
	if got, want := nearest(a.points, 60, strategy.Point{0.5}, 3), []int{44, 45, 46}; !slices.Equal(got, want) {
		t.Errorf("points %v are nearest, want %v", got, want)
	}
	near := surroundingsOf(t, a, strategy.Point{0.5})
	near.believe(strategy.Point{0.51})
	p, err := near.around(t.Context(), near.lowest)
	if p == nil || err != nil {
		t.Fatalf("no local model: %v", err)
	}
	if math.Abs(p.reach-0.2) > 0.05 || math.Abs(p.centre[0]-0.5) > 11./30+1e-9 {
		t.Errorf("a box of half-width %g around %v, of 22 points within %g of 0.5", p.reach, p.centre, 11./30)
	}
	near.places[aroundLowest] = p
	_, before := p.model.Predict(strategy.Point{0.6})
	near.believe(strategy.Point{0.6})
	if _, after := p.model.Predict(strategy.Point{0.6}); !(after < 0.6*before) {
		t.Errorf("variance %g at a point that is believed, %g before", after, before)
	}
}
