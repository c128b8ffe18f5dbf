package problem

import (
	"context"
	"math"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/live"
)

// Learners learn: somewhere in the space the loss falls below that of the first step. They say the same twice, with and without
// somebody who follows, and end when they are told to.
func TestLearners(t *testing.T) {
	for _, p := range learners() {
		f, err := p.Evaluator()
		if err != nil {
			t.Fatal(err)
		}
		best, first := math.Inf(1), math.Inf(1)
		for k := range 12 {
			x := make([]float64, p.Space.Dim())
			for j := range x {
				x[j] = math.Mod(0.37+0.618*float64(k+1)*float64(j+2), 2) - 1
			}
			v, err := p.Space.Decode(x)
			if err != nil {
				t.Fatal(err)
			}
			var values []float64
			follow := func(stopAt int64) context.Context {
				values = nil
				return live.With(t.Context(), func(_ context.Context, list []live.Report) string {
					values = append(values, list[0].Value)
					if list[0].Step == stopAt {
						return "enough"
					}
					return ""
				})
			}
			e, err := f(follow(0), v)
			if err != nil || e.Seen.State != evaluate.Complete || len(values) != learnerSteps || values[learnerSteps-1] != e.Value {
				t.Fatalf("%s: %+v, %v, %d reports", p.Name, e, err, len(values))
			}
			best, first = math.Min(best, e.Value), math.Min(first, values[0])
			if k > 0 {
				continue
			}
			if again, _ := f(t.Context(), v); again.Value != e.Value {
				t.Errorf("%s is %v, then %v", p.Name, e.Value, again.Value)
			}
			if e, err := f(follow(5), v); err != nil || e.Seen.State != evaluate.Stopped || len(values) != 5 {
				t.Errorf("%s stopped at step 5: %+v, %v, %d reports", p.Name, e, err, len(values))
			}
		}
		if !(best < 0.97*first) {
			t.Errorf("%s: the best loss is %.4g, after the first step %.4g", p.Name, best, first)
		}
	}
}
