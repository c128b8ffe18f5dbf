package gp

import (
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
)

const (
	batchGroup      = 64  // neighbouring points predicted with one product
	coordinateBlock = 128 // coordinates per product of distances, for large d
)

// PredictBatch predicts the rows of x. Points are grouped along the main
// direction so that each group meets a narrow range of the data:
// variances come from one product K* S per group.
func (m *Model) PredictBatch(mean, variance []float64, x linalg.Matrix) {
	low, _ := m.hyper.Dims()
	z := linalg.New(x.Rows, low)
	m.Project(z, x)
	m.PredictProjected(mean, variance, z)
}

// PredictProjected predicts points given by z = T x, one per row.
func (m *Model) PredictProjected(mean, variance []float64, z linalg.Matrix) {
	keys := make([]keyed, z.Rows)
	for i := range keys {
		keys[i] = keyed{m.along(z.Row(i)), i}
	}
	slices.SortFunc(keys, func(p, q keyed) int {
		switch {
		case p.u < q.u || p.u == q.u && p.i < q.i:
			return -1
		case p == q:
			return 0
		}
		return 1
	})
	k, w := padded(batchGroup, m.n), padded(batchGroup, m.n)
	for lo := 0; lo < len(keys); lo += batchGroup {
		group := keys[lo:min(lo+batchGroup, len(keys))]
		from, _ := m.near(group[0].u)
		_, to := m.near(group[len(group)-1].u)
		kg := k.Slice(0, len(group), 0, to-from)
		// For large d all u are 0: the group is rows lo, lo+1, ... of z.
		if from == to || m.norm2 != nil && !m.reaches(kg, z.Slice(lo, lo+len(group), 0, z.Cols)) {
			// no data within reach: the prior
			for _, key := range group {
				mean[key.i], variance[key.i] = m.hyper.Mean, m.hyper.OutputScale
			}
			continue
		}
		wg := w.Slice(0, len(group), 0, to-from)
		for g, key := range group {
			if m.norm2 != nil {
				m.hyper.Profile.apply(kg.Row(g), nil, m.hyper.OutputScale)
				continue
			}
			m.correlate(kg.Row(g), nil, z.Row(key.i), from, to)
		}
		linalg.Gemm(wg, 0, 1, kg, m.inverse.Slice(from, to, from, to))
		for g, key := range group {
			row := kg.Row(g)
			mean[key.i] = m.hyper.Mean + linalg.Dot(row, m.alpha[from:to])
			variance[key.i] = floor(m.hyper.OutputScale - linalg.Dot(row, wg.Row(g)))
		}
	}
}

// reaches fills r2 with the squared distances of the rows of z and the data, for large
// d, and says whether any is within the kernel's radius. Sums of squares only grow:
// it gives up after the block of coordinates that puts all of them beyond it.
func (m *Model) reaches(r2, z linalg.Matrix) bool {
	limit := m.hyper.Profile.radius() * m.hyper.Profile.radius()
	for b := range m.blocks.Rows {
		from, to := b*coordinateBlock, min((b+1)*coordinateBlock, z.Cols)
		block := z.Slice(0, z.Rows, from, to)
		keep := 1.0
		if b == 0 {
			keep = 0
		}
		linalg.Gemm(r2, keep, -2, block, m.z.Slice(from, to, 0, m.n))
		least := math.Inf(1)
		for i := range z.Rows {
			row, zz := r2.Row(i), linalg.Dot(block.Row(i), block.Row(i))
			for j, v := range m.blocks.Row(b) {
				row[j] = max(row[j]+zz+v, 0)
				least = min(least, row[j])
			}
		}
		if least > limit {
			return false
		}
	}
	return true
}

// Project computes z = T x for the rows of x, one point per row of z. With
// PredictProjected it lets a caller throw away x: all a prediction needs of a
// point are the d numbers z.
func (m *Model) Project(z, x linalg.Matrix) {
	if m.hyper.B.Rows > 0 {
		linalg.GemmTB(z, 0, 1, x, m.hyper.B)
		return
	}
	for i := range x.Rows {
		m.hyper.project(z.Row(i), x.Row(i))
	}
}

// VarianceBounds fills dst with upper bounds of the variance at the rows of x: the
// variance given the nearest data point alone, s - k²/(s + noise).
func (m *Model) VarianceBounds(dst []float64, x linalg.Matrix) {
	low, _ := m.hyper.Dims()
	z := linalg.New(x.Rows, low)
	m.Project(z, x)
	s, noise := m.hyper.OutputScale, m.hyper.NoiseVariance+m.jitter
	r2 := make([]float64, m.n)
	for i := range dst {
		dst[i] = s
		from, to := m.near(m.along(z.Row(i)))
		if from == to {
			continue
		}
		nearest := [1]float64{math.Inf(1)}
		for _, v := range m.distances(r2, z.Row(i), from, to) {
			nearest[0] = min(nearest[0], v)
		}
		m.hyper.Profile.apply(nearest[:], nil, s)
		dst[i] = floor(s - nearest[0]*nearest[0]/(s+noise))
	}
}
