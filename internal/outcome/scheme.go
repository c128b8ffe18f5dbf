package outcome

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/hint"
	"github.com/mahabo/mahabo/internal/pareto"
	"github.com/mahabo/mahabo/space"
)

// Scheme is how the outcomes of a study become the numbers that methods are told. The zero value
// has none: then a trial has one value, and this package is not needed.
type Scheme struct {
	Objectives []Term
	Limits     []Term
	names      []string
}

// Term is an objective or a limit: Sign*(value - Bound) is minimised, or kept at 0 and below.
type Term struct {
	Name      string
	Sign      float64  // -1 to maximise, or for at_least
	Bound     float64  // of a limit
	Reference *float64 // of an objective, as the user wrote it
}

// Of is the scheme of declared outcomes.
func Of(outcomes []space.Outcome) (s Scheme) {
	for _, o := range outcomes {
		s.names = append(s.names, o.Name)
		switch o.Goal {
		case "minimize":
			s.Objectives = append(s.Objectives, Term{Name: o.Name, Sign: 1, Reference: o.Reference})
		case "maximize":
			s.Objectives = append(s.Objectives, Term{Name: o.Name, Sign: -1, Reference: o.Reference})
		}
		if o.AtMost != nil {
			s.Limits = append(s.Limits, Term{Name: o.Name, Sign: 1, Bound: *o.AtMost})
		}
		if o.AtLeast != nil {
			s.Limits = append(s.Limits, Term{Name: o.Name, Sign: -1, Bound: *o.AtLeast})
		}
	}
	return s
}

// Declared says whether there are outcomes.
func (s Scheme) Declared() bool { return len(s.names) > 0 }

// Inner is a value as methods see it.
func (t Term) Inner(value float64) float64 { return finite(t.Sign * (value - t.Bound)) }

// Outer is a number of methods as users see it.
func (t Term) Outer(inner float64) float64 { return finite(t.Sign*inner + t.Bound) }

// finite keeps a difference of numbers of any size one that JSON and models know.
func finite(v float64) float64 { return max(-math.MaxFloat64, min(v, math.MaxFloat64)) }

// Terms are the objectives, then the limits.
func (s Scheme) Terms() []Term { return slices.Concat(s.Objectives, s.Limits) }

// Missing are the outcomes that methods need and values do not have, each once.
func (s Scheme) Missing(values map[string]float64) (names []string) {
	seen := map[string]bool{}
	for _, t := range s.Terms() {
		if _, ok := values[t.Name]; !ok && !seen[t.Name] {
			names = append(names, t.Name)
			seen[t.Name] = true
		}
	}
	return names
}

// Inner are the objectives and the limits of complete values, as methods see them.
func (s Scheme) Inner(values map[string]float64) []float64 {
	y := make([]float64, 0, len(s.Objectives)+len(s.Limits))
	for _, t := range s.Objectives {
		y = append(y, t.Inner(values[t.Name]))
	}
	for _, t := range s.Limits {
		y = append(y, t.Inner(values[t.Name]))
	}
	return y
}

// Stds are the standard deviations in the same order.
func (s Scheme) Stds(stds map[string]float64) []float64 {
	out := make([]float64, 0, len(s.Objectives)+len(s.Limits))
	for _, t := range s.Objectives {
		out = append(out, stds[t.Name])
	}
	for _, t := range s.Limits {
		out = append(out, stds[t.Name])
	}
	return out
}

// Outer turns numbers of methods back into values by name.
func (s Scheme) Outer(y []float64) map[string]float64 {
	values := map[string]float64{}
	for k, t := range s.Terms() {
		values[t.Name] = t.Outer(y[k])
	}
	return values
}

// Violations are the limits that are not kept, by how much, in the units of their outcomes.
func (s Scheme) Violations(y []float64) map[string]float64 {
	var violations map[string]float64
	for k, t := range s.Limits {
		if v := y[len(s.Objectives)+k]; v > 0 {
			if violations == nil {
				violations = map[string]float64{}
			}
			violations[t.Name] = max(v, violations[t.Name])
		}
	}
	return violations
}

// Keeps says whether the values of a complete trial keep all limits.
func (s Scheme) Keeps(values map[string]float64) bool {
	return len(s.Limits) == 0 || s.Violations(s.Inner(values)) == nil
}

// Split divides the numbers of a point in objectives and limits.
func (s Scheme) Split(y []float64) (objectives, limits []float64) {
	return y[:len(s.Objectives):len(s.Objectives)], y[len(s.Objectives):]
}

// Reference is the reference point for hypervolumes: what users gave, else from the data.
func (s Scheme) Reference(points [][]float64) []float64 {
	reference := pareto.Reference(points)
	for k, t := range s.Objectives {
		if t.Reference != nil && reference != nil {
			reference[k] = t.Inner(*t.Reference)
		}
	}
	return reference
}

// Given are the references that users gave, NaN where there is none; nil without any.
func (s Scheme) Given() (reference []float64) {
	for k, t := range s.Objectives {
		if t.Reference == nil {
			continue
		}
		if reference == nil {
			reference = slices.Repeat([]float64{math.NaN()}, len(s.Objectives))
		}
		reference[k] = t.Inner(*t.Reference)
	}
	return reference
}

// Check refuses names that are not declared.
func (s Scheme) Check(values, stds map[string]float64) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(s.names, name) {
			return fmt.Errorf("outcome %q is not declared%s: the outcomes are %s", name, hint.DidYouMean(name, s.names), list(s.names))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(stds)) {
		if _, ok := values[name]; !ok {
			return fmt.Errorf("outcome %q has a std and no value: give both", name)
		}
	}
	return nil
}

const mostListed = 12

func list(names []string) string {
	text := ""
	for i, n := range names {
		if i == mostListed {
			return text + fmt.Sprintf(" and %d more", len(names)-i)
		}
		if i > 0 {
			text += ", "
		}
		text += n
	}
	return text
}
