package space

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mahabo/mahabo/internal/polytope"
)

// ErrNoPoint says that constraints cannot be kept, or that no point that keeps them
// was found.
var ErrNoPoint = errors.New("no feasible point")

// A constraint counts as kept when it is exceeded by no more than this share of what it
// varies over the box, or by rounding.
const (
	slack    = 1e-9
	rounding = 1e-14
)

// Broken returns the constraint that values exceed most as it was written, and by how much;
// "" and 0 when they keep all.
func (s *Space) Broken(v Params) (constraint string, by float64, err error) {
	for i, row := range s.rows {
		excess := -row.Bound
		for k, j := range row.Param {
			value, ok := v.Get(s.names[j])
			n, isNumber := numeric(value)
			if !ok || !isNumber {
				return "", 0, fmt.Errorf("constraint %q needs a number for parameter %q: add %s", row.Text, s.names[j], s.example(j))
			}
			excess += row.Coefficient[k] * n
		}
		if excess > s.poly.tolerance[i] && excess > by {
			constraint, by = string(row.Text), excess
		}
	}
	return constraint, by, nil
}

// feasible says whether the values at x keep all constraints, with no tolerance if exact.
func (s *Space) feasible(x []float64, exact bool) bool {
	for i, row := range s.rows {
		excess := -row.Bound
		for k, j := range row.Param {
			n, _ := numeric(s.axes[j].decode(s.part(x, j)))
			excess += row.Coefficient[k] * n
		}
		if excess > 0 && (exact || excess > s.poly.tolerance[i]) {
			return false
		}
	}
	return true
}

// constrained is the constraints over the box: Au <= b with one column per parameter that is
// in a constraint and rows of length 1. A column's value is centre + half*u, where u is its
// coordinate, for an ordinal whose levels are not evenly spaced only roughly.
type constrained struct {
	*polytope.Polytope
	columns   []column
	inside    []float64 // how far off the border to stay
	tolerance []float64 // in units of the constraint
	anchor    []float64 // a feasible point
}

type column struct {
	param        int
	coordinate   int
	centre, half float64
	ladder       ladder // nil for a float
}

// bind makes the polytope of the rows and refuses constraints that no point keeps.
func (s *Space) bind() error {
	p := &s.poly
	columnOf := map[int]int{}
	var rows [][]polytope.Entry
	var bounds []float64
	for _, row := range s.rows {
		entries := make([]polytope.Entry, len(row.Param))
		b, norm, spread, size, continuous := row.Bound, 0.0, 0.0, math.Abs(row.Bound), false
		for k, j := range row.Param {
			at, ok := columnOf[j]
			if !ok {
				at = len(p.columns)
				columnOf[j] = at
				p.columns = append(p.columns, s.newColumn(j))
			}
			c := p.columns[at]
			a := row.Coefficient[k]
			entries[k] = polytope.Entry{Index: at, A: a * c.half}
			b -= a * c.centre
			norm = math.Hypot(norm, a*c.half)
			spread += math.Abs(a * c.half)
			size += math.Abs(a) * (math.Abs(c.centre) + c.half)
			continuous = continuous || c.ladder == nil
		}
		if !(norm > 0) || !finite(b) || !finite(size) {
			return fmt.Errorf("constraint %q: its coefficients times the bounds are too small or too large for a float64: rescale it", row.Text)
		}
		for k := range entries {
			entries[k].A /= norm
		}
		inside := 0.0
		if continuous {
			inside = 0.1 * slack * spread / norm
		}
		rows = append(rows, entries)
		bounds = append(bounds, b/norm)
		p.inside = append(p.inside, inside)
		p.tolerance = append(p.tolerance, slack*spread+rounding*size)
	}
	p.Polytope = polytope.New(len(p.columns), rows, bounds)
	x := make([]float64, s.Dim())
	if err := s.Project(x); err != nil {
		return err
	}
	p.anchor = make([]float64, len(p.columns))
	for j, c := range p.columns {
		p.anchor[j] = x[c.coordinate]
		if c.ladder != nil {
			p.anchor[j] = c.at(c.ladder.index(x[c.coordinate]))
		}
	}
	return nil
}

func (s *Space) newColumn(j int) column {
	c := column{param: j, coordinate: s.first[j]}
	if a, ok := s.axes[j].(floatAxis); ok {
		c.centre, c.half = 0.5*a.low+0.5*a.high, 0.5*(a.high-a.low)
		return c
	}
	// The line through the first and the last level.
	c.ladder = s.axes[j].(ladder)
	last := c.ladder.steps() - 1
	low, high := c.ladder.level(0), c.ladder.level(last)
	c.centre, c.half = 0.5*low+0.5*high, (high-low)/(c.ladder.at(last)-c.ladder.at(0))
	return c
}

// onLevel is how far from a level, as a share of the distance to the next, u counts as on it.
const onLevel = 1e-6

// at is u at level i.
func (c column) at(i int) float64 { return (c.ladder.level(i) - c.centre) / c.half }

// below is the last level not above u, up to rounding.
func (c column) below(u float64) int {
	i := c.ladder.below(c.centre + c.half*u)
	i = max(i, 0)
	if i+1 < c.ladder.steps() && c.at(i+1)-u <= onLevel*(c.at(i+1)-c.at(i)) {
		i++
	}
	return i
}

// nearest is the level nearest to u.
func (c column) nearest(u float64) int {
	i := c.below(u)
	if i+1 < c.ladder.steps() && c.at(i+1)-u < u-c.at(i) {
		i++
	}
	return i
}

// Project moves x to the nearest point of the box that stands for values which keep all
// constraints, without moving pinned coordinates. On an error, which wraps ErrNoPoint
// when the pins leave no such point, x is not changed.
func (s *Space) Project(x []float64, pins ...Pin) error {
	target := slices.Clone(x)
	pinned := make(map[int]bool, len(pins))
	for _, pin := range pins {
		if pin.Coordinate < 0 || pin.Coordinate >= len(x) {
			return fmt.Errorf("pinned coordinate %d is not one of %d", pin.Coordinate, len(x))
		}
		target[pin.Coordinate] = pin.Value
		pinned[pin.Coordinate] = true
	}
	if err := s.clip(target); err != nil {
		return err
	}
	snapped := slices.Clone(target)
	if err := s.Snap(snapped); err != nil {
		return err
	}
	if !s.feasible(snapped, true) {
		if err := s.approach(snapped, target, pinned); err != nil {
			return err
		}
	}
	copy(x, snapped)
	return nil
}

// approach overwrites the constrained coordinates of x with a feasible point near target.
func (s *Space) approach(x, target []float64, pinned map[int]bool) error {
	search := newSearch(&s.poly)
	for j, c := range s.poly.columns {
		search.place(j, target[c.coordinate], pinned[c.coordinate])
	}
	limit := firstLimit
	if s.poly.anchor != nil {
		limit = laterLimit
	}
	u, contradiction := search.run(s.poly.anchor, limit)
	if u == nil {
		return s.infeasible(contradiction, len(pinned) > 0)
	}
	for j, c := range s.poly.columns {
		x[c.coordinate] = clip(u[j])
		if c.ladder != nil {
			x[c.coordinate] = c.ladder.at(c.nearest(u[j]))
		}
	}
	if !s.feasible(x, false) {
		return s.infeasible(nil, len(pinned) > 0)
	}
	return nil
}

func (s *Space) infeasible(rows []int, pinned bool) error {
	var texts []string
	for _, i := range rows {
		texts = append(texts, fmt.Sprintf("%q", s.rows[i].Text))
	}
	where, fix := "within the bounds", "relax one, or widen the bounds"
	if pinned {
		where, fix = "with the pinned parameters", "relax one, or pin other values"
	}
	if len(texts) == 0 {
		return fmt.Errorf("%w: no values of the discrete parameters were found that keep all constraints %s: %s", ErrNoPoint, where, fix)
	}
	if len(texts) == 1 {
		return fmt.Errorf("%w: the constraint %s cannot hold %s: %s", ErrNoPoint, texts[0], where, strings.Replace(fix, "one", "it", 1))
	}
	return fmt.Errorf("%w: the constraints %s cannot hold together %s: %s", ErrNoPoint, strings.Join(texts, ", "), where, fix)
}
