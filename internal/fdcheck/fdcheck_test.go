package fdcheck

import (
	"math"
	"testing"
)

func smooth(x []float64) float64 {
	return math.Exp(x[0])*math.Sin(3*x[1]) + 1e-3*x[2]*x[2]*x[2] + math.Cos(x[0]*x[2])
}

func smoothGrad(x []float64) []float64 {
	return []float64{
		math.Exp(x[0])*math.Sin(3*x[1]) - x[2]*math.Sin(x[0]*x[2]),
		3 * math.Exp(x[0]) * math.Cos(3*x[1]),
		3e-3*x[2]*x[2] - x[0]*math.Sin(x[0]*x[2]),
	}
}

func TestRightGradientPasses(t *testing.T) {
	for _, x := range [][]float64{{0.3, -0.7, 1.1}, {0, 0, 0}, {-2, 5, 0.01}, {1, 1, -30}} {
		before := append([]float64(nil), x...)
		if worst, i := MaxError(smooth, smoothGrad(x), x); worst > 1e-9 {
			t.Errorf("at %v: relative error %g in coordinate %d", x, worst, i)
		}
		for i := range x {
			if x[i] != before[i] {
				t.Errorf("the point was changed to %v", x)
			}
		}
		Check(t, smooth, smoothGrad(x), x, 1e-9)
	}
}

func TestWrongGradientIsFound(t *testing.T) {
	x := []float64{0.3, -0.7, 1.1}
	for i := range x {
		g := smoothGrad(x)
		g[i] *= 1 + 1e-6
		worst, at := MaxError(smooth, g, x)
		if at != i || math.Abs(worst-1e-6) > 1e-7 {
			t.Errorf("coordinate %d off by 1e-6: reported %g at %d", i, worst, at)
		}
	}
	g := smoothGrad(x)
	g[2] = math.NaN()
	if worst, at := MaxError(smooth, g, x); !math.IsInf(worst, 1) || at != 2 {
		t.Errorf("NaN entry: reported %g at %d", worst, at)
	}
}

func TestErrorEstimateBoundsTheError(t *testing.T) {
	for _, at := range []float64{-3, 0, 0.5, 10} {
		x := []float64{at}
		d, e := Derivative(func(x []float64) float64 { return math.Exp(-x[0] / 3) }, x, 0, 0.02)
		if want := -math.Exp(-at/3) / 3; math.Abs(d-want) > max(10*e, 1e-12*math.Abs(want)) || e > 1e-9 {
			t.Errorf("at %g: %g +- %g, want %g", at, d, e, want)
		}
	}
}
