package lingp

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
)

// triangularCase is a smooth function of three inputs, and a start.
func triangularCase(t *testing.T, n int) (*triangular, Hyper) {
	t.Helper()
	r := stream(41)
	_, in, y := randomCase(n, 3, 1, 1, gp.RBF, r)
	for i := range y {
		x := in.At(i)
		y[i] = math.Sin(2*(x[0]-x[1])) + 0.3*x[2]
	}
	h := metrics(1, 3, 1e-4, r)[0]
	tri, err := newTriangular(h, in, y)
	if err != nil {
		t.Fatal(err)
	}
	return tri, h
}

func TestTriangularGradient(t *testing.T) {
	tri, h := triangularCase(t, 40)
	theta := tri.parameters(h)
	grad, scratch := make([]float64, len(theta)), make([]float64, len(theta))
	if _, err := tri.logMarginal(grad, theta); err != nil {
		t.Fatal(err)
	}
	fdcheck.Check(t, func(theta []float64) float64 {
		v, err := tri.logMarginal(scratch, theta)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}, grad, theta, 1e-6)
	want, _, _, err := LogMarginal(h, tri.in, tri.y)
	if got, _ := tri.logMarginal(grad, theta); err != nil || math.Abs(got-want) > 1e-9 {
		t.Errorf("log p is %g, LogMarginal has %g, error %v", got, want, err)
	}
}

// The diagonal of the Hessian against extrapolated differences of the gradient.
func TestTriangularCurvature(t *testing.T) {
	tri, h := triangularCase(t, 40)
	got, err := tri.curvature(context.Background(), h)
	if err != nil {
		t.Fatal(err)
	}
	theta := tri.parameters(h)
	grad := make([]float64, len(theta))
	for k, c := range got {
		i := triangularScalars + k
		want, _ := fdcheck.Derivative(func(theta []float64) float64 {
			if _, err := tri.logMarginal(grad, theta); err != nil {
				t.Fatal(err)
			}
			return grad[i]
		}, theta, i, 1e-3)
		near(t, "curvature", c, want, 1e-3*(1+math.Abs(want)))
	}
}

func TestFitTriangular(t *testing.T) {
	tri, _ := triangularCase(t, 60)
	starts := metrics(4, 3, 1e-6, stream(42))
	h, report, err := FitTriangular(context.Background(), starts, tri.in, tri.y, TriangularOptions{Screen: 20, Finalists: 2, Finish: 80})
	if err != nil {
		t.Fatal(err)
	}
	n := float64(tri.in.Len())
	reached, _, _, err := LogMarginal(h, tri.in, tri.y)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "loss", report.Loss, -reached/n, 1e-9)
	for i, s := range starts {
		if at, _, _, err := LogMarginal(s, tri.in, tri.y); err != nil || at >= reached {
			t.Errorf("start %d: log p %g, reached %g, error %v", i, at, reached, err)
		}
	}
	if h.NoiseVariance != 1e-6 {
		t.Errorf("noise variance moved to %g", h.NoiseVariance)
	}
	for a := range 3 {
		for b := range a {
			if h.B.At(a, b) != 0 {
				t.Errorf("U[%d,%d] is %g under the diagonal", a, b, h.B.At(a, b))
			}
		}
	}
	// Along (1,1,0) the function is constant, along (1,-1,0) it is not.
	length := func(v []float64) float64 {
		u := make([]float64, 3)
		h.project(u, v)
		return math.Sqrt(linalg.Dot(u, u))
	}
	if flat, steep := length([]float64{1, 1, 0}), length([]float64{1, -1, 0}); flat > steep/10 {
		t.Errorf("length %g along the flat direction, %g along the steep one", flat, steep)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := FitTriangular(ctx, starts, tri.in, tri.y, TriangularOptions{Screen: 20, Finalists: 2, Finish: 80}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := SampleTriangular(ctx, h, tri.in, tri.y, 2, stream(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Draws have the maximum as their mean and the inverse curvature as their variance.
func TestSampleTriangular(t *testing.T) {
	const count = 4000
	tri, h := triangularCase(t, 40)
	samples, err := SampleTriangular(context.Background(), h, tri.in, tri.y, count, stream(43))
	if err != nil {
		t.Fatal(err)
	}
	curvature, err := tri.curvature(context.Background(), h)
	if err != nil {
		t.Fatal(err)
	}
	if len(samples) != count || &samples[0].B.Data[0] != &h.B.Data[0] {
		t.Fatalf("%d samples, the first is not the maximum", len(samples))
	}
	theta := tri.parameters(h)
	for k, c := range curvature {
		var sum, square float64
		for _, s := range samples[1:] {
			if s.Mean != h.Mean || math.Abs(s.OutputScale-h.OutputScale) > 1e-12 {
				t.Fatal("mean or output scale moved")
			}
			d := tri.parameters(s)[triangularScalars+k] - theta[triangularScalars+k]
			sum += d
			square += d * d
		}
		sd := 1 / math.Sqrt(math.Abs(c)+triangularNugget)
		near(t, "mean of the draws", sum/(count-1), 0, 5*sd/math.Sqrt(count))
		near(t, "deviation of the draws", math.Sqrt(square/(count-1)), sd, 0.06*sd)
	}
}

func TestTriangularRefuses(t *testing.T) {
	h, in, y := randomCase(5, 3, 2, 1, gp.RBF, stream(44))
	o := TriangularOptions{Screen: 10, Finalists: 1, Finish: 10}
	if _, _, err := FitTriangular(context.Background(), []Hyper{h}, in, y, o); err == nil {
		t.Error("a B of 2 x 3 was accepted as a triangle")
	}
	o.Finish = 0
	if _, _, err := FitTriangular(context.Background(), metrics(1, 3, 0.1, stream(45)), in, y, o); err == nil {
		t.Error("no gradients to finish with were accepted")
	}
}
