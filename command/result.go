package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/mahabo/mahabo/evaluate"
)

// parseResult reads the last line a program printed.
func parseResult(line []byte) (evaluate.Outcome, error) {
	if line[0] == '{' {
		return parseObject(line)
	}
	v, err := strconv.ParseFloat(string(line), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return evaluate.Outcome{}, fmt.Errorf(`its last line is %s, which is neither a number nor a JSON object with "value"`, quote(line))
	}
	return evaluate.Value(v), nil
}

// parseObject reads the keys it knows, spelt exactly so.
func parseObject(line []byte) (evaluate.Outcome, error) {
	var o evaluate.Outcome
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return o, fmt.Errorf("its last line %s is not valid JSON: %w", quote(line), err)
	}
	var value *float64
	o.State = evaluate.Complete
	for _, f := range []struct {
		key, kind string
		into      any
	}{{"value", "finite number", &value}, {"std", "finite number", &o.Std}, {"state", "string", &o.State}, {"reason", "string", &o.Reason}} {
		raw, given := fields[f.key]
		if !given {
			continue
		}
		if err := json.Unmarshal(raw, f.into); err != nil {
			return o, fmt.Errorf("key %q of its last line is %s: a %s is needed", f.key, quote(raw), f.kind)
		}
	}
	switch {
	case o.State != evaluate.Complete:
		o.Std = 0
	case value == nil:
		return o, fmt.Errorf(`its last line %s has no "value"`, quote(line))
	default:
		o.Value = *value
	}
	return o, o.Validate()
}

// quote shows the start of a line.
func quote(line []byte) string {
	const most = 120
	if len(line) <= most {
		return strconv.Quote(string(line))
	}
	cut := line[:most]
	for !utf8.Valid(cut) && len(cut) > most-utf8.UTFMax { // do not cut a character
		cut = cut[:len(cut)-1]
	}
	return strconv.Quote(string(cut)) + "..."
}
