package lingp

import (
	"context"
	"math"
	"testing"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// scattered returns points of a box so large that they are strangers, but for every
// third, which lies near an earlier one.
func scattered(n, dim int) (Hyper, *Inputs, []float64) {
	r := stream(21)
	in, y := NewInputs(dim), make([]float64, n)
	for i := range n {
		x := make([]float64, dim)
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		if i%3 == 2 {
			for j, v := range in.At(r.IntN(i)) {
				x[j] = v + 0.05*r.NormFloat64()
			}
		}
		in.Append(x)
		y[i] = r.NormFloat64()
	}
	scales := make([]float64, dim)
	for j := range scales {
		scales[j] = 0.6 + 0.2*r.Float64()
	}
	return Hyper{Kernel: RBFARD(scales), OutputScale: 0.8, NoiseVariance: 0.05, Mean: 0.2}, in, y
}

// correlation is the kernel written down.
func correlation(h Hyper, x, y []float64) float64 {
	r2 := 0.0
	for j, l := range h.LengthScales {
		r2 += (x[j] - y[j]) * (x[j] - y[j]) / (l * l)
	}
	if h.Profile == gp.RBF {
		return h.OutputScale * math.Exp(-r2/2)
	}
	r := math.Sqrt(5 * r2)
	return h.OutputScale * (1 + r + r*r/3) * math.Exp(-r)
}

// dense is K + noise I, with no entry left out.
func dense(t *testing.T, h Hyper, in *Inputs) (chol mat.Cholesky) {
	t.Helper()
	k := mat.NewSymDense(in.Len(), nil)
	for i := range in.Len() {
		for j := range i + 1 {
			k.SetSym(i, j, correlation(h, in.At(i), in.At(j)))
		}
		k.SetSym(i, i, h.OutputScale+h.NoiseVariance)
	}
	if !chol.Factorize(k) {
		t.Fatal("the kernel matrix is not positive definite")
	}
	return chol
}

func centred(h Hyper, y []float64) *mat.VecDense {
	v := mat.NewVecDense(len(y), nil)
	for i := range y {
		v.SetVec(i, y[i]-h.Mean)
	}
	return v
}

// What is left out between strangers changes nothing.
func TestManyInputsEqualTheDenseFormulas(t *testing.T) {
	for _, profile := range []gp.Profile{gp.RBF, gp.Matern52} {
		h, in, y := scattered(70, 300)
		h.Profile = profile
		chol := dense(t, h, in)
		residual, alpha := centred(h, y), new(mat.VecDense)
		if err := chol.SolveVecTo(alpha, residual); err != nil {
			t.Fatal(err)
		}
		want := -0.5 * (mat.Dot(residual, alpha) + chol.LogDet() + float64(in.Len())*math.Log(2*math.Pi))
		got, grad, _, err := LogMarginal(h, in, y)
		if err != nil || math.Abs(got-want) > 1e-10 {
			t.Fatalf("log marginal likelihood %.15g, want %.15g, error %v", got, want, err)
		}
		slope := 0.0
		for _, g := range grad.Map {
			slope = max(slope, math.Abs(g))
		}
		if slope < 0.1 {
			t.Errorf("the largest slope in a length-scale is %g: the case tests nothing", slope)
		}
		model, err := NewModel(h, in, y)
		if err != nil {
			t.Fatal(err)
		}
		comparePosterior(t, h, in, &chol, alpha, model)
	}
}

// comparePosterior predicts near the data and far from all of them.
func comparePosterior(t *testing.T, h Hyper, in *Inputs, chol *mat.Cholesky, alpha *mat.VecDense, model *Model) {
	t.Helper()
	r, dim := stream(22), in.Dim()
	const count = 3 * batchGroup
	x := linalg.New(count, dim)
	for i := range count {
		row := x.Row(i)
		for j := range row {
			row[j] = 2*r.Float64() - 1
		}
		if i < batchGroup && i%2 == 0 { // the other groups see no data at all
			for j, v := range in.At(r.IntN(in.Len())) {
				row[j] = v + 0.03*r.NormFloat64()
			}
		}
	}
	mean, variance := make([]float64, count), make([]float64, count)
	model.PredictBatch(mean, variance, x)
	k, w := mat.NewVecDense(in.Len(), nil), new(mat.VecDense)
	for i := range count {
		for j := range in.Len() {
			k.SetVec(j, correlation(h, x.Row(i), in.At(j)))
		}
		if err := chol.SolveVecTo(w, k); err != nil {
			t.Fatal(err)
		}
		wantMean, wantVariance := h.Mean+mat.Dot(k, alpha), h.OutputScale-mat.Dot(k, w)
		m, v := model.Predict(x.Row(i))
		for _, d := range []float64{mean[i] - wantMean, variance[i] - wantVariance, m - wantMean, v - wantVariance} {
			if math.Abs(d) > 1e-11 {
				t.Fatalf("point %d: (%g, %g) in a batch, (%g, %g) alone, want (%g, %g)", i, mean[i], variance[i], m, v, wantMean, wantVariance)
			}
		}
	}
}

// Among strangers K is (s + noise) I, and no length-scale has a slope, also in a workspace
// that has seen neighbours.
func TestStrangersHaveNoSlope(t *testing.T) {
	h, in, y := scattered(40, 100)
	low, _ := h.Dims()
	w, z, dZ := newWorkspace(in.Len()), linalg.New(low, in.Len()), linalg.New(low, in.Len())
	for _, scale := range []float64{0.7, 0.05} {
		for j := range h.LengthScales {
			h.LengthScales[j] = scale
		}
		projectAll(z, h.Kernel, in)
		got, err := w.evaluate(dZ, z, y, h)
		if err != nil {
			t.Fatal(err)
		}
		if apart := scale < 0.1; apart != w.apart {
			t.Fatalf("length-scale %g: apart is %v", scale, w.apart)
		} else if !apart {
			continue
		}
		want, total := 0.0, h.OutputScale+h.NoiseVariance
		for _, v := range y {
			want -= 0.5 * ((v-h.Mean)*(v-h.Mean)/total + math.Log(2*math.Pi*total))
		}
		if math.Abs(got.value-want) > 1e-12*math.Abs(want) {
			t.Errorf("log marginal likelihood %.15g, want %.15g", got.value, want)
		}
		for a := range low {
			for i, v := range dZ.Row(a) {
				if v != 0 {
					t.Fatalf("slope %g in coordinate %d of point %d, want 0", v, a, i)
				}
			}
		}
	}
}

// Distances kept from another fit step never serve a new z.
func TestWorkspaceNoticesNewDistances(t *testing.T) {
	h, in, y := scattered(40, 100)
	low, _ := h.Dims()
	w, z, dZ := newWorkspace(in.Len()), linalg.New(low, in.Len()), linalg.New(low, in.Len())
	for _, scale := range []float64{0.7, 0.7, 1.9, 0.7} {
		for j := range h.LengthScales {
			h.LengthScales[j] = scale
		}
		projectAll(z, h.Kernel, in)
		got, err := w.evaluate(dZ, z, y, h)
		if err != nil {
			t.Fatal(err)
		}
		want, _, _, err := LogMarginal(h, in, y)
		if err != nil || got.value != want {
			t.Errorf("length-scale %g: %g with a workspace used before, %g with a new one, error %v", scale, got.value, want, err)
		}
	}
}

// Among points that all lie close together Adam's first step moves length-scales too.
func TestFirstStepOfLengthScales(t *testing.T) {
	r := stream(23)
	in, y := NewInputs(3), make([]float64, 20)
	for i := range y {
		x := []float64{0.02 * r.Float64(), 0.02 * r.Float64(), 0.02 * r.Float64()}
		in.Append(x)
		y[i] = 100 * x[0]
	}
	start := Hyper{Kernel: RBFARD([]float64{0.7, 0.7, 0.7}), OutputScale: 1, NoiseVariance: 0.1}
	h, _, err := FitAdam(context.Background(), []Hyper{start}, in, y, AdamOptions{MaxSteps: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !(h.LengthScales[0] < 0.69) {
		t.Errorf("length-scale of the input that matters is %g after one step, want less than 0.69", h.LengthScales[0])
	}
}
