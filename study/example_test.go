package study_test

import (
	"context"
	"fmt"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/study"
)

// A study lives in a store: here in memory, with store.Open in a file or a
// database.
func ExampleStudy() {
	ctx := context.Background()
	parameters, err := space.New(space.Float("temperature", 20, 80), space.Int("layers", 1, 8))
	if err != nil {
		panic(err)
	}
	st := memory.New()
	s, err := study.Create(ctx, st, study.Config{Name: "oven", Space: parameters, Method: "sobol", Goal: study.Maximize})
	if err != nil {
		panic(err)
	}

	// A point to begin with, served before those of the method.
	guess := space.ParamsOf(map[string]any{"temperature": 40.5, "layers": 3})
	if _, err := s.Enqueue(ctx, study.EnqueueRequest{Params: []space.Params{guess}}); err != nil {
		panic(err)
	}
	request := study.AskRequest{Count: 2, RequestID: "first", Worker: "bench 1", Lease: time.Hour}
	batch, err := s.Ask(ctx, request)
	if err != nil {
		panic(err)
	}
	first, second := batch.Trials[0], batch.Trials[1]
	text, _ := first.Params.Text("temperature")
	fmt.Println("trial", first.Number, "by", first.Origin, "at", text, "degrees")
	fmt.Println("trial", second.Number, "by", second.Origin)

	// Another process continues; a repeated request changes nothing.
	other, err := study.Open(ctx, st, "oven")
	if err != nil {
		panic(err)
	}
	again, err := other.Ask(ctx, request)
	if err != nil {
		panic(err)
	}
	fmt.Println("again trials", again.Trials[0].Number, "and", again.Trials[1].Number)

	if err := other.Tell(ctx, first.Number, evaluate.Outcome{Value: 0.75}); err != nil {
		panic(err)
	}
	if err := other.Tell(ctx, second.Number, evaluate.Outcome{State: evaluate.Infeasible, Reason: "burnt"}); err != nil {
		panic(err)
	}
	fmt.Println(s.Tell(ctx, first.Number, evaluate.Outcome{Value: 0.5}))
	best, _, err := s.Best(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println("best", best.Mean, "at trial", best.Number)
	// Output:
	// trial 1 by user at 40.5 degrees
	// trial 2 by method
	// again trials 1 and 2
	// trial 1 is complete with value 0.75 already, it cannot become complete with value 0.5: to mend a mistake, correct it; to evaluate its point again, enqueue it
	// best 0.75 at trial 1
}

func ExampleStudy_Import() {
	ctx := context.Background()
	parameters, err := space.New(space.Float("x", 0, 1))
	if err != nil {
		panic(err)
	}
	s, err := study.Create(ctx, memory.New(), study.Config{Name: "old", Space: parameters, Method: "sobol"})
	if err != nil {
		panic(err)
	}
	row := func(x, loss float64) study.Row {
		return study.Row{Params: space.ParamsOf(map[string]any{"x": x}), Outcome: evaluate.Outcome{Value: loss}}
	}
	for range 2 {
		numbers, repeated, err := s.Import(ctx, "the first night", row(0.25, 3), row(0.5, 1))
		if err != nil {
			panic(err)
		}
		fmt.Println("trials", numbers, repeated)
	}
	_, _, err = s.Import(ctx, "the second night", row(0.75, 2), row(1.5, 2))
	fmt.Println(err)
	// Output:
	// trials [1 2] false
	// trials [1 2] true
	// row 2: parameter "x" is 1.5, expected a number in [0, 1]: use 1 or widen the bounds
}
