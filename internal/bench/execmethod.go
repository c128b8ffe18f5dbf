package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/dialogue"
	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// number is a value, in JSON a number or {"value": 1.5, "std": 0.1}.
type number struct {
	Value float64 `json:"value"`
	Std   float64 `json:"std"`
}

func (n *number) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		type plain number
		return json.Unmarshal(data, (*plain)(n))
	}
	n.Std = 0
	return json.Unmarshal(data, &n.Value)
}

// task is the first line that a program gets that is a method.
type task struct {
	Space    *space.Space   `json:"space"`
	Outcomes map[string]any `json:"outcomes"`
	Init     int            `json:"init"`
	Batch    int            `json:"batch"`
	Evals    int            `json:"evals"`
	Seed     uint64         `json:"seed"`
	Initial  []space.Params `json:"initial"` // that the first ask should return
}

// told is one evaluation: its outcome or why there is none.
type told struct {
	Params   space.Params       `json:"params"`
	Outcomes map[string]float64 `json:"outcomes,omitempty"`
	Failed   string             `json:"failed,omitempty"`
	Stopped  *reported          `json:"stopped,omitempty"` // its last report, when it was ended early
}

// reported is a value of an evaluation that runs, which a program hears of that wants to.
type reported struct {
	Params space.Params `json:"params,omitzero"`
	Step   int64        `json:"step"`
	Value  float64      `json:"value"`
}

// peer is a program as a method. What is told goes to it before the next ask.
type peer struct {
	name    string
	space   *space.Space
	program *dialogue.Program
	asked   []space.Params // by number
	results []told
	rounds  int

	hears bool             // of reports
	last  map[int]reported // by number
}

var _ optimiser = (*peer)(nil)

// startPeer runs a program as the method of a study's configuration. Starting it, which may
// load large libraries, is not counted.
func startPeer(ctx context.Context, p program, c study.Config, limit time.Duration) (optimiser, error) {
	initial, err := initialDesign(ctx, c)
	if err != nil {
		return nil, err
	}
	d, err := dialogue.Start(p.argv, limit)
	if err != nil {
		return nil, err
	}
	first := task{
		Space: c.Space, Outcomes: outcomesOf(c.Space),
		Init: c.Init, Batch: c.Batch, Evals: c.Budget - c.Init, Seed: c.Seed, Initial: initial,
	}
	var ready struct {
		Reports bool `json:"reports"`
	}
	if err := d.Ask(ctx, first, &ready); err != nil {
		d.Close()
		return nil, err
	}
	return &peer{name: p.name, space: c.Space, program: d, hears: ready.Reports, last: map[int]reported{}}, nil
}

// outcomesOf is what a program is told of the outcomes.
func outcomesOf(s *space.Space) map[string]any {
	outcomes := map[string]any{}
	for _, o := range s.Outcomes() {
		var how any = "record"
		limit := map[string]float64{}
		switch {
		case o.AtMost != nil:
			limit["at_most"] = *o.AtMost
			how = limit
		case o.AtLeast != nil:
			limit["at_least"] = *o.AtLeast
			how = limit
		}
		if o.Goal != "" {
			how = o.Goal
		}
		outcomes[o.Name] = how
	}
	if len(outcomes) == 0 {
		outcomes[outcomeName] = string(study.Minimize)
	}
	return outcomes
}

// outcomeName is that of the one outcome that methods are told.
const outcomeName = "value"

// designer is a method that has the initial design which methods share.
const designer = "random"

// initialDesign returns the points with which the built-in methods begin.
func initialDesign(ctx context.Context, c study.Config) (points []space.Params, err error) {
	c.Method = designer
	o, err := newStudied(ctx, methods.BuiltIn(), c)
	if err != nil {
		return nil, err
	}
	trials, err := o.Ask(ctx, c.Init)
	for _, t := range trials {
		points = append(points, t.Params)
	}
	if err != nil {
		return nil, err
	}
	return points, o.close(ctx)
}

// tellNew tells the program what is new.
func (p *peer) tellNew(ctx context.Context) error {
	if len(p.results) == 0 {
		return nil
	}
	err := p.program.Ask(ctx, map[string][]told{"tell": p.results}, &struct{}{})
	p.results = nil
	return err
}

// Ask tells the program what is new and asks for n points.
func (p *peer) Ask(ctx context.Context, n int) ([]evaluate.Trial, error) {
	if err := p.tellNew(ctx); err != nil {
		return nil, err
	}
	var answer struct {
		Params []space.Params `json:"params"`
	}
	if err := p.program.Ask(ctx, map[string]int{"ask": n}, &answer); err != nil {
		return nil, err
	}
	if len(answer.Params) != n {
		return nil, fmt.Errorf("%s answered with %d points, asked for %d", p.name, len(answer.Params), n)
	}
	p.rounds++
	trials := make([]evaluate.Trial, n)
	for i, v := range answer.Params {
		complete, err := p.space.Complete(v)
		if err == nil {
			err = p.keepsConstraints(complete)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, point %d of an answer: %w", p.name, i+1, err)
		}
		p.asked = append(p.asked, complete)
		trials[i] = evaluate.Trial{Number: len(p.asked), Batch: p.rounds, Params: complete}
	}
	return trials, nil
}

func (p *peer) keepsConstraints(v space.Params) error {
	constraint, by, err := p.space.Broken(v)
	if err == nil && by > 0 {
		err = fmt.Errorf("it breaks the constraint %q by %g", constraint, by)
	}
	return err
}

// Tell keeps an outcome for the next ask or report.
func (p *peer) Tell(_ context.Context, number int, o evaluate.Outcome) error {
	t := told{Params: p.asked[number-1], Failed: o.Reason}
	if last, known := p.last[number]; o.State == evaluate.Stopped && known {
		t.Failed, t.Stopped = "", &reported{Step: last.Step, Value: last.Value}
	}
	if o.State == evaluate.Complete {
		if t.Outcomes = o.Outcomes; t.Outcomes == nil {
			t.Outcomes = map[string]float64{outcomeName: o.Value}
		}
	}
	p.results = append(p.results, t)
	return nil
}

// reports has the program say whether an evaluation should end, if it wants to. It knows the outcomes of those before by then.
func (p *peer) reports() reportFunc {
	if !p.hears {
		return nil
	}
	return func(ctx context.Context, number int, steps []int64, reached []evaluate.Outcome) string {
		if p.tellNew(ctx) != nil {
			return "" // the next ask says what is wrong
		}
		for i, step := range steps {
			p.last[number] = reported{p.asked[number-1], step, reached[i].Value}
			var answer struct {
				Stop bool `json:"stop"`
			}
			if err := p.program.Ask(ctx, map[string]reported{"report": p.last[number]}, &answer); err != nil {
				return "" // the next ask says what is wrong
			}
			if answer.Stop {
				return p.name
			}
		}
		return ""
	}
}

// clock is that of the program's process.
func (p *peer) clock(int) func() time.Duration { return p.program.CPU }

// fallbacks is 0: a program does not say.
func (p *peer) fallbacks() int { return 0 }

func (p *peer) close(context.Context) error {
	p.program.Close()
	return nil
}
