package insight

import (
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/space"
)

const (
	linePoints  = 41 // of a response
	slicePoints = 33
	mostSlices  = 12
	mostSeen    = 500 // observations beside a response
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
	r.Curve = a.curve(x)
	return r
}

// curve predicts the rows of x.
func (a *analyst) curve(x linalg.Matrix) Curve {
	mean, variance := make([]float64, x.Rows), make([]float64, x.Rows)
	a.model.PredictBatch(mean, variance, x)
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
	low, high = a.inner(a.warp.invert(mean-half)), a.inner(a.warp.invert(mean+half))
	return a.inner(a.warp.invert(mean)), min(low, high), max(low, high)
}

// slices evaluates lines through the best point along the most important parameters.
func (a *analyst) slices() error {
	params := map[string]space.Param{}
	for _, p := range a.Space.Params() {
		params[p.Name] = p
	}
	for _, imp := range a.out.Importances[:min(mostSlices, len(a.out.Importances))] {
		s, err := a.slice(params[imp.Param])
		if err != nil {
			return err
		}
		a.out.Slices = append(a.out.Slices, s)
	}
	return nil
}

// slice tries the values of one parameter.
func (a *analyst) slice(p space.Param) (Slice, error) {
	s := Slice{Param: p.Name, Unit: p.Unit, Log: p.Kind == space.KindLog || p.Kind == space.KindLogInt}
	first, count, _ := a.Space.Coordinates(p.Name)
	own, _ := a.out.Best.Params.Get(p.Name)
	var rows []float64
	var last any
	nearest := math.Inf(1)
	for _, part := range grid(count) {
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
		if value == last {
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
	s.Curve = a.curve(linalg.Matrix{Rows: len(rows) / dim, Cols: dim, Stride: dim, Data: rows})
	return s, nil
}

// grid returns coordinates of a parameter: evenly spaced ones, or the corner of every
// label.
func grid(count int) [][]float64 {
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
		parts = append(parts, []float64{2*float64(i)/(slicePoints-1) - 1})
	}
	return parts
}
