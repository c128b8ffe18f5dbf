package table

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/hint"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// importer turns the lines of a file into rows of a study.
type importer struct {
	space   *space.Space
	params  []space.Param
	fields  []string // columns of a row beside its parameters
	needs   []string // columns of the outcomes that a row needs, if the space declares some
	spent   []string // columns of cost and seconds
	options Options
	limits  limits

	seen  int // rows
	cells int
	texts int // bytes of a Parquet file's
	total int // lines
	rows  []study.Row
	bad   []RowError
}

// The fields of a row beside its parameters.
var importFields = []string{"value", "state", "std", "reason", "notes", "excluded"}

// newImporter refuses options that name things that do not exist.
func newImporter(sp *space.Space, o Options, l limits) (*importer, error) {
	if err := o.Format.validate(); err != nil {
		return nil, err
	}
	if err := o.Decimal.validate(); err != nil {
		return nil, err
	}
	in := &importer{space: sp, params: sp.Params(), fields: importFields, options: o, limits: l}
	if columns := outcomeColumns(sp); columns != nil {
		in.fields = slices.Concat(columns, slices.DeleteFunc(slices.Clone(importFields), func(f string) bool { return f == "value" || f == "std" }))
		for _, o := range sp.Outcomes() {
			if o.Goal != "" || o.AtMost != nil || o.AtLeast != nil {
				in.needs = append(in.needs, outcomeColumn(sp, o.Name))
			}
		}
	}
	in.spent = spentColumns(sp)
	in.fields = slices.Concat(in.fields, in.spent)
	known := slices.Clone(in.fields)
	for _, p := range in.params {
		known = append(known, column(p.Name))
	}
	for _, name := range slices.Sorted(maps.Keys(o.Columns)) {
		if !slices.Contains(known, name) {
			return nil, refusef("column %q: %q is neither a parameter%s nor one of %s",
				o.Columns[name], name, hint.DidYouMean(name, known), strings.Join(in.fields, ", "))
		}
	}
	return in, nil
}

// read reads all rows of a file.
func (in *importer) read(ctx context.Context, data []byte) error {
	switch in.options.Format {
	case CSV:
		return in.readCSV(ctx, data)
	case JSONL:
		return in.readJSONL(ctx, data)
	}
	return in.readParquet(ctx, data)
}

// named is the column of the file for one of an exported file.
func (in *importer) named(column string) string {
	if mapped, ok := in.options.Columns[column]; ok {
		return mapped
	}
	return column
}

// header checks that the columns a row needs are there.
func (in *importer) header(header []string) (index map[string]int, err error) {
	if len(header) > in.limits.columns {
		return nil, in.limits.tooManyColumns()
	}
	index = map[string]int{}
	for i, name := range header {
		header[i] = strings.TrimSpace(name)
		if _, twice := index[header[i]]; twice {
			return nil, refusef("two columns are called %q: rename one", shorten(header[i]))
		}
		index[header[i]] = i
	}
	_, stated := index[in.named("state")]
	for _, field := range in.needed() {
		if _, ok := index[in.named(field)]; !ok && !(stated && in.isOutcome(field)) {
			return nil, in.missing(field, header)
		}
	}
	return index, nil
}

// needed are the columns that a file must have, value only if it has no state.
func (in *importer) needed() (columns []string) {
	for _, p := range in.params {
		if p.Kind != space.KindFixed {
			columns = append(columns, column(p.Name))
		}
	}
	columns = append(columns, slices.Sorted(maps.Keys(in.options.Columns))...)
	if in.needs != nil {
		return append(columns, in.needs...)
	}
	return append(columns, "value")
}

// isOutcome says whether a column has what a complete trial found.
func (in *importer) isOutcome(column string) bool {
	return column == "value" || slices.Contains(in.needs, column)
}

// missing says which columns there are instead.
func (in *importer) missing(field string, header []string) error {
	c := in.named(field)
	if renamed := in.otherCase(field, header); renamed != nil {
		return refusef("the file has no column %q%s, capitals count: add %s; the file has the columns %s",
			c, in.whose(field), strings.Join(renamed, in.options.between()), listed(header))
	}
	name := "name the right one with "
	if !in.options.Flags {
		name = "name the right one, as in "
	}
	columns := "the columns " + listed(header)
	if len(header) == 1 && in.options.Format == CSV {
		columns = fmt.Sprintf("only the column %q (columns of CSV are divided by commas, semicolons or tabs)", shorten(header[0]))
	}
	return refusef("the file has no column %q%s%s: %s%s; the file has %s",
		c, in.whose(field), hint.DidYouMean(c, header), name, in.options.flag("column", field+"=COLUMN"), columns)
}

// whose says what a column has to hold, unless it is called so.
func (in *importer) whose(field string) string {
	for _, p := range in.params {
		if column(p.Name) == field {
			return " for the parameter " + p.Name
		}
	}
	if in.named(field) != field {
		return " for " + field
	}
	return ""
}

// otherCase are the options for a column, and for others that are needed, which are written in other capitals;
// nil when the first is not there at all.
func (in *importer) otherCase(first string, header []string) (options []string) {
	written, folded := map[string]bool{}, map[string]string{}
	for _, name := range header {
		written[name], folded[strings.ToLower(name)] = true, name
	}
	for _, field := range slices.Concat([]string{first}, in.needed()) {
		name, is := folded[strings.ToLower(in.named(field))]
		if !is && field == first {
			return nil
		}
		option := in.options.flag("column", field+"="+name)
		if is && !written[in.named(field)] && !slices.Contains(options, option) && len(options) < mostListed {
			options = append(options, option)
		}
	}
	return options
}

// mostListed columns fit into an error.
const mostListed = 30

func listed(header []string) string {
	text := shorten(strings.Join(header[:min(len(header), mostListed)], ", "))
	if more := len(header) - mostListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// row is a line of a file. Its methods return what stands in a column, and false when that
// is empty. A field is a string, a number or, of notes, a list.
type row interface {
	param(p space.Param, column string) (value any, ok bool, err error)
	text(column string) (value any, ok bool)
	number(column string) (value any, ok bool, err error)
}

// count counts a row before anything is made of it.
func (in *importer) count(ctx context.Context, line, cells int) error {
	in.seen++
	in.cells += cells
	switch {
	case in.seen > in.limits.rows:
		return in.limits.tooManyRows()
	case in.cells > in.limits.cells:
		return in.limits.tooManyCells()
	}
	if in.options.Progress != nil {
		in.options.Progress(line, in.total)
	}
	return ctx.Err()
}

// add uses a row, or lists it.
func (in *importer) add(line int, r row) {
	one, err := in.take(r)
	if err == nil {
		one, err = one.Check(in.space)
	}
	if value := interface{ Measured() string }(nil); errors.As(err, &value) { // another value would be made up
		err = errors.New(value.Measured())
	}
	if err != nil {
		in.refuse(line, err)
		return
	}
	in.rows = append(in.rows, one)
}

// refuse lists a row that cannot be used.
func (in *importer) refuse(line int, err error) {
	if text := err.Error(); len(text) > mostError { // it may quote a cell
		err = errors.New(shorten(text))
	}
	in.bad = append(in.bad, RowError{line, err})
}

const mostError = 1000

// shorten cuts a text that is too long for an error.
func shorten(text string) string {
	if len(text) <= mostError {
		return text
	}
	end := mostError
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

// take reads a row.
func (in *importer) take(r row) (one study.Row, err error) {
	if one.Outcome, err = in.outcome(r); err != nil {
		return one, err
	}
	all := map[string]any{}
	for _, p := range in.params {
		v, ok, err := r.param(p, in.named(column(p.Name)))
		if err != nil {
			return one, fmt.Errorf("parameter %q: %w", p.Name, err)
		}
		if ok {
			all[p.Name] = v
		}
	}
	one.Params, one.Notes = space.ParamsOf(all), in.notes(r)
	one.Excluded, err = in.excluded(r)
	return one, err
}

// excluded reads whether a row is kept without being learnt from.
func (in *importer) excluded(r row) (bool, error) {
	v, ok := r.text(in.named("excluded"))
	if !ok {
		return false, nil
	}
	switch text := strings.ToLower(strings.TrimSpace(fmt.Sprint(v))); text {
	case "true", "yes", "1":
		return true, nil
	case "false", "no", "0":
		return false, nil
	default:
		return false, fmt.Errorf("excluded is %q: write true or false", text)
	}
}

// outcome reads what came of a row's trial.
func (in *importer) outcome(r row) (o evaluate.Outcome, err error) {
	if v, ok := r.text(in.named("state")); ok {
		o.State = evaluate.State(strings.TrimSpace(fmt.Sprint(v)))
	}
	if v, ok := r.text(in.named("reason")); ok {
		o.Reason = valid(v)
	}
	switch o.State {
	case study.Waiting, study.Running, study.Stale:
		return o, fmt.Errorf("the state is %s: a trial without an outcome is not imported", o.State)
	case "", evaluate.Complete:
		if in.needs != nil {
			err = in.outcomes(r, &o)
		} else {
			err = in.value(r, &o)
		}
	}
	if err == nil {
		err = in.took(r, &o)
	}
	return o, err
}

// took reads cost and seconds, which may be missing.
func (in *importer) took(r row, o *evaluate.Outcome) error {
	for i, dst := range []*float64{&o.Cost, &o.Seconds} {
		v, ok, err := r.number(in.named(in.spent[i]))
		if line, is := r.(jsonRow); is && err == nil && !ok && line.apart(spentFields[i], o.State) {
			v, ok = line.text(spentFields[i])
		}
		if err == nil && ok {
			*dst, err = float(v)
		}
		if err != nil {
			return fmt.Errorf("the %s: %w", spentFields[i], err)
		}
	}
	return nil
}

// value reads the value of a complete trial and its standard deviation.
func (in *importer) value(r row, o *evaluate.Outcome) error {
	for _, field := range []struct {
		name   string
		dst    *float64
		needed bool
	}{{"value", &o.Value, true}, {"std", &o.Std, false}} {
		v, ok, err := r.number(in.named(field.name))
		switch {
		case err == nil && !ok && field.needed:
			return fmt.Errorf("there is no value in %q", in.named(field.name))
		case err == nil && ok:
			*field.dst, err = float(v)
		}
		if err != nil {
			return fmt.Errorf("the %s: %w", field.name, err)
		}
	}
	return nil
}

// outcomes reads the outcomes of a complete trial and their standard deviations.
func (in *importer) outcomes(r row, o *evaluate.Outcome) error {
	o.Outcomes, o.Stds = map[string]float64{}, map[string]float64{}
	for _, declared := range in.space.Outcomes() {
		for _, field := range []struct {
			column string
			dst    map[string]float64
			inner  string // object of a JSON line that may hold it
		}{{outcomeColumn(in.space, declared.Name), o.Outcomes, "outcomes"}, {stdColumn(in.space, declared.Name), o.Stds, "stds"}} {
			var v any
			var ok bool
			var err error
			if nested, is := r.(jsonRow); is && in.named(field.column) == field.column { // beside it the name may be that of a trial's field
				v, ok = nested.inner(field.inner, declared.Name)
			}
			if !ok {
				v, ok, err = r.number(in.named(field.column))
			}
			if err == nil && !ok {
				continue // what is needed is checked later
			}
			if err == nil {
				field.dst[declared.Name], err = float(v)
			}
			if err != nil {
				return fmt.Errorf("outcome %q: %w", declared.Name, err)
			}
		}
	}
	if len(o.Outcomes) == 0 {
		return fmt.Errorf("there is no value in %q", in.named(in.needs[0]))
	}
	return nil
}

// notes reads a row's notes, a list or one per line, each once.
func (in *importer) notes(r row) (notes []string) {
	v, ok := r.text(in.named("notes"))
	if !ok {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		for line := range strings.Lines(fmt.Sprint(v)) {
			list = append(list, strings.TrimRight(line, "\r\n"))
		}
	}
	seen := map[string]bool{"": true}
	for _, note := range list {
		if text := valid(note); !seen[text] {
			notes, seen[text] = append(notes, text), true
		}
	}
	return notes
}

// valid is a text in UTF-8, as the log of a study keeps it.
func valid(v any) string { return strings.ToValidUTF8(fmt.Sprint(v), "\ufffd") }

// float reads a number.
func float(v any) (float64, error) {
	f, err := strconv.ParseFloat(fmt.Sprint(v), 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number%s", fmt.Sprint(v), hint.Point(fmt.Sprint(v)))
	}
	return f, nil
}
