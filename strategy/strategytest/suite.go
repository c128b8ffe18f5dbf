package strategytest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/strategy"
)

// suite is the state shared by the checks: what is promised and how to build it.
type suite struct {
	Options
	build Builder
}

// start builds a strategy and tells it the observations in one call.
func (s *suite) start(cfg strategy.Config, told ...strategy.Observation) (strategy.Strategy, error) {
	cfg.TrueDim = min(2, cfg.Domain.Dim())
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
func ask(st strategy.Strategy, dim, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
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
func valid(points []strategy.Suggestion, dim, n int) error {
	if len(points) != n {
		return fmt.Errorf("asked for %d points, got %d", n, len(points))
	}
	for i, p := range points {
		if err := strategy.CheckPoint(p.X, dim); err != nil {
			return fmt.Errorf("point %d: %w", i, err)
		}
	}
	return nil
}

// same compares bytes.
func same(what string, got, want []strategy.Suggestion) error {
	if len(got) != len(want) {
		return fmt.Errorf("%s: %d points, want %d", what, len(got), len(want))
	}
	for i := range got {
		if len(got[i].X) != len(want[i].X) {
			return fmt.Errorf("%s: point %d has %d coordinates, want %d", what, i, len(got[i].X), len(want[i].X))
		}
		for j, v := range got[i].X {
			if math.Float64bits(v) != math.Float64bits(want[i].X[j]) {
				return fmt.Errorf("%s: coordinate %d of point %d is %v, want %v", what, j, i, v, want[i].X[j])
			}
		}
		if got[i].Tag != want[i].Tag {
			return fmt.Errorf("%s: the tag of point %d is %q, want %q", what, i, got[i].Tag, want[i].Tag)
		}
	}
	return nil
}

// distinct looks for two points that agree to nine decimals in all coordinates.
func distinct(points []strategy.Suggestion) error {
	for i, p := range points {
		for k, q := range points[:i] {
			apart := 0.0
			for j := range p.X {
				apart = max(apart, math.Abs(p.X[j]-q.X[j]))
			}
			if apart < 1e-9 {
				return fmt.Errorf("point %d repeats point %d", i, k)
			}
		}
	}
	return nil
}

func clone(points []strategy.Suggestion) []strategy.Suggestion {
	copied := make([]strategy.Suggestion, len(points))
	for i, p := range points {
		copied[i] = strategy.Suggestion{X: slices.Clone(p.X), Tag: p.Tag}
	}
	return copied
}

func evaluate(points []strategy.Suggestion, f func([]float64) float64) []strategy.Observation {
	obs := make([]strategy.Observation, len(points))
	for i, p := range points {
		obs[i] = strategy.Observation{X: p.X, Tag: p.Tag, Y: []float64{f(p.X)}}
	}
	return obs
}

// scatter draws uniform points that no strategy asked for.
func scatter(count, dim int, seed uint64) []strategy.Suggestion {
	r := rand.New(rand.NewPCG(seed, 0))
	points := make([]strategy.Suggestion, count)
	for i := range points {
		points[i].X = make(strategy.Point, dim)
		for j := range points[i].X {
			points[i].X[j] = 2*r.Float64() - 1
		}
	}
	return points
}
