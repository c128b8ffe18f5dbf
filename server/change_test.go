package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/server"
)

func TestChangeSpace(t *testing.T) {
	for _, url := range []string{"memory:", "sqlite:" + t.TempDir() + "/a.db"} {
		c := start(t, server.Config{Store: open(t, url)})
		c.must("POST", "/v1/studies", object{"name": "s", "method": "sobol", "space": object{"parameters": object{"x": object{"float": []int{0, 1}}}}}, nil)
		c.must("POST", "/v1/studies/s/import?format=csv", "x,value\n0.2,1\n0.8,2\n", nil)
		wanted := object{"space": object{"parameters": object{"x": object{"float": []float64{0, 0.5}}, "y": object{"float": []int{0, 9}, "digits": 1}}}, "values": object{"y": 3}, "preview": true}
		var got struct {
			Changed     bool
			Differences []string
			Trials      int
			Outside     []struct {
				Number int
				Reason string
			}
		}
		c.must("POST", "/v1/studies/s/change", wanted, &got)
		if got.Changed || len(got.Differences) != 2 || got.Trials != 2 || len(got.Outside) != 1 || got.Outside[0].Number != 2 {
			t.Errorf("the preview is %+v", got)
		}
		wanted["preview"] = false
		if c.must("POST", "/v1/studies/s/change", wanted, &got); !got.Changed {
			t.Errorf("the change is %+v", got)
		}
		var trial struct {
			Params   map[string]any
			Excluded bool
			Outside  string
		}
		c.must("GET", "/v1/studies/s/trials/2", nil, &trial)
		if !trial.Excluded || trial.Outside == "" || trial.Params["y"] != 3.0 {
			t.Errorf("a trial that is outside is %+v", trial)
		}
		c.must("POST", "/v1/studies/s/ask", object{"count": 2}, nil)
		answer, text := c.call("POST", "/v1/studies", object{"name": "s", "method": "sobol", "space": object{"parameters": object{"x": object{"float": []int{0, 1}}}}})
		if answer.StatusCode != http.StatusConflict || !strings.Contains(string(text), "x: float [0, 0.5] -\\u003e float [0, 1]") && !strings.Contains(string(text), "x: float [0, 0.5] -> float [0, 1]") {
			t.Errorf("a study with other parameters says %s %s", answer.Status, text)
		}
	}
}
