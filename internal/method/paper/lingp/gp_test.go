package lingp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
)

func stream(a uint64) *rand.Rand { return rand.New(rand.NewPCG(a, 99)) }

// randomCase returns n points in dim dimensions with values, and hyperparameters
// whose z spreads over about span length-scales.
func randomCase(n, dim, d int, span float64, profile gp.Profile, r *rand.Rand) (Hyper, *Inputs, []float64) {
	in, y := NewInputs(dim), make([]float64, n)
	x := make([]float64, dim)
	for i := range n {
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		in.Append(x)
		y[i] = r.NormFloat64()
	}
	h := Hyper{OutputScale: 0.5 + r.Float64(), NoiseVariance: 0.02 + 0.1*r.Float64(), Mean: 0.3 * r.NormFloat64()}
	if profile == gp.RBF && d < dim {
		B := linalg.New(d, dim)
		for j := range B.Data {
			B.Data[j] = span * r.NormFloat64() / math.Sqrt(float64(dim))
		}
		h.Kernel = Mahalanobis(B)
		return h, in, y
	}
	scales := make([]float64, dim)
	for j := range scales {
		scales[j] = math.Sqrt(float64(dim)) / span * (0.5 + r.Float64())
	}
	h.Kernel = Kernel{Profile: profile, LengthScales: scales}
	return h, in, y
}

type variant struct {
	name    string
	d       int
	span    float64
	profile gp.Profile
	dim     int
}

func variants() []variant {
	return []variant{
		{"mahalanobis d=1", 1, 2, gp.RBF, 7}, {"mahalanobis d=1 banded", 1, 60, gp.RBF, 7},
		{"mahalanobis d=3", 3, 2, gp.RBF, 7}, {"mahalanobis d=3 banded", 3, 40, gp.RBF, 7},
		{"RBF-ARD", 7, 2, gp.RBF, 7}, {"RBF-ARD, many inputs", 20, 2, gp.RBF, 20},
		{"Matern-ARD", 7, 2, gp.Matern52, 7}, {"Matern-ARD, many inputs", 20, 2, gp.Matern52, 20},
	}
}

// checkGradient compares with finite differences of step h, relative to the
// largest derivative.
func checkGradient(t *testing.T, what string, f func([]float64) float64, grad, x []float64, h float64) {
	t.Helper()
	want, scale := make([]float64, len(x)), 1e-6
	for i := range x {
		want[i], _ = fdcheck.Derivative(f, x, i, h)
		scale = max(scale, math.Abs(want[i]))
	}
	for i, w := range want {
		if !(math.Abs(grad[i]-w) <= 1e-7*scale) {
			t.Errorf("%s: derivative %d is %.12g, finite differences give %.12g", what, i, grad[i], w)
		}
	}
}

func TestLikelihoodGradients(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			h, in, y := randomCase(60, v.dim, v.d, v.span, v.profile, stream(1))
			sh, theta := h.shape(), toRaw(h)
			logs := theta[rawScalars:]
			// Parameters in the units LogMarginal reports: map, log scale, log noise, mean.
			point := append([]float64{h.Mean, math.Log(h.OutputScale), math.Log(h.NoiseVariance)}, logs...)
			if sh.ard {
				copy(point[rawScalars:], h.LengthScales)
			}
			at := func(p []float64) Hyper {
				g := Hyper{Kernel: Kernel{Profile: v.profile}, Mean: p[0], OutputScale: math.Exp(p[1]), NoiseVariance: math.Exp(p[2])}
				if sh.ard {
					g.LengthScales = p[rawScalars:]
				} else {
					g.B = linalg.Matrix{Rows: sh.low, Cols: sh.high, Stride: sh.high, Data: p[rawScalars:]}
				}
				return g
			}
			value := func(p []float64) float64 {
				l, _, _, err := LogMarginal(at(p), in, y)
				if err != nil {
					t.Fatal(err)
				}
				return l
			}
			_, g, _, err := LogMarginal(h, in, y)
			if err != nil {
				t.Fatal(err)
			}
			grad := append([]float64{g.Mean, g.LogOutputScale, g.LogNoise}, g.Map...)
			checkGradient(t, "log marginal", value, grad, point, 0.02/v.span)
		})
	}
}

func TestPosteriorGradients(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			r := stream(2)
			h, in, y := randomCase(60, v.dim, v.d, v.span, v.profile, r)
			m, err := NewModel(h, in, y)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 5 {
				x := append([]float64(nil), in.At(i)...)
				for j := range x {
					x[j] += (2*r.Float64() - 1) / v.span // within reach of the data
				}
				dMean, dVar := make([]float64, v.dim), make([]float64, v.dim)
				m.PredictGrad(dMean, dVar, x)
				checkGradient(t, "mean", func(x []float64) float64 { a, _ := m.Predict(x); return a }, dMean, x, 0.02/v.span)
				checkGradient(t, "variance", func(x []float64) float64 { _, b := m.Predict(x); return b }, dVar, x, 0.02/v.span)
			}
		})
	}
}

// The posterior of the Mahalanobis kernel in x is that of the plain RBF kernel in
// z = Bx (eq:posterior_mean_cov_maha).
func TestPosteriorInXIsPosteriorInZ(t *testing.T) {
	for _, span := range []float64{1, 30} {
		r := stream(3)
		const dim, d = 12, 3
		h, in, y := randomCase(80, dim, d, span, gp.RBF, r)
		inX, err := NewModel(h, in, y)
		if err != nil {
			t.Fatal(err)
		}
		low := NewInputs(d)
		z := make([]float64, d)
		for i := range in.Len() {
			h.project(z, in.At(i))
			low.Append(z)
		}
		hz := h
		hz.Kernel = RBFARD([]float64{1, 1, 1})
		inZ, err := NewModel(hz, low, y)
		if err != nil {
			t.Fatal(err)
		}
		x, other := make([]float64, dim), make([]float64, dim)
		zo := make([]float64, d)
		for range 50 {
			for j := range x {
				x[j], other[j] = 2*r.Float64()-1, 2*r.Float64()-1
			}
			h.project(z, x)
			h.project(zo, other)
			mx, vx := inX.Predict(x)
			mz, vz := inZ.Predict(z)
			cx, cz := inX.Cov(x, other), inZ.Cov(z, zo)
			if math.Abs(mx-mz) > 1e-10 || math.Abs(vx-vz) > 1e-10 || math.Abs(cx-cz) > 1e-10 {
				t.Fatalf("span %g: mean %g and %g, variance %g and %g, covariance %g and %g", span, mx, mz, vx, vz, cx, cz)
			}
		}
	}
}

// Conditioning on points equals refitting with them in the data: values do not
// enter a covariance.
func TestConditionEqualsAddingThePoint(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			r := stream(4)
			h, in, y := randomCase(50, v.dim, v.d, v.span, v.profile, r)
			m, err := NewModel(h, in, y)
			if err != nil {
				t.Fatal(err)
			}
			var joint Joint = m
			more := in.Clone()
			my := append([]float64(nil), y...)
			draw := func() []float64 {
				x := make([]float64, v.dim)
				for j := range x {
					x[j] = 2*r.Float64() - 1
				}
				return x
			}
			for range 4 {
				x := draw()
				mean, _ := m.Predict(x)
				if joint, err = joint.Condition(x); err != nil {
					t.Fatal(err)
				}
				more.Append(x)
				my = append(my, mean)
			}
			full, err := NewModel(h, more, my)
			if err != nil {
				t.Fatal(err)
			}
			batch := linalg.New(20, v.dim)
			means, variances := make([]float64, 20), make([]float64, 20)
			for i := range batch.Rows {
				copy(batch.Row(i), draw())
			}
			joint.(Batch).PredictBatch(means, variances, batch)
			for i := range batch.Rows {
				x, other := batch.Row(i), batch.Row((i+1)%20)
				gm, gv := joint.Predict(x)
				wm, wv := full.Predict(x)
				if math.Abs(gm-wm) > 1e-9 || math.Abs(gv-wv) > 1e-9 || math.Abs(joint.Cov(x, other)-full.Cov(x, other)) > 1e-9 {
					t.Fatalf("mean %g, want %g; variance %g, want %g; covariance %g, want %g", gm, wm, gv, wv, joint.Cov(x, other), full.Cov(x, other))
				}
				if math.Abs(means[i]-wm) > 1e-9 || math.Abs(variances[i]-wv) > 1e-9 {
					t.Fatalf("batch: mean %g, want %g; variance %g, want %g", means[i], wm, variances[i], wv)
				}
			}
		})
	}
}

func TestConditionOnACertainPoint(t *testing.T) {
	in := NewInputs(1)
	in.Append([]float64{0.25})
	h := Hyper{Kernel: RBFARD([]float64{1}), OutputScale: 1}
	m, err := NewModel(h, in, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Condition([]float64{0.25}); !errors.Is(err, ErrCertain) {
		t.Fatalf("got %v, want ErrCertain", err)
	}
}

// The closed form of Adam's first step is the exact likelihood to first order.
func TestFlatEvaluationIsTheLimit(t *testing.T) {
	h, in, y := randomCase(40, 50, 2, 1e-3, gp.RBF, stream(5))
	z, exact, limit := linalg.New(2, 40), linalg.New(2, 40), linalg.New(2, 40)
	projectAll(z, h.Kernel, in)
	if !isFlat(z, gp.RBF) {
		t.Fatal("the case is not flat")
	}
	want, err := newWorkspace(40).evaluate(exact, z, y, h)
	if err != nil {
		t.Fatal(err)
	}
	got := evaluateFlat(limit, z, y, h)
	for _, p := range [][2]float64{{got.value, want.value}, {got.dLogScale, want.dLogScale}, {got.dNoise, want.dNoise}, {got.dMean, want.dMean}} {
		if math.Abs(p[0]-p[1]) > 1e-3*max(40, math.Abs(p[1])) {
			t.Errorf("got %g, want %g", p[0], p[1])
		}
	}
	scale := 0.0
	for _, v := range exact.Data {
		scale = max(scale, math.Abs(v))
	}
	for i, v := range exact.Data {
		if math.Abs(limit.Data[i]-v) > 1e-3*scale {
			t.Errorf("gradient %d: %g, want %g", i, limit.Data[i], v)
		}
	}
}

// The number of threads changes no byte of a fit or of predictions: sparse kernels, low
// ranks (more points than dimensions) and three directions.
func TestThreads(t *testing.T) {
	for _, c := range []struct{ n, dim, d int }{{70, 300, 1}, {120, 20, 2}, {60, 30, 3}} {
		r := stream(26)
		in, y := benchData(c.n, c.dim, r)
		starts := coldStarts(5, c.d, c.dim, r)
		z := linalg.New(1000, c.d)
		for i := range z.Data {
			z.Data[i] = r.NormFloat64()
		}
		var hypers []Hyper
		var moments [][]float64
		for _, threads := range []int{1, 2, 7} {
			h, _, err := FitAdam(context.Background(), starts, in, y, AdamOptions{Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			m, err := NewModel(h, in, y)
			if err != nil {
				t.Fatal(err)
			}
			mean, variance := make([]float64, z.Rows), make([]float64, z.Rows)
			m.PredictProjected(threads, mean, variance, z)
			hypers, moments = append(hypers, h), append(moments, append(mean, variance...))
		}
		for i := range hypers[1:] {
			if !reflect.DeepEqual(hypers[0], hypers[i+1]) || !slices.Equal(moments[0], moments[i+1]) {
				t.Errorf("%v: the result depends on the number of threads", c)
			}
		}
	}
}

// Starts do not influence each other: running them together gives, up to rounding
// in the shared products, what running them alone gives.
func TestLockstepEqualsSeparateRuns(t *testing.T) {
	r := stream(6)
	in, y := benchData(70, mapBlock+44, r)
	starts := coldStarts(5, 2, mapBlock+44, r)
	h, report, err := FitAdam(context.Background(), starts, in, y, AdamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	best := math.Inf(1)
	for i, s := range starts {
		alone, rep, err := FitAdam(context.Background(), []Hyper{s}, in, y, AdamOptions{})
		if err != nil {
			t.Fatal(err)
		}
		best = min(best, rep.Loss)
		if i != report.Start {
			continue
		}
		if math.Abs(rep.Loss-report.Loss) > 1e-6 || math.Abs(alone.NoiseVariance-h.NoiseVariance) > 1e-6 {
			t.Errorf("start %d: alone %v, together %v", i, rep, report)
		}
		for j := range h.B.Data {
			if math.Abs(h.B.Data[j]-alone.B.Data[j]) > 1e-3 { // one of some twenty steps is 0.1
				t.Fatalf("B differs at %d: %g, %g", j, h.B.Data[j], alone.B.Data[j])
			}
		}
	}
	if math.Abs(best-report.Loss) > 1e-6 {
		t.Errorf("winner's loss %g, the lowest is %g", report.Loss, best)
	}
}

func TestFitsLowerTheLoss(t *testing.T) {
	r := stream(7)
	in, y := benchData(60, 30, r)
	start := coldStarts(1, 1, 30, r)
	value, _, _, err := LogMarginal(start[0], in, y)
	if err != nil {
		t.Fatal(err)
	}
	before := -value / 60
	ard := Hyper{Kernel: RBFARD(make([]float64, 30)), OutputScale: 0.7, NoiseVariance: 0.7}
	for j := range ard.LengthScales {
		ard.LengthScales[j] = 5
	}
	matern := ard
	matern.Profile = gp.Matern52
	for name, s := range map[string]Hyper{"mahalanobis": start[0], "rbf": ard, "matern": matern} {
		for fit, run := range map[string]func() (Hyper, Report, error){
			"adam":  func() (Hyper, Report, error) { return FitAdam(context.Background(), []Hyper{s}, in, y, AdamOptions{}) },
			"lbfgs": func() (Hyper, Report, error) { return FitLBFGS(context.Background(), []Hyper{s}, in, y, 50) },
		} {
			h, report, err := run()
			if err != nil {
				t.Fatal(err)
			}
			after, _, _, err := LogMarginal(h, in, y)
			if err != nil {
				t.Fatal(err)
			}
			if report.Loss > before-0.3 || -after/60 > before-0.3 {
				t.Errorf("%s by %s: loss %.3f at the start, %.3f best, %.3f at the end", name, fit, before, report.Loss, -after/60)
			}
			if h.NoiseVariance < MinNoise || report.Evals == 0 {
				t.Errorf("%s by %s: noise %g after %d evaluations", name, fit, h.NoiseVariance, report.Evals)
			}
		}
	}
}

// More starts never end higher, and the report names the one that won.
func TestLBFGSKeepsTheBestStart(t *testing.T) {
	in, y := benchData(60, 30, stream(13))
	starts := coldStarts(4, 2, 30, stream(14))
	_, all, err := FitLBFGS(context.Background(), starts, in, y, 30)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range starts {
		_, one, err := FitLBFGS(context.Background(), []Hyper{s}, in, y, 30)
		if err != nil {
			t.Fatal(err)
		}
		if one.Loss < all.Loss || i == all.Start && one.Loss != all.Loss {
			t.Errorf("start %d alone reaches %g, all together %g from start %d", i, one.Loss, all.Loss, all.Start)
		}
	}
}

func TestFitStopsWhenCancelled(t *testing.T) {
	in, y := benchData(30, 10, stream(8))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := FitAdam(ctx, coldStarts(2, 1, 10, stream(9)), in, y, AdamOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Data that break other tools: one point, duplicates, constant values.
func TestDegenerateData(t *testing.T) {
	r := stream(10)
	x := make([]float64, 25)
	for j := range x {
		x[j] = 2*r.Float64() - 1
	}
	for name, n := range map[string]int{"one point": 1, "two duplicates": 2, "forty duplicates": 40} {
		in := NewInputs(25)
		for range n {
			in.Append(x)
		}
		h, _, err := FitAdam(context.Background(), coldStarts(3, 2, 25, r), in, make([]float64, n), AdamOptions{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m, err := NewModel(h, in, make([]float64, n))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if mean, variance := m.Predict(x); math.IsNaN(mean) || !(variance >= 0) {
			t.Errorf("%s: mean %g, variance %g", name, mean, variance)
		}
	}
}

func TestNoiseFreeDuplicatesClimbTheLadder(t *testing.T) {
	in := NewInputs(2)
	for range 3 {
		in.Append([]float64{0.5, -0.5})
	}
	m, err := NewModel(Hyper{Kernel: RBFARD([]float64{1, 1}), OutputScale: 1}, in, []float64{1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if m.Jitter() == 0 {
		t.Error("a singular matrix was factored without jitter")
	}
	if mean, _ := m.Predict([]float64{0.5, -0.5}); math.Abs(mean-1) > 1e-3 {
		t.Errorf("mean %g at the data, want 1", mean)
	}
}

func TestBadHyperparametersAreRefused(t *testing.T) {
	in := NewInputs(2)
	in.Append([]float64{0, 0})
	good := Hyper{Kernel: RBFARD([]float64{1, 1}), OutputScale: 1, NoiseVariance: 0.1}
	for name, change := range map[string]func(*Hyper){
		"inputs":       func(h *Hyper) { h.LengthScales = []float64{1} },
		"output scale": func(h *Hyper) { h.OutputScale = math.NaN() },
		"noise":        func(h *Hyper) { h.NoiseVariance = -1 },
		"mean":         func(h *Hyper) { h.Mean = math.Inf(1) },
	} {
		h := good
		change(&h)
		if _, err := NewModel(h, in, []float64{0}); err == nil {
			t.Errorf("bad %s was accepted", name)
		}
	}
}

func TestNoDataIsThePrior(t *testing.T) {
	m, err := NewModel(Hyper{Kernel: RBFARD([]float64{1, 1}), OutputScale: 2, Mean: 3}, NewInputs(2), nil)
	if err != nil {
		t.Fatal(err)
	}
	if mean, variance := m.Predict([]float64{0, 1}); mean != 3 || variance != 2 {
		t.Errorf("mean %g, variance %g", mean, variance)
	}
	mean, variance := make([]float64, 1), make([]float64, 1)
	m.PredictBatch(mean, variance, linalg.New(1, 2))
	if mean[0] != 3 || variance[0] != 2 {
		t.Errorf("batch: mean %g, variance %g", mean[0], variance[0])
	}
}

// Out of reach of all data a banded model returns the prior.
func TestFarAwayIsThePrior(t *testing.T) {
	h, in, y := randomCase(30, 4, 1, 1e5, gp.RBF, stream(11))
	m, err := NewModel(h, in, y)
	if err != nil {
		t.Fatal(err)
	}
	x := linalg.New(3, 4)
	for i := range x.Rows {
		copy(x.Row(i), []float64{0.111, -0.222, 0.333, -0.444})
	}
	mean, variance := make([]float64, x.Rows), make([]float64, x.Rows)
	m.PredictBatch(mean, variance, x)
	for i := range x.Rows {
		if mean[i] != h.Mean || variance[i] != h.OutputScale {
			t.Errorf("point %d: mean %g, want %g; variance %g, want %g", i, mean[i], h.Mean, variance[i], h.OutputScale)
		}
	}
}

func BenchmarkPredictGrad(b *testing.B) {
	for _, d := range []int{1, 2, 1000} {
		b.Run(fmt.Sprintf("n=500/D=1000/d=%d", d), func(b *testing.B) {
			h, in, y := randomCase(500, 1000, d, 10, gp.RBF, stream(1))
			m, err := NewModel(h, in, y)
			if err != nil {
				b.Fatal(err)
			}
			x, dMean, dVar := make([]float64, 1000), make([]float64, 1000), make([]float64, 1000)
			for b.Loop() {
				m.PredictGrad(dMean, dVar, x)
			}
		})
	}
}

func BenchmarkPredictBatch(b *testing.B) {
	h, in, y := randomCase(500, 1000, 1, 10, gp.RBF, stream(1))
	m, err := NewModel(h, in, y)
	if err != nil {
		b.Fatal(err)
	}
	r := stream(2)
	z := linalg.New(10_000, 1)
	for i := range z.Data {
		z.Data[i] = 10 * r.NormFloat64()
	}
	mean, variance := make([]float64, z.Rows), make([]float64, z.Rows)
	for b.Loop() {
		m.PredictProjected(1, mean, variance, z)
	}
}

// The bounds from the nearest data point are never below the variance; the closer ones come
// with the mean.
func TestVarianceBounds(t *testing.T) {
	predicted := 0
	for _, v := range variants() {
		r := stream(12)
		h, in, y := randomCase(60, v.dim, v.d, v.span, v.profile, r)
		m, err := NewModel(h, in, y)
		if err != nil {
			t.Fatal(err)
		}
		x := linalg.New(200, v.dim)
		for i := range x.Data {
			x.Data[i] = 2*r.Float64() - 1
		}
		mean, variance, bound := make([]float64, 200), make([]float64, 200), make([]float64, 200)
		m.PredictBatch(mean, variance, x)
		m.VarianceBounds(bound, x)
		for i := range bound {
			if bound[i] < variance[i]-1e-12 || bound[i] > h.OutputScale {
				t.Fatalf("%s: variance %g, bound %g, prior %g", v.name, variance[i], bound[i], h.OutputScale)
			}
		}
		means, closer := make([]float64, 200), make([]float64, 200)
		if !m.PredictBounds(means, closer, x) {
			continue
		}
		predicted++
		for i := range closer {
			if closer[i] < variance[i]-1e-12 || closer[i] > bound[i]+1e-12 {
				t.Fatalf("%s: variance %g, bounds %g and %g", v.name, variance[i], closer[i], bound[i])
			}
			near(t, v.name+" mean", means[i], mean[i], 1e-12*(1+math.Abs(mean[i])))
		}
	}
	if predicted == 0 {
		t.Error("no kernel has bounds with its mean")
	}
}
