package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/mahabo/mahabo/command"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/study"
)

// optimise minimises what a command, a person at the prompt or a problem evaluates, and
// keeps it in a study.
func (c *minimizeCmd) optimise(ctx context.Context, s streams) (err error) {
	config, err := c.config(ctx, s.methods)
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
	evaluator, err := c.evaluator(config)
	if err != nil {
		return err
	}
	st, err := c.create(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	one, err := c.openOrCreate(ctx, s, st, config)
	if err != nil {
		return input(err)
	}
	r := &optimisation{c: c, streams: s, study: one, file: out, batchBest: math.NaN(), began: time.Now()}
	if err := r.begin(ctx); err != nil {
		return err
	}
	if evaluator != nil {
		err = r.runEvaluator(ctx, evaluator)
	} else {
		err = r.runPrompt(ctx)
	}
	closed := r.Close(context.WithoutCancel(ctx)) // before the end is reported: what was not begun waits then
	return errors.Join(r.conclude(context.WithoutCancel(ctx), err), closed)
}

// evaluator returns what finds out values, nil for a person.
func (c *minimizeCmd) evaluator(config study.Config) (evaluate.Evaluator, error) {
	switch {
	case c.Problem != "":
		p, err := c.problem()
		if err != nil {
			return nil, err
		}
		return problemEvaluator(p)
	case len(c.Command) > 0:
		o := command.Options{Timeout: c.Timeout, Grace: c.Grace, KeepOutput: c.KeepOutput, Checkpoints: c.checkpoints(config.Name)}
		switch o.KeepOutput {
		case "":
			o.KeepOutput = config.Name + ".output"
		case "none":
			o.KeepOutput = ""
		}
		if o.KeepOutput != "" {
			if err := os.MkdirAll(o.KeepOutput, 0o755); err != nil {
				return nil, usagef("--keep-output: the folder %s cannot be made: %w: name another, or none to keep nothing", o.KeepOutput, err)
			}
		}
		program, err := command.New(config.Space, c.Command, o)
		if err != nil {
			return nil, usageError{err}
		}
		return program, nil
	}
	return nil, nil
}

// optimisation is one run of a study.
type optimisation struct {
	c *minimizeCmd
	streams
	study *study.Study
	*study.Source
	file  *outputFile
	total int           // trials to make in all runs
	had   study.Summary // before this one

	began     time.Time
	several   bool     // outcomes are declared: the study says which trial is the best
	best      *float64 // value so far
	batch     int      // of the last trial
	batchBest float64  // best value in it, NaN if it has none
}

// begin takes the trials over that dead runs had open, and counts what there is.
func (r *optimisation) begin(ctx context.Context) (err error) {
	if err := takeOver(ctx, r.study); err != nil {
		return err
	}
	if r.had, err = r.study.Summary(ctx); err != nil {
		return err
	}
	r.several = len(r.had.Config.Space.Outcomes()) > 0
	best, ok, err := r.study.Best(ctx)
	if ok && best.Violations == nil {
		r.best = &best.Mean
	}
	r.total = r.had.Config.Init + r.c.Evals
	if done := finished(r.had); done >= r.total {
		fmt.Fprintf(r.err, "mahabo: study %s has %s, and %d were asked for with its initial design of %d: raise --evals for more\n",
			r.had.Config.Name, counted(done, "trial"), r.total, r.had.Config.Init)
	}
	r.Source = r.study.Source(workerName(), lease)
	r.Command = commandText(r.c.Command)
	return err
}

// finished counts the trials that have an outcome.
func finished(s study.Summary) int {
	return s.States[evaluate.Complete] + s.States[evaluate.Failed] + s.States[evaluate.Infeasible] + s.States[evaluate.Stopped]
}

// options are those of the loop, less the trials that there are. Trials that were open are
// served first and alone, as if nothing had happened.
func (r *optimisation) options() evaluate.Options {
	s := r.had.States
	others := finished(r.had) + s[study.Running]
	o := evaluate.Options{
		Source: r, Init: max(s[study.Waiting]+s[study.Stale], r.had.Config.Init-others), Trials: max(0, r.total-others),
		Batch: r.c.Batch, Parallel: r.c.Parallel, Retries: r.c.Retries, Worked: s[evaluate.Complete]+s[evaluate.Infeasible]+s[evaluate.Stopped] > 0,
		OnStart: func(evaluate.Trial) error { return r.mayStart() },
	}
	if !o.Worked {
		o.Failed = s[evaluate.Failed]
	}
	return o
}

// errOthers says that other runs of the study have made the trials that were left.
var errOthers = errors.New("the trials that were left are made elsewhere")

// Ask serves n trials, fewer where other runs of the study leave fewer.
func (r *optimisation) Ask(ctx context.Context, n int) ([]evaluate.Trial, error) {
	sum, err := r.summary(ctx)
	if err != nil {
		return nil, err
	}
	left := r.total - finished(sum) - sum.States[study.Running]
	if left <= 0 {
		return nil, errOthers
	}
	if err := r.spent(sum); err != nil {
		return nil, err
	}
	return r.Source.Ask(ctx, min(n, left))
}

// summary is that of the study, also after its store was away.
func (r *optimisation) summary(ctx context.Context) (study.Summary, error) {
	sum, err := r.study.Summary(ctx)
	for r.Again(ctx, err) {
		sum, err = r.study.Summary(ctx)
	}
	return sum, err
}

// note follows a result for the progress.
func (r *optimisation) note(t evaluate.Result) {
	if t.Batch != r.batch {
		r.batch, r.batchBest = t.Batch, math.NaN()
	}
	if t.State != evaluate.Complete {
		return
	}
	if r.several {
		if best, ok, err := r.study.Best(context.Background()); err == nil && ok && best.Violations == nil {
			r.best = &best.Mean
		}
		return
	}
	better := func(a, b float64) bool { return a < b != (r.had.Config.Goal == study.Maximize) }
	if math.IsNaN(r.batchBest) || better(t.Value, r.batchBest) {
		r.batchBest = t.Value
	}
	if r.best == nil || better(t.Value, *r.best) {
		r.best = &t.Value
	}
}

const (
	awayPause = 5 * time.Second  // before a store that is away is tried again
	goneFor   = 15 * time.Second // the file of a database may be missing before that ends a run, whose trials would get lost
)

// runEvaluator has the trials evaluated by a program or a problem.
func (r *optimisation) runEvaluator(ctx context.Context, e evaluate.Evaluator) error {
	hard, release := secondInterrupt(ctx, r.err)
	defer release()
	var gone, last time.Time // when the file of the database was missed, at first and the last time
	r.OnAway = func(err error) bool {
		var away *study.UnavailableError
		if errors.As(err, &away) && away.Gone {
			if time.Since(last) > 2*awayPause {
				gone = time.Now()
			}
			if last = time.Now(); last.Sub(gone) >= goneFor {
				return false
			}
		}
		fmt.Fprintf(r.err, "mahabo: %v; trying again\n", err)
		select {
		case <-hard.Done():
		case <-time.After(awayPause):
		}
		return hard.Err() == nil
	}
	show := newWatched(newProgress(r.err, "trials", r.c.Quiet), finished(r.had), r.total)
	defer show.close()
	o := r.options()
	o.Evaluator, o.Stop, o.OnReport = show.watch(e), ctx.Done(), r.keepReport(show)
	failed, stopped := r.had.States[evaluate.Failed], r.had.States[evaluate.Stopped]
	o.OnResult = func(t evaluate.Result, p evaluate.Progress) error {
		r.note(t)
		if t.State == evaluate.Failed {
			failed++
		}
		if t.State == evaluate.Stopped {
			stopped++
		}
		show.update(p.Done+finished(r.had), r.total, r.progressText(t, p, failed, stopped))
		return nil
	}
	return evaluate.Run(hard, o)
}

// progressText is the line beside the bar.
func (r *optimisation) progressText(t evaluate.Result, p evaluate.Progress, failed, stopped int) string {
	parts := []string{fmt.Sprintf("trial %d %s", t.Number, t.State)}
	if r.best != nil {
		parts = append(parts[:0], fmt.Sprintf("best %.6g", *r.best))
	}
	if !math.IsNaN(r.batchBest) && r.c.Batch > 1 {
		parts = append(parts, fmt.Sprintf("best of batch %d %.6g", r.batch, r.batchBest))
	}
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", failed))
	}
	if stopped > 0 {
		parts = append(parts, fmt.Sprintf("%d stopped early", stopped))
	}
	if p.Suggestion > time.Second { // else it does not matter
		parts = append(parts, "choosing a point takes "+seconds(p.Suggestion.Seconds()))
	}
	parts = append(parts, left(p.Remaining))
	return strings.Join(parts, ", ")
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
