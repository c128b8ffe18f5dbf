package strategytest

import (
	"fmt"
	"runtime"

	"github.com/mahabo/mahabo/strategy"
)

// replay: the answer is a function of the observations and the pending points.
func (s *suite) replay() error {
	const initial = 8
	dim, n := s.dim(30), s.batch(5)
	cfg := strategy.Config{Domain: strategy.Box(dim), Init: initial, Seed: 9}
	played, err := s.start(cfg)
	if err != nil {
		return err
	}
	obs, err := play(played, dim, initial+2*n, n, sphere)
	if err != nil {
		return err
	}
	for _, pending := range [][]strategy.Suggestion{nil, scatter(2, dim, 7)} {
		want, err := ask(played, dim, n, pending)
		if err != nil {
			return err
		}
		if err := s.replayed(cfg, played, obs, pending, want); err != nil {
			return fmt.Errorf("%d observations, %d pending: %w", len(obs), len(pending), err)
		}
	}
	return nil
}

// replayed compares the ways to the same observations with the answer wanted.
func (s *suite) replayed(cfg strategy.Config, played strategy.Strategy, obs []strategy.Observation, pending, want []strategy.Suggestion) error {
	n := len(want)
	again, err := ask(played, cfg.Domain.Dim(), n, pending)
	if err != nil {
		return err
	}
	if err := same("asked twice", again, want); err != nil {
		return err
	}
	single, err := s.start(cfg)
	if err != nil {
		return err
	}
	for _, o := range obs {
		if err := tell(single, o); err != nil {
			return err
		}
	}
	got, err := ask(single, cfg.Domain.Dim(), n, pending)
	if err != nil {
		return err
	}
	if err := same("a new strategy told one by one", got, want); err != nil {
		return err
	}
	for _, procs := range []int{1, 2} {
		cfg.Threads = procs * procs
		fresh, err := s.start(cfg, obs...)
		if err != nil {
			return err
		}
		before := runtime.GOMAXPROCS(procs)
		got, err := ask(fresh, cfg.Domain.Dim(), n, pending)
		runtime.GOMAXPROCS(before)
		if err != nil {
			return err
		}
		if err := same(fmt.Sprintf("a new strategy told all at once, GOMAXPROCS=%d, Threads=%d", procs, cfg.Threads), got, want); err != nil {
			return err
		}
	}
	return nil
}
