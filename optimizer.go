package mahabo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

// Trial is one set of parameters to evaluate.
type Trial = evaluate.Trial

// Outcome is what its evaluation found.
type Outcome = evaluate.Outcome

// Value is the outcome of a complete trial, or of a failed one if v is not finite.
func Value(v float64) Outcome { return evaluate.Value(v) }

// Optimizer suggests parameters and learns from their values. What it suggests is a
// function of its options and of what it was told: adding the same trials to a new one
// restores it. Its methods can be called concurrently.
type Optimizer struct {
	mu       sync.Mutex
	space    *space.Space
	opt      Options
	strategy strategy.Strategy
	trials   []entry         // trial n is entry n-1
	tried    map[string]bool // keys of the trials' points
	batch    int             // of the last trial
	best     int             // index of the best complete trial, -1 for none
	worst    float64         // highest value learned, in the strategy's sense
	learned  int             // trials the strategy was told of
	report   Report
}

// entry is a trial and what is known of it.
type entry struct {
	Trial
	Outcome // State is empty until it is told
	x       strategy.Point
	learned bool // the strategy was told
}

// Report says how the suggesting went.
type Report struct {
	Time      time.Duration // in Ask
	Fallbacks int           // batches that the method could not choose, which are uniform
	Fallback  error         // why, the last time
	Jitter    float64       // largest jitter the method reported
}

// New makes an optimizer over a space.
func New(s *space.Space, o Options) (*Optimizer, error) {
	o = o.WithDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if s == nil || s.Dim() == 0 {
		return nil, errors.New("the space is empty: make one with space.New or space.Parse")
	}
	method, err := strategy.New(o.Method, strategy.Config{Dim: s.Dim(), Init: o.Init, Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	return &Optimizer{space: s, opt: o, strategy: method, tried: map[string]bool{}, best: -1}, nil
}

// Ask suggests n trials to evaluate together; trials without an outcome are taken into
// account. In a finite space there can be fewer, and evaluate.ErrExhausted when
// everything has been tried.
func (o *Optimizer) Ask(ctx context.Context, n int) ([]Trial, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	start := time.Now()
	defer func() { o.report.Time += time.Since(start) }()
	if err := o.learn(); err != nil {
		return nil, err
	}
	points, err := o.strategy.Ask(ctx, n, o.pending())
	if err != nil {
		return nil, err
	}
	o.note()
	o.batch++
	var trials []Trial
	for _, p := range points {
		x, v, err := o.renew(p)
		if errors.Is(err, evaluate.ErrExhausted) && len(trials) > 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		trials = append(trials, o.add(x, v))
	}
	return trials, nil
}

// add makes a trial of values and the point that stands for them.
func (o *Optimizer) add(x strategy.Point, v space.Values) Trial {
	t := Trial{Number: len(o.trials) + 1, Batch: o.batch, Values: v}
	o.trials = append(o.trials, entry{Trial: t, x: x})
	o.tried[key(x)] = true
	return t
}

// Tell gives the outcome of a trial that was asked for. Failed trials are not modelled;
// infeasible ones count as bad as the worst value.
func (o *Optimizer) Tell(number int, outcome Outcome) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if number < 1 || number > len(o.trials) {
		return fmt.Errorf("trial %d was not asked for: there are %d", number, len(o.trials))
	}
	if told := o.trials[number-1].State; told != "" {
		return fmt.Errorf("trial %d was told before: it is %s", number, told)
	}
	if err := outcome.Validate(); err != nil {
		return err
	}
	o.settle(number-1, outcome)
	return nil
}

// Add tells of an evaluation that was not asked for, as from an earlier run.
func (o *Optimizer) Add(v space.Values, outcome Outcome) (Trial, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := outcome.Validate(); err != nil {
		return Trial{}, err
	}
	x, err := o.space.Encode(v)
	if err != nil {
		return Trial{}, err
	}
	if v, err = o.space.Decode(x); err != nil { // in the space's order, with the fixed
		return Trial{}, err
	}
	o.batch++
	t := o.add(x, v)
	o.settle(t.Number-1, outcome)
	return t, nil
}

// settle keeps the outcome of trial i.
func (o *Optimizer) settle(i int, outcome Outcome) {
	o.trials[i].Outcome = outcome
	if outcome.State == evaluate.Complete && (o.best < 0 || o.lower(outcome.Value) < o.lower(o.trials[o.best].Value)) {
		o.best = i
	}
}

// Best returns the best complete trial; ok is false when there is none.
func (o *Optimizer) Best() (t Trial, outcome Outcome, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.best < 0 {
		return t, outcome, false
	}
	return o.trials[o.best].Trial, o.trials[o.best].Outcome, true
}

// Report says how the suggesting went so far.
func (o *Optimizer) Report() Report {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.report
}

// lower turns a value so that lower is better.
func (o *Optimizer) lower(v float64) float64 {
	if o.opt.Goal == ToMaximize {
		return -v
	}
	return v
}

// learn tells the strategy what was told since the last Ask, in order of the trials, so
// that the order in which evaluations end within a round does not matter. Infeasible
// trials wait until there is a value to be as bad as.
func (o *Optimizer) learn() error {
	var news []strategy.Observation
	take := func(e *entry, y float64) {
		news = append(news, strategy.Observation{X: e.x, Value: y})
		e.learned = true
		if o.learned++; o.learned == 1 || y > o.worst {
			o.worst = y
		}
	}
	for i := range o.trials {
		if e := &o.trials[i]; e.State == evaluate.Complete && !e.learned {
			take(e, o.lower(e.Value))
		}
	}
	for i := range o.trials {
		if e := &o.trials[i]; e.State == evaluate.Infeasible && !e.learned && o.learned > 0 {
			take(e, o.worst)
		}
	}
	return o.strategy.Tell(news...)
}

// pending returns the points that the strategy was not told of. Failed ones stay among
// them: nothing is known there, and there is no use in going there again.
func (o *Optimizer) pending() []strategy.Point {
	var points []strategy.Point
	for _, e := range o.trials {
		if !e.learned {
			points = append(points, e.x)
		}
	}
	return points
}

// note keeps what the strategy says of its last Ask.
func (o *Optimizer) note() {
	reporter, ok := o.strategy.(strategy.Reporter)
	if !ok {
		return
	}
	last := reporter.LastAsk()
	o.report.Jitter = max(o.report.Jitter, last.Jitter)
	if last.Fallback != nil {
		o.report.Fallbacks++
		o.report.Fallback = last.Fallback
	}
}
