package acquire

import (
	"math"
	"testing"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/num"
)

func TestAcquisitionDerivatives(t *testing.T) {
	for name, f := range map[string]gp.Moments{"bound": LowerBound(1.5), "improvement": LogImprovement(0.2), "noisy": NoisyImprovement(0.2, 0.3)} {
		for _, p := range [][]float64{{0.5, 0.3}, {-1, 0.01}, {3, 2}} {
			_, dMean, dVariance := f(p[0], p[1])
			value := func(p []float64) float64 { v, _, _ := f(p[0], p[1]); return v }
			t.Run(name, func(t *testing.T) { fdcheck.Check(t, value, []float64{dMean, dVariance}, p, 1e-6) })
		}
	}
}

// The values are those of the definitions.
func TestAcquisitionValues(t *testing.T) {
	const best, mean, std = 0.2, 0.5, 0.7
	if v, _, _ := LowerBound(2)(mean, std*std); math.Abs(v-(mean-2*std)) > 1e-15 {
		t.Errorf("the lower bound is %g", v)
	}
	u := (best - mean) / std
	improvement := std * (math.Exp(-u*u/2)/math.Sqrt(2*math.Pi) + u*num.NormCDF(u))
	if v, _, _ := LogImprovement(best)(mean, std*std); math.Abs(v+math.Log(improvement)) > 1e-12 {
		t.Errorf("minus the log improvement is %g, want %g", v, -math.Log(improvement))
	}
}

// parabola is |x - centre|² times weight, with its gradient.
type parabola struct {
	centre []float64
	weight float64
}

func (p parabola) Evaluate(value []float64, grad, x linalg.Matrix) {
	for i := range x.Rows {
		value[i] = 0
		for j, v := range x.Row(i) {
			d := v - p.centre[j]
			value[i] += p.weight * d * d
			grad.Row(i)[j] = 2 * p.weight * d
		}
	}
}

func TestSum(t *testing.T) {
	f := Sum{parabola{[]float64{1, 0}, 1}, parabola{[]float64{0, -1}, 3}}
	x := linalg.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float64{0.5, 0.25, -1, 1}}
	value, grad := []float64{99, 99}, linalg.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float64{99, 99, 99, 99}}
	f.Evaluate(value, grad, x)
	for i := range x.Rows {
		at := func(p []float64) float64 {
			v := make([]float64, 1)
			f.Evaluate(v, linalg.New(1, 2), linalg.Matrix{Rows: 1, Cols: 2, Stride: 2, Data: p})
			return v[0]
		}
		a, b := x.At(i, 0), x.At(i, 1)
		if want := (a-1)*(a-1) + b*b + 3*(a*a+(b+1)*(b+1)); math.Abs(value[i]-want) > 1e-12 {
			t.Errorf("row %d is %g, want %g", i, value[i], want)
		}
		fdcheck.Check(t, at, grad.Row(i), x.Row(i), 1e-6)
	}
}

// An observation that tells little of its place is worth less than the improvement there.
func TestNoisyImprovement(t *testing.T) {
	known, _, _ := NoisyImprovement(0, 1)(0, 0.01)
	unknown, _, _ := NoisyImprovement(0, 1)(0, 100)
	plainKnown, _, _ := LogImprovement(0)(0, 0.01)
	plainUnknown, _, _ := LogImprovement(0)(0, 100)
	if known-plainKnown < 4 || unknown-plainUnknown > 0.2 {
		t.Errorf("the factor is exp(-%g) where noise hides all, exp(-%g) where it hides nothing", known-plainKnown, unknown-plainUnknown)
	}
	if without, _, _ := NoisyImprovement(0, 0)(0, 0.01); without != plainKnown {
		t.Errorf("without noise it is %g, want %g", without, plainKnown)
	}
}
