package cli

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/internal/report"
	"github.com/mahabo/mahabo/study"
)

type reportCmd struct {
	Study string `arg:"" help:"Name of the study."`
	Out   string `placeholder:"FILE" help:"Page to write, report.html."`
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
	return c.with(ctx, s, c.Study, func(one *study.Study) error {
		trials, err := one.Trials(ctx, study.Page{})
		if err != nil {
			return err
		}
		analysis, err := insight.ReviewTrials(ctx, one.Config(), trials)
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
