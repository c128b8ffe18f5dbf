package gp

import (
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Posterior is a process given data. It keeps scratch memory and believed points: one
// goroutine at a time.
type Posterior struct {
	Hyper
	points  *Points // z of the data, then of believed points; those of the data themselves without a map
	shared  bool    // points are those of the data
	threads int
	rate    float64
	linear  Map // nil for none
	data    int // points with values; the others are believed
	mean    float64
	scale   float64
	jitter  float64
	y       []float64
	factor  *linalg.Factor // of the correlations, and its inverse, spare rows below
	alpha   []float64      // R⁻¹(y - mean), 0 for believed points
	unit    []float64      // R⁻¹1 of a restricted process
	total   float64
	fitted  []float64     // posterior mean at the data
	k, v    linalg.Matrix // scratch
	z, gz   linalg.Matrix // scratch of the map
}

// Condition returns the posterior; spare is the number of points that may be believed
// later.
func Condition(h Hyper, d Data, spare int) (*Posterior, error) {
	return new(Grower).Condition(h, d, spare)
}

// solve finds mean, s and alpha. With u = L⁻¹1 and v = L⁻¹y: mean = u·v/u·u and
// alpha = L⁻ᵀ(v - mean u).
func (m *Posterior) solve(d Data) {
	n, li := len(d.Y), m.factor.Inverse
	u, v := make([]float64, n), make([]float64, n)
	for i := range n {
		for _, e := range li.Row(i) {
			u[i] += e
		}
		v[i] = linalg.Dot(li.Row(i), d.Y[:i+1])
	}
	m.total = linalg.Dot(u, u)
	if m.Mean != nil {
		m.mean = *m.Mean
	} else {
		m.mean = linalg.Dot(u, v) / m.total
	}
	linalg.Axpy(v, -m.mean, u)
	freedom := n
	if m.Restricted {
		freedom = max(1, n-1)
		m.unit = make([]float64, n)
		for i := range n {
			linalg.Axpy(m.unit[:i+1], u[i], li.Row(i))
		}
	}
	if m.scale = m.Scale; d.Given == nil && !m.Known {
		m.scale = max(linalg.Dot(v, v)/float64(freedom), smallestScale)
	}
	for i := range n {
		linalg.Axpy(m.alpha[:i+1], v[i], li.Row(i))
	}
}

// Fitted returns the posterior mean at the data, not to be changed.
func (m *Posterior) Fitted() []float64 { return m.fitted }

// Jitter returns what had to be added to the diagonal, usually 0.
func (m *Posterior) Jitter() float64 { return m.jitter }

// Widen multiplies all variances, for a model that is known to be too sure of itself.
func (m *Posterior) Widen(factor float64) { m.scale *= factor }

// OutputScale is s.
func (m *Posterior) OutputScale() float64 { return m.scale }

// NoiseVariance is that of the observation noise that is not given.
func (m *Posterior) NoiseVariance() float64 { return m.scale * m.Noise }

// LeaveOneOut returns the moments of value i, with noise, given the others and the
// hyperparameters, and unless the process is restricted the mean: with S = R⁻¹,
//
//	mean = y - alpha_i/S_ii,  variance = s/S_ii.
//
// A restricted one has S - S11'S/1'S1 for S.
func (m *Posterior) LeaveOneOut(i int) (mean, variance float64) {
	var own float64
	for j := i; j < m.data; j++ {
		own += m.factor.Inverse.At(j, i) * m.factor.Inverse.At(j, i)
	}
	if m.Restricted {
		own = max(own-m.unit[i]*m.unit[i]/m.total, smallestVariance)
	}
	return m.y[i] - m.alpha[i]/own, m.scale / own
}

// Believe adds a point at its predicted mean: means stay, variances shrink.
func (m *Posterior) Believe(x []float64) { BelieveAll(m, [][]float64{x}) }

// BelieveAll believes points one after another. The bytes are those of Believe.
func BelieveAll[P ~[]float64](m *Posterior, points []P) {
	for part := range slices.Chunk(points, believedAtOnce) {
		n := m.points.n
		k := linalg.New(len(part), n+len(part))
		for i, x := range part {
			m.appendPoint(k.Row(i)[:n+i], x)
		}
		// A point on top of another makes the matrix singular but for the noise.
		linalg.AppendLower(m.factor.L, m.factor.Inverse, n, k, 1+m.Noise+nugget+m.jitter, 1e-6)
	}
}

// MeanOf is the mean of the latent function at x. Its bytes are those of Predict when so many points are believed: means stay, but
// for rounding.
func (m *Posterior) MeanOf(x []float64, believed int) float64 {
	n := m.data + believed
	if m.linear != nil {
		z := make([]float64, m.linear.Dim())
		m.linear.Apply(matrixOf(z), matrixOf(x))
		x = z
	}
	k := linalg.New(2, n)
	squares(k.Slice(0, 1, 0, n), matrixOf(x), m.points.x.Slice(0, n, 0, m.points.dim), m.points.norm2)
	m.Profile.Correlate(k.Row(0), k.Row(1), m.rate, k.Row(0))
	return m.mean + linalg.Dot(k.Row(0), m.alpha[:n])
}

// believedAtOnce rows of the factor stay in the cache.
const believedAtOnce = 16

// matrixOf has one row.
func matrixOf(x []float64) linalg.Matrix {
	return linalg.Matrix{Rows: 1, Cols: len(x), Stride: len(x), Data: x}
}

// appendPoint adds a point to those of the posterior, and fills k with its correlations with those before.
func (m *Posterior) appendPoint(k, x []float64) {
	n := m.points.n
	if m.linear == nil {
		m.points.Append(x)
	} else {
		z := make([]float64, m.linear.Dim())
		m.linear.Apply(matrixOf(z), matrixOf(x))
		m.points.Append(z)
	}
	m.Profile.Correlate(k, nil, m.rate, m.points.r2[n])
	if m.Main != nil {
		if m.Main.Share > 0 {
			main := make([]float64, n)
			m.Main.correlate(main, make([]float64, n*m.points.dim), x, m.points)
			m.Main.blend(k, main)
		}
		if m.Main.LeadTheta > 0 {
			m.Main.led(make([]float64, n), k, x, m.points)
		}
	}
}

// Release takes believed points out of the points of the data; the posterior ends with it.
func (m *Posterior) Release() {
	if m.shared {
		m.points.Truncate(m.data)
	}
}

// Predict returns the moments of the latent function.
func (m *Posterior) Predict(x []float64) (mean, variance float64) {
	row := linalg.New(1, len(x))
	copy(row.Data, x)
	m.Evaluate([]float64{0}, linalg.Matrix{}, row, func(m, v float64) (float64, float64, float64) {
		mean, variance = m, v
		return 0, 0, 0
	})
	return mean, variance
}

// PredictRows fills the moments of the latent function at the rows of x.
func (m *Posterior) PredictRows(mean, variance []float64, x linalg.Matrix) {
	row := 0
	m.Evaluate(make([]float64, x.Rows), linalg.Matrix{}, x, func(mu, v float64) (float64, float64, float64) {
		mean[row], variance[row] = mu, v
		row++
		return 0, 0, 0
	})
}

// Moments is a function of the posterior at a point, with its derivatives.
type Moments func(mean, variance float64) (value, dMean, dVariance float64)

// Mean is the posterior mean itself.
func Mean(mean, _ float64) (value, dMean, dVariance float64) { return mean, 1, 0 }

// Evaluate fills value and grad with f and its gradient at the rows of x. With the
// correlations k and w = R⁻¹k,
//
//	mean = mean0 + k·alpha,  variance = s (1 - k·w),
//	grad_z = sum_i c_i (z_i - z) rate,  c_i = slope_i (dMean alpha_i - 2 s dVariance w_i).
//
// The variance of a restricted process has s (1 - k·unit)²/total more. All rows share the
// passes over the data. Without rows in grad there is no gradient.
func (m *Posterior) Evaluate(value []float64, grad, x linalg.Matrix, f Moments) {
	if m.linear == nil {
		m.evaluate(value, grad, x, f)
		return
	}
	if m.z.Rows < x.Rows {
		m.z, m.gz = linalg.New(x.Rows, m.linear.Dim()), linalg.New(x.Rows, m.linear.Dim())
	}
	z, gz := m.z.Slice(0, x.Rows, 0, m.z.Cols), m.gz.Slice(0, grad.Rows, 0, m.gz.Cols)
	m.linear.Apply(z, x)
	m.evaluate(value, gz, z, f)
	for i := range grad.Rows {
		m.linear.Pull(grad.Row(i), gz.Row(i))
	}
}

func (m *Posterior) evaluate(value []float64, grad, x linalg.Matrix, f Moments) {
	n, rows := m.points.n, x.Rows
	data := m.points.X()
	if m.k.Rows < 2*rows || m.k.Cols < n {
		m.k, m.v = linalg.New(2*rows, len(m.alpha)), linalg.New(2*rows, len(m.alpha))
	}
	k, slope := m.k.Slice(0, rows, 0, n), m.k.Slice(rows, 2*rows, 0, n)
	v, w := m.v.Slice(0, rows, 0, n), m.v.Slice(rows, 2*rows, 0, n)
	squares(k, x, data, m.points.norm2)
	for i := range rows {
		row := k.Row(i)
		m.Profile.Correlate(row, slope.Row(i), m.rate, row)
	}
	linalg.MulLowerTrans(m.threads, v, k, m.factor.Inverse)
	if grad.Rows > 0 {
		linalg.MulLower(m.threads, w, v, m.factor.Inverse)
	}
	for i := range rows {
		c, wi := slope.Row(i), w.Row(i)
		mean := m.mean + linalg.Dot(k.Row(i), m.alpha[:n])
		share, missing := 1-linalg.Dot(v.Row(i), v.Row(i)), 0.0
		if m.Restricted {
			missing = 1 - linalg.Dot(k.Row(i)[:m.data], m.unit)
			share += missing * missing / m.total
		}
		val, dMean, dVariance := f(mean, m.scale*max(share, smallestVariance))
		value[i] = val
		if grad.Rows == 0 {
			continue
		}
		if m.Restricted { // d(1 - k·unit)² = -2 (1 - k·unit) unit·dk
			linalg.Axpy(wi[:m.data], missing/m.total, m.unit)
		}
		alpha, twice, sum := m.alpha[:n], 2*m.scale*dVariance, 0.0
		for j, wij := range wi {
			v := c[j] * (dMean*alpha[j] - twice*wij)
			c[j] = v
			sum += v
		}
		g := grad.Row(i)
		for j, xj := range x.Row(i) {
			g[j] = -sum * xj
		}
	}
	if grad.Rows == 0 {
		return
	}
	linalg.Gemm(grad, 1, 1, slope, data)
	for i := range rows {
		g := grad.Row(i)
		for j := range g {
			g[j] *= m.rate
		}
	}
}

// smallestVariance is what rounding leaves of a variance that is 0, relative to s.
const smallestVariance = 1e-10
