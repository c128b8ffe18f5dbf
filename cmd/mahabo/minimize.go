package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/vbauerster/mpb/v8/cwriter"

	"github.com/mahabo/mahabo/internal/problem"
	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/study"
)

type minimizeCmd struct {
	Space      string        `xor:"what" placeholder:"FILE" help:"Parameters and constraints, YAML or JSON (docs/guides/command.md)."`
	Problem    string        `xor:"what" placeholder:"NAME" help:"Built-in problem instead; see mahabo problems."`
	Dim        int           `default:"0" placeholder:"D" help:"With --problem: number of parameters; more than the problem's own hide it in a random linear embedding (0: its own)."`
	Study      string        `placeholder:"NAME" help:"Study that keeps the trials: a new one, or one to continue (the name of the space file; with --problem: none)."`
	Method     string        `placeholder:"M" help:"Method with its options, name:key=value,...; see mahabo methods (${default_method})."`
	Batch      int           `default:"1" placeholder:"B" help:"Points proposed together (${default})."`
	Evals      int           `default:"${default_evals}" placeholder:"N" help:"Evaluations after the initial design (${default})."`
	Init       *int          `placeholder:"N" help:"Points of the initial design (${default_init})."`
	Seed       *uint64       `placeholder:"S" help:"Seed of the method and of the problem's embedding (0)."`
	Maximize   bool          `help:"With --space: higher values are better."`
	Parallel   int           `default:"1" placeholder:"P" help:"With a command: evaluations at the same time (${default})."`
	Timeout    time.Duration `default:"0s" placeholder:"T" help:"With a command: end an evaluation after T, as 90s or 2h30m; it has failed (0: never)."`
	Retries    int           `default:"0" placeholder:"R" help:"With a command: evaluate a failed trial up to R times more (${default})."`
	KeepOutput string        `placeholder:"DIR" help:"With a command: keep what trial N prints in DIR/N.out and DIR/N.err (STUDY.output; none to keep nothing)."`
	JSON       bool          `name:"json" help:"Print the result as JSON and nothing else on standard output."`
	Out        string        `placeholder:"FILE" help:"Also write the result to FILE, as JSON."`
	Quiet      bool          `short:"q" help:"Show no progress."`
	storeFlags
	Command []string `arg:"" optional:"" help:"After --: the program to evaluate with and its arguments. {name} stands for the value of a parameter, {trial} for the number of the trial; standard input has all parameters as one JSON object. Its last line is the value."`
}

// Help is the long help.
func (*minimizeCmd) Help() string {
	return `Examples:

  mahabo minimize --space space.yaml --evals 200 --batch 4 --parallel 4 -- ./simulate --rate {rate}

  mahabo minimize --space space.yaml --study oven --batch 5 --maximize

  mahabo minimize --problem branin --dim 1000 --batch 5 --evals 200

  mahabo minimize --problem hartmann6 --dim 100 --method maha:d=2,fit=lbfgs --out best.json

The command prints a number, or a JSON object with "value", as its last line; another exit code than 0 is a failed trial. With --space and no command, values are asked for at the prompt.

Every trial is in the study as soon as it ends. The same command continues it, after Ctrl-C, a crash or with more --evals; several at once share the work. mahabo study show, best and export have the results.

Ctrl-C stops and prints the best point so far. Running commands are waited for; a second Ctrl-C ends them.`
}

// Run minimises the problem, or what a command or a person evaluates.
func (c *minimizeCmd) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Space != "" {
		if f, ok := s.in.(*os.File); len(c.Command) == 0 && (!ok || !cwriter.IsTerminal(int(f.Fd()))) {
			return usagef("there is nothing to evaluate with: give a command after --, or start at a terminal to enter values by hand")
		}
	}
	if c.Space == "" && c.Study == "" {
		return c.solve(ctx, s)
	}
	return c.optimise(ctx, s)
}

// initial and seed are those of a new study.
func (c *minimizeCmd) initial() int {
	if c.Init == nil {
		return strategy.DefaultInit
	}
	return *c.Init
}

func (c *minimizeCmd) seed() uint64 {
	if c.Seed == nil {
		return 0
	}
	return *c.Seed
}

// check refuses flags that cannot be used, or not together.
func (c *minimizeCmd) check() error {
	switch {
	case c.Batch < 1:
		return usagef("--batch is %d: a round needs at least one point", c.Batch)
	case c.Evals < 0:
		return usagef("--evals is %d: it cannot be negative", c.Evals)
	case c.initial() < 1:
		return usagef("--init is %d: the initial design needs at least one point", c.initial())
	case c.Dim < 0:
		return usagef("--dim is %d: it cannot be negative", c.Dim)
	case c.Parallel < 1:
		return usagef("--parallel is %d: at least one trial must be evaluated at a time", c.Parallel)
	case c.Timeout < 0:
		return usagef("--timeout is %v: it cannot be negative", c.Timeout)
	case c.Retries < 0:
		return usagef("--retries is %d: it cannot be negative", c.Retries)
	case c.Space == "" && c.Problem == "":
		return usagef("there is nothing to minimise: give --space FILE and a command after --, or --problem NAME")
	case c.Problem != "" && len(c.Command) > 0:
		return usagef("--problem evaluates by itself, but a command is given: %s", strings.Join(c.Command, " "))
	case c.Problem != "" && c.Maximize:
		return usagef("--maximize goes with --space: built-in problems are minimised")
	case c.Space != "" && c.Dim != 0:
		return usagef("--dim goes with --problem: %s says how many parameters there are", c.Space)
	}
	if len(c.Command) == 0 {
		for _, f := range []struct {
			name  string
			given bool
		}{{"--parallel", c.Parallel != 1}, {"--timeout", c.Timeout != 0}, {"--retries", c.Retries != 0}, {"--keep-output", c.KeepOutput != ""}} {
			if f.given {
				return usagef("%s goes with a command: give one after --", f.name)
			}
		}
	}
	return nil
}

// minimizeResult is the JSON output.
type minimizeResult struct {
	Method                     string    `json:"method"`
	Problem                    string    `json:"problem"`
	Dim                        int       `json:"dim"`
	Batch                      int       `json:"batch"`
	Evals                      int       `json:"evals"`
	Init                       int       `json:"init"`
	Seed                       uint64    `json:"seed"`
	Evaluated                  int       `json:"evaluated"` // below init+evals when interrupted
	Best                       float64   `json:"best"`
	X                          []float64 `json:"x"` // where, in [-1,1]^dim
	Seconds                    float64   `json:"seconds"`
	MedianSecondsPerSuggestion float64   `json:"median_seconds_per_suggestion"`
	Curve                      []float64 `json:"curve"`
	FallbackRounds             int       `json:"fallback_rounds"` // rounds in which the model could not be used
	Jitter                     float64   `json:"jitter"`          // largest jitter a factorisation needed
	Version                    string    `json:"version"`
}

// solve minimises a built-in problem.
func (c *minimizeCmd) solve(ctx context.Context, s streams) error {
	method, p, proposer, err := c.setup()
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

	show := newProgress(s.err, "evaluations", c.Quiet)
	result, err := study.Run(ctx, study.Options{
		Strategy:  proposer,
		Objective: func(_ context.Context, x []float64) (float64, error) { return p.Eval(x), nil },
		Init:      c.initial(), Evals: c.Evals, Batch: c.Batch,
		OnBatch: func(g study.Progress) {
			show.update(g.Done, g.Total, fmt.Sprintf("best %.6g  %s", g.Best, left(g.Remaining)))
		},
	})
	show.close()
	if errors.Is(err, context.Canceled) {
		err = interrupted(fmt.Sprintf("stopped after %d of %d evaluations", len(result.Observations), c.initial()+c.Evals))
	}
	if result.Fallbacks > 0 {
		fmt.Fprintf(s.err, "note: in %d rounds the model could not be used (%v); their points are uniform\n", result.Fallbacks, result.Fallback)
	}
	best, ok := result.Best()
	if !ok {
		return err
	}
	report := minimizeResult{
		Method: method, Problem: p.Name, Dim: p.Dim, Batch: c.Batch, Evals: c.Evals, Init: c.initial(), Seed: c.seed(),
		Evaluated: len(result.Observations), Best: best.Value, X: best.X,
		Seconds:                    result.Optimiser.Seconds(),
		MedianSecondsPerSuggestion: result.MedianSuggestion().Seconds(),
		Curve:                      result.Curve, FallbackRounds: result.Fallbacks, Jitter: result.Jitter, Version: version(),
	}
	return errors.Join(err, report.write(s.out, c.JSON), out.commit(report))
}

// setup builds the problem and the method.
func (c *minimizeCmd) setup() (method string, p problem.Problem, s strategy.Strategy, err error) {
	if method, err = strategy.Canonical(cmp.Or(c.Method, defaultMethod)); err != nil {
		return "", p, nil, usagef("--method: %w", err)
	}
	if p, err = c.problem(); err != nil {
		return "", p, nil, err
	}
	if s, err = strategy.New(method, strategy.Config{Dim: p.Dim, TrueDim: p.TrueDim, Init: c.initial(), Budget: c.initial() + c.Evals, Seed: c.seed()}); err != nil {
		return "", p, nil, usagef("--method: %w", err)
	}
	return method, p, s, nil
}

// problem builds the built-in problem.
func (c *minimizeCmd) problem() (p problem.Problem, err error) {
	if err := checkProblems(c.Problem); err != nil {
		return p, err
	}
	if p, err = problem.New(c.Problem, c.Dim, c.seed()); err != nil {
		return p, usagef("--dim: %w", err)
	}
	return p, nil
}

// write prints the result for people or for programs.
func (r *minimizeResult) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	_, err := fmt.Fprintf(w, "best value  %.6g after %d evaluations (%s on %s, %d parameters)\nat          %s\ntime        %s in the method, %s per suggestion (median)\n",
		r.Best, r.Evaluated, r.Method, r.Problem, r.Dim, largest(r.X, 8),
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

// seconds writes a time with three digits or so.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(10 * time.Nanosecond).String()
}
