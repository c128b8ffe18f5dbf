package embed

import (
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Gaussian is the subspace of REMBO: x = clamp(sqrt(d) G z) with independent N(0,1)
// entries of G. The factor takes [-1,1]^d to the box [-sqrt(d),sqrt(d)]^d of the paper.
//
// Citation: Wang, Hutter, Zoghi, Matheson, de Freitas (2016).
type Gaussian struct {
	A linalg.Matrix // D x d, sqrt(d) G
}

var _ Subspace = Gaussian{}

// NewGaussian draws A, 1 <= low <= high.
func NewGaussian(low, high int, r *rand.Rand) Gaussian {
	A := linalg.New(high, low)
	for i := range A.Data {
		A.Data[i] = math.Sqrt(float64(low)) * r.NormFloat64()
	}
	return Gaussian{A}
}

// Dims returns d and D.
func (g Gaussian) Dims() (low, high int) { return g.A.Cols, g.A.Rows }

// Expand computes x = clamp(Az).
func (g Gaussian) Expand(x, z []float64) {
	for j := range x {
		x[j] = clamp(linalg.Dot(g.A.Row(j), z))
	}
}

// Recovery: a coordinate inside the box is an equation for z, one on its border an
// inequality, and so are the bounds of z,
//
//	e_j = a_j z - x_j           -1 < x_j < 1
//	e_j = min(a_j z - 1, 0)     x_j = 1
//	e_j = max(a_j z + 1, 0)     x_j = -1
//	e_a = z_a - clamp(z_a)      bounds of z.
//
// F = 1/2 sum e² is convex, piecewise quadratic, and zero exactly at the z whose image
// is x. With d coordinates inside the box, and at D >> d there are always more, z is
// unique.

const (
	newtonSteps = 60    // far more than the few that the pieces of F need
	newtonRidge = 1e-10 // of the mean diagonal: keeps a step bounded where F is flat
)

// Recover minimises F by Newton's method from z = 0; on the right piece one step is exact
// and the next removes its rounding.
func (g Gaussian) Recover(z, x []float64) (distance float64) {
	w := newton{A: g.A, x: x, H: linalg.New(len(z), len(z)), gradient: make([]float64, len(z)), next: make([]float64, len(z))}
	clear(z)
	value := w.quadratic(z)
	for range newtonSteps {
		lower, ok := w.step(z, value)
		if !ok {
			break
		}
		value = lower
	}
	for a, v := range z {
		z[a] = clamp(v)
	}
	image := make([]float64, len(x))
	g.Expand(image, z)
	return apart(image, x)
}

// newton is the state of one recovery.
type newton struct {
	A        linalg.Matrix
	x        []float64
	H        linalg.Matrix // lower triangle of the Hessian of F
	gradient []float64
	next     []float64
}

// residual returns e_j for v = a_j z, and whether the row counts in the Hessian.
func residual(v, x float64) (e float64, active bool) {
	switch {
	case x >= 1:
		return min(v-1, 0), v < 1
	case x <= -1:
		return max(v+1, 0), v > -1
	}
	return v - x, true
}

// value returns F at z.
func (w *newton) value(z []float64) (F float64) {
	for j, x := range w.x {
		e, _ := residual(linalg.Dot(w.A.Row(j), z), x)
		F += e * e / 2
	}
	for _, v := range z {
		e := v - clamp(v)
		F += e * e / 2
	}
	return F
}

// quadratic returns F at z and fills the gradient and the Hessian of its piece.
func (w *newton) quadratic(z []float64) (F float64) {
	clear(w.gradient)
	clear(w.H.Data)
	for j, x := range w.x {
		row := w.A.Row(j)
		e, active := residual(linalg.Dot(row, z), x)
		if !active {
			continue
		}
		F += e * e / 2
		linalg.Axpy(w.gradient, e, row)
		for a, v := range row {
			linalg.Axpy(w.H.Row(a)[:a+1], v, row[:a+1])
		}
	}
	for a, v := range z {
		if e := v - clamp(v); e != 0 {
			F += e * e / 2
			w.gradient[a] += e
			w.H.Set(a, a, w.H.At(a, a)+1)
		}
	}
	return F
}

// step moves z along Newton's direction, halved until F falls, and returns the new F and
// its derivatives; it reports false, and leaves z, when F cannot fall any more.
func (w *newton) step(z []float64, F float64) (lower float64, ok bool) {
	trace := 0.0
	for a := range z {
		trace += w.H.At(a, a)
	}
	for a := range z {
		w.H.Set(a, a, w.H.At(a, a)+newtonRidge*trace/float64(len(z)))
	}
	if linalg.Cholesky(w.H) != nil {
		return F, false // F = 0 in a neighbourhood
	}
	linalg.SolveLowerVec(w.H, w.gradient)
	linalg.SolveLowerTransVec(w.H, w.gradient)
	for length := 1.0; length > 1e-6; length /= 2 {
		copy(w.next, z)
		linalg.Axpy(w.next, -length, w.gradient)
		if w.value(w.next) < F {
			copy(z, w.next)
			return w.quadratic(z), true
		}
	}
	return F, false
}
