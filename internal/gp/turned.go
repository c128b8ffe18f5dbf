package gp

import (
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Turned has one weight for each of D directions of its own, r² = sum_k w_k (v_k·(x - y))².
type Turned struct {
	Directions linalg.Matrix // orthonormal v_k, one per row
	Weighted                 // of the coordinates along them
}

var _ Metric = Turned{}

// At sets the weights.
func (m Turned) At(logs []float64) Metric {
	return Turned{m.Directions, m.Weighted.At(logs).(Weighted)}
}

// along returns the coordinates of the rows of x along the directions.
func (m Turned) along(x linalg.Matrix) linalg.Matrix {
	t := linalg.New(x.Rows, m.Directions.Rows)
	linalg.GemmTB(t, 0, 1, x, m.Directions)
	return t
}

// Between fills the lower triangle of r2.
func (m Turned) Between(r2 linalg.Matrix, p *Points) {
	z := linalg.New(r2.Rows, p.dim)
	m.Apply(z, p.x.Slice(0, r2.Rows, 0, p.dim))
	betweenRows(r2, z)
}

// ParamGrad adds the derivatives in the logarithms of the weights.
func (m Turned) ParamGrad(dLog []float64, slope, g linalg.Matrix, p *Points) {
	m.rowsGrad(dLog, slope, g, m.along(p.x.Slice(0, g.Rows, 0, p.dim)))
}

// Map is z_k = sqrt(w_k) v_k·x.
func (m Turned) Map(int) (rate float64, t Map) { return 1, m }

// Apply computes z_k = sqrt(w_k) v_k·x.
func (m Turned) Apply(z, x linalg.Matrix) { m.Weighted.Apply(z, m.along(x)) }

// Pull computes gradX = sum_k sqrt(w_k) gradZ_k v_k.
func (m Turned) Pull(gradX, gradZ []float64) {
	clear(gradX)
	for k, g := range gradZ {
		linalg.Axpy(gradX, math.Sqrt(m.Weights[m.Of[k]])*g, m.Directions.Row(k))
	}
}

// Turn returns the metric for other directions whose weights are those that r² has along them, so that
// a fit goes on from there.
func (m Turned) Turn(directions linalg.Matrix) Turned {
	w := make([]float64, directions.Rows)
	for k := range w {
		for i, v := range m.Weights {
			c := linalg.Dot(directions.Row(k), m.Directions.Row(i))
			w[k] += v * c * c
		}
	}
	return Turned{directions, Weighted{m.Of, w, m.Param}}
}
