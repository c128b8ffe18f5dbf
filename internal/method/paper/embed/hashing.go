package embed

import "math/rand/v2"

// Hashing is the subspace of HeSBO: every parameter follows one of d variables, some of
// them with the sign reversed, x_j = s_j z_h(j). Each row of A has a single entry +-1,
// so nothing is ever clamped and z can be read off x.
//
// Citation: Nayebi, Munteanu, Poloczek (2019).
type Hashing struct {
	low    int
	bucket []int     // h
	sign   []float64 // s
	count  []float64 // parameters per variable
}

var _ Subspace = (*Hashing)(nil)

// NewHashing draws h and s, 1 <= low <= high. One parameter per variable is dealt out
// first, so that no variable is without effect; the others follow a uniform one. For
// D >> d this is the law of independent draws.
func NewHashing(low, high int, r *rand.Rand) *Hashing {
	h := &Hashing{low: low, bucket: make([]int, high), sign: make([]float64, high), count: make([]float64, low)}
	for i, j := range r.Perm(high) {
		a := i
		if i >= low {
			a = r.IntN(low)
		}
		h.bucket[j] = a
		h.sign[j] = float64(2*r.IntN(2) - 1)
		h.count[a]++
	}
	return h
}

// Dims returns d and D.
func (h *Hashing) Dims() (low, high int) { return h.low, len(h.bucket) }

// Expand computes x_j = s_j z_h(j).
func (h *Hashing) Expand(x, z []float64) {
	for j, a := range h.bucket {
		x[j] = clamp(h.sign[j] * z[a])
	}
}

// Recover computes z_a as the mean of s_j x_j over the parameters that follow it.
func (h *Hashing) Recover(z, x []float64) (distance float64) {
	clear(z)
	for j, a := range h.bucket {
		z[a] += h.sign[j] * x[j]
	}
	for a := range z {
		z[a] /= h.count[a]
	}
	image := make([]float64, len(x))
	h.Expand(image, z)
	return apart(image, x)
}
