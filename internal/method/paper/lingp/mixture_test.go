package lingp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
)

// metrics returns count processes over dim inputs that share all but B.
func metrics(count, dim int, noise float64, r *rand.Rand) []Hyper {
	hypers := make([]Hyper, count)
	for s := range hypers {
		B := linalg.New(dim, dim)
		for a := range dim {
			for b := a; b < dim; b++ {
				B.Set(a, b, r.NormFloat64())
			}
		}
		hypers[s] = Hyper{Kernel: Mahalanobis(B), OutputScale: 0.8, NoiseVariance: noise, Mean: 0.2}
	}
	return hypers
}

func mixtureOf(t *testing.T, hypers []Hyper, in *Inputs, y []float64) *Mixture {
	t.Helper()
	mix, err := NewMixture(hypers, in, y)
	if err != nil {
		t.Fatal(err)
	}
	return mix
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

// points draws count points around the box.
func points(count, dim int, r *rand.Rand) linalg.Matrix {
	x := linalg.New(count, dim)
	for i := range x.Data {
		x.Data[i] = 2.4*r.Float64() - 1.2
	}
	return x
}

// With the moments of the members,
// mean = avg m, variance = avg v + avg m² - mean².
func TestMixtureMatchesMoments(t *testing.T) {
	for _, count := range []int{1, 2, 5} {
		r := stream(31)
		_, in, y := randomCase(70, 3, 1, 1, gp.RBF, r)
		hypers := metrics(count, 3, 1e-3, r)
		mix := mixtureOf(t, hypers, in, y)
		x := points(20, 3, r)
		for i := range x.Rows {
			var m1, m2, v1 float64
			for _, h := range hypers {
				model, err := NewModel(h, in, y)
				if err != nil {
					t.Fatal(err)
				}
				m, v := model.Predict(x.Row(i))
				m1, m2, v1 = m1+m/float64(count), m2+m*m/float64(count), v1+v/float64(count)
			}
			mean, variance := mix.Predict(x.Row(i))
			near(t, fmt.Sprintf("mean of %d", count), mean, m1, 1e-9)
			near(t, fmt.Sprintf("variance of %d", count), variance, v1+m2-m1*m1, 1e-9)
		}
	}
}

func TestMixtureOfEqualsIsOne(t *testing.T) {
	r := stream(32)
	_, in, y := randomCase(40, 4, 1, 1, gp.RBF, r)
	h := metrics(1, 4, 1e-7, r)[0]
	one, many := mixtureOf(t, []Hyper{h}, in, y), mixtureOf(t, []Hyper{h, h, h, h}, in, y)
	x := points(10, 4, r)
	for i := range x.Rows {
		m1, v1 := one.Predict(x.Row(i))
		m4, v4 := many.Predict(x.Row(i))
		near(t, "mean", m4, m1, 1e-12*(1+math.Abs(m1)))
		near(t, "variance", v4, v1, 1e-12)
	}
}

func TestMixtureGradients(t *testing.T) {
	for _, dim := range []int{1, 2, 6} {
		r := stream(33)
		_, in, y := randomCase(50, dim, 1, 1, gp.RBF, r)
		mix := mixtureOf(t, metrics(4, dim, 1e-3, r), in, y)
		x := points(5, dim, r)
		dMean, dVar := make([]float64, dim), make([]float64, dim)
		for i := range x.Rows {
			m, v := mix.PredictGrad(dMean, dVar, x.Row(i))
			mean, variance := mix.Predict(x.Row(i))
			near(t, "mean", m, mean, 1e-12*(1+math.Abs(mean)))
			near(t, "variance", v, variance, 1e-12)
			fdcheck.Check(t, func(x []float64) float64 { a, _ := mix.Predict(x); return a }, dMean, x.Row(i), 1e-6)
			fdcheck.Check(t, func(x []float64) float64 { _, b := mix.Predict(x); return b }, dVar, x.Row(i), 1e-6)
		}
	}
}

// Together or alone, the bytes are the same.
func TestMixturePredictsGradientsTogether(t *testing.T) {
	r := stream(39)
	_, in, y := randomCase(61, 3, 1, 1, gp.RBF, r)
	mix := mixtureOf(t, metrics(4, 3, 1e-5, r), in, y)
	x := points(7, 3, r)
	dMean, dVar := linalg.New(7, 3), linalg.New(7, 3)
	mean, variance := make([]float64, 7), make([]float64, 7)
	mix.PredictGrads(dMean, dVar, mean, variance, x)
	dm, dv := make([]float64, 3), make([]float64, 3)
	for j := range x.Rows {
		m, v := mix.PredictGrad(dm, dv, x.Row(j))
		if m != mean[j] || v != variance[j] || !slices.Equal(dm, dMean.Row(j)) || !slices.Equal(dv, dVar.Row(j)) {
			t.Errorf("point %d: %v %v %v %v, alone %v %v %v %v", j, mean[j], variance[j], dMean.Row(j), dVar.Row(j), m, v, dm, dv)
		}
	}
}

// The sizes lie on both sides of those of the blocks.
func TestMixtureBatch(t *testing.T) {
	for _, n := range []int{1, mixtureRows, mixtureRows + 1, 110} {
		r := stream(34)
		_, in, y := randomCase(n, 3, 1, 1, gp.RBF, r)
		mix := mixtureOf(t, metrics(3, 3, 1e-4, r), in, y)
		x := points(mixturePoints+9, 3, r)
		mean, variance := make([]float64, x.Rows), make([]float64, x.Rows)
		mix.PredictBatch(mean, variance, x)
		for i := range x.Rows {
			m, v := mix.Predict(x.Row(i))
			near(t, fmt.Sprintf("n=%d: mean %d", n, i), mean[i], m, 1e-9)
			near(t, fmt.Sprintf("n=%d: variance %d", n, i), variance[i], v, 1e-9)
		}
	}
}

// Points appended one by one, past the capacity, give the model of all of them;
// forgetting them gives back the bytes of before.
func TestMixtureAppendAndTruncate(t *testing.T) {
	r := stream(35)
	_, in, y := randomCase(80, 3, 1, 1, gp.RBF, r)
	first := NewInputs(3)
	for i := range 30 {
		first.Append(in.At(i))
	}
	hypers := metrics(3, 3, 1e-4, r)
	mix, all := mixtureOf(t, hypers, first, y[:30]), mixtureOf(t, hypers, in, y)
	x := points(10, 3, r)
	predict := func() (out []float64) {
		for i := range x.Rows {
			m, v := mix.Predict(x.Row(i))
			out = append(out, m, v)
		}
		return out
	}
	before := predict()
	for i := 30; i < in.Len(); i++ {
		mix.Append(in.At(i))
	}
	mix.SetValues(y)
	if mix.Len() != in.Len() {
		t.Fatalf("%d points, want %d", mix.Len(), in.Len())
	}
	for i, got := range predict() {
		m, v := all.Predict(x.Row(i / 2))
		near(t, "appended", got, []float64{m, v}[i%2], 1e-8)
	}
	mix.Truncate(30)
	mix.SetValues(y[:30])
	if after := predict(); !slices.Equal(after, before) {
		t.Errorf("after Truncate: %v, want %v", after, before)
	}
}

// A point told again and again makes K singular but for the noise.
func TestMixtureTakesDuplicates(t *testing.T) {
	r := stream(36)
	_, in, y := randomCase(20, 2, 1, 1, gp.RBF, r)
	for i := range y {
		y[i] = math.Sin(in.At(i)[0] + in.At(i)[1])
	}
	mix := mixtureOf(t, metrics(3, 2, 1e-7, r), in, y)
	for range 30 {
		mix.Append(in.At(0))
		y = append(y, y[0])
		mix.SetValues(y)
		mean, variance := mix.Predict(in.At(0))
		near(t, "mean", mean, y[0], 5e-4)
		if !(variance >= 0 && variance < 1e-6) {
			t.Fatalf("variance %g at a point told often", variance)
		}
	}
}

func TestMixtureRefuses(t *testing.T) {
	h, in, y := randomCase(5, 2, 2, 1, gp.RBF, stream(37))
	for name, hypers := range map[string][]Hyper{"no members": nil, "length-scales": {h}, "another dimension": metrics(1, 3, 0.1, stream(1))} {
		if _, err := NewMixture(hypers, in, y); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := NewMixture(metrics(1, 2, 0.1, stream(1)), NewInputs(2), nil); err == nil {
		t.Error("no data: accepted")
	}
}

func BenchmarkMixture(b *testing.B) {
	for _, d := range []int{4, 12} {
		r := stream(38)
		_, in, y := randomCase(510, d, 1, 1, gp.RBF, r)
		mix, err := NewMixture(metrics(25, d, 1e-7, r), in, y)
		if err != nil {
			b.Fatal(err)
		}
		x := points(1000, d, r)
		mean, variance := make([]float64, 1000), make([]float64, 1000)
		b.Run(fmt.Sprintf("grad/d=%d", d), func(b *testing.B) {
			for b.Loop() {
				mix.PredictGrad(mean[:d], variance[:d], x.Row(0))
			}
		})
		dMean, dVar := linalg.New(10, d), linalg.New(10, d)
		b.Run(fmt.Sprintf("grads/d=%d", d), func(b *testing.B) {
			for b.Loop() {
				mix.PredictGrads(dMean, dVar, mean[:10], variance[:10], x.Slice(0, 10, 0, d))
			}
		})
		b.Run(fmt.Sprintf("batch/d=%d", d), func(b *testing.B) {
			for b.Loop() {
				mix.PredictBatch(mean, variance, x)
			}
		})
		b.Run(fmt.Sprintf("append/d=%d", d), func(b *testing.B) {
			for b.Loop() {
				mix.Truncate(509)
				mix.Append(in.At(509))
				mix.SetValues(y)
			}
		})
	}
}
