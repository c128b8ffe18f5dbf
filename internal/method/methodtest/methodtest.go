// Package methodtest has what the tests of single methods share.
package methodtest

import (
	"math"
	"testing"

	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/strategy"
)

// Build makes a method from a specification of its name.
func Build(t testing.TB, m strategy.Method, spec string, cfg strategy.Config) strategy.Strategy {
	t.Helper()
	registry, err := strategy.NewRegistry(m)
	if err != nil {
		t.Fatal(err)
	}
	s, err := registry.New(spec, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Ask asks for n points, which need no tags, while others without tags are pending.
func Ask(t testing.TB, s strategy.Strategy, n int, pending ...strategy.Point) []strategy.Point {
	t.Helper()
	return method.Points(Suggest(t, s, n, method.Suggest(pending)...))
}

// Suggest asks for n points with their tags.
func Suggest(t testing.TB, s strategy.Strategy, n int, pending ...strategy.Suggestion) []strategy.Suggestion {
	t.Helper()
	asked, err := s.Ask(t.Context(), n, pending)
	if err != nil {
		t.Fatal(err)
	}
	if len(asked) != n {
		t.Fatalf("asked for %d points, got %d", n, len(asked))
	}
	return asked
}

// Tell tells the value of a point without a tag.
func Tell(t testing.TB, s strategy.Strategy, x strategy.Point, value float64) {
	t.Helper()
	if err := s.Tell(strategy.Observation{X: x, Y: []float64{value}}); err != nil {
		t.Fatal(err)
	}
}

// Play runs rounds of a batch, each told before the next, and returns all points asked
// and the lowest value.
func Play(t testing.TB, s strategy.Strategy, rounds, batch int, f func([]float64) float64) (points []strategy.Point, best float64) {
	t.Helper()
	best = math.Inf(1)
	for range rounds {
		for _, p := range Suggest(t, s, batch) {
			y := f(p.X)
			best = min(best, y)
			if err := s.Tell(strategy.Observation{X: p.X, Tag: p.Tag, Y: []float64{y}}); err != nil {
				t.Fatal(err)
			}
			points = append(points, p.X)
		}
	}
	return points, best
}

// Ridge is a function of one direction of the box.
func Ridge(x []float64) float64 {
	z := 0.0
	for j, v := range x {
		z += v * math.Cos(float64(j)) / math.Sqrt(float64(len(x)))
	}
	return (z - 2) * (z - 2)
}
