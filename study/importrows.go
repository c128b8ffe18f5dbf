package study

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/mahabo/mahabo/internal/hint"
	"github.com/mahabo/mahabo/space"
)

// readCSV reads a table whose first line names the columns.
func (in *importer) readCSV(data []byte) error {
	table := csv.NewReader(bytes.NewReader(data))
	table.FieldsPerRecord = -1 // a short row is one bad row, not a bad file
	header, err := table.Read()
	if errors.Is(err, io.EOF) {
		return requestf("the file is empty: its first line has to name the columns")
	}
	if err != nil {
		return requestf("the line that names the columns: %w", err)
	}
	index, err := in.header(header)
	if err != nil {
		return err
	}
	for {
		cells, err := table.Read()
		var broken *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &broken):
			in.refuse(broken.StartLine, broken.Err)
			continue
		case err != nil:
			return err
		}
		line, _ := table.FieldPos(0)
		if len(cells) != len(header) {
			in.refuse(line, fmt.Errorf("it has %d cells, there are %d columns", len(cells), len(header)))
			continue
		}
		in.add(line, csvRow{index, cells})
	}
}

// header checks that the columns a row needs are there.
func (in *importer) header(header []string) (index map[string]int, err error) {
	index = map[string]int{}
	for i, name := range header {
		header[i] = strings.TrimSpace(name)
		if _, twice := index[header[i]]; twice {
			return nil, requestf("two columns are called %q: rename one", header[i])
		}
		index[header[i]] = i
	}
	var needed []string
	for _, p := range in.space.Params() {
		if p.Kind != space.KindFixed {
			needed = append(needed, column(p.Name))
		}
	}
	needed = append(needed, slices.Sorted(maps.Keys(in.columns))...)
	if _, stated := index[in.named("state")]; !stated {
		needed = append(needed, "value")
	}
	for _, field := range needed {
		c := in.named(field)
		if _, ok := index[c]; !ok {
			return nil, requestf("%s has no column %q%s: say which one it is, as in %s=COLUMN", field, c, hint.DidYouMean(c, header), field)
		}
	}
	return index, nil
}

type csvRow struct {
	index map[string]int
	cells []string
}

func (r csvRow) field(column string) (any, bool) {
	i, ok := r.index[column]
	if !ok {
		return nil, false
	}
	cell := strings.TrimSpace(r.cells[i])
	return cell, cell != ""
}

func (r csvRow) param(p space.Param, column string) (any, bool) {
	if _, filled := r.field(column); !filled {
		return nil, false
	}
	return p.ReadText(r.cells[r.index[column]]), true
}

// readJSONL reads one object per line, its parameters in "params" or beside the
// other fields.
func (in *importer) readJSONL(data []byte) error {
	line := 0
	for text := range bytes.Lines(data) {
		line++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		r, err := parseRow(text)
		if err != nil {
			in.refuse(line, err)
			continue
		}
		in.add(line, r)
	}
	if line == 0 {
		return requestf("the file is empty: write one JSON object per line")
	}
	return nil
}

func parseRow(text []byte) (r jsonRow, err error) {
	if r.outer, err = object(text); err != nil {
		return r, err
	}
	if params, ok := r.outer["params"].(map[string]any); ok {
		r.params = params
	}
	return r, nil
}

// object reads one JSON object, numbers as they are written.
func object(text []byte) (m map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("it is not a JSON object: %w", err)
	}
	if m == nil {
		return nil, errors.New("it is null, not a JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one JSON object in the line")
	}
	return m, nil
}

type jsonRow struct {
	outer, params map[string]any
}

func (r jsonRow) field(column string) (any, bool) {
	v, ok := r.outer[column]
	return v, ok && v != nil
}

func (r jsonRow) param(p space.Param, column string) (any, bool) {
	for _, name := range slices.Compact([]string{column, p.Name}) {
		if v, ok := r.params[name]; ok && v != nil {
			return v, true
		}
	}
	return r.field(column)
}
