package candidate

import (
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"gonum.org/v1/gonum/mat"
)

// exactGP is a zero-mean GP with the kernel exp(-|x-y|^2/(2*scale^2)).
type exactGP struct {
	scale, noise float64
	x            [][]float64
	y            []float64
	chol         mat.Cholesky
	alpha        *mat.VecDense
}

var (
	_ lingp.Joint          = (*exactGP)(nil)
	_ lingp.Batch          = (*exactGP)(nil)
	_ lingp.Differentiable = (*exactGP)(nil)
	_ Covariance           = lingp.Joint(nil)
)

func newExactGP(x [][]float64, y []float64, scale, noise float64) *exactGP {
	n := len(x)
	g := &exactGP{scale: scale, noise: noise, x: x, y: y, alpha: mat.NewVecDense(n, nil)}
	k := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			k.SetSym(i, j, g.kernel(x[i], x[j]))
		}
		k.SetSym(i, i, 1+noise)
	}
	if !g.chol.Factorize(k) || g.chol.SolveVecTo(g.alpha, mat.NewVecDense(n, y)) != nil {
		panic("stub is not positive definite")
	}
	return g
}

func (g *exactGP) kernel(x, y []float64) float64 {
	var d float64
	for i := range x {
		d += (x[i] - y[i]) * (x[i] - y[i])
	}
	return math.Exp(-d / (2 * g.scale * g.scale))
}

// solve returns k(x, X) and (K + noise)^-1 k(X, x).
func (g *exactGP) solve(x []float64) (k, v *mat.VecDense) {
	n := len(g.x)
	k, v = mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		k.SetVec(i, g.kernel(x, g.x[i]))
	}
	if err := g.chol.SolveVecTo(v, k); err != nil {
		panic(err)
	}
	return k, v
}

func (g *exactGP) Predict(x []float64) (mean, variance float64) {
	k, v := g.solve(x)
	return mat.Dot(k, g.alpha), 1 - mat.Dot(k, v)
}

func (g *exactGP) PredictGrad(dMean, dVar, x []float64) (mean, variance float64) {
	k, v := g.solve(x)
	for j := range x {
		dMean[j], dVar[j] = 0, 0
		for i := range g.x {
			dk := -(x[j] - g.x[i][j]) / (g.scale * g.scale) * k.AtVec(i)
			dMean[j] += dk * g.alpha.AtVec(i)
			dVar[j] -= 2 * dk * v.AtVec(i)
		}
	}
	return mat.Dot(k, g.alpha), 1 - mat.Dot(k, v)
}

func (g *exactGP) PredictBatch(mean, variance []float64, x linalg.Matrix) {
	for i := range x.Rows {
		mean[i], variance[i] = g.Predict(x.Row(i))
	}
}

func (g *exactGP) Cov(x, y []float64) float64 {
	k, _ := g.solve(x)
	_, v := g.solve(y)
	return g.kernel(x, y) - mat.Dot(k, v)
}

func (g *exactGP) Condition(x []float64) (lingp.Joint, error) {
	mean, _ := g.Predict(x)
	return newExactGP(append(g.x[:len(g.x):len(g.x)], x), append(g.y[:len(g.y):len(g.y)], mean), g.scale, g.noise), nil
}

// anchoredGP prepares one argument of Cov.
type anchoredGP struct{ *exactGP }

func (g anchoredGP) Anchor(s []float64) func(x []float64) float64 {
	_, v := g.solve(s)
	return func(x []float64) float64 {
		sum := g.kernel(x, s)
		for i := range g.x {
			sum -= g.kernel(x, g.x[i]) * v.AtVec(i)
		}
		return sum
	}
}

func stubGP(r *rand.Rand, n, dim int, scale float64) *exactGP {
	x := make([][]float64, n)
	y := make([]float64, n)
	for i := range x {
		x[i] = uniform(r, dim)
		y[i] = r.NormFloat64()
	}
	return newExactGP(x, y, scale, 1e-3)
}

func uniform(r *rand.Rand, dim int) []float64 {
	x := make([]float64, dim)
	for j := range x {
		x[j] = 2*r.Float64() - 1
	}
	return x
}
