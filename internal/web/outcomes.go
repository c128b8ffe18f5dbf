package web

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/internal/chart"
	"github.com/mahabo/mahabo/space"
)

// readOutcomes reads outcomes as people write them, mass=1.2 stress=9.1±0.2, for the API.
func readOutcomes(text string) (map[string]any, error) {
	outcomes := map[string]any{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == ';' || r == '\n' || r == '\t' || r == '\r' }) {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%q is no outcome: write NAME=VALUE, as in mass=1.2", word)
		}
		value, std, noisy := strings.Cut(strings.Replace(value, "+-", "±", 1), "±")
		if noisy && std == "" {
			return nil, fmt.Errorf("outcome %s has no standard deviation behind its ±: write one, as in %s=1.2±0.1", name, name)
		}
		numbers, err := measured("outcome "+name, value, std)
		if err != nil {
			return nil, err
		}
		outcomes[name] = numbers
	}
	return outcomes, nil
}

// measured reads a value and its standard deviation, "" where it is not known.
func measured(what, value, std string) (map[string]float64, error) {
	numbers := map[string]float64{}
	for key, text := range map[string]string{"value": value, "std": std} {
		if key == "std" && text == "" {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
			numbers[key] = v
			continue
		}
		if key == "std" {
			return nil, fmt.Errorf("the standard deviation of %s is %q: write a number such as 0.25, or leave it empty", what, text)
		}
		return nil, fmt.Errorf("%s is %q: write a number such as 0.25, or tell that the trial failed", what, text)
	}
	return numbers, nil
}

// mostFields is how many outcomes have fields of their own in a form.
const mostFields = 8

// outcomeForm is the fields for the outcomes of a trial.
type outcomeForm struct {
	ID     string // of the fields begins with it
	Trial  int    // that the form is for, 0 on a page of its own
	Fields []outcomeField
	Many   bool   // there are more outcomes than fields
	Rest   string // what is said of the others
}

type outcomeField struct{ Name, Unit, Value, Std string }

func newOutcomeForm(id string, trial int, outcomes []space.Outcome, o outcome) outcomeForm {
	f := outcomeForm{ID: id, Trial: trial, Many: len(outcomes) > mostFields, Rest: o.Value}
	for _, one := range outcomes[:min(mostFields, len(outcomes))] {
		f.Fields = append(f.Fields, outcomeField{one.Name, one.Unit, o.Values[one.Name], o.Stds[one.Name]})
	}
	return f
}

// named are the outcomes that have fields of their own, with what these say.
func (o outcome) named() (map[string]any, error) {
	outcomes := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(o.Stds)) {
		if o.Values[name] == "" {
			return nil, fmt.Errorf("%s has a standard deviation, %q, but no value: write both, or neither", name, o.Stds[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Values)) {
		numbers, err := measured(name, o.Values[name], o.Stds[name])
		if err != nil {
			return nil, err
		}
		outcomes[name] = numbers
	}
	return outcomes, nil
}

// valueColumn is a column of the table of trials.
type valueColumn struct {
	Name, Unit string
	outcome    string // "" for the value
	digits     int
}

// Label is its name within a sentence.
func (c valueColumn) Label() string {
	if c.outcome == "" {
		return "value"
	}
	return c.Name
}

// Text is what the column has of a trial.
func (c valueColumn) Text(t trial) string {
	if v := c.of(t); v != nil {
		return chart.Number(*v, c.digits)
	}
	return "–"
}

func (c valueColumn) of(t trial) *float64 {
	if v, ok := t.Outcomes[c.outcome]; ok {
		return &v
	}
	if c.outcome == "" {
		return t.Value
	}
	return nil
}

// valueColumns are the first objective and the other outcomes, or the value where none are declared.
func valueColumns(outcomes []space.Outcome, trials []trial) (columns []valueColumn) {
	for _, o := range outcomes {
		c := valueColumn{Name: o.Name, Unit: o.Unit, outcome: o.Name}
		if o.Goal != "" && !slices.ContainsFunc(outcomes[:len(columns)], func(o space.Outcome) bool { return o.Goal != "" }) {
			columns = slices.Insert(columns, 0, c)
		} else {
			columns = append(columns, c)
		}
	}
	if len(columns) == 0 {
		columns = []valueColumn{{Name: "Value"}}
	}
	columns = columns[:min(mostFields, len(columns))]
	for i, c := range columns {
		var values []float64
		for _, t := range trials {
			if v := c.of(t); v != nil {
				values = append(values, *v)
			}
		}
		columns[i].digits = chart.Digits(values)
	}
	return columns
}
