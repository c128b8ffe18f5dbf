package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mahabo/mahabo/internal/bench"
)

type benchReplayCmd struct {
	selection
	Trials      int           `default:"3" placeholder:"N" help:"Trials of every row, the first ones (${default})."`
	Evals       *int          `placeholder:"N" help:"End after N evaluations behind the initial design and compare the beginning of the curves; the methods still plan for all."`
	Jobs        int           `default:"1" placeholder:"J" help:"Trials at the same time (${default})."`
	AnswerLimit time.Duration `default:"10m" placeholder:"T" help:"Time that a program has for an answer (${default})."`
	Format      string        `default:"text" enum:"text,markdown,csv" help:"text, markdown or csv (${default})."`
	Quiet       bool          `short:"q" help:"Show no progress."`
}

// Help is the long help.
func (*benchReplayCmd) Help() string {
	return `Values of a trial depend on nothing but its row, its number and the version of the program, so that a trial made again has the stored curve, to the last digit. Nothing is written to the folder. The exit code is 1 when a curve differs.

Results have the names of programs, not their commands: --method exec:NAME=COMMAND and --problem exec:NAME=COMMAND give them.

Times are CPU seconds of the same trials, now and as they were stored.

Examples:

  mahabo bench replay docs/results/paper --method adaptive --problem branin --trials 1

  mahabo bench replay docs/results/paper --evals 60 --jobs 2`
}

// Run makes the trials and writes the comparison.
func (c *benchReplayCmd) Run(ctx context.Context, s streams) error {
	trials, err := c.trials()
	if err != nil {
		return err
	}
	o := bench.ReplayOptions{
		Trials: trials, PerCell: c.Trials, Evals: c.Evals, Jobs: c.Jobs, Version: version(), AnswerLimit: c.AnswerLimit,
	}
	f, err := c.filter()
	if err != nil {
		return err
	}
	o.Methods, o.Problems = f.Methods, f.Problems
	show := newProgress(s.err, "trials", c.Quiet)
	made, of := 0, 0
	o.OnTrial = func(done, total int) {
		made, of = done, total
		show.update(done, total, "")
	}
	rows, err := bench.Replay(ctx, o)
	show.close()
	if errors.Is(err, context.Canceled) {
		err = interrupted(fmt.Sprintf("stopped after %d of %d trials", made, of))
	}
	if len(rows) == 0 {
		return err
	}
	return errors.Join(err, bench.WriteReplayed(s.out, rows, format(c.Format)))
}
