package mahabo_test

import (
	"context"
	"fmt"

	"github.com/mahabo/mahabo"
	"github.com/mahabo/mahabo/space"
)

func ExampleMinimize() {
	s, err := space.New(space.Float("w[0:99]", -1, 1), space.Int("layers", 1, 4))
	if err != nil {
		panic(err)
	}
	loss := func(_ context.Context, v space.Params) (float64, error) {
		d := v.Float("w0") + v.Float("w1") - 1
		return d*d + v.Float("layers"), nil
	}
	result, err := mahabo.Minimize(context.Background(), loss, s, mahabo.Options{Evals: 40, Batch: 4, Parallel: 2})
	if err != nil {
		panic(err)
	}
	layers, _ := result.Best.Params.Get("layers")
	fmt.Println(len(result.Trials), "trials, layers:", layers, "close:", result.Best.Value < 1.1)
	// Output: 50 trials, layers: 1 close: true
}

// Evaluations that happen elsewhere: ask, evaluate, tell.
func ExampleOptimizer() {
	s, err := space.New(space.Float("x", -5, 5), space.Float("y", -5, 5), space.Constraint("x + y >= 1"))
	if err != nil {
		panic(err)
	}
	o, err := mahabo.New(s, mahabo.Options{Method: "vanilla", Init: 5})
	if err != nil {
		panic(err)
	}
	for range 8 {
		trials, err := o.Ask(context.Background(), 3)
		if err != nil {
			panic(err)
		}
		for _, t := range trials {
			x, y := t.Params.Float("x"), t.Params.Float("y")
			if err := o.Tell(t.Number, mahabo.Value(x*x+y*y)); err != nil {
				panic(err)
			}
		}
	}
	best, outcome, _ := o.Best()
	fmt.Printf("x + y = %.1f, close: %v\n", best.Params.Float("x")+best.Params.Float("y"), outcome.Value < 0.6)
	// Output: x + y = 1.0, close: true
}
