package mahabo

import (
	"context"
	"errors"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/study"
)

// Trial is one set of parameters to evaluate.
type Trial = evaluate.Trial

// Outcome is what its evaluation found.
type Outcome = evaluate.Outcome

// Value is the outcome of a complete trial, or of a failed one if v is not finite.
func Value(v float64) Outcome { return evaluate.Value(v) }

// Optimizer suggests parameters and learns from their values: a study in memory. What it
// suggests is a function of its options and of what it was told: adding the same trials
// to a new one restores it. Its methods can be called concurrently.
type Optimizer struct {
	study  *study.Study
	source *study.Source
}

// New makes an optimizer over a space.
func New(s *space.Space, o Options) (*Optimizer, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	if s == nil || s.Dim() == 0 {
		return nil, errors.New("the space is empty: make one with space.New or space.Parse")
	}
	one, err := study.Create(context.Background(), memory.New(), study.Config{
		Name: "optimizer", Space: s, Method: o.Method, Goal: o.Goal, Init: o.Init, Seed: o.Seed,
		Budget: o.budget(), Stop: o.Stop, Cost: o.Cost,
	}, o.study()...)
	if err != nil {
		return nil, err
	}
	return &Optimizer{study: one, source: one.Source("", 0)}, nil
}

// study returns the options of the study.
func (o Options) study() []study.Option {
	if o.Methods == nil {
		return nil
	}
	return []study.Option{study.WithMethods(o.Methods)}
}

// Ask suggests n trials to evaluate together; trials without an outcome are taken into
// account. In a finite space there can be fewer, and evaluate.ErrExhausted when
// everything has been tried.
func (o *Optimizer) Ask(ctx context.Context, n int) ([]Trial, error) { return o.source.Ask(ctx, n) }

// Tell gives the outcome of a trial that was asked for. Telling the same again changes
// nothing, another outcome is refused. Failed trials are not modelled; of infeasible ones
// it is learned where not to go.
func (o *Optimizer) Tell(number int, outcome Outcome) error {
	if err := outcome.Validate(); err != nil {
		return err
	}
	return o.study.Tell(context.Background(), number, outcome)
}

// Add tells of an evaluation that was not asked for, as from an earlier run.
func (o *Optimizer) Add(v space.Params, outcome Outcome) (Trial, error) {
	if err := outcome.Validate(); err != nil {
		return Trial{}, err
	}
	t, err := o.study.Add(context.Background(), v, outcome)
	return Trial{Number: t.Number, Params: t.Params}, err
}

// Best returns the best complete trial, of repeated ones the first with the mean of their
// values; ok is false when there is none. Where the space declares limits it is the best that keeps
// all, or the one that violates them least; of several objectives the knee of the front.
func (o *Optimizer) Best() (t Trial, outcome Outcome, ok bool) {
	best, ok, err := o.study.Best(context.Background())
	if err != nil || !ok { // memory does not fail
		return t, outcome, false
	}
	return Trial{Number: best.Number, Batch: best.Batch, Params: best.Params},
		Outcome{State: best.State, Value: best.Mean, Std: best.Std, Outcomes: best.Means}, true
}

// Report says how the suggesting went so far.
func (o *Optimizer) Report() study.Report { return o.source.Report() }
