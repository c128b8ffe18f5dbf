package problem

import (
	"math"
	"sync"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/rng"
)

const (
	lassoFeatures = 60
	lassoActive   = 5   // features with a coefficient
	lassoRows     = 40  // of the training data, and of the validation data
	lassoDecay    = 0.6 // correlation of neighbouring features
	lassoNoise    = 0.3 // standard deviation, signal: 1
	lassoSweeps   = 100 // of coordinate descent, at most
)

// lasso is a regression problem: find a penalty for each coefficient. The data
// come from a generator with a fixed seed, so that the problem is always the same.
//
//	X     rows x features, Gaussian; neighbouring columns correlate
//	y     X beta + noise, beta zero but for the active features
type lasso struct {
	train, test       linalg.Matrix // transposed: a feature is a row
	trainY, testY     []float64
	square            []float64 // |X_j|²/n of the training data
	beta              []float64 // the truth
	strongest, silent float64   // penalty that silences all features; error of saying 0
}

func newLasso() Problem {
	data := sync.OnceValue(generateLasso)
	return Problem{
		Name:        "lasso",
		Description: "weighted Lasso: 60 penalties for a regression on 40 rows, 5 features matter; validation error, 1 is that of saying 0",
		Dim:         lassoFeatures, TrueDim: lassoFeatures,
		Minimum: math.NaN(),
		Eval:    func(z []float64) float64 { return data().validationError(z) },
	}
}

func generateLasso() *lasso {
	r := rng.New(0, rng.Purpose("lasso"))
	beta := make([]float64, lassoFeatures)
	for k := range lassoActive {
		beta[k*lassoFeatures/lassoActive+r.IntN(lassoFeatures/lassoActive)] = math.Copysign(0.5+r.Float64(), r.NormFloat64())
	}
	scaleSignal(beta)
	draw := func() (linalg.Matrix, []float64) {
		X, y := linalg.New(lassoFeatures, lassoRows), make([]float64, lassoRows)
		for i := range y {
			last := r.NormFloat64()
			for j := range lassoFeatures {
				X.Row(j)[i] = last
				y[i] += beta[j] * last
				// AR(1): unit variance, correlation decay^|j-k|.
				last = lassoDecay*last + math.Sqrt(1-lassoDecay*lassoDecay)*r.NormFloat64()
			}
		}
		for i := range y {
			y[i] += lassoNoise * r.NormFloat64()
		}
		return X, y
	}
	l := &lasso{beta: beta, square: make([]float64, lassoFeatures)}
	l.train, l.trainY = draw()
	l.test, l.testY = draw()
	for j := range l.square {
		x := l.train.Row(j)
		l.square[j] = linalg.Dot(x, x) / lassoRows
		l.strongest = max(l.strongest, math.Abs(linalg.Dot(x, l.trainY))/lassoRows)
	}
	l.silent = linalg.Dot(l.testY, l.testY)
	return l
}

// scaleSignal gives X beta unit variance, beta' C beta with C_jk = decay^|j-k|.
func scaleSignal(beta []float64) {
	var variance float64
	for j, a := range beta {
		for k, b := range beta {
			variance += a * b * math.Pow(lassoDecay, math.Abs(float64(j-k)))
		}
	}
	for j := range beta {
		beta[j] /= math.Sqrt(variance)
	}
}

// penalty maps z in [-1,1] to 1e-3 .. 1 times the strongest.
func (l *lasso) penalty(z float64) float64 { return l.strongest * math.Pow(10, 1.5*(z-1)) }

// validationError is |y - X beta|² of the validation data over |y|².
func (l *lasso) validationError(z []float64) float64 {
	beta := l.fit(z)
	residual := append([]float64(nil), l.testY...)
	for j, b := range beta {
		linalg.Axpy(residual, -b, l.test.Row(j))
	}
	return linalg.Dot(residual, residual) / l.silent
}

// fit minimises |y - X beta|²/2n + sum_j penalty_j |beta_j| by coordinate descent.
func (l *lasso) fit(z []float64) []float64 {
	beta, penalty := make([]float64, lassoFeatures), make([]float64, lassoFeatures)
	for j := range penalty {
		penalty[j] = l.penalty(z[j])
	}
	residual := append([]float64(nil), l.trainY...)
	for range lassoSweeps {
		var moved float64
		for j, old := range beta {
			x := l.train.Row(j)
			// beta_j = soft(X_j'r/n + |X_j|²/n beta_j, penalty_j) / (|X_j|²/n)
			g := linalg.Dot(x, residual)/lassoRows + l.square[j]*old
			b := math.Copysign(max(0, math.Abs(g)-penalty[j]), g) / l.square[j]
			if b != old {
				linalg.Axpy(residual, old-b, x)
				beta[j] = b
				moved = max(moved, math.Abs(b-old))
			}
		}
		if moved < 1e-9 {
			break
		}
	}
	return beta
}
