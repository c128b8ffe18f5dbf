package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/server"
)

func beam(method string) object {
	return object{
		"name": "beam", "method": method, "init": 3, "space": object{"parameters": object{"x": object{"float": []float64{0, 1}}}},
		"outcomes": object{"mass": "minimize", "range": "maximize", "stress": object{"at_most": 10}, "temp": "record"},
	}
}

type frontAnswer struct {
	Objectives  []string
	Points      []struct{ Number int }
	Knee        *int
	Least       *struct{ Violations map[string]float64 }
	Hypervolume float64
	Kept        map[string]int
	Volumes     []float64
}

func TestOutcomes(t *testing.T) {
	c := start(t, server.Config{Store: open(t, "sqlite:"+t.TempDir()+"/a.db")})
	var made struct {
		Goal  string
		Space struct{ Outcomes map[string]any }
	}
	c.must("POST", "/v1/studies", beam("sobol"), &made)
	if made.Goal != "minimize" || len(made.Space.Outcomes) != 4 || made.Space.Outcomes["mass"] != "minimize" {
		t.Errorf("the study is %+v", made)
	}
	c.must("POST", "/v1/studies/beam/ask", object{"count": 4}, nil)
	var trial struct {
		State          string
		Value          *float64
		Outcomes, Stds map[string]float64
	}
	c.must("POST", "/v1/studies/beam/trials/1/tell", object{"outcomes": object{"mass": 1.5}}, &trial)
	if trial.State != "running" || trial.Value != nil || trial.Outcomes["mass"] != 1.5 {
		t.Errorf("told in part the trial is %+v", trial)
	}
	c.must("POST", "/v1/studies/beam/trials/1/tell", object{"outcomes": object{"range": 2, "stress": object{"value": 11, "std": 0.5}}}, &trial)
	if trial.State != "complete" || *trial.Value != 1.5 || trial.Stds["stress"] != 0.5 {
		t.Errorf("the trial is %+v", trial)
	}
	var front frontAnswer
	c.must("GET", "/v1/studies/beam/front", nil, &front)
	if len(front.Points) != 0 || front.Least == nil || front.Least.Violations["stress"] != 1 || front.Knee != nil {
		t.Errorf("without a trial that keeps the limit the front is %+v", front)
	}
	c.must("POST", "/v1/studies/beam/tell", object{"results": []object{
		{"number": 2, "outcomes": object{"mass": 1, "range": 1, "stress": 1}}, {"number": 3, "outcomes": object{"mass": 2, "range": 3, "stress": 1}},
	}}, nil)
	front = frontAnswer{}
	c.must("GET", "/v1/studies/beam/front", nil, &front)
	if len(front.Points) != 2 || front.Knee == nil || front.Least != nil || front.Kept["stress"] != 2 || front.Hypervolume <= 0 || len(front.Volumes) != 3 {
		t.Errorf("the front is %+v", front)
	}
	var best struct {
		Best struct{ Outcomes map[string]float64 }
	}
	c.must("GET", "/v1/studies/beam/best", nil, &best)
	if len(best.Best.Outcomes) != 3 {
		t.Errorf("the best is %+v", best)
	}
	var curve struct{ Best []*float64 }
	c.must("GET", "/v1/studies/beam/curve", nil, &curve)
	if len(curve.Best) != 3 || curve.Best[0] != nil || *curve.Best[1] != 1 {
		t.Errorf("the curve is %+v", curve)
	}
	for _, path := range []string{"/trials", "/batches", "/points", "/model", "/export", "/export?format=jsonl", "/events?after=0"} {
		if strings.HasPrefix(path, "/events") {
			continue
		}
		if answer, _ := c.call("GET", "/v1/studies/beam"+path, nil); answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
	}
	c.must("POST", "/v1/studies/beam/trials/2/correct", object{"outcomes": object{"mass": 0.5}}, &trial)
	if *trial.Value != 0.5 {
		t.Errorf("the corrected trial is %+v", trial)
	}
	for body, want := range map[string]string{
		`{"outcomes": {"mas": 1}}`:                       `did you mean`,
		`{"value": 3}`:                                   "tell outcomes by their names",
		`{"outcomes": {"mass": "x"}}`:                    "body.outcomes",
		`{"outcomes": {"mass": {"std": 1}}}`:             "value",
		`{"outcomes": {"mass": {"value": 1, "std":-1}}}`: "std",
		`{"outcomes": {}}`:                               "a complete trial has a value",
		`{"outcomes": {"mass": 1}, "std": 0.1}`:          `body.std`,
		`{"outcomes": {"mass": 1}, "value": 2}`:          `body.value`,
		`{"outcomes": {"mass": 1}, "state": "failed"}`:   "a trial that is failed has no value",
	} {
		if answer, data := c.call("POST", "/v1/studies/beam/trials/4/tell", body); answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(data), want) {
			t.Errorf("%s: %d %s, want %q", body, answer.StatusCode, data, want)
		}
	}
	for method, want := range map[string]string{"vanilla": "vanilla does not take 2 objectives", "cmaes": "cmaes does not take 2 objectives"} {
		if answer, data := c.call("POST", "/v1/studies", beam(method)); answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(data), want) {
			t.Errorf("%s: %d %s", method, answer.StatusCode, data)
		}
	}
}
