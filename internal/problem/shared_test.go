package problem

import (
	"math"
	"sync"
	"testing"

	"github.com/mahabo/mahabo/internal/rng"
)

// Trials that run side by side share a problem: it has the same values for all of them.
func TestProblemsAreShared(t *testing.T) {
	for _, p := range All() {
		value, err := p.Evaluator()
		if err != nil {
			t.Fatal(err)
		}
		sp, err := p.Parameters()
		if err != nil {
			t.Fatal(err)
		}
		const points, users = 3, 3
		r := rng.New(7)
		var values [users][points]float64
		var xs [points][]float64
		for i := range xs {
			xs[i] = make([]float64, sp.Dim())
			rng.NewFiller(r).Uniform(xs[i])
		}
		var all sync.WaitGroup
		for u := range users {
			all.Go(func() {
				for i, x := range xs {
					params, err := sp.Decode(x)
					if err != nil {
						t.Error(err)
						return
					}
					e, err := value(t.Context(), params)
					if err != nil {
						t.Error(err)
						return
					}
					values[u][i] = e.Value
				}
			})
		}
		all.Wait()
		for u := range users {
			for i := range xs {
				if math.Float64bits(values[u][i]) != math.Float64bits(values[0][i]) {
					t.Errorf("%s: the value of point %d is %v and %v", p.Name, i, values[0][i], values[u][i])
				}
			}
		}
	}
}
