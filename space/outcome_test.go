package space_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mahabo/mahabo/space"
)

const withOutcomes = `parameters:
  x: {float: [0, 1]}
outcomes:
  mass: minimize
  range: {goal: maximize, at_least: 0.9, reference: 0.5, unit: km}
  stress: {at_most: 10}
  "c[0:2]": {at_most: 0}
  band: {at_least: 1, at_most: 2, description: "of both sides"}
  temp: record
`

func TestOutcomes(t *testing.T) {
	s, err := space.Parse([]byte(withOutcomes))
	if err != nil {
		t.Fatal(err)
	}
	want := []space.Outcome{
		{Name: "mass", Goal: "minimize"},
		{Name: "range", Goal: "maximize", AtLeast: new(0.9), Reference: new(0.5), Unit: "km"},
		{Name: "stress", AtMost: new(10.0)},
		{Name: "c0", AtMost: new(0.0)}, {Name: "c1", AtMost: new(0.0)}, {Name: "c2", AtMost: new(0.0)},
		{Name: "band", AtLeast: new(1.0), AtMost: new(2.0), Description: "of both sides"},
		{Name: "temp"},
	}
	if diff := cmp.Diff(want, s.Outcomes()); diff != "" {
		t.Error(diff)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	again, err := space.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, again.Outcomes()); diff != "" {
		t.Error(diff)
	}
	if same, err := space.Equal(s, again); err != nil || !same {
		t.Errorf("the space changes when it is written: %v, %v", same, err)
	}
	parts := []space.Part{space.Float("x", 0, 1)}
	for _, o := range want {
		parts = append(parts, o)
	}
	made, err := space.New(parts...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, made.Outcomes()); diff != "" {
		t.Error(diff)
	}
}

// A space without the section is written as before.
func TestNoOutcomes(t *testing.T) {
	s, err := space.New(space.Float("x", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil || string(text) != `{"parameters":{"x":{"float":[0,1]}}}` {
		t.Errorf("it is %s, %v", text, err)
	}
}

func TestOutcomesRefused(t *testing.T) {
	for section, says := range map[string]string{
		"mass: minimise":                           `line 4, column 9: outcome "mass": expected minimize, maximize, record or a limit`,
		"mass: {at_most: 3}":                       "has no objective: write minimize or maximize behind one of them",
		"mass: {goal: smaller}":                    `goal is "smaller": write minimize or maximize`,
		"mass: {goal: minimize, at_mots: 3}":       `unknown key "at_mots" (did you mean "at_most"?)`,
		"mass: {goal: minimize, at_most: big}":     "at_most: expected a number",
		"mass: {at_least: 3, at_most: 2}":          "no number is at least 3 and at most 2",
		"x: minimize":                              "a parameter has this name",
		"state: minimize":                          "results use this name for something else",
		"\"a b\": minimize":                        "character ' '",
		"temp: {reference: 3}":                     "only an objective has a reference",
		"\"c[0:1]\": minimize\n  c1: {at_most: 1}": "declared twice",
		"[mass]":                             "`outcomes` must be a mapping",
		"m: {goal: minimize, at_most: .inf}": "is not a finite number",
		"\"c[0:2000]\": minimize":            "more than 1000 outcomes",
	} {
		_, err := space.Parse([]byte("parameters:\n  x: {float: [0, 1]}\noutcomes:\n  " + section + "\n"))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", section, err, says)
		}
	}
}
