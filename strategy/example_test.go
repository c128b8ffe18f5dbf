package strategy_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/mahabo/mahabo/strategy"
)

// walk is a method of one's own: every suggestion is a random step away from the lowest
// point told so far.
type walk struct {
	cfg  strategy.Config
	step float64
	told int
	best strategy.Observation
}

func newWalk(cfg strategy.Config, s strategy.Settings) (strategy.Strategy, error) {
	w := &walk{cfg: cfg, step: 0.2}
	if v, given := s["step"]; given {
		step, err := strconv.ParseFloat(v, 64)
		if err != nil || !(step > 0) {
			return nil, fmt.Errorf("option step is %q: write a positive number", v)
		}
		w.step = step
	}
	return w, nil
}

// Ask takes its random numbers from the seed and the number of points before each: asked
// again after a restart it gives the same answer.
func (w *walk) Ask(_ context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
	if n < 1 {
		return nil, fmt.Errorf("cannot ask for %d points: ask for at least one", n)
	}
	for i, p := range pending {
		if err := strategy.CheckPoint(p.X, w.cfg.Domain.Dim()); err != nil {
			return nil, fmt.Errorf("pending point %d: %w", i, err)
		}
	}
	points := make([]strategy.Suggestion, n)
	for i := range points {
		number := uint64(w.told + len(pending) + i)
		r := rand.New(rand.NewPCG(w.cfg.Seed, number))
		x := make(strategy.Point, w.cfg.Domain.Dim())
		for j := range x {
			x[j] = 2*r.Float64() - 1
			if number < uint64(w.cfg.Init) || w.told == 0 {
				continue
			}
			// A step out of the box is drawn again: cut off, two of them could end in one corner.
			for x[j] = w.best.X[j] + w.step*r.NormFloat64(); x[j] < -1 || x[j] > 1; {
				x[j] = w.best.X[j] + w.step*r.NormFloat64()
			}
		}
		points[i].X = x
	}
	return points, nil
}

// Tell keeps nothing of observations that it refuses, and a copy of what it needs.
func (w *walk) Tell(obs ...strategy.Observation) error {
	for i, o := range obs {
		if err := w.cfg.Check(o); err != nil {
			return fmt.Errorf("observation %d: %w", i, err)
		}
	}
	for _, o := range obs {
		if w.told++; w.told == 1 || o.Y[0] < w.best.Y[0] {
			w.best = strategy.Observation{X: slices.Clone(o.X), Y: slices.Clone(o.Y)}
		}
	}
	return nil
}

// A method of one's own is described by a Method and found by its name.
func Example() {
	registry, err := strategy.NewRegistry(strategy.Method{
		Name:    "walk",
		Summary: "random steps from the best point",
		Options: []strategy.Option{{Key: "step", Default: "0.2", Meaning: "standard deviation of a step, on [-1,1]"}},
		New:     newWalk,
	})
	if err != nil {
		panic(err)
	}
	s, err := registry.New("walk:step=0.1", strategy.Config{Domain: strategy.Box(2), Seed: 1})
	if err != nil {
		panic(err)
	}
	best := math.Inf(1)
	for range 200 {
		suggestions, err := s.Ask(context.Background(), 1, nil)
		if err != nil {
			panic(err)
		}
		p := suggestions[0]
		y := (p.X[0]-0.3)*(p.X[0]-0.3) + (p.X[1]+0.4)*(p.X[1]+0.4)
		best = min(best, y)
		if err := s.Tell(strategy.Observation{X: p.X, Tag: p.Tag, Y: []float64{y}}); err != nil {
			panic(err)
		}
	}
	fmt.Println("found the minimum:", best < 1e-2)
	// Output: found the minimum: true
}
