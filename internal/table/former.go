package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// Former are the complete trials of a former study as a new one with another goal takes them.
func Former(trials []study.Trial, had, goal study.Goal) (rows []study.Row) {
	for _, t := range trials {
		if t.State != evaluate.Complete || t.Value == nil {
			continue
		}
		value := *t.Value
		if had != goal {
			value = -value
		}
		rows = append(rows, study.Row{Params: t.Params, Outcome: evaluate.Value(value), Excluded: t.Excluded})
	}
	return rows
}

// ReadFormer reads a CSV file of unknown origin for a study with a space: columns with the names of its
// parameters, and one that is called value, or as the outcome of the study. Other columns, and rows
// without a value, are left out.
func ReadFormer(data []byte, sp *space.Space) (rows []study.Row, err error) {
	if err := checkText(data); err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	r := csv.NewReader(strings.NewReader(text))
	first, _, _ := strings.Cut(text, "\n")
	for _, separator := range ";\t" {
		if strings.Count(first, string(separator)) > strings.Count(first, string(r.Comma)) {
			r.Comma = separator
		}
	}
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, r.Comma != '\t'
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("the first line has to name the columns: %w", err)
	}
	params := map[int]space.Param{}
	var names []string
	for _, p := range sp.Params() {
		names = append(names, p.Name)
	}
	value := -1
	for i, name := range header {
		name = strings.TrimSpace(name)
		for _, p := range sp.Params() {
			if name == p.Name || name == column(p.Name) {
				params[i] = p
			}
		}
		for _, o := range sp.Outcomes() {
			if name == o.Name && o.Goal != "" && value < 0 {
				value = i
			}
		}
		if name == "value" {
			value = i
		}
	}
	if value < 0 {
		return nil, fmt.Errorf("there is no column \"value\": rename the one with the values; the columns are %s", listed(header))
	}
	if len(params) == 0 {
		return nil, fmt.Errorf("no column is a parameter: the columns are %s, the parameters %s; rename those that are meant", listed(header), listed(names))
	}
	number := func(text string) (float64, error) {
		text = strings.TrimSpace(text)
		if r.Comma != ',' {
			text = strings.Replace(text, ",", ".", 1)
		}
		return strconv.ParseFloat(text, 64)
	}
	for {
		cells, err := r.Read()
		switch {
		case errors.Is(err, io.EOF) && len(rows) == 0:
			return nil, fmt.Errorf("no row has a number in %q and a parameter: there is nothing to learn from", header[value])
		case errors.Is(err, io.EOF):
			return rows, nil
		case err != nil:
			return nil, err
		case len(rows) >= study.MostRows:
			return nil, fmt.Errorf("there are more than %d rows: leave some out", study.MostRows)
		case value >= len(cells):
			continue
		}
		y, err := number(cells[value])
		if err != nil {
			continue
		}
		all := map[string]any{}
		for i, p := range params {
			if i >= len(cells) || strings.TrimSpace(cells[i]) == "" {
				continue
			}
			if v, err := number(cells[i]); err == nil && p.Kind != space.KindChoice && p.Kind != space.KindBool {
				all[p.Name] = v
			} else {
				all[p.Name] = p.ReadText(cells[i])
			}
		}
		row := study.Row{Params: space.ParamsOf(all), Outcome: evaluate.Value(y)}
		if row.Outcome.Validate() == nil && len(all) > 0 {
			rows = append(rows, row)
		}
	}
}
