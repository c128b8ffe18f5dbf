package lingp

import (
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Model is the posterior of a Gaussian process given data
// (eq:posterior_mean_cov). It is safe for concurrent use.
type Model struct {
	hyper   Hyper
	n       int
	dir     []float64     // main direction in z
	keys    []keyed       // sorted by u
	z       linalg.Matrix // d x n, sorted
	norm2   []float64     // |z_i|², for large d only
	head2   []float64     // the part of it in the first headCoordinates of z
	alpha   []float64     // sorted
	inverse linalg.Matrix // S, sorted
	jitter  float64
	scratch sync.Pool
}

var (
	_ Differentiable = (*Model)(nil)
	_ Batch          = (*Model)(nil)
	_ Joint          = (*Model)(nil)
)

// NewModel conditions the process with the given hyperparameters on the data.
func NewModel(h Hyper, in *Inputs, y []float64) (*Model, error) {
	if err := h.validate(in.dim); err != nil {
		return nil, err
	}
	low, _ := h.Dims()
	m := &Model{hyper: h, n: in.n}
	m.scratch.New = func() any { return newScratch(m) }
	if in.n == 0 {
		return m, nil
	}
	w := newWorkspace(in.n)
	z := linalg.New(low, in.n)
	projectAll(z, h.Kernel, in)
	e := w.sortPoints(z, h.Profile)
	w.fillKernel(e, h)
	jitter, err := w.factor(e, h.NoiseVariance)
	if err != nil {
		return nil, err
	}
	for p, key := range w.keys {
		w.alpha[p] = y[key.i] - h.Mean
	}
	w.chol.Solve(w.alpha)
	// Two points near x can lie further from each other than the radius, so
	// the prediction needs entries of S outside the envelope too.
	for i := range m.n {
		clear(w.l.Row(i)[:e.Begin(i)])
	}
	linalg.InverseFromCholesky(w.s, w.l)
	m.jitter, m.dir, m.keys, m.z, m.alpha, m.inverse = jitter, w.dir, w.keys, w.z, w.alpha, w.s
	if low > maxSortedDim {
		m.norm2 = make([]float64, m.n)
		for a := range low {
			for i, v := range m.z.Row(a) {
				m.norm2[i] += v * v
			}
			if a+1 == min(headCoordinates, low) {
				m.head2 = slices.Clone(m.norm2)
			}
		}
	}
	return m, nil
}

// Hyper returns the hyperparameters, not to be changed.
func (m *Model) Hyper() Hyper { return m.hyper }

// Jitter returns what had to be added to the diagonal, usually 0.
func (m *Model) Jitter() float64 { return m.jitter }

// scratch are the buffers of one prediction.
type scratch struct {
	z, dMean, dVar []float64 // d
	k, slope, w    []float64 // n
}

func newScratch(m *Model) *scratch {
	low, _ := m.hyper.Dims()
	return &scratch{
		z: make([]float64, low), dMean: make([]float64, low), dVar: make([]float64, low),
		k: make([]float64, m.n), slope: make([]float64, m.n), w: make([]float64, m.n),
	}
}

// near returns the range of sorted points within the kernel's radius of u.
func (m *Model) near(u float64) (from, to int) {
	if m.norm2 != nil {
		return 0, m.n
	}
	radius := m.hyper.Profile.Radius()
	from = sort.Search(m.n, func(p int) bool { return m.keys[p].u >= u-radius })
	to = from + sort.Search(m.n-from, func(p int) bool { return m.keys[from+p].u > u+radius })
	return from, to
}

// correlate fills k (and slope unless nil) with the covariances of z and the
// sorted points from..to-1.
func (m *Model) correlate(k, slope, z []float64, from, to int) {
	k = m.distances(k, z, from, to)
	if slope != nil {
		slope = slope[:to-from]
	}
	m.hyper.Profile.Apply(k, slope, m.hyper.OutputScale)
}

// distances fills r2 with the squared distances of z and the sorted points
// from..to-1 and returns that part of it.
func (m *Model) distances(r2, z []float64, from, to int) []float64 {
	r2 = r2[:to-from]
	if m.norm2 != nil {
		zz := linalg.Dot(z, z)
		copy(r2, m.norm2[from:to])
		for a, v := range z {
			linalg.Axpy(r2, -2*v, m.z.Row(a)[from:to])
		}
		for i := range r2 {
			r2[i] = max(r2[i]+zz, 0)
		}
		return r2
	}
	linalg.ColumnDistances(r2, z, m.z.Slice(0, len(z), from, to))
	return r2
}

// along returns the coordinate of z on the main direction.
func (m *Model) along(z []float64) float64 {
	u := 0.0
	if m.norm2 == nil {
		for a, c := range m.dir {
			u += c * z[a]
		}
	}
	return u
}

// weights computes w = S k over the range and returns k·alpha and k·w.
func (m *Model) weights(w, k []float64, from, to int) (ka, kw float64) {
	for i := from; i < to; i++ {
		w[i-from] = linalg.Dot(m.inverse.Row(i)[from:to], k)
	}
	return linalg.Dot(k, m.alpha[from:to]), linalg.Dot(k, w[:to-from])
}

// floor keeps a variance that rounding made negative at zero.
func floor(variance float64) float64 { return math.Max(variance, 0) }

// Predict returns the posterior mean and variance of the latent function.
func (m *Model) Predict(x []float64) (mean, variance float64) {
	sc := m.scratch.Get().(*scratch)
	defer m.scratch.Put(sc)
	m.hyper.project(sc.z, x)
	from, to := m.near(m.along(sc.z))
	k := sc.k[:to-from]
	m.correlate(k, nil, sc.z, from, to)
	ka, kw := m.weights(sc.w, k, from, to)
	return m.hyper.Mean + ka, floor(m.hyper.OutputScale - kw)
}

// PredictGrad also fills the gradients of mean and variance in x. With
// dk_i/dz = -slope_i (z - z_i):
//
//	d mean/dz = sum_i alpha_i dk_i/dz,  d variance/dz = -2 sum_i w_i dk_i/dz.
func (m *Model) PredictGrad(dMean, dVar, x []float64) (mean, variance float64) {
	sc := m.scratch.Get().(*scratch)
	defer m.scratch.Put(sc)
	m.hyper.project(sc.z, x)
	from, to := m.near(m.along(sc.z))
	k, slope, w := sc.k[:to-from], sc.slope[:to-from], sc.w[:to-from]
	m.correlate(k, slope, sc.z, from, to)
	ka, kw := m.weights(w, k, from, to)
	var sumMean, sumVar float64
	for i, sl := range slope {
		cm, cv := -sl*m.alpha[from+i], 2*sl*w[i]
		k[i], w[i] = cm, cv
		sumMean += cm
		sumVar += cv
	}
	for a, v := range sc.z {
		za := m.z.Row(a)[from:to]
		sc.dMean[a] = sumMean*v - linalg.Dot(k, za)
		sc.dVar[a] = sumVar*v - linalg.Dot(w, za)
	}
	m.hyper.pullback(dMean, sc.dMean)
	m.hyper.pullback(dVar, sc.dVar)
	return m.hyper.Mean + ka, floor(m.hyper.OutputScale - kw)
}

// Cov returns the posterior covariance of the latent values at x and y.
func (m *Model) Cov(x, y []float64) float64 {
	fx := m.influence(x)
	return m.covWith(fx, y)
}

// influence is what a point x contributes to covariances with others:
// z = T x and w = S k(X,x) over the points near x.
type influence struct {
	z        []float64
	from, to int
	w        []float64
}

func (m *Model) influence(x []float64) influence {
	low, _ := m.hyper.Dims()
	f := influence{z: make([]float64, low)}
	m.hyper.project(f.z, x)
	f.from, f.to = m.near(m.along(f.z))
	k := make([]float64, f.to-f.from)
	m.correlate(k, nil, f.z, f.from, f.to)
	f.w = make([]float64, m.n)
	for i := range m.n {
		f.w[i] = linalg.Dot(m.inverse.Row(i)[f.from:f.to], k)
	}
	return f
}

// covWith returns cov(x, y) = k(x,y) - k(y,X) w.
func (m *Model) covWith(f influence, y []float64) float64 {
	sc := m.scratch.Get().(*scratch)
	defer m.scratch.Put(sc)
	m.hyper.project(sc.z, y)
	from, to := m.near(m.along(sc.z))
	k := sc.k[:to-from]
	m.correlate(k, nil, sc.z, from, to)
	var r2 [1]float64
	for a, v := range sc.z {
		r2[0] += (v - f.z[a]) * (v - f.z[a])
	}
	m.hyper.Profile.Apply(r2[:], nil, m.hyper.OutputScale)
	return r2[0] - linalg.Dot(k, f.w[from:to])
}

// Dim returns D.
func (m *Model) Dim() int {
	_, high := m.hyper.Dims()
	return high
}
