package strategytest

import (
	"fmt"
	"math/rand/v2"

	"github.com/mahabo/mahabo/strategy"
)

// Step is one action of a caller with workers: it asks for points while others
// wait for their values, then tells some values.
type Step struct {
	Ask     int  // points to ask for; 0 asks for none
	Tell    int  // how many waiting points get their values, as far as there are any
	Newest  bool // the last asked first, instead of the first asked
	Foreign int  // points told that were never asked for
}

// Interleave plays the steps and asks, at every step, a new strategy that is told
// the same observations in one call: the answers must be the same valid points.
func Interleave(build Builder, o Options, plan []Step) error {
	s := &suite{o.withDefaults(), build}
	dim := s.dim(12)
	cfg := strategy.Config{Domain: strategy.Box(dim), Init: 4, Seed: 3}
	st, err := s.start(cfg)
	if err != nil {
		return err
	}
	var waiting []strategy.Suggestion
	var told []strategy.Observation
	for i, step := range plan {
		if n := s.batch(step.Ask); step.Ask > 0 {
			points, err := ask(st, dim, n, waiting)
			if err != nil {
				return fmt.Errorf("step %d of %+v: %w", i, plan, err)
			}
			fresh, err := s.start(cfg, told...)
			if err != nil {
				return err
			}
			replayed, err := ask(fresh, dim, n, waiting)
			if err != nil {
				return fmt.Errorf("replay at step %d of %+v: %w", i, plan, err)
			}
			what := fmt.Sprintf("replay with %d observations and %d pending at step %d of %+v", len(told), len(waiting), i, plan)
			if err := same(what, replayed, points); err != nil {
				return err
			}
			waiting = append(waiting, points...)
		}
		obs := evaluate(scatter(step.Foreign, dim, uint64(i)), sphere)
		done := min(step.Tell, len(waiting))
		if step.Newest {
			obs = append(obs, evaluate(waiting[len(waiting)-done:], sphere)...)
			waiting = waiting[:len(waiting)-done]
		} else {
			obs = append(obs, evaluate(waiting[:done], sphere)...)
			waiting = waiting[done:]
		}
		if err := tell(st, obs...); err != nil {
			return fmt.Errorf("step %d of %+v: %w", i, plan, err)
		}
		told = append(told, obs...)
	}
	return nil
}

// interleavings: random plans replay.
func (s *suite) interleavings() error {
	for seed := range s.Cost.effort().plans {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		plan := make([]Step, 5)
		for i := range plan {
			plan[i] = Step{Ask: r.IntN(4), Tell: r.IntN(5), Newest: r.IntN(2) == 1, Foreign: r.IntN(3)}
		}
		if err := Interleave(s.build, s.Options, plan); err != nil {
			return err
		}
	}
	return nil
}
