package strategy

import (
	"fmt"
	"math"
	"slices"
)

const (
	stallLength  = 30    // observations without progress after which the search stands still
	progress     = 0.003 // share of all that was gained since the design that counts as some
	ascentLength = 150   // observations of an ascent
	aloneLength  = 80    // observations made around its other side
	returnLength = 50    // observations that have to be left then for the search to go on
)

// ascent is a search for the highest value, made once when the search for the lowest stands
// still. The way down may run where a direction that matters has no slope, and no
// exploration around its end finds that direction: seen from the high side it has one. A
// smooth function that rises in the directions of x falls in those of -x, and there the
// search goes on: the ends of both are fronts.
type ascent struct {
	run  *run // on minus the values, nil when none is under way
	left int  // observations to come
	done bool // there is none, or none any more
}

// ascend begins the ascent when the search stands still. Noise may have made an early value
// look low that is not: what the model expects where it has been counts too.
func (a *adaptive) ascend() {
	if a.ascent.done || a.cfg.Budget-len(a.whole.y) < ascentLength+aloneLength+returnLength ||
		!a.stalled(a.whole.y) || a.whole.rough() || !a.stalled(a.whole.expected()) {
		return
	}
	a.ascent = ascent{run: newRun(a.cfg, a.whole.without), left: ascentLength, done: true}
	for i, x := range a.whole.x {
		a.ascent.run.add(Observation{X: x, Value: -a.whole.y[i], Std: a.whole.std[i]})
	}
}

// note tells a user why the values get worse.
func (a *ascent) note() string {
	return fmt.Sprintf("the search stands still and looks at the worst values on purpose, in %d evaluations more: there it learns the directions it does not see from the best", a.left)
}

// stalled says that the last of the values have brought no progress.
func (a *adaptive) stalled(y []float64) bool {
	before := len(y) - stallLength
	if before < a.cfg.Init+descentLength {
		return false
	}
	lowest := slices.Min(y)
	return slices.Min(y[:before])-lowest < progress*(a.whole.designMedian(len(y))-lowest)
}

// climb takes note of an observation of the ascent.
func (a *adaptive) climb(o Observation) {
	up := a.ascent.run
	o.Value = -o.Value
	up.add(o)
	if a.ascent.left--; a.ascent.left > 0 {
		return
	}
	other := slices.Clone(up.x[up.best])
	for j := range other {
		other[j] = -other[j]
	}
	a.whole.fronts = fronts{}
	a.whole.fronts.add(a.whole.x[a.whole.best], a.whole.y[a.whole.best])
	a.whole.fronts.add(other, math.Inf(1))
	a.whole.fronts.left, a.whole.fronts.alone = aloneLength, true
	a.ascent.run = nil
}
