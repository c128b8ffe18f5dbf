package strategytest

import (
	"fmt"
	"slices"

	"github.com/mahabo/mahabo/strategy"
)

// box: every answer has n points of the box, in the design and after it.
func (s *suite) box() error {
	const initial = 6
	rounds := s.Cost.effort().rounds
	for _, dim := range []int{1, 2, 60, 1000} {
		if dim > s.MaxDim {
			continue
		}
		for _, n := range slices.Compact([]int{1, s.batch(5), s.batch(20)}) {
			st, err := s.start(strategy.Config{Domain: strategy.Box(dim), Init: initial, Seed: 1})
			if err != nil {
				return err
			}
			design := (initial + n - 1) / n * n
			if _, err := play(st, dim, design+rounds*n, n, sphere); err != nil {
				return fmt.Errorf("D=%d, batches of %d: %w", dim, n, err)
			}
		}
	}
	return nil
}

// design: one by one, in fives, all at once or while waiting for values, the
// initial points are the same; another seed gives others.
func (s *suite) design() error {
	const initial = 10
	for _, dim := range []int{1, 7} {
		dim = s.dim(dim)
		cfg := strategy.Config{Domain: strategy.Box(dim), Init: initial, Seed: 5}
		designs := map[int][]strategy.Suggestion{}
		for _, n := range []int{initial, 5, 1} {
			st, err := s.start(cfg)
			if err != nil {
				return err
			}
			obs, err := play(st, dim, initial, n, sphere)
			if err != nil {
				return fmt.Errorf("D=%d, asked in batches of %d: %w", dim, n, err)
			}
			for _, o := range obs {
				designs[n] = append(designs[n], strategy.Suggestion{X: o.X, Tag: o.Tag})
			}
			what := fmt.Sprintf("D=%d, asked in batches of %d instead of all at once", dim, n)
			if err := same(what, designs[n], designs[initial]); err != nil {
				return err
			}
		}
		waiting, err := s.start(cfg)
		if err != nil {
			return err
		}
		var pending []strategy.Suggestion
		for _, n := range []int{1, 4, 2, 3} {
			points, err := ask(waiting, dim, n, pending)
			if err != nil {
				return err
			}
			pending = append(pending, points...)
		}
		if err := same(fmt.Sprintf("D=%d, asked while no value is known", dim), pending, designs[initial]); err != nil {
			return err
		}
		cfg.Seed++
		other, err := s.start(cfg)
		if err != nil {
			return err
		}
		points, err := ask(other, dim, initial, nil)
		if err != nil {
			return err
		}
		if same("", points, designs[initial]) == nil {
			return fmt.Errorf("D=%d: another seed gives the same design", dim)
		}
	}
	return nil
}

// pending: points asked while others wait for their values differ from those. In a
// small box the best place is often a corner, where a point is easily met again.
func (s *suite) pending() error {
	for _, dim := range []int{2, 20} {
		if dim > s.MaxDim {
			continue
		}
		for _, told := range []int{0, 15} { // in the design and after it
			if err := s.waiting(dim, told); err != nil {
				return fmt.Errorf("D=%d, %d observations: %w", dim, told, err)
			}
		}
	}
	return nil
}

// waiting asks again and again without telling.
func (s *suite) waiting(dim, told int) error {
	st, err := s.start(strategy.Config{Domain: strategy.Box(dim), Init: 8, Seed: 2})
	if err != nil {
		return err
	}
	if _, err := play(st, dim, told, s.batch(5), slope); err != nil {
		return err
	}
	var waiting []strategy.Suggestion
	for _, n := range []int{1, 1, 1, s.batch(4), 1} {
		points, err := ask(st, dim, n, waiting)
		if err != nil {
			return err
		}
		waiting = append(waiting, points...)
		if err := distinct(waiting); err != nil {
			return fmt.Errorf("%d pending, counted in the order of asking: %w", len(waiting)-n, err)
		}
	}
	return nil
}
