package adaptive

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/strategy"
)


// afterMany returns what is asked for after so many random observations of a tub.
func afterMany(t *testing.T, spec string, domain strategy.Domain, threads, count int) []strategy.Point {
	t.Helper()
	cfg := strategy.Config{Domain: domain, Init: 6, Seed: 9, Threads: threads}
	a := newAdaptive(t, spec, cfg)
	r := rand.New(rand.NewPCG(3, 4))
	obs := make([]strategy.Observation, abreastFrom)
	for i := range obs {
		x := make(strategy.Point, domain.Dim())
		for j := range x {
			x[j] = 2*r.Float64() - 1
			if v, held := domain.Fixed[j]; held {
				x[j] = v
			}
		}
		obs[i] = strategy.Observation{X: x, Y: []float64{tub(x)}}
	}
	if err := a.Tell(obs...); err != nil {
		t.Fatal(err)
	}
	points := methodtest.Ask(t, a, count)
	if a.report.Fallback != nil {
		t.Fatal(a.report.Fallback)
	}
	return points
}

// Points that are looked for side by side are lower than those observed, differ from each other, and do not depend on
// the number of threads. Eight at a time are looked for one after another.
func TestAbreast(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	const even, weighed = "adaptive:abreast=25,most-fitted=60,without=weights", "adaptive:abreast=25,most-fitted=60,weight-hedge=0.6"
	box := strategy.Box(mostTurned + 1)
	held := strategy.Box(mostTurned + 1)
	held.Fixed = map[int]float64{3: 0.25}
	held.Linear = []strategy.Row{{Coordinate: []int{0, 1}, Coefficient: []float64{3, 4}, Bound: 1}}
	for _, c := range []struct {
		name, spec string
		domain     strategy.Domain
	}{{"a box", even, box}, {"rows", even, held}, {"weights", weighed, box}} {
		points := afterMany(t, c.spec, c.domain, 1, 30)
		var lower int
		for i, x := range points {
			if tub(x) < 0.2 { // no random point is
				lower++
			}
			if slices.ContainsFunc(points[:i], func(other strategy.Point) bool { return method.Coincide(x, other) }) {
				t.Errorf("%s: point %d is another one", c.name, i)
			}
		}
		if lower < 10 {
			t.Errorf("%s: %d of %d points are low", c.name, lower, len(points))
		}
		if again := afterMany(t, c.spec, c.domain, 2, 30); !slices.EqualFunc(points, again, slices.Equal) {
			t.Errorf("%s: other points with two threads", c.name)
		}
	}
	for _, n := range []int{8, 9} {
		together, alone := afterMany(t, even, box, 1, n), afterMany(t, "adaptive:most-fitted=60,without=weights", box, 1, n)
		if same := slices.EqualFunc(together, alone, slices.Equal); same != (n == 8) {
			t.Errorf("%d points: one after another %t", n, same)
		}
	}
}
