package turbo

import (
	"math"
	"math/rand/v2"
)

// mask draws sets of coordinates: each with probability p, at least one.
type mask struct {
	dim    int
	limits []float64 // limits[k] = P(gap < k), nil when all coordinates are chosen
	guide  []int     // by the first digits of a uniform number: the smallest gap it can mean
	r      *rand.Rand
	coords []int
}

// maskBins is the number of values of the first digits.
const maskBins = 1024

func newMask(dim int, p float64, r *rand.Rand) *mask {
	m := &mask{dim: dim, r: r}
	if p == 1 {
		for j := range dim {
			m.coords = append(m.coords, j)
		}
		return m
	}
	logOut := math.Log1p(-p)
	m.limits, m.guide = make([]float64, dim+1), make([]int, maskBins)
	for k := range m.limits {
		m.limits[k] = -math.Expm1(float64(k) * logOut)
	}
	k := 0
	for b := range m.guide {
		k = m.from(k, dim, float64(b)/maskBins)
		m.guide[b] = k
	}
	return m
}

// from returns the gap that u means, if it lies in k..most.
func (m *mask) from(k, most int, u float64) int {
	for k < most && u >= m.limits[k+1] {
		k++
	}
	return min(k, most)
}

// gap returns min(gap, most) of the next uniform number.
func (m *mask) gap(most int) int {
	u := m.r.Float64()
	return m.from(m.guide[int(u*maskBins)], most, u)
}

// draw returns the next set, valid until the next call. The gaps between chosen
// coordinates are geometric: P(gap >= k) = (1-p)^k.
func (m *mask) draw() []int {
	if m.limits == nil {
		return m.coords
	}
	m.coords = m.coords[:0]
	for j := m.gap(m.dim); j < m.dim; j += 1 + m.gap(m.dim-j-1) {
		m.coords = append(m.coords, j)
	}
	if len(m.coords) == 0 {
		m.coords = append(m.coords, m.r.IntN(m.dim))
	}
	return m.coords
}
