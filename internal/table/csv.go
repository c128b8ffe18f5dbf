package table

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mahabo/mahabo/space"
)

// readCSV reads a table whose first line names the columns.
func (in *importer) readCSV(ctx context.Context, data []byte) error {
	if err := checkText(data); err != nil {
		return err
	}
	separator, index, err := in.readHeader(data)
	if err != nil {
		return err
	}
	decimal, err := in.findDecimal(ctx, data, separator, index)
	if err != nil {
		return err
	}
	in.total = bytes.Count(data, []byte("\n"))
	r := newRecords(data, separator, in.limits)
	_, _ = r.read() // the header
	for {
		cells, err := r.read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !isBroken(err) {
			return err
		}
		if err := in.count(ctx, r.line, len(cells)); err != nil {
			return err
		}
		switch {
		case err == nil && strings.TrimSpace(strings.Join(cells, "")) == "": // spreadsheets write rows that were emptied
		case err != nil:
			in.refuse(r.line, err)
		case len(cells) != len(index):
			in.refuse(r.line, fmt.Errorf("it has %s, there are %d columns", cellsText(len(cells)), len(index)))
		default:
			in.add(r.line, csvRow{index, cells, decimal})
		}
	}
}

// isBroken says whether an error concerns one record only.
func isBroken(err error) bool {
	return errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote)
}

// split is the header as one separator divides it.
type split struct {
	separator byte
	header    []string
	index     map[string]int
	err       error
}

// readHeader finds the separator and the columns.
func (in *importer) readHeader(data []byte) (separator byte, index map[string]int, err error) {
	var splits, possible []split
	for _, separator := range []byte(",;\t") {
		s := split{separator: separator}
		s.header, s.err = newRecords(data, separator, in.limits).read()
		switch {
		case errors.Is(s.err, io.EOF):
			return 0, nil, refusef("the file is empty: its first line has to name the columns")
		case isBroken(s.err):
			s.err = refusef("the line that names the columns: %w", s.err)
		case s.err == nil:
			s.index, s.err = in.header(s.header)
		}
		splits = append(splits, s)
		if s.err == nil && len(s.header) > 1 {
			possible = append(possible, s)
		}
	}
	if len(possible) > 1 {
		return 0, nil, refusef("the line that names the columns holds %s and %s, and either may divide them: quote the names that hold the other one",
			separators[possible[0].separator], separators[possible[1].separator])
	}
	chosen := splits[0]
	for _, s := range splits[1:] {
		if chosen.err != nil && (s.err == nil || len(s.header) > len(chosen.header)) {
			chosen = s
		}
	}
	return chosen.separator, chosen.index, chosen.err
}

// separators are the signs that may divide columns.
var separators = map[byte]string{',': "commas", ';': "semicolons", '\t': "tabs"}

type csvRow struct {
	index   map[string]int
	cells   []string
	decimal Decimal
}

// cell is what stands in a column; ok is false when that is blank.
func (r csvRow) cell(column string) (cell string, ok bool) {
	i, ok := r.index[column]
	if !ok {
		return "", false
	}
	return r.cells[i], strings.TrimSpace(r.cells[i]) != ""
}

func (r csvRow) text(column string) (any, bool) {
	cell, ok := r.cell(column)
	return active(cell), ok
}

func (r csvRow) number(column string) (any, bool, error) {
	cell, ok := r.cell(column)
	if !ok {
		return nil, false, nil
	}
	text, err := r.decimal.number(strings.TrimSpace(cell))
	return text, true, err
}

func (r csvRow) param(p space.Param, column string) (any, bool, error) {
	cell, ok := r.cell(column)
	if ok && isNumeric(p) {
		text, err := r.decimal.number(cell)
		return p.ReadText(text), true, err
	}
	text := active(cell)
	if slices.Contains(p.Labels, cell) && !slices.Contains(p.Labels, text) {
		text = cell // the file was not exported: the apostrophe belongs to the label
	}
	if !ok && !slices.Contains(p.Labels, text) { // a label may be blank
		return nil, false, nil
	}
	return p.ReadText(text), true, nil
}

func cellsText(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}
