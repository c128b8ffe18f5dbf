package embed

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// rankTolerance is the ratio to the largest singular value of B below which one counts
// as zero. It is far above rounding, and far below what a model can see: in the
// direction dropped z varies by 1e-10 of its main range.
const rankTolerance = 1e-10

// PseudoInverse reconstructs x = clamp(B⁺z), the shortest solution of Bx = z, moved
// into the box. It is the same for equal z: biased whenever B is not the truth.
type PseudoInverse struct {
	embedding Linear
	inverse   linalg.Matrix // B⁺, D x d
	rank      int
}

var _ Reconstruction = (*PseudoInverse)(nil)

// NewPseudoInverse factorises B, which may be rank-deficient: with B = U S Vᵀ,
// B⁺ = V S⁻¹ Uᵀ over the singular values that are not zero.
func NewPseudoInverse(B linalg.Matrix) (*PseudoInverse, error) {
	if err := checkMatrix(B); err != nil {
		return nil, err
	}
	p := &PseudoInverse{embedding: Linear{B}, inverse: linalg.New(B.Cols, B.Rows)}
	dense := mat.NewDense(B.Rows, B.Cols, nil)
	for a := range B.Rows {
		dense.SetRow(a, B.Row(a))
	}
	var svd mat.SVD
	if !svd.Factorize(dense, mat.SVDThin) {
		return nil, errors.New("embed: the singular values of B did not converge: scale its entries towards 1")
	}
	var U, V mat.Dense
	svd.UTo(&U)
	svd.VTo(&V)
	s := svd.Values(nil)
	for s[0] > 0 && p.rank < len(s) && s[p.rank] > rankTolerance*s[0] {
		k := p.rank
		for j := range B.Cols {
			row, v := p.inverse.Row(j), V.At(j, k)/s[k]
			for a := range row {
				row[a] += v * U.At(a, k)
			}
		}
		p.rank++
	}
	return p, nil
}

// Matrix returns B⁺, D x d, not to be changed.
func (p *PseudoInverse) Matrix() linalg.Matrix { return p.inverse }

// Rank returns the number of singular values of B that are not zero.
func (p *PseudoInverse) Rank() int { return p.rank }

// Reconstruct fills x with clamp(B⁺z).
func (p *PseudoInverse) Reconstruct(_ context.Context, x, z []float64, _ *rand.Rand) error {
	if err := p.embedding.check(x, z); err != nil {
		return err
	}
	for j := range x {
		x[j] = min(max(linalg.Dot(p.inverse.Row(j), z), -1), 1)
	}
	return nil
}
