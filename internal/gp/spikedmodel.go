package gp

import "github.com/mahabo/mahabo/internal/linalg"

// SpikedModel is the posterior of a spiked process.
type SpikedModel struct {
	Spiked
	data  SpikedData
	along linalg.Matrix // coordinates of the points
	li    linalg.Matrix // inverse of the factor of R
	unit  []float64     // S1
	alpha []float64     // S(y - mean)
	total float64       // 1'S1
	mean  float64
	scale float64
}

// NewSpikedModel conditions on the data.
func NewSpikedModel(h Spiked, d SpikedData) (*SpikedModel, error) {
	n := len(d.Y)
	m := &SpikedModel{Spiked: h, data: d, along: d.along(), li: linalg.New(n, n), unit: make([]float64, n), alpha: make([]float64, n)}
	r, l := linalg.New(n, n), linalg.New(n, n)
	d.correlations(r, m.along, h)
	if _, err := linalg.CholeskyJitter(l, r, linalg.DefaultLadder(r)); err != nil {
		return nil, err
	}
	for i := range n {
		copy(m.li.Row(i)[:i+1], l.Row(i)[:i+1])
	}
	linalg.InvertLower(m.li)
	// With p = L⁻¹1 and q = L⁻¹y: S1 = L⁻ᵀp, 1'S1 = p·p, mean = p·q/p·p, alpha = L⁻ᵀ(q - mean p).
	p, q := make([]float64, n), make([]float64, n)
	for i := range n {
		row := m.li.Row(i)[:i+1]
		for _, e := range row {
			p[i] += e
		}
		q[i] = linalg.Dot(row, d.Y[:i+1])
	}
	m.total = linalg.Dot(p, p)
	m.mean = linalg.Dot(p, q) / m.total
	linalg.Axpy(q, -m.mean, p)
	m.scale = max(linalg.Dot(q, q)/float64(max(1, n-1)), smallestScale)
	for i := range n {
		row := m.li.Row(i)[:i+1]
		linalg.Axpy(m.unit[:i+1], p[i], row)
		linalg.Axpy(m.alpha[:i+1], q[i], row)
	}
	return m, nil
}

// Widen multiplies all variances, for a model that is known to be too sure of itself.
func (m *SpikedModel) Widen(factor float64) { m.scale *= factor }

// SlopeVariance is the prior variance of the function's slope across the directions.
func (m *SpikedModel) SlopeVariance() float64 {
	return m.scale * m.Theta / float64(m.data.Cloud.dim)
}

// NoiseVariance is that of an observation of weight 1.
func (m *SpikedModel) NoiseVariance() float64 { return m.scale * m.Noise }

// correlate fills k with the correlations of the rows of x and the data.
func (m *SpikedModel) correlate(k, x linalg.Matrix) {
	d := m.data
	linalg.SquaredDistances(k, x, d.Cloud.x.Slice(0, len(d.Y), 0, d.Cloud.dim))
	at := linalg.New(x.Rows, d.Directions.Rows)
	if at.Cols > 0 {
		linalg.GemmTB(at, 0, 1, x, d.Directions)
	}
	for i := range k.Rows {
		row := k.Row(i)
		for j := range row {
			row[j] *= m.Theta
		}
		for a, along := range m.Along {
			for j, c := range m.along.Row(a) {
				t := at.At(i, a) - c
				row[j] += along * t * t
			}
		}
		linalg.ExpScaled(row, 1, -1/(2*float64(d.Cloud.dim)), row)
	}
}

// PredictBatch fills mean and variance of the latent function at the rows of x:
//
//	mean = mean0 + k·alpha,  variance = s (1 - k'Sk + (1 - k'S1)²/1'S1).
func (m *SpikedModel) PredictBatch(mean, variance []float64, x linalg.Matrix) {
	k, v := linalg.New(x.Rows, len(m.alpha)), linalg.New(x.Rows, len(m.alpha))
	m.correlate(k, x)
	linalg.GemmTB(v, 0, 1, k, m.li)
	for i := range x.Rows {
		row := k.Row(i)
		mean[i] = m.mean + linalg.Dot(row, m.alpha)
		missing := 1 - linalg.Dot(row, m.unit)
		variance[i] = m.scale * max(smallestVariance, 1-linalg.Dot(v.Row(i), v.Row(i))+missing*missing/m.total)
	}
}

// Gradients fills the rows of grad with the gradients of the mean at the rows of x. With
// c_i = alpha_i k_i and the metric M = (Theta I + sum_k Along_k v_k v_k')/D:
//
//	grad = M sum_i c_i (x_i - x).
func (m *SpikedModel) Gradients(grad, x linalg.Matrix) {
	d := m.data
	k := linalg.New(x.Rows, len(m.alpha))
	m.correlate(k, x)
	for i := range x.Rows {
		var sum float64
		row := k.Row(i)
		for j, a := range m.alpha {
			row[j] *= a
			sum += row[j]
		}
		g := grad.Row(i)
		for j, v := range x.Row(i) {
			g[j] = -sum * v
		}
	}
	linalg.Gemm(grad, 1, 1, k, d.Cloud.x.Slice(0, len(d.Y), 0, d.Cloud.dim))
	dim := float64(d.Cloud.dim)
	at := make([]float64, len(m.Along))
	for i := range x.Rows {
		g := grad.Row(i)
		for a := range at {
			at[a] = linalg.Dot(g, d.Directions.Row(a))
		}
		for j := range g {
			g[j] *= m.Theta / dim
		}
		for a, along := range m.Along {
			linalg.Axpy(g, at[a]*along/dim, d.Directions.Row(a))
		}
	}
}

// LeaveOneOut fills mean and variance, with noise, of every observation given the others
// and the hyperparameters, the constant mean being estimated again each time. With
// T = S - S11'S/1'S1:
//
//	mean_i = y_i - alpha_i/T_ii,  variance_i = s/T_ii.
func (m *SpikedModel) LeaveOneOut(mean, variance []float64) {
	diagonal := make([]float64, len(m.alpha))
	for i := range m.alpha {
		for j, v := range m.li.Row(i)[:i+1] {
			diagonal[j] += v * v
		}
	}
	for i, y := range m.data.Y {
		t := max(diagonal[i]-m.unit[i]*m.unit[i]/m.total, smallestVariance)
		mean[i], variance[i] = y-m.alpha[i]/t, m.scale/t
	}
}
