package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/mahabo/mahabo"
	"github.com/mahabo/mahabo/command"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

// optimiseResult is the JSON output of minimize --space.
type optimiseResult struct {
	Method         string        `json:"method"`
	Goal           mahabo.Goal   `json:"goal"`
	Batch          int           `json:"batch"`
	Evals          int           `json:"evals"`
	Init           int           `json:"init"`
	Seed           uint64        `json:"seed"`
	Trials         int           `json:"trials"` // finished, those that --out held before included
	Failed         int           `json:"failed"`
	Infeasible     int           `json:"infeasible"`
	Trial          int           `json:"trial"` // number of the best one
	Best           float64       `json:"best"`
	Std            float64       `json:"std,omitempty"`
	Params         *space.Values `json:"params"`
	Seconds        float64       `json:"seconds"` // in the method
	FallbackRounds int           `json:"fallback_rounds"`
	Jitter         float64       `json:"jitter"`
	Version        string        `json:"version"`

	parameters int
}

// optimise minimises what a command, or a person at the prompt, evaluates.
func (c *minimizeCmd) optimise(ctx context.Context, s streams) error {
	sp, method, err := c.task()
	if err != nil {
		return err
	}
	goal := mahabo.ToMinimize
	if c.Maximize {
		goal = mahabo.ToMaximize
	}
	optimizer, err := mahabo.New(sp, mahabo.Options{Method: method, Goal: goal, Init: c.Init, Seed: c.Seed})
	if err != nil {
		return usagef("--method: %w", err)
	}
	var program *command.Command
	if len(c.Command) > 0 {
		program, err = command.New(sp, c.Command, command.Options{Timeout: c.Timeout, KeepOutput: c.KeepOutput})
		if err != nil {
			return usageError{err}
		}
	}
	log, err := openTrialLog(c.Out, func(note string) { fmt.Fprintln(s.err, "mahabo:", note) })
	if err != nil {
		return usagef("--out: %w", err)
	}
	defer log.close()
	r := &optimisation{c: c, streams: s, numbered: numbered{Optimizer: optimizer}, log: log}
	if err := r.replay(); err != nil {
		return usagef("--out: %w", err)
	}
	if program != nil {
		err = r.runCommand(ctx, program)
	} else {
		err = r.runPrompt(ctx, sp)
	}
	return r.conclude(err, optimiseResult{
		Method: method, Goal: goal, Batch: c.Batch, Evals: c.Evals, Init: c.Init, Seed: c.Seed, Version: version(), parameters: len(sp.Params()),
	})
}

// task reads the space and checks the method's name.
func (c *minimizeCmd) task() (sp *space.Space, method string, err error) {
	text, err := os.ReadFile(c.Space)
	if err != nil {
		return nil, "", usagef("--space: %w", err)
	}
	if sp, err = space.Parse(text); err != nil {
		return nil, "", usagef("--space: %s: %w", c.Space, err)
	}
	if method, err = strategy.Canonical(c.Method); err != nil {
		return nil, "", usagef("--method: %w", err)
	}
	return sp, method, nil
}

// optimisation is one run.
type optimisation struct {
	c *minimizeCmd
	streams
	numbered
	log   *trialLog
	count map[evaluate.State]int

	batch     int     // of the last trial
	batchBest float64 // best value in it, NaN if it has none
}

// numbered continues the numbers of a log, which can have gaps where a run was killed.
type numbered struct {
	*mahabo.Optimizer
	trials, batches int // what the log's numbers are ahead
}

var _ evaluate.Source = numbered{}

func (n numbered) Ask(ctx context.Context, count int) ([]evaluate.Trial, error) {
	trials, err := n.Optimizer.Ask(ctx, count)
	for i := range trials {
		trials[i].Number += n.trials
		trials[i].Batch += n.batches
	}
	return trials, err
}

func (n numbered) Tell(_ context.Context, number int, o evaluate.Outcome) error {
	return n.Optimizer.Tell(number-n.trials, o)
}

// replay teaches the optimizer what the log holds.
func (r *optimisation) replay() error {
	r.count = map[evaluate.State]int{}
	var last trialLine // highest number and batch
	for _, t := range r.log.kept {
		if _, err := r.Add(t.Params, t.outcome()); err != nil {
			return fmt.Errorf("%s, trial %d: %w; if the file belongs to another space, name another file", r.c.Out, t.Number, err)
		}
		r.count[t.State]++
		last.Number, last.Batch = max(last.Number, t.Number), max(last.Batch, t.Batch)
	}
	if n := len(r.log.kept); n > 0 {
		// The optimizer has numbered trials and batches from 1 to n.
		r.trials, r.batches = last.Number-n, last.Batch-n
		fmt.Fprintf(r.err, "mahabo: %s holds %d trials, which count\n", r.c.Out, n)
	}
	return nil
}

// options are those of the loop, less the trials that the log holds.
func (r *optimisation) options() evaluate.Options {
	had := len(r.log.kept)
	return evaluate.Options{
		Source: r, Init: max(0, r.c.Init-had), Trials: max(0, r.c.Init+r.c.Evals-had),
		Batch: r.c.Batch, Parallel: r.c.Parallel, Retries: r.c.Retries,
	}
}

// record keeps a result.
func (r *optimisation) record(t evaluate.Result) error {
	r.count[t.State]++
	if t.Batch != r.batch {
		r.batch, r.batchBest = t.Batch, math.NaN()
	}
	if better := t.Value < r.batchBest != r.c.Maximize; t.State == evaluate.Complete && (better || math.IsNaN(r.batchBest)) {
		r.batchBest = t.Value
	}
	return r.log.add(t)
}

// runCommand has the trials evaluated by a program.
func (r *optimisation) runCommand(ctx context.Context, program *command.Command) error {
	hard, release := secondInterrupt(ctx, r.err)
	defer release()
	show := newProgress(r.err, "trials", r.c.Quiet)
	defer show.close()
	o := r.options()
	o.Evaluator, o.Stop = program, ctx.Done()
	o.OnResult = func(t evaluate.Result, p evaluate.Progress) error {
		err := r.record(t)
		had := len(r.log.kept)
		show.update(p.Done+had, p.Total+had, r.progressText(t, p))
		return err
	}
	return evaluate.Run(hard, o)
}

// progressText is the line beside the bar.
func (r *optimisation) progressText(t evaluate.Result, p evaluate.Progress) string {
	parts := []string{fmt.Sprintf("trial %d %s", t.Number, t.State)}
	if _, best, ok := r.Best(); ok {
		parts = append(parts[:0], fmt.Sprintf("best %.6g", best.Value))
	}
	if !math.IsNaN(r.batchBest) {
		parts = append(parts, fmt.Sprintf("batch %d %.6g", r.batch, r.batchBest))
	}
	if n := r.count[evaluate.Failed]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", n))
	}
	parts = append(parts, seconds(p.Suggestion.Seconds())+" per suggestion", left(p.Remaining))
	return strings.Join(parts, "  ")
}

// secondInterrupt returns a context that only the second Ctrl-C cancels, for the first one
// cancels ctx, or the end of the terminal: programs in groups of their own would go on.
func secondInterrupt(ctx context.Context, w io.Writer) (hard context.Context, release func()) {
	hard, cancel := context.WithCancel(context.WithoutCancel(ctx))
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		defer cancel()
		for _, note := range []string{"waiting for the running trials; Ctrl-C again ends them", "ending the running trials"} {
			select {
			case s := <-signals:
				if s == syscall.SIGHUP {
					return
				}
				fmt.Fprintln(w, "mahabo:", note)
			case <-hard.Done():
				return
			}
		}
	}()
	return hard, func() { signal.Stop(signals); cancel() }
}

// conclude reports how a run ended.
func (r *optimisation) conclude(err error, result optimiseResult) error {
	result.Failed, result.Infeasible = r.count[evaluate.Failed], r.count[evaluate.Infeasible]
	result.Trials = r.count[evaluate.Complete] + result.Failed + result.Infeasible
	switch {
	case errors.Is(err, evaluate.ErrExhausted):
		fmt.Fprintf(r.err, "note: %v: the space has no other values\n", evaluate.ErrExhausted)
		err = nil
	case errors.Is(err, errQuit):
		err = nil
	case errors.Is(err, evaluate.ErrStopped), errors.Is(err, context.Canceled):
		err = interrupted(fmt.Sprintf("stopped after %d of %d trials", result.Trials, r.c.Init+r.c.Evals))
	}
	report := r.Report()
	if report.Fallbacks > 0 {
		fmt.Fprintf(r.err, "note: in %d rounds the model could not be used (%v); their points are uniform\n", report.Fallbacks, report.Fallback)
	}
	best, outcome, ok := r.Best()
	if !ok {
		return err
	}
	result.Trial, result.Best, result.Std, result.Params = best.Number+r.trials, outcome.Value, outcome.Std, &best.Values
	if best.Number <= len(r.log.kept) {
		result.Trial = r.log.kept[best.Number-1].Number
	}
	result.Seconds, result.FallbackRounds, result.Jitter = report.Time.Seconds(), report.Fallbacks, report.Jitter
	return errors.Join(err, result.write(r.out, r.c.JSON))
}

// write prints the result for people or for programs.
func (r *optimiseResult) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	var others string
	if r.Failed > 0 {
		others += fmt.Sprintf(", %d failed", r.Failed)
	}
	if r.Infeasible > 0 {
		others += fmt.Sprintf(", %d infeasible", r.Infeasible)
	}
	_, err := fmt.Fprintf(w, "best value  %.6g in trial %d of %d%s (%s, %d parameters)\nat          %s\ntime        %s in the method\n",
		r.Best, r.Trial, r.Trials, others, r.Method, r.parameters, firstParams(*r.Params, 8), seconds(r.Seconds))
	return err
}

// firstParams writes the first n parameters.
func firstParams(v space.Values, n int) string {
	var parts []string
	for name, value := range v.All() {
		if len(parts) == n {
			return fmt.Sprintf("%s (the first %d of %d; --json has all)", strings.Join(parts, " "), n, v.Len())
		}
		parts = append(parts, name+"="+shortValue(value))
	}
	return strings.Join(parts, " ")
}

// shortValue writes a value for people.
func shortValue(value any) string {
	if f, ok := value.(float64); ok {
		return fmt.Sprintf("%.6g", f)
	}
	return fmt.Sprint(value)
}
