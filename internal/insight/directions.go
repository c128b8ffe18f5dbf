package insight

import (
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// mostDirections is the largest number of directions that is considered.
const mostDirections = 6

// spectrum are the leading eigenvectors of the average outer product of gradients, one
// per row, and the share of the energy, the trace, that each holds. They point to where
// the function falls on average.
type spectrum struct {
	directions linalg.Matrix
	shares     []float64
}

// negligible is the share from which on an eigenvector is rounding.
const negligible = 1e-9

// newSpectrum takes gradients, one per row of G. With GG' = U Λ U', the eigenvectors of
// G'G are G'u/sqrt(λ).
func newSpectrum(G linalg.Matrix) spectrum {
	gram := linalg.New(G.Rows, G.Rows)
	linalg.Syrk(gram, 0, 1, G)
	sym := mat.NewSymDense(G.Rows, nil)
	var energy float64
	for i := range G.Rows {
		energy += gram.At(i, i)
		for j := range i + 1 {
			sym.SetSym(i, j, gram.At(i, j))
		}
	}
	s := spectrum{directions: linalg.New(0, G.Cols)}
	var eigen mat.EigenSym
	if !(energy > 0) || !eigen.Factorize(sym, true) {
		return s
	}
	values := eigen.Values(nil) // increasing
	var U mat.Dense
	eigen.VectorsTo(&U)
	rows := linalg.New(mostDirections, G.Cols)
	count := 0
	for k := G.Rows - 1; k >= 0 && count < min(mostDirections, G.Cols) && values[k] > negligible*energy; k-- {
		v := rows.Row(count)
		for i := range G.Rows {
			linalg.Axpy(v, U.At(i, k), G.Row(i))
		}
		length, slope := math.Sqrt(linalg.Dot(v, v)), 0.0
		for i := range G.Rows {
			slope += linalg.Dot(G.Row(i), v)
		}
		scale(v, math.Copysign(1/length, -slope))
		s.shares = append(s.shares, values[k]/energy)
		count++
	}
	s.directions = rows.Slice(0, count, 0, G.Cols)
	return s
}

// first returns the leading d directions, or fewer if there are no more.
func (s spectrum) first(d int) linalg.Matrix {
	return s.directions.Slice(0, min(d, s.directions.Rows), 0, s.directions.Cols)
}

// share is that of the first d directions.
func (s spectrum) share(d int) float64 {
	var sum float64
	for _, v := range s.shares[:min(d, len(s.shares))] {
		sum += v
	}
	return min(sum, 1)
}

func scale(x []float64, by float64) {
	for i := range x {
		x[i] *= by
	}
}

// between factorises the cosines of two sets of orthonormal rows, A B' = U S V'. The
// singular values are the cosines of the angles between the subspaces.
func between(A, B linalg.Matrix) (U, V mat.Dense, cosines []float64, ok bool) {
	if A.Rows == 0 || B.Rows == 0 {
		return U, V, nil, false
	}
	cross := mat.NewDense(A.Rows, B.Rows, nil)
	for i := range A.Rows {
		for j := range B.Rows {
			cross.Set(i, j, linalg.Dot(A.Row(i), B.Row(j)))
		}
	}
	var svd mat.SVD
	if !svd.Factorize(cross, mat.SVDThin) {
		return U, V, nil, false
	}
	svd.UTo(&U)
	svd.VTo(&V)
	return U, V, svd.Values(nil), true
}

// agreement is the smallest cosine between two subspaces, 0 when one has fewer
// dimensions than d.
func agreement(a, b spectrum, d int) float64 {
	A, B := a.first(d), b.first(d)
	if A.Rows < d || B.Rows < d {
		return 0
	}
	_, _, cosines, ok := between(A, B)
	if !ok {
		return 0
	}
	return min(cosines[d-1], 1)
}

// alignTo returns the rotation of B's rows that comes closest to A's: U V' B.
func alignTo(A, B linalg.Matrix) linalg.Matrix {
	out := linalg.New(A.Rows, A.Cols)
	U, V, _, ok := between(A, B)
	if !ok {
		return out
	}
	var Q mat.Dense
	Q.Mul(&U, V.T())
	for i := range A.Rows {
		for j := range B.Rows {
			linalg.Axpy(out.Row(i), Q.At(i, j), B.Row(j))
		}
	}
	return out
}
