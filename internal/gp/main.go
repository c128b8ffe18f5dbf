package gp

import "github.com/mahabo/mahabo/internal/linalg"

// Main says how much of a process is a sum of functions of one coordinate each, its main effects. The correlation
// is
//
//	(1 - Share) phi(r²) + Share/D sum_j exp(-Theta (x_j - y_j)²/2).
//
// A joint process may have it. D functions of one number are learned from far fewer points than one of D numbers.
type Main struct {
	Share float64
	Theta float64 // squared inverse length-scale of a coordinate

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
	if m.of != p || between.Rows < r.Rows {
		between = NewMain(m.Theta, p).between
	}
	for i := range r.Rows {
		m.blend(r.Row(i)[:i], between.Row(i)[:i])
	}
}

// blend replaces k by its mixture with the main effects.
func (m *Main) blend(k, main []float64) {
	for l, v := range main {
		k[l] = (1-m.Share)*k[l] + m.Share*v
	}
}

// pull adds to grad the gradient of sum_l c_l k_l by the main effects at x; e is what correlate left.
func (m *Main) pull(grad, c, e, x []float64, p *Points) {
	dim := p.dim
	scale := -m.Theta * m.Share / float64(dim)
	for l, v := range c {
		v *= scale
		if v == 0 {
			continue
		}
		at := p.x.Row(l)[:dim]
		for j, w := range e[l*dim : (l+1)*dim] {
			grad[j] += v * w * (x[j] - at[j])
		}
	}
}
