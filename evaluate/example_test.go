package evaluate_test

import (
	"context"
	"fmt"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
)

// grid is a source that has five points and learns nothing.
type grid struct{ made int }

func (g *grid) Ask(_ context.Context, n int) ([]evaluate.Trial, error) {
	var trials []evaluate.Trial
	for ; len(trials) < n && g.made < 5; g.made++ {
		x := space.ParamsOf(map[string]any{"x": float64(g.made) / 4})
		trials = append(trials, evaluate.Trial{Number: g.made + 1, Params: x})
	}
	return trials, nil
}

func (g *grid) Tell(context.Context, int, evaluate.Outcome) error { return nil }

func ExampleRun() {
	err := evaluate.Run(context.Background(), evaluate.Options{
		Source: &grid{}, Trials: 100, Batch: 2, Parallel: 1,
		Evaluator: evaluate.Func(func(_ context.Context, _ int, v space.Params) (evaluate.Outcome, error) {
			return evaluate.Value(1 / v.Float("x")), nil
		}),
		OnResult: func(r evaluate.Result, _ evaluate.Progress) error {
			fmt.Println(r.Number, r.State, r.Value)
			return nil
		},
	})
	fmt.Println(err)
	// Output:
	// 1 failed 0
	// 2 complete 4
	// 3 complete 2
	// 4 complete 1.3333333333333333
	// 5 complete 1
	// no parameters are left to try
}
