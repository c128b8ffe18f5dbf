package strategytest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/strategy"
)

// suite is the state shared by the checks: what is promised and how to build it.
type suite struct {
	Options
	build Builder
}

// start builds a strategy and tells it the observations in one call.
func (s *suite) start(cfg strategy.Config, told ...strategy.Observation) (strategy.Strategy, error) {
	cfg.TrueDim = min(2, cfg.Dim)
	st, err := s.build(cfg)
	if err != nil {
		return nil, fmt.Errorf("cannot build it for %+v: %w", cfg, err)
	}
	if len(told) == 0 {
		return st, nil
	}
	return st, tell(st, told...)
}

// batch is the size to ask for when n would be good.
func (s *suite) batch(n int) int {
	if s.Batch {
		return n
	}
	return 1
}

func (s *suite) dim(want int) int { return min(want, s.MaxDim) }

// ask asks for valid points and returns a copy of them.
func ask(st strategy.Strategy, dim, n int, pending []strategy.Point) ([]strategy.Point, error) {
	points, err := st.Ask(context.Background(), n, pending)
	if err != nil {
		return nil, fmt.Errorf("Ask for %d points with %d pending failed: %w", n, len(pending), err)
	}
	return clone(points), valid(points, dim, n)
}

func tell(st strategy.Strategy, obs ...strategy.Observation) error {
	if err := st.Tell(obs...); err != nil {
		return fmt.Errorf("Tell of %d valid observations failed: %w", len(obs), err)
	}
	return nil
}

// play asks in batches of n and tells the values of f, until count points are told.
func play(st strategy.Strategy, dim, count, n int, f func([]float64) float64) ([]strategy.Observation, error) {
	var all []strategy.Observation
	for len(all) < count {
		points, err := ask(st, dim, min(n, count-len(all)), nil)
		if err != nil {
			return nil, fmt.Errorf("after %d observations: %w", len(all), err)
		}
		told := evaluate(points, f)
		if err := tell(st, told...); err != nil {
			return nil, fmt.Errorf("after %d observations: %w", len(all), err)
		}
		all = append(all, told...)
	}
	return all, nil
}

// valid checks the count, the dimension and the box.
func valid(points []strategy.Point, dim, n int) error {
	if len(points) != n {
		return fmt.Errorf("asked for %d points, got %d", n, len(points))
	}
	for i, p := range points {
		if len(p) != dim {
			return fmt.Errorf("point %d has %d coordinates, the task has %d", i, len(p), dim)
		}
		for j, v := range p {
			if !(v >= -1 && v <= 1) {
				return fmt.Errorf("coordinate %d of point %d is %g, outside [-1,1]", j, i, v)
			}
		}
	}
	return nil
}

// same compares bytes.
func same(what string, got, want []strategy.Point) error {
	if len(got) != len(want) {
		return fmt.Errorf("%s: %d points, want %d", what, len(got), len(want))
	}
	for i := range got {
		if len(got[i]) != len(want[i]) {
			return fmt.Errorf("%s: point %d has %d coordinates, want %d", what, i, len(got[i]), len(want[i]))
		}
		for j, v := range got[i] {
			if math.Float64bits(v) != math.Float64bits(want[i][j]) {
				return fmt.Errorf("%s: coordinate %d of point %d is %v, want %v", what, j, i, v, want[i][j])
			}
		}
	}
	return nil
}

// distinct looks for two points that agree to nine decimals in all coordinates.
func distinct(points []strategy.Point) error {
	for i, p := range points {
		for k, q := range points[:i] {
			apart := 0.0
			for j := range p {
				apart = max(apart, math.Abs(p[j]-q[j]))
			}
			if apart < 1e-9 {
				return fmt.Errorf("point %d repeats point %d", i, k)
			}
		}
	}
	return nil
}

func clone(points []strategy.Point) []strategy.Point {
	copied := make([]strategy.Point, len(points))
	for i, p := range points {
		copied[i] = append(strategy.Point(nil), p...)
	}
	return copied
}

func evaluate(points []strategy.Point, f func([]float64) float64) []strategy.Observation {
	obs := make([]strategy.Observation, len(points))
	for i, p := range points {
		obs[i] = strategy.Observation{X: p, Value: f(p)}
	}
	return obs
}

// scatter draws uniform points that no strategy asked for.
func scatter(count, dim int, seed uint64) []strategy.Point {
	r := rand.New(rand.NewPCG(seed, 0))
	points := make([]strategy.Point, count)
	for i := range points {
		points[i] = make(strategy.Point, dim)
		for j := range points[i] {
			points[i][j] = 2*r.Float64() - 1
		}
	}
	return points
}
