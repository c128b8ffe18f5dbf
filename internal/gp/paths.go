package gp

import (
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Paths are the mean of a posterior and functions drawn from it, to be evaluated at points
// that differ from a base in few coordinates, O(n) for each instead of O(n D).
//
// A draw is one of the prior, h(x) = sqrt(2s/F) sum_f xi_f cos(w_f·x + b_f), and what the data
// change of it (Wilson et al. 2020):
//
//	f(x) = mean + h(x) + k(x)'R⁻¹(y - h(X) - e - mean 1),
//
// e the noise and the mean that of least squares when the process does not know it.
type Paths struct {
	profile  Profile
	features linalg.Matrix // D x F: frequencies, one coordinate per row
	phases   []float64
	weights  linalg.Matrix // F x (1 + draws); the first column is of the mean
	pull     linalg.Matrix // D x n: rate TᵀT x_i, one coordinate per row
	norms    []float64     // rate |T x_i|²
	linear   Map           // nil for none
	rate     float64
	coef     linalg.Matrix // n x (1 + draws)
	means    []float64

	base     []float64
	g        []float64 // rate TᵀT base
	r2       []float64 // from the base to the data
	u        []float64 // w_f·base + b_f
	change   []float64 // scratch
	gd, z    []float64
	k, cosin linalg.Matrix
	rows     int
}

// Draw returns the mean and a number of draws with the given number of features. No point
// may be believed. Evaluations are of rows at most between two calls of Values.
func (m *Posterior) Draw(x linalg.Matrix, weights []float64, draws, features, rows int, r *rand.Rand) *Paths {
	n, dim := m.data, x.Cols
	p := &Paths{
		profile: m.Profile, linear: m.linear, rate: m.rate,
		features: linalg.New(dim, features), phases: make([]float64, features), weights: linalg.New(features, 1+draws),
		pull: linalg.New(dim, n), norms: make([]float64, n), coef: linalg.New(n, 1+draws), means: make([]float64, 1+draws),
		base: make([]float64, dim), g: make([]float64, dim), r2: make([]float64, n), u: make([]float64, features),
		k: linalg.New(rows, n), cosin: linalg.New(rows, features),
	}
	p.change, p.gd, p.z = make([]float64, dim), make([]float64, dim), make([]float64, dim)
	if p.linear != nil {
		p.z = make([]float64, p.linear.Dim())
	}
	p.spread(r)
	size := math.Sqrt(2 * m.scale / float64(features))
	for f := range features {
		for d := range draws {
			p.weights.Set(f, 1+d, size*r.NormFloat64())
		}
	}
	g := make([]float64, dim)
	h := linalg.New(n, 1+draws)
	wave := linalg.New(n, features)
	for i := range n {
		p.norms[i] = p.project(g, x.Row(i))
		for j, v := range g {
			p.pull.Set(j, i, v)
		}
		row := wave.Row(i)
		copy(row, p.phases)
		for j, v := range x.Row(i) {
			linalg.Axpy(row, v, p.features.Row(j))
		}
		for f, v := range row {
			row[f] = cosine(v)
		}
	}
	linalg.Gemm(h, 0, 1, wave, p.weights)
	e, v := make([]float64, n), make([]float64, n)
	for c := range 1 + draws {
		for i := range n {
			e[i] = m.y[i] - h.At(i, c)
			if c > 0 {
				noise := m.Noise
				if weights != nil {
					noise *= weights[i]
				}
				e[i] -= math.Sqrt(m.scale*(noise+nugget+m.jitter)) * r.NormFloat64()
			}
		}
		p.means[c] = m.condition(e, v)
		for i := range n {
			p.coef.Set(i, c, e[i])
		}
	}
	return p
}

// condition replaces e by R⁻¹(e - mean) and returns the mean; v is scratch.
func (m *Posterior) condition(e, v []float64) (mean float64) {
	n := m.data
	var uv float64
	u := make([]float64, n)
	for i := range n {
		row := m.factor.Inverse.Row(i)
		v[i] = linalg.Dot(row, e[:i+1])
		for _, l := range row {
			u[i] += l
		}
		uv += u[i] * v[i]
	}
	if mean = m.mean; m.Mean == nil {
		mean = uv / m.total
	}
	clear(e)
	for i := range n {
		linalg.Axpy(e[:i+1], v[i]-mean*u[i], m.factor.Inverse.Row(i))
	}
	return mean
}

// spread draws the frequencies: those of Matérn 5/2 are of Student's distribution with five
// degrees of freedom, those of the RBF are normal.
func (p *Paths) spread(r *rand.Rand) {
	dim := p.features.Rows
	z := dim
	if p.linear != nil {
		z = p.linear.Dim()
	}
	w := make([]float64, z)
	for f := range p.features.Cols {
		scale := math.Sqrt(p.rate)
		if p.profile == Matern52 {
			var chi2 float64
			for range 5 {
				v := r.NormFloat64()
				chi2 += v * v
			}
			scale *= math.Sqrt(5 / chi2)
		}
		for j := range w {
			w[j] = scale * r.NormFloat64()
		}
		x := w[:dim]
		if p.linear != nil {
			x = make([]float64, dim)
			p.linear.Pull(x, w)
		}
		for j, v := range x {
			p.features.Set(j, f, v)
		}
		p.phases[f] = 2 * math.Pi * r.Float64()
	}
}

// project fills g with rate TᵀT x and returns rate |Tx|².
func (p *Paths) project(g, x []float64) float64 {
	if p.linear == nil {
		for j, v := range x {
			g[j] = p.rate * v
		}
		return linalg.Dot(g, x)
	}
	z := linalg.Matrix{Rows: 1, Cols: len(p.z), Stride: len(p.z), Data: p.z}
	p.linear.Apply(z, linalg.Matrix{Rows: 1, Cols: len(x), Stride: len(x), Data: x})
	p.linear.Pull(g, p.z)
	for j := range g {
		g[j] *= p.rate
	}
	return p.rate * linalg.Dot(p.z, p.z)
}

// At makes x the base and asks for the values there.
func (p *Paths) At(x []float64) {
	copy(p.base, x)
	own := p.project(p.g, x)
	for i, v := range p.norms {
		p.r2[i] = own + v
	}
	copy(p.u, p.phases)
	for j, v := range x {
		linalg.Axpy(p.r2, -2*v, p.pull.Row(j))
		linalg.Axpy(p.u, v, p.features.Row(j))
	}
	p.With(0, nil)
}

// With asks for the values at the base with other coordinates from first on. With the change
// d and G = rate TᵀT, r² changes by 2 d·(G base - G x_i) + d·Gd.
func (p *Paths) With(first int, part []float64) {
	r2, wave := p.k.Row(p.rows), p.cosin.Row(p.rows)
	copy(r2, p.r2)
	copy(wave, p.u)
	if len(part) > 0 {
		change, gd := p.change, p.gd
		var all float64
		for k, v := range part {
			d := v - p.base[first+k]
			change[first+k] = d
			all += 2 * d * p.g[first+k]
			linalg.Axpy(r2, -2*d, p.pull.Row(first+k))
			linalg.Axpy(wave, d, p.features.Row(first+k))
		}
		if w, ok := p.linear.(Weighted); ok { // one coordinate does not depend on others
			all += p.rate * w.square(first, change[first:first+len(part)])
		} else {
			all += p.project(gd, change)
		}
		clear(change[first : first+len(part)])
		for i := range r2 {
			r2[i] += all
		}
	}
	for i, v := range r2 {
		r2[i] = max(0, v)
	}
	p.profile.Apply(r2, nil, 1)
	for f, v := range wave {
		wave[f] = cosine(v)
	}
	p.rows++
}

// Values fills one row for each evaluation that was asked for: the posterior mean, then the
// draws.
func (p *Paths) Values(out linalg.Matrix) linalg.Matrix {
	out = out.Slice(0, p.rows, 0, len(p.means))
	linalg.Gemm(out, 0, 1, p.k.Slice(0, p.rows, 0, p.k.Cols), p.coef)
	linalg.Gemm(out, 1, 1, p.cosin.Slice(0, p.rows, 0, p.cosin.Cols), p.weights)
	for i := range out.Rows {
		row := out.Row(i)
		for c, m := range p.means {
			row[c] += m
		}
	}
	p.rows = 0
	return out
}

// cosine is that of an angle to seven digits, enough for a sum of waves: with the turns x/2pi
// brought to |r| <= 1/2, it is the sine of the angle 2pi (1/4 - |r|), by its series.
func cosine(x float64) float64 {
	r := x * (0.5 / math.Pi)
	r -= math.RoundToEven(r)
	z := 2 * math.Pi * (0.25 - math.Abs(r))
	q := z * z
	return z * (1 - q/6*(1-q/20*(1-q/42*(1-q/72*(1-q/110)))))
}
