package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// Points is a choice of complete trials by columns.
type Points struct {
	Total   int       `json:"total" doc:"Complete trials."`
	Numbers []int     `json:"numbers" nullable:"false" doc:"Of the trials chosen, the best last."`
	Values  []float64 `json:"values" nullable:"false"`
	Axes    []Axis    `json:"axes" nullable:"false"`
}

// Axis is a parameter and its values at the points.
type Axis struct {
	Name   string    `json:"name"`
	Unit   string    `json:"unit,omitempty"`
	Log    bool      `json:"log" doc:"The parameter is searched on a logarithmic scale."`
	Whole  bool      `json:"whole,omitempty" doc:"Its values are whole numbers."`
	Low    float64   `json:"low"`
	High   float64   `json:"high"`
	Labels []string  `json:"labels,omitempty" doc:"Of a choice or bool, whose values are places in this list."`
	At     []float64 `json:"at" nullable:"false"`
}

// defaultAxes is how many parameters are drawn when nobody names them.
const defaultAxes = 12

// Axes returns parameters that vary, by name or the first ones.
func Axes(s *space.Space, names []string) (axes []Axis, err error) {
	known := map[string]space.Param{}
	for _, p := range s.Params() {
		if p.Kind == space.KindFixed {
			continue
		}
		known[p.Name] = p
		if len(names) == 0 && len(axes) < defaultAxes {
			axes = append(axes, newAxis(p))
		}
	}
	for _, name := range names {
		p, ok := known[name]
		if !ok {
			return nil, fmt.Errorf("no parameter that varies has the name %s", name)
		}
		axes = append(axes, newAxis(p))
	}
	return axes, nil
}

func newAxis(p space.Param) Axis {
	a := Axis{Name: p.Name, Unit: p.Unit, Low: p.Low, High: p.High, Log: p.Kind == space.KindLog || p.Kind == space.KindLogInt, At: []float64{}, Whole: p.Kind == space.KindInt || p.Kind == space.KindLogInt}
	switch p.Kind {
	case space.KindOrdinal:
		a.Low, a.High = p.Levels[0], p.Levels[len(p.Levels)-1]
	case space.KindChoice:
		a.Labels = p.Labels
	case space.KindBool:
		a.Labels = []string{"false", "true"}
	}
	if a.Labels != nil {
		a.Low, a.High = 0, float64(len(a.Labels)-1)
	}
	return a
}

// at is the coordinate of a trial.
func (a Axis) at(v space.Params) float64 {
	if a.Labels == nil {
		return v.Float(a.Name)
	}
	text, _ := v.Text(a.Name)
	return float64(slices.Index(a.Labels, text))
}

// NewPoints takes complete trials in the order of drawing.
func NewPoints(trials []study.Trial, axes []Axis) Points {
	p := Points{Numbers: []int{}, Values: []float64{}, Axes: axes}
	for _, t := range trials {
		p.Numbers = append(p.Numbers, t.Number)
		p.Values = append(p.Values, *t.Value)
		for k := range axes {
			axes[k].At = append(axes[k].At, axes[k].at(t.Params))
		}
	}
	return p
}

// BestAndOthers returns the numbers of the best tenth of the trials, at most half the
// limit, and of an even choice of the others, the best last.
func BestAndOthers(values []study.Value, goal study.Goal, limit int) []int {
	slices.SortStableFunc(values, func(a, b study.Value) int {
		if a.Broken != b.Broken { // those that violate a limit first
			if a.Broken {
				return -1
			}
			return 1
		}
		if goal == study.Maximize {
			return cmp.Compare(a.Value, b.Value)
		}
		return cmp.Compare(b.Value, a.Value)
	})
	best, kept := 0, len(values)
	if len(values) > limit {
		best = min((limit+1)/2, int(math.Ceil(0.1*float64(len(values)))))
		kept = limit - best
	}
	others := values[:len(values)-best]
	var chosen []int
	for k := range kept {
		chosen = append(chosen, others[k*len(others)/kept].Number)
	}
	for _, v := range values[len(values)-best:] {
		chosen = append(chosen, v.Number)
	}
	return chosen
}
