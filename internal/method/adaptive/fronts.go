package adaptive

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/strategy"
)

// front is a place from which the search goes on.
type front struct {
	at    strategy.Point
	value float64
	seen  bool // it was evaluated, and has a value
}

// covers says whether x lies in the box around the front that belongs to it.
func (f front) covers(x strategy.Point, territory float64) bool {
	for j, c := range f.at {
		if math.Abs(x[j]-c) > territory {
			return false
		}
	}
	return true
}

// lower says whether the front is lower than another; what has no value is higher than all.
func (f front) lower(other front) bool {
	return f.seen && (!other.seen || f.value < other.value)
}

// fronts is a search from several places, where first descents ended or opposite to each other
// after an ascent, all with the model of everything seen. An observation belongs to the
// nearest front, and takes its place when it is lower. The highest fronts are given up one
// by one, until one is left.
type fronts struct {
	*adaptive
	all      []front
	left     int  // observations until the highest is given up
	onlyLast bool // the last front is the only one that is drawn until then
	opposite bool // the last choice begins with the front that has no value
}

// oppositeTag marks the suggestion of a front that has no value.
const oppositeTag = "opposite"

func (f *fronts) run() *run { return f.whole }

func (f *fronts) learn(o observation) {
	k, nearest := 0, math.Inf(1)
	for i, p := range f.all {
		if d := method.SquaredDistance(p.at, o.x); d < nearest {
			k, nearest = i, d
		}
	}
	if now := (front{o.x, o.y, true}); now.lower(f.all[k]) {
		f.all[k] = now
	}
	if f.left--; f.left > 0 {
		return
	}
	f.all = slices.Delete(f.all, f.highest(), f.highest()+1)
	f.left, f.onlyLast = f.FrontLength, false
}

// highest is the first front than which no other is higher.
func (f *fronts) highest() (k int) {
	for i, p := range f.all {
		if f.all[k].lower(p) {
			k = i
		}
	}
	return k
}

func (f *fronts) next(context.Context) (phase, error) {
	if len(f.all) > 1 {
		return f, nil
	}
	return &search{adaptive: f.adaptive}, nil
}

func (f *fronts) propose(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Point, error) {
	waiting := slices.ContainsFunc(pending, func(p strategy.Suggestion) bool { return p.Tag == oppositeTag })
	f.opposite = !waiting && slices.ContainsFunc(f.all, func(p front) bool { return !p.seen })
	return f.whole.propose(ctx, n, method.Points(pending), f)
}

// draw chooses a front, and says no when it is the lowest.
func (f *fronts) draw(r *rand.Rand) (k int, other bool) {
	if k = len(f.all) - 1; !f.onlyLast {
		k = r.IntN(len(f.all))
	}
	return k, slices.ContainsFunc(f.all, func(p front) bool { return p.lower(f.all[k]) })
}
