package suggest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/strategy"
)

// halves are points of the square that can be evaluated where x0 < 0.
func halves(n int) (feasible []strategy.Observation, infeasible []strategy.Point) {
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		x := strategy.Point{2*r.Float64() - 1, 2*r.Float64() - 1}
		if x[0] < 0 {
			feasible = append(feasible, strategy.Observation{X: x, Y: []float64{1}})
		} else {
			infeasible = append(infeasible, x)
		}
	}
	return feasible, infeasible
}

func TestFeasibilityFindsTheBorder(t *testing.T) {
	f := learnFeasibility(halves(60))
	for _, c := range []struct {
		x           strategy.Point
		least, most float64
	}{
		{strategy.Point{-0.7, 0.2}, 0.95, 1}, {strategy.Point{0.7, -0.3}, 0, 0.05}, {strategy.Point{0, 0}, 0.1, 0.9},
	} {
		if p := f.probability(c.x); p < c.least || p > c.most {
			t.Errorf("%v is feasible with probability %g, want %g to %g", c.x, p, c.least, c.most)
		}
	}
}

// What is likely feasible stays; the rest goes back towards the nearest point that is, and
// ends where it is just likely enough.
func TestRetreat(t *testing.T) {
	f := learnFeasibility(halves(60))
	good := strategy.Point{-0.7, 0.2}
	if got := f.retreat(good); &got[0] != &good[0] {
		t.Errorf("%v is moved to %v", good, got)
	}
	bad := strategy.Point{0.8, 0.1}
	got := f.retreat(slices.Clone(bad))
	if p := f.probability(got); math.Abs(p-confidence) > 1e-3 || got[0] > 0.1 {
		t.Errorf("%v is moved to %v, feasible with probability %g", bad, got, p)
	}
}

// Without both kinds there is nothing to learn.
func TestNoFeasibility(t *testing.T) {
	feasible, infeasible := halves(10)
	if learnFeasibility(feasible, nil) != nil || learnFeasibility(nil, infeasible) != nil {
		t.Error("a border between points of one kind")
	}
	x := strategy.Point{0.3, 0.3}
	if got := (*feasibility)(nil).retreat(x); &got[0] != &x[0] {
		t.Errorf("%v is moved to %v", x, got)
	}
	// Where no feasible point looks feasible the labels say nothing: all at one place.
	f := learnFeasibility([]strategy.Observation{{X: x, Y: []float64{1}}}, []strategy.Point{x, x, x})
	if y := (strategy.Point{0.9, 0.9}); f != nil && !slices.Equal(f.retreat(y), y) {
		t.Errorf("%v is moved to %v", y, f.retreat(y))
	}
}
