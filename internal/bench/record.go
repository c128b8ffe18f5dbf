package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// LineError says which field of which line of a file cannot be used.
type LineError struct {
	Path   string
	Line   int    // from 1
	Field  string // empty when the whole line is meant
	Reason string
}

func (e *LineError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Reason)
	}
	return fmt.Sprintf("%s:%d: field %q %s", e.Path, e.Line, e.Field, e.Reason)
}

// fieldError is a LineError before the place is known.
type fieldError struct{ field, reason string }

func (e *fieldError) Error() string { return fmt.Sprintf("field %q %s", e.field, e.reason) }

// lineStart is how every line of trials.jsonl begins. It tells a torn line from
// a file that is not ours.
const lineStart = `{"method":`

// encodeTrial returns the line of a trial with its newline.
func encodeTrial(t Trial) ([]byte, error) {
	line, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	return append(line, '\n'), nil
}

// decodeTrial reads one line and checks it; fields it does not know are left
// alone.
func decodeTrial(line []byte) (Trial, *fieldError) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(line, &raw); err != nil {
		return Trial{}, &fieldError{"", "is not a JSON object: " + err.Error()}
	}
	var t Trial
	for _, f := range []struct {
		name     string
		dst      any
		optional bool
	}{
		{name: "method", dst: &t.Method},
		{name: "problem", dst: &t.Problem},
		{name: "dim", dst: &t.Dim},
		{name: "batch", dst: &t.Batch},
		{name: "evals", dst: &t.Evals},
		{name: "init", dst: &t.Init},
		{name: "trial", dst: &t.Trial},
		{name: "seed", dst: &t.Seed},
		{name: "best", dst: &t.Best},
		{name: "seconds", dst: &t.Seconds},
		{name: "cpu_seconds", dst: &t.CPUSeconds},
		{name: "fallbacks", dst: &t.Fallbacks, optional: true},
		{name: "failed", dst: &t.Failed, optional: true},
		{name: "failure", dst: &t.Failure, optional: true},
		{name: "steps", dst: &t.Steps, optional: true},
		{name: "step_limit", dst: &t.StepLimit, optional: true},
		{name: "stopped", dst: &t.Stopped, optional: true},
		{name: "minimum", dst: &t.Minimum, optional: true},
		{name: "curve", dst: &t.Curve},
		{name: "version", dst: &t.Version},
	} {
		value, ok := raw[f.name]
		if !ok && f.optional {
			continue
		}
		if !ok || bytes.Equal(value, []byte("null")) {
			return Trial{}, &fieldError{f.name, "is missing"}
		}
		if err := json.Unmarshal(value, f.dst); err != nil {
			return Trial{}, &fieldError{f.name, fmt.Sprintf("holds %.40s: %v", value, err)}
		}
	}
	return t, t.check()
}

// check names the first field that no finished trial can have.
func (t Trial) check() *fieldError {
	switch {
	case t.Method == "":
		return &fieldError{"method", "is empty"}
	case t.Problem == "":
		return &fieldError{"problem", "is empty"}
	case t.Dim < 1:
		return &fieldError{"dim", fmt.Sprintf("is %d, below 1", t.Dim)}
	case t.Batch < 1:
		return &fieldError{"batch", fmt.Sprintf("is %d, below 1", t.Batch)}
	case t.Evals < 0:
		return &fieldError{"evals", fmt.Sprintf("is %d, below 0", t.Evals)}
	case t.Init < 1:
		return &fieldError{"init", fmt.Sprintf("is %d, below 1", t.Init)}
	case t.Trial < 0:
		return &fieldError{"trial", fmt.Sprintf("is %d, below 0", t.Trial)}
	case t.Seed != uint64(t.Trial):
		return &fieldError{"seed", fmt.Sprintf("is %d, the seed of trial %d is its number", t.Seed, t.Trial)}
	case t.Seconds < 0:
		return &fieldError{"seconds", fmt.Sprintf("is %g, below 0", t.Seconds)}
	case t.CPUSeconds < 0:
		return &fieldError{"cpu_seconds", fmt.Sprintf("is %g, below 0", t.CPUSeconds)}
	case t.Fallbacks < 0:
		return &fieldError{"fallbacks", fmt.Sprintf("is %d, below 0", t.Fallbacks)}
	case t.Failed < 0:
		return &fieldError{"failed", fmt.Sprintf("is %d, below 0", t.Failed)}
	case t.Steps < 0:
		return &fieldError{"steps", fmt.Sprintf("is %d, below 0", t.Steps)}
	case t.StepLimit < 0:
		return &fieldError{"step_limit", fmt.Sprintf("is %d, below 0", t.StepLimit)}
	case t.Stopped < 0:
		return &fieldError{"stopped", fmt.Sprintf("is %d, below 0", t.Stopped)}
	case len(t.Curve)-t.Init != t.Evals:
		return &fieldError{"curve", fmt.Sprintf("has %d values, init and evals make %d", len(t.Curve), t.Init+t.Evals)}
	}
	last := math.Inf(1)
	for i, v := range t.Curve {
		if v > last {
			return &fieldError{"curve", fmt.Sprintf("rises at value %d: it must hold the best so far", i+1)}
		}
		last = v
	}
	if slices.Min(t.Curve) != t.Best {
		return &fieldError{"best", fmt.Sprintf("is %g, the curve ends at %g", t.Best, last)}
	}
	return nil
}
