package acquire

import (
	"math"

	"github.com/mahabo/mahabo/internal/polytope"
	"github.com/mahabo/mahabo/strategy"
)

// Region is where points may be.
type Region struct {
	Low, High []float64

	rows    *polytope.Projection // nil without constraints
	columns []int                // their coordinates
	scratch [3][]float64         // of these: target, low, high
}

// NewRegion is the whole domain.
func NewRegion(d strategy.Domain) *Region {
	dim := d.Dim()
	r := &Region{Low: make([]float64, dim), High: make([]float64, dim)}
	for j := range dim {
		r.Low[j], r.High[j] = -1, 1
		if v, fixed := d.Fixed[j]; fixed {
			r.Low[j], r.High[j] = v, v
		}
	}
	if len(d.Linear) > 0 {
		r.constrain(d.Linear)
	}
	return r
}

// constrain adds linear constraints, scaled to rows of length 1.
func (r *Region) constrain(linear []strategy.Row) {
	place := map[int]int{}
	var rows [][]polytope.Entry
	var bounds []float64
	for _, row := range linear {
		var norm float64
		for _, c := range row.Coefficient {
			norm = math.Hypot(norm, c)
		}
		if norm == 0 {
			continue
		}
		entries := make([]polytope.Entry, len(row.Coordinate))
		for k, j := range row.Coordinate {
			at, known := place[j]
			if !known {
				at = len(r.columns)
				place[j] = at
				r.columns = append(r.columns, j)
			}
			entries[k] = polytope.Entry{Index: at, A: row.Coefficient[k] / norm}
		}
		rows, bounds = append(rows, entries), append(bounds, row.Bound/norm)
	}
	r.rows = polytope.NewProjection(polytope.New(len(r.columns), rows, bounds))
	for i := range r.scratch {
		r.scratch[i] = make([]float64, len(r.columns))
	}
}

// Whole says that the region is the box: no coordinate is held and there are no rows.
func (r *Region) Whole() bool {
	if r.rows != nil {
		return false
	}
	for j, l := range r.Low {
		if l == r.High[j] {
			return false
		}
	}
	return true
}

// Bounded says that there are no rows.
func (r *Region) Bounded() bool { return r.rows == nil }

// Around is the part of the region in a box of half-width reach around a centre.
func (r *Region) Around(centre []float64, reach float64) *Region {
	part := &Region{Low: make([]float64, len(centre)), High: make([]float64, len(centre)), rows: r.rows, columns: r.columns, scratch: r.scratch}
	for j, c := range centre {
		part.Low[j], part.High[j] = max(r.Low[j], c-reach), min(r.High[j], c+reach)
		if part.Low[j] > part.High[j] { // the centre is outside of the region
			nearest := min(max(c, r.Low[j]), r.High[j])
			part.Low[j], part.High[j] = nearest, nearest
		}
	}
	return part
}

// Keep moves x into the region. Where the rows leave no such point x is moved between the
// bounds only.
func (r *Region) Keep(x []float64) {
	for j := range x {
		x[j] = min(r.High[j], max(r.Low[j], x[j]))
	}
	if r.rows == nil {
		return
	}
	target, low, high := r.scratch[0], r.scratch[1], r.scratch[2]
	for k, j := range r.columns {
		target[k], low[k], high[k] = x[j], r.Low[j], r.High[j]
	}
	if !r.rows.Solve(target, low, high) {
		return
	}
	for k, j := range r.columns {
		x[j] = min(r.High[j], max(r.Low[j], r.rows.U[k]))
	}
}
