package embed

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Settings of the paper.
const (
	tolerance = 1e-5 // of ½|Bx-z|²
	maxSteps  = 1000 // of one descent
	maxStarts = 100  // before the pseudo-inverse is used
)

// Randomised reconstructs a random point of the fibre of z
// (alg:random_reconstruction): from a uniform start, gradient descent on ½|Bx-z|²
// with exact line search. Steps lie in the row space of B, so the part of the start in
// N(B) is that of the result (thm:randomized_unbiased). A descent that leaves the box
// is started again; where D is large nearly all do.
type Randomised struct {
	embedding Linear
	pinv      *PseudoInverse
	gram      linalg.Matrix // BBᵀ
	slack     []float64     // how far inside of its limit a descent may end, by coordinate
}

var _ Reconstruction = (*Randomised)(nil)

// Outcome says how a randomised reconstruction went.
type Outcome struct {
	Starts   int  // uniform starts drawn
	Steps    int  // gradient steps, of all starts
	Fallback bool // no start succeeded: x is the clamped pseudo-inverse
}

// NewRandomised prepares the reconstruction for the embedding that p inverts.
func NewRandomised(p *PseudoInverse) *Randomised {
	B := p.embedding.B
	r := &Randomised{embedding: p.embedding, pinv: p, gram: linalg.New(B.Rows, B.Rows), slack: make([]float64, B.Cols)}
	linalg.GemmTB(r.gram, 0, 1, B, B)
	for j := range r.slack {
		// A descent of limit x* that ends with |r|² < 2*tolerance is at
		// x = x* + B⁺r, so |x_j - x*_j| <= |row j of B⁺| sqrt(2*tolerance).
		row := p.inverse.Row(j)
		r.slack[j] = math.Sqrt(2 * tolerance * linalg.Dot(row, row))
		if p.rank < B.Rows {
			r.slack[j] = math.Inf(1) // B⁺ does not know all directions of the descent
		}
	}
	return r
}

// Reconstruct is Sample for callers that need not know how it went.
func (r *Randomised) Reconstruct(ctx context.Context, x, z []float64, rng *rand.Rand) error {
	_, err := r.Sample(ctx, x, z, rng)
	return err
}

// Sample fills x with a random point of the box that maps to z: ½|Bx-z|² < 1e-5.
// After 100 starts it is clamp(B⁺z) instead. When ctx ends, x is of no use.
func (r *Randomised) Sample(ctx context.Context, x, z []float64, rng *rand.Rand) (Outcome, error) {
	var out Outcome
	if err := r.embedding.check(x, z); err != nil {
		return out, err
	}
	residual, step := make([]float64, len(z)), make([]float64, len(z))
	for out.Starts < maxStarts {
		if err := context.Cause(ctx); err != nil {
			return out, err
		}
		for j := range x {
			x[j] = 2*rng.Float64() - 1
		}
		out.Starts++
		steps, ok := r.descend(x, z, residual, step)
		out.Steps += steps
		if ok {
			return out, nil
		}
	}
	out.Fallback = true
	return out, r.pinv.Reconstruct(ctx, x, z, rng)
}

// descend moves x to the fibre of z and reports whether it got there inside the box.
// Residuals are followed in d dimensions; only x itself costs O(dD) a step.
func (r *Randomised) descend(x, z, residual, step []float64) (steps int, ok bool) {
	r.residual(residual, x, z)
	if !r.promising(x, residual) {
		return 0, false
	}
	for {
		if reached(residual) {
			// Rounding may separate the recurrence from the truth.
			if r.residual(residual, x, z); reached(residual) {
				return steps, true
			}
		}
		if steps == maxSteps {
			return steps, false
		}
		// gamma = |Bᵀr|²/|BBᵀr|²; r <- r - gamma BBᵀr; x <- x - gamma Bᵀr
		for a := range step {
			step[a] = linalg.Dot(r.gram.Row(a), residual)
		}
		slope, curvature := linalg.Dot(residual, step), linalg.Dot(step, step)
		gamma := slope / curvature
		if decrease := gamma * slope; !(decrease > 1e-15*linalg.Dot(residual, residual)) {
			return steps, false // z is not in the range of B
		}
		for a, v := range residual {
			linalg.Axpy(x, -gamma*v, r.embedding.B.Row(a))
		}
		linalg.Axpy(residual, -gamma, step)
		steps++
		for _, v := range x {
			if !(math.Abs(v) <= 1) {
				return steps, false
			}
		}
	}
}

// promising reports whether a descent from x can end inside the box. Its limit
// x* = x - B⁺r is known beforehand, and a descent ends within slack of it.
func (r *Randomised) promising(x, residual []float64) bool {
	for j, v := range x {
		if limit := v - linalg.Dot(r.pinv.inverse.Row(j), residual); math.Abs(limit) > 1+r.slack[j] {
			return false
		}
	}
	return true
}

// residual computes dst = Bx - z.
func (r *Randomised) residual(dst, x, z []float64) {
	r.embedding.Apply(dst, x)
	for a, v := range z {
		dst[a] -= v
	}
}

// reached reports whether ½|r|² is within the tolerance.
func reached(r []float64) bool { return linalg.Dot(r, r)/2 < tolerance }
