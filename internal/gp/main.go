package gp

import "github.com/mahabo/mahabo/internal/linalg"

// Main says how much of a process is a sum of functions of one coordinate each, its main effects. The correlation
// is
//
//	(1 - Share) phi(r²) + Share/D sum_j exp(-Theta (x_j - y_j)²/2).
//
// times exp(-LeadTheta (x_p - y_p)²/2) where coordinate p, Lead, leads: all else may depend on it. A joint process may have
// it. D functions of one number are learned from far fewer points than one of D numbers.
type Main struct {
	Share float64
	Theta float64 // squared inverse length-scale of a coordinate

	Lead      int
	LeadTheta float64 // squared inverse length-scale of that coordinate; 0: none leads

	of      *Points       // whose correlations are remembered, nil for none
	between linalg.Matrix // the mean over coordinates, lower triangle
}

// NewMain returns main effects with the correlations of points remembered, for all shares.
func NewMain(theta float64, p *Points) Main {
	m := Main{Theta: theta, of: p, between: linalg.New(p.n, p.n)}
	e := make([]float64, p.n*p.dim)
	for i := range p.n {
		m.correlate(m.between.Row(i)[:i], e, p.x.Row(i), p)
	}
	return m
}

// With has another share.
func (m Main) With(share float64) *Main {
	m.Share = share
	return &m
}

// Led has a coordinate that leads.
func (m Main) Led(lead int, theta float64) *Main {
	m.Lead, m.LeadTheta = lead, theta
	return &m
}

// led multiplies k by the correlations of x with the first points in the coordinate that leads, and fills factors with these.
func (m *Main) led(factors, k, x []float64, p *Points) {
	factors = factors[:len(k)]
	for l := range k {
		d := x[m.Lead] - p.x.At(l, m.Lead)
		factors[l] = d * d
	}
	linalg.ExpScaled(factors, 1, -0.5*m.LeadTheta, factors)
	for l, f := range factors {
		k[l] *= f
	}
}

// correlate fills k with the mean of the correlations by coordinate of x with the first points, and e with those
// correlations, D for each point.
func (m *Main) correlate(k, e, x []float64, p *Points) {
	dim := p.dim
	e, x = e[:len(k)*dim], x[:dim]
	for l := range k {
		row, at := e[l*dim:][:len(x)], p.x.Row(l)[:len(x)]
		for j, v := range x {
			d := v - at[j]
			row[j] = d * d
		}
	}
	linalg.ExpScaled(e, 1, -0.5*m.Theta, e)
	for l := range k {
		k[l] = sumOf(e[l*dim:][:dim]) / float64(dim)
	}
}

// sumOf adds four numbers at a time.
func sumOf(v []float64) float64 {
	var a, b, c, d float64
	for ; len(v) >= 4; v = v[4:] {
		a, b, c, d = a+v[0], b+v[1], c+v[2], d+v[3]
	}
	for _, w := range v {
		a += w
	}
	return a + b + (c + d)
}

// mix replaces correlations of the first points, the lower triangle of r, by those with main effects.
func (m *Main) mix(r linalg.Matrix, p *Points) {
	between := m.between
	if m.Share > 0 && (m.of != p || between.Rows < r.Rows) {
		between = NewMain(m.Theta, p).between
	}
	factors := make([]float64, r.Rows)
	for i := range r.Rows {
		if m.Share > 0 {
			m.blend(r.Row(i)[:i], between.Row(i)[:i])
		}
		if m.LeadTheta > 0 {
			m.led(factors, r.Row(i)[:i], p.x.Row(i), p)
		}
	}
}

// blend replaces k by its mixture with the main effects.
func (m *Main) blend(k, main []float64) {
	for l, v := range main {
		k[l] = (1-m.Share)*k[l] + m.Share*v
	}
}

// pull adds to grad the gradient of sum_l c_l k_l at x by the main effects and the coordinate that leads; e is what correlate left,
// factors what led did.
func (m *Main) pull(grad, c, k, factors, e, x []float64, p *Points) {
	dim := p.dim
	if m.LeadTheta > 0 {
		for l, v := range c {
			grad[m.Lead] -= m.LeadTheta * v * k[l] * (x[m.Lead] - p.x.At(l, m.Lead))
		}
	}
	if m.Share == 0 {
		return
	}
	scale := -m.Theta * m.Share / float64(dim)
	for l, v := range c {
		if v *= scale; m.LeadTheta > 0 {
			v *= factors[l]
		}
		if v == 0 {
			continue
		}
		at := p.x.Row(l)[:dim]
		for j, w := range e[l*dim : (l+1)*dim] {
			grad[j] += v * w * (x[j] - at[j])
		}
	}
}
