package cli

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mahabo/mahabo/internal/chart"
	"github.com/mahabo/mahabo/internal/insight"
	told "github.com/mahabo/mahabo/internal/progress"
	"github.com/mahabo/mahabo/internal/report"
	"github.com/mahabo/mahabo/study"
)

type reportCmd struct {
	Study string `arg:"" help:"Name of the study."`
	Out   string `placeholder:"FILE" help:"Page to write, as report.html; needed unless --json is given."`
	JSON  bool   `name:"json" help:"Print the analysis as JSON instead."`
	storeFlags
}

// Help is the long help.
func (*reportCmd) Help() string {
	return `The page shows how far the study is, its best point, which combinations of the parameters matter, how much each parameter does, and how far the model behind this can be trusted. It is one HTML file that loads nothing else. docs/guides/report.md explains it.

Examples:

  mahabo report oven --out report.html

  mahabo report oven --json | jq .verdict

A table of evaluations made elsewhere:

  mahabo study create old --space space.yaml

  mahabo study import old trials.csv

  mahabo report old --out report.html`
}

// Run makes the page.
func (c *reportCmd) Run(ctx context.Context, s streams) error {
	switch {
	case c.Out == "" && !c.JSON:
		return usagef("--out is missing: name the page to write, as in --out report.html, or give --json")
	case c.Out != "" && c.JSON:
		return usagef("--out and --json: give one of them")
	}
	return c.with(ctx, s, c.Study, func(one studied) error {
		trials, err := one.Trials(ctx, study.Page{})
		if err != nil {
			return err
		}
		analysis, err := analyseShown(ctx, s, one.Config(), trials)
		if err != nil {
			return err
		}
		if c.JSON {
			return writeJSON(s.out, analysis)
		}
		p := report.Page{Trials: trials, Review: analysis, Command: commandLine(), Version: version(), Time: time.Now().UTC()}
		if p.Summary, err = one.Summary(ctx); err != nil {
			return err
		}
		if len(p.Summary.Config.Space.Outcomes()) > 0 {
			front, err := one.Front(ctx)
			if err != nil {
				return err
			}
			p.Front = &front
		}
		if p.Reports, err = one.Reports(ctx, chart.CurvePoints, drawnCurves(trials, one.Config().Goal)...); err != nil {
			return err
		}
		var b bytes.Buffer
		if err := report.HTML(&b, p); err != nil {
			return err
		}
		if err := writeFile(c.Out, b.Bytes()); err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s\n%s\n", analysis.Verdict, c.Out)
		return err
	})
}

// analyseShown analyses trials with a bar on a terminal.
func analyseShown(ctx context.Context, s streams, c study.Config, trials []study.Trial) (*insight.Review, error) {
	out := newProgress(s.err, "%", !isTerminal(s.err))
	defer out.close()
	return insight.ReviewTrials(told.With(ctx, func(what string, share float64) {
		out.update(int(100*share), 100, "looking at "+what)
	}), c, trials)
}

// drawnCurves are the trials whose learning curves a page has: the latest, and the best.
func drawnCurves(trials []study.Trial, goal study.Goal) (numbers []int) {
	for _, t := range trials[max(0, len(trials)-chart.MostCurves):] {
		numbers = append(numbers, t.Number)
	}
	var best *study.Trial
	for i := range trials {
		if t := &trials[i]; t.Value != nil && !t.Excluded && (best == nil || chart.Better(goal, *t.Value, *best.Value)) {
			best = t
		}
	}
	if best != nil && !slices.Contains(numbers, best.Number) {
		numbers = append(numbers, best.Number)
	}
	return numbers
}
