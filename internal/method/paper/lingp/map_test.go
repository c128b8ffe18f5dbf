package lingp

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
)

func TestPriors(t *testing.T) {
	for _, c := range []struct {
		name    string
		prior   gp.Density
		v, want float64
	}{
		// Gamma(1, rate) is exponential, LogNormal(0, 1) at 1 is 1/sqrt(2 pi).
		{"exponential", gp.GammaPrior{Shape: 1, Rate: 3}, 0.5, math.Log(3) - 1.5},
		{"gamma", gp.GammaPrior{Shape: 3, Rate: 6}, 0.2, math.Log(216. / 2 * 0.04 * math.Exp(-1.2))},
		{"standard", gp.LogNormalPrior{Mu: 0, StdDev: 1}, 1, -0.5 * math.Log(2*math.Pi)},
		{"log-normal", gp.LogNormalPrior{Mu: 1, StdDev: 2}, math.Exp(3), -3 - math.Log(2*math.Sqrt(2*math.Pi)) - 0.5},
	} {
		value, slope := c.prior.LogDensity(c.v)
		if math.Abs(value-c.want) > 1e-13 {
			t.Errorf("%s: log density %.16g, want %.16g", c.name, value, c.want)
		}
		f := func(x []float64) float64 { d, _ := c.prior.LogDensity(x[0]); return d }
		if d, _ := fdcheck.Derivative(f, []float64{c.v}, 0, 0.01*c.v); math.Abs(slope-d) > 1e-8*max(1, math.Abs(d)) {
			t.Errorf("%s: slope %g, finite differences %g", c.name, slope, d)
		}
	}
	p := gp.LogNormalPrior{Mu: 0.3, StdDev: 0.7}
	if _, slope := p.LogDensity(p.Mode()); math.Abs(slope) > 1e-14 {
		t.Errorf("slope %g at the mode", slope)
	}
}

func allPriors() MAPOptions {
	return MAPOptions{LengthScale: gp.LogNormalPrior{Mu: 1, StdDev: 0.5}, OutputScale: gp.GammaPrior{Shape: 2, Rate: 1}, Noise: gp.LogNormalPrior{Mu: -3, StdDev: 1}, MaxEvals: 60}
}

func TestMAPGradient(t *testing.T) {
	for _, v := range variants() {
		if v.d != v.dim {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			h, in, y := randomCase(60, v.dim, v.d, v.span, v.profile, stream(1))
			d, err := newDescent([]Hyper{h}, in, y)
			if err != nil {
				t.Fatal(err)
			}
			p := posterior{d, allPriors()}
			x := toLogs(h)
			grad := make([]float64, len(x))
			loss := p.loss(grad, x)
			checkGradient(t, "loss", func(x []float64) float64 { return p.loss(make([]float64, len(x)), x) }, grad, x, 0.01)
			// The loss by its definition.
			want, _, _, err := LogMarginal(h, in, y)
			if err != nil {
				t.Fatal(err)
			}
			for prior, values := range map[gp.Density][]float64{p.LengthScale: h.LengthScales, p.OutputScale: {h.OutputScale}, p.Noise: {h.NoiseVariance}} {
				for _, v := range values {
					density, _ := prior.LogDensity(v)
					want += density
				}
			}
			if math.Abs(loss+want/60) > 1e-11 {
				t.Errorf("loss %.15g, want %.15g", loss, -want/60)
			}
		})
	}
}

// One length-scale that the data say nothing about ends at the mode of its prior in
// log l, exp(mu) shifted by the Jacobian: the mode of the density of l itself.
func TestMAPFallsBackOnThePrior(t *testing.T) {
	in := NewInputs(2)
	y := []float64{-1.1, 0.4, 0.7, 0.2, -0.9}
	for i := range y {
		in.Append([]float64{0.4*float64(i) - 0.8, 0.3}) // the second input never changes
	}
	prior := gp.LogNormalPrior{Mu: 0.2, StdDev: 0.6}
	start := Hyper{Kernel: RBFARD([]float64{1, 1}), OutputScale: 1, NoiseVariance: 0.1}
	h, _, err := FitMAP(context.Background(), []Hyper{start}, in, y, MAPOptions{LengthScale: prior, NoiseBounds: Interval{Low: 1e-3}})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(h.LengthScales[1]-prior.Mode()) > 1e-3 {
		t.Errorf("length-scale %g, the mode of the prior is %g", h.LengthScales[1], prior.Mode())
	}
}

func TestMAPKeepsBounds(t *testing.T) {
	in, y := benchData(60, 30, stream(7))
	start := Hyper{Kernel: RBFARD(make([]float64, 30)), OutputScale: 3, NoiseVariance: 0.5}
	for j := range start.LengthScales {
		start.LengthScales[j] = 5
	}
	o := MAPOptions{
		LengthScaleBounds: Interval{3, 8}, NoiseBounds: Interval{Low: 0.01, High: 0.4},
		UnitOutputScale: true, MaxEvals: 80,
	}
	h, report, err := FitMAP(context.Background(), []Hyper{start, start}, in, y, o)
	if err != nil {
		t.Fatal(err)
	}
	const rounding = 1e-12
	if h.OutputScale != 1 || h.NoiseVariance < 0.01-rounding || h.NoiseVariance > 0.4+rounding {
		t.Errorf("output scale %g, noise %g", h.OutputScale, h.NoiseVariance)
	}
	var atBound int
	for _, l := range h.LengthScales {
		if l < 3-rounding || l > 8+rounding {
			t.Errorf("length-scale %g", l)
		}
		if l > 8-rounding {
			atBound++
		}
	}
	if atBound == 0 {
		t.Error("no length-scale met its bound: the case is too easy")
	}
	value, _, _, err := LogMarginal(h, in, y)
	if err != nil || math.Abs(report.Loss+value/60) > 1e-9 {
		t.Errorf("reported loss %g, the result has %g, error %v", report.Loss, -value/60, err)
	}
}

func TestMAPRefusals(t *testing.T) {
	h, in, y := randomCase(5, 4, 2, 1, gp.RBF, stream(1))
	ard := h
	ard.Kernel = RBFARD([]float64{1, 1, 1, 1})
	for _, c := range []struct {
		says   string
		starts []Hyper
		o      MAPOptions
	}{
		{"kernel has B", []Hyper{h}, MAPOptions{}},
		{"at least one start", nil, MAPOptions{}},
		{"NoiseBounds", []Hyper{ard}, MAPOptions{NoiseBounds: Interval{2, 1}}},
		{"LengthScaleBounds", []Hyper{ard}, MAPOptions{LengthScaleBounds: Interval{-1, 1}}},
		{"OutputScaleBounds", []Hyper{ard}, MAPOptions{OutputScaleBounds: Interval{0, math.NaN()}}},
	} {
		if _, _, err := FitMAP(context.Background(), c.starts, in, y, c.o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("want an error about %q, got %v", c.says, err)
		}
	}
	nothing := []float64{1, 2, math.NaN(), 4, 5}
	if _, _, err := FitMAP(context.Background(), []Hyper{ard}, in, nothing, MAPOptions{}); !errors.Is(err, gp.ErrNoFit) {
		t.Errorf("values that are not numbers: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := FitMAP(ctx, []Hyper{ard}, in, y, MAPOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled fit: %v", err)
	}
}

// Noise-free duplicates and one point have a posterior too.
func TestMAPOnDegenerateData(t *testing.T) {
	for _, n := range []int{1, 2, 30} {
		in := NewInputs(20)
		for range n {
			in.Append(linalg.New(1, 20).Data)
		}
		start := Hyper{Kernel: RBFARD(make([]float64, 20)), OutputScale: 1}
		for j := range start.LengthScales {
			start.LengthScales[j] = 4
		}
		h, _, err := FitMAP(context.Background(), []Hyper{start}, in, make([]float64, n), allPriors())
		if err != nil {
			t.Fatal(err)
		}
		if !(h.NoiseVariance > 0) || !(h.LengthScales[0] > 0) || math.IsInf(h.LengthScales[0], 0) {
			t.Errorf("%d points: %+v", n, h)
		}
	}
}
