package gp

import (
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Grower makes posteriors of data that grow. It keeps the factor of the correlations and adds the
// rows of new points to it, O(n²) for each instead of O(n³), as long as the hyperparameters stay
// the same, no noise is given and no jitter is needed; else it begins anew. The bytes are those of
// Condition. A posterior ends with the next one.
type Grower struct {
	Threads int // that products of large models may keep busy; 0 for one

	hyper  Hyper
	data   *Points // the points themselves
	points *Points // z of the data where there is a map
	factor *linalg.Factor
	jitter float64
}

// Condition returns the posterior; spare is the number of points that may be believed later. The
// points are the same as last time with more of them behind, or others.
func (g *Grower) Condition(h Hyper, d Data, spare int) (*Posterior, error) {
	n := len(d.Y)
	if g.factor == nil || g.data != d.Points || g.factor.Len() > n || d.Given != nil || d.Weights != nil || g.jitter > 0 || !g.hyper.Alike(h) {
		g.reset(h, d, spare)
	}
	m := &Posterior{
		Hyper: h, data: n, y: d.Y, factor: g.factor, threads: g.Threads,
		alpha: make([]float64, n+spare), fitted: make([]float64, n),
	}
	m.rate, m.linear = h.Metric.Map(d.Points.dim)
	m.shared = m.linear == nil
	g.place(m, d.Points, n, spare)
	m.points = g.points
	g.reserve(n + spare)
	if err := g.extend(m, d); err != nil {
		g.factor = nil
		return nil, err
	}
	m.jitter = g.jitter
	m.solve(d)
	for i := range n {
		// (R - N) alpha + mean = y - N alpha, N the noise on the diagonal.
		m.fitted[i] = d.Y[i] - (h.Noise*d.weight(i)+nugget+m.jitter)*m.alpha[i]
	}
	for i, v := range d.Given {
		m.fitted[i] -= v / h.Scale * m.alpha[i]
	}
	return m, nil
}

// Alike says whether hyperparameters give the same correlations.
func (a Hyper) Alike(b Hyper) bool {
	if a.Profile != b.Profile || a.Noise != b.Noise || a.Main != nil || b.Main != nil {
		return false
	}
	switch x := a.Metric.(type) {
	case Isotropic:
		y, ok := b.Metric.(Isotropic)
		return ok && x.Theta == y.Theta
	case Weighted:
		y, ok := b.Metric.(Weighted)
		return ok && slices.Equal(x.Of, y.Of) && slices.Equal(x.Weights, y.Weights)
	case Turned:
		y, ok := b.Metric.(Turned)
		return ok && slices.Equal(x.Weights, y.Weights) && slices.Equal(x.Directions.Data, y.Directions.Data)
	}
	return false
}

func (g *Grower) reset(h Hyper, d Data, spare int) {
	g.hyper, g.data, g.points, g.jitter = h, d.Points, nil, 0
	if g.factor == nil {
		g.factor = linalg.NewFactor(len(d.Y) + spare)
	}
	g.factor.Clear()
}

// reserve makes room for rows, and more than is needed where there was room before.
func (g *Grower) reserve(n int) {
	if room := g.factor.L.Room(); room > 0 && room < n {
		n = max(n, room+room/8)
	}
	g.factor.Reserve(n)
}

// place keeps the points, mapped where there is a map.
func (g *Grower) place(m *Posterior, p *Points, n, spare int) {
	if m.linear == nil {
		g.points = p
		return
	}
	if g.points == nil {
		g.points = NewPoints(m.linear.Dim())
		g.points.grow(n + spare)
	}
	g.points.Truncate(min(g.points.n, g.factor.Len()))
	first := g.points.n
	if g.points.x.Rows < n+spare {
		g.points.grow(n + spare + n/8)
	}
	if first == n {
		return
	}
	z := linalg.New(n-first, m.linear.Dim())
	m.linear.Apply(z, p.x.Slice(first, n, 0, p.dim))
	for i := range n - first {
		g.points.keep(z.Row(i))
	}
}

// extend adds the rows that are new to the factor, with jitter where it is needed.
func (g *Grower) extend(m *Posterior, d Data) error {
	n := len(d.Y)
	if g.factor.Len() == n {
		return nil
	}
	g.jitter = 0
	threads := max(g.Threads, 1)
	g.fill(m, d, g.factor.Start())
	err := g.factor.Extend(threads, n, 0)
	if err == nil {
		return nil
	}
	for _, rung := range g.ladder(m, d) {
		g.jitter = rung
		g.fill(m, d, 0)
		if err = g.factor.Extend(threads, n, rung); err == nil {
			return nil
		}
	}
	return &linalg.JitterError{Last: g.jitter, Err: err}
}

// ladder is that of linalg.DefaultLadder for the correlations.
func (g *Grower) ladder(m *Posterior, d Data) []float64 {
	g.fill(m, d, 0)
	n := len(d.Y)
	return linalg.Ladder(n, func(i int) float64 { return g.factor.L.At(i, i) })
}

// fill puts the correlations of the rows from start on into the factor.
func (g *Grower) fill(m *Posterior, d Data, start int) {
	n, l := len(d.Y), g.factor.L
	if m.Main != nil {
		r := linalg.New(n, n)
		fillCorrelations(r, linalg.Matrix{}, m.Profile, m.Metric, m.Noise, d)
		m.Main.mix(r, d.Points)
		addGiven(r, d.Given, m.Scale)
		for i := start; i < n; i++ {
			copy(l.Row(i), r.Row(i))
		}
		return
	}
	rows, byRow := m.Metric.(rowMetric)
	_, weighted := m.Metric.(Weighted)
	switch {
	case byRow:
		for i := start; i < n; i++ {
			rows.rowBetween(l.Row(i)[:i], i, d.Points)
		}
	case weighted && n >= fewRows:
		g.squares(start, n)
	default:
		r2 := linalg.New(n, n)
		m.Metric.Between(r2, d.Points)
		for i := start; i < n; i++ {
			copy(l.Row(i)[:i], r2.Row(i))
		}
	}
	for i := start; i < n; i++ {
		row := l.Row(i)
		m.Profile.Apply(row[:i], nil, 1)
		own := m.Noise
		if d.Weights != nil {
			own *= d.Weights[i]
		}
		if row[i] = 1 + own + nugget; d.Given != nil {
			row[i] += d.Given[i] / m.Scale
		}
	}
}

// fewRows is a number of rows that a product with fewer would treat in another way, with other
// bytes.
const fewRows = 3

// squares fills the rows from start on with the squared distances of mapped points. The bytes are
// those of Weighted.Between.
func (g *Grower) squares(start, n int) {
	p, l := g.points, g.factor.L
	const chunk = 96
	out := linalg.New(min(chunk, n), n)
	for i0 := start; i0 < n; i0 += chunk {
		i1 := min(i0+chunk, n)
		first := max(0, min(i0, i1-fewRows))
		part := out.Slice(0, i1-first, 0, i1)
		linalg.GemmTB(part, 0, -2, p.x.Slice(first, i1, 0, p.dim), p.x.Slice(0, i1, 0, p.dim))
		for i := i0; i < i1; i++ {
			row, own := l.Row(i)[:i], p.norm2[i]
			for j, v := range part.Row(i - first)[:i] {
				row[j] = max(0, v+own+p.norm2[j])
			}
		}
	}
}
