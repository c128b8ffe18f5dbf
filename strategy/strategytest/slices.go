package strategytest

import (
	"context"
	"fmt"

	"github.com/mahabo/mahabo/strategy"
)

// slices: memory that crosses the interface belongs to the caller.
func (s *suite) slices() error {
	const initial = 6
	dim, n := s.dim(10), s.batch(3)
	cfg := strategy.Config{Domain: strategy.Box(dim), Init: initial, Seed: 4}
	for _, count := range []int{3, 14} { // in the design and after it
		obs := evaluate(scatter(count, dim, 1), sphere)
		waiting := scatter(2, dim, 2)
		reference, err := s.start(cfg, evaluate(clone(coordinates(obs)), sphere)...)
		if err != nil {
			return err
		}
		alone, err := ask(reference, dim, n, nil)
		if err != nil {
			return err
		}
		beside, err := ask(reference, dim, n, clone(waiting))
		if err != nil {
			return err
		}
		if err := s.ownership(cfg, obs, waiting, alone, beside); err != nil {
			return fmt.Errorf("%d observations: %w", count, err)
		}
	}
	return nil
}

// ownership overwrites one thing after the other; the answers stay those of an
// undisturbed strategy, alone without and beside with pending points.
func (s *suite) ownership(cfg strategy.Config, obs []strategy.Observation, waiting, alone, beside []strategy.Suggestion) error {
	told := evaluate(clone(coordinates(obs)), sphere)
	st, err := s.start(cfg, told...)
	if err != nil {
		return err
	}
	if err := same("Tell changed the observations", coordinates(told), coordinates(obs)); err != nil {
		return err
	}
	overwrite(coordinates(told))
	for i := range told {
		told[i] = strategy.Observation{X: make(strategy.Point, cfg.Domain.Dim()), Y: []float64{-1e9}}
	}
	pending := clone(waiting)
	n := len(alone)
	points, err := st.Ask(context.Background(), n, pending)
	if err != nil {
		return err
	}
	if err := same("told observations were overwritten by the caller", points, beside); err != nil {
		return err
	}
	if err := same("Ask changed the pending points", pending, waiting); err != nil {
		return err
	}
	for i := range points {
		_ = append(points[i].X, 99)
		if err := same("appending to a point changed another", points, beside); err != nil {
			return err
		}
	}
	overwrite(points[:1])
	if err := same("overwriting a point changed another", points[1:], beside[1:]); err != nil {
		return err
	}
	overwrite(pending)
	overwrite(points)
	for _, again := range []struct {
		what          string
		pending, want []strategy.Suggestion
	}{
		{"returned and pending points were overwritten by the caller", waiting, beside},
		{"pending points of an earlier Ask still count", nil, alone},
	} {
		points, err := ask(st, cfg.Domain.Dim(), n, clone(again.pending))
		if err != nil {
			return err
		}
		if err := same(again.what, points, again.want); err != nil {
			return err
		}
	}
	return nil
}

func coordinates(obs []strategy.Observation) []strategy.Suggestion {
	points := make([]strategy.Suggestion, len(obs))
	for i, o := range obs {
		points[i] = strategy.Suggestion{X: o.X, Tag: o.Tag}
	}
	return points
}

func overwrite(points []strategy.Suggestion) {
	for _, p := range points {
		for j := range p.X {
			p.X[j] = 0.125
		}
	}
}
