package lingp

import (
	"math"
	"testing"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/linalg"
)

// tiedCase are points of a plane with values.
func tiedCase(n int, seed uint64) (*Inputs, []float64) {
	r := stream(seed)
	in, y := NewInputs(2), make([]float64, n)
	for i := range y {
		x := []float64{2*r.Float64() - 1, 2*r.Float64() - 1}
		in.Append(x)
		y[i] = math.Sin(3*x[0]) + x[1]*x[1] + 0.3*r.NormFloat64()
	}
	return in, y
}

// The likelihood is that of the general kernel with equal length-scales, also when the
// memory held other points before, and its gradient that of finite differences.
func TestTiedEqualsLogMarginal(t *testing.T) {
	var tied Tied
	for _, n := range []int{90, 1, 17, 160} {
		in, y := tiedCase(n, uint64(n))
		tied.Reset(in)
		theta := []float64{-0.7, 0.4, -1.5}
		eval := func(theta []float64) (float64, [3]float64) {
			value, grad, err := tied.LogMarginal(math.Exp(theta[0]), math.Exp(theta[1]), math.Exp(theta[2]), y)
			if err != nil {
				t.Fatal(err)
			}
			return value, grad
		}
		value, grad := eval(theta)
		l := math.Exp(theta[0])
		h := Hyper{Kernel: Matern52ARD([]float64{l, l}), OutputScale: math.Exp(theta[1]), NoiseVariance: math.Exp(theta[2])}
		want, g, _, err := LogMarginal(h, in, y)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "value", value, want, 1e-11*float64(n))
		near(t, "d log length-scale", grad[0], l*(g.Map[0]+g.Map[1]), 1e-10*float64(n))
		near(t, "d log output scale", grad[1], g.LogOutputScale, 1e-10*float64(n))
		near(t, "d log noise", grad[2], g.LogNoise, 1e-10*float64(n))
		for k := range theta {
			d, _ := fdcheck.Derivative(func(theta []float64) float64 { v, _ := eval(theta); return v }, theta, k, 1e-3)
			near(t, "gradient", grad[k], d, 1e-6*float64(n))
		}
	}
}

// The model of the likelihood predicts what NewModel predicts, whatever was evaluated last.
func TestTiedModel(t *testing.T) {
	in, y := tiedCase(80, 5)
	var tied Tied
	tied.Reset(in)
	const l, s, noise = 0.4, 1.5, 0.1
	for _, last := range []float64{l, 2 * l} {
		if _, _, err := tied.LogMarginal(last, s, noise, y); err != nil {
			t.Fatal(err)
		}
		got, err := tied.Model(l, s, noise, y)
		if err != nil {
			t.Fatal(err)
		}
		want, err := NewModel(got.Hyper(), in, y)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range [][]float64{{0, 0}, {0.3, -0.8}, {30, 0}} {
			a, b := make([]float64, 2), make([]float64, 2)
			c, d := make([]float64, 2), make([]float64, 2)
			mean, variance := got.PredictGrad(a, b, x)
			wantMean, wantVariance := want.PredictGrad(c, d, x)
			near(t, "mean", mean, wantMean, 1e-11)
			near(t, "variance", variance, wantVariance, 1e-11)
			for j := range x {
				near(t, "d mean", a[j], c[j], 1e-10)
				near(t, "d variance", b[j], d[j], 1e-10)
			}
		}
		x := linalg.New(300, 2)
		for i, r := 0, stream(6); i < len(x.Data); i++ {
			x.Data[i] = 2*r.Float64() - 1
		}
		if a, b := got.LowestBound(x, 3), want.LowestBound(x, 3); a != b {
			t.Errorf("rows %d and %d are the lowest", a, b)
		}
	}
}

// Points on top of each other without noise need jitter, which the model reports.
func TestTiedJitter(t *testing.T) {
	in, y := NewInputs(2), []float64{1, 1, 2, 2}
	for i := range y {
		in.Append([]float64{float64(i / 2), 0})
	}
	var tied Tied
	tied.Reset(in)
	m, err := tied.Model(0.5, 1, 0, y)
	if err != nil {
		t.Fatal(err)
	}
	if m.Jitter() <= 0 || m.Jitter() > 1e-9 {
		t.Errorf("jitter %g", m.Jitter())
	}
	mean, _ := m.Predict([]float64{1, 0})
	near(t, "mean at the data", mean, 2, 1e-6)
	value, _, err := tied.LogMarginal(0.5, 1, m.Jitter(), y)
	if err != nil {
		t.Fatal(err)
	}
	if with, _, err := tied.LogMarginal(0.5, 1, 0, y); err != nil || with != value {
		t.Errorf("log p(y) is %g, %v with jitter, want that with as much noise, %g", with, err, value)
	}
	if _, _, err := tied.LogMarginal(0.5, math.NaN(), 0, y); err == nil {
		t.Error("an output scale that is not a number has a likelihood")
	}
}

// LowestBound finds what predicting every row finds, in few and many dimensions, and where
// the bounds spare nothing.
func TestLowestBound(t *testing.T) {
	for _, v := range variants() {
		r := stream(31)
		h, in, y := randomCase(60, v.dim, v.d, v.span, v.profile, r)
		m, err := NewModel(h, in, y)
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range []int{1, 64, 700} {
			x := linalg.New(rows, v.dim)
			for i := range x.Data {
				x.Data[i] = 2*r.Float64() - 1
			}
			mean, variance := make([]float64, rows), make([]float64, rows)
			m.PredictBatch(mean, variance, x)
			for _, beta := range []float64{0, 1, 5} {
				value := func(i int) float64 { return mean[i] - beta*math.Sqrt(variance[i]) }
				best := 0
				for i := range mean {
					if value(i) < value(best) {
						best = i
					}
				}
				if got := m.LowestBound(x, beta); value(got) > value(best)+1e-7 { // the root of a rounded 0
					t.Errorf("%s: row %d of %d has %g, row %d has %g", v.name, got, rows, value(got), best, value(best))
				}
			}
		}
	}
}

// What is kept between evaluations leaves no trace in them, not even after one that failed.
func TestTiedForgets(t *testing.T) {
	in, y := tiedCase(40, 7)
	var kept Tied
	kept.Reset(in)
	for _, l := range []float64{1, 0.01, 30, math.NaN(), 0.3, 1} {
		var fresh Tied
		fresh.Reset(in)
		value, grad, err := kept.LogMarginal(l, 2, 1e-4, y)
		want, wantGrad, wantErr := fresh.LogMarginal(l, 2, 1e-4, y)
		if (err == nil) != (wantErr == nil) || (err == nil) == math.IsNaN(l) {
			t.Fatalf("length-scale %g: error %v, want %v", l, err, wantErr)
		}
		if value != want || grad != wantGrad {
			t.Errorf("length-scale %g: %g with %v, want %g with %v", l, value, grad, want, wantGrad)
		}
	}
}
