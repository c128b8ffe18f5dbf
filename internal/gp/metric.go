package gp

import (
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
)

// HyperParam is a positive number that a fit moves, by its logarithm.
type HyperParam struct {
	Name      string
	Prior     LogNormalPrior
	Low, High float64 // bounds of the logarithm
}

// Metric is a squared distance r² of points that is a function of some hyperparameters:
// rate times the squared Euclidean distance after a linear map.
type Metric interface {
	// Params are the hyperparameters.
	Params() []HyperParam
	// At is the metric with hyperparameters of these logarithms.
	At(logs []float64) Metric
	// Between fills the lower triangle of r2 for the first points of p.
	Between(r2 linalg.Matrix, p *Points)
	// ParamGrad adds to dLog the derivatives in the logarithms of a function of the
	// correlations R, whose derivative in R_ij and R_ji together is g_ij:
	// dR_ij = -1/2 slope_ij dr²_ij. slope and g are lower triangles.
	ParamGrad(dLog []float64, slope, g linalg.Matrix, p *Points)
	// Map returns rate and the linear map, nil for none.
	Map(dim int) (rate float64, m Map)
}

// rowMetric is a Metric that can be had row by row, while a row is at hand.
type rowMetric interface {
	rowBetween(r2 []float64, i int, p *Points)                    // of row i
	rowGrad(dLog []float64, i int, slope, g []float64, p *Points) // of row i
}

// Map is a linear map z = Tx.
type Map interface {
	Dim() int                    // of z
	Apply(z, x linalg.Matrix)    // of the rows
	Pull(gradX, gradZ []float64) // gradX = Tᵀ gradZ
}

// Isotropic treats all directions alike, r² = Theta |x - y|²/D. With a small Theta the gradient of
// the posterior mean is the projection of the true gradient on the span of the data, which
// is all that data can say.
type Isotropic struct {
	Theta float64 // D squared inverse length-scales
	Prior LogNormalPrior
}

var (
	_ Metric    = Isotropic{}
	_ rowMetric = Isotropic{}
)

// far is how far, as a logarithm, a fit may go from the median of a prior.
var far = math.Log(1e6)

// Params is Theta.
func (m Isotropic) Params() []HyperParam {
	return []HyperParam{{"theta", m.Prior, m.Prior.Mu - far, m.Prior.Mu + far}}
}

// At sets Theta.
func (m Isotropic) At(logs []float64) Metric { return Isotropic{math.Exp(logs[0]), m.Prior} }

func (m Isotropic) rate(dim int) float64 { return m.Theta / float64(dim) }

// Between fills the lower triangle of r2.
func (m Isotropic) Between(r2 linalg.Matrix, p *Points) {
	for i := range r2.Rows {
		m.rowBetween(r2.Row(i)[:i], i, p)
	}
}

func (m Isotropic) rowBetween(r2 []float64, i int, p *Points) {
	rate := m.rate(p.dim)
	for j, v := range p.r2[i] {
		r2[j] = rate * v
	}
}

// ParamGrad adds the derivative in log Theta, d r² = r² d log Theta.
func (m Isotropic) ParamGrad(dLog []float64, slope, g linalg.Matrix, p *Points) {
	for i := range g.Rows {
		m.rowGrad(dLog, i, slope.Row(i)[:i], g.Row(i)[:i], p)
	}
}

func (m Isotropic) rowGrad(dLog []float64, i int, slope, g []float64, p *Points) {
	half, sum := -m.rate(p.dim)/2, dLog[0]
	r2 := p.r2[i]
	for j, v := range g {
		sum += slope[j] * half * r2[j] * v
	}
	dLog[0] = sum
}

// Map is Theta/D and no map.
func (m Isotropic) Map(dim int) (rate float64, t Map) { return m.rate(dim), nil }

// Weighted has one weight for each parameter, r² = sum_j w_p(j) (x_j - y_j)², p(j) the
// parameter of coordinate j. At the corners that stand for labels, the distance of two
// different ones does not depend on which they are.
type Weighted struct {
	Of      []int     // parameter of each coordinate
	Weights []float64 // by parameter
	Param   HyperParam
}

var _ Metric = Weighted{}

// Params are the weights, all with the same prior.
func (m Weighted) Params() []HyperParam {
	params := make([]HyperParam, m.Of[len(m.Of)-1]+1)
	for i := range params {
		params[i] = m.Param
	}
	return params
}

// At sets the weights.
func (m Weighted) At(logs []float64) Metric {
	w := make([]float64, len(logs))
	linalg.Exp(w, logs)
	return Weighted{m.Of, w, m.Param}
}

// Between fills the lower triangle of r2.
func (m Weighted) Between(r2 linalg.Matrix, p *Points) {
	z := linalg.New(r2.Rows, p.dim)
	m.Apply(z, p.x.Slice(0, r2.Rows, 0, p.dim))
	betweenRows(r2, z)
}

// betweenRows fills the lower triangle of r2 with the squared distances of the rows of z.
func betweenRows(r2, z linalg.Matrix) {
	n := r2.Rows
	linalg.Syrk(r2, 0, -2, z)
	norm2 := make([]float64, n)
	for i := range n {
		norm2[i] = linalg.Dot(z.Row(i), z.Row(i))
		for j, v := range r2.Row(i)[:i] {
			r2.Row(i)[j] = max(0, v+norm2[i]+norm2[j])
		}
	}
}

// ParamGrad adds the derivatives in the logarithms of the weights. With the symmetric H of
// -1/2 slope g and its row sums h,
//
//	dL/dw_j = sum_{i>k} H_ik (x_ij - x_kj)² = sum_i x_ij (h_i x_ij - (HX)_ij).
func (m Weighted) ParamGrad(dLog []float64, slope, g linalg.Matrix, p *Points) {
	m.rowsGrad(dLog, slope, g, p.x.Slice(0, g.Rows, 0, p.dim))
}

// rowsGrad is ParamGrad of points that are the rows of x.
func (m Weighted) rowsGrad(dLog []float64, slope, g, x linalg.Matrix) {
	n := g.Rows
	H, HX, sums := linalg.New(n, n), linalg.New(n, x.Cols), make([]float64, n)
	for i := range n {
		for j := range i {
			v := -0.5 * slope.At(i, j) * g.At(i, j)
			H.Set(i, j, v)
			H.Set(j, i, v)
			sums[i] += v
			sums[j] += v
		}
	}
	linalg.Gemm(HX, 0, 1, H, x)
	total := make([]float64, x.Cols)
	for i := range n {
		hx := HX.Row(i)
		for j, v := range x.Row(i) {
			total[j] += v * (sums[i]*v - hx[j])
		}
	}
	for j, t := range total {
		dLog[m.Of[j]] += m.Weights[m.Of[j]] * t
	}
}

// Map is z_j = sqrt(w_j) x_j.
func (m Weighted) Map(int) (rate float64, t Map) { return 1, m }

// Dim is D.
func (m Weighted) Dim() int { return len(m.Of) }

// Apply computes z_j = sqrt(w_j) x_j.
func (m Weighted) Apply(z, x linalg.Matrix) {
	root := make([]float64, len(m.Weights))
	for i, w := range m.Weights {
		root[i] = math.Sqrt(w)
	}
	for i := range x.Rows {
		zi := z.Row(i)
		for j, v := range x.Row(i) {
			zi[j] = root[m.Of[j]] * v
		}
	}
}

// Pull computes gradX_j = sqrt(w_j) gradZ_j.
func (m Weighted) Pull(gradX, gradZ []float64) {
	for j, g := range gradZ {
		gradX[j] = math.Sqrt(m.Weights[m.Of[j]]) * g
	}
}

// square is |Tx|² of a vector that has only some coordinates, from first on.
func (m Weighted) square(first int, part []float64) (sum float64) {
	for k, v := range part {
		z := math.Sqrt(m.Weights[m.Of[first+k]]) * v
		sum += z * z
	}
	return sum
}
