package gp

import (
	"context"
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/parallel"
)

// Sparse is a process given many observations, in O(n m²) instead of O(n³). Its values u at m of the
// points, the chosen ones, stand for all: with K = cov(u) + tiny I and k_j the correlations of point j
// with the chosen points, another observation tells of
//
//	y_j = mean + w_j·(u - mean) + e_j,  w_j = K⁻¹k_j,  var e_j = s λ_j,  λ_j = noise_j + 1 - k_j·w_j,
//
// so that one which the chosen points say little of counts little (Snelson & Ghahramani 2006). All of them
// together are as good as an observation of u itself with correlated noise,
//
//	C = (diag(1/noise_i) + sum_j w_j w_j'/λ_j)⁻¹,
//
// and the posterior is that of m points with correlations K + C. Observations that come later are
// further points of it, exact, O(m²) each.
type Sparse struct {
	Tau []float64 // 1 - k_j·w_j of the observations it was made of, 0 for the chosen ones

	threads int
	hyper   Hyper
	rate    float64
	linear  Map
	chosen  int
	count   int // observations it was made of
	points  *Points
	factor  *linalg.Factor
	y       []float64 // what u is observed as, then the values of later observations
	ones    []float64 // the same of values that are 1
	given   []float64 // noise of later observations, relative to s
	noisy   bool      // noise was given
	own     [3]float64
}

// tiny is the variance of u beside that of the process, relative to s.
const tiny = 1e-8

// sparseRows is the number of observations that are looked at together.
const sparseRows = 512

// SparseMultiple divides the number of chosen points.
const SparseMultiple = 24

// NewSparse makes a process of the observations d with the chosen ones, whose number is a multiple of
// SparseMultiple, in order.
func NewSparse(ctx context.Context, threads int, h Hyper, d Data, chosen []int) (*Sparse, error) {
	n, m := len(d.Y), len(chosen)
	s := &Sparse{threads: max(threads, 1), hyper: h, chosen: m, count: n, Tau: make([]float64, n)}
	s.rate, s.linear = h.Metric.Map(d.Points.dim)
	dim := d.Points.dim
	if s.linear != nil {
		dim = s.linear.Dim()
	}
	s.points = NewPoints(dim)
	s.points.grow(m + sparseRows)
	s.noisy = d.Given != nil
	is := make([]bool, n)
	z := linalg.New(1, dim)
	for _, i := range chosen {
		is[i] = true
		s.mapped(z, d.Points.x.Slice(i, i+1, 0, d.Points.dim))
		s.points.keep(z.Row(0))
	}
	k := linalg.NewFactor(m)
	for own := tiny; ; own *= 10 {
		s.correlations(k.L, 0, m)
		for i := range m {
			k.L.Row(i)[i] = 1 + own
		}
		if err := k.Extend(s.threads, m, 0); err == nil {
			break
		} else if own > 1e-3 {
			return nil, err
		}
	}
	var rest []int
	for i := range n {
		if !is[i] {
			rest = append(rest, i)
		}
	}
	noise := func(i int) float64 {
		v := h.Noise*d.weight(i) + nugget
		if d.Given != nil {
			v += d.Given[i] / h.Scale
		}
		return v
	}
	// The matrix of C⁻¹, and C⁻¹ times the values and the ones.
	info := linalg.New(m, m)
	a := linalg.New(2, m)
	for i, c := range chosen {
		p := 1 / noise(c)
		info.Set(i, i, p)
		a.Row(0)[i], a.Row(1)[i] = p*d.Y[c], p
		s.count3(p, d.Y[c])
	}
	w, t := linalg.New(sparseRows, m), linalg.New(sparseRows, m)
	for len(rest) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := rest[:min(sparseRows, len(rest))]
		rest = rest[len(part):]
		s.weights(w, t, d.Points, part, k.Inverse)
		for r, j := range part {
			// t has t_j = L⁻¹k_j, and k_j·w_j = |t_j|².
			s.Tau[j] = max(0, 1-linalg.Dot(t.Row(r), t.Row(r)))
			p := 1 / (noise(j) + s.Tau[j])
			linalg.Axpy(a.Row(0), p*d.Y[j], w.Row(r))
			linalg.Axpy(a.Row(1), p, w.Row(r))
			s.count3(p, d.Y[j])
			root := math.Sqrt(p)
			for c := range w.Row(r) {
				w.Row(r)[c] *= root
			}
		}
		addGram(s.threads, info, w.Slice(0, len(part), 0, m))
	}
	return s, s.finish(info, a, k)
}

// count3 sums up y²/λ, y/λ and 1/λ.
func (s *Sparse) count3(p, y float64) {
	s.own[0] += p * y * y
	s.own[1] += p * y
	s.own[2] += p
}

// finish replaces C⁻¹ by C and makes the factor of K + C.
func (s *Sparse) finish(info, a linalg.Matrix, k *linalg.Factor) error {
	m := s.chosen
	l := linalg.New(m, m)
	if _, err := linalg.ParallelCholeskyJitter(s.threads, l, info, linalg.DefaultLadder(info)); err != nil {
		return err
	}
	linalg.ParallelLowerInverse(s.threads, info, l)
	s.y, s.ones = make([]float64, m), make([]float64, m)
	for i := range m {
		row := info.Row(i)[:i+1]
		s.y[i] += linalg.Dot(row, a.Row(0)[:i+1])
		s.ones[i] += linalg.Dot(row, a.Row(1)[:i+1])
		linalg.Axpy(s.y[:i], a.Row(0)[i], row[:i])
		linalg.Axpy(s.ones[:i], a.Row(1)[i], row[:i])
	}
	s.own[0] = max(0, s.own[0]-linalg.Dot(a.Row(0), s.y))
	s.own[1] -= linalg.Dot(a.Row(1), s.y)
	s.own[2] = max(0, s.own[2]-linalg.Dot(a.Row(1), s.ones))
	s.factor = k // its memory
	s.factor.Clear()
	for jitter := 0.0; ; jitter = max(10*jitter, tiny) {
		s.correlations(s.factor.L, 0, m)
		for i := range m {
			row := s.factor.L.Row(i)
			row[i] = 1 + tiny + jitter
			linalg.Axpy(row, 1, info.Row(i)[:i+1])
		}
		if err := s.factor.Extend(s.threads, m, 0); err == nil {
			return nil
		} else if jitter > 1e-3 {
			return err
		}
	}
}

// mapped fills z with the images of the rows of x.
func (s *Sparse) mapped(z, x linalg.Matrix) {
	if s.linear != nil {
		s.linear.Apply(z, x)
		return
	}
	for i := range x.Rows {
		copy(z.Row(i), x.Row(i))
	}
}

// weights fills the rows of w with w_j and those of t with L⁻¹k_j for points j.
func (s *Sparse) weights(w, t linalg.Matrix, p *Points, part []int, inverse *linalg.Lower) {
	const piece = 128
	m := s.chosen
	parallel.For(s.threads, (len(part)+piece-1)/piece, func(_, task int) {
		r0 := task * piece
		r1 := min(r0+piece, len(part))
		x, z := linalg.New(r1-r0, p.dim), linalg.New(r1-r0, s.points.dim)
		for r := r0; r < r1; r++ {
			copy(x.Row(r-r0), p.At(part[r]))
		}
		s.mapped(z, x)
		k := w.Slice(r0, r1, 0, m)
		squares(k, z, s.points.x.Slice(0, m, 0, s.points.dim), s.points.norm2)
		for r := range k.Rows {
			row := k.Row(r)
			s.hyper.Profile.Correlate(row, nil, s.rate, row)
		}
		linalg.MulLowerTrans(1, t.Slice(r0, r1, 0, m), k, inverse)
		linalg.MulLower(1, k, t.Slice(r0, r1, 0, m), inverse)
	})
}

// addGram adds W'W to the lower triangle of g.
func addGram(threads int, g, w linalg.Matrix) {
	const piece = 192
	parallel.For(threads, (g.Rows+piece-1)/piece, func(_, task int) {
		i0 := task * piece
		i1 := min(i0+piece, g.Rows)
		linalg.GemmTA(g.Slice(i0, i1, 0, i1), 1, 1, w.Slice(0, w.Rows, i0, i1), w.Slice(0, w.Rows, 0, i1))
	})
}

// correlations fills the rows from start to n below the diagonal. The bytes do not depend on start.
func (s *Sparse) correlations(l *linalg.Lower, start, n int) {
	g := Grower{points: s.points, factor: &linalg.Factor{L: l}}
	g.squares(start, n)
	for i := start; i < n; i++ {
		row := l.Row(i)[:i]
		s.hyper.Profile.Correlate(row, nil, s.rate, row)
	}
}

// Add adds a later observation; given is the variance of noise that is known.
func (s *Sparse) Add(x []float64, y, given float64) {
	row := linalg.Matrix{Rows: 1, Cols: len(x), Stride: len(x), Data: x}
	z := linalg.New(1, s.points.dim)
	s.mapped(z, row)
	s.points.Truncate(len(s.y)) // of what was believed
	if s.points.n == s.points.x.Rows {
		s.points.grow(s.points.n + sparseRows)
	}
	s.points.keep(z.Row(0))
	s.y, s.ones, s.given = append(s.y, y), append(s.ones, 1), append(s.given, given)
}

// Len is the number of observations.
func (s *Sparse) Len() int { return s.count + len(s.y) - s.chosen }

// Later is the number of points of the posterior that stand for one observation each, behind the
// chosen ones.
func (s *Sparse) Later() int { return len(s.y) - s.chosen }

// Posterior returns the posterior; spare is the number of points that may be believed later. It ends
// with the next one. Its values at the chosen points are not those observed there.
func (s *Sparse) Posterior(spare int) (*Posterior, error) {
	n := len(s.y)
	s.points.Truncate(n)
	if s.points.x.Rows < n+spare {
		s.points.grow(n + spare + sparseRows)
	}
	if room := s.factor.L.Room(); room < n+spare {
		s.factor.Reserve(n + spare + sparseRows/2)
	}
	if s.factor.Len() < n {
		start := max(s.factor.Start(), s.chosen)
		s.correlations(s.factor.L, start, n)
		for i := start; i < n; i++ {
			s.factor.L.Row(i)[i] = 1 + s.noise(i)
		}
		if err := s.factor.Extend(s.threads, n, 0); err != nil {
			return nil, err
		}
	}
	m := &Posterior{
		Hyper: s.hyper, data: n, y: s.y, factor: s.factor, threads: s.threads, points: s.points, rate: s.rate, linear: s.linear, shared: true,
		alpha: make([]float64, n+spare), fitted: make([]float64, n),
	}
	s.solve(m)
	for i := s.chosen; i < n; i++ {
		m.fitted[i] = s.y[i] - s.noise(i)*m.alpha[i]
	}
	return m, nil
}

// solve finds mean, s and alpha as Posterior.solve does: u = L⁻¹ ones, v = L⁻¹ y, and what C leaves
// of the squares.
func (s *Sparse) solve(m *Posterior) {
	n, li := len(s.y), s.factor.Inverse
	u, v := make([]float64, n), make([]float64, n)
	for i := range n {
		row := li.Row(i)
		u[i], v[i] = linalg.Dot(row, s.ones[:i+1]), linalg.Dot(row, s.y[:i+1])
	}
	m.total = linalg.Dot(u, u) + s.own[2]
	if m.Mean != nil {
		m.mean = *m.Mean
	} else {
		m.mean = (linalg.Dot(u, v) + s.own[1]) / m.total
	}
	linalg.Axpy(v, -m.mean, u)
	if m.scale = m.Hyper.Scale; !m.Known && !s.noisy {
		rest := max(0, s.own[0]-2*m.mean*s.own[1]+m.mean*m.mean*s.own[2])
		m.scale = max((linalg.Dot(v, v)+rest)/float64(s.Len()), smallestScale)
	}
	for i := range n {
		linalg.Axpy(m.alpha[:i+1], v[i], li.Row(i))
	}
}

// noise is that of a later observation, relative to s.
func (s *Sparse) noise(i int) float64 {
	v := s.hyper.Noise + nugget
	if given := s.given[i-s.chosen]; given > 0 && s.hyper.Scale > 0 {
		v += given / s.hyper.Scale
	}
	return v
}
