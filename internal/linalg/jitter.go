package linalg

import "fmt"

// JitterError reports that no rung of the ladder made the matrix positive
// definite. It wraps the *NotPositiveDefiniteError of the last rung.
type JitterError struct {
	Last float64 // the largest jitter tried
	Err  error
}

func (e *JitterError) Error() string {
	return fmt.Sprintf("linalg: no jitter up to %g helps: %v", e.Last, e.Err)
}

func (e *JitterError) Unwrap() error { return e.Err }

// CholeskyJitter writes the factor of A + jitter*I to the lower triangle of
// dst, with the first jitter of 0, ladder[0], ladder[1]... that succeeds, and
// returns that jitter. A is not changed and must not overlap dst; when all
// fail dst is unchanged and the error is a *JitterError.
func CholeskyJitter(dst, a Matrix, ladder []float64) (jitter float64, err error) {
	return ParallelCholeskyJitter(1, dst, a, ladder)
}

// ParallelCholeskyJitter is CholeskyJitter on several threads.
func ParallelCholeskyJitter(threads int, dst, a Matrix, ladder []float64) (jitter float64, err error) {
	err = factorise(threads, dst, a, 0)
	for _, rung := range ladder {
		if err == nil {
			return jitter, nil
		}
		jitter = rung
		err = factorise(threads, dst, a, jitter)
	}
	if err != nil {
		return 0, &JitterError{Last: jitter, Err: err}
	}
	return jitter, nil
}

// DefaultLadder returns the rungs 1e-10, 1e-9 ... 1e-4 times the mean diagonal
// of A: rounding in a Gram matrix of order n perturbs its eigenvalues by about
// n*1e-16 of that mean, and 1e-4 is far below any signal.
func DefaultLadder(a Matrix) []float64 {
	return Ladder(a.Rows, func(i int) float64 { return a.At(i, i) })
}

// Ladder is DefaultLadder for a diagonal of n elements.
func Ladder(n int, diagonal func(i int) float64) []float64 {
	mean := 0.0
	for i := range n {
		mean += diagonal(i)
	}
	mean /= float64(max(n, 1))
	ladder := make([]float64, 0, 7)
	for _, r := range [...]float64{1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4} {
		ladder = append(ladder, r*mean)
	}
	return ladder
}
