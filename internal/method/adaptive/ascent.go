package adaptive

import (
	"context"
	"fmt"
	"slices"

	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/strategy"
)

// ascent is a search for the highest value, made once when the search for the lowest stands
// still. The way down may run where a direction that matters has no slope, and no
// exploration around its end finds that direction: seen from the high side it has one. A
// smooth function that rises in the directions of x falls in those of -x, and there the
// search goes on: the ends of both are fronts.
type ascent struct {
	*adaptive
	up   *run // on minus the values
	left int  // observations to come
}

// next begins the ascent when the search stands still. Noise may have made an early value
// look low that is not: what the model expects where it has been counts too.
func (s *search) next(ctx context.Context) (phase, error) {
	if !s.mayAscend || s.Config.Budget-len(s.whole.y) < s.AscentLength+s.OtherLength+s.ReturnLength || !s.whole.stalled(s.whole.y) {
		return s, nil
	}
	if rough, err := s.whole.rough(ctx); rough || err != nil {
		return s, err
	}
	expected, err := s.whole.expected(ctx)
	if err != nil || !s.whole.stalled(expected) {
		return s, err
	}
	a := &ascent{adaptive: s.adaptive, up: s.newRun(), left: s.AscentLength}
	for i, x := range s.whole.x {
		a.up.add(observation{x, -s.whole.y[i], s.whole.std[i]})
	}
	return a, nil
}

// stalled says that the last of the values have brought no progress.
func (a *run) stalled(y []float64) bool {
	before := len(y) - a.StallLength
	if before < a.Config.Init+a.DescentLength {
		return false
	}
	lowest := slices.Min(y)
	return slices.Min(y[:before])-lowest < a.Progress*(a.designMedian(len(y))-lowest)
}

// run is that of the lowest values: they are what a forecast is of.
func (u *ascent) run() *run { return u.whole }

func (u *ascent) learn(o observation) {
	u.up.add(observation{o.x, -o.y, o.std})
	u.left--
}

// next ends the ascent: the point opposite to its end is looked at first.
func (u *ascent) next(context.Context) (phase, error) {
	if u.left > 0 {
		return u, nil
	}
	other := slices.Clone(u.up.x[u.up.best])
	for j := range other {
		other[j] = -other[j]
	}
	u.region.Keep(other)
	lowest := front{u.whole.x[u.whole.best], u.whole.y[u.whole.best], true}
	return &fronts{adaptive: u.adaptive, all: []front{lowest, {at: other}}, left: u.OtherLength, onlyLast: true}, nil
}

func (u *ascent) propose(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Point, error) {
	u.report.Note = fmt.Sprintf("the search stands still and looks at the worst values on purpose, in %d evaluations more: there it learns the directions it does not see from the best", u.left)
	return u.up.propose(ctx, n, method.Points(pending), nil)
}
