package insight_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/space"
)

func ExampleAnalyse() {
	s, err := space.New(space.Float("heat", 0, 100), space.Float("time", 0, 10), space.Float("stir[1:6]", 0, 1))
	if err != nil {
		log.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	d := insight.Data{Space: s, Maximize: true}
	for i := range 60 {
		x := make([]float64, s.Dim())
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		d.Observations = append(d.Observations, insight.Observation{ID: i + 1, X: x, Value: x[0] - x[1] + 0.01*r.NormFloat64()})
	}
	a, err := insight.Analyse(context.Background(), d)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Structure)
	fmt.Println(a.Directions[0].Sentence)
	// Output:
	// low-dimensional
	// raise heat while lowering time
}
