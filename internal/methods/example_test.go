package methods_test

import (
	"context"
	"fmt"

	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/strategy"
)

// Minimise a function of 30 parameters that depends on one direction only.
func ExampleBuiltIn() {
	f := func(x []float64) float64 {
		z := 0.0
		for j, v := range x {
			z += v * float64(j%3-1) / 10
		}
		return (z - 0.5) * (z - 0.5)
	}
	ctx := context.Background()
	s, err := methods.BuiltIn().New("maha:d=1", strategy.Config{Domain: strategy.Box(30), Seed: 1})
	if err != nil {
		panic(err)
	}
	best := 1e9
	for range 10 {
		points, err := s.Ask(ctx, 5, nil)
		if err != nil {
			panic(err)
		}
		for _, p := range points {
			y := f(p.X)
			best = min(best, y)
			if err := s.Tell(strategy.Observation{X: p.X, Tag: p.Tag, Y: []float64{y}}); err != nil {
				panic(err)
			}
		}
	}
	fmt.Println("found the minimum:", best < 1e-2)
	// Output: found the minimum: true
}
