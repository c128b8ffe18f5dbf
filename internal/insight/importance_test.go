package insight_test

import (
	"context"
	"math"
	"testing"

	"github.com/mahabo/mahabo"
	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/internal/sobol"
	"github.com/mahabo/mahabo/space"
)

// spread evaluates f at the first points of a Sobol sequence.
func spread(t testing.TB, s *space.Space, n int, f func(v space.Params) float64) insight.Data {
	t.Helper()
	q, err := sobol.New(s.Dim())
	if err != nil {
		t.Fatal(err)
	}
	q.Skip(1)
	d := insight.Data{Space: s, Seed: 1}
	x := make([]float64, s.Dim())
	for i := range n {
		q.Next(x)
		for j, v := range x {
			x[j] = 2*v - 1
		}
		if err := s.Snap(x); err != nil {
			t.Fatal(err)
		}
		v, err := s.Decode(x)
		if err != nil {
			t.Fatal(err)
		}
		d.Observations = append(d.Observations, insight.Observation{ID: i + 1, X: append([]float64(nil), x...), Params: v, Value: f(v)})
	}
	return d
}

func newSpace(t testing.TB, params ...space.Part) *space.Space {
	t.Helper()
	s, err := space.New(params...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// index are exact Sobol indices.
type index struct{ total, alone float64 }

// Importances are the Sobol indices of functions for which these are known.
func TestImportancesAreSobolIndices(t *testing.T) {
	ishigami := func(v space.Params) float64 {
		x, y, z := v.Float("x"), v.Float("y"), v.Float("z")
		return math.Sin(x) + 7*math.Pow(math.Sin(y), 2) + 0.1*math.Pow(z, 4)*math.Sin(x)
	}
	// g = prod (|4x_i - 2| + a_i)/(1 + a_i): V_i = 1/(3 (1 + a_i)²), V = prod (1 + V_i) - 1.
	weights := map[string]float64{"a": 0, "b": 1, "c": 4.5, "d": 9}
	product := 1.0
	for _, w := range weights {
		product *= 1 + 1/(3*(1+w)*(1+w))
	}
	exact := map[string]index{}
	for name, w := range weights {
		v := 1 / (3 * (1 + w) * (1 + w))
		exact[name] = index{total: v * product / (1 + v) / (product - 1), alone: v / (product - 1)}
	}
	gFunction := func(v space.Params) float64 {
		y := 1.0
		for name, w := range weights {
			y *= (math.Abs(4*v.Float(name)-2) + w) / (1 + w)
		}
		return y
	}
	// Of an additive function the variances add up. (u - c)² of a uniform u has
	// E = ((1-c)³ + c³)/3 and E of its square ((1-c)⁵ + c⁵)/5.
	square := func(c float64) float64 {
		mean := ((1-c)*(1-c)*(1-c) + c*c*c) / 3
		return (math.Pow(1-c, 5)+math.Pow(c, 5))/5 - mean*mean
	}
	labels := 2.0 / 9
	all := square(0.3) + square(0.7) + labels
	additive := func(v space.Params) float64 {
		y := math.Pow(v.Float("x")-0.3, 2) + math.Pow(v.Float("y")-0.7, 2)
		if kind, _ := v.Text("kind"); kind != "b" {
			y++
		}
		return y
	}
	// n of 1 to 5 has the variance 2, a flag times 2 the variance 1, an exponent of 0 to 2 the
	// variance 1/3, and n flag has interactions with both.
	mixed := func(v space.Params) float64 {
		y := v.Float("n") + math.Log10(v.Float("rate"))
		if on, _ := v.Text("flag"); on == "true" {
			y += 2
		}
		return y
	}
	for _, c := range []struct {
		name    string
		space   *space.Space
		n       int
		f       func(space.Params) float64
		want    map[string]index
		within  float64
		allowed float64 // standard deviation
	}{
		{
			"ishigami", newSpace(t, space.Float("x", -math.Pi, math.Pi), space.Float("y", -math.Pi, math.Pi), space.Float("z", -math.Pi, math.Pi)), 250, ishigami,
			map[string]index{"x": {0.5576, 0.3139}, "y": {0.4424, 0.4424}, "z": {0.2437, 0}}, 0.06, 0.1,
		},
		{"g", newSpace(t, space.Float("a", 0, 1), space.Float("b", 0, 1), space.Float("c", 0, 1), space.Float("d", 0, 1)), 250, gFunction, exact, 0.06, 0.1},
		{
			"additive", newSpace(t, space.Float("x", 0, 1), space.Float("y", 0, 1), space.Choice("kind", "a", "b", "c")), 64, additive,
			map[string]index{"x": {square(0.3) / all, square(0.3) / all}, "y": {square(0.7) / all, square(0.7) / all}, "kind": {labels / all, labels / all}}, 0.05, 0.1,
		},
		{
			"mixed", newSpace(t, space.Int("n", 1, 5), space.Bool("flag"), space.Log("rate", 1, 100)), 60, mixed,
			map[string]index{"n": {2 / (3 + 1.0/3), 2 / (3 + 1.0/3)}, "flag": {1 / (3 + 1.0/3), 1 / (3 + 1.0/3)}, "rate": {0.1, 0.1}}, 0.05, 0.1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.n > 100 {
				t.Skip("it takes some seconds; make test runs it")
			}
			a := analyse(t, spread(t, c.space, c.n, c.f))
			for _, i := range a.Importances {
				want := c.want[i.Param]
				t.Logf("%-5s total %.3f ± %.3f (%.3f to %.3f), want %.3f; alone %.3f ± %.3f, want %.3f; in %v: %+v", i.Param, i.Share, i.StdDev, i.Low, i.High, want.total, i.Alone, i.AloneStdDev, want.alone, i.Range, i.Good)
				if math.Abs(i.Share-want.total) > c.within || math.Abs(i.Alone-want.alone) > c.within {
					t.Errorf("%s has the indices %.3f and %.3f, exact are %.3f and %.3f", i.Param, i.Share, i.Alone, want.total, want.alone)
				}
				if i.StdDev <= 0 || i.StdDev > c.allowed {
					t.Errorf("%s has a deviation of %g", i.Param, i.StdDev)
				}
			}
		})
	}
}

// kinds is a sum of squares and a label that costs 1 unless it is b.
func kinds(v space.Params) float64 {
	y := math.Pow(v.Float("x")-0.3, 2) + math.Pow(v.Float("y")-0.7, 2)
	if kind, _ := v.Text("kind"); kind != "b" {
		y++
	}
	return y
}

// A label that the method has long stopped to try still explains most of the variance.
func TestImportanceOfALabelThatIsFound(t *testing.T) {
	s := newSpace(t, space.Float("x", 0, 1), space.Float("y", 0, 1), space.Choice("kind", "a", "b", "c"))
	d := insight.Data{Space: s}
	_, err := mahabo.Minimize(t.Context(), func(_ context.Context, v space.Params) (float64, error) {
		x, err := s.Encode(v)
		if err != nil {
			return 0, err
		}
		d.Observations = append(d.Observations, insight.Observation{ID: len(d.Observations) + 1, X: x, Params: v, Value: kinds(v)})
		return kinds(v), nil
	}, s, mahabo.Options{Evals: 40, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	a := analyse(t, d)
	for _, i := range a.Importances {
		t.Logf("%s %s %s %+v %+v %+v", a.Scale, a.Predictor, i.Param, i.Effect, i.Good, i.Range)
	}
	top := a.Importances[0]
	if top.Param != "kind" || math.Abs(top.Share-0.855) > 0.13 || !(top.StdDev > 0) {
		t.Errorf("the most important parameter is %s with %.3f ± %.3f, want kind with 0.855", top.Param, top.Share, top.StdDev)
	}
	if top.Good != nil || len(top.Range.Labels) != 1 || top.Range.Labels[0] != "b" {
		t.Errorf("among the good trials kind is %v with %+v, want b only", top.Range.Labels, top.Good)
	}
}

// What was never tried may matter: the deviation of a label that all trials share is large.
func TestImportanceOfWhatWasNotTried(t *testing.T) {
	s := newSpace(t, space.Float("x", 0, 1), space.Choice("kind", "a", "b", "c"))
	d := spread(t, s, 60, func(v space.Params) float64 { return v.Float("x") })
	for k := range d.Observations {
		o := &d.Observations[k]
		first, _, _ := s.Coordinates("kind")
		copy(o.X[first:], []float64{-1, 1, -1})
		o.Params = space.Params{}
	}
	for _, i := range analyse(t, d).Importances {
		t.Logf("%s %+v", i.Param, i.Effect)
		if i.Param == "kind" && !(i.StdDev > 0.05) {
			t.Errorf("kind was never changed and has an importance of %.3f ± %.3f", i.Share, i.StdDev)
		}
	}
}
