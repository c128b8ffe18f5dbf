package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mahabo/mahabo/server"
)

// tabled is a study with trials of a table.
func tabled(t *testing.T, goal string, rows ...string) client {
	t.Helper()
	c := start(t, server.Config{Store: open(t, "memory:")})
	config := object{"name": "rig", "method": "sobol", "goal": goal, "space": object{"parameters": object{
		"x": object{"float": []float64{0, 1}}, "kind": object{"choice": []string{"a", "b"}}, "c": object{"fixed": 1}}}}
	c.must("POST", "/v1/studies", config, nil)
	c.must("POST", "/v1/studies/rig/import", "x,kind,value\n"+strings.Join(rows, "\n"), nil)
	return c
}

type curveJSON struct {
	Total        int
	Numbers      []int
	Values, Best []float64
}

func TestCurve(t *testing.T) {
	for goal, best := range map[string][]float64{"minimize": {3, 1, 1, 1}, "maximize": {3, 3, 5, 5}} {
		c := tabled(t, goal, "0,a,3", "0.1,a,1", "0.2,b,5", "0.3,b,2")
		var curve curveJSON
		c.must("GET", "/v1/studies/rig/curve", nil, &curve)
		if curve.Total != 4 || !slices.Equal(curve.Numbers, []int{1, 2, 3, 4}) || !slices.Equal(curve.Best, best) {
			t.Errorf("%s: the curve is %+v, want best %v", goal, curve, best)
		}
	}
}

// A curve of few points keeps the ends and the extremes.
func TestCurveOfMany(t *testing.T) {
	var rows []string
	for i := range 1000 {
		value := i % 10
		switch i {
		case 333:
			value = -50
		case 777:
			value = 99
		}
		rows = append(rows, fmt.Sprintf("%g,a,%d", float64(i)/1000, value))
	}
	c := tabled(t, "minimize", rows...)
	var curve curveJSON
	c.must("GET", "/v1/studies/rig/curve?points=20", nil, &curve)
	n := len(curve.Numbers)
	if n > 20 || n < 10 || curve.Total != 1000 || curve.Numbers[0] != 1 || curve.Numbers[n-1] != 1000 || !slices.IsSorted(curve.Numbers) {
		t.Fatalf("the curve is %+v", curve)
	}
	if slices.Min(curve.Values) != -50 || slices.Max(curve.Values) != 99 || curve.Best[n-1] != -50 {
		t.Errorf("the extremes are lost: %+v", curve)
	}
	var points struct{ Numbers []int }
	if c.must("GET", "/v1/studies/rig/points?limit=11", nil, &points); len(points.Numbers) != 11 || points.Numbers[10] != 334 {
		t.Errorf("the points are %v", points.Numbers)
	}
}

func TestPoints(t *testing.T) {
	c := tabled(t, "minimize", "0.25,b,3", "0.5,a,1", "0.75,b,2")
	var p struct {
		Total   int
		Numbers []int
		Values  []float64
		Axes    []struct {
			Name      string
			Low, High float64
			Labels    []string
			At        []float64
		}
	}
	c.must("GET", "/v1/studies/rig/points", nil, &p)
	if p.Total != 3 || !slices.Equal(p.Numbers, []int{1, 3, 2}) || !slices.Equal(p.Values, []float64{3, 2, 1}) || len(p.Axes) != 2 {
		t.Fatalf("the points are %+v", p)
	}
	for _, a := range p.Axes {
		want := []float64{0.25, 0.75, 0.5}
		if a.Name == "kind" {
			want = []float64{1, 1, 0}
		}
		if !slices.Equal(a.At, want) || a.Low != 0 || a.High != 1 || (a.Name == "kind") != (len(a.Labels) == 2) {
			t.Errorf("an axis is %+v", a)
		}
	}
	if c.must("GET", "/v1/studies/rig/points?param=kind", nil, &p); len(p.Axes) != 1 || p.Axes[0].Name != "kind" {
		t.Errorf("one axis was asked for, there are %+v", p.Axes)
	}
	c.refused(422, "GET", "/v1/studies/rig/points?param=c", nil)
}

func TestBatches(t *testing.T) {
	c := tabled(t, "maximize", "0.25,b,3")
	for _, count := range []int{2, 3, 1} {
		c.must("POST", "/v1/studies/rig/ask", object{"count": count, "worker": fmt.Sprint("w", count)}, nil)
	}
	c.must("POST", "/v1/studies/rig/tell", object{"results": []object{{"number": 4, "value": 1}, {"number": 5, "value": 7}}}, nil)
	var list struct {
		Batches []struct {
			BatchID int `json:"batch_id"`
			Worker  string
			Trials  []int
			States  map[string]int
			Best    *float64
		}
	}
	c.must("GET", "/v1/studies/rig/batches?limit=2", nil, &list)
	if len(list.Batches) != 2 {
		t.Fatalf("the batches are %+v", list.Batches)
	}
	last, middle := list.Batches[0], list.Batches[1]
	if last.BatchID != 3 || last.Best != nil || middle.Worker != "w3" || !slices.Equal(middle.Trials, []int{4, 5, 6}) ||
		middle.States["complete"] != 2 || middle.States["running"] != 1 || middle.Best == nil || *middle.Best != 7 {
		t.Errorf("the batches are %+v", list.Batches)
	}
}

// Trials can be had by their numbers, and who evaluated them.
func TestNumbersAndTimeline(t *testing.T) {
	c := start(t, server.Config{Store: open(t, "memory:")})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	for _, worker := range []string{"ann", "bob"} {
		c.must("POST", "/v1/studies/rig/ask", object{"count": 2, "worker": worker}, nil)
	}
	c.must("POST", "/v1/studies/rig/trials/3/tell", object{"value": 1, "seconds": 0.125}, nil)
	var page struct {
		Total  int
		Trials []struct{ Number int }
	}
	if c.must("GET", "/v1/studies/rig/trials?number=4,2&sort=-number", nil, &page); page.Total != 2 || page.Trials[0].Number != 4 || page.Trials[1].Number != 2 {
		t.Errorf("the trials are %+v", page)
	}
	var line struct {
		Total int
		Spans []struct {
			Number        int
			State, Worker string
			Asked, Began  time.Time
			Told          *time.Time
		}
	}
	c.must("GET", "/v1/studies/rig/timeline", nil, &line)
	if one := line.Spans[3]; one.Told == nil || one.Told.Sub(one.Began) != 125*time.Millisecond || !line.Spans[0].Began.Equal(line.Spans[0].Asked) {
		t.Errorf("the timeline begins at %+v", line)
	}
	var told struct{ Seconds float64 }
	if c.must("GET", "/v1/studies/rig/trials/3", nil, &told); told.Seconds != 0.125 {
		t.Errorf("the trial took %g s", told.Seconds)
	}
	if line.Total != 4 || len(line.Spans) != 4 || line.Spans[3].Number != 3 || line.Spans[3].Worker != "bob" || line.Spans[3].Told == nil || line.Spans[0].State != "running" || line.Spans[0].Told != nil {
		t.Errorf("the timeline is %+v", line)
	}
}
