package gp

import (
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Joint is several processes with values at the same points and the same hyperparameters but for
// their means and scales: one factorisation and one set of correlations serve all. It keeps
// scratch memory: one goroutine at a time.
type Joint struct {
	*Posterior // of the first process
	alphas     linalg.Matrix
	means      []float64
	scales     []float64
	logDet     float64

	rows           int
	kk, ss, vv, ww linalg.Matrix // correlations, slopes, L⁻¹k and R⁻¹k of the last rows
	x, gx          linalg.Matrix // these rows, mapped where there is a map, and their gradients
	main           linalg.Matrix // their correlations by coordinate, where there are main effects
	leads          linalg.Matrix // their correlations in the coordinate that leads
}

// ConditionJoint returns the processes given values, y[k] of process k; spare is the number of
// points that may be believed later. Variances of noise that is given are relative to the scales of
// the processes, nil for none. The points are the joint processes' own from then on.
func ConditionJoint(h Hyper, p *Points, y [][]float64, given []float64, spare int) (*Joint, error) {
	n, m := len(y[0]), len(y)
	h.Scale = 1 // what is given is relative to it
	first, err := Condition(h, Data{Points: p, Y: y[0], Given: given}, spare)
	if err != nil {
		return nil, err
	}
	j := &Joint{
		Posterior: first, alphas: linalg.New(m, n+spare), means: make([]float64, m), scales: make([]float64, m),
		logDet: linalg.LogDetLower(first.factor.L, n),
	}
	li := first.factor.Inverse
	u, values, v := make([]float64, n), linalg.New(m, n), linalg.New(m, n)
	for i := range n {
		for _, e := range li.Row(i) {
			u[i] += e
		}
	}
	for k := range m {
		copy(values.Row(k), y[k])
	}
	linalg.MulLowerTrans(1, v, values, li) // v_k = L⁻¹ y_k
	for k := range m {
		row := v.Row(k)
		j.means[k] = linalg.Dot(u, row) / first.total
		linalg.Axpy(row, -j.means[k], u)
		j.scales[k] = max(linalg.Dot(row, row)/float64(n), smallestScale)
	}
	linalg.MulLower(1, j.alphas.Slice(0, m, 0, n), v, li) // alpha_k = L⁻ᵀ v_k
	return j, nil
}

// Loss is minus the logarithm of the likelihood of process k without constant terms.
func (j *Joint) Loss(k int) float64 {
	return 0.5*float64(j.data)*math.Log(j.scales[k]) + 0.5*j.logDet
}

// Noises is the variance of the noise of process k.
func (j *Joint) Noises(k int) float64 { return j.scales[k] * j.Hyper.Noise }

// MomentsAt fills the moments of the latent functions at the rows of x, a column for each process. Without
// rows in variance there are only means, which are cheaper by far. Pull goes on from there.
func (j *Joint) MomentsAt(mean, variance, x linalg.Matrix) {
	n, rows := j.points.n, x.Rows
	if j.kk.Rows < rows || j.kk.Cols < n {
		j.kk, j.ss = linalg.New(rows, len(j.alpha)), linalg.New(rows, len(j.alpha))
		j.vv, j.ww = linalg.New(rows, len(j.alpha)), linalg.New(rows, len(j.alpha))
	}
	j.rows = rows
	dim := j.points.dim
	if j.x.Rows < rows {
		j.x, j.gx = linalg.New(rows, dim), linalg.New(rows, dim)
	}
	z := j.x.Slice(0, rows, 0, dim)
	if j.linear != nil {
		j.linear.Apply(z, x)
	} else {
		for i := range rows {
			copy(z.Row(i), x.Row(i))
		}
	}
	k := j.kk.Slice(0, rows, 0, n)
	squares(k, z, j.points.X(), j.points.norm2)
	for i := range rows {
		row := k.Row(i)
		j.Profile.Correlate(row, j.ss.Row(i)[:n], j.rate, row)
	}
	if j.Main != nil {
		j.mainEffects(k, z)
	}
	m := len(j.means)
	linalg.GemmTB(mean, 0, 1, k, j.alphas.Slice(0, m, 0, n))
	for i := range rows {
		linalg.Axpy(mean.Row(i), 1, j.means)
	}
	if variance.Rows == 0 {
		return
	}
	v := j.vv.Slice(0, rows, 0, n)
	linalg.MulLowerTrans(1, v, k, j.factor.Inverse)
	for i := range rows {
		share := max(1-linalg.Dot(v.Row(i), v.Row(i)), smallestVariance)
		for l, s := range j.scales {
			variance.Row(i)[l] = s * share
		}
	}
}

// mainEffects mixes them into the correlations k of the rows of z.
func (j *Joint) mainEffects(k, z linalg.Matrix) {
	if j.main.Rows < z.Rows || j.main.Cols < k.Cols*z.Cols {
		j.main = linalg.New(z.Rows, len(j.alpha)*z.Cols)
	}
	if j.leads.Rows < z.Rows || j.leads.Cols < k.Cols {
		j.leads = linalg.New(z.Rows, len(j.alpha))
	}
	main := make([]float64, k.Cols)
	for i := range z.Rows {
		if j.Main.Share > 0 {
			j.Main.correlate(main, j.main.Row(i), z.Row(i), j.points)
			j.Main.blend(k.Row(i), main)
		}
		slopes := j.ss.Row(i)[:k.Cols]
		for l := range slopes {
			slopes[l] *= 1 - j.Main.Share
		}
		if j.Main.LeadTheta > 0 {
			factors := j.leads.Row(i)[:k.Cols]
			j.Main.led(factors, k.Row(i), z.Row(i), j.points)
			for l, f := range factors {
				slopes[l] *= f
			}
		}
	}
}

// Pull adds to grad the gradients of functions with the derivatives dMean and dVariance, rows as in
// the last MomentsAt. Without rows in dVariance these are 0.
func (j *Joint) Pull(grad, dMean, dVariance linalg.Matrix) {
	n, rows, m := j.points.n, j.rows, len(j.means)
	c := linalg.New(rows, n) // sum_k dMean_k alpha_k
	linalg.Gemm(c, 0, 1, dMean, j.alphas.Slice(0, m, 0, n))
	if dVariance.Rows > 0 {
		w := j.ww.Slice(0, rows, 0, n)
		linalg.MulLower(1, w, j.vv.Slice(0, rows, 0, n), j.factor.Inverse)
		for i := range rows {
			linalg.Axpy(c.Row(i), -2*linalg.Dot(dVariance.Row(i), j.scales), w.Row(i))
		}
	}
	z, gz := j.x.Slice(0, rows, 0, j.points.dim), j.gx.Slice(0, rows, 0, j.points.dim)
	if j.Main != nil {
		for i := range rows {
			j.Main.pull(grad.Row(i), c.Row(i), j.kk.Row(i), j.leads.Row(i), j.main.Row(i), z.Row(i), j.points)
		}
	}
	for i := range rows {
		sum, ci := 0.0, c.Row(i)
		for l, s := range j.ss.Row(i)[:n] {
			ci[l] *= s
			sum += ci[l]
		}
		g := gz.Row(i)
		for l, v := range z.Row(i) {
			g[l] = -sum * v
		}
	}
	linalg.Gemm(gz, 1, 1, c, j.points.X())
	for i := range rows {
		g := gz.Row(i)
		for l := range g {
			g[l] *= j.rate
		}
		if j.linear != nil {
			pulled := make([]float64, grad.Cols)
			j.linear.Pull(pulled, g)
			g = pulled
		}
		linalg.Axpy(grad.Row(i), 1, g)
	}
}
