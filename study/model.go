package study

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/outcome"
	"github.com/mahabo/mahabo/internal/suggest"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

// task is what the study's method has to do.
func (c Config) task(methods *strategy.Registry) suggest.Task {
	scheme := outcome.Of(c.Space.Outcomes())
	return suggest.Task{Space: c.Space, Methods: methods, Method: c.Method, Config: strategy.Config{
		Objectives: len(scheme.Objectives), Limits: len(scheme.Limits), Reference: scheme.Given(),
		TrueDim: c.TrueDim, Init: c.Init, Budget: c.Budget, Seed: c.Seed, Threads: c.Threads,
	}}
}

// question collects what the ledger has to say to a method.
func (l *ledger) question(count int, fixed space.Params, pins []space.Pin) *suggest.Question {
	obs, infeasible := l.observed()
	pending := make([]strategy.Suggestion, 0, len(infeasible)+len(l.open))
	for _, x := range infeasible {
		pending = append(pending, strategy.Suggestion{X: x})
	}
	for _, n := range l.open {
		t := l.trials.at(n)
		if t.Outside != "" {
			continue
		}
		pending = append(pending, strategy.Suggestion{X: t.point, Tag: t.tag})
	}
	l.index()
	taken, trials := l.keys, l.trials.len()
	return &suggest.Question{
		Costs: l.costs(),
		Task:  l.config.task(l.methods), Observations: obs, Pending: pending, Infeasible: append(infeasible, l.failing()...),
		Tried: func(key string) bool { return taken.has(key, trials) }, Trials: trials,
		Fixed: fixed, Pins: pins, Count: count, Former: l.former.known(),
	}
}

// failing are the points of failed trials, as far as so many followed one another that no accident explains it: they
// count as points that cannot be evaluated.
func (l *ledger) failing() (points []strategy.Point) {
	var row []strategy.Point
	before := 0
	for _, n := range append(slices.Clip(l.open), 0) {
		if n != before+1 { // a trial between them has an outcome
			if len(row) >= failuresInRow {
				points = append(points, row...)
			}
			row = nil
		}
		if before = n; n == 0 {
			break
		}
		if t := l.trials.at(n); t.State == evaluate.Failed && t.Outside == "" {
			row = append(row, t.point)
		}
	}
	return points
}

const failuresInRow = 3

// mostWeights is the number of weights that are kept.
const mostWeights = 10

// largest are the largest weights, by name of the parameter.
func largest(weights []float64, params []strategy.Param) map[string]float64 {
	order := make([]int, len(weights))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(weights[j], weights[i]) })
	kept := map[string]float64{}
	for _, i := range order[:min(mostWeights, len(order))] {
		kept[params[i].Name] = weights[i]
	}
	return kept
}

// answer is what a method chose.
type answer struct {
	placed []Placed // without numbers
	info   ModelInfo
}

// choose answers a question.
func choose(ctx context.Context, m *suggest.Model, q *suggest.Question, g Goal) (a answer, err error) {
	chosen, err := m.Answer(ctx, q)
	var fixed *suggest.FixedError
	if errors.As(err, &fixed) {
		err = &RequestError{err}
	}
	if err != nil {
		return a, err
	}
	scheme := outcome.Of(q.Space.Outcomes())
	r := chosen.Report
	a.info = ModelInfo{Method: q.Method, D: r.EmbeddingDim, Jitter: r.Jitter, Note: r.Note, Former: chosen.Former}
	a.info.FitSeconds = milliseconds(r.Fit)
	a.info.SearchSeconds = milliseconds(chosen.Took - r.Fit)
	if r.Fallback != nil {
		a.info.Fallback = r.Fallback.Error()
	}
	if r.WeightShare > 0 {
		a.info.WeightShare, a.info.WeightLead = r.WeightShare, r.WeightLead
		a.info.Weights = largest(r.Weights, q.Space.Domain().Params)
	}
	for _, c := range chosen.Chosen {
		p := Placed{Params: c.Params, Point: c.X, Tag: c.Tag}
		if c.Predicted {
			p.Predicted = &Prediction{Mean: g.inner(c.Mean), Std: c.Std}
			for k, term := range scheme.Terms() {
				if k < len(c.Means) {
					if p.Predicted.Outcomes == nil {
						p.Predicted.Outcomes = map[string]Prediction{}
					}
					p.Predicted.Outcomes[term.Name] = Prediction{Mean: term.Outer(c.Means[k]), Std: c.Stds[k]}
				}
			}
		}
		a.placed = append(a.placed, p)
	}
	return a, nil
}
