package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mahabo/mahabo/internal/bench"
	"github.com/mahabo/mahabo/internal/bench/report"
)

type benchWorkersCmd struct {
	Method      string        `default:"adaptive" placeholder:"M,..." help:"Methods with their options (${default}). exec:COMMAND or exec:NAME=COMMAND is a program."`
	Problem     string        `default:"hartmann6" placeholder:"P,..." help:"Problems (${default})."`
	Dim         int           `default:"20" placeholder:"D" help:"Parameters (${default})."`
	Evals       int           `default:"500" placeholder:"N" help:"Evaluations of one worker after the initial design (${default})."`
	Init        int           `default:"10" placeholder:"N" help:"Points of the initial design (${default})."`
	Workers     []int         `default:"1,4,16,64,256" placeholder:"W" help:"Numbers of workers (${default}); 1 is what the others are compared with."`
	Durations   []string      `default:"constant" placeholder:"KIND" help:"How long evaluations take: constant, heavy (a heavy tail) or correlated (good points take longer); several with commas (${default})."`
	Rounds      bool          `help:"Also with rounds, in which all wait for the last one."`
	Trials      int           `default:"1" placeholder:"N" help:"Trials of each (${default})."`
	FirstTrial  int           `default:"0" placeholder:"N" help:"Number of the first trial (${default})."`
	Threads     int           `default:"1" placeholder:"N" help:"Threads that a suggestion may use; a program has its own (${default})."`
	AnswerLimit time.Duration `default:"10m" placeholder:"T" help:"Time that a program has for an answer, as 90s or 2h (${default})."`
	RunLimit    time.Duration `placeholder:"T" help:"Time of a run, as 90s or 2h: it then ends with the evaluations that it has (no limit)."`
	Show        bool          `help:"Print the table of what is in the folder, and run nothing."`
	Format      string        `default:"text" enum:"text,markdown,csv,latex,html" help:"Of the table: text, markdown, csv, latex or html (${default})."`
	Out         string        `required:"" placeholder:"DIR" help:"Folder of the results, workers.jsonl, and of the pictures; what is there is not run again."`
}

// Help is the long help.
func (*benchWorkersCmd) Help() string {
	return `Examples:

  mahabo bench workers --problem hartmann6,rover --dim 60 --workers 1,16,64 --durations heavy --out results/workers

  mahabo bench workers --method 'exec:python3 peer.py' --workers 64 --run-limit 2h --out results/workers

Workers ask for a point when they are free, evaluate it and tell its value; the time is simulated, the mean of an evaluation is 1 and the method takes no time. W workers are followed for the time of one, divided by 0.375 W: 64 of them for 1/24 of it. The table has the lowest values of one worker and of all, the mean over the trials; in how many trials all were as low as one after all its evaluations; and how much sooner, in the middle of the trials. Without 1 in --workers these columns are empty where no run of one worker is in the folder.

A program is asked at once for the points of all workers that are free, all of them at first and, where evaluations take the same time, in every round. It knows what it was asked for and not told yet.`
}

// crews are all combinations.
func (c *benchWorkersCmd) crews() (crews []bench.Crew, err error) {
	methods, err := bench.SplitMethods(c.Method)
	if err != nil {
		return nil, usagef("--method: %w", err)
	}
	problems, err := bench.SplitProblems(c.Problem)
	if err != nil {
		return nil, usagef("--problem: %w", err)
	}
	for _, d := range c.Durations {
		if !slices.Contains(bench.Durations, d) {
			return nil, usagef("--durations: %q is not known: choose one of %s", d, strings.Join(bench.Durations, ", "))
		}
	}
	for _, w := range c.Workers {
		if w < 1 {
			return nil, usagef("--workers is %d: a crew has at least one", w)
		}
	}
	if c.Evals < 1 || c.Init < 1 || c.Trials < 1 || c.Threads < 1 || c.AnswerLimit <= 0 || c.RunLimit < 0 {
		return nil, usagef("--evals, --init, --trials, --threads and the limits have to be positive")
	}
	for _, p := range problems {
		for _, m := range methods {
			for _, d := range c.Durations {
				for trial := c.FirstTrial; trial < c.FirstTrial+c.Trials; trial++ {
					for _, w := range c.Workers {
						crew := bench.Crew{Method: m, Problem: p, Dim: c.Dim, Workers: w, Durations: d, Evals: c.Evals, Init: c.Init, Trial: trial}
						crews = append(crews, crew)
						if c.Rounds && w > 1 {
							crew.Rounds = true
							crews = append(crews, crew)
						}
					}
				}
			}
		}
	}
	return crews, nil
}

// Run has the crews work, and writes the table and the pictures.
func (c *benchWorkersCmd) Run(ctx context.Context, s streams) error {
	if c.Show {
		runs, err := bench.ReadCrews(c.Out)
		if err != nil {
			return err
		}
		return bench.CrewTable(s.out, bench.CrewRows(runs), format(c.Format))
	}
	crews, err := c.crews()
	if err != nil {
		return err
	}
	runs, err := bench.RunCrews(ctx, c.Out, crews, bench.CrewOptions{Registry: s.methods, Version: version(), Threads: c.Threads, AnswerLimit: c.AnswerLimit, RunLimit: c.RunLimit, OnRun: func(r bench.CrewRun) {
		fmt.Fprintf(s.err, "%s on %s, %d workers, %s%s, trial %d: %.6g after %d evaluations, %.3g s each\n", r.Method, r.Problem, r.Workers, r.Durations, inRounds(r.Rounds), r.Trial,
			r.Best[len(r.Best)-1], len(r.Best), r.Seconds/float64(len(r.Best)))
	}})
	if err != nil {
		return err
	}
	if err := bench.CrewTable(s.out, bench.CrewRows(runs), format(c.Format)); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(c.Out, "workers.svg"))
	if err != nil {
		return err
	}
	return errors.Join(report.Workers(f, runs, report.SVG), f.Close())
}

func inRounds(rounds bool) string {
	if rounds {
		return " in rounds"
	}
	return ""
}
