package lingp

import (
	"cmp"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
)

// LowestBound returns which row of x has the lowest mean - beta*std, the first of equal ones.
// It predicts the first rows. Each of the others has a mean, in O(n), and a bound of its
// variance from the nearest of the first: c times the posterior mean there, with the best c,
// is an estimate of its value of the squared error
//
//	s - (w·k)²/(s - v),  w and v the weights S k and the variance of the nearest.
//
// Only those whose bound is below the lowest value so far are predicted.
func (m *Model) LowestBound(x linalg.Matrix, beta float64) int {
	low, _ := m.hyper.Dims()
	z := linalg.New(x.Rows, low)
	m.Project(z, x)
	g := &grid{Model: m, z: z, beta: beta, least: math.Inf(1), k: padded(batchGroup, m.n), w: padded(batchGroup, m.n)}
	first := make([]int, min(batchGroup, x.Rows))
	if m.norm2 != nil || m.n == 0 {
		first = make([]int, x.Rows)
	}
	for i := range first {
		first[i] = i
	}
	g.predict(first)
	if len(first) == x.Rows {
		return g.best
	}
	rest := g.promising(first)
	for len(rest) > 0 && rest[0].u <= g.least {
		count := min(batchGroup, len(rest))
		rows := make([]int, count)
		for i, key := range rest[:count] {
			rows[i] = key.i
		}
		g.predict(rows)
		rest = rest[count:]
	}
	return g.best
}

// grid is the state of LowestBound.
type grid struct {
	*Model
	z     linalg.Matrix // one row per point
	beta  float64
	best  int
	least float64
	k, w  linalg.Matrix // covariances and weights of the rows predicted last
}

// predict takes the rows given into account.
func (g *grid) predict(rows []int) {
	for ; len(rows) > 0; rows = rows[min(batchGroup, len(rows)):] {
		group := rows[:min(batchGroup, len(rows))]
		k, w := g.k.Slice(0, len(group), 0, g.n), g.w.Slice(0, len(group), 0, g.n)
		for p, i := range group {
			g.correlate(k.Row(p), nil, g.z.Row(i), 0, g.n)
		}
		linalg.Gemm(w, 0, 1, k, g.inverse)
		for p, i := range group {
			bound := g.bound(k.Row(p), linalg.Dot(k.Row(p), w.Row(p)))
			if bound < g.least || bound == g.least && i < g.best {
				g.best, g.least = i, bound
			}
		}
	}
}

// bound is mean - beta*std for covariances k that explain a part of the variance.
func (g *grid) bound(k []float64, explained float64) float64 {
	return g.hyper.Mean + linalg.Dot(k, g.alpha) - g.beta*math.Sqrt(floor(g.hyper.OutputScale-explained))
}

// promising returns the other rows that can be the lowest, with lower bounds of their values,
// the lowest first, given that the first rows were predicted last.
func (g *grid) promising(first []int) []keyed {
	count := len(first)
	places, k, r2 := linalg.New(g.z.Cols, count), make([]float64, g.n), make([]float64, count)
	linalg.Transpose(places, g.z.Slice(0, count, 0, g.z.Cols))
	explained := make([]float64, count)
	for p := range explained {
		explained[p] = linalg.Dot(g.k.Row(p), g.w.Row(p))
	}
	var rest []keyed
	for i := count; i < g.z.Rows; i++ {
		g.correlate(k, nil, g.z.Row(i), 0, g.n)
		linalg.ColumnDistances(r2, g.z.Row(i), places)
		p := slices.Index(r2, lowest(r2))
		part := 0.0
		if wk := linalg.Dot(g.w.Row(p), k); explained[p] > 0 {
			part = wk * wk / explained[p]
		}
		if v := g.bound(k, part); v <= g.least {
			rest = append(rest, keyed{v, i})
		}
	}
	slices.SortFunc(rest, func(a, b keyed) int { return cmp.Or(cmp.Compare(a.u, b.u), cmp.Compare(a.i, b.i)) })
	return rest
}
