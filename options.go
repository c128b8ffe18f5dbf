package mahabo

import (
	"fmt"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/study"
)

// DefaultMethod is the method when none is named.
const DefaultMethod = "adaptive"

// Goal says which values are better.
type Goal = study.Goal

// The goals. The zero value is ToMinimize.
const (
	ToMinimize = study.Minimize
	ToMaximize = study.Maximize
)

// Options says how to optimise. The zero value of a field is its default.
type Options struct {
	Method string // name:key=value,... of Methods (DefaultMethod)
	Goal   Goal   // ToMinimize
	Init   int    // trials of the initial design (strategy.DefaultInit)
	Seed   uint64 // the same seed gives the same suggestions

	// Methods are those that Method can name; nil for the built-in ones.
	Methods *strategy.Registry

	// Evals are the evaluations after the initial design. An Optimizer may leave them out; a
	// method that knows them can plan for them.
	Evals int

	// Stop is the rule that ends evaluations early, by what they report with evaluate.Report: gain,
	// asha, median or curve, with options as name:key=value,... ("": none).
	Stop string
	// Cost is aware when points are chosen for what they are expected to bring beside what they cost ("": it does
	// not count).
	Cost string

	// The rest is for Minimize.

	Batch    int // trials chosen at a time after the initial design (1)
	Parallel int // evaluations at once (1)
	Retries  int // how often a failed trial is evaluated again

	// OnTrial is called after every trial, one call at a time. It may be nil.
	OnTrial func(evaluate.Result, evaluate.Progress)
}

// budget is the number of trials that are meant in all, 0 when it is unknown.
func (o Options) budget() int {
	if o.Evals == 0 {
		return 0
	}
	return o.Init + o.Evals
}

// withDefaults fills the fields left zero that have a default.
func (o Options) withDefaults() Options {
	if o.Method == "" {
		o.Method = DefaultMethod
	}
	if o.Goal == "" {
		o.Goal = ToMinimize
	}
	if o.Init == 0 {
		o.Init = strategy.DefaultInit
	}
	if o.Batch == 0 {
		o.Batch = 1
	}
	if o.Parallel == 0 {
		o.Parallel = 1
	}
	return o
}

// validate names the first field that cannot be used. Goal and Method are checked by
// package study, Batch, Parallel and Retries by package evaluate.
func (o Options) validate() error {
	switch {
	case o.Init < 1:
		return fmt.Errorf("Init is %d: the initial design needs at least one trial", o.Init)
	case o.Evals < 0:
		return fmt.Errorf("Evals is %d: it cannot be negative", o.Evals)
	}
	return nil
}

// Methods returns the registry of the built-in methods and some of one's own. It is an
// option here, of package study (WithMethods) and of the server, and cli.Main makes a
// program with it.
func Methods(own ...strategy.Method) (*strategy.Registry, error) {
	return methods.BuiltIn().With(own...)
}
