package main

import (
	"context"
	"fmt"
	"log"

	"github.com/mahabo/mahabo"
	"github.com/mahabo/mahabo/space"
)

func main() {
	s, err := space.New(space.Float("w[0:199]", -1, 1), space.Log("rate", 1e-5, 1e-1), space.Choice("solver", "euler", "rk4"))
	if err != nil {
		log.Fatal(err)
	}
	result, err := mahabo.Minimize(context.Background(), simulate, s, mahabo.Options{Evals: 60, Batch: 4, Parallel: 4})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Best.Value, result.Best.Params.Float("rate"))
}

// simulate stands for your own function.
func simulate(ctx context.Context, v space.Params) (float64, error) {
	loss := (v.Float("w0")-0.5)*(v.Float("w0")-0.5) + v.Float("rate")
	if solver, _ := v.Get("solver"); solver == "euler" {
		loss++
	}
	return loss, nil
}
