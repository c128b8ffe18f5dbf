package server

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// params are values by the names of parameters.
type params struct{ space.Params }

// Schema says that a value is a number, a text or a bool.
func (params) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type:        huma.TypeObject,
		Description: "Values by the names of parameters.",
		AdditionalProperties: &huma.Schema{OneOf: []*huma.Schema{
			{Type: huma.TypeNumber}, {Type: huma.TypeString}, {Type: huma.TypeBoolean},
		}},
		Examples: []any{map[string]any{"rate": 0.01, "layers": 3, "solver": "rk4"}},
	}
}

// UnmarshalJSON reads an object; null stands for none.
func (p *params) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	return p.Params.UnmarshalJSON(data)
}

// spaceTree is a space as in a space file.
type spaceTree struct{ *space.Space }

// Schema describes the tree of a space file.
func (spaceTree) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type:        huma.TypeObject,
		Description: "Parameters and constraints, the same tree as a space file.",
		Required:    []string{"parameters"},
		Properties: map[string]*huma.Schema{
			"parameters": {
				Type:                 huma.TypeObject,
				Description:          `By name; "w[0:199]" stands for w0 to w199. One of float, log, int, logint, ordinal, choice, bool or fixed says the kind.`,
				AdditionalProperties: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true},
			},
			"constraints": {
				Type:        huma.TypeArray,
				Description: "Linear inequalities between parameters.",
				Items:       &huma.Schema{Type: huma.TypeString},
			},
		},
		AdditionalProperties: false,
		Examples: []any{map[string]any{
			"parameters":  map[string]any{"rate": map[string]any{"log": []float64{1e-5, 0.1}}, "x": map[string]any{"float": []float64{0, 1}}},
			"constraints": []string{"x + rate <= 1"},
		}},
	}
}

// UnmarshalJSON reads the tree of a space file.
func (s *spaceTree) UnmarshalJSON(data []byte) error {
	s.Space = &space.Space{}
	return s.Space.UnmarshalJSON(data)
}

// orNull is a T, or null.
type orNull[T any] struct{ v *T }

// Schema says so.
func (orNull[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{r.Schema(reflect.TypeFor[T](), true, ""), {Type: "null"}}}
}

// MarshalJSON writes the T.
func (o orNull[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.v) }

// trialShape is a trial as answers have it.
type trialShape struct {
	Number       int               `json:"number" doc:"From 1 on."`
	State        string            `json:"state" enum:"waiting,running,complete,failed,infeasible,stale"`
	Origin       string            `json:"origin" enum:"method,user,import" doc:"Who chose the point."`
	Params       params            `json:"params"`
	Predicted    orNull[predicted] `json:"predicted" doc:"What the model expected of a point of the method, null when it had no model."`
	Value        *float64          `json:"value" doc:"Of a complete trial."`
	Std          float64           `json:"std,omitempty" doc:"Standard deviation of the value's noise."`
	Reason       string            `json:"reason,omitempty" doc:"Why it failed or is infeasible."`
	Notes        []string          `json:"notes,omitempty" nullable:"false"`
	Excluded     bool              `json:"excluded,omitempty" doc:"It keeps its outcome, but nobody learns from it."`
	Outside      string            `json:"outside,omitempty" doc:"Why the present parameters of the study have no place for it, which excludes it."`
	History      []changeShape     `json:"history,omitempty" nullable:"false" doc:"Its corrections, the latest last."`
	Batch        int               `json:"batch_id,omitempty" doc:"The last batch that served it."`
	Worker       string            `json:"worker,omitempty"`
	Created      time.Time         `json:"created"`
	Asked        *time.Time        `json:"asked,omitempty" doc:"When it was last served."`
	Told         *time.Time        `json:"told,omitempty"`
	LeaseExpires *time.Time        `json:"lease_expires" doc:"Until when the worker has to tell or to send a heartbeat; null for ever."`
}

// changeShape is one correction of a trial.
type changeShape struct {
	Time time.Time `json:"time"`
	By   string    `json:"by,omitempty" doc:"Who made it, if known."`
	What string    `json:"what" example:"value 8.2 -> 0.82"`
}

func shapeHistory(t study.Trial) (list []changeShape) {
	for _, c := range t.History {
		list = append(list, changeShape(c))
	}
	return list
}

// predicted is what a model expected.
type predicted struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
}

func shapePredicted(p *study.Prediction) orNull[predicted] {
	if p == nil {
		return orNull[predicted]{}
	}
	return orNull[predicted]{&predicted{p.Mean, p.Std}}
}

// instant is a time, nil when it is zero.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func shapeTrial(t study.Trial) trialShape {
	return trialShape{
		Number: t.Number, State: string(t.State), Origin: string(t.Origin), Params: params{t.Params},
		Predicted: shapePredicted(t.Predicted), Value: t.Value, Std: t.Std, Reason: t.Reason, Notes: t.Notes, Excluded: t.Excluded, Outside: t.Outside, History: shapeHistory(t), Batch: t.Batch, Worker: t.Worker,
		Created: t.Created, Asked: instant(t.Asked), Told: instant(t.Told), LeaseExpires: instant(t.Expires),
	}
}

func shapeTrials(trials []study.Trial) []trialShape {
	shapes := make([]trialShape, len(trials))
	for i, t := range trials {
		shapes[i] = shapeTrial(t)
	}
	return shapes
}
