package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/server"
)

// A study learns from others of the server, and from trials that the request brings.
func TestFormerStudies(t *testing.T) {
	c := start(t, server.Config{Store: open(t, "memory:")})
	box := object{"parameters": object{"x": object{"float": []int{0, 1}}}}
	c.must("POST", "/v1/studies", object{"name": "old", "method": "sobol", "space": box}, nil)
	rows := "x,value\n"
	var trials []object
	for i := range 12 {
		x := float64(i) / 12
		rows += fmt.Sprintf("%g,%g\n", x, (x-0.5)*(x-0.5))
		trials = append(trials, object{"params": object{"x": x, "other": "text"}, "value": 3 * x})
	}
	c.must("POST", "/v1/studies/old/import?format=csv", rows, nil)
	wide := object{"parameters": object{"x": object{"float": []int{0, 2}}, "y": object{"float": []int{0, 1}}}}
	c.must("POST", "/v1/studies", object{"name": "new", "space": wide, "from": []string{"old"}, "former": []object{{"name": "notebook", "trials": trials}}}, nil)
	var batch struct {
		Model  struct{ Former []string }
		Trials []struct{ Params map[string]any }
	}
	c.must("POST", "/v1/studies/new/ask", object{"count": 1}, &batch)
	if len(batch.Model.Former) != 2 || !strings.HasPrefix(batch.Model.Former[0], "notebook: 12 of 12") || batch.Trials[0].Params["x"] != 0.0 {
		t.Errorf("the batch is %+v", batch)
	}
	answer, text := c.call("POST", "/v1/studies", object{"name": "x", "space": wide, "from": []string{"nowhere"}})
	if answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(text), "there is no study nowhere") {
		t.Errorf("an unknown study gave %s %s", answer.Status, text)
	}
}

// A table is taken as trials are, and refused with its reason.
func TestFormerTable(t *testing.T) {
	c := start(t, server.Config{Store: open(t, "memory:")})
	box := object{"parameters": object{"x": object{"float": []int{0, 2}}}}
	rows := "x,comment,value\n"
	for i := range 12 {
		rows += fmt.Sprintf("%g,a,%d\n", 0.5+float64(i)/12, i)
	}
	create := func(former object) (*http.Response, []byte) {
		return c.call("POST", "/v1/studies", object{"name": "new", "space": box, "former": []object{former}})
	}
	trials := []object{{"params": object{"x": 1}, "value": 1}}
	for _, bad := range []struct {
		former object
		want   string
	}{
		{object{"name": "lab", "csv": "y,value\n1,2\n"}, "lab: no column is a parameter"},
		{object{"name": "lab", "csv": rows, "trials": trials}, "leave one out"},
		{object{"name": "lab", "csv": ""}, "lab: there are neither trials nor a table"},
	} {
		answer, text := create(bad.former)
		if answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(text), bad.want) || !strings.Contains(string(text), "body.former[0]") {
			t.Errorf("%v gave %s %s", bad.former, answer.Status, text)
		}
	}
	if answer, text := create(object{"name": "lab", "csv": rows}); answer.StatusCode != http.StatusCreated {
		t.Fatalf("the table gave %s %s", answer.Status, text)
	}
	var batch struct {
		Model  struct{ Former []string }
		Trials []struct{ Params map[string]any }
	}
	c.must("POST", "/v1/studies/new/ask", object{"count": 1}, &batch)
	if len(batch.Model.Former) != 1 || !strings.HasPrefix(batch.Model.Former[0], "lab: 12 of 12") || batch.Trials[0].Params["x"] != 0.5 {
		t.Errorf("the batch is %+v", batch)
	}
}
