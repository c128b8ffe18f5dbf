package lingp

import (
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Tied evaluates log marginal likelihoods of processes with mean 0 and a Matérn-5/2 kernel
// with one length-scale for all coordinates. The distances of the points do not depend on
// it and are computed once. The zero value is ready; one goroutine at a time.
type Tied struct {
	in         *Inputs
	n          int
	at         [3]float64    // parameters of the last LogMarginal, 0 for none
	jitter     float64       // that its factorisation needed
	r2         linalg.Matrix // squared distances, lower triangle
	change     linalg.Matrix // l² times the derivative of k(X,X) in log l
	l, s       linalg.Matrix // factor and inverse of K
	chol       linalg.EnvelopeFactor
	alpha, row []float64
}

// tiedSpare is the number of points that may come before the matrices grow again.
const tiedSpare = 64

// Reset takes the points of in, to which none is added meanwhile. Memory is kept.
func (t *Tied) Reset(in *Inputs) {
	t.in, t.at = in, [3]float64{}
	if t.n = in.n; t.r2.Rows < in.n {
		size := in.n + tiedSpare
		t.r2, t.change, t.l, t.s = padded(size, size), padded(size, size), padded(size, size), padded(size, size)
		t.alpha, t.row = make([]float64, size), make([]float64, size)
	}
	for i := range in.n {
		linalg.ColumnDistances(t.r2.Row(i)[:i], in.At(i), in.XT().Slice(0, in.dim, 0, i))
	}
}

// LogMarginal returns log p(y) with its derivatives in the logarithms of length-scale l,
// output scale and noise variance. With S = K⁻¹ and alpha = S y,
//
//	d value = ½ alphaᵀ dK alpha - ½ trace(S dK),
//	alphaᵀ k alpha = yᵀ alpha - noise |alpha|²,  trace(S k) = n - noise trace(S).
func (t *Tied) LogMarginal(lengthScale, outputScale, noise float64, y []float64) (value float64, grad [3]float64, err error) {
	t.at = [3]float64{}
	rate, given := 1/(lengthScale*lengthScale), noise
	l, s, alpha := t.l.Slice(0, t.n, 0, t.n), t.s.Slice(0, t.n, 0, t.n), t.alpha[:t.n]
	if t.jitter, err = t.factor(rate, outputScale, noise); err != nil {
		return 0, grad, err
	}
	noise += t.jitter
	copy(alpha, y)
	t.chol.Solve(alpha)
	t.chol.SelectedInverse(s)
	var trace, slope float64
	for i := range t.n {
		trace += s.At(i, i)
		change := t.change.Row(i)[:i]
		slope += alpha[i]*linalg.Dot(change, alpha[:i]) - linalg.Dot(change, s.Row(i)[:i])
	}
	n, fit, square := float64(t.n), linalg.Dot(y, alpha), linalg.Dot(alpha, alpha)
	grad = [3]float64{rate * slope, 0.5 * (fit - noise*square - n + noise*trace), 0.5 * given * (square - trace)}
	t.at = [3]float64{lengthScale, outputScale, given}
	return -0.5 * (fit + linalg.LogDet(l) + n*math.Log(2*math.Pi)), grad, nil
}

// Model returns the posterior given the values y of the last LogMarginal, which has done its
// work already if the parameters are the same. It ends with the next use of t.
func (t *Tied) Model(lengthScale, outputScale, noise float64, y []float64) (*Model, error) {
	if t.at != [3]float64{lengthScale, outputScale, noise} {
		if _, _, err := t.LogMarginal(lengthScale, outputScale, noise, y); err != nil {
			return nil, err
		}
	}
	scales := make([]float64, t.in.dim)
	for a := range scales {
		scales[a] = lengthScale
	}
	m := &Model{
		hyper: Hyper{Kernel: Matern52ARD(scales), OutputScale: outputScale, NoiseVariance: noise},
		n:     t.n, dir: make([]float64, t.in.dim), keys: identity(t.n), // along no direction no point is out of reach
		z: linalg.New(t.in.dim, t.n), alpha: t.alpha[:t.n], inverse: t.s.Slice(0, t.n, 0, t.n), jitter: t.jitter,
	}
	projectAll(m.z, m.hyper.Kernel, t.in)
	m.scratch.New = func() any { return newScratch(m) }
	return m, nil
}

// factor computes the Cholesky factor of K, climbing the jitter ladder when it has to, and
// returns the jitter used.
func (t *Tied) factor(rate, outputScale, noise float64) (jitter float64, err error) {
	l, full := t.l.Slice(0, t.n, 0, t.n), linalg.NewEnvelope(t.n, func(int) int { return 0 })
	var ladder []float64
	for {
		for i := range t.n {
			t.fillRow(l.Row(i)[:i], i, rate, outputScale)
			l.Set(i, i, outputScale+noise+jitter)
		}
		if ladder == nil {
			ladder = linalg.DefaultLadder(l)
		}
		if err = t.chol.Factor(l, full); err == nil {
			return jitter, nil
		}
		if len(ladder) == 0 {
			return jitter, &linalg.JitterError{Last: jitter, Err: err}
		}
		jitter, ladder = ladder[0], ladder[1:]
	}
}

// fillRow computes the covariances k of point i with those before it, and how they change:
// d k/d log l = -2 k' r²/l², k' the derivative in r²/l².
func (t *Tied) fillRow(k []float64, i int, rate, outputScale float64) {
	r2, change, slope := t.r2.Row(i)[:i], t.change.Row(i)[:i], t.row[:i]
	clear(k)
	linalg.Axpy(k, rate, r2)
	linalg.Matern52(k, slope, outputScale)
	clear(change)
	linalg.AddProducts(change, slope, r2)
}
