package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/problem"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/study"
)

// minimizeResult is the JSON output.
type minimizeResult struct {
	Method                     string        `json:"method"`
	Problem                    string        `json:"problem"`
	Dim                        int           `json:"dim"`
	Batch                      int           `json:"batch"`
	Evals                      int           `json:"evals"`
	Init                       int           `json:"init"`
	Seed                       uint64        `json:"seed"`
	Evaluated                  int           `json:"evaluated"` // below init+evals when interrupted
	Best                       float64       `json:"best"`
	Params                     *space.Params `json:"params,omitempty"` // where, if not all parameters are of [-1,1]
	X                          []float64     `json:"x"`                // where, in the box [-1,1]^D that stands for the parameters
	Seconds                    float64       `json:"seconds"`
	MedianSecondsPerSuggestion float64       `json:"median_seconds_per_suggestion"`
	Curve                      []float64     `json:"curve"`
	FallbackRounds             int           `json:"fallback_rounds"` // rounds in which the model could not be used
	Jitter                     float64       `json:"jitter"`          // largest jitter a factorisation needed
	Version                    string        `json:"version"`
}

// solution is a run of a built-in problem in a study that ends with it.
type solution struct {
	evaluated   int
	curve       []float64       // lowest value after each evaluation
	best        space.Params    // where the lowest is
	suggestions []time.Duration // time per point of its round's Ask, after the initial design
}

// solve minimises a built-in problem.
func (c *minimizeCmd) solve(ctx context.Context, s streams) (err error) {
	method, p, config, err := c.setup(s.methods)
	if err != nil {
		return err
	}
	var out *outputFile
	if c.Out != "" {
		if out, err = createOutput(c.Out); err != nil {
			return usagef("--out: %w", err)
		}
		defer out.discard()
	}
	one, err := study.Create(ctx, memory.New(), config, study.WithMethods(s.methods))
	if err != nil {
		return input(err)
	}
	source := one.Source(workerName(), 0)
	defer func() { err = errors.Join(err, source.Close(context.WithoutCancel(ctx))) }()
	evaluator, err := problemEvaluator(p)
	if err != nil {
		return err
	}

	show := newProgress(s.err, "evaluations", c.Quiet)
	var found solution
	err = evaluate.Run(ctx, evaluate.Options{
		Source: source, Evaluator: evaluator, Init: config.Init, Trials: config.Budget, Batch: c.Batch, Parallel: 1,
		OnReport: source.OnReport,
		OnResult: func(r evaluate.Result, g evaluate.Progress) error {
			found.note(r, g, config.Init)
			if len(found.curve) > 0 && len(config.Space.Outcomes()) == 0 {
				show.update(g.Done, g.Total, fmt.Sprintf("best %.6g  %s", found.curve[len(found.curve)-1], left(g.Remaining)))
			}
			return nil
		},
	})
	show.close()
	if errors.Is(err, context.Canceled) {
		err = interrupted(fmt.Sprintf("stopped after %d of %s", found.evaluated, counted(config.Budget, "evaluation")))
	}
	if errors.Is(err, evaluate.ErrExhausted) {
		fmt.Fprintf(s.err, "note: %v: the space has no other values\n", evaluate.ErrExhausted)
		err = nil
	}
	chosen := source.Report()
	if chosen.Fallbacks > 0 {
		fmt.Fprintf(s.err, "note: in %d rounds the model could not be used (%v); their points are uniform\n", chosen.Fallbacks, chosen.Fallback)
	}
	if config.Space != nil && len(config.Space.Outcomes()) > 0 {
		return errors.Join(err, c.writeSeveral(ctx, s, one, method, p, found.evaluated, chosen, out))
	}
	if len(found.curve) == 0 {
		return err
	}
	x, encodeErr := config.Space.Encode(found.best)
	report := minimizeResult{
		Method: method, Problem: p.Name, Dim: p.Dim, Batch: c.Batch, Evals: c.Evals, Init: config.Init, Seed: config.Seed,
		Evaluated: found.evaluated, Best: found.curve[len(found.curve)-1], X: x,
		Seconds:                    chosen.Time.Seconds(),
		MedianSecondsPerSuggestion: median(found.suggestions).Seconds(),
		Curve:                      found.curve, FallbackRounds: chosen.Fallbacks, Jitter: chosen.Jitter, Version: version(),
	}
	if p.Space != nil {
		report.Params = &found.best
	}
	return errors.Join(err, encodeErr, report.write(s.out, c.JSON), out.commit(report))
}

// writeSeveral reports the run of a problem with several outcomes.
func (c *minimizeCmd) writeSeveral(ctx context.Context, s streams, one *study.Study, method string, p problem.Problem, evaluated int, chosen study.Report, out *outputFile) error {
	ctx = context.WithoutCancel(ctx)
	best, ok, err := one.Best(ctx)
	if err != nil || !ok {
		return err
	}
	front, err := one.Front(ctx)
	if err != nil {
		return err
	}
	result := optimiseResult{
		Study: p.Name, Store: "memory", Method: method, Goal: one.Config().Goal, Batch: c.Batch, Evals: c.Evals, Init: c.initial(), Seed: c.seed(),
		Trials: evaluated, Trial: best.Number, Best: best.Mean, Params: &best.Params, Outcomes: best.Means, Violations: best.Violations,
		Seconds: chosen.Time.Seconds(), FallbackRounds: chosen.Fallbacks, Jitter: chosen.Jitter, Version: version(),
	}
	result.setFront(front)
	return errors.Join(result.write(s.out, c.JSON), out.commit(result))
}

// setup builds the problem and describes the study.
func (c *minimizeCmd) setup(methods *strategy.Registry) (method string, p problem.Problem, config study.Config, err error) {
	if method, err = methods.Canonical(cmp.Or(c.Method, defaultMethod)); err != nil {
		return "", p, config, usagef("--method: %w", err)
	}
	if p, err = c.problem(); err != nil {
		return "", p, config, err
	}
	config = study.Config{
		Name: "problem", Method: method, Seed: c.seed(), Init: c.initial(), Batch: c.Batch,
		Budget: c.initial() + c.Evals, TrueDim: p.TrueDim,
	}
	c.apply(&config)
	if config.Space, err = p.Parameters(); err != nil {
		return "", p, config, err
	}
	config = config.WithDefaults()
	if err := config.Check(methods); err != nil {
		return "", p, config, usagef("--method: %w", err)
	}
	return method, p, config, nil
}

// problemEvaluator evaluates a built-in problem.
func problemEvaluator(p problem.Problem) (evaluate.Evaluator, error) {
	f, err := p.Evaluator()
	return evaluate.Func(func(ctx context.Context, _ int, v space.Params) (evaluate.Outcome, error) {
		e, err := f(ctx, v)
		return e.Seen, err
	}), err
}

// note follows a result. Evaluations without a value leave the lowest as it was.
func (s *solution) note(r evaluate.Result, g evaluate.Progress, init int) {
	if r.Number > init {
		s.suggestions = append(s.suggestions, g.Suggestion)
	}
	s.evaluated++
	n := len(s.curve)
	switch {
	case r.State == evaluate.Complete && (n == 0 || r.Value < s.curve[n-1]):
		s.curve, s.best = append(s.curve, r.Value), r.Params
	case n > 0:
		s.curve = append(s.curve, s.curve[n-1])
	}
}

// median is 0 for an empty list.
func median(list []time.Duration) time.Duration {
	if len(list) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(list))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// write prints the result for people or for programs.
func (r *minimizeResult) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	place := largest(r.X, 8)
	if r.Params != nil {
		place = firstParams(*r.Params, 8)
	}
	_, err := fmt.Fprintf(w, "best value  %.6g after %s (%s on %s, %s)\nat          %s\ntime        %s in the method, %s per suggestion (median)\n",
		r.Best, counted(r.Evaluated, "evaluation"), r.Method, r.Problem, counted(r.Dim, "parameter"), place,
		seconds(r.Seconds), seconds(r.MedianSecondsPerSuggestion))
	return err
}

// largest writes the n coordinates of largest magnitude in order of their index.
func largest(x []float64, n int) string {
	order := make([]int, len(x))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(x[b]), math.Abs(x[a])) })
	shown := order[:min(n, len(x))]
	slices.Sort(shown)
	var b strings.Builder
	for i, j := range shown {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "x%d=%.4g", j, x[j])
	}
	if len(x) > n {
		fmt.Fprintf(&b, " (the largest %d of %d; --json or --out FILE has all)", n, len(x))
	}
	return b.String()
}
