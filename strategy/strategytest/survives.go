package strategytest

import (
	"fmt"
	"math"

	"github.com/mahabo/mahabo/strategy"
)

// survives: valid data get valid points, however degenerate. None of the points
// told was asked for.
func (s *suite) survives() error {
	const initial, count = 5, 12
	dim := s.dim(12)
	spread := scatter(count, dim, 1)
	at := func(p strategy.Point) []strategy.Suggestion {
		points := make([]strategy.Suggestion, count)
		for i := range points {
			points[i].X = p
		}
		return points
	}
	corner := make(strategy.Point, dim)
	for j := range corner {
		corner[j] = float64(1 - 2*(j%2))
	}
	for _, place := range []struct {
		name   string
		points []strategy.Suggestion
		values int // how many kinds are tried
	}{
		{"spread points", spread, len(valueKinds)},
		{"one point again and again", at(spread[0].X), len(valueKinds)},
		{"the centre again and again", at(make(strategy.Point, dim)), 2},
		{"a corner again and again", at(corner), 2},
		{"one observation", spread[:1], 1},
	} {
		for _, v := range valueKinds[:place.values] {
			obs := make([]strategy.Observation, len(place.points))
			for i, p := range place.points {
				obs[i] = strategy.Observation{X: p.X, Y: []float64{v.at(i)}}
			}
			cfg := strategy.Config{Domain: strategy.Box(dim), Init: min(initial, len(obs)), Seed: 6}
			if err := s.survive(cfg, obs); err != nil {
				return fmt.Errorf("%s, %s: %w", place.name, v.name, err)
			}
		}
	}
	// Workers may be asked for more than the design before any value is known.
	st, err := s.start(strategy.Config{Domain: strategy.Box(dim), Init: initial, Seed: 6})
	if err != nil {
		return err
	}
	if _, err := ask(st, dim, s.batch(3), spread[:2*initial]); err != nil {
		return fmt.Errorf("no observation: %w", err)
	}
	return nil
}

// survive asks, tells the answer a value of the same kind, and asks again.
func (s *suite) survive(cfg strategy.Config, obs []strategy.Observation) error {
	st, err := s.start(cfg, obs...)
	if err != nil {
		return err
	}
	points, err := ask(st, cfg.Domain.Dim(), s.batch(3), nil)
	if err != nil {
		return err
	}
	if p, ok := st.(strategy.Predictor); ok {
		if mean, std, ok := p.Predict(points[0].X); ok && !(math.Abs(mean) <= math.MaxFloat64 && std >= 0 && std <= math.MaxFloat64) {
			return fmt.Errorf("it expects %g ± %g, which are not finite numbers", mean, std)
		}
	}
	if err := tell(st, strategy.Observation{X: points[0].X, Tag: points[0].Tag, Y: obs[len(obs)-1].Y}); err != nil {
		return err
	}
	_, err = ask(st, cfg.Domain.Dim(), 1, points[1:])
	return err
}

// valueKinds starts with those that every arrangement of points is tried with.
var valueKinds = []struct {
	name string
	at   func(i int) float64
}{
	{"ordinary values", func(i int) float64 { return float64(i*i%7) - 3 }},
	{"all values 3", func(int) float64 { return 3 }},
	{"all values 0", func(int) float64 { return 0 }},
	{"values near 1e-300", func(i int) float64 { return 1e-300 * float64(i%7-3) }},
	{"values near 1e300", func(i int) float64 { return 1e300 * float64(i%7-3) }},
	{"all values 1e300", func(int) float64 { return 1e300 }},
	{"values from 1e-300 to 1e300", func(i int) float64 {
		return []float64{1e-300, -1e300, 1, -1e-300, 1e300}[i%5]
	}},
	{"an offset of 1e12", func(i int) float64 { return 1e12 + float64(i%7) }},
	{"one outlier of 1e15", func(i int) float64 {
		if i == 4 {
			return 1e15
		}
		return float64(i % 7)
	}},
}
