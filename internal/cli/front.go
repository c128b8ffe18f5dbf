package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"
)

type frontCmd struct {
	Study string `arg:"" help:"Name of the study."`
	JSON  bool   `name:"json" help:"Print JSON."`
	storeFlags
}

// Help is the long help.
func (*frontCmd) Help() string {
	return `Examples:

  mahabo front beam

  mahabo front beam --json | jq '.points[].means'

The points that no other dominates, among those that keep all limits, by the first objective; * marks the
knee, which gives most for least. The hypervolume is that of what they dominate, up to the reference.`
}

// Run prints the front.
func (c *frontCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, s, c.Study, func(one studied) error {
		f, err := one.Front(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return writeJSON(s.out, f)
		}
		if f.Complete == 0 {
			return fmt.Errorf("study %q has no complete trial that counts yet", c.Study)
		}
		w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
		for _, name := range slices.Sorted(maps.Keys(f.Kept)) {
			fmt.Fprintf(w, "limits of %s\tkept by %d of %d trials\n", name, f.Kept[name], f.Complete)
		}
		if f.Least != nil {
			fmt.Fprintf(w, "no trial keeps all limits\tleast violation: trial %d, %s\n", f.Least.Number, outcomesText(f.Least.Violations))
			return w.Flush()
		}
		if len(f.Objectives) < 2 {
			err := fmt.Errorf("study %q has one objective, so that its front is a single point: mahabo best %s shows it", c.Study, c.Study)
			return errors.Join(w.Flush(), err)
		}
		fmt.Fprintf(w, "hypervolume\t%.6g up to %s\n", f.Hypervolume, outcomesText(f.Reference))
		if err := w.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(w, "trial")
		for _, name := range f.Objectives {
			fmt.Fprintf(w, "\t%s", name)
		}
		fmt.Fprintln(w, "\tparameters")
		for _, p := range f.Points {
			mark := ""
			if p.Number == f.Knee {
				mark = "*"
			}
			fmt.Fprintf(w, "%d%s", p.Number, mark)
			for _, name := range f.Objectives {
				value, ok := p.Means[name]
				if !ok {
					value = p.Mean
				}
				fmt.Fprintf(w, "\t%s", tenDigits(value))
			}
			fmt.Fprintf(w, "\t%s\n", firstParams(p.Params, shownParams))
		}
		return w.Flush()
	})
}
