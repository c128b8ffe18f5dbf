package problem

import (
	"math"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/outcome"
	"github.com/mahabo/mahabo/internal/pareto"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/space"
)

func at(t *testing.T, p Problem, v map[string]any) map[string]float64 {
	t.Helper()
	e, err := p.Named(t.Context(), space.ParamsOf(v))
	if err != nil || e.Seen.State != evaluate.Complete {
		t.Fatalf("%s: %+v, %v", p.Name, e, err)
	}
	return e.Seen.Outcomes
}

// The best known designs of the literature keep the limits, but for the digits that are printed, and have the values.
func TestBestKnownDesigns(t *testing.T) {
	for _, c := range []struct {
		problem Problem
		at      map[string]any
	}{
		{newSpeedReducer(), map[string]any{"b": 3.5, "m": 0.7, "z": 17.0, "l1": 7.3, "l2": 7.8, "d1": 3.350214666, "d2": 5.286683230}},
		{newWeldedBeam(), map[string]any{"h": 0.205730, "l": 3.470489, "t": 9.036624, "b": 0.205730}},
		{newPressureVessel(), map[string]any{"shell": 13.0, "head": 7.0, "radius": 42.0984456, "length": 176.6365958}},
	} {
		y := at(t, c.problem, c.at)
		if math.Abs(y["value"]/c.problem.Minimum-1) > 1e-4 {
			t.Errorf("%s is %g there, want %g", c.problem.Name, y["value"], c.problem.Minimum)
		}
		for name, v := range y {
			if name != "value" && v > 1e-4 {
				t.Errorf("%s: limit %s is violated by %g", c.problem.Name, name, v)
			}
		}
	}
}

// Points of the known fronts lie on them, and dominate random ones.
func TestFronts(t *testing.T) {
	x := make([]float64, 30)
	x[0] = 0.25
	zero := map[string]any{}
	half := map[string]any{}
	for i, v := range x {
		name := "x" + string(rune('0'+i%10))
		if i >= 10 {
			name = "x" + string(rune('0'+i/10)) + string(rune('0'+i%10))
		}
		zero[name], half[name] = v, 0.5
	}
	half["x0"] = 0.25
	for _, c := range []struct {
		problem Problem
		at      map[string]any
		want    [2]float64
	}{
		{newZDT(1, 30), zero, [2]float64{0.25, 0.5}},
		{newZDT(2, 30), zero, [2]float64{0.25, 0.9375}},
		{newZDT(3, 30), zero, [2]float64{0.25, 0.5 - 0.25*math.Sin(2.5*math.Pi)}},
		{newDTLZ2(2, 30), half, [2]float64{math.Cos(math.Pi / 8), math.Sin(math.Pi / 8)}},
	} {
		y := at(t, c.problem, c.at)
		if math.Abs(y["f0"]-c.want[0]) > 1e-12 || math.Abs(y["f1"]-c.want[1]) > 1e-12 {
			t.Errorf("%s is %v, want %v", c.problem.Name, y, c.want)
		}
	}
}

// Every problem is finite everywhere, its references are reached, and its limits can be broken.
func TestSeveralOutcomes(t *testing.T) {
	r := rng.New(8)
	for _, p := range append(withLimits(), withObjectives()...) {
		scheme := outcome.Of(p.Space.Outcomes())
		broken, seen := 0, 0
		for range 200 {
			x := make([]float64, p.Space.Dim())
			rng.NewFiller(r).Uniform(x)
			v, err := p.Space.Decode(x)
			if err != nil {
				t.Fatal(err)
			}
			e, err := p.Named(t.Context(), v)
			if err != nil || e.Seen.State != evaluate.Complete {
				t.Fatalf("%s: %+v, %v", p.Name, e, err)
			}
			y, limits := scheme.Split(scheme.Inner(e.Seen.Outcomes))
			seen++
			if !pareto.Kept(limits) {
				broken++
			}
			if len(y) == 1 && pareto.Kept(limits) && y[0] < p.Minimum {
				t.Errorf("%s: %g is below the minimum %g", p.Name, y[0], p.Minimum)
			}
		}
		if len(scheme.Limits) > 0 && broken == 0 && p.Name != "keane30" { // all but a corner keeps those
			t.Errorf("%s: no limit is ever broken", p.Name)
		}
		if _, err := New(p.Name+":noise=0.1", 0, 1); err == nil || !strings.Contains(err.Error(), "several outcomes") {
			t.Errorf("%s with noise: %v", p.Name, err)
		}
	}
}
