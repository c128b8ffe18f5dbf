package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/dialogue"
	"github.com/mahabo/mahabo/internal/problem"
	"github.com/mahabo/mahabo/space"
)

// header is the first line of a program that is a problem.
type header struct {
	Name     string          `json:"name"`
	Space    *space.Space    `json:"space"`
	Outcomes json.RawMessage `json:"outcomes"`
	Minimum  *float64        `json:"minimum"`
}

// question asks for the outcome of parameters.
type question struct {
	Params space.Params `json:"params"`
	Seed   uint64       `json:"seed"`
}

// reply is what came of them: outcomes by name, the short form for one, or why there are
// none.
type reply struct {
	Outcomes map[string]*number `json:"outcomes"`
	Value    *number            `json:"value"`
	Failed   *string            `json:"failed"`
}

// startProblem runs a program as the problem of a trial. The caller closes the program.
func startProblem(ctx context.Context, p program, seed uint64, limit time.Duration) (problem.Problem, *dialogue.Program, error) {
	d, err := dialogue.Start(p.argv, limit)
	if err != nil {
		return problem.Problem{}, nil, err
	}
	made, err := openProblem(ctx, p.name, d, seed)
	if err != nil {
		d.Close()
		return problem.Problem{}, nil, err
	}
	return made, d, nil
}

// openProblem reads what a program says of itself.
func openProblem(ctx context.Context, name string, d *dialogue.Program, seed uint64) (problem.Problem, error) {
	var h header
	if err := d.Read(ctx, &h); err != nil {
		return problem.Problem{}, fmt.Errorf("the first line: %w", err)
	}
	if h.Space == nil || h.Space.Dim() == 0 {
		return problem.Problem{}, fmt.Errorf(`%s: the first line has no "space": print {"name": ..., "space": {"parameters": {...}}}`, name)
	}
	var outcomes map[string]any
	if len(h.Outcomes) > 0 {
		if err := json.Unmarshal(h.Outcomes, &outcomes); err != nil {
			return problem.Problem{}, fmt.Errorf("%s: outcomes: %w", name, err)
		}
	}
	several := len(h.Space.Outcomes()) > 0
	if isSeveral(outcomes) {
		joined, err := withOutcomes(h.Space, h.Outcomes)
		if err != nil {
			return problem.Problem{}, fmt.Errorf("%s: outcomes: %w", name, err)
		}
		h.Space, several = joined, true
	}
	made := problem.Problem{Name: name, Description: h.Name, Space: h.Space, Minimum: math.NaN()}
	outcome, sign := "value", 1.0
	if !several {
		var err error
		if outcome, sign, err = objective(outcomes); err != nil {
			return problem.Problem{}, fmt.Errorf("%s: outcomes: %w", name, err)
		}
	}
	for _, p := range h.Space.Params() {
		if p.Kind != space.KindFixed {
			made.Dim++
		}
	}
	if h.Minimum != nil {
		made.Minimum = sign * *h.Minimum
	}
	made.Named = func(ctx context.Context, v space.Params) (problem.Evaluation, error) {
		var r reply
		if err := d.Ask(ctx, question{v, seed}, &r); err != nil {
			return problem.Evaluation{}, err
		}
		if several {
			seen, err := r.named()
			return problem.Evaluation{Seen: seen, Value: seen.Value}, err
		}
		seen, err := r.outcome(outcome, sign)
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return problem.Evaluation{Seen: seen, Value: seen.Value}, err
	}
	return made, nil
}

// isSeveral says whether outcomes are more than one objective.
func isSeveral(outcomes map[string]any) bool {
	objectives := 0
	for _, kind := range outcomes {
		if _, limit := kind.(map[string]any); limit {
			return true
		}
		if kind == "minimize" || kind == "maximize" {
			objectives++
		}
	}
	return objectives > 1
}

// withOutcomes adds the section outcomes to a space.
func withOutcomes(s *space.Space, section json.RawMessage) (*space.Space, error) {
	text, err := s.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return space.Parse(slices.Concat(text[:len(text)-1], []byte(`,"outcomes":`), section, []byte("}")))
}

// named returns the outcomes by name. One that is not finite is a failure.
func (r reply) named() (evaluate.Outcome, error) {
	if r.Failed != nil {
		return evaluate.Failure("%s", *r.Failed), nil
	}
	o := evaluate.Outcome{State: evaluate.Complete, Outcomes: map[string]float64{}, Stds: map[string]float64{}}
	for _, name := range keysOf(r.Outcomes) {
		v := r.Outcomes[name]
		if v == nil {
			return evaluate.Failure("outcome %s is not finite", name), nil
		}
		o.Outcomes[name] = v.Value
		if v.Std > 0 {
			o.Stds[name] = v.Std
		}
	}
	if len(o.Outcomes) == 0 {
		return evaluate.Failure("the answer has no outcomes"), nil
	}
	return o, o.Validate()
}

// objective returns the name of the one objective, and -1 where higher is better: curves
// hold what is minimised.
func objective(outcomes map[string]any) (name string, sign float64, err error) {
	if len(outcomes) == 0 {
		return "value", 1, nil
	}
	for outcome, kind := range outcomes {
		switch kind {
		case "record":
			continue
		case "minimize", "maximize":
		default:
			return "", 0, fmt.Errorf("%s is %v: benchmarks take minimize, maximize and record", outcome, kind)
		}
		if name != "" {
			return "", 0, fmt.Errorf("%s and %s are objectives: benchmarks take one", min(name, outcome), max(name, outcome))
		}
		name, sign = outcome, 1
		if kind == "maximize" {
			sign = -1
		}
	}
	if name == "" {
		return "", 0, errors.New("none is an objective: name one, as in {\"value\": \"minimize\"}")
	}
	return name, sign, nil
}

// outcome returns what the method is told. A value that is not finite is a failure.
func (r reply) outcome(name string, sign float64) (evaluate.Outcome, error) {
	if r.Failed != nil {
		return evaluate.Failure("%s", *r.Failed), nil
	}
	value := r.Value
	if r.Outcomes != nil {
		var ok bool
		if value, ok = r.Outcomes[name]; !ok {
			return evaluate.Outcome{}, fmt.Errorf("the answer has no outcome %q but %v", name, keysOf(r.Outcomes))
		}
	}
	if value == nil && r.Outcomes == nil && r.Value == nil {
		return evaluate.Failure("the answer has no finite value"), nil
	}
	if value == nil {
		return evaluate.Failure("outcome %s is not finite", name), nil
	}
	o := evaluate.Value(sign * value.Value)
	o.Std = value.Std
	return o, o.Validate()
}

func keysOf(m map[string]*number) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
