package embed

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// SIR is semi-supervised sliced inverse regression (arXiv:2005.14601): points
// of similar value are grouped into slices, and a good direction b has local means
// within the slices that differ much from each other, while the points themselves,
// and neighbours of any value, differ little. With the rows of X the centred points,
// labelled ones first and in the order of their values, it looks for large
//
//	|W X b|² / bᵀ Xᵀ M X b,   M = I_labelled + Alpha L + Ridge I.
//
// W averages the neighbours inside a slice: W_ij = 1/min(Neighbours, points of the slice)
// when i and j share a slice and one is among the Neighbours nearest to the other there.
// L = deg - adj is the Laplacian of the graph of nearest neighbours among all points.
type SIR struct {
	Dim        int // d, directions wanted
	Slices     int
	Neighbours int
	Alpha      float64 // weight of the graph of all points
	Ridge      float64
}

// ErrNoDirection says that no direction tells the slices apart.
var ErrNoDirection = errors.New("embed: the points have no direction to learn: give two or more different ones")

// Validate names the first field that cannot be used.
func (s SIR) Validate() error {
	switch {
	case s.Dim < 1:
		return fmt.Errorf("Dim is %d: an embedding has at least one direction", s.Dim)
	case s.Slices < 1:
		return fmt.Errorf("Slices is %d: there must be at least one", s.Slices)
	case s.Neighbours < 1:
		return fmt.Errorf("Neighbours is %d: there must be at least one", s.Neighbours)
	case !(s.Alpha >= 0) || math.IsInf(s.Alpha, 1):
		return fmt.Errorf("Alpha is %g: it must be finite and not negative", s.Alpha)
	case !(s.Ridge > 0) || math.IsInf(s.Ridge, 1):
		return fmt.Errorf("Ridge is %g: it must be positive and finite", s.Ridge)
	}
	return nil
}

// Learn returns B, one direction per row, from points x with values y and points without;
// there are fewer rows than Dim when the points do not span as many. The search is made
// fast as in the paper: only combinations of the Dim leading right singular vectors of
// W X are considered. (The authors find these by a randomised method; for so few
// points the exact one costs no more.)
//
//	W X = P S Uᵀ,   E = S⁻¹ Uᵀ,   E Xᵀ M X Eᵀ = V diag(lambda) Vᵀ,   B = Vᵀ E
//
// Then |W X b_a| = 1, the b_a are orthogonal in the metric of Xᵀ M X, and the best
// direction, that of the least lambda, stands first.
func (s SIR) Learn(x linalg.Matrix, y []float64, unlabelled linalg.Matrix) (linalg.Matrix, error) {
	if err := s.Validate(); err != nil {
		return linalg.Matrix{}, err
	}
	if len(y) != x.Rows || unlabelled.Rows > 0 && unlabelled.Cols != x.Cols {
		return linalg.Matrix{}, fmt.Errorf("embed: %d points of %d coordinates have %d values, points without values have %d coordinates",
			x.Rows, x.Cols, len(y), unlabelled.Cols)
	}
	X := centred(x, y, unlabelled)
	E, err := s.leading(X, x.Rows)
	if err != nil {
		return linalg.Matrix{}, err
	}
	M := s.metric(X, x.Rows)
	C, CM := linalg.New(E.Rows, X.Rows), linalg.New(E.Rows, X.Rows)
	linalg.GemmTB(C, 0, 1, E, X)
	linalg.Gemm(CM, 0, 1, C, M)
	within := mat.NewSymDense(E.Rows, nil)
	for a := range E.Rows {
		for b := range a + 1 {
			within.SetSym(a, b, linalg.Dot(CM.Row(a), C.Row(b)))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(within, true) {
		return linalg.Matrix{}, errors.New("embed: the directions of the slices did not converge")
	}
	var V mat.Dense
	eigen.VectorsTo(&V)
	B := linalg.New(E.Rows, E.Cols)
	for a := range B.Rows {
		for b := range E.Rows {
			linalg.Axpy(B.Row(a), V.At(b, a), E.Row(b))
		}
	}
	return B, nil
}

// centred stacks the points, labelled ones by value and first come first on ties, and
// subtracts their mean.
func centred(x linalg.Matrix, y []float64, unlabelled linalg.Matrix) linalg.Matrix {
	order := make([]int, x.Rows)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(y[i], y[j]) })
	X, mean := linalg.New(x.Rows+unlabelled.Rows, x.Cols), make([]float64, x.Cols)
	for k := range X.Rows {
		if k < x.Rows {
			copy(X.Row(k), x.Row(order[k]))
		} else {
			copy(X.Row(k), unlabelled.Row(k-x.Rows))
		}
		linalg.Axpy(mean, 1/float64(X.Rows), X.Row(k))
	}
	for k := range X.Rows {
		linalg.Axpy(X.Row(k), -1, mean)
	}
	return X
}

// leading returns E = S⁻¹Uᵀ for the Dim leading singular values of W X that are not zero.
func (s SIR) leading(X linalg.Matrix, labelled int) (linalg.Matrix, error) {
	WX := mat.NewDense(X.Rows, X.Cols, nil)
	for h := range s.Slices {
		// slices of sizes as equal as can be
		from, to := h*labelled/s.Slices, (h+1)*labelled/s.Slices
		w := 1 / float64(max(1, min(s.Neighbours, to-from)))
		near := neighbours(X.Slice(from, to, 0, X.Cols), s.Neighbours)
		for i := range near {
			row := WX.RawRowView(from + i)
			for j, linked := range near[i] {
				if linked {
					linalg.Axpy(row, w, X.Row(from+j))
				}
			}
		}
	}
	var svd mat.SVD
	if !svd.Factorize(WX, mat.SVDThin) {
		return linalg.Matrix{}, errors.New("embed: the singular values of the slices did not converge")
	}
	S := svd.Values(nil)
	rank := 0
	for rank < min(s.Dim, len(S)) && S[rank] > rankTolerance*S[0] {
		rank++
	}
	if rank == 0 {
		return linalg.Matrix{}, ErrNoDirection
	}
	var U mat.Dense
	svd.VTo(&U)
	E := linalg.New(rank, X.Cols)
	for a := range rank {
		for j := range X.Cols {
			E.Set(a, j, U.At(j, a)/S[a])
		}
	}
	return E, nil
}

// metric returns M = I_labelled + Alpha L + Ridge I.
func (s SIR) metric(X linalg.Matrix, labelled int) linalg.Matrix {
	M := linalg.New(X.Rows, X.Rows)
	for i, links := range neighbours(X, s.Neighbours) {
		M.Set(i, i, s.Ridge)
		if i < labelled {
			M.Set(i, i, 1+s.Ridge)
		}
		for j, linked := range links {
			if linked {
				M.Set(i, j, -s.Alpha)
				M.Set(i, i, M.At(i, i)+s.Alpha)
			}
		}
	}
	return M
}

// neighbours says which rows of x are linked: one is among the k nearest others of the
// other, the earlier row winning a tie.
func neighbours(x linalg.Matrix, k int) [][]bool {
	r2 := linalg.New(x.Rows, x.Rows)
	linalg.SquaredDistances(r2, x, x)
	linked := make([][]bool, x.Rows)
	for i := range linked {
		linked[i] = make([]bool, x.Rows)
	}
	others := make([]int, 0, x.Rows)
	for i := range linked {
		others = others[:0]
		for j := range x.Rows {
			if j != i {
				others = append(others, j)
			}
		}
		slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(r2.At(i, a), r2.At(i, b)) })
		for _, j := range others[:min(k, len(others))] {
			linked[i][j], linked[j][i] = true, true
		}
	}
	return linked
}
