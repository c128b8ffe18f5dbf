package strategytest

import (
	"context"
	"fmt"
	"math"

	"github.com/mahabo/mahabo/strategy"
)

// refuses: a bad argument is an error, and the next answer is that of before.
func (s *suite) refuses() error {
	const initial = 5
	dim := s.dim(6)
	for _, count := range []int{2, 9} { // in the design and after it
		obs := evaluate(scatter(count, dim, 1), sphere)
		st, err := s.start(strategy.Config{Domain: strategy.Box(dim), Init: initial, Seed: 8}, obs...)
		if err != nil {
			return err
		}
		want, err := ask(st, dim, 1, nil)
		if err != nil {
			return err
		}
		for _, c := range badCalls(dim) {
			if err := c.call(st); err == nil {
				return fmt.Errorf("%d observations: %s was accepted", count, c.name)
			}
			got, err := ask(st, dim, 1, nil)
			if err != nil {
				return fmt.Errorf("%d observations, after %s was refused: %w", count, c.name, err)
			}
			if err := same(fmt.Sprintf("%d observations, %s was refused but left a trace", count, c.name), got, want); err != nil {
				return err
			}
		}
	}
	return nil
}

type badCall struct {
	name string
	call func(strategy.Strategy) error
}

// badCalls gives every bad point to Tell, to Tell after a good one, and to Ask as
// the last of two pending points.
func badCalls(dim int) []badCall {
	good := scatter(1, dim, 2)[0].X
	with := func(v float64) strategy.Point {
		p := append(strategy.Point(nil), good...)
		p[dim-1] = v
		return p
	}
	asking := func(n int, points ...strategy.Point) func(strategy.Strategy) error {
		pending := make([]strategy.Suggestion, len(points))
		for i, x := range points {
			pending[i].X = x
		}
		return func(st strategy.Strategy) error {
			_, err := st.Ask(context.Background(), n, pending)
			return err
		}
	}
	telling := func(obs ...strategy.Observation) func(strategy.Strategy) error {
		return func(st strategy.Strategy) error { return st.Tell(obs...) }
	}
	calls := []badCall{
		{"Ask for 0 points", asking(0)},
		{"Ask for -1 points", asking(-1)},
	}
	ok := strategy.Observation{X: good, Y: []float64{1}}
	for _, bad := range []struct {
		name  string
		point strategy.Point
	}{
		{"a point with a coordinate too few", good[:dim-1]},
		{"a point with a coordinate too many", append(with(0), 0)},
		{"a point of no coordinates", nil},
		{"a coordinate of 1.5", with(1.5)},
		{"a coordinate just below -1", with(math.Nextafter(-1, -2))},
		{"a coordinate that is NaN", with(math.NaN())},
		{"an infinite coordinate", with(math.Inf(-1))},
	} {
		o := strategy.Observation{X: bad.point, Y: []float64{1}}
		calls = append(calls,
			badCall{"Tell of " + bad.name, telling(o)},
			badCall{"Tell of a good point and " + bad.name, telling(ok, o)},
			badCall{"Ask with pending " + bad.name, asking(1, good, bad.point)})
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		o := strategy.Observation{X: good, Y: []float64{v}}
		calls = append(calls,
			badCall{fmt.Sprintf("Tell of the value %g", v), telling(o)},
			badCall{fmt.Sprintf("Tell of a good value and %g", v), telling(ok, o)})
	}
	return calls
}
