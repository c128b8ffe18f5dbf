package study

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
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/internal/hint"
	"github.com/mahabo/mahabo/space"
)

// ImportOptions says how to read a file of past evaluations.
type ImportOptions struct {
	Format Format
	// Columns says how the columns of an exported file are called in this one,
	// where they differ: parameters, value, state, std, reason and notes. {"rate": "lr"}
	Columns map[string]string
	DryRun  bool // only report
}

// ImportReport says what was found in a file.
type ImportReport struct {
	Good     int        `json:"good"`              // rows that can be used
	Bad      []RowError `json:"bad"`               // rows that cannot
	Trials   []int      `json:"trials"`            // numbers of the new trials, none after a dry run
	Repeated bool       `json:"repeated,omitzero"` // the same file was imported before; Trials are of then
}

// RowError is a row that cannot be used.
type RowError struct {
	Line int // of the file, from 1 on
	Err  error
}

func (e RowError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e RowError) Unwrap() error { return e.Err }

// MarshalJSON writes the error as text.
func (e RowError) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"line": e.Line, "error": e.Err.Error()})
}

// mostRows bounds a file: its trials become one event.
const mostRows = 100000

// Import adds trials that were evaluated before or elsewhere. Rows that cannot be
// used are listed and left out, the others become trials, all at once. A row needs
// the values of all parameters that are not fixed, within their bounds, and a
// value, or the state failed or infeasible; constraints are not checked, as a
// value is known. Importing the same file in the same way again changes nothing.
func (s *Study) Import(ctx context.Context, r io.Reader, o ImportOptions) (ImportReport, error) {
	report := ImportReport{Bad: []RowError{}, Trials: []int{}}
	if err := o.Format.validate(); err != nil {
		return report, err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return report, err
	}
	in := importer{space: s.Config().Space, columns: o.Columns}
	if err := in.check(); err != nil {
		return report, err
	}
	read := map[Format]func([]byte) error{CSV: in.readCSV, JSONL: in.readJSONL, Parquet: in.readParquet}[o.Format]
	if err := read(bytes.TrimPrefix(data, []byte("\ufeff"))); err != nil {
		return report, err
	}
	report.Good = len(in.placed)
	report.Bad = append(report.Bad, in.bad...)
	if report.Good > mostRows {
		return report, requestf("the file has %d rows: import at most %d at once", report.Good, mostRows)
	}
	if o.DryRun || report.Good == 0 {
		return report, nil
	}
	digest := o.digest(data)
	err = s.write(ctx, func(l *ledger) (*Event, error) {
		if known, ok := l.imported[digest]; ok {
			report.Trials, report.Repeated = known, true
			return nil, nil
		}
		report.Trials = number(in.placed, len(l.trials)+1)
		return &Event{Imported: &Imported{Digest: digest, New: in.placed, Outcomes: in.outcomes, Notes: in.notes}}, nil
	}, nil)
	if err != nil {
		report.Trials = []int{}
	}
	return report, err
}

// Add adds one trial that was evaluated before or elsewhere.
func (s *Study) Add(ctx context.Context, params space.Values, o Outcome) (Trial, error) {
	o, err := normal(o)
	if err != nil {
		return Trial{}, &RequestError{err}
	}
	p, err := place(s.Config().Space, params)
	if err != nil {
		return Trial{}, &RequestError{err}
	}
	placed := []Placed{p}
	var trials []Trial
	err = s.write(ctx, func(l *ledger) (*Event, error) {
		number(placed, len(l.trials)+1)
		return &Event{Imported: &Imported{New: placed, Outcomes: []Outcome{o}}}, nil
	}, func(l *ledger) { trials = l.trialsOf([]int{len(l.trials)}, s.time()) })
	if err != nil {
		return Trial{}, err
	}
	return trials[0], nil
}

// digest names a file and the way it is read.
func (o ImportOptions) digest(data []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", o.Format)
	for _, field := range slices.Sorted(maps.Keys(o.Columns)) {
		fmt.Fprintf(h, "%q %q\n", field, o.Columns[field])
	}
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// importer turns rows into trials.
type importer struct {
	space   *space.Space
	columns map[string]string // as in ImportOptions

	placed   []Placed
	outcomes []Outcome
	notes    [][]string // nil while there are none
	bad      []RowError
}

// The fields of a row beside its parameters.
var importFields = []string{"value", "state", "std", "reason", "notes"}

// check refuses a mapping of things that do not exist.
func (in *importer) check() error {
	known := slices.Clone(importFields)
	for _, p := range in.space.Params() {
		known = append(known, column(p.Name))
	}
	for _, name := range slices.Sorted(maps.Keys(in.columns)) {
		if !slices.Contains(known, name) {
			return requestf("column %q: %q is neither a parameter%s nor one of %s",
				in.columns[name], name, hint.DidYouMean(name, known), strings.Join(importFields, ", "))
		}
	}
	return nil
}

// named is the column of the file for one of an exported file.
func (in *importer) named(column string) string {
	if mapped, ok := in.columns[column]; ok {
		return mapped
	}
	return column
}

// row is a line of a file: it returns what stands in a column, false when that
// is empty. Of a parameter it returns a value, of a field a string, a float64,
// an int64 or a list.
type row interface {
	param(p space.Param, column string) (any, bool)
	field(column string) (any, bool)
}

// add uses a row, or lists it.
func (in *importer) add(line int, r row) {
	o, err := in.outcome(r)
	if err != nil {
		in.refuse(line, err)
		return
	}
	all := map[string]any{}
	for _, p := range in.space.Params() {
		if v, ok := r.param(p, in.named(column(p.Name))); ok {
			all[p.Name] = v
		}
	}
	p, err := place(in.space, space.ValuesOf(all))
	if err != nil {
		in.refuse(line, err)
		return
	}
	in.placed = append(in.placed, p)
	in.outcomes = append(in.outcomes, o)
	notes := in.remarks(r)
	if in.notes == nil && notes != nil {
		in.notes = make([][]string, len(in.placed)-1)
	}
	if in.notes != nil {
		in.notes = append(in.notes, notes)
	}
}

func (in *importer) refuse(line int, err error) {
	in.bad = append(in.bad, RowError{line, err})
}

// outcome reads what came of a row's trial.
func (in *importer) outcome(r row) (o Outcome, err error) {
	if v, ok := r.field(in.named("state")); ok {
		o.State = State(fmt.Sprint(v))
	}
	if v, ok := r.field(in.named("reason")); ok {
		o.Reason = fmt.Sprint(v)
	}
	if o.State == Waiting || o.State == Running || o.State == Stale {
		return o, fmt.Errorf("the state is %s: a trial without an outcome is not imported", o.State)
	}
	if o.State == "" || o.State == Complete {
		v, ok := r.field(in.named("value"))
		if !ok {
			return o, fmt.Errorf("there is no value in %q", in.named("value"))
		}
		if o.Value, err = float(v); err != nil {
			return o, fmt.Errorf("the value: %w", err)
		}
		if v, ok := r.field(in.named("std")); ok {
			if o.Std, err = float(v); err != nil {
				return o, fmt.Errorf("the std: %w", err)
			}
		}
	}
	return normal(o)
}

// remarks reads a row's notes, a list or one per line, each once.
func (in *importer) remarks(r row) (notes []string) {
	v, ok := r.field(in.named("notes"))
	if !ok {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		for line := range strings.Lines(fmt.Sprint(v)) {
			list = append(list, strings.TrimRight(line, "\r\n"))
		}
	}
	for _, note := range list {
		if text := fmt.Sprint(note); text != "" && !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	return notes
}

// float reads a number.
func float(v any) (float64, error) {
	f, err := strconv.ParseFloat(fmt.Sprint(v), 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", fmt.Sprint(v))
	}
	return f, nil
}
