package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/server"
)

func TestImport(t *testing.T) {
	c := start(t, server.Config{Store: open(t, "memory:")})
	c.must("POST", "/v1/studies", map[string]any{"name": "mix", "method": "sobol", "space": map[string]any{
		"parameters":  map[string]any{"acid": map[string]any{"float": []int{0, 1}}, "base": map[string]any{"float": []int{0, 1}}},
		"constraints": []string{"acid + base <= 1"},
	}}, nil)
	const table = "acid;base;value\n0,9;0,9;-7,5\n0,5;0,25;3,5\n"
	if p := c.refused(422, "POST", "/v1/studies/mix/import?strict=true", table); !strings.Contains(p.Detail, "1 of 2 rows cannot be used, the first in line 2: it breaks the constraint") {
		t.Errorf("a strict import gave %+v", p)
	}
	if p := c.refused(422, "POST", "/v1/studies/mix/import", "acid;base;value\n0;0;1,250\n"); !strings.Contains(p.Detail, "decimal=comma") {
		t.Errorf("an unclear number gave %+v", p)
	}
	if p := c.refused(422, "POST", "/v1/studies/mix/import", "acid,lye,value\n0,0,1\n"); !strings.Contains(p.Detail, "as in base=COLUMN; the file has the columns acid, lye, value") {
		t.Errorf("a missing column gave %+v", p)
	}
	var report struct {
		Good   int
		Trials []int
		Bad    []struct {
			Line  int
			Error string
		}
	}
	c.must("POST", "/v1/studies/mix/import", table, &report)
	if report.Good != 1 || len(report.Trials) != 1 || len(report.Bad) != 1 || report.Bad[0].Line != 2 || !strings.Contains(report.Bad[0].Error, "breaks the constraint") {
		t.Errorf("the report is %+v", report)
	}
	const mended = "acid;base;value\n0,9;0,1;7,5\n0,5;0,25;3,5\n"
	for _, step := range []struct{ query, want string }{{"?dry_run=true", "{2 1 []}"}, {"", "{2 1 [2]}"}, {"?repeats=true", "{2 0 [3 4]}"}} {
		var again struct {
			Good, Known int
			Trials      []int
		}
		if c.must("POST", "/v1/studies/mix/import"+step.query, mended, &again); fmt.Sprint(again) != step.want {
			t.Errorf("import%s of the mended table gave %v, want %s", step.query, again, step.want)
		}
	}
	c.must("POST", "/v1/studies/mix/import?decimal=comma", "acid;base;value\n0;0;1,250\n", &report)
	var best struct{ Best struct{ Value float64 } }
	if c.must("GET", "/v1/studies/mix/best", nil, &best); best.Best.Value != 1.25 {
		t.Errorf("the best is %+v", best)
	}
}
