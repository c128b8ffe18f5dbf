package adaptive

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/strategy"
)

// sparse is a function of three parameters.
func sparse(x []float64) float64 {
	return math.Sin(3*x[2]) + (x[7]-0.3)*(x[7]-0.3) + x[2]*x[11]
}

// dense is one of all parameters, each as much as any other.
func dense(x []float64) float64 {
	var a, b float64
	for j, v := range x {
		a += v * math.Copysign(1, math.Cos(float64(3*j)))
		b += v * math.Copysign(1, math.Sin(float64(5*j+1)))
	}
	n := math.Sqrt(float64(len(x)))
	return (a/n-0.5)*(a/n-0.5) + b/n*b/n
}

// tellRandom tells the values of n random points.
func tellRandom(t *testing.T, a *adaptive, n int, f func([]float64) float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 5))
	for range n {
		x := make(strategy.Point, a.Dim)
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		methodtest.Tell(t, a, x, f(x))
	}
}

// Where few parameters matter the models with weights come to lead, with the right ones.
func TestRelevanceFindsWhatMatters(t *testing.T) {
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(40), Init: 10, Seed: 3})
	tellRandom(t, a, 80, sparse)
	methodtest.Ask(t, a, 1)
	v := a.whole.relevance
	share, of := v.share()
	if share < 0.5 {
		t.Fatalf("the share of models with weights is %g", share)
	}
	k := slices.Index(of, slices.Max(of))
	w := v.models[k].hyper.Metric.(gp.Weighted).Weights
	for j, weight := range w {
		matters := j == 2 || j == 7 || j == 11
		if matters != (weight > 0.02*slices.Max(w)) {
			t.Errorf("the weight of parameter %d is %g, the largest %g", j, weight, slices.Max(w))
		}
	}
	if least := slices.Min(w); !(least > 0) {
		t.Errorf("a parameter with the weight %g is left out for ever", least)
	}
}

// Where all matter and there are fewer observations than parameters, nothing is different from
// a method without weights.
func TestRelevanceLeavesDenseFunctionsAlone(t *testing.T) {
	cfg := strategy.Config{Domain: strategy.Box(60), Init: 10, Seed: 3}
	with, _ := methodtest.Play(t, newAdaptive(t, "adaptive", cfg), 11, 5, dense)
	without, _ := methodtest.Play(t, newAdaptive(t, "adaptive:without=weights", cfg), 11, 5, dense)
	for i, x := range with {
		if !slices.Equal(x, without[i]) {
			t.Fatalf("point %d differs", i)
		}
	}
}

// Leads and weights are a function of the observations, whenever points were asked for and
// whatever cut a call short.
func TestRelevanceFollowsFromTheObservations(t *testing.T) {
	cfg := strategy.Config{Domain: strategy.Box(12), Init: 6, Seed: 9}
	asked := newAdaptive(t, "adaptive", cfg)
	methodtest.Play(t, asked, 9, 5, sparse)
	late := newAdaptive(t, "adaptive", cfg)
	for i, x := range asked.X {
		methodtest.Tell(t, late, x, asked.Y[i])
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := late.Ask(ended, 1, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	want, got := methodtest.Ask(t, asked, 2), methodtest.Ask(t, late, 2)
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("point %d is %v, want %v", i, got[i], want[i])
		}
	}
	for k, m := range asked.whole.relevance.models {
		other := late.whole.relevance.models[k]
		if m.lead != other.lead || !slices.Equal(m.hyper.Logs, other.hyper.Logs) {
			t.Errorf("model %d leads by %g, told at once by %g", k, m.lead, other.lead)
		}
	}
}

// Models that see only the latest observations are scored too.
func TestRelevanceOfManyObservations(t *testing.T) {
	a := newAdaptive(t, "adaptive:most-fitted=40", strategy.Config{Domain: strategy.Box(15), Init: 10, Seed: 3})
	tellRandom(t, a, 130, sparse)
	methodtest.Ask(t, a, 1)
	if share, _ := a.whole.relevance.share(); share < 0.5 {
		t.Errorf("the share of models with weights is %g", share)
	}
}

// Labels have one weight together.
func TestRelevanceOfLabels(t *testing.T) {
	d := strategy.Domain{Params: []strategy.Param{
		{Name: "a", Kind: strategy.Real, First: 0, Width: 1},
		{Name: "b", Kind: strategy.Label, First: 1, Width: 4},
		{Name: "c", Kind: strategy.Integer, First: 5, Width: 1, Levels: []float64{-1, 0, 1}},
	}}
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: d, Init: 5, Seed: 3})
	points, best := methodtest.Play(t, a, 40, 1, func(x []float64) float64 {
		return (x[0]-0.2)*(x[0]-0.2) - x[3] + x[5]*x[5]
	})
	if best > -1+1e-3 {
		t.Errorf("the best value is %g, want -1", best)
	}
	if w := a.whole.relevance.models[0].hyper.Metric.(gp.Weighted).Weights; len(w) != 3 {
		t.Errorf("three parameters have the weights %v", w)
	}
	for i, x := range points[5:] {
		labels := 0
		for _, v := range x[1:5] {
			if v == 1 {
				labels++
			} else if v != -1 {
				t.Fatalf("point %d has %g for a label", i, v)
			}
		}
		if labels != 1 || !slices.Contains(d.Params[2].Levels, x[5]) {
			t.Fatalf("point %d cannot be evaluated: %v", i, x)
		}
	}
}

// The report names the weights in use.
func TestRelevanceIsReported(t *testing.T) {
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(40), Init: 10, Seed: 3})
	tellRandom(t, a, 80, sparse)
	methodtest.Ask(t, a, 1)
	r := a.LastAsk()
	if r.WeightShare < 0.5 || r.WeightLead < a.Lead || len(r.Weights) != 40 || slices.Max(r.Weights) != 1 || r.Weights[2] < 0.1 {
		t.Errorf("the share is %g, the lead %g, the weights %v", r.WeightShare, r.WeightLead, r.Weights)
	}
	b := newAdaptive(t, "adaptive:without=weights", strategy.Config{Domain: strategy.Box(40), Init: 10, Seed: 3})
	tellRandom(t, b, 80, sparse)
	methodtest.Ask(t, b, 1)
	if r := b.LastAsk(); r.WeightShare != 0 || r.Weights != nil {
		t.Errorf("without weights the report says %v", r)
	}
}

// With few parameters noise is found, although a fit that begins without sees no reason for any.
func TestFewParametersWithNoise(t *testing.T) {
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(6), Init: 10, Seed: 3})
	r := rand.New(rand.NewPCG(1, 2))
	tellRandom(t, a, 60, func(x []float64) float64 { return math.Sin(4*x[0]) + x[1]*x[1] + 0.3*r.NormFloat64() })
	methodtest.Ask(t, a, 1)
	for i, m := range a.whole.relevance.models {
		if variance := 0.3 * 0.3; !m.known || !m.tied && m.hyper.Noise < 0.05*variance {
			t.Errorf("model %d expects noise of a variance of %g of the function's", i, m.hyper.Noise)
		}
	}
}

// A rough function whose parameters matter alike is predicted best by a model that treats
// them so and may be rough.
func TestFewParametersOfARoughFunction(t *testing.T) {
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(3), Init: 10, Seed: 3})
	tellRandom(t, a, 80, func(x []float64) float64 {
		return math.Exp(-8 * (x[0]*x[0] + x[1]*x[1] + x[2]*x[2]))
	})
	methodtest.Ask(t, a, 1)
	k, ok := a.whole.relevance.best()
	if m := a.whole.relevance.models[k]; !ok || !m.tied {
		t.Errorf("the best model is %+v, and leads: %t", m, ok)
	}
}
