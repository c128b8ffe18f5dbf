package insight_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mahabo/mahabo"
	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/space"
)

// optimised are trials of an optimisation.
func optimised(t *testing.T, s *space.Space, batch, trials int, f func(x []float64) float64) insight.Data {
	t.Helper()
	o, err := mahabo.New(s, mahabo.Options{Batch: batch})
	if err != nil {
		t.Fatal(err)
	}
	d := insight.Data{Space: s}
	for len(d.Observations) < trials {
		list, err := o.Ask(t.Context(), batch)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range list {
			x, err := s.Encode(one.Params)
			if err != nil {
				t.Fatal(err)
			}
			d.Observations = append(d.Observations, insight.Observation{ID: one.Number, X: x, Value: f(x)})
			if err := o.Tell(one.Number, mahabo.Value(d.Observations[len(d.Observations)-1].Value)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return d
}

// Of 200 parameters that matter alike some follow the values of the initial design by chance, and later
// trials keep them where they are: none of them is the cause.
func TestChanceIsNoCause(t *testing.T) {
	a := analyse(t, optimised(t, newSpace(t, space.Float("w[0:199]", -1, 1)), 5, 70, func(x []float64) float64 {
		var sum float64
		for i, v := range x[:198] {
			sum += math.Sin(float64(i+1)) * v
		}
		return (sum-20)*(sum-20)/10 + 4*x[198]*x[198]
	}))
	top := a.Importances[0]
	if a.Structure == insight.FewParameters {
		t.Errorf("%s, where the lower bound is %g", a.Verdict, top.Low)
	}
	if top.Share > 0.2 && top.Low < 0.01 && !strings.Contains(a.Verdict, fmt.Sprintf("not known: %s has", top.Param)) {
		t.Errorf("%s: %s is said to have %.2f, from %.2f to %.2f", a.Verdict, top.Param, top.Share, top.Low, top.High)
	}
}

// Points that lie on each other at the optimum are no noise, and the page does not say two things of one model.
func TestVerdictsAgree(t *testing.T) {
	sp := newSpace(t, space.Log("rate", 1e-5, 1e-1), space.LogInt("width", 16, 1024))
	d := insight.Data{Space: sp}
	for i, row := range bowl {
		v := space.ParamsOf(map[string]any{"rate": row[0], "width": row[1]})
		x, err := sp.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		d.Observations = append(d.Observations, insight.Observation{ID: i + 1, X: x, Value: row[2]})
	}
	all := d.Observations
	for n := 12; n <= len(all); n += 2 {
		d.Observations = all[:n]
		a := analyse(t, d)
		if strings.Contains(a.Verdict, "noise") || strings.Contains(a.Verdict, "predicts 0 %") || strings.Contains(a.Verdict, "Many") {
			t.Errorf("%d trials: %s", n, a.Verdict)
		}
		if a.Structure == insight.Unpredictable && a.Calibration.R2 > 0.1 && !strings.Contains(a.Calibration.Verdict, "only four fifths") && !strings.Contains(a.Verdict, "may be chance") {
			t.Errorf("%d trials: %s %s", n, a.Verdict, a.Calibration.Verdict)
		}
	}
	a := analyse(t, sample(t, 40, 2, func(x []float64) float64 { return math.Sin(1e5 * x[0]) }))
	if !strings.Contains(a.Verdict, "mostly noise") {
		t.Error(a.Verdict)
	}
}

// bowl is the complete trials of the guide docs/guides/long.md: rate, width and value.
var bowl = [][3]float64{
	{1.163365e-05, 206, 0.413148}, {0.01717588, 110, 0.219241}, {0.00516929, 650, 0.124078}, {0.0001453214, 536, 0.129937}, {0.001, 126, 0.0579562},
	{0.001149732, 173, 0.0437971}, {0.0009210118, 263, 0.037195}, {0.00098475, 255, 0.0370421}, {0.001006262, 258, 0.0370403}, {0.001001772, 257,
		0.0370377}, {0.00100152, 257, 0.0370377}, {0.001000807, 257, 0.0370377}, {0.001008767, 255, 0.0370391}, {0.001000953, 256, 0.0370371}, {0.001002209,
		256, 0.0370371}, {0.001002194, 256, 0.0370371}, {0.001001712, 256, 0.0370371}, {0.001001709, 256, 0.0370371}, {0.001001444, 256, 0.0370371},
	{0.00100264, 256, 0.0370372}, {0.001001191, 256, 0.0370371}, {0.001001102, 256, 0.0370371}, {0.001001027, 256, 0.0370371}, {0.00100106, 256,
		0.0370371}, {0.001000952, 256, 0.0370371}, {0.001001095, 256, 0.0370371}, {0.001000871, 256, 0.0370371}, {0.001000903, 256, 0.0370371}, {0.001000873,
		256, 0.0370371}, {0.001000854, 256, 0.0370371}, {0.001000737, 256, 0.037037}, {0.001132618, 260, 0.0373395}, {0.0009996545, 256, 0.037037},
	{0.0009867013, 230, 0.0375179},
}
