package insight

import (
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/space"
)

const (
	linePoints  = 41 // of a response
	slicePoints = 33
	mostSlices  = 12
	halvings    = 30   // to find where constraints end a slice
	narrowest   = 1e-6 // slice of a coordinate that is more than what constraints forgive
	mostSeen    = 500  // observations beside a response
)

// quantile90 of the normal distribution bounds the central 90 %, quantile50 the central half.
const (
	quantile90 = 1.6448536269514722
	quantile50 = 0.6744897501960817
)

// response evaluates the line through the best point along v, as far as points were seen.
func (a *analyst) response(v []float64) Response {
	r := Response{Seen: []Seen{}}
	origin := linalg.Dot(a.best, v)
	var low, high float64
	for _, s := range a.sites {
		at := linalg.Dot(s.X, v) - origin
		low, high = min(low, at), max(high, at)
	}
	for _, i := range evenly(len(a.sites), mostSeen) {
		s := a.sites[i]
		r.Seen = append(r.Seen, Seen{ID: s.ID, At: linalg.Dot(s.X, v) - origin, Value: s.Value})
	}
	x := linalg.New(linePoints, len(v))
	for i := range x.Rows {
		t := low + (high-low)*float64(i)/(linePoints-1)
		r.At = append(r.At, t)
		row := x.Row(i)
		copy(row, a.best)
		linalg.Axpy(row, t, v)
		for j := range row {
			row[j] = min(max(row[j], -1), 1)
		}
	}
	r.Curve = a.curve(a.along, x)
	return r
}

// curve predicts the rows of x by a model.
func (a *analyst) curve(by *gp.Posterior, x linalg.Matrix) Curve {
	mean, variance := make([]float64, x.Rows), make([]float64, x.Rows)
	by.PredictRows(mean, variance, x)
	var c Curve
	for i, m := range mean {
		median, low, high := a.interval(m, variance[i])
		c.Median, c.Low, c.High = append(c.Median, median), append(c.Low, low), append(c.High, high)
	}
	return c
}

// interval turns a prediction on the model's scale into median and 90 % interval of the
// user's values.
func (a *analyst) interval(mean, variance float64) (median, low, high float64) {
	half := quantile90 * math.Sqrt(variance)
	low, high = a.inner(a.warp.Invert(mean-half)), a.inner(a.warp.Invert(mean+half))
	return a.inner(a.warp.Invert(mean)), min(low, high), max(low, high)
}

// slices evaluates lines through the best point along the most important parameters.
func (a *analyst) slices() error {
	params := map[string]space.Param{}
	for _, p := range a.Space.Params() {
		params[p.Name] = p
	}
	best, err := a.Space.Decode(a.best)
	if err != nil {
		return err
	}
	_, violation, err := a.Space.Broken(best)
	if err != nil {
		return err
	}
	for _, imp := range a.out.Importances {
		if len(a.out.Slices) == mostSlices {
			break
		}
		s, err := a.slice(params[imp.Param], violation)
		if err != nil {
			return err
		}
		if len(s.Median) > 1 { // else constraints leave the parameter no choice
			a.out.Slices = append(a.out.Slices, s)
		}
	}
	return nil
}

// slice tries the values of one parameter that keep the constraints as well as the best
// point does.
func (a *analyst) slice(p space.Param, violation float64) (Slice, error) {
	s := Slice{Param: p.Name, Unit: p.Unit, Log: p.Kind == space.KindLog || p.Kind == space.KindLogInt}
	first, count, _ := a.Space.Coordinates(p.Name)
	own, _ := a.out.Best.Params.Get(p.Name)
	var rows []float64
	var last any
	nearest := math.Inf(1)
	low, high := -1.0, 1.0
	if count == 1 {
		low, high = a.reach(first, -1, violation), a.reach(first, 1, violation)
	}
	if high-low < narrowest {
		return s, nil
	}
	for _, part := range grid(count, low, high) {
		x := slices.Clone(a.best)
		copy(x[first:], part)
		if err := a.Space.Snap(x); err != nil {
			return s, err
		}
		v, err := a.Space.Decode(x)
		if err != nil {
			return s, err
		}
		value, _ := v.Get(p.Name)
		if value == last || !a.keeps(v, violation) {
			continue
		}
		last = value
		var distance float64
		for k, u := range x[first : first+count] {
			distance += math.Abs(u - a.best[first+k])
		}
		if distance < nearest || value == own {
			nearest, s.Best = distance, len(s.At)+len(s.Labels)
		}
		switch value.(type) {
		case string, bool:
			text, _ := v.Text(p.Name)
			s.Labels = append(s.Labels, text)
		default:
			s.At = append(s.At, v.Float(p.Name))
		}
		rows = append(rows, x...)
	}
	dim := len(a.best)
	s.Curve = a.curve(a.model, linalg.Matrix{Rows: len(rows) / dim, Cols: dim, Stride: dim, Data: rows})
	return s, nil
}

// keeps says whether values exceed no constraint by more than violation.
func (a *analyst) keeps(v space.Params, violation float64) bool {
	_, worst, err := a.Space.Broken(v)
	return err == nil && worst <= violation
}

// reach returns how far coordinate j of the best point can go towards an end of the box.
// Constraints are linear: what keeps them is an interval, whose end halving finds.
func (a *analyst) reach(j int, end, violation float64) float64 {
	x := slices.Clone(a.best)
	can := func(at float64) bool {
		x[j] = at
		v, err := a.Space.Decode(x)
		return err == nil && a.keeps(v, violation)
	}
	if len(a.Space.Domain().Linear) == 0 || can(end) {
		return end
	}
	inside, outside := a.best[j], end
	for range halvings {
		if middle := (inside + outside) / 2; can(middle) {
			inside = middle
		} else {
			outside = middle
		}
	}
	return inside
}

// grid returns coordinates of a parameter: evenly spaced ones from low to high, or the
// corner of every label.
func grid(count int, low, high float64) [][]float64 {
	var parts [][]float64
	if count > 1 {
		for k := range count {
			part := slices.Repeat([]float64{-1}, count)
			part[k] = 1
			parts = append(parts, part)
		}
		return parts
	}
	for i := range slicePoints {
		parts = append(parts, []float64{low + (high-low)*float64(i)/(slicePoints-1)})
	}
	return parts
}
