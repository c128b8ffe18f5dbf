// Command method is mahabo with one method more, climb, which is written here: a random walk
// that only goes down. Every command has it:
//
//	go run ./examples/method minimize --problem branin --dim 2 --method climb --evals 100
//	go run ./examples/method bench run --problem branin --dim 2 --method climb,sobol --evals 50 --trials 3 --out results/climb
//	go run ./examples/method serve
package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"

	"github.com/mahabo/mahabo/cli"
	"github.com/mahabo/mahabo/strategy"
)

func main() { os.Exit(cli.Main(os.Args[1:], climb())) }

// climb describes the method.
func climb() strategy.Method {
	return strategy.Method{
		Name:      "climb",
		Summary:   "steps from the best point in random directions, shorter and shorter",
		Reference: "Rechenberg 1973",
		Batch:     true,
		Options:   []strategy.Option{{Key: "step", Default: "0.5", Meaning: "standard deviation of the first steps, more than 0"}},
		New:       newClimber,
	}
}

// climber is the method at work. All it knows is what it was told.
type climber struct {
	cfg  strategy.Config
	step float64
	told int
	best strategy.Observation
}

func newClimber(cfg strategy.Config, s strategy.Settings) (strategy.Strategy, error) {
	c := &climber{cfg: cfg, step: 0.5}
	if text, ok := s["step"]; ok {
		step, err := strconv.ParseFloat(text, 64)
		if err != nil || !(step > 0 && step <= 2) {
			return nil, fmt.Errorf("option step is %q: write a number above 0, at most 2", text)
		}
		c.step = step
	}
	return c, nil
}

// Tell keeps the lowest value.
func (c *climber) Tell(obs ...strategy.Observation) error {
	for _, o := range obs { // all of them are right, or none is told
		if err := c.cfg.Check(o); err != nil {
			return err
		}
	}
	for _, o := range obs {
		if c.told++; c.told == 1 || o.Y[0] < c.best.Y[0] {
			c.best = strategy.Observation{X: append(strategy.Point(nil), o.X...), Y: append([]float64(nil), o.Y...)}
		}
	}
	return nil
}

// Ask steps from the best point. The random numbers of a point follow from the seed and from
// the number of points before it, so that telling the same to a new climber gives the same.
func (c *climber) Ask(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
	if n < 1 {
		return nil, fmt.Errorf("cannot ask for %d points: ask for at least one", n)
	}
	for _, p := range pending {
		if err := strategy.CheckPoint(p.X, c.cfg.Domain.Dim()); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	points := make([]strategy.Suggestion, n)
	for i := range points {
		number := c.told + len(pending) + i
		r := rand.New(rand.NewPCG(c.cfg.Seed, uint64(number)))
		x := make(strategy.Point, c.cfg.Domain.Dim())
		for j := range x {
			if number < c.cfg.Init || c.told == 0 {
				x[j] = 2*r.Float64() - 1
				continue
			}
			length := c.step * math.Pow(0.97, float64(c.told))
			x[j] = reflect(c.best.X[j] + length*r.NormFloat64())
		}
		points[i].X = x
	}
	return points, nil
}

// reflect folds a coordinate back into [-1,1]. Cutting it off would make corners come again.
func reflect(v float64) float64 {
	v = math.Abs(math.Mod(v+1, 4))
	return 1 - math.Abs(v-2)
}
