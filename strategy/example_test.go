package strategy_test

import (
	"context"
	"fmt"

	"github.com/mahabo/mahabo/strategy"
)

// Minimise a function of 30 parameters that depends on one direction only.
func Example() {
	f := func(x []float64) float64 {
		z := 0.0
		for j, v := range x {
			z += v * float64(j%3-1) / 10
		}
		return (z - 0.5) * (z - 0.5)
	}
	ctx := context.Background()
	s, err := strategy.New("maha:d=1", strategy.Config{Dim: 30, Seed: 1})
	if err != nil {
		panic(err)
	}
	best := 1e9
	for range 10 {
		points, err := s.Ask(ctx, 5, nil)
		if err != nil {
			panic(err)
		}
		for _, x := range points {
			y := f(x)
			best = min(best, y)
			if err := s.Tell(strategy.Observation{X: x, Value: y}); err != nil {
				panic(err)
			}
		}
	}
	fmt.Println("found the minimum:", best < 1e-2)
	// Output: found the minimum: true
}
