package study_test

import (
	"math"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// spend runs a study whose trials cost 1 to 1000 depending on a parameter that hardly matters, and returns what
// they cost behind the initial design and the best value.
func spend(t *testing.T, c study.Config, trials int) (cost, best float64, s *study.Study) {
	t.Helper()
	c.Space = newSpace(t, space.Float("x", 0, 1), space.Float("y", 0, 1), space.Float("size", 0, 3))
	c.Method, c.Init, c.Seed = "adaptive", 8, 3
	s, _, _ = begin(t, c)
	best = math.Inf(1)
	for i := range trials {
		b, err := s.Ask(t.Context(), study.AskRequest{Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		p := b.Trials[0].Params
		value := math.Pow(p.Float("x")-0.3, 2) + math.Pow(p.Float("y")-0.6, 2) - 0.001*p.Float("size")
		price := math.Pow(10, p.Float("size"))
		if err := s.Tell(t.Context(), b.Trials[0].Number, evaluate.Outcome{Value: value, Cost: price}); err != nil {
			t.Fatal(err)
		}
		best = min(best, value)
		if i >= 8 {
			cost += price
		}
	}
	return cost, best, s
}

func TestCostAware(t *testing.T) {
	const trials = 28
	plain, without, _ := spend(t, study.Config{Budget: trials}, trials)
	aware, with, s := spend(t, study.Config{Budget: trials, Cost: "aware"}, trials)
	t.Logf("without cost %.4g for %.4g, with it %.4g for %.4g", without, plain, with, aware)
	if aware > plain/2 {
		t.Errorf("aware of cost the trials cost %.4g, without %.4g", aware, plain)
	}
	if with > 0.01 {
		t.Errorf("the best value is %.4g, without cost %.4g", with, without)
	}
	events, err := s.Events(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := study.Verify(t.Context(), events); err != nil {
		t.Error(err)
	}
}

// When the budget is used up, cost does not count any more: the points are those of the method.
func TestCostCoolsOff(t *testing.T) {
	_, _, cold := spend(t, study.Config{Cost: "aware", MaxCost: 1e-9}, 14)
	_, _, plain := spend(t, study.Config{}, 14)
	for n := 1; n <= 14; n++ {
		if a, b := only(t, cold, n).Params.String(), only(t, plain, n).Params.String(); a != b {
			t.Errorf("trial %d is at %s, without cost at %s", n, a, b)
		}
	}
}
