package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/mahabo/mahabo/internal/remote"
	"github.com/mahabo/mahabo/internal/table"
	"github.com/mahabo/mahabo/study"
)

type studyExportCmd struct {
	Name   string `arg:"" help:"Name of the study."`
	Format string `enum:"auto,csv,jsonl,parquet" default:"auto" help:"csv, jsonl or parquet; auto goes by the name of --out, else csv (${default})."`
	Out    string `placeholder:"FILE" help:"Write to FILE instead of standard output."`
	storeFlags
}

// Help is the long help.
func (*studyExportCmd) Help() string {
	return `Examples:

  mahabo study export rig --out trials.csv

  mahabo study export rig --format jsonl | head`
}

// Run writes the trials.
func (c *studyExportCmd) Run(ctx context.Context, s streams) error {
	format := table.Format(c.Format)
	if c.Format == "auto" {
		if format = table.FormatOf(c.Out); format == "" && endsOtherwise(c.Out) {
			return usagef("--out: the name %s does not end in .csv, .jsonl or .parquet: use one of these, or say with --format what to write", c.Out)
		}
		format = cmp.Or(format, table.CSV)
	}
	return c.with(ctx, s, c.Name, func(one studied) error {
		if c.Out == "" {
			return table.Export(ctx, one, s.out, format)
		}
		if err := writeOut(c.Out, func(w io.Writer) error { return table.Export(ctx, one, w, format) }); err != nil {
			return err
		}
		sum, err := one.Summary(ctx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "wrote %s of %s to %s\n", counted(sum.Trials, "trial"), c.Name, c.Out)
		return err
	})
}

// endsOtherwise says that a name ends as those of files of one kind do. Devices have no such names.
func endsOtherwise(name string) bool {
	ext := filepath.Ext(name)
	return len(ext) > 1 && ext != filepath.Base(name)
}

type studyImportCmd struct {
	Name    string            `arg:"" help:"Name of the study."`
	File    string            `arg:"" help:"Table of evaluations: CSV, Parquet or one JSON object per line."`
	Format  string            `enum:"auto,csv,jsonl,parquet" default:"auto" help:"csv, jsonl or parquet; auto goes by the file's name (${default})."`
	Columns map[string]string `name:"column" mapsep:"none" placeholder:"NAME=COLUMN" help:"Column of a parameter, or of value, state, std, reason, notes, excluded, cost or seconds, if the file calls it differently."`
	Decimal string            `enum:"auto,point,comma" default:"auto" help:"Sign before the decimals of numbers in CSV: point or comma; auto goes by the numbers (${default})."`
	Strict  bool              `help:"Import nothing if a row cannot be used, instead of leaving it out."`
	Repeats bool              `help:"Import also the rows that are in the study already, as real repetitions."`
	DryRun  bool              `help:"Only say what would be imported."`
	JSON    bool              `name:"json" help:"Print JSON."`
	storeFlags
}

// Help is the long help.
func (*studyImportCmd) Help() string {
	return `Rows that cannot be used are listed and left out: those without a value, with a parameter out of its
bounds, or that break a constraint of the space. Rows that are in the study already are not imported twice:
a table that was mended or extended can be imported again. CSV is divided by commas, semicolons or tabs.

Examples:

  mahabo study import rig past.csv --dry-run

  mahabo study import rig past.csv --column value=yield --column rate=lr

  mahabo study import rig past.csv --decimal comma --strict`
}

// importSlack is how much memory may wait to be used again, in per cent of what is used: a large
// table takes much, and the processor has time while the disk writes.
const importSlack = 25

// Run adds the evaluations.
func (c *studyImportCmd) Run(ctx context.Context, s streams) error {
	o := table.Options{Format: table.Format(c.Format), Columns: c.Columns, DryRun: c.DryRun, Strict: c.Strict, Repeats: c.Repeats, Flags: true}
	if c.Format == "auto" {
		if o.Format = table.FormatOf(c.File); o.Format == "" {
			return usagef("--format: the name %s does not end in .csv, .jsonl or .parquet: say which it is", c.File)
		}
	}
	if c.Decimal != "auto" {
		o.Decimal = table.Decimal(c.Decimal)
	}
	defer withSlack(importSlack)()
	data, err := readFile(ctx, c.File, table.MostBytes)
	if err != nil {
		return err
	}
	return c.with(ctx, s, c.Name, func(one studied) error {
		shown := showImport(s.err)
		o.Progress = shown.update
		var report table.Report
		switch one := one.(type) {
		case *study.Study:
			file := bytes.NewBuffer(data)
			data = nil // its memory is free once the rows are read
			report, err = table.Import(ctx, one, file, o)
		case *remote.Study:
			report, err = one.Import(ctx, data, o)
		}
		shown.close()
		if ctx.Err() != nil && err != nil {
			return interrupted("interrupted: to be sure, import the file again, no row of it is taken twice")
		}
		if err != nil && len(report.Bad) == 0 {
			return fmt.Errorf("%s: %w", c.File, err)
		}
		return c.report(s, report, err)
	})
}

// mostShown bounds the rows that are listed for people.
const mostShown = 20

// report prints what became of the rows; refused is why none was taken.
func (c *studyImportCmd) report(s streams, r table.Report, refused error) error {
	switch {
	case refused != nil:
		refused = fmt.Errorf("%s: %w", c.File, refused)
	case r.Good == 0 && len(r.Bad) > 0:
		refused = fmt.Errorf("no row of %s can be imported", c.File)
	}
	if c.JSON {
		return errors.Join(json.NewEncoder(s.out).Encode(r), refused)
	}
	for _, bad := range r.Bad[:min(len(r.Bad), mostShown)] {
		fmt.Fprintf(s.err, "%s:%d: %v\n", c.File, bad.Line, bad.Err)
	}
	if more := len(r.Bad) - mostShown; more > 0 {
		fmt.Fprintf(s.err, "%s: %s cannot be used (--json lists all)\n", c.File, counted(more, "more row"))
	}
	if c.Strict && refused != nil {
		return refused
	}
	done, known := "imported", ""
	if c.DryRun {
		done = "would import"
	}
	switch {
	case r.Known == 1:
		known = "; 1 row is in the study already"
	case r.Known > 1:
		known = fmt.Sprintf("; %d rows are in the study already", r.Known)
	}
	if r.Known > 0 && !c.Repeats {
		known += " (see --repeats)"
	}
	_, err := fmt.Fprintf(s.out, "%s %s, left out %d%s\n", done, counted(r.Good-r.Known, "row"), len(r.Bad), known)
	return errors.Join(err, refused)
}
