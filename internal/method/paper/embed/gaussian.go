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
	newtonSteps = 100   // far more than the few that the pieces of F need
	solved      = 1e-26 // of F: what rounding leaves
)

// Recover minimises F by Newton's method from z = 0. The first step knows the equations
// alone: where they determine z it is exact.
func (g Gaussian) Recover(z, x []float64) (distance float64) {
	w := newNewton(g.A, x)
	clear(z)
	w.step(z, false)
	for range newtonSteps {
		if !w.step(z, true) {
			break
		}
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
	H, L     linalg.Matrix // lower triangles: the Hessian of F, and its factor
	gradient []float64
	move     []float64
	next     []float64
}

func newNewton(A linalg.Matrix, x []float64) *newton {
	d := A.Cols
	return &newton{
		A: A, x: x, H: linalg.New(d, d), L: linalg.New(d, d),
		gradient: make([]float64, d), move: make([]float64, d), next: make([]float64, d),
	}
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

// quadratic fills the gradient and the Hessian of the piece of F around z, of all rows or
// of the equations alone.
func (w *newton) quadratic(z []float64, borders bool) {
	clear(w.gradient)
	clear(w.H.Data)
	for j, x := range w.x {
		row := w.A.Row(j)
		e, active := residual(linalg.Dot(row, z), x)
		if !active || (!borders && math.Abs(x) >= 1) {
			continue
		}
		for a, v := range row {
			w.gradient[a] += e * v
			h := w.H.Row(a)
			for b, u := range row[:a+1] {
				h[b] += u * v
			}
		}
	}
	for a, v := range z {
		if e := v - clamp(v); e != 0 {
			w.gradient[a] += e
			w.H.Set(a, a, w.H.At(a, a)+1)
		}
	}
}

// step moves z to where F is lower; it reports false, and leaves z, when F is lowest. On a
// flat or narrow piece Newton's step may go too far: the ridge then grows (Levenberg and
// Marquardt) and turns it into a short step down the gradient.
func (w *newton) step(z []float64, borders bool) bool {
	F := w.value(z)
	w.quadratic(z, borders)
	for ridge := 1e-10; F > solved && ridge < 1e10; ridge *= 100 {
		if w.newtonMove(ridge) != nil {
			continue
		}
		// The quadratic piece promises a fall of half the slope.
		enough := F - linalg.Dot(w.gradient, w.move)/8
		if enough == F {
			return false
		}
		for a, v := range z {
			w.next[a] = v - w.move[a]
		}
		if w.value(w.next) <= enough {
			copy(z, w.next)
			return true
		}
	}
	return false
}

// newtonMove solves (H + ridge*mean diagonal) move = gradient.
func (w *newton) newtonMove(ridge float64) error {
	trace := 0.0
	for a := range w.move {
		trace += w.H.At(a, a)
		copy(w.L.Row(a)[:a+1], w.H.Row(a))
	}
	for a := range w.move {
		w.L.Set(a, a, w.L.At(a, a)+ridge*trace/float64(len(w.move)))
	}
	if err := linalg.Cholesky(w.L); err != nil {
		return err
	}
	copy(w.move, w.gradient)
	linalg.SolveLowerVec(w.L, w.move)
	linalg.SolveLowerTransVec(w.L, w.move)
	return nil
}
