package strategy

import (
	"math"
	"math/rand/v2"
)

// mask draws sets of coordinates: each with probability p, at least one.
type mask struct {
	dim    int
	logOut float64 // log(1-p)
	gaps   []int   // by the first digits of a uniform number, -1 where those do not decide
	r      *rand.Rand
	coords []int
}

// maskBins is the number of values of the first digits.
const maskBins = 1024

func newMask(dim int, p float64, r *rand.Rand) *mask {
	m := &mask{dim: dim, logOut: math.Log1p(-p), gaps: make([]int, maskBins), r: r}
	if p == 1 {
		return m
	}
	for b := range m.gaps {
		// The margin is far above the rounding of the logarithms.
		const margin = 1e-9
		low := m.exactGap(max(float64(b)/maskBins-margin, 0))
		m.gaps[b] = -1
		if high := m.exactGap(float64(b+1)/maskBins + margin); b+1 < maskBins && math.Floor(low) == math.Floor(high) {
			m.gaps[b] = int(low)
		}
	}
	return m
}

// exactGap is the gap of a uniform number u, before it is rounded down.
func (m *mask) exactGap(u float64) float64 { return math.Log(1-u) / m.logOut }

// gap returns min(gap, most) of the next uniform number.
func (m *mask) gap(most int) int {
	u := m.r.Float64()
	if k := m.gaps[int(u*maskBins)]; k >= 0 {
		return min(k, most)
	}
	return int(min(m.exactGap(u), float64(most)))
}

// draw returns the next set, valid until the next call. The gaps between chosen
// coordinates are geometric: P(gap >= k) = (1-p)^k.
func (m *mask) draw() []int {
	m.coords = m.coords[:0]
	for j := 0; ; j++ {
		if m.logOut > math.Inf(-1) {
			if j += m.gap(m.dim - j); j == m.dim {
				break
			}
		} else if j == m.dim {
			break
		}
		m.coords = append(m.coords, j)
	}
	if len(m.coords) == 0 {
		m.coords = append(m.coords, m.r.IntN(m.dim))
	}
	return m.coords
}
