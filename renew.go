package mahabo

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

const (
	renewals = 64      // perturbations of a point that was tried
	maxCombo = 1 << 16 // combinations of values that are searched one by one
)

// renew returns the nearest values to x that keep the constraints, and their point. If
// they were tried before it redraws parameters, first one, in the end all; if that finds
// nothing new in a small finite space, the nearest untried combination is taken.
func (o *Optimizer) renew(x strategy.Point) (strategy.Point, space.Values, error) {
	start, v, err := o.stand(x)
	if err != nil || !o.tried[key(start)] {
		return start, v, err
	}
	r := rng.New(o.opt.Seed, uint64(len(o.trials)), rng.Purpose("renew"))
	for attempt := range renewals {
		y := slices.Clone(start)
		o.redraw(y, float64(attempt+1)/renewals, r)
		y, v, err := o.stand(y)
		if err != nil || !o.tried[key(y)] {
			return y, v, err
		}
	}
	return o.nearestUntried(start)
}

// stand returns the values that keep the constraints nearest to x, and the point that
// stands for them. The point is encoded from the values, so that they alone restore it.
func (o *Optimizer) stand(x strategy.Point) (strategy.Point, space.Values, error) {
	y := slices.Clone(x)
	if err := o.space.Project(y); err != nil {
		return nil, space.Values{}, err
	}
	v, err := o.space.Decode(y)
	if err != nil {
		return nil, space.Values{}, err
	}
	y, err = o.space.Encode(v)
	return y, v, err
}

// redraw gives new uniform coordinates to one parameter, and to each other with
// probability share.
func (o *Optimizer) redraw(x strategy.Point, share float64, r *rand.Rand) {
	params := o.space.Params()
	one := r.IntN(len(params))
	for i, p := range params {
		if i != one && r.Float64() >= share {
			continue
		}
		first, count, _ := o.space.Coordinates(p.Name)
		for j := first; j < first+count; j++ {
			x[j] = 2*r.Float64() - 1
		}
	}
}

// key identifies a point that was encoded from values.
func key(x strategy.Point) string {
	b := make([]byte, 0, 8*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return string(b)
}

// nearestUntried returns the feasible point nearest to x that was not tried, or
// ErrExhausted. It gives up on spaces that are continuous or large.
func (o *Optimizer) nearestUntried(x strategy.Point) (best strategy.Point, v space.Values, err error) {
	levels, ok := o.levels()
	if !ok {
		return nil, v, evaluate.ErrExhausted
	}
	at := make([]int, len(levels)) // an odometer
	y := make(strategy.Point, len(x))
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
		if d < nearest && !o.tried[key(y)] && o.feasible(y) {
			nearest = d
			best = slices.Clone(y)
		}
	}
	if best == nil {
		return nil, v, evaluate.ErrExhausted
	}
	v, err = o.space.Decode(best)
	return best, v, err
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

func (o *Optimizer) feasible(x strategy.Point) bool {
	v, err := o.space.Decode(x)
	if err != nil {
		return false
	}
	ok, err := o.space.Feasible(v)
	return ok && err == nil
}

// levels lists the coordinates of every value of every parameter; ok is false when there
// are too many combinations.
func (o *Optimizer) levels() (levels [][][]space.Pin, ok bool) {
	combinations := 1.0
	for _, p := range o.space.Params() {
		values, finite := valuesOf(p)
		combinations *= float64(len(values))
		if !finite || combinations > maxCombo {
			return nil, false
		}
		var of [][]space.Pin
		for _, v := range values {
			pins, err := o.space.Pins(space.ValuesOf(map[string]any{p.Name: v}))
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
