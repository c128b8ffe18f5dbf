package gp

import (
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Points are points together with the squared distances between them, which are all
// that an isotropic kernel needs: a new point costs O(n D), new hyperparameters nothing. They are
// 4n² bytes: those of many points are forgotten.
type Points struct {
	dim, n int
	x      linalg.Matrix // one point per row, spare rows below
	norm2  []float64     // |x_i|²
	r2     [][]float64   // |x_i - x_j|² for j < i; nil for points whose distances are not kept
	far    bool          // no distances are kept any more
}

// NewPoints returns an empty set of points with dim coordinates.
func NewPoints(dim int) *Points { return &Points{dim: dim} }

// Len returns the number of points.
func (c *Points) Len() int { return c.n }

// At returns point i, not to be changed.
func (c *Points) At(i int) []float64 { return c.x.Row(i) }

// X returns the n x D view.
func (c *Points) X() linalg.Matrix { return c.x.Slice(0, c.n, 0, c.dim) }

// Append adds a copy of a point.
func (c *Points) Append(x []float64) {
	if c.n == c.x.Rows {
		c.grow(max(64, 2*c.n))
	}
	i := c.n
	c.keep(x)
	if c.far {
		return
	}
	if cap(c.r2[i]) < i {
		c.r2[i] = make([]float64, i)
	}
	c.r2[i] = c.r2[i][:i]
	c.distances(c.r2[i], x)
}

// squares fills r2 with the squared distances of the rows of z from those of x, whose squared lengths are given.
func squares(r2, z, x linalg.Matrix, norm2 []float64) {
	linalg.GemmTB(r2, 0, -2, z, x)
	for i := range r2.Rows {
		row, own := r2.Row(i), linalg.Dot(z.Row(i), z.Row(i))
		for j, q := range norm2[:r2.Cols] {
			row[j] = max(0, row[j]+own+q)
		}
	}
}

// Forget drops the distances, and new points have none: they are computed where a subset needs
// them.
func (c *Points) Forget() { c.far, c.r2 = true, nil }

// keep adds a copy of a point for which there is room, without its distances.
func (c *Points) keep(x []float64) {
	copy(c.x.Row(c.n), x)
	c.norm2[c.n] = linalg.Dot(x, x)
	c.n++
}

// Truncate drops the points from number n on.
func (c *Points) Truncate(n int) { c.n = n }

// Subset returns the points with the given numbers, in that order.
func (c *Points) Subset(numbers []int) *Points {
	s := NewPoints(c.dim)
	s.grow(len(numbers) + 64)
	for a, i := range numbers {
		if c.far {
			s.Append(c.x.Row(i))
			continue
		}
		s.keep(c.x.Row(i))
		s.r2[a] = make([]float64, a)
		for b, j := range numbers[:a] {
			s.r2[a][b] = c.r2[max(i, j)][min(i, j)]
		}
	}
	return s
}

// Dim returns the number of coordinates.
func (c *Points) Dim() int { return c.dim }

// Square returns |x_i - x_j|² for j < i.
func (c *Points) Square(i, j int) float64 { return c.r2[i][j] }

// MeanSquare returns the mean of |x_i - x_j|²/D over the pairs of points, 0 when there are none.
func (c *Points) MeanSquare() float64 {
	var sum float64
	for i := range c.n {
		for _, v := range c.r2[i] {
			sum += v
		}
	}
	return sum / float64(max(1, c.n*(c.n-1)/2)*c.dim)
}

// Nearest returns the distance from x to the closest point, +Inf when there is none.
func (c *Points) Nearest(x []float64) float64 {
	r2 := make([]float64, c.n)
	c.distances(r2, x)
	least := math.Inf(1)
	for _, v := range r2 {
		least = min(least, v)
	}
	return math.Sqrt(least)
}

// distances fills r2 with |x - x_i|² of the first len(r2) points.
func (c *Points) distances(r2, x []float64) {
	xx := linalg.Dot(x, x)
	for i := range r2 {
		r2[i] = max(0, xx+c.norm2[i]-2*linalg.Dot(c.x.Row(i), x))
	}
}

func (c *Points) grow(capacity int) {
	x, norm2 := linalg.New(capacity, c.dim), make([]float64, capacity)
	copy(x.Data, c.x.Data)
	copy(norm2, c.norm2)
	if !c.far {
		r2 := make([][]float64, capacity)
		copy(r2, c.r2)
		c.r2 = r2
	}
	c.x, c.norm2 = x, norm2
}
