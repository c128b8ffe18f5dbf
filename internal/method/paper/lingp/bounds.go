package lingp

import (
	"math"
	"sort"

	"github.com/mahabo/mahabo/internal/linalg"
)

// VarianceBounds fills dst with upper bounds of the variance at the rows of x: the
// variance given the nearest data point alone, s - k²/(s + noise).
func (m *Model) VarianceBounds(dst []float64, x linalg.Matrix) {
	low, _ := m.hyper.Dims()
	z := linalg.New(x.Rows, low)
	m.Project(z, x)
	r2 := make([]float64, max(m.n, nearestBlock))
	for i := range dst {
		dst[i] = m.hyper.OutputScale
		if m.n > 0 {
			k := [1]float64{m.nearest(r2, z.Row(i))}
			m.hyper.Profile.Apply(k[:], nil, m.hyper.OutputScale)
			dst[i] = m.given(k[0])
		}
	}
}

// given is the variance given one data point alone that has the covariance k.
func (m *Model) given(k float64) float64 {
	s := m.hyper.OutputScale
	return floor(s - k*k/(s+m.hyper.NoiseVariance+m.jitter))
}

// nearestBlock is the number of sorted points whose distances nearest takes at a time.
const nearestBlock = 16

// nearest returns the squared distance of z and the nearest data point. It goes both ways
// from the place of z along the main direction until that direction alone is too long;
// r2 is scratch.
func (m *Model) nearest(r2, z []float64) float64 {
	if m.norm2 != nil {
		return lowest(m.distances(r2, z, 0, m.n))
	}
	u, best := m.along(z), math.Inf(1)
	to := sort.Search(m.n, func(p int) bool { return m.keys[p].u >= u })
	from := to
	reaches := func(p int) bool { return (m.keys[p].u-u)*(m.keys[p].u-u) < best }
	for up, down := true, true; up || down; {
		if up = up && to < m.n && reaches(to); up {
			end := min(to+nearestBlock, m.n)
			best = min(best, lowest(m.distances(r2, z, to, end)))
			to = end
		}
		if down = down && from > 0 && reaches(from-1); down {
			begin := max(from-nearestBlock, 0)
			best = min(best, lowest(m.distances(r2, z, begin, from)))
			from = begin
		}
	}
	return best
}

// PredictBounds fills mean with the posterior mean at the rows of x and variance with upper
// bounds of the variance there, closer than those of VarianceBounds, in O(n) each. It says
// no when that costs as much as a prediction. The error of any estimate of the value is a
// bound; here it is c times the posterior mean at the nearest data point i, with the best c:
//
//	s - (w·k)²/w·k_i,  w = S k_i = e_i - noise S e_i.
func (m *Model) PredictBounds(mean, variance []float64, x linalg.Matrix) bool {
	if m.norm2 != nil || m.n == 0 {
		return false
	}
	low, _ := m.hyper.Dims()
	z, k := linalg.New(x.Rows, low), make([]float64, m.n)
	m.Project(z, x)
	s, noise := m.hyper.OutputScale, m.hyper.NoiseVariance+m.jitter
	for row := range x.Rows {
		mean[row], variance[row] = m.hyper.Mean, s
		from, to := m.near(m.along(z.Row(row)))
		if from == to {
			continue
		}
		near := k[:to-from]
		m.correlate(near, nil, z.Row(row), from, to)
		mean[row] += linalg.Dot(near, m.alpha[from:to])
		i := largest(near)
		variance[row] = m.given(near[i])
		weights := m.inverse.Row(from + i)
		wk := near[i] - noise*linalg.Dot(weights[from:to], near)
		if own := s - noise + noise*noise*weights[from+i]; own > 0 {
			variance[row] = min(variance[row], floor(s-wk*wk/own))
		}
	}
	return true
}

// largest returns the place of the largest value.
func largest(values []float64) int {
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	return best
}

// lowest returns the smallest of the values; four at a time do not wait for each other.
func lowest(values []float64) float64 {
	a, b, c, d := math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)
	for ; len(values) >= 4; values = values[4:] {
		if v := values[0]; v < a {
			a = v
		}
		if v := values[1]; v < b {
			b = v
		}
		if v := values[2]; v < c {
			c = v
		}
		if v := values[3]; v < d {
			d = v
		}
	}
	for _, v := range values {
		a = min(a, v)
	}
	return min(a, b, c, d)
}
