package strategy

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// frontLength is the number of observations after which the highest front is given up.
	frontLength = 90
	// territory is the half-width of the box around a front that belongs to it: queries
	// around a front that is not the lowest stay in it, and first descents leave out what
	// lies there, points that were still out when the descent before ended.
	territory = 0.6
)

// fronts are the places from which the search goes on after the first descents: where each of
// them ended, all with the model of everything seen. An observation belongs to the nearest
// front, and takes its place when it is lower. The highest fronts are given up one by one.
type fronts struct {
	at    []Point
	value []float64 // +Inf of one that has not been evaluated yet
	left  int       // observations until the highest is given up
	alone bool      // the last front is the only one that is drawn until then
}

// add opens a front.
func (f *fronts) add(x Point, value float64) {
	f.at, f.value = append(f.at, x), append(f.value, value)
	f.left = frontLength
}

// learn takes note of an observation.
func (f *fronts) learn(o Observation) {
	if len(f.at) < 2 {
		return
	}
	k, nearest := 0, math.Inf(1)
	for i, p := range f.at {
		if d := squaredDistance(p, o.X); d < nearest {
			k, nearest = i, d
		}
	}
	if o.Value < f.value[k] {
		f.at[k], f.value[k] = o.X, o.Value
	}
	if f.left--; f.left == 0 {
		highest := slices.Index(f.value, slices.Max(f.value))
		f.at, f.value = slices.Delete(f.at, highest, highest+1), slices.Delete(f.value, highest, highest+1)
		f.left, f.alone = frontLength, false
	}
}

// draw chooses a front by its number, and says no when it is the lowest or there is only one.
func (f *fronts) draw(r *rand.Rand) (front int, other bool) {
	if len(f.at) < 2 {
		return 0, false
	}
	k := len(f.at) - 1
	if !f.alone {
		k = r.IntN(len(f.at))
	}
	return k, f.value[k] > slices.Min(f.value)
}

// unseen returns a front that has not been evaluated.
func (f *fronts) unseen() (Point, bool) {
	k := slices.Index(f.value, math.Inf(1))
	if k < 0 {
		return nil, false
	}
	return slices.Clone(f.at[k]), true
}

// cover says whether x lies around a front.
func (f *fronts) cover(x Point) bool {
	return slices.ContainsFunc(f.at, func(p Point) bool {
		for j, c := range p {
			if math.Abs(x[j]-c) > territory {
				return false
			}
		}
		return true
	})
}
