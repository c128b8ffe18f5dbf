package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mahabo/mahabo/internal/live"
)

// Options says what to run.
type Options struct {
	Source    Source
	Evaluator Evaluator
	Init      int  // trials to ask for first: the initial design, or what is left of it; 0 for none
	Trials    int  // trials to make, the first included
	Batch     int  // trials to ask for at a time after the first, at least 1
	Parallel  int  // trials evaluated at once, at least 1
	Retries   int  // how often a failed trial is evaluated again
	Worked    bool // trials have worked before: a design that fails does not end the run
	Failed    int  // trials that failed before, when none has worked: some more end the run without a design too

	// OnStart is called before a trial's evaluation begins, from the goroutine of Run. An error ends the run like
	// Stop, and the trial is not begun. It may be nil.
	OnStart func(Trial) error
	// OnReport takes what a trial that runs has reached at steps, and says why it should end, "" to go
	// on. It is called from the goroutines of evaluations. Nil: reports are dropped.
	OnReport func(ctx context.Context, number int, steps []int64, reached []Outcome) (stop string)
	// Stop, when closed, ends the run as soon as the running trials have ended.
	Stop <-chan struct{}
	// OnResult is called after every trial, from the goroutine of Run. An error ends
	// the run like Stop. It may be nil.
	OnResult func(Result, Progress) error
}

// validate names the first field that cannot be used.
func (o Options) validate() error {
	switch {
	case o.Source == nil:
		return errors.New("Source is nil: there is nothing to ask")
	case o.Evaluator == nil:
		return errors.New("Evaluator is nil: there is nothing to evaluate with")
	case o.Init < 0:
		return fmt.Errorf("Init is %d: it cannot be negative", o.Init)
	case o.Trials < 0:
		return fmt.Errorf("Trials is %d: it cannot be negative", o.Trials)
	case o.Batch < 1:
		return fmt.Errorf("Batch is %d: a round needs at least one trial", o.Batch)
	case o.Parallel < 1:
		return fmt.Errorf("Parallel is %d: at least one trial must be evaluated at a time", o.Parallel)
	case o.Failed < 0:
		return fmt.Errorf("Failed is %d: it cannot be negative", o.Failed)
	case o.Retries < 0:
		return fmt.Errorf("Retries is %d: it cannot be negative", o.Retries)
	}
	return nil
}

// Progress is the state of a run after a trial.
type Progress struct {
	Done, Total int // trials of this run
	Running     int
	Suggestion  time.Duration // time per trial of the last Ask
	Remaining   time.Duration // estimate from the speed so far
}

// ErrNoneWorked ends a run in which every trial of the initial design failed, or where all had failed before.
var ErrNoneWorked = errors.New("no trial has worked")

// ErrExhausted says that the source has no more trials to make.
var ErrExhausted = errors.New("no parameters are left to try")

// ErrStopped says that Stop was closed before all trials were made; of Report, that the trial
// should end.
var ErrStopped = errors.New("stopped")

// Run makes trials and has them evaluated until all are done, Stop is closed
// (ErrStopped), the source has no more (ErrExhausted), or something goes wrong; then it
// waits for the trials that run. Cancelling ctx cancels those too: their outcomes are
// lost.
func Run(ctx context.Context, o Options) error {
	if err := o.validate(); err != nil {
		return err
	}
	r := &runner{Options: o, worked: o.Worked, ended: make(chan ending, o.Parallel), start: time.Now()}
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-o.Stop:
			cancel()
		case <-asking.Done():
		}
	}()

	for {
		r.check(ctx)
		r.startQueued(ctx)
		if r.wantsMore() {
			r.ask(asking)
			continue
		}
		if r.running == 0 {
			return cmp.Or(r.untold, r.err)
		}
		select {
		case e := <-r.ended:
			r.finish(context.WithoutCancel(ctx), e) // what was found is kept
		case <-r.Stop:
		}
	}
}

// runner is the state of Run, owned by its goroutine.
type runner struct {
	Options
	queue      []Trial // asked for, not started
	asked      int
	running    int
	done       int
	worked     bool  // not all trials failed
	err        error // the first; nothing is started after it
	untold     error // outcomes that the source did not take: they are nowhere else
	ended      chan ending
	start      time.Time
	suggestion time.Duration
}

// ending is what a goroutine reports of its trial.
type ending struct {
	Result
	err error
}

// note keeps the first error. After it nothing is asked for or started.
func (r *runner) note(err error) {
	if err != nil && r.err == nil {
		r.err = err
		r.queue = nil
		r.Stop = nil
	}
}

// check notes that the run was stopped from outside, if that changes anything.
func (r *runner) check(ctx context.Context) {
	starts := len(r.queue) > 0 || r.asked < r.Trials
	if starts || r.running > 0 {
		r.note(ctx.Err())
	}
	select {
	case <-r.Stop:
		if starts {
			r.note(ErrStopped)
		}
		r.Stop = nil
	default:
	}
}

func (r *runner) startQueued(ctx context.Context) {
	for len(r.queue) > 0 && r.running < r.Parallel {
		t := r.queue[0]
		if r.OnStart != nil {
			if err := r.OnStart(t); err != nil {
				r.note(err)
				return
			}
		}
		r.queue = r.queue[1:]
		r.running++
		go func() { r.ended <- r.evaluate(ctx, t) }()
	}
}

// next is the size of the batch to ask for.
func (r *runner) next() int {
	if r.asked < r.Init {
		return min(r.Init, r.Trials) - r.asked
	}
	return min(r.Batch, r.Trials-r.asked)
}

func (r *runner) wantsMore() bool {
	n := r.next()
	if r.err != nil || n == 0 || len(r.queue) > 0 {
		return false
	}
	return r.running == 0 || r.running+n <= r.Parallel
}

func (r *runner) ask(ctx context.Context) {
	n := r.next()
	start := time.Now()
	trials, err := r.Source.Ask(ctx, n)
	r.suggestion = time.Since(start) / time.Duration(max(1, len(trials)))
	switch {
	case err != nil && ctx.Err() != nil: // check will note why
	case errors.Is(err, ErrExhausted):
		r.note(err)
	case err != nil:
		r.note(fmt.Errorf("choosing trial %d: %w", r.asked+1, err))
	case len(trials) > n:
		r.note(fmt.Errorf("the source made %d trials, asked for %d", len(trials), n))
	case len(trials) == 0:
		r.note(ErrExhausted)
	default:
		r.queue = trials
		r.asked += len(trials)
	}
}

// evaluate runs in a goroutine of its own.
func (r *runner) evaluate(ctx context.Context, t Trial) ending {
	e := ending{Result: Result{Trial: t, Started: time.Now()}}
	for {
		e.Attempts++
		e.Outcome, e.err = r.call(ctx, t)
		if e.err != nil || e.State != Failed || e.Attempts > r.Retries || ctx.Err() != nil {
			e.Ended = time.Now()
			if e.Seconds == 0 {
				e.Seconds = e.Ended.Sub(e.Started).Seconds()
			}
			return e
		}
	}
}

// call evaluates a trial. A function that panics has failed, and does not end the others.
func (r *runner) call(ctx context.Context, t Trial) (o Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			o, err = Failure("it panicked: %v%s", p, origin()), nil
		}
	}()
	var said atomic.Value // why it should end
	if r.OnReport != nil {
		ctx = live.With(ctx, func(ctx context.Context, reports []live.Report) string {
			steps, reached := make([]int64, len(reports)), make([]Outcome, len(reports))
			for i, one := range reports {
				steps[i], reached[i] = one.Step, Outcome{State: Complete, Value: one.Value, Outcomes: one.Outcomes}
			}
			stop := r.OnReport(ctx, t.Number, steps, reached)
			if stop != "" {
				said.Store(stop)
			}
			return stop
		})
	}
	o, err = r.Evaluator.Evaluate(ctx, t.Number, t.Params)
	if errors.Is(err, ErrStopped) {
		o, err = Outcome{State: Stopped}, nil
	}
	if o.State == Stopped && o.Reason == "" {
		o.Reason, _ = said.Load().(string)
	}
	return o, err
}

// origin is where a panic came from.
func origin() string {
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)])
	panicked := false
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") {
			if panicked {
				return fmt.Sprintf(" (%s:%d)", filepath.Base(f.File), f.Line)
			}
		} else {
			panicked = true
		}
		if !more {
			return ""
		}
	}
}

// finish tells the outcome of a trial and reports it.
func (r *runner) finish(ctx context.Context, e ending) {
	r.running--
	if e.err == nil {
		e.err = e.Validate()
	}
	if e.err != nil {
		r.note(fmt.Errorf("trial %d: %w", e.Number, e.err))
		return
	}
	if err := r.Source.Tell(ctx, e.Number, e.Outcome); err != nil {
		r.untold = errors.Join(r.untold, fmt.Errorf("telling trial %d%s: %w", e.Number, found(e.Outcome), err))
		r.note(r.untold)
		return
	}
	r.done++
	r.worked = r.worked || e.State != Failed
	if r.OnResult != nil {
		r.note(r.OnResult(e.Result, r.progress()))
	}
	if most := r.hopeless(); !r.worked && most > 0 && r.done >= most && r.asked < r.Trials {
		r.note(fmt.Errorf("%w: all of the first %d failed, the last one: %s", ErrNoneWorked, r.Failed+r.done, e.Reason))
	}
}

// found names the values of an outcome.
func found(o Outcome) string {
	switch {
	case o.State != Complete:
		return ""
	case len(o.Outcomes) == 0:
		return fmt.Sprintf(", which has the value %v", o.Value)
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(o.Outcomes)) {
		parts = append(parts, fmt.Sprintf("%s %v", name, o.Outcomes[name]))
	}
	return ", which has " + strings.Join(parts, ", ")
}

// fewMore is how many trials show that what made all before them fail is still there.
const fewMore = 3

// hopeless is how many trials fail before the run ends, if none works; 0 for no end.
func (r *runner) hopeless() int {
	if r.Init == 0 && r.Failed > 0 {
		return fewMore
	}
	return r.Init
}

func (r *runner) progress() Progress {
	p := Progress{Done: r.done, Total: r.Trials, Running: r.running, Suggestion: r.suggestion}
	p.Remaining = time.Duration(float64(time.Since(r.start)) / float64(p.Done) * float64(p.Total-p.Done))
	return p
}
