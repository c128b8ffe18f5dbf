package cli

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/mahabo/mahabo/internal/problem"
	"github.com/mahabo/mahabo/strategy"
	"github.com/vbauerster/mpb/v8/cwriter"
)

type minimizeCmd struct {
	Space      string        `xor:"what" placeholder:"FILE" help:"Parameters and constraints, YAML or JSON (docs/guides/command.md)."`
	Problem    string        `xor:"what" placeholder:"NAME" help:"Built-in problem instead; see mahabo problems."`
	Dim        int           `default:"0" placeholder:"D" help:"With --problem: number of parameters; more than the problem's own hide it in a random linear embedding (0: its own)."`
	Study      string        `placeholder:"NAME" help:"Study that keeps the trials: a new one, or one to continue (the name of the space file; with --problem: none)."`
	Method     string        `placeholder:"M" help:"Method with its options, name:key=value,...; see mahabo methods (${default_method})."`
	From       []string      `placeholder:"STUDY" help:"Of a new study: former studies of the store, or .csv tables, to learn from, separated by commas."`
	Batch      int           `default:"1" placeholder:"B" help:"Points proposed together (${default})."`
	Evals      int           `default:"${default_evals}" placeholder:"N" help:"Evaluations after the initial design (${default})."`
	Init       *int          `placeholder:"N" help:"Points of the initial design (${default_init})."`
	Seed       *uint64       `placeholder:"S" help:"Seed of the method and of the problem's embedding (0)."`
	Maximize   bool          `help:"With --space: higher values are better."`
	Parallel   int           `default:"1" placeholder:"P" help:"With a command: evaluations at the same time (${default})."`
	Timeout    time.Duration `default:"0s" placeholder:"T" help:"With a command: end an evaluation after T, as 90s or 2h30m; it has failed (0: never)."`
	Retries    int           `default:"0" placeholder:"R" help:"With a command: evaluate a failed trial up to R times more (${default})."`
	KeepOutput string        `placeholder:"DIR" help:"With a command: keep what trial N prints in DIR/N.out and DIR/N.err (STUDY.output; none to keep nothing)."`
	programFlags
	longFlags
	Hours      float64 `default:"0" placeholder:"H" help:"Begin no trial after H hours; those that run are waited for (0: no limit)."`
	NewCommand bool    `help:"Continue a study with another command than before: it finds out the same value in another way."`
	JSON       bool    `name:"json" help:"Print the result as JSON and nothing else on standard output."`
	Out        string  `placeholder:"FILE" help:"Also write the result to FILE, as JSON."`
	Quiet      bool    `short:"q" help:"Show no progress."`
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
	case c.Hours < 0:
		return usagef("--hours is %g: it cannot be negative", c.Hours)
	case c.MaxCost < 0:
		return usagef("--max-cost is %g: it cannot be negative", c.MaxCost)
	case c.Grace <= 0:
		return usagef("--grace is %v: it has to be positive", c.Grace)
	case c.Space == "" && c.Study == "" && (c.Hours != 0 || c.MaxCost != 0):
		return usagef("--hours and --max-cost go with --space, or with --problem and --study NAME")
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
		}{{"--parallel", c.Parallel != 1}, {"--timeout", c.Timeout != 0}, {"--retries", c.Retries != 0}, {"--keep-output", c.KeepOutput != ""}, {"--new-command", c.NewCommand}, {"--checkpoints", c.Checkpoints != ""}} {
			if f.given {
				return usagef("%s goes with a command: give one after --", f.name)
			}
		}
	}
	return nil
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
