package suggest

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/mahabo/mahabo/evaluate"
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
func (q *Question) renew(x strategy.Point) (Chosen, error) {
	start, err := q.nearest(x)
	if err != nil || !q.tried(start.X) {
		return start, err
	}
	r := rng.New(q.Config.Seed, uint64(q.Trials+len(q.added)), rng.Purpose("renew"))
	for attempt := range renewals {
		y := slices.Clone(start.X)
		q.redraw(y, float64(attempt+1)/renewals, r)
		p, err := q.nearest(y)
		if err != nil || !q.tried(p.X) {
			return p, err
		}
	}
	return q.nearestUntried(start.X)
}

// nearest moves a point to the nearest that keeps the fixed parameters and the
// constraints, and returns its values and the point that stands for them.
func (q *Question) nearest(x strategy.Point) (Chosen, error) {
	x = slices.Clone(x)
	for _, p := range q.Pins {
		x[p.Coordinate] = p.Value
	}
	if err := q.Space.Project(x, q.Pins...); err != nil {
		if errors.Is(err, space.ErrNoPoint) && len(q.Pins) > 0 {
			err = &FixedError{err}
		}
		return Chosen{}, err
	}
	v, err := q.Space.Decode(x)
	if err != nil {
		return Chosen{}, err
	}
	if q.Fixed.Len() > 0 { // to the last digit
		all := maps.Collect(v.All())
		maps.Insert(all, q.Fixed.All())
		v = space.ParamsOf(all)
	}
	// The point that a user gets who enqueues these values.
	var c Chosen
	c.Params, c.X, err = Place(q.Space, v)
	return c, err
}

// FixedError says that fixed parameters leave no point that can be evaluated.
type FixedError struct{ err error }

func (e *FixedError) Error() string { return "the fixed parameters: " + e.err.Error() }

// Unwrap returns the cause.
func (e *FixedError) Unwrap() error { return e.err }

// redraw gives new uniform coordinates to one parameter, and to each other with
// probability share.
func (q *Question) redraw(x strategy.Point, share float64, r *rand.Rand) {
	params := q.Space.Params()
	one := r.IntN(len(params))
	for i, p := range params {
		if i != one && r.Float64() >= share {
			continue
		}
		first, count, _ := q.Space.Coordinates(p.Name)
		for j := first; j < first+count; j++ {
			x[j] = 2*r.Float64() - 1
		}
	}
}

// nearestUntried returns the feasible point nearest to x that was not tried, or
// evaluate.ErrExhausted. It gives up on spaces that are continuous or large.
func (q *Question) nearestUntried(x strategy.Point) (Chosen, error) {
	levels, ok := q.levels()
	if !ok {
		return Chosen{}, evaluate.ErrExhausted
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
		if d < nearest && !q.tried(y) && q.keepsConstraints(y) {
			nearest = d
			best = slices.Clone(y)
		}
	}
	if best == nil {
		return Chosen{}, evaluate.ErrExhausted
	}
	return q.nearest(best)
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

func (q *Question) keepsConstraints(x strategy.Point) bool {
	v, err := q.Space.Decode(x)
	if err != nil {
		return false
	}
	_, by, err := q.Space.Broken(v)
	return by == 0 && err == nil
}

// levels lists the coordinates of every value of every parameter; ok is false when there
// are too many combinations.
func (q *Question) levels() (levels [][][]space.Pin, ok bool) {
	combinations := 1.0
	for _, p := range q.Space.Params() {
		values, finite := valuesOf(p)
		held, fixed := q.Fixed.Get(p.Name)
		if fixed {
			values, finite = []any{held}, true
		}
		combinations *= float64(len(values))
		if !finite || combinations > maxCombo {
			return nil, false
		}
		var of [][]space.Pin
		for _, v := range values {
			pins, err := q.Space.Pins(space.ParamsOf(map[string]any{p.Name: v}))
			if err == nil && !fixed {
				err = q.snap(pins)
			}
			if err != nil {
				return nil, false
			}
			of = append(of, pins)
		}
		levels = append(levels, of)
	}
	return levels, true
}

// snap moves the coordinates of a value to those of the point that is evaluated.
func (q *Question) snap(pins []space.Pin) error {
	x := make(strategy.Point, q.Space.Dim())
	for _, p := range pins {
		x[p.Coordinate] = p.Value
	}
	err := q.Space.Snap(x)
	for i, p := range pins {
		pins[i].Value = x[p.Coordinate]
	}
	return err
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
	case space.KindFloat:
		return steps(p)
	case space.KindLog:
		return rounded(p)
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

// steps lists the values of a float that is suggested in steps.
func steps(p space.Param) (values []any, finite bool) {
	step := p.Step
	if p.Digits > 0 {
		step = math.Pow(10, -float64(p.Digits))
	}
	if step == 0 || (p.High-p.Low)/step >= maxCombo {
		return nil, false
	}
	last := math.Round((p.High - p.Low) / step)
	for i := 0.0; i <= last; i++ {
		values = append(values, min(p.Low+i/last*(p.High-p.Low), p.High))
	}
	return values, true
}

// rounded lists the values of a log parameter of which few digits count.
func rounded(p space.Param) (values []any, finite bool) {
	low, high := math.Floor(math.Log10(p.Low)), math.Ceil(math.Log10(p.High))
	decade := math.Pow(10, float64(p.Digits-1))
	if p.Digits == 0 || 9*decade*(high-low) >= maxCombo {
		return nil, false
	}
	for e := int(low); e <= int(high); e++ {
		for m := int(decade); m < 10*int(decade); m++ {
			v, err := strconv.ParseFloat(fmt.Sprintf("%de%d", m, e-p.Digits+1), 64)
			if err == nil && v >= p.Low && v <= p.High {
				values = append(values, v)
			}
		}
	}
	return values, true
}
