package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/hint"
)

// parseResult reads the last line a program printed. names are the outcomes that the space
// declares, true for those that are needed; nil when it has none.
func parseResult(line []byte, names map[string]bool) (evaluate.Outcome, error) {
	if line[0] == '{' {
		return parseObject(line, names)
	}
	v, err := strconv.ParseFloat(string(line), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return evaluate.Outcome{}, fmt.Errorf(`its last line is %s, which is neither a number nor a JSON object with %s%s`, quote(line), wanted(names), hint.Point(string(line)))
	}
	return evaluate.Value(v), nil
}

// wanted says what an object has to hold.
func wanted(names map[string]bool) string {
	if names == nil {
		return `"value"`
	}
	return "the names of the outcomes, as in " + strconv.Quote(slices.Sorted(maps.Keys(names))[0])
}

// parseObject reads the keys it knows, spelt exactly so.
func parseObject(line []byte, names map[string]bool) (evaluate.Outcome, error) {
	var o evaluate.Outcome
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		if word := hint.NotFinite(line, err); word != "" {
			return o, fmt.Errorf(`its last line has %s, which is no value: print {"state": "failed", "reason": "..."} instead, or exit with another code than 0`, word)
		}
		return o, fmt.Errorf("its last line %s is not valid JSON: %w", quote(line), err)
	}
	var value *float64
	o.State = evaluate.Complete
	known := []field{{"value", "finite number", &value}, {"std", "finite number", &o.Std}, {"state", "string", &o.State}, {"reason", "string", &o.Reason}}
	if _, taken := names["value"]; taken {
		known = known[1:]
	}
	for _, f := range known {
		if err := f.read(fields); err != nil {
			return o, err
		}
	}
	if _, taken := names["cost"]; !taken {
		o.Cost = readCost(fields["cost"])
	}
	if o.State != evaluate.Complete {
		o.Std = 0
		return o, o.Validate()
	}
	if names != nil {
		if err := readOutcomes(&o, fields, names); err != nil {
			return o, err
		}
	}
	switch {
	case len(o.Outcomes) > 0:
		o.Std = 0
	case value == nil:
		return o, fmt.Errorf(`its last line %s has no %s`, quote(line), wanted(names))
	default:
		o.Value = *value
	}
	return o, o.Validate()
}

// readCost reads what an evaluation cost, 0 when that is no number: the key may be for somebody else.
func readCost(raw json.RawMessage) (cost float64) {
	if json.Unmarshal(raw, &cost) != nil || !(cost >= 0) {
		return 0
	}
	return cost
}

// field is a key and what it is read into.
type field struct {
	key, kind string
	into      any
}

func (f field) read(fields map[string]json.RawMessage) error {
	raw, given := fields[f.key]
	if !given {
		return nil
	}
	if err := json.Unmarshal(raw, f.into); err != nil {
		return fmt.Errorf("key %q of its last line is %s: a %s is needed%s", f.key, shown(raw), f.kind, withoutQuotes(raw))
	}
	return nil
}

// readOutcomes reads the outcomes by their names, beside the other keys or in "outcomes": a number,
// or a value and its std. Keys that are no outcome are left.
func readOutcomes(o *evaluate.Outcome, fields map[string]json.RawMessage, names map[string]bool) error {
	inner := fields
	if raw, given := fields["outcomes"]; given {
		inner = nil
		if err := json.Unmarshal(raw, &inner); err != nil {
			return fmt.Errorf("key \"outcomes\" of its last line is %s: an object with the names of the outcomes is needed", shown(raw))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		raw, given := inner[name]
		if !given || string(raw) == "null" {
			if names[name] && (len(names) == 1 || fields["value"] == nil) {
				return fmt.Errorf("its last line has no outcome %q: print all objectives and limits", name)
			}
			continue
		}
		var measured struct{ Value, Std *float64 }
		var err error
		if raw[0] == '{' {
			err = json.Unmarshal(raw, &measured)
		} else {
			err = json.Unmarshal(raw, &measured.Value)
		}
		if err != nil || measured.Value == nil {
			return fmt.Errorf("outcome %q of its last line is %s: a finite number, or an object with value and std, is needed%s", name, shown(raw), withoutQuotes(raw))
		}
		if o.Outcomes == nil {
			o.Outcomes = map[string]float64{}
		}
		o.Outcomes[name] = *measured.Value
		if measured.Std != nil {
			if o.Stds == nil {
				o.Stds = map[string]float64{}
			}
			o.Stds[name] = *measured.Std
		}
	}
	return nil
}

// shown is a part of a line as it stands there, with quotation marks of its own.
func shown(raw json.RawMessage) string {
	if len(raw) > mostQuoted || !utf8.Valid(raw) || bytes.ContainsFunc(raw, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return quote(raw)
	}
	return string(raw)
}

// withoutQuotes says how to print a number that was printed as a text.
func withoutQuotes(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	if _, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
		return ", print it without quotes"
	}
	return hint.Point(text)
}

// mostQuoted bounds what is shown of a line, in bytes.
const mostQuoted = 120

// quote shows the start of a line.
func quote(line []byte) string {
	if len(line) <= mostQuoted {
		return strconv.Quote(string(line))
	}
	cut := line[:mostQuoted]
	for !utf8.Valid(cut) && len(cut) > mostQuoted-utf8.UTFMax { // do not cut a character
		cut = cut[:len(cut)-1]
	}
	return strconv.Quote(string(cut)) + "..."
}
