package insight_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/space"
)

func mixedSpace(t *testing.T) *space.Space {
	t.Helper()
	s, err := space.New(
		space.Float("a", 0, 10).WithUnit("°C"), space.Log("b", 1e-3, 1), space.Int("n", 1, 4), space.LogInt("m", 1, 1000),
		space.Ordinal("o", 1, 2, 5), space.Choice("mode", "slow", "fast", "off"), space.Choice("pair", "left", "right"),
		space.Bool("flag"), space.Fixed("k", 3),
	)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mixed(t *testing.T, n int, value func(v space.Params) float64) insight.Data {
	t.Helper()
	s := mixedSpace(t)
	r := rand.New(rand.NewPCG(2, 2))
	d := insight.Data{Space: s}
	for i := range n {
		x := make([]float64, s.Dim())
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		if err := s.Snap(x); err != nil {
			t.Fatal(err)
		}
		v, err := s.Decode(x)
		if err != nil {
			t.Fatal(err)
		}
		d.Observations = append(d.Observations, insight.Observation{ID: i, X: x, Value: value(v), StdDev: 0.1 + 0.01*float64(i%5)})
	}
	return d
}

func TestDiscreteParameters(t *testing.T) {
	a := analyse(t, mixed(t, 120, func(v space.Params) float64 {
		mode, _ := v.Text("mode")
		flag, _ := v.Text("flag")
		y := -v.Float("n")
		if mode == "fast" {
			y -= 3
		}
		if flag == "true" {
			y += 2
		}
		return y
	}))
	if a.Parameters != 8 || a.Dim != 10 {
		t.Errorf("%d parameters, %d coordinates", a.Parameters, a.Dim)
	}
	top := map[string]bool{}
	for _, i := range a.Importances[:3] {
		top[i.Param] = true
	}
	if !top["n"] || !top["mode"] || !top["flag"] {
		t.Errorf("importances %+v", a.Importances)
	}
	for _, s := range a.Slices {
		count := len(s.At) + len(s.Labels)
		want := map[string]int{"n": 4, "o": 3, "mode": 3, "pair": 2, "flag": 2, "a": 33, "b": 33}[s.Param]
		if want > 0 && count != want || len(s.Median) != count || s.Best >= count || s.Log != (s.Param == "b" || s.Param == "m") {
			t.Errorf("slice of %s has %d places, %d values", s.Param, count, len(s.Median))
		}
	}
	if len(a.Directions) == 1 {
		for _, part := range []string{"choose mode=fast", "choose flag=false", "raise n"} {
			if !strings.Contains(a.Directions[0].Sentence, part) {
				t.Errorf("the direction means %q, without %q", a.Directions[0].Sentence, part)
			}
		}
	}
}

// Whatever the data, there is an answer, and it can be written as JSON.
func TestNeverFails(t *testing.T) {
	line := func(x []float64) float64 { return x[0] }
	change := func(d insight.Data, f func(o []insight.Observation)) insight.Data {
		f(d.Observations)
		return d
	}
	for name, d := range map[string]insight.Data{
		"no point":         sample(t, 0, 3, line),
		"one point":        sample(t, 1, 3, line),
		"nine points":      sample(t, 9, 3, line),
		"ten points":       sample(t, 10, 3, line),
		"one parameter":    sample(t, 20, 1, line),
		"two parameters":   sample(t, 12, 2, line),
		"constant":         sample(t, 30, 3, func([]float64) float64 { return 4 }),
		"few points":       sample(t, 12, 300, line),
		"many points":      sample(t, 1500, 2, line),
		"huge values":      sample(t, 20, 3, func(x []float64) float64 { return 1e300 * x[0] }),
		"tiny values":      sample(t, 20, 3, func(x []float64) float64 { return 1e-300 * x[0] }),
		"one outlier":      change(sample(t, 30, 3, line), func(o []insight.Observation) { o[3].Value = 1e50 }),
		"one that differs": change(sample(t, 30, 3, func([]float64) float64 { return 1 }), func(o []insight.Observation) { o[3].Value = 2 }),
		"offset":           sample(t, 30, 3, func(x []float64) float64 { return 1e9 + x[0] }),
		"duplicates": change(sample(t, 40, 3, line), func(o []insight.Observation) {
			for i := range o[:30] {
				o[i].X = o[i%12].X
			}
		}),
		"nearly the same": change(sample(t, 30, 3, line), func(o []insight.Observation) {
			for i := range o {
				o[i].X = []float64{0.1 + 1e-9*float64(i), 0.2, 0.3}
			}
		}),
		"a line": change(sample(t, 30, 3, line), func(o []insight.Observation) {
			for i := range o {
				o[i].X = []float64{float64(i)/15 - 1, 0, 0}
			}
		}),
		"mixed": mixed(t, 25, func(v space.Params) float64 { return v.Float("a") }),
	} {
		a := analyse(t, d)
		if a.Verdict == "" || a.Structure == "" || (a.Best == nil) != (len(d.Observations) == 0) {
			t.Errorf("%s: %+v", name, a)
		}
		if _, err := json.Marshal(a); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRepeatedPointsCountOnce(t *testing.T) {
	d := sample(t, 12, 2, func(x []float64) float64 { return x[0] })
	o := d.Observations[5]
	o.ID, o.Value = 99, -100
	d.Observations = append(d.Observations, o)
	a := analyse(t, d)
	if want := (d.Observations[5].Value - 100) / 2; a.Points != 12 || a.Best.ID != 6 || math.Abs(a.Best.Value-want) > 1e-12 {
		t.Errorf("%d points, best %+v, want %g", a.Points, a.Best, want)
	}
}

// A value with much noise beside a precise one of the same point says next to nothing, as for the best point of a study.
func TestRepeatedPointsCountByPrecision(t *testing.T) {
	d := sample(t, 12, 2, func(x []float64) float64 { return x[0] })
	for i := range d.Observations {
		d.Observations[i].StdDev = 0.01
	}
	o := d.Observations[5]
	o.ID, o.Value, o.StdDev = 99, o.Value-100, 3
	d.Observations = append(d.Observations, o)
	lowest := math.Inf(1)
	for _, o := range d.Observations[:12] {
		lowest = min(lowest, o.Value)
	}
	if a := analyse(t, d); a.Points != 12 || math.Abs(a.Best.Value-lowest) > 0.01 {
		t.Errorf("%d points, best %+v, want %g", a.Points, a.Best, lowest)
	}
}

func TestInvalidDataAreNamed(t *testing.T) {
	good := sample(t, 3, 2, func([]float64) float64 { return 1 })
	for field, change := range map[string]func(d *insight.Data){
		"Space":                  func(d *insight.Data) { d.Space = nil },
		"Observations[1].X has":  func(d *insight.Data) { d.Observations[1].X = []float64{1} },
		"Observations[1].X is":   func(d *insight.Data) { d.Observations[1].X = []float64{1, math.NaN()} },
		"Observations[1].Value":  func(d *insight.Data) { d.Observations[1].Value = math.Inf(1) },
		"Observations[1].StdDev": func(d *insight.Data) { d.Observations[1].StdDev = -1 },
	} {
		d := good
		d.Observations = append([]insight.Observation(nil), good.Observations...)
		change(&d)
		if _, err := insight.Analyse(t.Context(), d); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}
