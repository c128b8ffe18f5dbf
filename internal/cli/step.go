package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mahabo/mahabo/internal/hint"
	"github.com/mahabo/mahabo/study"
)

type stepCmd struct {
	Study  string   `arg:"" help:"Name of the study."`
	Number int      `arg:"" help:"Number of the trial."`
	Step   *int64   `arg:"" optional:"" help:"Step that it has reached: a number that counts up, as of epochs. Without it, list what the trial has reported."`
	Values []string `arg:"" optional:"" name:"value" help:"What it has reached there: a number, or NAME=VALUE for outcomes that the study declares."`
	Worker string   `placeholder:"NAME" help:"The name under which it was asked for."`
	JSON   bool     `name:"json" help:"Print JSON."`
	storeFlags
}

// Help is the long help.
func (*stepCmd) Help() string {
	return `Examples:

  mahabo step rig 3 10 0.42

  mahabo step beam 3 10 mass=1.4 stress=9.7

  mahabo step rig 3

The first line says whether the trial goes on, or why the rule of the study, which mahabo study create --stop names, wants it to end: then
tell it so, with mahabo tell rig 3 --state stopped. Reporting an earlier step again replaces what was reported from there on.`
}

// Run reports, or lists.
func (c *stepCmd) Run(ctx context.Context, s streams) error {
	if c.Step == nil {
		return c.list(ctx, s)
	}
	r := study.Reported{Step: *c.Step}
	switch {
	case len(c.Values) == 0:
		return usagef("the value is missing: write what the trial has reached at step %d", *c.Step)
	case len(c.Values) == 1 && !strings.Contains(c.Values[0], "="):
		var err error
		if r.Value, err = strconv.ParseFloat(c.Values[0], 64); err != nil {
			return usagef("%q is not a number%s", c.Values[0], hint.Point(c.Values[0]))
		}
	default:
		var err error
		if r.Outcomes, _, err = readOutcomes(c.Values); err != nil {
			return err
		}
	}
	return c.with(ctx, s, c.Study, func(one studied) error {
		why, err := one.Report(ctx, c.Number, c.Worker, r)
		if err != nil {
			return err
		}
		if c.JSON {
			return writeJSON(s.out, map[string]any{"stop": why != "", "reason": why})
		}
		text := fmt.Sprintf("trial %d goes on", c.Number)
		if why != "" {
			text = fmt.Sprintf("stop trial %d: %s", c.Number, why)
		}
		_, err = fmt.Fprintln(s.out, text)
		return err
	})
}

func (c *stepCmd) list(ctx context.Context, s streams) error {
	return c.with(ctx, s, c.Study, func(one studied) error {
		if _, err := one.Numbered(ctx, c.Number); err != nil {
			return err
		}
		found, err := one.Reports(ctx, 0, c.Number)
		if err != nil {
			return err
		}
		if c.JSON {
			return writeJSON(s.out, append([]study.Reported{}, found[c.Number]...))
		}
		w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "step\tvalue\ttime")
		for _, r := range found[c.Number] {
			value := tenDigits(r.Value)
			if len(r.Outcomes) > 0 {
				value = outcomesText(r.Outcomes)
			}
			fmt.Fprintf(w, "%d\t%s\t%s\n", r.Step, value, r.Time.Local().Format(time.DateTime))
		}
		return w.Flush()
	})
}
