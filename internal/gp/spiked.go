package gp

import (
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Spiked treats all directions alike but a few, the orthonormal v_k, along which a function
// may vary faster:
//
//	r² = (Theta |x - y|² + sum_k Along_k (v_k·(x - y))²)/D.
//
// Directions that were learned from the same points explain them better than others, and a
// fit takes them for better than they are. What they miss has to be left to Theta, which is
// kept above sum_k Floors_k Along_k. When the square of the cosine between v_k and the true
// direction is c, all of the rest spread over D dimensions, that is (1/c - 1)/D.
type Spiked struct {
	Directions linalg.Matrix // one v_k per row; none is an isotropic metric
	Floors     []float64
	Theta      float64
	Along      []float64
	Priors     [2]LogNormalPrior // of Theta above its floor and of Along/D

	above float64 // Theta above its floor
}

var _ Metric = Spiked{}

// Params are Theta above its floor and Along/D.
func (m Spiked) Params() []HyperParam {
	params := make([]HyperParam, 1+m.Directions.Rows)
	for i := range params {
		params[i] = HyperParam{"along", m.Priors[min(i, 1)], -far, far}
	}
	params[0].Name = "theta"
	return params
}

// At sets the hyperparameters.
func (m Spiked) At(logs []float64) Metric {
	m.above = math.Exp(logs[0])
	m.Theta, m.Along = m.above, make([]float64, m.Directions.Rows)
	for k := range m.Along {
		m.Along[k] = float64(m.Directions.Cols) * math.Exp(logs[1+k])
		m.Theta += m.Floors[k] * m.Along[k]
	}
	return m
}

// coordinates returns those of the first n points along the directions, one direction per row.
func (m Spiked) coordinates(n int, p *Points) linalg.Matrix {
	along := linalg.New(m.Directions.Rows, n)
	if along.Rows > 0 {
		linalg.GemmTB(along, 0, 1, m.Directions, p.x.Slice(0, n, 0, p.dim))
	}
	return along
}

// Between fills the lower triangle of r2.
func (m Spiked) Between(r2 linalg.Matrix, p *Points) {
	dim, along := float64(p.dim), m.coordinates(r2.Rows, p)
	for i := range r2.Rows {
		row := r2.Row(i)[:i]
		for j, v := range p.r2[i] {
			row[j] = m.Theta * v / dim
		}
		for k, a := range m.Along {
			c := along.Row(k)
			for j := range row {
				d := c[i] - c[j]
				row[j] += a / dim * d * d
			}
		}
	}
}

// ParamGrad adds the derivatives in the logarithms.
func (m Spiked) ParamGrad(dLog []float64, slope, g linalg.Matrix, p *Points) {
	along := m.coordinates(g.Rows, p)
	total := make([]float64, 1+along.Rows) // dL/dTheta, dL/dAlong times -2D
	for i := range g.Rows {
		slopes, r2, gi := slope.Row(i), p.r2[i], g.Row(i)
		for j := range i {
			w := slopes[j] * gi[j]
			total[0] += w * r2[j]
			for k := range along.Rows {
				d := along.At(k, i) - along.At(k, j)
				total[1+k] += w * d * d
			}
		}
	}
	scale := -0.5 / float64(p.dim)
	dLog[0] += scale * total[0] * m.above
	for k, a := range m.Along {
		dLog[1+k] += scale * (total[1+k] + m.Floors[k]*total[0]) * a
	}
}

// Map is z = (x, sqrt(Along_k/Theta) v_k·x), times Theta/D.
func (m Spiked) Map(dim int) (rate float64, t Map) {
	rate = m.Theta / float64(dim)
	if m.Directions.Rows == 0 {
		return rate, nil
	}
	return rate, m
}

// Dim is D and one more for each direction.
func (m Spiked) Dim() int { return m.Directions.Cols + m.Directions.Rows }

// Apply computes z.
func (m Spiked) Apply(z, x linalg.Matrix) {
	for i := range x.Rows {
		zi, xi := z.Row(i), x.Row(i)
		copy(zi, xi)
		for k, a := range m.Along {
			zi[len(xi)+k] = math.Sqrt(a/m.Theta) * linalg.Dot(m.Directions.Row(k), xi)
		}
	}
}

// Pull computes the gradient in x.
func (m Spiked) Pull(gradX, gradZ []float64) {
	copy(gradX, gradZ)
	for k, a := range m.Along {
		linalg.Axpy(gradX, gradZ[len(gradX)+k]*math.Sqrt(a/m.Theta), m.Directions.Row(k))
	}
}
