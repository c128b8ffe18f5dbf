package space

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

const everyKind = `
parameters:
  "w[0:2]": {float: [-1, 1]}
  rate:   {log: [1e-5, 1e-1], unit: "1/s", description: "decay of the source"}
  layers: {int: [1, 0x8]}
  width:  {logint: [16, 4_096]}
  batch:  {ordinal: [16, 32, 64]}
  solver:
    choice: [euler, "rk4", 'no']
    description: who integrates
  damped: {bool: [false, true]}
  quiet:  bool
  g:      {fixed: 9.81}
  n:      {fixed: 3}
  tag:    {fixed: "3"}
  on:     {fixed: true}
constraints:
  - w0 + w1 <= 1
  - "layers - 2*damped >= 1"
`

func TestParse(t *testing.T) {
	s, err := Parse([]byte(everyKind))
	if err != nil {
		t.Fatal(err)
	}
	want := mustNew(t,
		Float("w0", -1, 1), Float("w1", -1, 1), Float("w2", -1, 1),
		Log("rate", 1e-5, 1e-1).WithUnit("1/s").WithDescription("decay of the source"),
		Int("layers", 1, 8), LogInt("width", 16, 4096), Ordinal("batch", 16, 32, 64),
		Choice("solver", "euler", "rk4", "no").WithDescription("who integrates"),
		Bool("damped"), Bool("quiet"), Fixed("g", 9.81), Fixed("n", 3), Fixed("tag", "3"), Fixed("on", true),
	)
	if diff := cmp.Diff(want.Params(), s.Params()); diff != "" {
		t.Error(diff)
	}
	rows := []numbers{
		{"w0 + w1 <= 1", []int{0, 1}, []float64{1, 1}, 1},
		{"layers - 2*damped >= 1", []int{4, 8}, []float64{-1, 2}, -1},
	}
	if diff := cmp.Diff(rows, s.rows); diff != "" {
		t.Error(diff)
	}
}

func TestAnchors(t *testing.T) {
	s, err := Parse([]byte("parameters:\n  a: &unit {float: [0, &high 1]}\n  b: *unit\n  c: {float: [-1, *high]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := mustNew(t, Float("a", 0, 1), Float("b", 0, 1), Float("c", -1, 1))
	if diff := cmp.Diff(want.Params(), s.Params()); diff != "" {
		t.Error(diff)
	}
}

func TestFileErrors(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		line, column     int
	}{
		{"low above high", "parameters:\n  x: {float: [3, 1]}", `parameter "x": bounds [3, 1] are in the wrong order: write [1, 3]`, 2, 14},
		{"one value", "parameters:\n  x: {float: [3, 3]}", `hold one value only: use {fixed: 3}`, 2, 14},
		{"infinite", "parameters:\n  x: {float: [0, .inf]}", `bounds [0, +Inf] must be finite`, 2, 14},
		{"too wide", "parameters:\n  x: {float: [-1.7e308, 1.7e308]}", `further apart than a float64`, 2, 14},
		{"log of zero", "parameters:\n  x: {log: [0, 1]}", `log needs positive bounds, got [0, 1]`, 2, 12},
		{"log too wide", "parameters:\n  x: {log: [1e-320, 1]}", `is beyond a float64`, 2, 12},
		{"not whole", "parameters:\n  x: {int: [0, 1.5]}", `int needs whole numbers as bounds, got [0, 1.5]`, 2, 12},
		{"huge int", "parameters:\n  x: {int: [0, 1e16]}", `exceed 1e+15`, 2, 12},
		{"logint of zero", "parameters:\n  x: {logint: [0, 8]}", `logint needs bounds from 1 on`, 2, 15},
		{"three bounds", "parameters:\n  x: {int: [0, 1, 2]}", `int takes two bounds [low, high], got 3`, 2, 12},
		{"decimal commas", "parameters:\n  x: {float: [0,5, 1,5]}", `got 4: if it has decimal commas, write [0.5, 1.5], with points`, 2, 14},
		{"a decimal comma", "parameters:\n  x: {float: [0,5, 1]}", `got 3: decimals stand behind a point, as in 0.5`, 2, 14},
		{"four bounds", "parameters:\n  x: {float: [0, -1, 2, 3]}", `two bounds [low, high], got 4`, 2, 14},
		{"a quoted decimal comma", "parameters:\n  x: {float: [\"0,5\", 1]}", `got the text "0,5": write 0.5, with a point`, 2, 15},
		{"a text as bound", "parameters:\n  x: {float: [0, one]}", `parameter "x": expected a number, got the text "one"`, 2, 18},
		{"no list", "parameters:\n  x: {float: 3}", `expected a list of two bounds, as in float: [1, 8]; got 3`, 2, 14},
		{"no levels", "parameters:\n  x: {ordinal: []}", `two or more numbers, got 0`, 2, 16},
		{"falling levels", "parameters:\n  x: {ordinal: [1, 3, 2]}", `2 follows 3: sort them`, 2, 16},
		{"equal levels", "parameters:\n  x: {ordinal: [1, 1]}", `level 1 is listed twice`, 2, 16},
		{"NaN level", "parameters:\n  x: {ordinal: [1, .nan]}", `level 2 is NaN`, 2, 16},
		{"no labels", "parameters:\n  x: {choice: []}", `choice needs two or more labels, got 0`, 2, 15},
		{"a number as label", "parameters:\n  x: {choice: [a, 16]}", `expected a label, got 16: write it in quotes, or use ordinal`, 2, 19},
		{"a bool as label", "parameters:\n  x: {choice: [a, true]}", `expected a label, got true: write it in quotes`, 2, 19},
		{"equal labels", "parameters:\n  x: {choice: [a, b, a]}", `label "a" is listed twice`, 2, 15},
		{"empty label", "parameters:\n  x: {choice: [a, \"\"]}", `label 2 is empty`, 2, 15},
		{"half a bool", "parameters:\n  x: {bool: [true]}", `bool takes both values: write {bool: [false, true]}`, 2, 13},
		{"fixed list", "parameters:\n  x: {fixed: [1]}", `expected a number, a text, true or false, got a list`, 2, 14},
		{"fixed infinity", "parameters:\n  x: {fixed: .inf}", `must be a finite number`, 2, 14},
		{"unknown kind", "parameters:\n  x: {flot: [0, 1]}", `parameter "x": unknown key "flot" (did you mean "float"?)`, 2, 7},
		{"kind with letters swapped", "parameters:\n  x: {flaot: [0, 1]}", `unknown key "flaot" (did you mean "float"?)`, 2, 7},
		{"two kinds", "parameters:\n  x: {float: [0, 1], int: [0, 1]}", `both float and int are given`, 2, 27},
		{"no kind", "parameters:\n  x: {unit: m}", `no kind is given`, 2, 6},
		{"kind twice", "parameters:\n  x: {int: [0, 1], int: [0, 2]}", `the key "int" is given twice`, 2, 20},
		{"a number as unit", "parameters:\n  x: {int: [0, 1], unit: 3}", `unit must be a text, got 3`, 2, 26},
		{"no mapping", "parameters:\n  x: float", `expected {kind: ...}, as in {float: [0, 1]}, got the text "float"`, 2, 6},
		{"twice", "parameters:\n  x: {float: [0, 1]}\n  x: bool", `parameter "x": x is already declared in line 2`, 3, 3},
		{"twice by range", "parameters:\n  \"w[0:5]\": bool\n  w3: bool", `parameter "w3": w3 is already declared by "w[0:5]" in line 2`, 3, 3},
		{"range backwards", "parameters:\n  \"w[5:0]\": bool", `runs backwards: write w[0:5]`, 2, 3},
		{"range form", "parameters:\n  \"w[0-5]\": bool", `not of the form name[first:last]`, 2, 3},
		{"range with zeros", "parameters:\n  \"w[00:09]\": bool", `not of the form name[first:last]`, 2, 3},
		{"range too long", "parameters:\n  \"w[0:99999999]\": bool", `has 100000000 parameters, more than 100000`, 2, 3},
		{"ranges too long", "parameters:\n  \"w[0:99998]\": bool\n  \"v[0:1]\": bool", `more than 100000 parameters`, 3, 3},
		{"a name with minus", "parameters:\n  learning-rate: bool", `has the character '-' at position 9`, 2, 3},
		{"no name", "parameters:\n  \"\": bool", `needs a name`, 2, 3},
		{"a number as name", "parameters:\n  12: bool", `name must be a text, got 12`, 2, 3},
		{"unknown top key", "parameter:\n  x: bool", `unknown key "parameter" (did you mean "parameters"?)`, 1, 1},
		{"no parameters", "constraints: []", "`parameters` must be a mapping", 1, 1},
		{"empty parameters", "parameters: {}", "`parameters` has no parameters: write one per line, as in x: {float: [0, 1]}", 1, 13},
		{"an empty list", "parameters: []", "`parameters` has no parameters", 1, 13},
		{"nothing below", "parameters:\n", "`parameters` has no parameters", 1, 12},
		{"JSON empty", `{"parameters": {}}`, "`parameters` has no parameters", 1, 16},
		{"a list of parameters", "parameters: [x]", "`parameters` must be a mapping of names to kinds, as in x: {float: [0, 1]}, got a list", 1, 13},
		{"a list", "- x", "expected a mapping with parameters and constraints, got a list", 1, 1},
		{"second document", "parameters:\n  x: bool\n---\na: 1", "a second document", 3, 1},
		{"constraints no list", "parameters:\n  x: bool\nconstraints: x <= 1", "`constraints` must be a list of texts", 3, 14},
		{"constraint no text", "parameters:\n  x: bool\nconstraints: [1]", `a constraint must be a text such as "x + y <= 1", got 1`, 3, 15},
		{"constraint name", "parameters:\n  xx: bool\nconstraints:\n  - 2*xx + xy <= 1", `character 8: parameter "xy" is not in the space (did you mean "xx"?)`, 4, 12},
		{"quoted constraint", "parameters:\n  xx: bool\nconstraints:\n  - \"2*xx + xy <= 1\"", `character 8: parameter "xy"`, 4, 13},
		{"folded constraint", "parameters:\n  xx: bool\nconstraints:\n  - >\n    2*xx\n    + xy <= 1", `character 8: parameter "xy"`, 4, 5},
		{"contradiction", "parameters:\n  x: {float: [0, 1]}\n  y: {float: [0, 1]}\nconstraints:\n  - x + y <= 1\n  - x + y >= 1.5", `the constraints "x + y <= 1", "x + y >= 1.5" cannot hold together within the bounds`, 5, 5},
		{"JSON place", "{\"parameters\": {\n  \"ä\": {\"int\": [0,\n 1.5]},\n  \"y\": {\"float\": [1, \"a\"]}}}", `parameter "y": expected a number, got the text "a"`, 4, 22},
		{"JSON twice", `{"parameters": {"x": "bool", "x": "bool"}}`, `x is already declared in line 1`, 1, 30},
		{"JSON null", `{"parameters": {"x": {"fixed": null}}}`, `got nothing`, 1, 32},
		{"JSON constraint", `{"parameters": {"x": "bool"}, "constraints": ["x = 1"]}`, `an equality leaves no room`, 1, 50},
	} {
		_, err := Parse([]byte(c.text))
		var e *FileError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s says\n\t%v, want\n\t%s", c.name, err, c.want)
			continue
		}
		if e.Line != c.line || e.Column != c.column {
			t.Errorf("%s is said to be at %d:%d, want %d:%d: %v", c.name, e.Line, e.Column, c.line, c.column, err)
		}
	}
}

func TestUnplacedErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "the file is empty",
		"# nothing\n":                       "the file is empty",
		"parameters: [":                     "line 1",
		"parameters:\n  x: {fixed: 1}":      "nothing to vary",
		"parameters:\n  x: bool\n---\na: [": "line 4",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q says %v, want %q", text, err, want)
		}
	}
	var empty Space
	if err := json.Unmarshal([]byte(`{"parameters": {}}`), &empty); err == nil || empty.Dim() != 0 {
		t.Errorf("a space without parameters: %v, Dim %d", err, empty.Dim())
	}
	for _, c := range []struct {
		part Part
		want string
	}{
		{Param{Name: "x", Kind: "flot"}, `parameter "x": kind "flot" is unknown (did you mean "float"?): the kinds are`},
		{Fixed("x", []int{1}), `has type []int`},
		{Fixed("x", nil), `has type <nil>`},
		{Choice("x", "a\x00", "b"), `cannot be printed`},
		{Float("x", 0, 1).WithUnit("\xff"), `is not UTF-8`},
	} {
		if _, err := New(Bool("y"), c.part); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v says %v, want %q", c.part, err, c.want)
		}
	}
	if _, err := New(Bool("x"), Bool("x")); err == nil || err.Error() != `parameter "x": x is already declared: rename one` {
		t.Errorf("two x say %v", err)
	}
}

// A space written and read again is the same, as YAML and as JSON.
func TestSave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkSave(t, anySpace(t)) })
	s, err := Parse([]byte(everyKind))
	if err != nil {
		t.Fatal(err)
	}
	checkSave(t, s)
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func checkSave(t fataler, s *Space) {
	t.Helper()
	text, err := yaml.Marshal(s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	object, err := json.Marshal(s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var fromYAML, fromJSON Space
	if err := yaml.Unmarshal(text, &fromYAML); err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	if err := json.Unmarshal(object, &fromJSON); err != nil {
		t.Fatalf("%s\n%v", object, err)
	}
	for _, other := range []*Space{&fromYAML, &fromJSON} {
		if diff := cmp.Diff(s.declared, other.declared); diff != "" {
			t.Fatalf("%s\n%s", text, diff)
		}
		if diff := cmp.Diff(s.params, other.params); diff != "" {
			t.Fatalf("%s\n%s", text, diff)
		}
		if diff := cmp.Diff(s.rows, other.rows); diff != "" {
			t.Fatalf("%s\n%s", text, diff)
		}
		if again, _ := yaml.Marshal(other); string(again) != string(text) {
			t.Fatalf("%s is written the second time as\n%s", text, again)
		}
	}
}

// large is a file of n parameters, one line each, and a constraint over all.
func large(n int) []byte {
	var b, sum strings.Builder
	b.WriteString("parameters:\n")
	for i := range n {
		fmt.Fprintf(&b, "  w%d: {float: [-1, 1], unit: m}\n", i)
		fmt.Fprintf(&sum, "w%d + ", i)
	}
	fmt.Fprintf(&b, "constraints:\n  - %s0 <= 1\n", sum.String())
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	text := large(10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func TestParseRefusesLargeFiles(t *testing.T) {
	large := append([]byte(everyKind), bytes.Repeat([]byte("#"), maxBytes)...)
	if _, err := Parse(large); err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
		t.Errorf("a large file gave %v", err)
	}
	if _, err := Parse(large[:maxBytes]); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(everyKind)
	f.Add(`{"parameters": {"x": {"float": [0, 1]}, "y": {"choice": ["a", "b"]}}, "constraints": ["x <= 0.5"]}`)
	f.Add("parameters: {a: &a {int: [0, 3]}, \"b[0:3]\": *a}\nconstraints: [\"a + b0 >= 2\"]")
	f.Add("parameters:\n  x: {fixed: 1}\n  y: bool\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse([]byte(text))
		if err != nil {
			return
		}
		checkSave(t, s)
		x := make([]float64, s.Dim())
		if err := s.Project(x); err != nil {
			t.Fatalf("%q was accepted, but %v", text, err)
		}
		v, err := s.Decode(x)
		if err != nil {
			t.Fatal(err)
		}
		if _, by, err := s.Broken(v); by != 0 || err != nil {
			t.Fatalf("%q: the projected point is not feasible: %v", text, err)
		}
	})
}
