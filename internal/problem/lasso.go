package problem

import (
	"fmt"
	"math"
	"sync"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/rng"
)

const (
	lassoDecay  = 0.6 // correlation of neighbouring features
	lassoNoise  = 0.3 // standard deviation, signal: 1
	lassoSweeps = 100 // of coordinate descent, at most
)

// lassoSize is how large a regression is.
type lassoSize struct {
	features int
	active   int // features with a coefficient
	rows     int // of the training data, and of the validation data
}

// smallLasso is the problem `lasso`.
var smallLasso = lassoSize{60, 5, 40}

// largeLassos have the sizes of LassoBench's synthetic problems: half as many rows as
// features, one feature in twenty active.
func largeLassos() []Problem {
	return []Problem{
		newLasso("lasso100", lassoSize{100, 5, 50}), newLasso("lasso300", lassoSize{300, 15, 150}),
		newLasso("lasso1000", lassoSize{1000, 50, 500}),
	}
}

// lasso is a regression problem: find a penalty for each coefficient. The data
// come from a generator with a fixed seed, so that the problem is always the same.
//
//	X     rows x features, Gaussian; neighbouring columns correlate
//	y     X beta + noise, beta zero but for the active features
type lasso struct {
	lassoSize
	train, test       linalg.Matrix // transposed: a feature is a row
	trainY, testY     []float64
	square            []float64 // |X_j|²/n of the training data
	beta              []float64 // the truth
	strongest, silent float64   // penalty that silences all features; error of saying 0
}

func newLasso(name string, size lassoSize) Problem {
	data := sync.OnceValue(func() *lasso { return generateLasso(size) })
	return Problem{
		Name:        name,
		Description: fmt.Sprintf("weighted Lasso: %d penalties for a regression on %d rows, %d features matter; validation error, 1 is that of saying 0", size.features, size.rows, size.active),
		Dim:         size.features, TrueDim: size.features,
		Minimum: math.NaN(),
		Eval:    func(z []float64) float64 { return data().validationError(z) },
	}
}

func generateLasso(size lassoSize) *lasso {
	stream := []uint64{rng.Purpose("lasso")}
	if size != smallLasso {
		stream = append(stream, uint64(size.features))
	}
	r := rng.New(0, stream...)
	features, active, rows := size.features, size.active, size.rows
	beta := make([]float64, features)
	for k := range active {
		beta[k*features/active+r.IntN(features/active)] = math.Copysign(0.5+r.Float64(), r.NormFloat64())
	}
	scaleSignal(beta)
	draw := func() (linalg.Matrix, []float64) {
		X, y := linalg.New(features, rows), make([]float64, rows)
		for i := range y {
			last := r.NormFloat64()
			for j := range features {
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
	l := &lasso{lassoSize: size, beta: beta, square: make([]float64, features)}
	l.train, l.trainY = draw()
	l.test, l.testY = draw()
	for j := range l.square {
		x := l.train.Row(j)
		l.square[j] = linalg.Dot(x, x) / float64(rows)
		l.strongest = max(l.strongest, math.Abs(linalg.Dot(x, l.trainY))/float64(rows))
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
	beta, penalty := make([]float64, l.features), make([]float64, l.features)
	for j := range penalty {
		penalty[j] = l.penalty(z[j])
	}
	residual := append([]float64(nil), l.trainY...)
	for range lassoSweeps {
		var moved float64
		for j, old := range beta {
			x := l.train.Row(j)
			// beta_j = soft(X_j'r/n + |X_j|²/n beta_j, penalty_j) / (|X_j|²/n)
			g := linalg.Dot(x, residual)/float64(l.rows) + l.square[j]*old
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
