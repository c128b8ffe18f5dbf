package study_test

import (
	"context"
	"fmt"

	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/study"
)

func Example() {
	// Five parameters, the first two matter. The box is [-1,1]^5.
	f := func(_ context.Context, x []float64) (float64, error) {
		return (x[0]-0.5)*(x[0]-0.5) + (x[1]+0.25)*(x[1]+0.25), nil
	}
	s, err := strategy.New("sobol", strategy.Config{Dim: 5, Seed: 1})
	if err != nil {
		panic(err)
	}
	result, err := study.Run(context.Background(), study.Options{
		Strategy: s, Objective: f, Init: 10, Evals: 500, Batch: 5,
	})
	if err != nil {
		panic(err)
	}
	best, _ := result.Best()
	fmt.Println(len(result.Curve), "evaluations, close to the minimum:", best.Value < 0.05)
	// Output: 510 evaluations, close to the minimum: true
}
