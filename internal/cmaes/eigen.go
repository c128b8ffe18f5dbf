package cmaes

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/mahabo/mahabo/internal/linalg"
)

// decompose refreshes B and d when the last decomposition is old enough. A matrix
// that is not safely positive definite leaves them as they were and is noted.
func (s *Search) decompose() {
	if s.g-s.decomposed < s.rates.eigenStep {
		return
	}
	s.decomposed = s.g
	if s.vectors.Rows == 0 {
		s.vectors = linalg.New(s.n, s.n)
	}
	if len(s.work) == 0 {
		s.squares = make([]float64, s.n)
		s.work = make([]float64, 34*s.n) // LAPACK's (nb+2) n
	}
	s.broken = !s.eigen()
	if s.broken {
		return
	}
	s.B, s.vectors = s.vectors, s.B
	for j, v := range s.squares {
		s.d[j] = math.Sqrt(v)
	}
}

// eigen writes C = V diag(squares) Vᵀ and says whether 0 < max/min <= 1e14.
func (s *Search) eigen() bool {
	for i := range s.n {
		if v := s.C.At(i, i); !(v > 0 && v <= math.MaxFloat64) {
			return false
		}
		copy(s.vectors.Row(i)[:i+1], s.C.Row(i))
	}
	v := blas64.Symmetric{Uplo: blas.Lower, N: s.n, Data: s.vectors.Data, Stride: s.n}
	if !lapack64.Syev(lapack.EVCompute, v, s.squares, s.work, len(s.work)) {
		return false
	}
	least, most := s.squares[0], s.squares[s.n-1]
	return least > 0 && most <= maxCondition*least
}
