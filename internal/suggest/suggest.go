package suggest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/former"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

// Task is what a study optimises and by which method.
type Task struct {
	Space   *space.Space
	Methods *strategy.Registry
	Method  string          // a specification
	Config  strategy.Config // the domain is that of the space
}

// New builds the method, which knows nothing yet, for a search with some coordinates held.
func (t Task) New(pins []space.Pin) (strategy.Strategy, error) {
	cfg := t.Config
	cfg.Domain = t.Space.Domain(pins...)
	return t.Methods.New(t.Method, cfg)
}

// Question is all that the answer depends on.
type Question struct {
	Task
	Observations []strategy.Observation // one per point with a value
	Pending      []strategy.Suggestion  // points without one
	Infeasible   []strategy.Point       // pending ones that cannot have one
	Tried        func(key string) bool  // whether a point has a trial
	Trials       int                    // how many there are
	Fixed        space.Params           // parameters to hold
	Pins         []space.Pin            // their coordinates
	Count        int
	Former       []former.Source // studies before this one
	Costs        *Costs          // nil: cost does not count

	added map[string]bool // keys of the points chosen so far
}

// keyBytes is the length of a key: enough that no two points are ever taken for one.
const keyBytes = 16

// Key is the same for equal points only; -0 equals 0. It is short, as a study has one of every
// trial.
func Key(x strategy.Point) string {
	b := make([]byte, 0, 8*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v+0))
	}
	if len(b) > keyBytes {
		sum := sha256.Sum256(b)
		b = sum[:keyBytes]
	}
	return string(b)
}

// tried says whether a point has a trial, or was just chosen.
func (q *Question) tried(x strategy.Point) bool {
	key := Key(x)
	return q.added[key] || q.Tried(key)
}

// Chosen is a point to evaluate.
type Chosen struct {
	Params    space.Params
	X         strategy.Point
	Tag       string
	Mean, Std float64 // what the method expects there of the first objective
	Means     []float64
	Stds      []float64 // of all objectives and limits; nil when it does not say
	Predicted bool      // it expects something
}

// outcomesPredictor is a strategy.Predictor that also says what it expects of every outcome, in
// their order.
type outcomesPredictor interface {
	PredictOutcomes(x strategy.Point) (means, stds []float64, ok bool)
}

// Answer is what a method chose.
type Answer struct {
	Chosen []Chosen
	Report strategy.AskReport
	Former []string      // what former studies were worth
	Took   time.Duration // all of the choice, learning included
}

// Model is a method and what it was told so far. It is kept between questions for speed
// only: a new one that is told the same gives the same points.
type Model struct {
	method strategy.Strategy
	space  *space.Space
	held   map[int]float64
	told   []strategy.Observation
	former *former.Model // nil without former studies
	found  []former.Finding
}

// learn tells the method what it does not know yet. A repeated point changes a mean that it
// was told, and other coordinates may be held: then it starts anew.
func (m *Model) learn(ctx context.Context, q *Question) error {
	obs, err := m.observations(ctx, q)
	if err != nil {
		return err
	}
	known := len(m.told)
	held := map[int]float64{}
	for _, p := range q.Pins {
		held[p.Coordinate] = p.Value
	}
	if m.method == nil || m.space != q.Space || known > len(obs) || !maps.Equal(m.held, held) || !slices.EqualFunc(m.told, obs[:known], same) {
		method, err := q.New(q.Pins)
		if err != nil {
			return err
		}
		*m, known = Model{method: method, space: q.Space, held: held, former: m.former, found: m.found}, 0
	}
	if err := m.method.Tell(obs[known:]...); err != nil {
		return err
	}
	m.told = obs
	return nil
}

// observations are those of former studies, as far as they are worth something, and the study's own.
func (m *Model) observations(ctx context.Context, q *Question) ([]strategy.Observation, error) {
	if len(q.Former) == 0 {
		return q.Observations, nil
	}
	if m.former == nil || m.space != q.Space {
		fitted, err := former.Fit(ctx, q.Space, q.Former)
		if err != nil {
			return nil, err
		}
		m.former = fitted
	}
	before, found := m.former.Observations(q.Observations)
	m.found = found
	return append(before, q.Observations...), nil
}

// probes are former points that a study begins with, as far as they are to be chosen now.
func (m *Model) probes(q *Question) (points []strategy.Suggestion) {
	if m.former == nil {
		return nil
	}
	all := m.former.Probes()
	for i := q.Trials; i < min(len(all), q.Trials+q.Count); i++ {
		points = append(points, strategy.Suggestion{X: all[i]})
	}
	return points
}

func same(a, b strategy.Observation) bool {
	return slices.Equal(a.Y, b.Y) && slices.Equal(a.Std, b.Std) && a.Tag == b.Tag && (&a.X[0] == &b.X[0] || slices.Equal(a.X, b.X))
}

// Answer answers a question. In a finite space there can be fewer points than were asked
// for, and evaluate.ErrExhausted when there are none.
func (m *Model) Answer(ctx context.Context, q *Question) (a Answer, err error) {
	began := time.Now()
	defer func() { a.Took = time.Since(began) }()
	if err := m.learn(ctx, q); err != nil {
		return a, err
	}
	for _, f := range m.found {
		a.Former = append(a.Former, f.String())
	}
	suggestions := m.probes(q)
	if n := q.Count - len(suggestions); n > 0 {
		rest := *q
		rest.Count, rest.Pending = n, slices.Concat(q.Pending, suggestions)
		more, err := m.ask(ctx, &rest)
		if err != nil {
			return a, err
		}
		suggestions = append(suggestions, more...)
	}
	if reporter, ok := m.method.(strategy.Reporter); ok {
		if a.Report = reporter.LastAsk(); slices.ContainsFunc(m.found, func(f former.Finding) bool { return f.Used }) {
			a.Report.Note = "" // it is about values that nobody told
		}
	}
	q.added = map[string]bool{}
	feasible := learnFeasibility(q.Observations, q.Infeasible)
	for _, s := range suggestions {
		c, err := q.renew(feasible.retreat(s.X))
		if errors.Is(err, evaluate.ErrExhausted) && len(a.Chosen) > 0 {
			break
		}
		if err != nil {
			return a, err
		}
		c.Tag = s.Tag
		if predictor, ok := m.method.(strategy.Predictor); ok {
			c.Mean, c.Std, c.Predicted = predictor.Predict(c.X)
		}
		if predictor, ok := m.method.(outcomesPredictor); ok && c.Predicted {
			c.Means, c.Stds, _ = predictor.PredictOutcomes(c.X)
		}
		q.added[Key(c.X)] = true
		a.Chosen = append(a.Chosen, c)
	}
	return a, nil
}

// ask has the method choose, more points than are wanted where cost counts.
func (m *Model) ask(ctx context.Context, q *Question) ([]strategy.Suggestion, error) {
	count, aware := q.Count, q.Costs != nil && q.Costs.Share > 0 && q.Config.Objectives <= 1 && min(len(q.Costs.Points), len(q.Observations)) >= leastCosts && q.Trials >= q.Config.Init
	if aware {
		count *= perPoint
	}
	suggestions, err := m.method.Ask(ctx, count, q.Pending)
	if err != nil {
		return nil, err
	}
	if len(suggestions) != count {
		return nil, fmt.Errorf("the method returned %d points, asked for %d", len(suggestions), count)
	}
	if aware {
		chosen, err := q.Costs.choose(ctx, q, suggestions)
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		if len(chosen) == q.Count {
			return chosen, nil
		}
	}
	return suggestions[:q.Count], nil
}

// Place returns the values with those of fixed parameters, and the point that stands for
// them.
func Place(sp *space.Space, v space.Params) (params space.Params, x strategy.Point, err error) {
	if params, err = sp.Complete(v); err != nil {
		return params, nil, err
	}
	x, err = sp.Encode(params)
	return params, x, err
}
