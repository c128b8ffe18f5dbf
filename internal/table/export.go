package table

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

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// Exported is a study whose trials can be read.
type Exported interface {
	Config() study.Config
	Trials(ctx context.Context, page study.Page) ([]study.Trial, error)
}

// Export writes all trials of a study, one per line.
func Export(ctx context.Context, s Exported, w io.Writer, f Format) error {
	if err := f.validate(); err != nil {
		return err
	}
	write, flush := exporter(w, f, s.Config().Space)
	if err := each(ctx, s, write); err != nil {
		return err
	}
	return flush()
}

// each reads all trials of a study, some at a time.
func each(ctx context.Context, s Exported, do func(study.Trial) error) error {
	for page := (study.Page{Limit: 1000}); ; {
		trials, err := s.Trials(ctx, page)
		if err != nil {
			return err
		}
		for _, t := range trials {
			if err := do(t); err != nil {
				return err
			}
		}
		if len(trials) < page.Limit {
			return nil
		}
		page.After = trials[len(trials)-1].Number
	}
}

// exporter returns how to write a trial and how to end. A header is written even
// when there are no trials.
func exporter(w io.Writer, f Format, sp *space.Space) (write func(study.Trial) error, flush func() error) {
	switch f {
	case JSONL:
		encoder := json.NewEncoder(w)
		return func(t study.Trial) error { return encoder.Encode(t) }, func() error { return nil }
	case Parquet:
		table := newParquetWriter(w, sp)
		return table.write, table.file.Close
	}
	var names, columns []string
	for _, p := range sp.Params() {
		names = append(names, p.Name)
		columns = append(columns, column(p.Name))
	}
	table := csv.NewWriter(w)
	_ = table.Write(slices.Concat(before(sp), columns, columnsBehind, spentColumns(sp))) // flush returns the error
	flush = func() error {
		table.Flush()
		return table.Error()
	}
	return func(t study.Trial) error { return table.Write(record(t, names, sp.Outcomes())) }, flush
}

// record is a trial as a line of a CSV file.
func record(t study.Trial, names []string, outcomes []space.Outcome) []string {
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
	if len(outcomes) > 0 {
		r = r[:2]
	}
	for _, o := range outcomes {
		value, std := "", ""
		if v, ok := t.Outcomes[o.Name]; ok {
			value = number(v)
		}
		if v := t.Stds[o.Name]; v > 0 {
			std = number(v)
		}
		r = append(r, value, std)
	}
	for _, name := range names {
		text, _ := t.Params.Text(name)
		if v, _ := t.Params.Get(name); v == text { // it is a string
			text = inert(text)
		}
		r = append(r, text)
	}
	r = append(r, inert(t.Reason), string(t.Origin), fmt.Sprint(t.Batch), inert(t.Worker), instant(t.Created), instant(t.Asked), instant(t.Told),
		inert(strings.Join(t.Notes, "\n")), strconv.FormatBool(t.Excluded))
	for _, v := range []float64{t.Cost, t.Seconds} {
		text := ""
		if v > 0 {
			text = number(v)
		}
		r = append(r, text)
	}
	return r
}
