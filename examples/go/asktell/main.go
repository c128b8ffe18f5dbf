package main

import (
	"context"
	"fmt"
	"log"

	"github.com/mahabo/mahabo"
	"github.com/mahabo/mahabo/space"
)

func main() {
	s, err := space.New(space.Float("x[0:49]", -1, 1), space.Constraint("x0 + x1 >= 0.5"))
	if err != nil {
		log.Fatal(err)
	}
	o, err := mahabo.New(s, mahabo.Options{Method: "maha:d=2", Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	for range 10 {
		trials, err := o.Ask(context.Background(), 5)
		if err != nil {
			log.Fatal(err)
		}
		for _, t := range trials {
			y := t.Params.Float("x0") * t.Params.Float("x1")
			if err := o.Tell(t.Number, mahabo.Value(y)); err != nil {
				log.Fatal(err)
			}
		}
	}
	best, outcome, _ := o.Best()
	fmt.Println(best.Number, outcome.Value)
}
