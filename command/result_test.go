package command

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mahabo/mahabo/evaluate"
)

func TestParseResult(t *testing.T) {
	for line, want := range map[string]evaluate.Outcome{
		"3":                                      {State: evaluate.Complete, Value: 3},
		"-1.5e-3":                                {State: evaluate.Complete, Value: -1.5e-3},
		"1e-999":                                 {State: evaluate.Complete},
		`{"value": 2.5}`:                         {State: evaluate.Complete, Value: 2.5},
		`{"value": 2.5, "std": 0.1, "loss": []}`: {State: evaluate.Complete, Value: 2.5, Std: 0.1},
		`{"state": "complete", "value": 1}`:      {State: evaluate.Complete, Value: 1},
		`{"state": "infeasible"}`:                {State: evaluate.Infeasible},
		`{"state": "infeasible", "value": 1}`:    {State: evaluate.Infeasible},
		`{"state": "failed", "reason": "cold"}`:  {State: evaluate.Failed, Reason: "cold"},
	} {
		if got, err := parseResult([]byte(line), nil); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %+v (%v), want %+v", line, got, err, want)
		}
	}
	for _, line := range []string{"NaN", "inf", "-Infinity", "1e999"} {
		if got, err := parseResult([]byte(line), nil); err != nil || got.State != evaluate.Failed || !strings.Contains(got.Reason, "only finite") {
			t.Errorf("%s is %+v (%v)", line, got, err)
		}
	}
	for line, says := range map[string]string{
		"done":                             `"done", which is neither a number`,
		"3 seconds":                        "neither a number",
		`{"value": NaN}`:                   `has NaN, which is no value: print {"state": "failed", "reason": "..."} instead`,
		`{"value": -Infinity}`:             "has Infinity, which is no value",
		`{"value": 3, "std": nan}`:         "has NaN",
		`{"value": "3.5"}`:                 `is "3.5": a finite number is needed, print it without quotes`,
		`{"value": "3,5"}`:                 `is "3,5": a finite number is needed: write 3.5, with a point`,
		`{"value": "many"}`:                `is "many": a finite number is needed`,
		"{\"value\": \"\u202e\"}":          `is "\"\u202e\"": a finite`,
		"0,83":                             "write 0.83, with a point",
		`{"value": 3`:                      "not valid JSON",
		`{"value": "3"}`:                   "a finite number is needed",
		`{"value": 1e999}`:                 "a finite number is needed",
		`{"value": null}`:                  `has no "value"`,
		`{"Value": 3}`:                     `has no "value"`,
		`{"value": 3, "std": -1}`:          "std is -1",
		`{"value": 3, "state": "done"}`:    `state is "done"`,
		`{"value": 3, "state": 1}`:         "a string is needed",
		`{"state": "failed", "reason": 1}`: "a string is needed",
		"[3]":                              "neither a number",
		strings.Repeat("ü", 100):           `..., which`,
	} {
		if got, err := parseResult([]byte(line), nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s is %+v, error %v lacks %q", line, got, err, says)
		}
	}
}

func TestLastLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                    "",
		"\n \n\t\n":           "",
		"3":                   "3",
		"a\n3\n":              "3",
		"a\r\n 3 \r\n\r\n":    "3",
		"first\nsecond":       "second",
		"first\n   second\n ": "second",
		"first\n\n\n":         "first",
	} {
		for _, step := range []int{1, 2, 3, 100} {
			var l lastLine
			for rest := []byte(text); len(rest) > 0; rest = rest[min(step, len(rest)):] {
				if n, err := l.Write(rest[:min(step, len(rest))]); err != nil || n != min(step, len(rest)) {
					t.Fatalf("Write returned %d, %v", n, err)
				}
			}
			if got, long := l.last(); string(got) != want || long {
				t.Errorf("%q in steps of %d: %q (long: %v), want %q", text, step, got, long, want)
			}
		}
	}
}

func TestLastLineIsBounded(t *testing.T) {
	full := bytes.Repeat([]byte{'7'}, maxLine)
	for _, c := range []struct {
		name string
		text []byte
		long bool
		size int
	}{
		{"exactly full", full, false, maxLine},
		{"one more", append(bytes.Clone(full), '7'), true, maxLine},
		{"much more, then ended", append(bytes.Repeat(full, 3), '\n'), true, maxLine},
		{"long before a short one", append(bytes.Repeat(full, 3), "\n5\n"...), false, 1},
		{"blanks without end", bytes.Repeat([]byte{' '}, 2*maxLine), false, 0},
	} {
		var l lastLine
		for rest := c.text; len(rest) > 0; rest = rest[min(4096, len(rest)):] {
			_, _ = l.Write(rest[:min(4096, len(rest))])
		}
		line, long := l.last()
		if long != c.long || len(line) != c.size {
			t.Errorf("%s: %d bytes, long %v, want %d, %v", c.name, len(line), long, c.size, c.long)
		}
		if c := cap(l.line) + cap(l.open); c > 4*maxLine {
			t.Errorf("%d bytes held", c)
		}
	}
}

func TestTail(t *testing.T) {
	var e tail
	for range 1000 {
		_, _ = e.Write([]byte("noise \xff\n"))
	}
	_, _ = e.Write([]byte("one\n\ntwo\n  three\n"))
	if got := e.lines(); got != "one | two | three" {
		t.Errorf("got %q", got)
	}
	_, _ = e.Write(bytes.Repeat([]byte{'x'}, 10*maxTail))
	if got := e.lines(); len(got) != maxTail {
		t.Errorf("%d bytes are kept", len(got))
	}
}

// Whatever a program prints, the outcome is valid or there is a reason for people.
func FuzzResult(f *testing.F) {
	for _, seed := range []string{"3", "nan", "x\n-1e5\n\n", `{"value":1,"std":2}`, `{"state":"infeasible","reason":"\u0000"}`, "{", "\xff{}", "1_0"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var l lastLine
		half := len(text) / 2
		_, _ = l.Write(text[:half])
		_, _ = l.Write(text[half:])
		line, _ := l.last()
		if len(bytes.TrimSpace(text)) == 0 != (len(line) == 0) {
			t.Fatalf("last line of %q is %q", text, line)
		}
		if len(line) == 0 {
			return
		}
		o, err := parseResult(line, nil)
		if err != nil {
			if !utf8.ValidString(err.Error()) || len(err.Error()) > 2000 {
				t.Fatalf("reason %q", err)
			}
			return
		}
		if err := o.Validate(); err != nil {
			t.Fatalf("%q gave %+v: %v", line, o, err)
		}
		if o.State == evaluate.Complete && (math.IsNaN(o.Value) || math.IsInf(o.Value, 0)) {
			t.Fatalf("%q gave %g", line, o.Value)
		}
	})
}

// Marks below a place in a traceback say nothing alone.
func TestFailureLeavesMarksOut(t *testing.T) {
	var e tail
	_, _ = e.Write([]byte("  File \"x.py\", line 3\n    y = 1/0\n        ~^~\nZeroDivisionError: division by zero\n"))
	if got := e.lines(); got != `File "x.py", line 3 | y = 1/0 | ZeroDivisionError: division by zero` {
		t.Errorf("the last lines are %q", got)
	}
}
