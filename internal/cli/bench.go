package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/mahabo/mahabo/internal/bench"
	"github.com/mahabo/mahabo/internal/hint"
	"github.com/mahabo/mahabo/strategy"
)

type benchCmd struct {
	List    benchListCmd    `cmd:"" help:"List the suites."`
	Run     benchRunCmd     `cmd:"" help:"Run a grid of trials, or continue it."`
	Table   benchTableCmd   `cmd:"" help:"Write results as a table."`
	Figure  benchFigureCmd  `cmd:"" help:"Draw results: best value by evaluation, mean ranks, or data profiles."`
	Report  benchReportCmd  `cmd:"" help:"Make a page of results: leaderboard, figures, tables, and how they were made."`
	Compare benchCompareCmd `cmd:"" help:"Compare results with the paper's, with another folder's, or two methods."`
	Replay  benchReplayCmd  `cmd:"" help:"Make trials of a folder again and compare them with the stored ones, digit by digit."`
	Workers benchWorkersCmd `cmd:"" help:"Have many workers evaluate, in simulated time: best value by time."`
	Pack    benchPackCmd    `cmd:"" help:"Compress the finished trials of results folders."`
}

type benchListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run lists the suites.
func (c *benchListCmd) Run(s streams) error {
	suites, err := bench.Suites()
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(s.out, suites)
	}
	var b strings.Builder
	for _, suite := range suites {
		fmt.Fprintf(&b, "%s  %s\n", suite.Name, suite.Summary)
		for _, g := range suite.Grids {
			fmt.Fprintf(&b, "    --method %s --problem %s --dim %s --batch %s --evals %d --init %d --trials %d",
				strings.Join(g.Methods, ","), strings.Join(g.Problems, ","), numbers(g.Dims), numbers(g.Batches), g.Evals, g.Init, g.Trials)
			if g.Steps > 0 {
				fmt.Fprintf(&b, " --steps %d", g.Steps)
			}
			b.WriteByte('\n')
		}
	}
	_, err = io.WriteString(s.out, b.String())
	return err
}

func numbers(ns []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ns), " ", ","), "[]")
}

type benchRunCmd struct {
	Suite       string        `xor:"dim,batch,evals,init,steps" placeholder:"NAME" help:"Run a suite (mahabo bench list), or a file of your own (.yaml), instead of the grid below. --method replaces its methods, --problem keeps these of its problems."`
	Method      string        `placeholder:"M,..." help:"Methods with their options, separated by commas: maha:d=1,fit=lbfgs,sobol. exec:COMMAND or exec:NAME=COMMAND is a program."`
	Problem     string        `placeholder:"P,..." help:"Problems with their options: branin,hartmann6:embed=axis,noise=0.01. exec:COMMAND is a program."`
	Dim         []int         `xor:"dim" placeholder:"D" help:"Numbers of parameters; 0 is the problem's own (0)."`
	Batch       []int         `xor:"batch" placeholder:"B" help:"Points per round (1)."`
	Evals       *int          `xor:"evals" placeholder:"N" help:"Evaluations after the initial design (${default_evals})."`
	Init        *int          `xor:"init" placeholder:"N" help:"Points of the initial design (${default_init})."`
	Steps       int64         `xor:"steps" placeholder:"N" help:"Steps that the evaluations of a trial may report in all: the trial ends with them, and --evals is the most evaluations (no limit)."`
	Trials      *int          `placeholder:"N" help:"Trials per cell (${default_trials}, or the suite's)."`
	FirstTrial  int           `default:"0" placeholder:"T" help:"Number of the first trial, which is its seed (${default})."`
	Jobs        int           `default:"1" placeholder:"J" help:"Trials at the same time (${default})."`
	Threads     int           `default:"1" placeholder:"N" help:"Cores of a trial; more than one with --jobs 1 only (${default})."`
	AnswerLimit time.Duration `default:"10m" placeholder:"T" help:"Time that a program has for an answer, as 90s or 2h; then it is ended and the trial has failed (${default})."`
	Out         string        `required:"" placeholder:"DIR" help:"Results folder: trials.jsonl and summary.json."`
	Nats        string        `placeholder:"URL" help:"Have workers (mahabo worker --bench) run the trials: broker to offer them on, as nats://localhost:4222."`
	Quiet       bool          `short:"q" help:"Show no progress."`
	loginFlags
}

// Help is the long help.
func (*benchRunCmd) Help() string {
	return `Examples:

  mahabo bench run --method maha:d=1,maha:d=true --problem branin --dim 1000 --batch 1,5 --jobs 2 --out results/branin

  mahabo bench run --method maha:d=1,fit=lbfgs,sobol --problem branin,hartmann6 --dim 100 --evals 200 --trials 5 --out results/small

  mahabo bench run --suite smoke --out results/smoke

  mahabo bench run --suite paper --jobs 2 --out results/paper

  mahabo bench run --suite ./my.yaml --out results/mine

  mahabo bench run --suite paper --nats nats://keeper:4222 --out results/paper

With --nats the trials run on the workers of all machines, of the same version as this program; only this process writes the folder. A worker that dies costs its running trials, which are run again.

A suite with other methods, on some of its problems:

  mahabo bench run --suite field --method 'adaptive,exec:python3 peer.py' --problem rover,lasso300 --trials 3 --out results/field

A suite file lists grids of the same flags:

  summary: what it measures
  include: [smoke]                # other suites
  grids:
    - methods: ["maha:d=1", sobol]
      problems: [branin, rover]
      dims: [100, 1000]
      batches: [1, 5]
      evals: 500
      init: 10
      trials: 20
      steps: 2025                 # that evaluations may report; no limit when left out

Methods and problems can be programs in any language that answer lines of JSON (docs/guides/benchmarks.md):

  mahabo bench run --method 'adaptive,exec:python3 peer.py' --problem 'exec:walker=python3 walker.py --hard' --out results/walker

Running the same command again continues: finished trials are kept. More methods, problems or trials may be added to a folder.`
}

// Run runs what the folder does not hold yet.
func (c *benchRunCmd) Run(ctx context.Context, s streams) error {
	grids, err := c.grids()
	if err != nil {
		return err
	}
	var execute bench.Execute // here
	jobs := c.Jobs
	if c.Nats != "" {
		run, stop, err := c.elsewhere(ctx)
		if err != nil {
			return err
		}
		defer stop()
		execute, jobs = run, mostOffered
	}
	show := newBenchProgress(s.err, c.Quiet)
	var last bench.Progress
	err = bench.Run(ctx, bench.Options{
		Registry: s.methods,
		Grids:    grids, Dir: c.Out, Jobs: jobs, Threads: c.Threads, Limit: c.AnswerLimit, Version: version(), Execute: execute,
		Origin: &bench.Origin{
			Time: time.Now().UTC().Truncate(time.Second), Command: commandLine(), Jobs: c.Jobs,
			Version: version(), Machine: bench.ThisMachine(),
		},
		OnNote:  func(note string) { show.note("mahabo: " + note) },
		OnStart: show.start,
		OnTrial: func(p bench.Progress) {
			last = p
			show.update(p)
		},
	})
	show.close()
	if errors.Is(err, context.Canceled) {
		return interrupted(fmt.Sprintf("stopped after %d of %s; run the same command again to continue", last.Done, counted(last.Total, "trial")))
	}
	if err == nil {
		_, err = fmt.Fprintf(s.out, "%s in %s, %d of them new; mahabo bench table %s shows them\n", counted(last.Total, "trial"), c.Out, last.Total-last.Kept, c.Out)
	}
	return err
}

// commandLine is how the program was called, for a shell.
func commandLine() string {
	words := []string{"mahabo"}
	for _, arg := range os.Args[1:] {
		if strings.ContainsFunc(arg, func(r rune) bool {
			return !strings.ContainsRune("+-./:=,_@%", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		words = append(words, arg)
	}
	return strings.Join(words, " ")
}

// grids turns the flags into what to run.
func (c *benchRunCmd) grids() ([]bench.Grid, error) {
	methods, problems, err := c.specs()
	if err != nil {
		return nil, err
	}
	if c.Suite != "" {
		return c.suiteGrids(methods, problems)
	}
	for _, missing := range []struct {
		flag string
		is   bool
	}{{"--method", c.Method == ""}, {"--problem", c.Problem == ""}} {
		if missing.is {
			return nil, usagef("%s is missing: give --method and --problem, or --suite", missing.flag)
		}
	}
	g := bench.Grid{
		Methods: methods, Problems: problems, Dims: c.Dim, Batches: c.Batch,
		Evals: orDefault(c.Evals, defaultEvals), Init: orDefault(c.Init, strategy.DefaultInit), Steps: c.Steps,
		Trials: orDefault(c.Trials, defaultTrials), FirstTrial: c.FirstTrial,
	}
	if len(g.Dims) == 0 {
		g.Dims = []int{0}
	}
	if len(g.Batches) == 0 {
		g.Batches = []int{1}
	}
	return []bench.Grid{g}, nil
}

// specs divides the lists of methods and problems.
func (c *benchRunCmd) specs() (methods, problems []string, err error) {
	if c.Problem != "" {
		if problems, err = bench.SplitProblems(c.Problem); err != nil {
			return nil, nil, usagef("--problem: %w", err)
		}
		if err := checkBenchProblems(problems); err != nil {
			return nil, nil, err
		}
	}
	if c.Method != "" {
		if methods, err = bench.SplitMethods(c.Method); err != nil {
			return nil, nil, usagef("--method: %w", err)
		}
	}
	return methods, problems, nil
}

// suiteGrids are those of the suite.
func (c *benchRunCmd) suiteGrids(methods, problems []string) ([]bench.Grid, error) {
	suite, err := bench.FindSuite(c.Suite)
	if err != nil {
		return nil, usagef("--suite: %w%s", err, hint.DidYouMean(c.Suite, suiteNames()))
	}
	grids, err := suite.Narrow(methods, problems)
	if err != nil {
		return nil, usagef("--problem: %w", err)
	}
	for i := range grids {
		grids[i].FirstTrial = c.FirstTrial
		grids[i].Trials = orDefault(c.Trials, grids[i].Trials)
	}
	return grids, nil
}

func orDefault(given *int, otherwise int) int {
	if given != nil {
		return *given
	}
	return otherwise
}

func suiteNames() []string {
	suites, _ := bench.Suites() // FindSuite has reported the error
	var names []string
	for _, s := range suites {
		names = append(names, s.Name)
	}
	return names
}
