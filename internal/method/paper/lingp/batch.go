package lingp

import (
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/parallel"
)

const (
	batchGroup      = 64  // neighbouring points predicted with one product
	headCoordinates = 256 // coordinates of z that may show all data to be out of reach
)

// PredictBatch predicts the rows of x. Points are grouped along the main
// direction so that each group meets a narrow range of the data:
// variances come from one product K* S per group.
func (m *Model) PredictBatch(mean, variance []float64, x linalg.Matrix) {
	low, _ := m.hyper.Dims()
	z := linalg.New(x.Rows, low)
	m.Project(z, x)
	m.PredictProjected(1, mean, variance, z)
}

// PredictProjected predicts points given by z = T x, one per row, on several threads; the
// bytes do not depend on them.
func (m *Model) PredictProjected(threads int, mean, variance []float64, z linalg.Matrix) {
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
	rooms := make([]groupRoom, max(threads, 1))
	parallel.For(threads, (len(keys)+batchGroup-1)/batchGroup, func(worker, i int) {
		at := &rooms[worker]
		if at.k.Rows == 0 {
			*at = groupRoom{padded(batchGroup, m.n), padded(batchGroup, m.n)}
		}
		m.predictGroup(at, mean, variance, z, keys, i*batchGroup)
	})
}

// groupRoom is scratch memory of predictGroup.
type groupRoom struct {
	k, w linalg.Matrix // covariances with the data, and these times S
}

// predictGroup predicts neighbouring points, from number lo of the keys on.
func (m *Model) predictGroup(at *groupRoom, mean, variance []float64, z linalg.Matrix, keys []keyed, lo int) {
	group := keys[lo:min(lo+batchGroup, len(keys))]
	from, _ := m.near(group[0].u)
	_, to := m.near(group[len(group)-1].u)
	k := at.k.Slice(0, len(group), 0, to-from)
	reached := from < to
	switch {
	case m.norm2 != nil: // all u are 0: the group is rows lo, lo+1, ... of z
		reached = m.correlateRows(k, z.Slice(lo, lo+len(group), 0, z.Cols))
	case reached:
		for g, key := range group {
			m.correlate(k.Row(g), nil, z.Row(key.i), from, to)
		}
	}
	if !reached { // the prior
		for _, key := range group {
			mean[key.i], variance[key.i] = m.hyper.Mean, m.hyper.OutputScale
		}
		return
	}
	w := at.w.Slice(0, len(group), 0, to-from)
	linalg.Gemm(w, 0, 1, k, m.inverse.Slice(from, to, from, to))
	for g, key := range group {
		row := k.Row(g)
		mean[key.i] = m.hyper.Mean + linalg.Dot(row, m.alpha[from:to])
		variance[key.i] = floor(m.hyper.OutputScale - linalg.Dot(row, w.Row(g)))
	}
}

// correlateRows fills k with the covariances of the rows of z and all data, in many
// dimensions, by products: r² = |z|² + |z_i|² - 2 z·z_i. It stops and returns false
// when the first coordinates put all data beyond the kernel's radius: r² only grows.
func (m *Model) correlateRows(k, z linalg.Matrix) (reached bool) {
	head := min(headCoordinates, z.Cols)
	first := z.Slice(0, z.Rows, 0, head)
	linalg.Gemm(k, 0, -2, first, m.z.Slice(0, head, 0, m.n))
	if !m.within(k, first) {
		return false
	}
	if head < z.Cols {
		linalg.Gemm(k, 1, -2, z.Slice(0, z.Rows, head, z.Cols), m.z.Slice(head, z.Cols, 0, m.n))
	}
	for g := range k.Rows {
		row, zz := k.Row(g), linalg.Dot(z.Row(g), z.Row(g))
		for i, v := range m.norm2 {
			row[i] = max(row[i]+v+zz, 0)
		}
		m.hyper.Profile.Apply(row, nil, m.hyper.OutputScale)
	}
	return true
}

// within says whether any of the rows of z, the first coordinates of points, is within
// the kernel's radius of data, given k = -2 z·z_i.
func (m *Model) within(k, z linalg.Matrix) bool {
	limit := m.hyper.Profile.Radius() * m.hyper.Profile.Radius()
	for g := range k.Rows {
		zz := linalg.Dot(z.Row(g), z.Row(g))
		for i, v := range k.Row(g) {
			if !(v+m.head2[i]+zz > limit) {
				return true
			}
		}
	}
	return false
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
