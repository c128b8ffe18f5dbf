package server

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/mahabo/mahabo/internal/token"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// pointsShape is a choice of complete trials by columns, fit for charts.
type pointsShape struct {
	Total   int         `json:"total" doc:"Complete trials."`
	Numbers []int       `json:"numbers" nullable:"false" doc:"Of the trials chosen, the best last."`
	Values  []float64   `json:"values" nullable:"false"`
	Axes    []axisShape `json:"axes" nullable:"false"`
}

// axisShape is a parameter and its values at the points.
type axisShape struct {
	Name   string    `json:"name"`
	Unit   string    `json:"unit,omitempty"`
	Log    bool      `json:"log" doc:"The parameter is searched on a logarithmic scale."`
	Low    float64   `json:"low"`
	High   float64   `json:"high"`
	Labels []string  `json:"labels,omitempty" doc:"Of a choice or bool, whose values are places in this list."`
	At     []float64 `json:"at" nullable:"false"`
}

type pointsInput struct {
	StudyPath
	Limit  int      `query:"limit" minimum:"1" maximum:"5000" default:"400" doc:"Most points: of more trials, the best tenth and an even choice of the others."`
	Params []string `query:"param,explode" maxItems:"200" doc:"Names of parameters; the first 12 that vary when it is left out."`
}

const defaultAxes = 12

func (s *Server) registerPoints(api huma.API) {
	huma.Register(api, operation(http.MethodGet, "/v1/studies/{study}/points", "points", "Show where the values are", token.Read, http.StatusNotFound), s.points)
}

func (s *Server) points(ctx context.Context, in *pointsInput) (*body[pointsShape], error) {
	out := &body[pointsShape]{}
	return out, s.with(ctx, in.Study, func(h *host) error {
		sum, err := h.Summary(ctx)
		if err != nil {
			return err
		}
		axes, err := axesOf(sum.Config.Space, in.Params)
		if err != nil {
			return err
		}
		values, err := h.Values(ctx)
		if err != nil {
			return err
		}
		trials, err := h.Numbered(ctx, bestAndOthers(values, sum.Config.Goal, in.Limit)...)
		out.Body = shapePoints(trials, axes)
		out.Body.Total = len(values)
		return err
	})
}

// axesOf returns parameters that vary, by name or the first ones.
func axesOf(s *space.Space, names []string) (axes []axisShape, err error) {
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
			return nil, invalid("query.param", "no parameter that varies has the name "+name)
		}
		axes = append(axes, newAxis(p))
	}
	return axes, nil
}

func newAxis(p space.Param) axisShape {
	a := axisShape{Name: p.Name, Unit: p.Unit, Low: p.Low, High: p.High, Log: p.Kind == space.KindLog || p.Kind == space.KindLogInt, At: []float64{}}
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
func (a axisShape) at(v space.Params) float64 {
	if a.Labels == nil {
		return v.Float(a.Name)
	}
	text, _ := v.Text(a.Name)
	return float64(slices.Index(a.Labels, text))
}

func shapePoints(trials []study.Trial, axes []axisShape) pointsShape {
	p := pointsShape{Numbers: []int{}, Values: []float64{}, Axes: axes}
	for _, t := range trials {
		p.Numbers = append(p.Numbers, t.Number)
		p.Values = append(p.Values, *t.Value)
		for k := range axes {
			axes[k].At = append(axes[k].At, axes[k].at(t.Params))
		}
	}
	return p
}

// bestAndOthers returns the numbers of the best tenth of the trials, at most half the
// limit, and of an even choice of the others, the best last.
func bestAndOthers(values []study.Value, goal study.Goal, limit int) []int {
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
