package lingp

import (
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
)

// Gradient holds the derivatives of a log marginal likelihood.
type Gradient struct {
	Map            []float64 // in B (row by row) or in the length-scales
	LogOutputScale float64
	LogNoise       float64
	Mean           float64
}

// LogMarginal returns log p(y | X, hyperparameters), not divided by n, with its
// gradient and the jitter that the factorisation needed.
func LogMarginal(h Hyper, in *Inputs, y []float64) (value float64, grad Gradient, jitter float64, err error) {
	if err := h.validate(in.dim); err != nil {
		return 0, grad, 0, err
	}
	low, high := h.Dims()
	z, dZ := linalg.New(low, in.n), linalg.New(low, in.n)
	projectAll(z, h.Kernel, in)
	ev, err := newWorkspace(in.n).evaluate(dZ, z, y, h)
	if err != nil {
		return 0, grad, ev.jitter, err
	}
	grad = Gradient{LogOutputScale: ev.dLogScale, LogNoise: ev.dNoise * h.NoiseVariance, Mean: ev.dMean}
	if h.B.Rows > 0 {
		grad.Map = make([]float64, low*high)
		linalg.Gemm(linalg.Matrix{Rows: low, Cols: high, Stride: high, Data: grad.Map}, 0, 1, dZ, in.X())
	} else {
		grad.Map = make([]float64, high)
		lengthScaleGradient(grad.Map, h.LengthScales, dZ, in)
	}
	return ev.value, grad, ev.jitter, nil
}

// projectAll computes Z = T Xᵀ.
func projectAll(z linalg.Matrix, k Kernel, in *Inputs) {
	if k.B.Rows > 0 {
		linalg.Gemm(z, 0, 1, k.B, in.XT())
		return
	}
	xt := in.XT()
	for j, l := range k.LengthScales {
		zj := z.Row(j)
		for i, v := range xt.Row(j) {
			zj[i] = v / l
		}
	}
}

// lengthScaleGradient turns dL/dZ into dL/dl: z_j = x_j/l_j, so
// dL/dl_j = -sum_i dL/dz_ji x_ji / l_j².
func lengthScaleGradient(dst, lengthScales []float64, dZ linalg.Matrix, in *Inputs) {
	xt := in.XT()
	for j, l := range lengthScales {
		dst[j] = -linalg.Dot(dZ.Row(j), xt.Row(j)) / (l * l)
	}
}

// evaluation is a log marginal likelihood and its derivatives in the scalars;
// the derivative in Z is written to a matrix.
type evaluation struct {
	value, dLogScale, dNoise, dMean float64
	jitter                          float64
}

// workspace holds the buffers of likelihood evaluations with n points. One
// workspace serves many evaluations, one at a time.
type workspace struct {
	n        int
	k, slope linalg.Matrix // k(X,X) without noise, and -2 s phi'; the same matrix for the gp.RBF
	l, s     linalg.Matrix // factor and selected inverse of K
	chol     linalg.EnvelopeFactor
	z        linalg.Matrix // sorted z
	r2       linalg.Matrix // squared distances in z, lower triangle, in many dimensions only
	apart    bool          // all of them are beyond the kernel's radius
	keys     []keyed
	dir      []float64
	alpha    []float64
	t        []float64     // one row of (alpha alphaᵀ - S) o slope
	r        []float64     // row sums of t
	q        linalg.Matrix // t Zᵀ, one row per coordinate
}

func newWorkspace(n int) *workspace {
	return &workspace{
		n: n, k: padded(n, n), l: padded(n, n), s: padded(n, n),
		keys: identity(n), alpha: make([]float64, n), t: make([]float64, n), r: make([]float64, n),
	}
}

// identity returns keys in the order of the points.
func identity(n int) []keyed {
	keys := make([]keyed, n)
	for i := range keys {
		keys[i].i = i
	}
	return keys
}

// evaluate computes the log marginal likelihood of y at z (d x n) and writes its
// derivative in z to dZ.
//
//	value = -½ (y-mean)ᵀ alpha - ½ log det K - n/2 log 2 pi
//	d value/d K = ½ (alpha alphaᵀ - S)
//
// With t_ij = (alpha_i alpha_j - S_ij)(-2 s phi'(r²_ij)):
// d value/d z_i = -sum_j t_ij (z_i - z_j).
func (w *workspace) evaluate(dZ, z linalg.Matrix, y []float64, h Hyper) (evaluation, error) {
	d, n := z.Rows, w.n
	e := w.sortPoints(z, h.Profile)
	w.fillKernel(e, h)
	var ev evaluation
	var err error
	if ev.jitter, err = w.factor(e, h.NoiseVariance); err != nil {
		return ev, err
	}
	for p, key := range w.keys {
		w.alpha[p] = y[key.i] - h.Mean
	}
	ev.value = -0.5 * float64(n) * math.Log(2*math.Pi)
	residual := w.t[:n]
	copy(residual, w.alpha)
	w.chol.Solve(w.alpha)
	ev.value -= 0.5 * (linalg.Dot(residual, w.alpha) + linalg.LogDet(w.l))
	w.chol.SelectedInverse(w.s)

	clear(w.r)
	for a := range d {
		clear(w.q.Row(a))
	}
	product := d > maxSortedDim // then t Zᵀ is one product with all of t, which replaces L
	var below, diagonal float64 // sums of (alpha alphaᵀ - S) o k under and on the diagonal
	for i := range n {
		b := e.Begin(i)
		ai := w.alpha[i]
		diagonal += ai*ai - w.s.At(i, i)
		ev.dMean += ai
		t := w.t[:i-b]
		if product {
			clear(w.l.Row(i)[:b])
			t = w.l.Row(i)[b:i]
		}
		sRow, alpha := w.s.Row(i)[b:i], w.alpha[b:i]
		slope := w.slope.Row(i)[b:i]
		sum := 0.0
		for j, sl := range slope {
			v := (ai*alpha[j] - sRow[j]) * sl
			t[j] = v
			sum += v
		}
		if h.Profile == gp.RBF {
			below += sum
		} else {
			for j, kv := range w.k.Row(i)[b:i] {
				below += (ai*alpha[j] - sRow[j]) * kv
			}
		}
		w.r[i] += sum
		linalg.Axpy(w.r[b:i], 1, t)
		if product {
			continue
		}
		for a := range d {
			za, qa := w.z.Row(a), w.q.Row(a)
			qa[i] += linalg.Dot(t, za[b:i])
			linalg.Axpy(qa[b:i], za[i], t)
		}
	}
	if product && !w.apart {
		symmetrise(w.l)
		linalg.Gemm(w.q, 0, 1, w.z, w.l)
	}
	ev.dLogScale = below + 0.5*h.OutputScale*diagonal
	ev.dNoise = 0.5 * diagonal
	for a := range d {
		za, qa, out := w.z.Row(a), w.q.Row(a), dZ.Row(a)
		for p, key := range w.keys {
			out[key.i] = qa[p] - za[p]*w.r[p]
		}
	}
	return ev, nil
}

// symmetrise copies the lower triangle to the upper one and clears the diagonal.
func symmetrise(t linalg.Matrix) {
	for i := range t.Rows {
		for j, v := range t.Row(i)[:i] {
			t.Set(j, i, v)
		}
		t.Set(i, i, 0)
	}
}

// sortPoints orders the points along their main direction, gathers z in that
// order and returns the envelope of the kernel matrix.
func (w *workspace) sortPoints(z linalg.Matrix, profile gp.Profile) linalg.Envelope {
	d, n := z.Rows, w.n
	if w.z.Rows != d {
		w.z, w.q, w.r2 = padded(d, n), padded(d, n), linalg.Matrix{}
		w.dir = make([]float64, d)
	}
	if d > maxSortedDim {
		return w.measure(z, profile)
	}
	mainDirection(w.dir, z)
	sortAlong(w.keys, w.dir, z)
	for a := range d {
		from, to := z.Row(a), w.z.Row(a)
		for p, key := range w.keys {
			to[p] = from[key.i]
		}
	}
	first, radius := 0, profile.Radius()
	return linalg.NewEnvelope(n, func(row int) int {
		for w.keys[row].u-w.keys[first].u > radius {
			first++
		}
		return first
	})
}

// measure is sortPoints in many dimensions: the order stays, all distances are
// computed, and a row's envelope begins with the first point within the radius of
// that row or a later one. Random points of a large box are all far from each other;
// their distances are kept while z stays, as it does where no gradient moves it.
func (w *workspace) measure(z linalg.Matrix, profile gp.Profile) linalg.Envelope {
	for p := range w.keys {
		w.keys[p].i = p
	}
	same := w.r2.Rows == w.n
	if !same {
		w.r2 = padded(w.n, w.n)
	}
	for a := range z.Rows {
		same = same && slices.Equal(w.z.Row(a), z.Row(a))
		copy(w.z.Row(a), z.Row(a))
	}
	if !same {
		squaredDistancesByProduct(w.r2, w.z)
	}
	limit := profile.Radius() * profile.Radius()
	first, least := make([]int, w.n), w.n-1
	w.apart = true
	for i := w.n - 1; i >= 0; i-- {
		near := slices.IndexFunc(w.r2.Row(i)[:i+1], func(r2 float64) bool { return !(r2 > limit) })
		w.apart = w.apart && near == i
		least = min(least, near)
		first[i] = least
	}
	return linalg.NewEnvelope(w.n, func(row int) int { return first[row] })
}

// squaredDistancesByProduct fills the lower triangle of r2 with
// |z_i|² + |z_j|² - 2 z_i·z_j.
func squaredDistancesByProduct(r2, z linalg.Matrix) {
	lowerGram(r2, z)
	norm2 := make([]float64, r2.Rows)
	for i := range norm2 {
		norm2[i] = r2.At(i, i)
		row := r2.Row(i)[:i+1]
		for j, dot := range row {
			row[j] = max(norm2[i]+norm2[j]-2*dot, 0)
		}
		row[i] = 0
	}
}

// lowerGram computes the lower triangle of Zᵀ Z (and a little above it), one product
// for each strip of rows.
func lowerGram(dst, z linalg.Matrix) {
	const strip = 96
	for i := 0; i < dst.Rows; i += strip {
		to := min(i+strip, dst.Rows)
		linalg.GemmTA(dst.Slice(i, to, 0, to), 0, 1, z.Slice(0, z.Rows, i, to), z.Slice(0, z.Rows, 0, to))
	}
}

// fillKernel computes the lower triangle of k(X,X), inside the envelope.
func (w *workspace) fillKernel(e linalg.Envelope, h Hyper) {
	if h.Profile == gp.RBF {
		w.slope = w.k
	} else if w.slope.Rows != w.n {
		w.slope = padded(w.n, w.n)
	}
	many := w.z.Rows > maxSortedDim
	limit := h.Profile.Radius() * h.Profile.Radius()
	for i := range w.n {
		b := e.Begin(i)
		row := w.k.Row(i)[b : i+1]
		if many {
			copy(row, w.r2.Row(i)[b:])
		} else {
			squaredDistances(row, w.z, b, i)
		}
		slope := row
		if h.Profile != gp.RBF {
			slope = w.slope.Row(i)[b : i+1]
		}
		h.Profile.Apply(row, slope, h.OutputScale)
		if many { // the same zeros as those outside the envelope
			for j, r2 := range w.r2.Row(i)[b : i+1] {
				if r2 > limit {
					row[j], slope[j] = 0, 0
				}
			}
		}
	}
}

// squaredDistances fills dst[j] with the squared distance of point i and point
// from+j of z (d x n, few d).
func squaredDistances(dst []float64, z linalg.Matrix, from, i int) {
	var x [maxSortedDim]float64
	for a := range z.Rows {
		x[a] = z.At(a, i)
	}
	linalg.ColumnDistances(dst, x[:z.Rows], z.Slice(0, z.Rows, from, from+len(dst)))
}

// factor computes the Cholesky factor of k + noise I, climbing the jitter ladder
// when it has to, and returns the jitter used.
func (w *workspace) factor(e linalg.Envelope, noise float64) (jitter float64, err error) {
	if err = w.tryFactor(e, noise); err == nil {
		return 0, nil
	}
	for _, jitter = range linalg.DefaultLadder(w.k) {
		if err = w.tryFactor(e, noise+jitter); err == nil {
			return jitter, nil
		}
	}
	return jitter, &linalg.JitterError{Last: jitter, Err: err}
}

// tryFactor computes the Cholesky factor of k + diagonal I.
func (w *workspace) tryFactor(e linalg.Envelope, diagonal float64) error {
	for i := range w.n {
		b, row := e.Begin(i), w.l.Row(i)
		copy(row[b:i+1], w.k.Row(i)[b:i+1])
		row[i] += diagonal
	}
	return w.chol.Factor(w.l, e)
}
