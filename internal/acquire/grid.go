package acquire

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/strategy"
)

// Grid are the parameters of a domain that have labels or levels, and can be moved one at a
// time. Those that are held or belong to a linear constraint are left alone.
type Grid struct {
	params []strategy.Param
	real   bool // there are other parameters too
}

// NewGrid is nil where no parameter has labels or levels.
func NewGrid(d strategy.Domain) *Grid {
	bound := map[int]bool{}
	for j := range d.Fixed {
		bound[j] = true
	}
	for _, row := range d.Linear {
		for _, j := range row.Coordinate {
			bound[j] = true
		}
	}
	g := &Grid{}
	for _, p := range d.Params {
		free := true
		for k := range p.Width {
			free = free && !bound[p.First+k]
		}
		switch {
		case free && (p.Levels != nil || p.Width > 1):
			g.params = append(g.params, p)
		case p.Kind == strategy.Real:
			g.real = true
		}
	}
	if len(g.params) == 0 {
		return nil
	}
	return g
}

// Snap moves x to the nearest labels and levels.
func (g *Grid) Snap(x []float64) {
	for _, p := range g.params {
		set(x, p, nearest(x, p))
	}
}

// size is the number of choices of a parameter.
func size(p strategy.Param) int {
	if p.Width > 1 {
		return p.Width
	}
	return len(p.Levels)
}

// set gives x choice k of a parameter.
func set(x []float64, p strategy.Param, k int) {
	if p.Width == 1 {
		x[p.First] = p.Levels[k]
		return
	}
	for i := range p.Width {
		x[p.First+i] = -1
	}
	x[p.First+k] = 1
}

// nearest is the choice of a parameter that x is closest to.
func nearest(x []float64, p strategy.Param) (best int) {
	for k := range size(p) {
		if p.Width > 1 && x[p.First+k] > x[p.First+best] ||
			p.Width == 1 && math.Abs(p.Levels[k]-x[p.First]) < math.Abs(p.Levels[best]-x[p.First]) {
			best = k
		}
	}
	return best
}

const (
	mostMoves   = 256 // that one round looks at
	mostRounds  = 12
	realSteps   = 10
	nearbyMoves = 3 // levels on each side of a long list that are tried
)

// Real says that there are parameters without labels and levels.
func (g *Grid) Real() bool { return g.real }

// Improve snaps x and minimises f from there: in turn by the best move of a single label or
// level, as long as one helps, and by gradient steps of the real parameters. A point that is
// taken counts as the worst.
func (g *Grid) Improve(ctx context.Context, f Function, x []float64, region *Region, taken func(x []float64) bool, r *rand.Rand) ([]float64, error) {
	x = slices.Clone(x)
	g.Snap(x)
	if err := g.descend(ctx, f, x, taken, r); err != nil || !g.real {
		return x, err
	}
	held := &Region{Low: slices.Clone(region.Low), High: slices.Clone(region.High), rows: region.rows, columns: region.columns, scratch: region.scratch}
	for _, p := range g.params {
		for j := p.First; j < p.First+p.Width; j++ {
			held.Low[j], held.High[j] = x[j], x[j]
		}
	}
	x, _, err := Polish(ctx, f, x, held, realSteps)
	return x, err
}

// descend makes moves of single parameters.
func (g *Grid) descend(ctx context.Context, f Function, x []float64, taken func(x []float64) bool, r *rand.Rand) error {
	for range mostRounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		points := linalg.New(1, len(x))
		copy(points.Data, x)
		points = g.moves(points, x, r)
		values := make([]float64, points.Rows)
		f.Evaluate(values, linalg.Matrix{}, points)
		best := -1
		for i, v := range values {
			if (best < 0 || v < values[best]) && !taken(points.Row(i)) {
				best = i
			}
		}
		if best <= 0 {
			return nil // x is the best, or all around it is taken
		}
		copy(x, points.Row(best))
	}
	return nil
}

// moves adds the points one move away from x as rows below those there are.
func (g *Grid) moves(rows linalg.Matrix, x []float64, r *rand.Rand) linalg.Matrix {
	type move struct{ param, choice int }
	var all []move
	for i, p := range g.params {
		now := nearest(x, p)
		for k := range size(p) {
			if k != now && (p.Width > 1 || k >= now-nearbyMoves && k <= now+nearbyMoves) {
				all = append(all, move{i, k})
			}
		}
	}
	if len(all) > mostMoves {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:mostMoves]
	}
	out := linalg.New(rows.Rows+len(all), len(x))
	copy(out.Data, rows.Data)
	for i, m := range all {
		row := out.Row(rows.Rows + i)
		copy(row, x)
		set(row, g.params[m.param], m.choice)
	}
	return out
}
