package space

import (
	"fmt"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/hint"
)

// Space is a list of parameters, constraints and outcomes.
type Space struct {
	declared    []Param // as written, ranges not expanded
	constraints []Constraint
	told        []Outcome // as written
	outcomes    []Outcome

	params []Param
	names  []string
	index  map[string]int // of a name in params
	axes   []axis
	first  []int // first[i]..first[i+1]-1 are the coordinates of parameter i
	rows   []numbers
	poly   constrained
}

// New makes a space of parameters, constraints and outcomes.
func New(parts ...Part) (*Space, error) {
	var d declaration
	for _, part := range parts {
		switch p := part.(type) {
		case Param:
			p.Levels, p.Labels = slices.Clone(p.Levels), slices.Clone(p.Labels)
			d.params = append(d.params, declaredParam{Param: p})
		case Constraint:
			d.constraints = append(d.constraints, declaredConstraint{Constraint: p})
		case Outcome:
			d.outcomes = append(d.outcomes, declaredOutcome{Outcome: p})
		}
	}
	return d.build()
}

// Dim is the number of coordinates D of the box. It is 0 before a space is read into s.
func (s *Space) Dim() int {
	if len(s.first) == 0 {
		return 0
	}
	return s.first[len(s.first)-1]
}

// Params returns the parameters, ranges expanded. Their lists must not be changed.
func (s *Space) Params() []Param { return slices.Clone(s.params) }

// Coordinates returns which count coordinates from first on belong to a parameter.
func (s *Space) Coordinates(name string) (first, count int, ok bool) {
	i, ok := s.index[name]
	if !ok {
		return 0, 0, false
	}
	return s.first[i], s.axes[i].width(), true
}

// part returns the coordinates of parameter i.
func (s *Space) part(x []float64, i int) []float64 { return x[s.first[i]:s.first[i+1]] }

// outside is how far beyond the box rounding may bring a point.
const outside = 1e-9

// Decode returns the values at a point of the box.
func (s *Space) Decode(x []float64) (Params, error) {
	inside := slices.Clone(x)
	if err := s.clip(inside); err != nil {
		return Params{}, err
	}
	for i, v := range x {
		if math.Abs(v-inside[i]) > outside {
			return Params{}, fmt.Errorf("coordinate %d is %g, outside [-1,1]: clip the point with Snap", i, v)
		}
	}
	v := Params{names: s.names, index: s.index, values: make([]any, len(s.params))}
	for i, a := range s.axes {
		v.values[i] = a.decode(s.part(inside, i))
	}
	return v, nil
}

// Encode returns the point that stands for values. Every parameter needs one but the fixed,
// which may be left out.
func (s *Space) Encode(v Params) ([]float64, error) {
	if err := s.known(v); err != nil {
		return nil, err
	}
	x := make([]float64, s.Dim())
	own := s.owns(v)
	for i, name := range s.names {
		value, ok := s.valueOf(v, i, own)
		if !ok {
			if s.axes[i].width() == 0 {
				continue
			}
			return nil, fmt.Errorf("parameter %q has no value: add %s", name, s.example(i))
		}
		if err := s.encode(s.part(x, i), i, value); err != nil {
			return nil, err
		}
	}
	return x, nil
}

func (s *Space) encode(x []float64, i int, value any) error {
	if refused := s.axes[i].encode(x, value); refused != nil {
		refused.Param, refused.Value = s.names[i], value
		return refused
	}
	return nil
}

// owns says that values were made by this space, hence of all its parameters in their order.
func (s *Space) owns(v Params) bool {
	return len(v.names) == len(s.names) && len(v.names) > 0 && &v.names[0] == &s.names[0]
}

// valueOf returns the value of parameter i. For values that the space owns it looks no name
// up: studies encode every trial several times.
func (s *Space) valueOf(v Params, i int, own bool) (value any, ok bool) {
	if own {
		return v.value(i), true
	}
	return v.Get(s.names[i])
}

// known refuses names that the space does not have.
func (s *Space) known(v Params) error {
	if s.owns(v) {
		return nil
	}
	for name := range v.All() {
		if _, ok := s.index[name]; !ok {
			return fmt.Errorf("parameter %q is not in the space%s: its parameters are %s", name, hint.DidYouMean(name, s.names), enumerate(s.names))
		}
	}
	return nil
}

// example is a pair that would do for parameter i, as in JSON.
func (s *Space) example(i int) string {
	centre := make([]float64, s.axes[i].width())
	one := Params{names: s.names[i : i+1], values: []any{s.axes[i].decode(centre)}}
	pair, _ := one.MarshalJSON()
	return string(pair[1:len(pair)-1]) + " or the like"
}

// Snap moves x to the nearest point of the box that stands for its values: integers and
// levels to the centres of their cells, choices and bools to their corners.
func (s *Space) Snap(x []float64) error {
	if err := s.clip(x); err != nil {
		return err
	}
	for i, a := range s.axes {
		switch a.(type) {
		case floatAxis, logAxis: // every point stands for itself
		default:
			part := s.part(x, i)
			if err := s.encode(part, i, a.decode(part)); err != nil {
				return err
			}
		}
	}
	return nil
}

// clip moves x to the nearest point of the box.
func (s *Space) clip(x []float64) error {
	if len(x) != s.Dim() {
		return fmt.Errorf("a point of this space has %d coordinates, got %d", s.Dim(), len(x))
	}
	for i, v := range x {
		if math.IsNaN(v) {
			return fmt.Errorf("coordinate %d is NaN", i)
		}
		x[i] = clip(v)
	}
	return nil
}

// Pin holds a coordinate at a value.
type Pin struct {
	Coordinate int
	Value      float64
}

// Pins returns the coordinates that a partial assignment holds, in increasing order.
func (s *Space) Pins(partial Params) ([]Pin, error) {
	if err := s.known(partial); err != nil {
		return nil, err
	}
	var pins []Pin
	x := make([]float64, s.Dim())
	for i, name := range s.names {
		value, ok := partial.Get(name)
		if !ok {
			continue
		}
		part := s.part(x, i)
		if err := s.encode(part, i, value); err != nil {
			return nil, err
		}
		for k, v := range part {
			pins = append(pins, Pin{s.first[i] + k, v})
		}
	}
	return pins, nil
}
