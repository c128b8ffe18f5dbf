package suggest

import (
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

// priced is a question for one point of a square in which every evaluation has cost more the further it was to the right.
func priced(t *testing.T, s *script, objectives int, unit float64) *Question {
	t.Helper()
	q := question(s.task(t, newSpace(t, space.Float("x", 0, 1), space.Float("y", 0, 1))), 1)
	q.Config.Objectives, q.Costs, q.Trials = objectives, &Costs{Share: 0.5}, 12
	fill := rng.NewFiller(rng.New(1))
	for range 12 {
		x := make(strategy.Point, 2)
		fill.Uniform(x)
		y := []float64{unit * (x[0]*x[0] + x[1]*x[1]), unit * x[0]}[:objectives]
		q.Observations = append(q.Observations, strategy.Observation{X: x, Y: y})
		q.Costs.Points, q.Costs.Costs = append(q.Costs.Points, x), append(q.Costs.Costs, 3+2*x[0])
	}
	return q
}

// What costs lead to does not depend on the unit of the values.
func TestCostsHaveNoUnit(t *testing.T) {
	s := &script{suggestions: []strategy.Suggestion{at(0.5, 0.5), at(-0.5, 0.5), at(0.1, -0.2), at(-0.9, -0.9)}}
	want := answer(t, &Model{}, priced(t, s, 1, 1)).Chosen[0].X
	if slices.Equal(want, s.suggestions[0].X) {
		t.Fatalf("%v is chosen, what the method began with", want)
	}
	for _, unit := range []float64{0x1p-40, 0x1p-900, 0x1p900} { // exact
		if got := answer(t, &Model{}, priced(t, s, 1, unit)).Chosen[0].X; !slices.Equal(got, want) {
			t.Errorf("with values in units of %g: %v, want %v", unit, got, want)
		}
	}
}

// Of several objectives the method alone says which points bring most.
func TestCostsOfSeveralObjectives(t *testing.T) {
	s := &script{suggestions: []strategy.Suggestion{at(0.5, 0.5)}}
	if got := answer(t, &Model{}, priced(t, s, 2, 1)).Chosen; !slices.Equal(got[0].X, s.suggestions[0].X) {
		t.Errorf("chosen is %v, want %v", got[0].X, s.suggestions[0].X)
	}
}
