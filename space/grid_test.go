package space

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Suggestions have the steps or digits that were asked for; values between them can be told.
func TestGrid(t *testing.T) {
	s, err := Parse([]byte(`
parameters:
  heat: {float: [20, 90], digits: 1, unit: °C}
  acid: {float: [0.1, 2.6], step: 0.25}
  thirds: {float: [0, 1], step: 0.001}
  rate: {log: [1e-5, 1], digits: 2}
  base: {float: [0, 1], digits: 2}
constraints:
  - acid + base <= 1
`))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := s.MarshalJSON()
	again, err := Parse(text)
	if same, _ := Equal(s, again); err != nil || !same {
		t.Errorf("%s is read as another space: %v", text, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := make([]float64, s.Dim())
		for i := range x {
			x[i] = rapid.Float64Range(-1, 1).Draw(t, "x")
		}
		if err := s.Project(x); err != nil {
			t.Fatal(err)
		}
		v, err := s.Decode(x)
		if err != nil {
			t.Fatal(err)
		}
		for name := range v.All() {
			if text, _ := v.Text(name); len(strings.TrimPrefix(text, "0.")) > 7 {
				t.Fatalf("%s is %s", name, text)
			}
		}
		if _, by, err := s.Broken(v); by > 0 || err != nil {
			t.Fatalf("%s breaks the constraint by %g, %v", v, by, err)
		}
		if r := (v.Float("acid") - 0.1) / 0.25; math.Abs(r-math.Round(r)) > 1e-9 {
			t.Fatalf("acid is %g", v.Float("acid"))
		}
		y, err := s.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		back, err := s.Decode(y)
		if err != nil || back.String() != v.String() {
			t.Fatalf("%s became %s, %v", v, back, err)
		}
	})
	between, err := s.Encode(ParamsOf(map[string]any{"heat": 41.4282, "acid": 0.3, "thirds": 0.5, "rate": 0.01234567, "base": 0}))
	if err != nil || between[0] <= -1 || between[0] >= 1 {
		t.Errorf("a value between the steps has the point %v, %v", between, err)
	}
}

func TestGridErrors(t *testing.T) {
	for text, want := range map[string]string{
		"{float: [0, 1], step: 0.3}":            "use the bounds [0, 0.9]",
		"{float: [0, 1], step: 0}":              "must be positive",
		"{float: [0, 1], step: 2}":              "not larger than",
		"{float: [0, 1], digits: 0}":            "use int",
		"{float: [0, 1], digits: 1.5}":          "whole number",
		"{float: [0.25, 1], digits: 1}":         "more than 1 digits behind the point",
		"{float: [0, 1], digits: 1, step: 0.1}": "keep one",
		"{int: [0, 9], digits: 1}":              "not for int",
		"{log: [1, 9], step: 1}":                "use digits",
	} {
		if _, err := Parse([]byte("parameters:\n  x: " + text + "\n")); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s says %v, want %s", text, err, want)
		}
	}
}
