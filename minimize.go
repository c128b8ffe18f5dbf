package mahabo

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// ErrInfeasible is what an objective returns, wrapped or not, for parameters that cannot
// be evaluated. The method keeps away from them.
var ErrInfeasible = errors.New("infeasible")

// Objective is the function to optimise. An error makes the trial a failed one, or with
// ErrInfeasible an infeasible one; so does a value that is not finite. With
// Options.Parallel above 1 it is called from several goroutines at once.
type Objective = func(ctx context.Context, v space.Params) (float64, error)

// Result is what Minimize has found. It is valid after an error too.
type Result struct {
	Best      evaluate.Result   // the best complete trial; State is empty if there is none
	Trials    []evaluate.Result // in order of their numbers
	Exhausted bool              // the space is finite and has no more to try
	Report    study.Report
}

// Minimize evaluates f at Init + Evals parameters of a space and returns the best.
// Cancelling ctx ends it when the running evaluations return.
func Minimize(ctx context.Context, f Objective, s *space.Space, o Options) (Result, error) {
	var r Result
	if f == nil {
		return r, errors.New("the objective is nil: there is nothing to minimise")
	}
	o = o.withDefaults()
	optimizer, err := New(s, o)
	if err != nil {
		return r, err
	}
	err = evaluate.Run(ctx, evaluate.Options{
		Source: optimizer.source, Evaluator: evaluator(f),
		Init: o.Init, Trials: o.Init + o.Evals, Batch: o.Batch, Parallel: o.Parallel, Retries: o.Retries, OnReport: optimizer.source.OnReport,
		OnResult: func(t evaluate.Result, p evaluate.Progress) error {
			r.Trials = append(r.Trials, t)
			if o.OnTrial != nil {
				o.OnTrial(t, p)
			}
			return nil
		},
	})
	if errors.Is(err, evaluate.ErrExhausted) {
		r.Exhausted, err = true, nil
	}
	slices.SortFunc(r.Trials, func(a, b evaluate.Result) int { return cmp.Compare(a.Number, b.Number) })
	if best, _, ok := optimizer.Best(); ok {
		i := slices.IndexFunc(r.Trials, func(t evaluate.Result) bool { return t.Number == best.Number })
		r.Best = r.Trials[i]
	}
	r.Report = optimizer.Report()
	return r, err
}

// evaluator turns errors of a Go function into outcomes.
func evaluator(f Objective) evaluate.Func {
	return func(ctx context.Context, _ int, v space.Params) (Outcome, error) {
		y, err := f(ctx, v)
		switch {
		case err != nil && ctx.Err() != nil:
			return Outcome{}, ctx.Err()
		case errors.Is(err, ErrInfeasible):
			return Outcome{State: evaluate.Infeasible, Reason: err.Error()}, nil
		case errors.Is(err, evaluate.ErrStopped):
			return Outcome{State: evaluate.Stopped}, nil
		case err != nil:
			return Outcome{State: evaluate.Failed, Reason: err.Error()}, nil
		}
		return Value(y), nil
	}
}
