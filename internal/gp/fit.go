package gp

import (
	"context"
	"math"

	"github.com/mahabo/mahabo/internal/lbfgsb"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/num"
)

// Data are observed values at the first points.
type Data struct {
	Points  *Points
	Y       []float64
	Given   []float64 // v_i, variances of noise that is known; nil for none
	Weights []float64 // w_i, multiples of the noise that is learned; nil for ones
}

func (d Data) weight(i int) float64 {
	if d.Weights == nil {
		return 1
	}
	return d.Weights[i]
}

// Prior is what is believed of a process before its data are seen.
type Prior struct {
	Profile    Profile
	Metric     Metric // its hyperparameters say what is believed of them
	Noise      HyperParam
	Scale      float64   // s if it is known, else 0
	Restricted bool      // the mean counts as unknown: restricted likelihood
	Start      []float64 // logarithms where a fit begins; nil for the medians of the priors
	Evals      int       // gradients of a fit; 0 for ten for each hyperparameter
	Ftol       float64   // relative decrease at which a fit ends; 0 for the solver's own
}

// NoiseParam is the hyperparameter of the noise, relative to s, with its usual bounds.
func NoiseParam(prior LogNormalPrior) HyperParam {
	return HyperParam{"noise", prior, math.Log(1e-10), math.Log(10)}
}

// Hyper are the hyperparameters of a process.
type Hyper struct {
	Profile    Profile
	Metric     Metric
	Noise      float64 // variance of the observation noise that is not given, relative to s
	Scale      float64 // s; used where v_i are given or Known
	Known      bool    // Scale holds whatever the data are
	Restricted bool
	Mean       *float64 // nil: it follows from the data
	Main       *Main    // of joint processes whose metric has no map; nil for none
	Logs       []float64
}

const (
	evalsPerParam = 10
	nugget        = 1e-9 // on the diagonal besides Noise
)

// Fit returns the most probable hyperparameters and minus the logarithm of the density of
// their logarithms there, without the constant terms.
func Fit(ctx context.Context, prior Prior, d Data) (Hyper, float64, error) {
	f := newLoss(prior, d)
	params := append(prior.Metric.Params(), prior.Noise)
	p, lower, upper := make([]float64, len(params)), make([]float64, len(params)), make([]float64, len(params))
	for i, h := range params {
		p[i], lower[i], upper[i] = h.Prior.Mu, h.Low, h.High
	}
	if f.moved {
		s := math.Log(f.plausibleScale(p))
		p, lower, upper = append(p, s), append(lower, s-far), append(upper, s+far)
	}
	copy(p, prior.Start)
	evals := prior.Evals
	if evals == 0 {
		evals = evalsPerParam * len(p)
	}
	var best Hyper
	least := math.Inf(1)
	_, err := lbfgsb.Minimize(ctx, p, lower, upper, func(grad, p []float64) float64 {
		v := f.eval(grad, p)
		if v < least {
			best, least = f.hyper(p), v
		}
		return v
	}, lbfgsb.Options{MaxEval: evals, Ftol: prior.Ftol})
	if err != nil {
		return Hyper{}, 0, err
	}
	if math.IsInf(least, 1) {
		return Hyper{}, 0, ErrNoFit
	}
	return best, least * float64(f.n), nil
}

// loss evaluates the loss of a fit, divided by n.
type loss struct {
	Prior
	Data
	n               int
	moved           bool          // s is a hyperparameter
	params          []HyperParam  // of the metric, and the noise
	metric          Metric        // of the last evaluation
	r, slope, l, s  linalg.Matrix // correlations, their slopes, the factor and the inverse
	g               linalg.Matrix // derivative in R, where the metric needs all of it
	row             []float64     // of it
	residual, alpha []float64
	unit            []float64
	scale           float64 // s of the last evaluation
}

func newLoss(prior Prior, d Data) *loss {
	n := len(d.Y)
	f := &loss{
		Prior: prior, Data: d, n: n, moved: d.Given != nil && prior.Scale == 0, params: append(prior.Metric.Params(), prior.Noise),
		r: linalg.New(n, n), slope: linalg.New(n, n), l: linalg.New(n, n), s: linalg.New(n, n), row: make([]float64, n),
		residual: make([]float64, n), alpha: make([]float64, n), unit: make([]float64, n),
	}
	if _, ok := prior.Metric.(rowMetric); !ok {
		f.g = linalg.New(n, n)
	}
	return f
}

// hyper are the hyperparameters of the last evaluation, which was at p.
func (f *loss) hyper(p []float64) Hyper {
	m := len(f.params) - 1
	return Hyper{
		Profile: f.Profile, Metric: f.metric, Noise: math.Exp(p[m]), Scale: f.scale, Known: f.Prior.Scale > 0, Restricted: f.Restricted,
		Logs: append([]float64(nil), p...),
	}
}

// plausibleScale returns the s that would make the variance of y what it is,
//
//	E var y = s (1 - the mean correlation of two points).
func (f *loss) plausibleScale(p []float64) float64 {
	fillCorrelations(f.r, linalg.Matrix{}, f.Profile, f.Metric.At(p[:len(f.params)-1]), 0, f.Data)
	var apart, pairs float64
	for i := range f.n {
		for _, r := range f.r.Row(i)[:i] {
			apart += 1 - r
			pairs++
		}
	}
	_, std := num.MeanStd(f.Y)
	return max(std*std*pairs/max(apart, smallestScale), smallestScale)
}

// eval returns the loss at p: the logarithms of the metric's hyperparameters, of Noise, and
// of s where that is moved. With S = R⁻¹ and alpha = S(y - mean):
//
//	mean = 1'Sy/1'S1,  s = (y - mean)'alpha/n unless it is moved or known,
//	loss = n/2 log s + 1/2 log det R + 1/2 (y - mean)'alpha/s + priors,
//	d loss = 1/2 tr(S dR) - 1/2 alpha'dR alpha/s + ...
//
// In closed form s makes the third term constant, and it is left out. The restricted
// likelihood has n-1 for n, 1/2 log 1'S1 more, and S - S11'S/1'S1 for S in the trace.
func (f *loss) eval(grad, p []float64) float64 {
	m := len(f.params) - 1
	noise := math.Exp(p[m])
	f.metric = f.Metric.At(p[:m])
	fillCorrelations(f.r, f.slope, f.Profile, f.metric, noise, f.Data)
	if f.scale = f.Prior.Scale; f.moved {
		f.scale = math.Exp(p[m+1])
	}
	if f.Given != nil {
		addGiven(f.r, f.Given, f.scale)
	}
	copy(f.l.Data, f.r.Data)
	if linalg.Cholesky(f.l) != nil {
		return math.Inf(1)
	}
	linalg.InverseFromCholesky(f.s, f.l)
	var total, weighted float64
	for i, y := range f.Y {
		var row float64
		for _, v := range f.s.Row(i) {
			row += v
		}
		f.unit[i] = row
		total += row
		weighted += row * y
	}
	mean := weighted / total
	for i, y := range f.Y {
		f.residual[i] = y - mean
	}
	for i := range f.n {
		f.alpha[i] = linalg.Dot(f.s.Row(i), f.residual)
	}
	misfit := linalg.Dot(f.residual, f.alpha)
	freedom := float64(f.n)
	if f.Restricted {
		freedom = float64(max(1, f.n-1))
	}
	closed := f.scale == 0
	if closed {
		f.scale = max(misfit/freedom, smallestScale)
	}
	clear(grad)
	grad[m] = f.derivative(grad[:m], noise, total)
	value := 0.5*freedom*math.Log(f.scale) + 0.5*linalg.LogDet(f.l)
	if f.Restricted {
		value += 0.5 * math.Log(total)
	}
	if !closed {
		value += 0.5 * misfit / f.scale
	}
	if f.moved {
		grad[m+1] = f.scaleGradient(misfit) / float64(f.n)
	}
	for i, h := range f.params {
		t := (p[i] - h.Prior.Mu) / h.Prior.StdDev
		value += t * t / 2
		grad[i] = (t/h.Prior.StdDev + grad[i]) / float64(f.n)
	}
	return value / float64(f.n)
}

// derivative adds the derivatives in the metric's hyperparameters to dLog and returns that in the logarithm
// of the noise.
func (f *loss) derivative(dLog []float64, noise, total float64) (dNoise float64) {
	rows, byRow := f.metric.(rowMetric)
	for i := range f.n {
		s, g := f.s.Row(i), f.row[:i]
		if !byRow {
			g = f.g.Row(i)[:i]
		}
		a, u := f.alpha[i]/f.scale, f.unit[i]/total
		for j, v := range f.alpha[:i] {
			g[j] = s[j] - a*v
		}
		own := s[i] - a*f.alpha[i]
		if f.Restricted {
			for j, v := range f.unit[:i] {
				g[j] -= u * v
			}
			own -= u * f.unit[i]
		}
		if f.Weights != nil {
			own *= f.Weights[i]
		}
		dNoise += 0.5 * noise * own
		if byRow {
			rows.rowGrad(dLog, i, f.slope.Row(i)[:i], g, f.Points)
		}
	}
	if !byRow {
		f.metric.ParamGrad(dLog, f.slope, f.g, f.Points)
	}
	return dNoise
}

// scaleGradient is the derivative of the loss in log s, where dR = -diag(v)/s.
func (f *loss) scaleGradient(misfit float64) float64 {
	g := 0.5 * (float64(f.n) - misfit/f.scale)
	for i, v := range f.Given {
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

// fillCorrelations fills the lower triangle of r for its first points, and that of slope,
// unless it is empty.
func fillCorrelations(r, slope linalg.Matrix, profile Profile, m Metric, noise float64, d Data) {
	rows, byRow := m.(rowMetric)
	if !byRow {
		m.Between(r, d.Points)
	}
	for i := range r.Rows {
		if byRow {
			rows.rowBetween(r.Row(i)[:i], i, d.Points)
		}
		var slopes []float64
		if slope.Rows > 0 {
			slopes = slope.Row(i)[:i]
		}
		profile.Apply(r.Row(i)[:i], slopes, 1)
		own := noise
		if d.Weights != nil {
			own *= d.Weights[i]
		}
		r.Set(i, i, 1+own+nugget)
	}
}
