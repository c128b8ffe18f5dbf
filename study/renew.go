package study

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

const (
	renewals = 64      // perturbations of a point that was tried
	maxCombo = 1 << 16 // combinations of values that are searched one by one
)

// renew returns the nearest values to x that keep the constraints and the fixed parameters.
// If they were tried before it redraws parameters, first one, in the end all; if that
// finds nothing new in a small finite space, the nearest untried combination is taken.
func (q *question) renew(x strategy.Point) (Placed, error) {
	start, err := q.settle(x)
	if err != nil || !q.tried(key(start.Point)) {
		return start, err
	}
	r := rng.New(q.config.Seed, uint64(q.basis+len(q.added)), rng.Purpose("renew"))
	for attempt := range renewals {
		y := slices.Clone(start.Point)
		q.redraw(y, float64(attempt+1)/renewals, r)
		p, err := q.settle(y)
		if err != nil || !q.tried(key(p.Point)) {
			return p, err
		}
	}
	return q.nearestUntried(start.Point)
}

// settle moves a point to the nearest that keeps the fixed parameters and the
// constraints, and returns its values and the point that stands for them.
func (q *question) settle(x strategy.Point) (Placed, error) {
	x = slices.Clone(x)
	for _, p := range q.pins {
		x[p.Coordinate] = p.Value
	}
	if err := q.config.Space.Project(x, q.pins...); err != nil {
		if errors.Is(err, space.ErrInfeasible) && len(q.pins) > 0 {
			err = requestf("the fixed parameters: %w", err)
		}
		return Placed{}, err
	}
	v, err := q.config.Space.Decode(x)
	if err != nil {
		return Placed{}, err
	}
	if q.fixed.Len() > 0 { // to the last digit
		all := maps.Collect(v.All())
		maps.Insert(all, q.fixed.All())
		v = space.ValuesOf(all)
	}
	// The point that a user gets who enqueues these values.
	return place(q.config.Space, v)
}

// redraw gives new uniform coordinates to one parameter, and to each other with
// probability share.
func (q *question) redraw(x strategy.Point, share float64, r *rand.Rand) {
	params := q.config.Space.Params()
	one := r.IntN(len(params))
	for i, p := range params {
		if i != one && r.Float64() >= share {
			continue
		}
		first, count, _ := q.config.Space.Coordinates(p.Name)
		for j := first; j < first+count; j++ {
			x[j] = 2*r.Float64() - 1
		}
	}
}

// nearestUntried returns the feasible point nearest to x that was not tried, or
// ErrExhausted. It gives up on spaces that are continuous or large.
func (q *question) nearestUntried(x strategy.Point) (Placed, error) {
	levels, ok := q.levels()
	if !ok {
		return Placed{}, ErrExhausted
	}
	at := make([]int, len(levels)) // an odometer
	y := make(strategy.Point, len(x))
	var best strategy.Point
	nearest := math.Inf(1)
	for more := true; more; more = advance(at, levels) {
		for i, l := range levels {
			for _, pin := range l[at[i]] {
				y[pin.Coordinate] = pin.Value
			}
		}
		d := 0.0
		for j := range y {
			d += (y[j] - x[j]) * (y[j] - x[j])
		}
		if d < nearest && !q.tried(key(y)) && q.keepsConstraints(y) {
			nearest = d
			best = slices.Clone(y)
		}
	}
	if best == nil {
		return Placed{}, ErrExhausted
	}
	return q.settle(best)
}

// advance turns the odometer by one; false when it is through.
func advance(at []int, levels [][][]space.Pin) bool {
	for i := range at {
		if at[i]++; at[i] < len(levels[i]) {
			return true
		}
		at[i] = 0
	}
	return false
}

func (q *question) keepsConstraints(x strategy.Point) bool {
	v, err := q.config.Space.Decode(x)
	if err != nil {
		return false
	}
	ok, err := q.config.Space.Feasible(v)
	return ok && err == nil
}

// levels lists the coordinates of every value of every parameter; ok is false when there
// are too many combinations.
func (q *question) levels() (levels [][][]space.Pin, ok bool) {
	combinations := 1.0
	for _, p := range q.config.Space.Params() {
		values, finite := valuesOf(p)
		if held, fixed := q.fixed.Get(p.Name); fixed {
			values, finite = []any{held}, true
		}
		combinations *= float64(len(values))
		if !finite || combinations > maxCombo {
			return nil, false
		}
		var of [][]space.Pin
		for _, v := range values {
			pins, err := q.config.Space.Pins(space.ValuesOf(map[string]any{p.Name: v}))
			if err != nil {
				return nil, false
			}
			of = append(of, pins)
		}
		levels = append(levels, of)
	}
	return levels, true
}

// valuesOf lists the values of a parameter, unless they are too many.
func valuesOf(p space.Param) (values []any, finite bool) {
	switch p.Kind {
	case space.KindFixed:
		return []any{p.Value}, true
	case space.KindBool:
		return []any{false, true}, true
	case space.KindChoice:
		for _, label := range p.Labels {
			values = append(values, label)
		}
		return values, true
	case space.KindOrdinal:
		for _, level := range p.Levels {
			values = append(values, level)
		}
		return values, true
	case space.KindInt, space.KindLogInt:
		if p.High-p.Low >= maxCombo {
			return nil, false
		}
		for v := int64(p.Low); v <= int64(p.High); v++ {
			values = append(values, v)
		}
		return values, true
	}
	return nil, false
}
