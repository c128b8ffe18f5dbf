package adaptive

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/strategy"
)

// The evidence finds the scale on which a function is smooth.
func TestEvidenceChoosesTheScale(t *testing.T) {
	smooth := func(x []float64) float64 { return x[0]*x[0] + 0.5*x[1]*x[1] }
	for _, c := range []struct {
		name string
		f    func(x []float64) float64
		log  bool
	}{
		{"a smooth function", smooth, false},
		{"its exponential", func(x []float64) float64 { return math.Exp(4 * smooth(x)) }, true},
	} {
		r := rand.New(rand.NewPCG(5, 6))
		d := gp.Data{Points: gp.NewPoints(4)}
		for range 60 {
			x := make([]float64, 4)
			for j := range x {
				x[j] = 2*r.Float64() - 1
			}
			d.Points.Append(x)
			d.Y = append(d.Y, c.f(x))
		}
		a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(4)}).newRun()
		fit, err := a.fitScale(t.Context(), a.prior(len(d.Y)), d, nil, d.Y[0])
		if err != nil {
			t.Fatal(err)
		}
		if fit.log != c.log {
			t.Errorf("%s: the logarithm is modelled: %t", c.name, fit.log)
		}
	}
}

// Noise beyond all measure is cut, values that have none keep theirs.
func TestScaledNoise(t *testing.T) {
	y := []float64{3, 40, 5, 900}
	for _, log := range []bool{true, false} {
		s := defaults.newScaled(log, y, []float64{0.1, 0, 1e-3, 1e300}, 10)
		if want := s.Noise(s.w[0], 0.1); s.noise[0] != want*want || s.noise[1] != 0 || s.noise[3] != surelyNoise*surelyNoise {
			t.Errorf("logarithm %t: the noise is %v", log, s.noise)
		}
		if defaults.newScaled(log, y, make([]float64, 4), 10).noise != nil {
			t.Errorf("logarithm %t: noise of values without any", log)
		}
		if s := defaults.newScaled(log, []float64{1, 1}, []float64{0, 1}, 1); s.noise[0] != 0 || s.noise[1] != surelyNoise*surelyNoise {
			t.Errorf("logarithm %t: noise of equal values: %v", log, s.noise)
		}
	}
}

// The less sure a value is, the less it moves the model.
func TestAdaptiveTrustsByStd(t *testing.T) {
	at := strategy.Point{0.1, -0.2, 0.3}
	predict := func(told ...strategy.Observation) float64 {
		t.Helper()
		s := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(3), Init: 4, Seed: 1})
		for i := range 20 {
			x := strategy.Point{math.Sin(float64(3 * i)), math.Sin(float64(3*i + 1)), math.Sin(float64(3*i + 2))}
			if err := s.Tell(strategy.Observation{X: x, Y: []float64{x[0] + x[1]*x[2]}, Std: []float64{0.01}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Tell(told...); err != nil {
			t.Fatal(err)
		}
		methodtest.Ask(t, s, 1)
		mean, _, ok := s.Predict(at)
		if !ok {
			t.Fatal("no prediction")
		}
		return mean
	}
	without := predict()
	pull := func(std float64) float64 {
		return predict(strategy.Observation{X: at, Y: []float64{3}, Std: []float64{std}}) - without
	}
	sure, unsure, noise := pull(0.01), pull(2), pull(1e9)
	if !(sure > 1 && unsure < sure/4 && math.Abs(noise) < 0.05) {
		t.Errorf("the value pulls by %g, with a std of 2 by %g, with 1e9 by %g", sure, unsure, noise)
	}
}

// Half of the values are nearly exact, half mostly noise: knowing which finds lower ones.
func TestKnownNoiseHelps(t *testing.T) {
	const dim, seeds = 5, 5
	bowl := func(x []float64) (v float64) {
		for j, c := range []float64{-0.3, 0.5, -0.3, 0.5, -0.3} {
			v += (x[j] - c) * (x[j] - c)
		}
		return v
	}
	play := func(seed uint64, known bool) float64 {
		s := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(dim), Init: 10, Seed: seed})
		r := rand.New(rand.NewPCG(seed, 9))
		for i := range 60 {
			x := methodtest.Ask(t, s, 1)[0]
			std := []float64{0.02, 1}[i%2]
			o := strategy.Observation{X: x, Y: []float64{bowl(x) + std*r.NormFloat64()}}
			if known {
				o.Std = []float64{std}
			}
			if err := s.Tell(o); err != nil {
				t.Fatal(err)
			}
		}
		whole := s.learned(t).whole
		if err := whole.refit(t.Context()); err != nil {
			t.Fatal(err)
		}
		all, err := whole.condition(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		return bowl(s.around(all, everywhere).centre)
	}
	var with, without float64
	for seed := range uint64(seeds) {
		with += play(seed, true) / seeds
		without += play(seed, false) / seeds
	}
	if !(with < without/3) {
		t.Errorf("the point believed best is worth %.3g with known noise, %.3g without", with, without)
	}
}
