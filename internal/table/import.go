package table

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/mahabo/mahabo/study"
)

// Options say how to read a file of past evaluations.
type Options struct {
	Format Format
	// Columns says how the columns of an exported file are called in this one,
	// where they differ: parameters, value, state, std, reason, notes, excluded, cost and seconds. {"rate": "lr"}
	Columns map[string]string
	Decimal Decimal // of the numbers in CSV
	DryRun  bool    // only report
	Strict  bool    // refuse a file with a row that cannot be used
	Repeats bool    // take also the rows that are in the study already

	Flags    bool                  // errors name options as flags of a command
	Progress func(done, total int) // hears of lines that are read; may be nil
}

// Report says what was found in a file.
type Report struct {
	Good     int        `json:"good"`              // rows that can be used
	Known    int        `json:"known"`             // those of them that are in the study already, and are not taken again
	Bad      []RowError `json:"bad"`               // rows that cannot
	Trials   []int      `json:"trials"`            // numbers of the new trials, none after a dry run
	Repeated bool       `json:"repeated,omitzero"` // the same file was imported before; Trials are of then
}

// RowError is a row that cannot be used.
type RowError struct {
	Line int // of the file, from 1 on; of a Parquet file the row
	Err  error
}

func (e RowError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e RowError) Unwrap() error { return e.Err }

// MarshalJSON writes the error as text.
func (e RowError) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"line": e.Line, "error": e.Err.Error()})
}

// Import adds trials that were evaluated before or elsewhere to a study. Rows that cannot
// be used are listed and left out, those among them that break a constraint of the space; the
// others become trials, all at once, but for those that are in the study already. Importing the same file in the
// same way again changes nothing, also with Repeats or after a correction. What the user has to mend is a *study.RequestError.
func Import(ctx context.Context, s *study.Study, r io.Reader, o Options) (Report, error) {
	return load(ctx, s, r, o, standard())
}

func load(ctx context.Context, s *study.Study, r io.Reader, o Options, l limits) (Report, error) {
	report := Report{Bad: []RowError{}, Trials: []int{}}
	sum, err := s.Summary(ctx) // another process may have changed the parameters
	if err != nil {
		return report, err
	}
	in, err := newImporter(sum.Config.Space, o, l)
	if err != nil {
		return report, err
	}
	data, err := l.read(ctx, r)
	if err != nil {
		return report, err
	}
	if err := in.read(ctx, bytes.TrimPrefix(data, []byte("\ufeff"))); err != nil {
		return report, err
	}
	if len(in.rows)+len(in.bad) == 0 {
		return report, refusef("the file has no rows: there is nothing to import")
	}
	report.Good = len(in.rows)
	report.Bad = append(report.Bad, in.bad...)
	if len(in.bad) > 0 && o.Strict {
		return report, refusef("%d of %d rows cannot be used, the first in %w: mend them, or leave them out by importing without %s",
			len(in.bad), len(in.bad)+len(in.rows), in.bad[0], o.flag("strict", ""))
	}
	if report.Good == 0 {
		return report, nil
	}
	digest := o.digest(data)
	numbers, repeated, err := s.Import(ctx, digest) // no rows yet: it only looks
	if err == nil && !repeated && !o.Repeats {
		in.rows, err = fresh(ctx, s, in.params, in.rows)
		report.Known = report.Good - len(in.rows)
	}
	if err == nil && !repeated && !o.DryRun && len(in.rows) > 0 {
		numbers, repeated, err = s.Import(ctx, digest, in.rows...)
	}
	if repeated {
		report.Known, report.Repeated = report.Good, true
	}
	if err == nil && !o.DryRun && numbers != nil {
		report.Trials = numbers
	}
	return report, err
}

// flag is how users state an option.
func (o Options) flag(name, value string) string {
	switch {
	case o.Flags:
		return strings.TrimSpace("--" + name + " " + value)
	case name == "column":
		return value
	case value == "":
		return name
	}
	return name + "=" + value
}

// between divides options that are stated one after the other.
func (o Options) between() string {
	if o.Flags {
		return " "
	}
	return ", "
}

// digest names a file and the way it is read. Studies keep it: what it is made of must not
// change.
func (o Options) digest(data []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", o.Format)
	for _, field := range slices.Sorted(maps.Keys(o.Columns)) {
		fmt.Fprintf(h, "%q %q\n", field, o.Columns[field])
	}
	if o.Decimal != DecimalAuto {
		fmt.Fprintf(h, "decimal %s\n", o.Decimal)
	}
	if o.Repeats {
		fmt.Fprintln(h, "repeats")
	}
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}
