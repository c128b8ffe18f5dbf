package methods_test

import (
	"context"
	"math"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/study"
)

// TestBoundsChangeNothing minimises a function with other bounds of its parameters, through
// studies: the ends are equally good, by pairs of trials with the same seed.
func TestBoundsChangeNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("twenty trials of four methods take a minute; make test runs them")
	}
	const dim, trials = 4, 20
	bounds := [][2]float64{{-1, 1}, {0, 10}, {-5, 10}}
	for method, evals := range map[string]int{"adaptive": 30, "turbo:m=1": 30, "vanilla": 25, "maha:d=1": 10} {
		t.Run(method, func(t *testing.T) {
			var ends [3][]float64 // logarithms, by bounds
			for seed := range uint64(trials) {
				for k, b := range bounds {
					ends[k] = append(ends[k], math.Log(minimum(t, method, seed, dim, evals, b)))
				}
			}
			for k := 1; k < len(bounds); k++ {
				if p := signTest(ends[0], ends[k]); p < 0.002 { // eight comparisons
					t.Errorf("with bounds %v it ends at %.3g on average, with [-1,1] at %.3g, p = %.2g",
						bounds[k], math.Exp(mean(ends[k])), math.Exp(mean(ends[0])), p)
				}
			}
		})
	}
}

// minimum is the lowest value of a bowl in the box that a study of one seed finds.
func minimum(t *testing.T, method string, seed uint64, dim, evals int, bounds [2]float64) float64 {
	t.Helper()
	parts := make([]space.Part, dim)
	names := []string{"a", "b", "c", "d"}[:dim]
	for j, name := range names {
		parts[j] = space.Float(name, bounds[0], bounds[1])
	}
	sp, err := space.New(parts...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := study.Create(t.Context(), memory.New(), study.Config{Name: "bounds", Space: sp, Method: method, Seed: seed, Init: 6})
	if err != nil {
		t.Fatal(err)
	}
	source := s.Source("", 0)
	lowest := math.Inf(1)
	err = evaluate.Run(t.Context(), evaluate.Options{
		Source: source, Init: 6, Trials: 6 + evals, Batch: 1, Parallel: 1,
		Evaluator: evaluate.Func(func(_ context.Context, _ int, p space.Params) (evaluate.Outcome, error) {
			value := 0.01
			for j, name := range names {
				x := 2*(p.Float(name)-bounds[0])/(bounds[1]-bounds[0]) - 1
				value += (x - 0.4*math.Sin(float64(j+1))) * (x - 0.4*math.Sin(float64(j+1)))
			}
			lowest = min(lowest, value)
			return evaluate.Value(value), nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := source.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return lowest
}

// signTest is the two-sided probability of as many pairs on one side by chance. Pairs that
// agree to a thousandth are on neither.
func signTest(a, b []float64) float64 {
	var up, down int
	for i := range a {
		switch d := a[i] - b[i]; {
		case d > 1e-3:
			up++
		case d < -1e-3:
			down++
		}
	}
	n := up + down
	p, term := 0.0, math.Pow(0.5, float64(n))
	for k := range n + 1 {
		if k <= min(up, down) {
			p += 2 * term
		}
		term *= float64(n-k) / float64(k+1)
	}
	return min(p, 1)
}

func mean(v []float64) (m float64) {
	for _, x := range v {
		m += x / float64(len(v))
	}
	return m
}
