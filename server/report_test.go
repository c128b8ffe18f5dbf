package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/server"
)

type verdict struct {
	Stop   bool
	Reason string
}

func TestReports(t *testing.T) {
	c := start(t, server.Config{})
	body := rig("sobol")
	body["stop"], body["max_cost"] = "asha:first=2,after=1", 7
	var made struct {
		Stop    string
		MaxCost float64 `json:"max_cost"`
	}
	c.must("POST", "/v1/studies", body, &made)
	if made.Stop != "asha:first=2,after=1" || made.MaxCost != 7 {
		t.Errorf("the study has %+v", made)
	}
	c.must("POST", "/v1/studies/rig/ask", object{"count": 3, "worker": "w"}, nil)
	report := func(number int, body object) (v verdict) {
		t.Helper()
		c.must("POST", fmt.Sprintf("/v1/studies/rig/trials/%d/report", number), body, &v)
		return v
	}
	step := func(step int, value float64) object { return object{"step": step, "value": value} }
	if v := report(1, object{"worker": "w", "reports": []object{step(1, 3), step(2, 2)}}); v.Stop {
		t.Errorf("the first trial is stopped: %s", v.Reason)
	}
	c.must("POST", "/v1/studies/rig/trials/1/tell", object{"value": 1, "cost": 2.5}, nil)
	if v := report(2, object{"reports": []object{step(1, 4)}}); v.Stop {
		t.Errorf("a trial is stopped before a rung: %s", v.Reason)
	}
	if v := report(2, object{"reports": []object{step(2, 4)}}); !v.Stop || v.Reason == "" {
		t.Errorf("the worse trial goes on: %+v", v)
	}
	type trialJSON struct {
		State    string
		Stop     bool
		Value    *float64
		CountsAs *float64 `json:"counts_as"`
		Cost     float64
		Last     *struct {
			Step  int
			Value float64
		}
	}
	var beat, told, first trialJSON
	c.must("POST", "/v1/studies/rig/trials/2/heartbeat", object{"worker": "w", "lease_seconds": 60}, &beat)
	if !beat.Stop {
		t.Error("a heartbeat does not say that the trial should end")
	}
	c.must("POST", "/v1/studies/rig/trials/2/tell", object{"state": "stopped"}, &told)
	if told.State != "stopped" || told.Stop || told.Value != nil || told.Last == nil || told.Last.Step != 2 || told.Last.Value != 4 || *told.CountsAs != 1 {
		t.Errorf("the stopped trial is %+v", told)
	}
	c.must("GET", "/v1/studies/rig/trials/1", nil, &first)
	if first.Cost != 2.5 {
		t.Errorf("the cost of the first is %v", first.Cost)
	}
	var list struct {
		Curves []struct {
			Number  int
			Reports []struct {
				Step  int
				Value float64
			}
		}
	}
	c.must("GET", "/v1/studies/rig/reports?number=3,2,1&most=1", nil, &list)
	if len(list.Curves) != 2 || list.Curves[1].Number != 2 || len(list.Curves[0].Reports) != 1 || list.Curves[0].Reports[0].Value != 2 {
		t.Errorf("the reports are %+v", list)
	}
	var info struct {
		States map[string]int
		Spent  float64
	}
	c.must("GET", "/v1/studies/rig", nil, &info)
	if info.States["stopped"] != 1 || info.Spent < 2.5 {
		t.Errorf("the study is %+v", info)
	}
	c.must("POST", "/v1/studies/rig/trials/2/retry", object{}, &told)
	if told.State != "waiting" {
		t.Errorf("the stopped trial is %s after a retry", told.State)
	}
	c.refused(http.StatusUnprocessableEntity, "POST", "/v1/studies/rig/trials/3/report", object{"reports": []object{{"step": 1}}})
	c.refused(http.StatusUnprocessableEntity, "POST", "/v1/studies/rig/trials/3/report", object{"reports": []object{}})
	c.refused(http.StatusConflict, "POST", "/v1/studies/rig/trials/3/report", object{"worker": "x", "reports": []object{step(1, 1)}})
	c.refused(http.StatusNotFound, "GET", "/v1/studies/rig/reports?number=9", nil)
	body["name"], body["stop"] = "other", "halve"
	c.refused(http.StatusUnprocessableEntity, "POST", "/v1/studies", body)
}

// A time that no answer can have is refused.
func TestTimesOfReports(t *testing.T) {
	c := start(t, server.Config{})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	c.must("POST", "/v1/studies/rig/ask", object{"count": 1}, nil)
	for _, at := range []string{"9999-12-31T23:59:59-12:00", "0000-01-01T00:00:00+12:00"} {
		p := c.refused(http.StatusUnprocessableEntity, "POST", "/v1/studies/rig/trials/1/report", object{"reports": []object{{"step": 1, "value": 2, "time": at}}})
		if !strings.Contains(p.Detail, "time is ") {
			t.Errorf("%s is refused as %s", at, p.Detail)
		}
	}
	c.must("POST", "/v1/studies/rig/trials/1/report", object{"reports": []object{{"step": 1, "value": 2, "time": "9999-12-31T23:59:59Z"}}}, nil)
	c.must("GET", "/v1/studies/rig/reports?number=1", nil, &struct{}{})
	c.must("POST", "/v1/studies/rig/trials/1/tell", object{"state": "stopped"}, nil)
}
