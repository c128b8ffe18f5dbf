package command

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
)

func TestParseOutcomes(t *testing.T) {
	names := map[string]bool{"mass": true, "stress": true, "temp": false}
	for line, want := range map[string]evaluate.Outcome{
		`{"mass": 1.5, "stress": {"value": 9, "std": 0.5}, "other": "x"}`: {State: evaluate.Complete, Outcomes: map[string]float64{"mass": 1.5, "stress": 9}, Stds: map[string]float64{"stress": 0.5}},
		`{"outcomes": {"mass": 1, "stress": 2, "temp": 3}}`:               {State: evaluate.Complete, Outcomes: map[string]float64{"mass": 1, "stress": 2, "temp": 3}},
		`{"state": "infeasible", "reason": "burst"}`:                      {State: evaluate.Infeasible, Reason: "burst"},
	} {
		if got, err := parseResult([]byte(line), names); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %+v, %v", line, got, err)
		}
	}
	for line, says := range map[string]string{
		`{"mass": 1}`:                                    `no outcome "stress"`,
		`{"mass": "heavy", "stress": 1}`:                 `outcome "mass" of its last line is "heavy": a finite number`,
		`{"mass": {"std": 1}}`:                           `outcome "mass"`,
		`{"outcomes": [1, 2]}`:                           `an object with the names`,
		`{"mass": 1, "stress": {"value": 1, "std": -1}}`: "a standard deviation",
		`heavy`: `neither a number nor a JSON object with the names of the outcomes`,
	} {
		if got, err := parseResult([]byte(line), names); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s is read as %+v, %v, want %q", line, got, err, says)
		}
	}
}
