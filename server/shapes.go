package server

import (
	"encoding/json"
	"reflect"
	"slices"
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
			"outcomes": outcomesSchema(),
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

func outcomesSchema() *huma.Schema {
	return &huma.Schema{
		Type:        huma.TypeObject,
		Description: "By name: minimize, maximize or record, or an object with goal, at_most, at_least, reference, unit and description. Without any there is one objective, value.",
		AdditionalProperties: &huma.Schema{OneOf: []*huma.Schema{
			{Type: huma.TypeString, Enum: []any{"minimize", "maximize", "record"}},
			{Type: huma.TypeObject, AdditionalProperties: true},
		}},
		Examples: []any{map[string]any{"mass": "minimize", "stress": map[string]any{"at_most": 10}}},
	}
}

// outcomesTree is the section outcomes of a space file.
type outcomesTree struct{ json.RawMessage }

// Schema describes the section.
func (outcomesTree) Schema(huma.Registry) *huma.Schema { return outcomesSchema() }

// join adds the section to a space that has none.
func (o outcomesTree) join(s *space.Space) (*space.Space, error) {
	if len(o.RawMessage) == 0 || string(o.RawMessage) == "null" {
		return s, nil
	}
	if len(s.Outcomes()) > 0 {
		return nil, invalid("body.outcomes", "the space has outcomes too: give them once")
	}
	text, err := s.MarshalJSON()
	if err != nil {
		return nil, err
	}
	text = slices.Concat(text[:len(text)-1], []byte(`,"outcomes":`), o.RawMessage, []byte("}"))
	joined, err := space.Parse(text)
	if err != nil {
		return nil, invalid("body.outcomes", err.Error())
	}
	return joined, nil
}

// measured is the value of an outcome, and the standard deviation of its noise if it is known.
type measured struct{ value, std *float64 }

// Schema says that a number will do.
func (measured) Schema(huma.Registry) *huma.Schema {
	zero := 0.0
	return &huma.Schema{
		OneOf: []*huma.Schema{{Type: huma.TypeNumber}, {
			Type: huma.TypeObject, Required: []string{"value"}, AdditionalProperties: false,
			Properties: map[string]*huma.Schema{"value": {Type: huma.TypeNumber}, "std": {Type: huma.TypeNumber, Minimum: &zero}},
		}},
		Examples: []any{9.1},
	}
}

// UnmarshalJSON reads a number, or an object.
func (m *measured) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] != '{' {
		return json.Unmarshal(data, &m.value)
	}
	var object struct{ Value, Std *float64 }
	err := json.Unmarshal(data, &object)
	m.value, m.std = object.Value, object.Std
	return err
}

// MarshalJSON writes the shortest form.
func (m measured) MarshalJSON() ([]byte, error) {
	if m.std == nil {
		return json.Marshal(m.value)
	}
	return json.Marshal(map[string]*float64{"value": m.value, "std": m.std})
}

// values divides measured outcomes; nil when there are none.
func values(m map[string]measured) (values, stds map[string]float64) {
	for name, v := range m {
		if v.value == nil {
			continue
		}
		if values == nil {
			values = map[string]float64{}
		}
		values[name] = *v.value
		if v.std != nil {
			if stds == nil {
				stds = map[string]float64{}
			}
			stds[name] = *v.std
		}
	}
	return values, stds
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
	Number       int                `json:"number" doc:"From 1 on."`
	State        string             `json:"state" enum:"waiting,running,complete,failed,infeasible,stale,stopped"`
	Origin       string             `json:"origin" enum:"method,user,import" doc:"Who chose the point."`
	Params       params             `json:"params"`
	Predicted    orNull[predicted]  `json:"predicted" doc:"What the model expected of a point of the method, null when it had no model."`
	Value        *float64           `json:"value" doc:"Of a complete trial."`
	Std          float64            `json:"std,omitempty" doc:"Standard deviation of the value's noise."`
	Outcomes     map[string]float64 `json:"outcomes,omitempty" doc:"Told so far, where the study declares outcomes; value is that of the first objective once all objectives and limits are there."`
	Stds         map[string]float64 `json:"stds,omitempty" doc:"Standard deviations of their noise, where they are known."`
	Reason       string             `json:"reason,omitempty" doc:"Why it failed, is infeasible or was stopped."`
	Cost         float64            `json:"cost,omitempty" doc:"What was told of its cost."`
	Seconds      float64            `json:"seconds,omitempty" doc:"What was told of the time that its evaluation took."`
	Last         *stepShape         `json:"last,omitempty" doc:"Last report of a stopped trial."`
	CountsAs     *float64           `json:"counts_as,omitempty" doc:"What the method takes for the value of a stopped trial: what complete trials came to that had such a value at the same step, but no worse than the last report."`
	CountsStd    float64            `json:"counts_std,omitzero" doc:"Standard deviation of counts_as: how far off such estimates are for complete trials. Left out when it is not known."`
	Stop         bool               `json:"stop,omitempty" doc:"The rule of the study wants the running trial to end: tell it with the state stopped."`
	Notes        []string           `json:"notes,omitempty" nullable:"false"`
	Excluded     bool               `json:"excluded,omitempty" doc:"It keeps its outcome, but nobody learns from it."`
	Outside      string             `json:"outside,omitempty" doc:"Why the present parameters of the study have no place for it, which excludes it."`
	History      []changeShape      `json:"history,omitempty" nullable:"false" doc:"Its corrections, and how it failed or was stopped before, the latest last."`
	Batch        int                `json:"batch_id,omitempty" doc:"The batch that chose it; of a point that a user chose, the first that served it."`
	Worker       string             `json:"worker,omitempty"`
	Created      time.Time          `json:"created"`
	Asked        *time.Time         `json:"asked,omitempty" doc:"When it was last served."`
	Told         *time.Time         `json:"told,omitempty"`
	LeaseExpires *time.Time         `json:"lease_expires" doc:"Until when the worker has to tell or to send a heartbeat; null for ever."`
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

	Outcomes map[string]expected `json:"outcomes,omitempty" doc:"Of every objective and limit, where the study declares outcomes and the method models them."`
}

// expected is what a model expected of an outcome.
type expected struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
}

func shapePredicted(p *study.Prediction) orNull[predicted] {
	if p == nil {
		return orNull[predicted]{}
	}
	shape := &predicted{Mean: p.Mean, Std: p.Std}
	for name, o := range p.Outcomes {
		if shape.Outcomes == nil {
			shape.Outcomes = map[string]expected{}
		}
		shape.Outcomes[name] = expected{o.Mean, o.Std}
	}
	return orNull[predicted]{shape}
}

// instant is a time, nil when it is zero.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func shapeTrial(t study.Trial) trialShape {
	var last *stepShape
	if t.Last != nil {
		shape := shapeReport(*t.Last)
		last = &shape
	}
	return trialShape{
		Last: last, Number: t.Number, State: string(t.State), Origin: string(t.Origin), Params: params{t.Params},
		Predicted: shapePredicted(t.Predicted), Value: t.Value, Std: t.Std, Outcomes: t.Outcomes, Stds: t.Stds, Reason: t.Reason, Cost: t.Cost, Seconds: t.Seconds, CountsAs: t.CountsAs, CountsStd: t.CountsStd, Stop: t.Stop != "", Notes: t.Notes, Excluded: t.Excluded, Outside: t.Outside, History: shapeHistory(t), Batch: t.Batch, Worker: t.Worker,
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
