package strategytest

import (
	"fmt"
	"math"

	"github.com/mahabo/mahabo/strategy"
)

// Promise is a task on which a method must beat random search: the lowest
// value found, averaged over seeds, must be at most Margin times random search's.
type Promise struct {
	Name   string
	F      func(x []float64) float64 // its minimum over the box is 0
	Dim    int
	Init   int // size of the design, which both share or not
	Evals  int // with the design
	Batch  int // 1 for methods not made for batches
	Margin float64
}

// ShiftedSphere suits methods that model smooth functions of a few parameters.
func ShiftedSphere() Promise {
	return Promise{Name: "shifted sphere", F: sphere, Dim: 6, Init: 10, Evals: 60, Batch: 1, Margin: 0.25}
}

// Ridge suits methods that look for few directions among many parameters.
func Ridge() Promise {
	return Promise{Name: "ridge", F: ridge, Dim: 40, Init: 10, Evals: 50, Batch: 5, Margin: 0.3}
}

// sphere has its minimum off the centre, the axes and the diagonal: the mean over j
// of (x_j - 0.5 cos(3j))^2.
func sphere(x []float64) float64 {
	sum := 0.0
	for j, v := range x {
		d := v - 0.5*math.Cos(3*float64(j))
		sum += d * d
	}
	return sum / float64(len(x))
}

// ridge is (z-2)^2 along the one direction z = sum_j x_j cos(j) / sqrt(D). From D = 11
// on the box reaches z = 2.
func ridge(x []float64) float64 {
	z := 0.0
	for j, v := range x {
		z += v * math.Cos(float64(j)) / math.Sqrt(float64(len(x)))
	}
	return (z - 2) * (z - 2)
}

// slope is lowest in a corner: the mean over j of x_j (-1)^j.
func slope(x []float64) float64 {
	sum := 0.0
	for j, v := range x {
		sum += v * float64(1-2*(j%2))
	}
	return sum / float64(len(x))
}

// minimises: the promise is kept, and kept without falling back.
func (s *suite) minimises() error {
	if s.Baseline {
		return nil
	}
	p, seeds := s.Beats, s.Cost.effort().seeds
	own, random := 0.0, 0.0
	for seed := range seeds {
		cfg := strategy.Config{Domain: strategy.Box(p.Dim), Init: p.Init, Seed: uint64(seed) + 1}
		st, err := s.start(cfg)
		if err != nil {
			return err
		}
		best, err := lowest(st, p, s.batch(p.Batch))
		if err != nil {
			return fmt.Errorf("%s, seed %d: %w", p.Name, cfg.Seed, err)
		}
		own += best
		floor := math.Inf(1)
		for _, x := range scatter(p.Evals, p.Dim, cfg.Seed) {
			floor = min(floor, p.F(x.X))
		}
		random += floor
	}
	if !(own <= p.Margin*random) {
		return fmt.Errorf("%s, D=%d, %d evaluations, mean over %d seed(s): reached %.3g, random search %.3g; must be at most %g of that",
			p.Name, p.Dim, p.Evals, seeds, own/float64(seeds), random/float64(seeds), p.Margin)
	}
	return nil
}

// lowest plays the promise's task in batches of n.
func lowest(st strategy.Strategy, p Promise, n int) (float64, error) {
	best := math.Inf(1)
	for done := 0; done < p.Evals; done += n {
		obs, err := play(st, p.Dim, n, n, p.F)
		if err != nil {
			return 0, err
		}
		for _, o := range obs {
			best = min(best, o.Y[0])
		}
		if r, ok := st.(strategy.Reporter); ok && r.LastAsk().Fallback != nil {
			return 0, fmt.Errorf("fell back on ordinary data after %d evaluations: %w", done, r.LastAsk().Fallback)
		}
	}
	return best, nil
}
