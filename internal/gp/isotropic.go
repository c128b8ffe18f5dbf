package gp

import (
	"context"
	"math"

	"github.com/mahabo/mahabo/internal/lbfgsb"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/num"
)

// Isotropic are the hyperparameters of a process that treats all directions alike,
//
//	cov(y_i, y_j) = s [phi(r) + Noise (i = j)] + v_i (i = j),  r² = Theta |x_i - x_j|²/D,
//
// phi the profile and v_i the variance of noise that is known beforehand. The constant mean
// has a closed form, and so has s unless v_i are given. With a small Theta the gradient of
// the posterior mean is the projection of the true gradient on the span of the data, which
// is all that data can say.
type Isotropic struct {
	Profile Profile
	Theta   float64 // D squared inverse length-scales
	Noise   float64 // variance of the observation noise that is not given, relative to s
	Scale   float64 // s; used where v_i are given
}

// IsotropicPrior is what is believed of an isotropic process before its data are seen.
type IsotropicPrior struct {
	Profile      Profile
	Theta, Noise LogNormalPrior
}

const (
	isotropicEvals  = 10   // gradients of a fit for each hyperparameter
	isotropicNugget = 1e-9 // on the diagonal besides Noise
)

// FitIsotropic returns the most probable hyperparameters for the values y of the first
// len(y) points and minus the logarithm of the density of their logarithms there, without
// the constant terms. It starts at the medians of the prior. given are the v_i, nil for none.
func FitIsotropic(ctx context.Context, prior IsotropicPrior, c *Cloud, y, given []float64) (Isotropic, float64, error) {
	f := newIsotropicLoss(prior, c, y, given)
	far := math.Log(1e6)
	p := []float64{prior.Theta.Mu, prior.Noise.Mu}
	lower := []float64{p[0] - far, math.Log(1e-10)}
	upper := []float64{p[0] + far, math.Log(10)}
	if given != nil {
		s := math.Log(f.plausibleScale(math.Exp(prior.Theta.Mu)))
		p, lower, upper = append(p, s), append(lower, s-far), append(upper, s+far)
	}
	var best Isotropic
	loss := math.Inf(1)
	_, err := lbfgsb.Minimize(ctx, p, lower, upper, func(grad, p []float64) float64 {
		v := f.eval(grad, p)
		if v < loss {
			best, loss = Isotropic{Profile: prior.Profile, Theta: math.Exp(p[0]), Noise: math.Exp(p[1]), Scale: f.scale}, v
		}
		return v
	}, lbfgsb.Options{MaxEval: isotropicEvals * len(p)})
	if err != nil {
		return Isotropic{}, 0, err
	}
	if math.IsInf(loss, 1) {
		return Isotropic{}, 0, ErrNoFit
	}
	return best, loss * float64(f.n), nil
}

// isotropicLoss evaluates the loss of a fit, divided by n.
type isotropicLoss struct {
	prior           IsotropicPrior
	cloud           *Cloud
	y, given        []float64
	n               int
	r, slope        linalg.Matrix // correlations, and their slopes as Profile.correlate has them
	l, s            linalg.Matrix // factor and inverse of the correlations
	residual, alpha []float64
	scale           float64 // s of the last evaluation
}

func newIsotropicLoss(prior IsotropicPrior, c *Cloud, y, given []float64) *isotropicLoss {
	n := len(y)
	return &isotropicLoss{
		prior: prior, cloud: c, y: y, given: given, n: n,
		r: linalg.New(n, n), slope: linalg.New(n, n), l: linalg.New(n, n), s: linalg.New(n, n),
		residual: make([]float64, n), alpha: make([]float64, n),
	}
}

// plausibleScale returns the s that would make the variance of y what it is,
//
//	E var y = s (1 - the mean correlation of two points).
func (f *isotropicLoss) plausibleScale(theta float64) float64 {
	f.cloud.correlations(f.r, linalg.Matrix{}, f.prior.Profile, theta/float64(f.cloud.dim), 0)
	var apart, pairs float64
	for i := range f.n {
		for _, r := range f.r.Row(i)[:i] {
			apart += 1 - r
			pairs++
		}
	}
	_, std := num.MeanStd(f.y)
	return max(std*std*pairs/max(apart, smallestScale), smallestScale)
}

// eval returns the loss at p = (log Theta, log Noise), and log s where noise is given. With
// R the correlations including all noise, S = R⁻¹ and alpha = S(y - mean):
//
//	mean = 1'Sy/1'S1,  s = (y - mean)'alpha/n unless it is in p,
//	loss = n/2 log s + 1/2 log det R + 1/2 (y - mean)'alpha/s + priors,
//	d loss = 1/2 tr(S dR) - 1/2 alpha'dR alpha/s + ...
//
// In closed form s makes the third term constant, and it is left out.
func (f *isotropicLoss) eval(grad, p []float64) float64 {
	theta, noise := math.Exp(p[0]), math.Exp(p[1])
	rate := theta / float64(f.cloud.dim)
	f.cloud.correlations(f.r, f.slope, f.prior.Profile, rate, noise)
	if f.given != nil {
		f.scale = math.Exp(p[2])
		addGiven(f.r, f.given, f.scale)
	}
	copy(f.l.Data, f.r.Data)
	if linalg.Cholesky(f.l) != nil {
		return math.Inf(1)
	}
	linalg.InverseFromCholesky(f.s, f.l)
	var total, weighted float64
	for i, y := range f.y {
		var row float64
		for _, v := range f.s.Row(i) {
			row += v
		}
		total += row
		weighted += row * y
	}
	mean := weighted / total
	for i, y := range f.y {
		f.residual[i] = y - mean
	}
	for i := range f.n {
		f.alpha[i] = linalg.Dot(f.s.Row(i), f.residual)
	}
	misfit := linalg.Dot(f.residual, f.alpha)
	if f.given == nil {
		f.scale = max(misfit/float64(f.n), smallestScale)
	}

	var dTheta, dNoise float64
	for i := range f.n {
		slope, r2, s := f.slope.Row(i), f.cloud.r2.Row(i), f.s.Row(i)
		a := f.alpha[i] / f.scale
		for j := range i {
			// dR_ij/d log theta = -1/2 slope rate |x_i - x_j|²; both triangles, hence once.
			dTheta += slope[j] * (-rate / 2) * r2[j] * (s[j] - a*f.alpha[j])
		}
		dNoise += 0.5 * noise * (s[i] - a*f.alpha[i])
	}
	value := 0.5*float64(f.n)*math.Log(f.scale) + 0.5*linalg.LogDet(f.l)
	if f.given != nil {
		value += 0.5 * misfit / f.scale
		grad[2] = f.scaleGradient(misfit) / float64(f.n)
	}
	for i, prior := range []LogNormalPrior{f.prior.Theta, f.prior.Noise} {
		t := (p[i] - prior.Mu) / prior.StdDev
		value += t * t / 2
		grad[i] = t / prior.StdDev
	}
	grad[0] = (grad[0] + dTheta) / float64(f.n)
	grad[1] = (grad[1] + dNoise) / float64(f.n)
	return value / float64(f.n)
}

// scaleGradient is the derivative of the loss in log s, where dR = -diag(v)/s.
func (f *isotropicLoss) scaleGradient(misfit float64) float64 {
	g := 0.5 * (float64(f.n) - misfit/f.scale)
	for i, v := range f.given {
		g -= 0.5 * v / f.scale * (f.s.At(i, i) - f.alpha[i]*f.alpha[i]/f.scale)
	}
	return g
}

// addGiven adds noise that is given to correlations.
func addGiven(r linalg.Matrix, given []float64, scale float64) {
	for i, v := range given {
		r.Set(i, i, r.At(i, i)+v/scale)
	}
}

// smallestScale keeps the logarithm of s finite for constant values.
const smallestScale = 1e-12

// correlations fills the lower triangle of k for its first points, and that of slope, unless
// it is empty, as Profile.correlate does.
func (c *Cloud) correlations(k, slope linalg.Matrix, p Profile, rate, noise float64) {
	for i := range k.Rows {
		var slopes []float64
		if slope.Rows > 0 {
			slopes = slope.Row(i)[:i]
		}
		p.correlate(k.Row(i)[:i], slopes, rate, c.r2.Row(i)[:i])
		k.Set(i, i, 1+noise+isotropicNugget)
	}
}

// IsotropicModel is the posterior. It keeps scratch memory and its cloud: one goroutine
// at a time.
type IsotropicModel struct {
	Isotropic
	cloud  *Cloud
	data   int // points with values; the others are believed
	rate   float64
	mean   float64
	scale  float64
	jitter float64
	l, li  linalg.Matrix // factor of the correlations, and its inverse, spare rows below
	alpha  []float64     // R⁻¹(y - mean), 0 for believed points
	fitted []float64     // posterior mean at the data
	k, v   linalg.Matrix // scratch
}

var _ Surrogate = (*IsotropicModel)(nil)

// NewIsotropicModel conditions on the values y of the points of the cloud; given are the
// v_i, nil for none, and spare is the number of points that may be believed later.
func NewIsotropicModel(h Isotropic, c *Cloud, y, given []float64, spare int) (*IsotropicModel, error) {
	n := len(y)
	m := &IsotropicModel{
		Isotropic: h, cloud: c, data: n, rate: h.Theta / float64(c.dim),
		l: linalg.New(n+spare, n+spare), li: linalg.New(n+spare, n+spare),
		alpha: make([]float64, n+spare), fitted: make([]float64, n),
	}
	r, l := linalg.New(n, n), m.l.Slice(0, n, 0, n)
	c.correlations(r, linalg.Matrix{}, h.Profile, m.rate, h.Noise)
	addGiven(r, given, h.Scale)
	jitter, err := linalg.CholeskyJitter(l, r, linalg.DefaultLadder(r))
	if err != nil {
		return nil, err
	}
	m.jitter = jitter
	li := m.li.Slice(0, n, 0, n)
	for i := range n {
		copy(li.Row(i)[:i+1], l.Row(i)[:i+1])
	}
	linalg.InvertLower(li)

	// With u = L⁻¹1 and v = L⁻¹y: mean = u·v/u·u and alpha = L⁻ᵀ(v - mean u).
	u, v := make([]float64, n), make([]float64, n)
	for i := range n {
		for _, e := range li.Row(i)[:i+1] {
			u[i] += e
		}
		v[i] = linalg.Dot(li.Row(i)[:i+1], y[:i+1])
	}
	m.mean = linalg.Dot(u, v) / linalg.Dot(u, u)
	linalg.Axpy(v, -m.mean, u)
	if m.scale = h.Scale; given == nil {
		m.scale = max(linalg.Dot(v, v)/float64(n), smallestScale)
	}
	for i := range n {
		linalg.Axpy(m.alpha[:i+1], v[i], li.Row(i)[:i+1])
	}
	for i := range n {
		// (R - N) alpha + mean = y - N alpha, N the noise on the diagonal.
		m.fitted[i] = y[i] - (h.Noise+isotropicNugget+jitter)*m.alpha[i]
	}
	for i, g := range given {
		m.fitted[i] -= g / h.Scale * m.alpha[i]
	}
	return m, nil
}

// Fitted returns the posterior mean at the data, not to be changed.
func (m *IsotropicModel) Fitted() []float64 { return m.fitted }

// Jitter returns what had to be added to the diagonal, usually 0.
func (m *IsotropicModel) Jitter() float64 { return m.jitter }

// LeaveOneOut returns the moments of value i, which is y, given the others, the mean and the
// hyperparameters: with S = R⁻¹, mean = y - alpha_i/S_ii and variance = s/S_ii.
func (m *IsotropicModel) LeaveOneOut(i int, y float64) (mean, variance float64) {
	var own float64
	for j := i; j < m.data; j++ {
		own += m.li.At(j, i) * m.li.At(j, i)
	}
	return y - m.alpha[i]/own, m.scale / own
}

// Believe adds a point at its predicted mean: means stay, variances shrink.
func (m *IsotropicModel) Believe(x []float64) {
	n := m.cloud.n
	m.cloud.Append(x)
	k := make([]float64, n)
	m.Profile.correlate(k, nil, m.rate, m.cloud.r2.Row(n)[:n])
	l := m.l.Slice(0, n+1, 0, n+1)
	// A point on top of another makes the matrix singular but for the noise.
	for own := 1 + m.Noise + isotropicNugget + m.jitter; linalg.AppendRow(l, k, own) != nil; own += 1e-6 {
		continue
	}
	// The last row of L⁻¹ is -l'L⁻¹/l_nn, then 1/l_nn.
	row, last := m.li.Row(n)[:n+1], l.At(n, n)
	for j := range n {
		linalg.Axpy(row[:j+1], -l.At(n, j)/last, m.li.Row(j)[:j+1])
	}
	row[n] = 1 / last
}

// Release takes the believed points out of the cloud; the model ends with it.
func (m *IsotropicModel) Release() { m.cloud.Truncate(m.data) }

// NoiseVariance is that of the observation noise that is not given.
func (m *IsotropicModel) NoiseVariance() float64 { return m.scale * m.Noise }

// Predict returns the moments of the latent function.
func (m *IsotropicModel) Predict(x []float64) (mean, variance float64) {
	row := linalg.New(1, len(x))
	copy(row.Data, x)
	m.Evaluate([]float64{0}, linalg.Matrix{}, row, func(m, v float64) (float64, float64, float64) {
		mean, variance = m, v
		return 0, 0, 0
	})
	return mean, variance
}

// Moments is a function of the posterior at a point, with its derivatives.
type Moments func(mean, variance float64) (value, dMean, dVariance float64)

// Evaluate fills value and grad with f and its gradient at the rows of x. With the
// correlations k and w = R⁻¹k,
//
//	mean = mean0 + k·alpha,  variance = s (1 - k·w),
//	grad = sum_i c_i (x_i - x) rate,  rate = Theta/D,  c_i = slope_i (dMean alpha_i - 2 s dVariance w_i).
//
// All rows share the passes over the data. Without rows in grad there is no gradient.
func (m *IsotropicModel) Evaluate(value []float64, grad, x linalg.Matrix, f Moments) {
	n, rows := m.cloud.n, x.Rows
	data := m.cloud.X()
	if m.k.Rows < 2*rows || m.k.Cols < n {
		m.k, m.v = linalg.New(2*rows, m.l.Cols), linalg.New(2*rows, m.l.Cols)
	}
	k, slope := m.k.Slice(0, rows, 0, n), m.k.Slice(rows, 2*rows, 0, n)
	v, w := m.v.Slice(0, rows, 0, n), m.v.Slice(rows, 2*rows, 0, n)
	linalg.GemmTB(k, 0, -2, x, data)
	for i := range rows {
		row, xx := k.Row(i), linalg.Dot(x.Row(i), x.Row(i))
		for j, q := range m.cloud.norm2[:n] {
			row[j] = max(0, row[j]+xx+q)
		}
		m.Profile.correlate(row, slope.Row(i), m.rate, row)
	}
	li := m.li.Slice(0, n, 0, n)
	linalg.GemmTB(v, 0, 1, k, li)
	if grad.Rows > 0 {
		linalg.Gemm(w, 0, 1, v, li)
	}
	for i := range rows {
		c, wi := slope.Row(i), w.Row(i)
		mean := m.mean + linalg.Dot(k.Row(i), m.alpha[:n])
		variance := m.scale * max(1-linalg.Dot(v.Row(i), v.Row(i)), smallestVariance)
		val, dMean, dVariance := f(mean, variance)
		value[i] = val
		if grad.Rows == 0 {
			continue
		}
		var sum float64
		for j := range c {
			c[j] *= dMean*m.alpha[j] - 2*m.scale*dVariance*wi[j]
			sum += c[j]
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
