package candidate

import "math"

// schur keeps K(S) = L L' for a growing and shrinking set S of at most size points.
type schur struct {
	size, n int
	k, l    []float64 // lower triangles of K(S) and of its factor, row-major
	v       []float64
}

func newSchur(size int) schur {
	return schur{size: size, k: make([]float64, size*size), l: make([]float64, size*size), v: make([]float64, size)}
}

// ratio returns det K(S+x)/det K(S) for a point x with the given covariances with S and
// variance, the Schur complement variance - |L^-1 row|^2, and leaves L^-1 row in v.
func (s *schur) ratio(row []float64, variance float64) float64 {
	for i := range s.n {
		sum := row[i]
		l := s.l[i*s.size : i*s.size+i+1]
		for j, lij := range l[:i] {
			sum -= lij * s.v[j]
		}
		s.v[i] = sum / l[i]
		variance -= s.v[i] * s.v[i]
	}
	return max(variance, 0)
}

// add puts a point into S. Pivots are kept above 1e-12 of the variance: a point that S
// already explains would make K(S) singular.
func (s *schur) add(row []float64, variance float64) {
	pivot := s.ratio(row, variance)
	if least := max(1e-12*variance, 1e-30); !(pivot > least) {
		pivot = least
	}
	at := s.n * s.size
	copy(s.k[at:], row[:s.n])
	copy(s.l[at:], s.v[:s.n])
	s.k[at+s.n], s.l[at+s.n] = variance, math.Sqrt(pivot)
	s.n++
}

// drop takes point i out of S. The rows of L above it stay, the others are made anew.
func (s *schur) drop(i int) {
	n := s.n
	s.n = i
	row := make([]float64, n)
	for j := i + 1; j < n; j++ {
		from := s.k[j*s.size:]
		copy(row, from[:i])
		copy(row[i:], from[i+1:j])
		s.add(row, from[j])
	}
}
