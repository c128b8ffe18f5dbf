package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/server"
)

type correctedTrial struct {
	State    string
	Value    *float64
	Params   map[string]any
	Notes    []string
	Excluded bool
	History  []struct{ Time, By, What string }
}

func TestCorrect(t *testing.T) {
	for _, url := range []string{"memory:", "sqlite:" + t.TempDir() + "/a.db"} {
		c := start(t, server.Config{Store: open(t, url)})
		c.must("POST", "/v1/studies", rig("sobol"), nil)
		c.must("POST", "/v1/studies/rig/ask", object{"count": 3}, nil)
		c.must("POST", "/v1/studies/rig/tell", object{"results": []object{
			{"number": 1, "value": -8.2}, {"number": 2, "value": 0.5, "params": object{"n": 3}}, {"number": 3, "value": 0.6},
		}}, nil)
		c.must("POST", "/v1/studies/rig/trials/1/notes", object{"text": "wrong"}, nil)
		var got correctedTrial
		c.must("POST", "/v1/studies/rig/trials/1/correct", object{"value": 0.82, "delete_note": 1, "worker": "ana"}, &got)
		if *got.Value != 0.82 || len(got.Notes) != 0 || len(got.History) != 1 || got.History[0].By != "ana" || got.History[0].Time == "" ||
			got.History[0].What != `value -8.2 -> 0.82; deleted note 1: "wrong"` {
			t.Errorf("the corrected trial is %+v", got)
		}
		var best struct{ Best struct{ Number int } }
		c.must("GET", "/v1/studies/rig/best", nil, &best)
		if best.Best.Number != 2 {
			t.Errorf("the best is trial %d", best.Best.Number)
		}
		got = correctedTrial{}
		c.must("POST", "/v1/studies/rig/trials/2/correct", object{"excluded": true}, &got)
		if !got.Excluded || *got.Value != 0.5 || got.Params["n"] != 3.0 || len(got.History) != 2 {
			t.Errorf("the excluded trial is %+v", got)
		}
		c.must("GET", "/v1/studies/rig/best", nil, &best)
		if best.Best.Number != 3 {
			t.Errorf("the best is trial %d, trial 2 is excluded", best.Best.Number)
		}
		var model struct{ Observations int }
		c.must("GET", "/v1/studies/rig/model", nil, &model)
		if model.Observations != 2 {
			t.Errorf("the model has %d observations, one of 3 is excluded", model.Observations)
		}
		for body, want := range map[string]string{
			`{"value": "x"}`:       "body.value",
			`{"state": "waiting"}`: "body.state",
			`{"delete_note": 4}`:   "has no note 4",
			`{"params": {"z": 1}}`: "z",
		} {
			answer, data := c.call("POST", "/v1/studies/rig/trials/1/correct", body)
			if answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(data), want) {
				t.Errorf("%s gave %s %s, want %q", body, answer.Status, data, want)
			}
		}
	}
}
