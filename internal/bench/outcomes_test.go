package bench

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/internal/problem"
	"github.com/mahabo/mahabo/space"
)

func TestOutcomesOfPrograms(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`: false, `{"a": "minimize"}`: false, `{"a": "minimize", "b": "record"}`: false,
		`{"a": "minimize", "b": "maximize"}`: true, `{"a": "minimize", "b": {"at_most": 3}}`: true,
	} {
		var outcomes map[string]any
		if err := json.Unmarshal([]byte(text), &outcomes); err != nil || isSeveral(outcomes) != want {
			t.Errorf("%s: several %v, %v", text, isSeveral(outcomes), err)
		}
	}
	plain, err := space.New(space.Float("x", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	joined, err := withOutcomes(plain, json.RawMessage(`{"a": "minimize", "b": {"at_most": 3}}`))
	if err != nil || len(joined.Outcomes()) != 2 {
		t.Fatalf("the space has %v, %v", joined, err)
	}
	if told := outcomesOf(joined); told["a"] != "minimize" || told["b"].(map[string]float64)["at_most"] != 3 {
		t.Errorf("a method is told %v", told)
	}
	if told := outcomesOf(plain); len(told) != 1 || told["value"] != "minimize" {
		t.Errorf("a method is told %v", told)
	}
	var r reply
	if err := json.Unmarshal([]byte(`{"outcomes": {"a": 1.5, "b": {"value": 2, "std": 0.5}}}`), &r); err != nil {
		t.Fatal(err)
	}
	if o, err := r.named(); err != nil || o.Outcomes["a"] != 1.5 || o.Stds["b"] != 0.5 {
		t.Errorf("the outcome is %+v, %v", o, err)
	}
	if o, err := (reply{Outcomes: map[string]*number{"a": nil}}).named(); err != nil || o.State != evaluate.Failed {
		t.Errorf("an outcome that is not finite gives %+v, %v", o, err)
	}
}

// A trial is judged by the best value that keeps all limits, or by the hypervolume.
func TestJudgedOutcomes(t *testing.T) {
	for _, c := range []struct{ problem, method string }{{"weldedbeam", "random"}, {"vehicle", "random"}, {"speedreducer", "cmaes"}} {
		a := Assignment{Cell: Cell{Method: c.method, Problem: c.problem, Batch: 2}, Evals: 20, Init: 4}
		got, err := a.Run(t.Context(), methods.BuiltIn(), "test", 1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.New(c.problem, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		got.Dim = p.Dim
		if fault := got.check(); fault != nil {
			t.Errorf("%s: %v", c.problem, fault)
		}
		if got.Best < p.Minimum && !math.IsNaN(p.Minimum) {
			t.Errorf("%s: best %g is below the minimum %g", c.problem, got.Best, p.Minimum)
		}
		if c.problem == "vehicle" && !(got.Best < -100 && got.Best > -246.82) {
			t.Errorf("the hypervolume is %g", -got.Best)
		}
	}
	for _, c := range []struct {
		r    recorder
		want []float64
	}{
		{recorder{early: 3, violated: true}, []float64{neverKept, neverKept, neverKept}},
		{recorder{early: 2, violated: true, best: []float64{5}}, []float64{neverKept, neverKept, 5}},
		{recorder{early: 2, failed: 2, best: []float64{5}}, []float64{5, 5, 5}},
	} {
		if curve, err := c.r.curve(3); err != nil || !slices.Equal(curve, c.want) {
			t.Errorf("%+v: the curve is %v, want %v, %v", c.r, curve, c.want, err)
		}
	}
	if _, err := (&recorder{early: 3, failed: 3}).curve(3); err == nil || !strings.Contains(err.Error(), "no evaluation") {
		t.Errorf("without a value: %v", err)
	}
}
