package problem

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Embed hides p in a random subspace of [-1,1]^dim: the entries of A are
// independent standard normal, then each row is divided by its L1 norm.
func Embed(p Problem, dim int, r *rand.Rand) (Problem, error) {
	if dim < p.Dim {
		return Problem{}, fmt.Errorf("cannot embed %s, which has %d parameters, in %d: dim must be at least %d", p.Name, p.Dim, dim, p.Dim)
	}
	A := linalg.New(p.Dim, dim)
	for i := range A.Rows {
		row := A.Row(i)
		var norm float64
		for j := range row {
			row[j] = r.NormFloat64()
			norm += math.Abs(row[j])
		}
		for j := range row {
			row[j] /= norm
		}
	}
	return EmbedMatrix(p, A)
}

// EmbedSparse hides p in a subspace in which each of its parameters depends on
// few coordinates: every row of A has that many entries, at random places that
// no two rows share, standard normal and divided by their L1 norm. One entry per
// row makes z_i a coordinate of x, with either sign: an axis-aligned embedding.
func EmbedSparse(p Problem, dim, entries int, r *rand.Rand) (Problem, error) {
	if entries < 1 || entries*p.Dim > dim {
		return Problem{}, fmt.Errorf("cannot embed %s, which has %d parameters, by %d coordinates each in %d: dim must be at least %d and the entries at least 1", p.Name, p.Dim, entries, dim, entries*p.Dim)
	}
	A := linalg.New(p.Dim, dim)
	places := r.Perm(dim)
	for i := range A.Rows {
		row := A.Row(i)
		var norm float64
		for _, j := range places[i*entries : (i+1)*entries] {
			row[j] = r.NormFloat64()
			norm += math.Abs(row[j])
		}
		for j := range row {
			row[j] /= norm
		}
	}
	return EmbedMatrix(p, A)
}

// EmbedMatrix returns the problem x -> p(A x). A is p.Dim x D, and the L1 norm
// of each row must not exceed 1, so that A x stays in the box of p.
func EmbedMatrix(p Problem, A linalg.Matrix) (Problem, error) {
	if A.Rows != p.Dim || A.Cols < 1 {
		return Problem{}, fmt.Errorf("cannot embed %s by a matrix of %d rows and %d columns: it needs %d rows and at least one column", p.Name, A.Rows, A.Cols, p.Dim)
	}
	rows := make([][]float64, A.Rows)
	for i := range rows {
		rows[i] = slices.Clone(A.Row(i))
		var norm float64
		for _, a := range rows[i] {
			norm += math.Abs(a)
		}
		if !(norm <= 1+1e-9) {
			return Problem{}, fmt.Errorf("cannot embed %s: row %d of the matrix has L1 norm %g, above 1: divide the row by it", p.Name, i, norm)
		}
	}
	through := func(f func([]float64) float64) func([]float64) float64 {
		return func(x []float64) float64 {
			z := make([]float64, len(rows))
			for i, a := range rows {
				// Rounding may leave the box by a hair.
				z[i] = min(max(linalg.Dot(a, x), -1), 1)
			}
			return f(z)
		}
	}
	q := p
	q.Dim = A.Cols
	q.TrueDim = cmp.Or(p.TrueDim, p.Dim)
	q.Eval = through(p.Eval)
	if p.NoiseFree != nil {
		q.NoiseFree = through(p.NoiseFree)
	}
	return q, nil
}
