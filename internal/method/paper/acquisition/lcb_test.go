package acquisition

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"gonum.org/v1/gonum/mat"
)

// exactGP is a zero-mean GP with the kernel exp(-|x-y|^2/2).
type exactGP struct {
	x     [][]float64
	chol  mat.Cholesky
	alpha *mat.VecDense
}

func newExactGP(x [][]float64, y []float64, noise float64) *exactGP {
	n := len(x)
	g := &exactGP{x: x, alpha: mat.NewVecDense(n, nil)}
	k := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			k.SetSym(i, j, kernel(x[i], x[j]))
		}
		k.SetSym(i, i, 1+noise)
	}
	if !g.chol.Factorize(k) || g.chol.SolveVecTo(g.alpha, mat.NewVecDense(n, y)) != nil {
		panic("stub is not positive definite")
	}
	return g
}

func kernel(x, y []float64) float64 {
	var d float64
	for i := range x {
		d += (x[i] - y[i]) * (x[i] - y[i])
	}
	return math.Exp(-d / 2)
}

func (g *exactGP) Predict(x []float64) (mean, variance float64) {
	return g.PredictGrad(make([]float64, len(x)), make([]float64, len(x)), x)
}

func (g *exactGP) PredictGrad(dMean, dVar, x []float64) (mean, variance float64) {
	n := len(g.x)
	k, v := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		k.SetVec(i, kernel(x, g.x[i]))
	}
	if err := g.chol.SolveVecTo(v, k); err != nil {
		panic(err)
	}
	for j := range x {
		dMean[j], dVar[j] = 0, 0
		for i := range n {
			dk := -(x[j] - g.x[i][j]) * k.AtVec(i)
			dMean[j] += dk * g.alpha.AtVec(i)
			dVar[j] -= 2 * dk * v.AtVec(i)
		}
	}
	return mat.Dot(k, g.alpha), 1 - mat.Dot(k, v)
}

// batchGP counts its batches.
type batchGP struct {
	*exactGP
	batches int
}

func (g *batchGP) PredictBatch(mean, variance []float64, x linalg.Matrix) {
	g.batches++
	for i := range x.Rows {
		mean[i], variance[i] = g.Predict(x.Row(i))
	}
}

func stub(r *rand.Rand, n, dim int) *exactGP {
	x := make([][]float64, n)
	y := make([]float64, n)
	for i := range x {
		x[i] = uniform(r, dim)
		y[i] = r.NormFloat64()
	}
	return newExactGP(x, y, 1e-3)
}

func uniform(r *rand.Rand, dim int) []float64 {
	x := make([]float64, dim)
	for j := range x {
		x[j] = 2*r.Float64() - 1
	}
	return x
}

func TestLCBGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, dim := range []int{1, 3, 12} {
		model := stub(r, 8, dim)
		for _, beta := range []float64{0, 0.7, 3, -1.5} {
			a := &LCB{Model: model, Beta: beta}
			grad := make([]float64, dim)
			for range 5 {
				x := uniform(r, dim)
				if v := a.ValueGrad(grad, x); v != a.Value(x) {
					t.Errorf("ValueGrad returns %v, Value %v", v, a.Value(x))
				}
				mean, variance := model.Predict(x)
				if want := mean - beta*math.Sqrt(variance); math.Abs(a.Value(x)-want) > 1e-14 {
					t.Errorf("value %v, want %v", a.Value(x), want)
				}
				fdcheck.Check(t, a.Value, grad, x, 1e-7)
			}
		}
	}
}

// flat has a constant variance and a linear mean.
type flat struct{ variance float64 }

func (f flat) Predict(x []float64) (mean, variance float64) { return x[0], f.variance }

func (f flat) PredictGrad(dMean, dVar, x []float64) (mean, variance float64) {
	clear(dMean)
	dMean[0] = 1
	for i := range dVar {
		dVar[i] = 1e3
	}
	return f.Predict(x)
}

func TestLCBWithoutVariance(t *testing.T) {
	grad := make([]float64, 2)
	for _, variance := range []float64{0, -1e-17, 1e-19, minVariance} {
		a := &LCB{Model: flat{variance}, Beta: 2}
		v := a.ValueGrad(grad, []float64{0.25, 0})
		if math.Abs(v-0.25) > 1e-8 || grad[0] != 1 || grad[1] != 0 {
			t.Errorf("variance %g: value %v, gradient %v", variance, v, grad)
		}
	}
	a := &LCB{Model: flat{math.NaN()}, Beta: 2}
	if v := a.ValueGrad(grad, []float64{0.25, 0}); !math.IsNaN(v) {
		t.Errorf("a NaN variance gives the value %v", v)
	}
}

func TestLCBValues(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	single := stub(r, 6, 3)
	batch := &batchGP{exactGP: single}
	for _, rows := range []int{7, 3, 0, 20} {
		x := linalg.New(rows, 3)
		for i := range x.Data {
			x.Data[i] = 2*r.Float64() - 1
		}
		for _, model := range []lingp.Differentiable{single, batch} {
			a := &LCB{Model: model, Beta: 1.3}
			got := make([]float64, rows)
			a.Values(got, x)
			for i := range got {
				if got[i] != a.Value(x.Row(i)) {
					t.Errorf("row %d: %v, want %v", i, got[i], a.Value(x.Row(i)))
				}
			}
		}
	}
	if batch.batches != 4 {
		t.Errorf("%d batch predictions, want 4", batch.batches)
	}
}
