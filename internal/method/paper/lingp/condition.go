package lingp

import (
	"errors"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Conditioned is a model after points were chosen whose values are not known
// yet: means stay, covariances shrink by one rank per point,
//
//	cov'(a,b) = cov(a,b) - cov(a,x) cov(x,b) / (var(x) + noise).
type Conditioned struct {
	base   *Model
	points []chosen
}

// chosen is one point x that was conditioned on.
type chosen struct {
	influence
	withEarlier []float64 // covariances with the points before it, given those before each
	total       float64   // var(x) + noise, given the points before it
}

var (
	_ Joint = (*Conditioned)(nil)
	_ Batch = (*Conditioned)(nil)
)

// ErrCertain says that a point's value is already known without noise, so
// conditioning on it means nothing.
var ErrCertain = errors.New("gp: the value at the point is already certain")

// Condition returns the model after choosing x.
func (m *Model) Condition(x []float64) (Joint, error) {
	return (&Conditioned{base: m}).Condition(x)
}

// Condition returns the model after choosing x as well.
func (c *Conditioned) Condition(x []float64) (Joint, error) {
	_, variance := c.base.Predict(x)
	p := chosen{influence: c.base.influence(x), withEarlier: c.covWithChosen(x)}
	for i, q := range c.points {
		variance -= p.withEarlier[i] * p.withEarlier[i] / q.total
	}
	p.total = floor(variance) + c.base.hyper.NoiseVariance
	if p.total <= 0 {
		return nil, ErrCertain
	}
	points := append(append([]chosen(nil), c.points...), p)
	return &Conditioned{base: c.base, points: points}, nil
}

// covWithChosen returns the covariance of x with each chosen point, given the
// points chosen before that one.
func (c *Conditioned) covWithChosen(x []float64) []float64 {
	out := make([]float64, len(c.points))
	for i, p := range c.points {
		out[i] = c.base.covWith(p.influence, x)
		for j := range i {
			out[i] -= out[j] * p.withEarlier[j] / c.points[j].total
		}
	}
	return out
}

// Predict returns the base model's mean and the reduced variance.
func (c *Conditioned) Predict(x []float64) (mean, variance float64) {
	mean, variance = c.base.Predict(x)
	return mean, c.reduce(variance, x)
}

// PredictBatch predicts the rows of x.
func (c *Conditioned) PredictBatch(mean, variance []float64, x linalg.Matrix) {
	c.base.PredictBatch(mean, variance, x)
	for i := range x.Rows {
		variance[i] = c.reduce(variance[i], x.Row(i))
	}
}

func (c *Conditioned) reduce(variance float64, x []float64) float64 {
	for i, cov := range c.covWithChosen(x) {
		variance -= cov * cov / c.points[i].total
	}
	return floor(variance)
}

// Cov returns the covariance of x and y given the chosen points.
func (c *Conditioned) Cov(x, y []float64) float64 {
	cov := c.base.Cov(x, y)
	cx, cy := c.covWithChosen(x), c.covWithChosen(y)
	for i, p := range c.points {
		cov -= cx[i] * cy[i] / p.total
	}
	return cov
}

// Anchor returns the function x -> Cov(x, s), with the work that depends on s
// alone done once.
func (c *Conditioned) Anchor(s []float64) func(x []float64) float64 {
	base, cs := c.base.Anchor(s), c.covWithChosen(s)
	return func(x []float64) float64 {
		cov := base(x)
		for i, cx := range c.covWithChosen(x) {
			cov -= cx * cs[i] / c.points[i].total
		}
		return cov
	}
}

// Anchor returns the function x -> Cov(x, s), with the work that depends on s
// alone done once.
func (m *Model) Anchor(s []float64) func(x []float64) float64 {
	f := m.influence(s)
	return func(x []float64) float64 { return m.covWith(f, x) }
}

// VarianceBounds fills dst with upper bounds of the variance: those of the base
// model, which conditioning only lowers.
func (c *Conditioned) VarianceBounds(dst []float64, x linalg.Matrix) {
	c.base.VarianceBounds(dst, x)
}

// PredictBounds is that of the base model: means stay and variances only shrink.
func (c *Conditioned) PredictBounds(mean, variance []float64, x linalg.Matrix) bool {
	return c.base.PredictBounds(mean, variance, x)
}
