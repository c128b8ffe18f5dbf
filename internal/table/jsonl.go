package table

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
)

// readJSONL reads one object per line, its parameters in "params" or beside the
// other fields.
func (in *importer) readJSONL(ctx context.Context, data []byte) error {
	if err := checkText(data); err != nil {
		return err
	}
	in.total = bytes.Count(data, []byte("\n"))
	var first jsonRow
	absent := in.needed() // in all rows so far
	line := 0
	for text := range bytes.Lines(data) {
		line++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if len(text) > in.limits.line {
			return refusef("line %d has more than %d MiB: write one JSON object per line, without fields that are not needed", line, in.limits.line>>20)
		}
		r, err := parseRow(text)
		if err := in.count(ctx, line, len(r.outer)+len(r.params)); err != nil {
			return err
		}
		if err != nil {
			in.refuse(line, err)
			continue
		}
		if err := in.fits(line, r); err != nil {
			return err
		}
		if first.outer == nil {
			first = r
		}
		absent = slices.DeleteFunc(absent, func(field string) bool {
			_, nested := r.inner("outcomes", strings.TrimPrefix(field, "outcomes."))
			return r.has(in.named(field), field) || nested || in.isOutcome(field) && r.has(in.named("state"), "")
		})
		in.add(line, r)
	}
	switch {
	case line == 0:
		return refusef("the file is empty: write one JSON object per line")
	case len(in.rows) == 0 && first.outer != nil && len(absent) > 0:
		return in.missing(absent[0], first.names())
	}
	return nil
}

// fits checks the limits on columns and cells.
func (in *importer) fits(line int, r jsonRow) error {
	if len(r.outer)+len(r.params) > in.limits.columns {
		return in.limits.tooManyColumns()
	}
	for _, object := range []map[string]json.RawMessage{r.outer, r.params} {
		for name, cell := range object {
			if len(cell) > in.limits.cell && (name != "params" || r.params == nil) {
				return in.limits.tooLong(line)
			}
		}
	}
	return nil
}

// jsonRow holds what is written in the fields; it is read when it is needed.
type jsonRow struct {
	outer, params map[string]json.RawMessage
}

func parseRow(text []byte) (r jsonRow, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&r.outer); err != nil {
		return r, fmt.Errorf("it is not a JSON object: %w", err)
	}
	if r.outer == nil {
		return r, errors.New("it is null, not a JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return r, errors.New("there is more than one JSON object in the line")
	}
	if json.Unmarshal(r.outer["params"], &r.params) != nil {
		r.params = nil // some other field
	}
	return r, nil
}

// has says whether there is a field for a column, in the parameters also under another name.
func (r jsonRow) has(column, name string) bool {
	for _, object := range []map[string]json.RawMessage{r.outer, r.params} {
		if _, ok := object[column]; ok {
			return true
		}
	}
	_, ok := r.params[strings.TrimPrefix(name, "params.")]
	return ok
}

// names are those of all fields.
func (r jsonRow) names() []string {
	names := slices.Sorted(maps.Keys(r.outer))
	if r.params == nil {
		return names
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "params" })
	return append(slices.Sorted(maps.Keys(r.params)), names...)
}

// decode reads a field, numbers as they are written; ok is false when it is null.
func decode(text json.RawMessage) (v any, ok bool) {
	if len(text) > 0 && (text[0] == '-' || '0' <= text[0] && text[0] <= '9') {
		return json.Number(text), true
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err := d.Decode(&v)
	return v, err == nil && v != nil
}

// inner is a field of an object in the row.
func (r jsonRow) inner(object, name string) (v any, ok bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(r.outer[object], &fields) != nil {
		return nil, false
	}
	return decode(fields[name])
}

// apart says whether a name outside of params and outcomes is that of a trial's field, although a
// parameter or an outcome is called so.
func (r jsonRow) apart(name string, state evaluate.State) bool {
	_, isParam := r.params[name]
	_, isOutcome := r.inner("outcomes", name)
	return isParam || isOutcome || r.params != nil && state != "" && state != evaluate.Complete
}

func (r jsonRow) text(column string) (any, bool) { return decode(r.outer[column]) }

func (r jsonRow) number(column string) (any, bool, error) {
	v, ok := r.text(column)
	return v, ok, nil
}

func (r jsonRow) param(p space.Param, column string) (any, bool, error) {
	names := []string{column, p.Name}
	if strings.HasPrefix(column, "params.") { // the name that it has in CSV: in an object another parameter may have it
		slices.Reverse(names)
	}
	for _, name := range slices.Compact(names) {
		if v, ok := decode(r.params[name]); ok {
			return v, true, nil
		}
	}
	return r.number(column)
}
