package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store"
	"github.com/mahabo/mahabo/study"
)

func main() {
	ctx := context.Background()
	s, err := space.New(space.Float("x[0:49]", -1, 1))
	if err != nil {
		log.Fatal(err)
	}
	st, err := store.Open(ctx, "memory:") // or sqlite:studies.db, postgres://...
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	one, err := study.Open(ctx, st, "rig")
	if errors.Is(err, study.ErrNotFound) {
		one, err = study.Create(ctx, st, study.Config{Name: "rig", Space: s, Method: "adaptive"})
	}
	if err != nil {
		log.Fatal(err)
	}
	source := one.Source("worker 1", 0)
	defer source.Close(ctx)
	err = evaluate.Run(ctx, evaluate.Options{
		Source: source, Init: 10, Trials: 40, Batch: 5, Parallel: 5,
		Evaluator: evaluate.Func(func(_ context.Context, _ int, v space.Params) (evaluate.Outcome, error) {
			return evaluate.Value(v.Float("x0") * v.Float("x1")), nil
		}),
	})
	if err != nil {
		log.Fatal(err)
	}
	best, _, err := one.Best(ctx)
	fmt.Println(best.Number, best.Mean, err)
}
