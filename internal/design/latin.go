package design

import (
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/rng"
)

// LatinHypercube fills dst with n points such that every coordinate has exactly
// one point in each of the n equal strips of [-1,1], at a uniform place in it.
func LatinHypercube(dst linalg.Matrix, r *rand.Rand) {
	Uniform(dst, r)
	n := dst.Rows
	strip := make([]int, n)
	for j := range dst.Cols {
		shuffle(strip, r)
		for i, k := range strip {
			dst.Set(i, j, inStrip(k, n, dst.At(i, j)))
		}
	}
}

// SymmetricLatinHypercube fills dst with a Latin hypercube in which rows i and
// n-1-i are mirror images; an odd n has the centre as its middle row.
func SymmetricLatinHypercube(dst linalg.Matrix, r *rand.Rand) {
	n := dst.Rows
	half := n / 2
	Uniform(dst, r)
	// Each of the half pairs of opposite strips goes to one pair of rows, with a
	// coin for which end is up.
	pair := make([]int, half)
	for j := range dst.Cols {
		shuffle(pair, r)
		for i, k := range pair {
			v := inStrip(k, n, dst.At(i, j))
			if r.Uint64()&1 == 1 {
				v = -v
			}
			dst.Set(i, j, v)
			dst.Set(n-1-i, j, -v)
		}
		if n%2 == 1 {
			dst.Set(half, j, 0)
		}
	}
}

// Uniform fills dst with independent uniform points of [-1,1]^D.
func Uniform(dst linalg.Matrix, r *rand.Rand) {
	f := rng.NewFiller(r)
	for i := range dst.Rows {
		f.Uniform(dst.Row(i))
	}
}

// inStrip maps w of (-1,1) to strip k of the n equal strips of [-1,1].
func inStrip(k, n int, w float64) float64 {
	return (float64(2*k+1-n) + w) / float64(n)
}

// shuffle makes p a random permutation of 0 ... len(p)-1.
func shuffle(p []int, r *rand.Rand) {
	for i := range p {
		k := r.IntN(i + 1)
		p[i] = p[k]
		p[k] = i
	}
}
