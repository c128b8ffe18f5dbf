package acquisition

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
)

// given has the same moments everywhere.
type given struct{ mean, variance float64 }

func (g given) Predict([]float64) (mean, variance float64) { return g.mean, g.variance }

func (g given) PredictGrad(dMean, dVar, _ []float64) (mean, variance float64) {
	clear(dMean)
	clear(dVar)
	return g.mean, g.variance
}

// Values from mpmath 1.3.0 at 4000 digits.
func TestEIAgainstHighPrecision(t *testing.T) {
	for _, c := range []struct{ mean, variance, best, ei, log float64 }{
		{0.3, 0.49, -0.2, 0.097618156559858227444, -2.3266917725381694562},
		{2, 0.01, -1.5, 3.2088044826025177766e-271, -622.83466176894203521},
		{-1, 4, 0.5, 1.7623338357443065109, 0.56663897366799232849},
		{5, 1e-4, -1, 0, -180018.31797636286875},
	} {
		model := given{c.mean, c.variance}
		ei, log := &EI{Model: model, Best: c.best}, &LogEI{Model: model, Best: c.best}
		if got := -ei.Value(nil); math.Abs(got-c.ei) > 1e-12*c.ei {
			t.Errorf("%+v: EI %.17g", c, got)
		}
		if got := -log.Value(nil); math.Abs(got-c.log) > 1e-14*max(1, math.Abs(c.log)) {
			t.Errorf("%+v: log EI %.17g", c, got)
		}
	}
}

func TestEIGradients(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, dim := range []int{1, 3, 12} {
		model := stub(r, 8, dim)
		for _, best := range []float64{1, 0, -1.5, -8} {
			for _, f := range []Function{&EI{Model: model, Best: best}, &LogEI{Model: model, Best: best}} {
				if _, plain := f.(*EI); plain && best < 0 {
					continue // too small for finite differences
				}
				grad := make([]float64, dim)
				for range 5 {
					x := uniform(r, dim)
					if v := f.ValueGrad(grad, x); v != f.Value(x) {
						t.Errorf("ValueGrad returns %v, Value %v", v, f.Value(x))
					}
					fdcheck.Check(t, f.Value, grad, x, 1e-6)
				}
			}
		}
	}
}

// At a noise-free observation the deviation is at its floor and flat; NaN stays visible.
func TestEIWithoutVariance(t *testing.T) {
	grad := make([]float64, 2)
	for _, variance := range []float64{0, -1e-17, minVariance} {
		a := &LogEI{Model: flat{variance}, Best: 0.5}
		v := a.ValueGrad(grad, []float64{0.25, 0})
		if math.Abs(v+math.Log(0.25)) > 1e-8 || math.Abs(grad[0]-4) > 1e-6 || grad[1] != 0 {
			t.Errorf("variance %g: value %v, gradient %v", variance, v, grad)
		}
		e := &EI{Model: flat{variance}, Best: 0.5}
		if v := e.ValueGrad(grad, []float64{0.25, 0}); math.Abs(v+0.25) > 1e-8 || grad[0] != 1 || grad[1] != 0 {
			t.Errorf("variance %g: EI %v, gradient %v", variance, v, grad)
		}
	}
	for _, f := range []Function{&EI{Model: flat{math.NaN()}}, &LogEI{Model: flat{math.NaN()}}} {
		if v := f.ValueGrad(grad, []float64{0.25, 0}); !math.IsNaN(v) {
			t.Errorf("a NaN variance gives the value %v", v)
		}
	}
}

func TestEIValues(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	single := stub(r, 6, 3)
	for _, model := range []lingp.Differentiable{single, &batchGP{exactGP: single}} {
		for _, f := range []BatchFunction{&EI{Model: model, Best: -1}, &LogEI{Model: model, Best: -1}} {
			x := linalg.New(7, 3)
			for i := range x.Data {
				x.Data[i] = 2*r.Float64() - 1
			}
			got := make([]float64, x.Rows)
			f.Values(got, x)
			for i, v := range got {
				if v != f.Value(x.Row(i)) {
					t.Errorf("row %d: %v, want %v", i, v, f.Value(x.Row(i)))
				}
			}
		}
	}
}
