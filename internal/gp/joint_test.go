package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/linalg"
)

// Several processes at once are what they are one by one, believed points included.
func TestJoint(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const n, dim, m = 30, 4, 3
	for _, metric := range []Metric{Isotropic{Theta: 2}, Weighted{Of: []int{0, 1, 2, 3}, Weights: []float64{0.5, 1, 0, 2}}} {
		points := NewPoints(dim)
		y := make([][]float64, m)
		for range n {
			x := make([]float64, dim)
			for j := range x {
				x[j] = 2*r.Float64() - 1
			}
			points.Append(x)
			y[0], y[1], y[2] = append(y[0], x[0]+x[1]*x[3]), append(y[1], 10*math.Sin(x[2])), append(y[2], 5+r.NormFloat64())
		}
		h := Hyper{Profile: Matern52, Metric: metric, Noise: 1e-3}
		joint, err := ConditionJoint(h, points.Subset(numbers(n)), y, nil, 2)
		if err != nil {
			t.Fatal(err)
		}
		at, believed := linalg.New(2, dim), []float64{0.3, -0.2, 0.1, 0.9}
		for i := range at.Data {
			at.Data[i] = 2*r.Float64() - 1
		}
		joint.Believe(believed)
		mean, variance := linalg.New(2, m), linalg.New(2, m)
		joint.MomentsAt(mean, variance, at)
		for k := range m {
			one, err := Condition(h, Data{Points: points.Subset(numbers(n)), Y: y[k]}, 2)
			if err != nil {
				t.Fatal(err)
			}
			one.Believe(believed)
			for i := range 2 {
				mu, v := one.Predict(at.Row(i))
				if math.Abs(mu-mean.At(i, k)) > 1e-8 || math.Abs(v-variance.At(i, k)) > 1e-8*(1+v) {
					t.Errorf("process %d: %g ± %g, by itself %g ± %g", k, mean.At(i, k), variance.At(i, k), mu, v)
				}
			}
		}
		// A function of all moments: sum of mean_k² + k log variance.
		value := func(x []float64) float64 {
			mean, variance := linalg.New(1, m), linalg.New(1, m)
			joint.MomentsAt(mean, variance, linalg.Matrix{Rows: 1, Cols: dim, Stride: dim, Data: x})
			sum := 0.0
			for k := range m {
				sum += mean.At(0, k)*mean.At(0, k) + float64(k)*math.Log(variance.At(0, k))
			}
			return sum
		}
		joint.MomentsAt(mean, variance, at)
		dMean, dVariance, grad := linalg.New(2, m), linalg.New(2, m), linalg.New(2, dim)
		for i := range 2 {
			for k := range m {
				dMean.Set(i, k, 2*mean.At(i, k))
				dVariance.Set(i, k, float64(k)/variance.At(i, k))
			}
		}
		joint.Pull(grad, dMean, dVariance)
		for i := range 2 {
			fdcheck.Check(t, value, grad.Row(i), at.Row(i), 1e-5)
		}
	}
}

// A process with main effects learns a sum of functions of one coordinate from few points, its gradients are right, and
// a point that is believed takes the variance there. So it is where a coordinate leads, for such a sum times a function of it.
func TestMainEffects(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const n, dim = 60, 8
	f := func(x []float64) (sum float64) {
		for j, v := range x {
			sum += math.Sin(3*v + float64(j))
		}
		return sum
	}
	point := func() []float64 {
		x := make([]float64, dim)
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		return x
	}
	product := func(x []float64) float64 { return math.Sin(4*x[2]) * (4 + f(x)) }
	points, y := NewPoints(dim), make([][]float64, 2)
	for range n {
		x := point()
		points.Append(x)
		y[0], y[1] = append(y[0], f(x)), append(y[1], product(x))
	}
	plain := Hyper{Profile: RBF, Metric: Isotropic{Theta: 8}, Noise: 1e-6}
	sum := plain
	sum.Main = NewMain(3, points).With(0.95)
	led, alone := plain, plain
	led.Main = NewMain(3, points).With(0.95).Led(2, 8)
	alone.Main = Main{}.Led(2, 8)
	var wrong [4][2]float64
	for i, h := range []Hyper{plain, sum, led, alone} {
		joint, err := ConditionJoint(h, points.Subset(numbers(n)), y, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		mean, variance, at := linalg.New(1, 2), linalg.New(1, 2), linalg.New(1, dim)
		for range 20 {
			copy(at.Data, point())
			joint.MomentsAt(mean, linalg.Matrix{}, at)
			wrong[i][0] += math.Abs(mean.At(0, 0) - f(at.Data))
			wrong[i][1] += math.Abs(mean.At(0, 1) - product(at.Data))
		}
		joint.MomentsAt(mean, variance, at)
		dMean, dVariance, grad := linalg.New(1, 2), linalg.New(1, 2), linalg.New(1, dim)
		dMean.Data[0], dMean.Data[1], dVariance.Data[0] = 1, 2, 3
		joint.Pull(grad, dMean, dVariance)
		value := func(x []float64) float64 {
			mean, variance := linalg.New(1, 2), linalg.New(1, 2)
			joint.MomentsAt(mean, variance, linalg.Matrix{Rows: 1, Cols: dim, Stride: dim, Data: x})
			return mean.At(0, 0) + 2*mean.At(0, 1) + 3*variance.At(0, 0)
		}
		fdcheck.Check(t, value, grad.Row(0), at.Row(0), 1e-5)
		before := variance.At(0, 0)
		joint.Believe(at.Row(0))
		joint.MomentsAt(mean, variance, at)
		if v := variance.At(0, 0); v > 1e-3*before {
			t.Errorf("the variance of a point that is believed is %g, before it was %g", v, before)
		}
	}
	if wrong[1][0] > wrong[0][0]/5 {
		t.Errorf("with main effects it is wrong by %g, without by %g", wrong[1][0]/20, wrong[0][0]/20)
	}
	if wrong[2][1] > 0.7*wrong[1][1] {
		t.Errorf("where a coordinate leads it is wrong by %g, without by %g", wrong[2][1]/20, wrong[1][1]/20)
	}
}

// Noise that is given is relative to the scale of each process.
func TestJointGivenNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const n = 25
	points, y, given := NewPoints(1), make([][]float64, 2), make([]float64, n)
	for i := range n {
		x := 2*r.Float64() - 1
		points.Append([]float64{x})
		y[0], y[1] = append(y[0], math.Sin(3*x)), append(y[1], 100*math.Cos(2*x))
		given[i] = r.Float64()
	}
	h := Hyper{Profile: RBF, Metric: Isotropic{Theta: 1}, Noise: 1e-4}
	joint, err := ConditionJoint(h, points.Subset(numbers(n)), y, given, 0)
	if err != nil {
		t.Fatal(err)
	}
	mean, variance, at := linalg.New(1, 2), linalg.New(1, 2), linalg.New(1, 1)
	at.Data[0] = 0.3
	joint.MomentsAt(mean, variance, at)
	for k := range 2 {
		own := h
		own.Scale = joint.scales[k]
		absolute := make([]float64, n)
		for i, v := range given {
			absolute[i] = v * own.Scale
		}
		one, err := Condition(own, Data{Points: points.Subset(numbers(n)), Y: y[k], Given: absolute}, 0)
		if err != nil {
			t.Fatal(err)
		}
		mu, v := one.Predict(at.Row(0))
		if math.Abs(mu-mean.At(0, k)) > 1e-8*(1+math.Abs(mu)) || math.Abs(v-variance.At(0, k)) > 1e-8*(1+v) {
			t.Errorf("process %d: %g ± %g, by itself %g ± %g", k, mean.At(0, k), variance.At(0, k), mu, v)
		}
	}
}

func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
