package space

import (
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/polytope"
)

// search finds a point of a polytope near a target with the discrete columns on levels.
// A node of the search holds them between bounds; the projection of the target onto what
// is left is rounded and repaired, and if that fails split between the two levels around
// the column that is furthest from one.
type search struct {
	p              *constrained
	target, lo, hi []float64
	relaxed        *polytope.Projection
	rounded        *polytope.Projection
	limit          int // of the work of both
	discrete       bool
}

func newSearch(p *constrained) *search {
	n := len(p.columns)
	return &search{
		p: p, target: make([]float64, n), lo: make([]float64, n), hi: make([]float64, n),
		relaxed: polytope.NewProjection(p.Polytope), rounded: polytope.NewProjection(p.Polytope),
	}
}

// place sets the target and the bounds of column j from its coordinate x.
func (s *search) place(j int, x float64, pinned bool) {
	c := s.p.columns[j]
	if c.ladder == nil {
		s.target[j], s.lo[j], s.hi[j] = x, -1, 1
	} else {
		s.discrete = true
		s.lo[j], s.hi[j] = c.at(0), c.at(c.ladder.steps()-1)
		s.target[j] = min(max(x, s.lo[j]), s.hi[j])
		if _, uneven := c.ladder.(ordinalAxis); uneven || pinned {
			s.target[j] = c.at(c.ladder.index(x))
		}
	}
	if pinned {
		s.lo[j], s.hi[j] = s.target[j], s.target[j]
	}
}

// What a search may cost: about a second for a new space, a tenth later, when a feasible
// point is known.
const (
	firstLimit = 300_000_000
	laterLimit = 30_000_000
)

// run returns a feasible point, or nil and the rows that contradict each other, if it is
// known that some do. Where the search ends at the limit of its work, the discrete columns
// take the levels of the anchor, if there is one.
func (s *search) run(anchor []float64, limit int) (u []float64, contradiction []int) {
	s.limit = limit
	u = slices.Clone(s.visit())
	if u == nil && anchor != nil && s.settle(s.anchored(anchor)) {
		u = slices.Clone(s.rounded.U)
	}
	if u == nil {
		if !s.relaxed.Solve(s.target, s.lo, s.hi) {
			contradiction = slices.Sorted(slices.Values(s.relaxed.Blocking))
		}
		return nil, contradiction
	}
	// Off the border where there is room, so that a·v <= b holds after rounding too.
	for i, d := range s.p.inside {
		s.rounded.B[i] -= d
	}
	if s.settle(u) {
		copy(u, s.rounded.U)
	}
	return u, nil
}

// anchored is the anchor with pinned columns where they are pinned.
func (s *search) anchored(anchor []float64) []float64 {
	u := slices.Clone(anchor)
	for j := range u {
		u[j] = min(max(u[j], s.lo[j]), s.hi[j])
	}
	return u
}

// visit searches below a node.
func (s *search) visit() []float64 {
	if s.relaxed.Work+s.rounded.Work > s.limit || !s.relaxed.Solve(s.target, s.lo, s.hi) {
		return nil
	}
	if !s.discrete {
		return s.relaxed.U
	}
	u := slices.Clone(s.relaxed.U)
	if s.round(u) {
		return s.rounded.U
	}
	j := s.furthest(u)
	if j < 0 {
		return nil
	}
	c := s.p.columns[j]
	below := c.below(u[j])
	down, up := c.at(below), c.at(below+1)
	lo, hi := s.lo[j], s.hi[j]
	defer func() { s.lo[j], s.hi[j] = lo, hi }()
	for _, first := range []bool{true, false} { // the nearer side first
		s.lo[j], s.hi[j] = lo, hi
		if (u[j]-down < up-u[j]) == first {
			s.hi[j] = down
		} else {
			s.lo[j] = up
		}
		if found := s.visit(); found != nil {
			return found
		}
	}
	return nil
}

// furthest returns the discrete column furthest from its levels, or -1 if all are on one.
func (s *search) furthest(u []float64) int {
	far, at := onLevel, -1
	for j, c := range s.p.columns {
		if c.ladder == nil || s.lo[j] == s.hi[j] {
			continue
		}
		i := c.below(u[j])
		if i+1 >= c.ladder.steps() {
			continue
		}
		down, up := c.at(i), c.at(i+1)
		if d := min(u[j]-down, up-u[j]) / (up - down); d > far {
			far, at = d, j
		}
	}
	return at
}

// round moves the discrete columns of u to the nearest levels between the bounds, repairs
// them if need be, and then projects the others.
func (s *search) round(u []float64) bool {
	levels := make([]int, len(u))
	rounded := slices.Clone(u)
	for j, c := range s.p.columns {
		if c.ladder != nil {
			levels[j] = c.nearest(u[j])
			rounded[j] = c.at(levels[j])
		}
	}
	if s.settle(rounded) {
		return true
	}
	return s.repair(rounded, levels) && s.settle(rounded)
}

// settle projects the target with the discrete columns held at u.
func (s *search) settle(u []float64) bool {
	lo, hi := slices.Clone(s.lo), slices.Clone(s.hi)
	for j, c := range s.p.columns {
		if c.ladder != nil {
			lo[j], hi[j] = u[j], u[j]
		}
	}
	return s.rounded.Solve(s.target, lo, hi)
}

// repair moves single columns by one level each, always out of the row that is polytope.Exceeded
// most, taking the move that costs the least squared distance to the target for what it
// removes of the sum of all excesses. It gives up when no move lowers that sum.
func (s *search) repair(u []float64, levels []int) bool {
	excess := make([]float64, len(s.p.Rows))
	for i, row := range s.p.Rows {
		excess[i] = -s.rounded.B[i]
		for _, e := range row {
			excess[i] += e.A * u[e.Index]
		}
	}
	for range 100 + 4*len(u) {
		worst := 0
		for i, v := range excess {
			if v > excess[worst] {
				worst = i
			}
		}
		if excess[worst] <= polytope.Exceeded {
			return true
		}
		j, step := s.bestMove(worst, excess, u, levels)
		if j < 0 {
			return false
		}
		levels[j] += step
		before := u[j]
		u[j] = s.p.columns[j].at(levels[j])
		for _, e := range s.p.Of[j] {
			excess[e.Index] += e.A * (u[j] - before)
		}
	}
	return false
}

func (s *search) bestMove(row int, excess, u []float64, levels []int) (column, step int) {
	column = -1
	best := math.Inf(1)
	for _, e := range s.p.Rows[row] {
		c := s.p.columns[e.Index]
		if c.ladder == nil {
			continue
		}
		dir := 1
		if e.A > 0 {
			dir = -1
		}
		next := levels[e.Index] + dir
		if next < 0 || next >= c.ladder.steps() {
			continue
		}
		from, to, t := u[e.Index], c.at(next), s.target[e.Index]
		if to < s.lo[e.Index] || to > s.hi[e.Index] {
			continue
		}
		removed := 0.0
		for _, r := range s.p.Of[e.Index] {
			removed += max(0, excess[r.Index]) - max(0, excess[r.Index]+r.A*(to-from))
		}
		if removed <= polytope.Exceeded {
			continue
		}
		if cost := ((to-t)*(to-t) - (from-t)*(from-t)) / removed; cost < best {
			best, column, step = cost, e.Index, dir
		}
	}
	return column, step
}
