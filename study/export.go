package study

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Format is how trials are written to a file.
type Format string

// The formats: CSV and Parquet have one column per parameter, JSONL one Trial per line.
const (
	CSV     Format = "csv"
	JSONL   Format = "jsonl"
	Parquet Format = "parquet"
)

func (f Format) validate() error {
	if f != CSV && f != JSONL && f != Parquet {
		return requestf("format %q is not known: write %s, %s or %s", f, CSV, JSONL, Parquet)
	}
	return nil
}

// The columns of a CSV file before and behind those of the parameters.
var (
	columnsBefore = []string{"number", "state", "value", "std"}
	columnsBehind = []string{"reason", "origin", "batch", "worker", "created", "asked", "told", "notes"}
)

// column is the name of a parameter's column: its own, unless that is taken.
func column(param string) string {
	if slices.Contains(columnsBefore, param) || slices.Contains(columnsBehind, param) || strings.HasPrefix(param, "params.") {
		return "params." + param
	}
	return param
}

// Export writes all trials, one per line.
func (s *Study) Export(ctx context.Context, w io.Writer, f Format) error {
	if err := f.validate(); err != nil {
		return err
	}
	write, flush := s.exporter(w, f)
	for page := (Page{Limit: 1000}); ; {
		trials, err := s.Trials(ctx, page)
		if err != nil {
			return err
		}
		for _, t := range trials {
			if err := write(t); err != nil {
				return err
			}
		}
		if len(trials) < page.Limit {
			return flush()
		}
		page.After = trials[len(trials)-1].Number
	}
}

// exporter returns how to write a trial and how to end. A header is written even
// when there are no trials.
func (s *Study) exporter(w io.Writer, f Format) (write func(Trial) error, flush func() error) {
	switch f {
	case JSONL:
		encoder := json.NewEncoder(w)
		return func(t Trial) error { return encoder.Encode(t) }, func() error { return nil }
	case Parquet:
		table := newParquetWriter(w, s.Config().Space)
		return table.write, table.file.Close
	}
	var names, columns []string
	for _, p := range s.Config().Space.Params() {
		names = append(names, p.Name)
		columns = append(columns, column(p.Name))
	}
	table := csv.NewWriter(w)
	_ = table.Write(slices.Concat(columnsBefore, columns, columnsBehind)) // flush returns the error
	flush = func() error {
		table.Flush()
		return table.Error()
	}
	return func(t Trial) error { return table.Write(record(t, names)) }, flush
}

// record is a trial as a line of a CSV file.
func record(t Trial, names []string) []string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	instant := func(v time.Time) string {
		if v.IsZero() {
			return ""
		}
		return v.Format(time.RFC3339Nano)
	}
	r := []string{strconv.Itoa(t.Number), string(t.State), "", ""}
	if t.Value != nil {
		r[2] = number(*t.Value)
	}
	if t.Std > 0 {
		r[3] = number(t.Std)
	}
	for _, name := range names {
		text, _ := t.Params.Text(name)
		r = append(r, text)
	}
	return append(r, t.Reason, string(t.Origin), fmt.Sprint(t.Batch), t.Worker, instant(t.Created), instant(t.Asked), instant(t.Told),
		strings.Join(t.Notes, "\n"))
}
