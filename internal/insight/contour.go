package insight

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/space"
)

// Contour is the latent function when two parameters of the best point change.
type Contour struct {
	X      Axis         `json:"x"`
	Y      Axis         `json:"y"`
	Median [][]*float64 `json:"median"` // a row for every value of y; null where a constraint is broken
	Sure   [][]float64  `json:"sure"`   // from 1, known there, to 0: nothing is
}

// Axis is a parameter, the values that were tried of it and which is nearest to the best
// point's.
type Axis struct {
	Param  string    `json:"param"`
	Unit   string    `json:"unit,omitempty"`
	Log    bool      `json:"log,omitempty"`
	At     []float64 `json:"at,omitempty"`
	Labels []string  `json:"labels,omitempty"`
	Best   int       `json:"best"`
}

// contourPoints of a number; a contour has the square of it.
const contourPoints = 25

// asker answers questions about a model, one at a time.
type asker struct {
	mu sync.Mutex
	*analyst
}

var errNoModel = errors.New("there is no model yet")

// Explore returns the slice of one parameter, or the contour of two, for whoever shows them.
func (r *Review) Explore(params ...string) (any, error) {
	switch len(params) {
	case 1:
		return r.Slice(params[0])
	case 2:
		return r.Contour(params[0], params[1])
	}
	return nil, fmt.Errorf("%d parameters: name one or two", len(params))
}

// Slice is that of any parameter that varies.
func (r *Review) Slice(param string) (Slice, error) {
	a := r.asker
	if a == nil || a.model == nil {
		return Slice{}, errNoModel
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	p, violation, err := a.find(param)
	if err != nil {
		return Slice{}, err
	}
	return a.slice(p, violation)
}

// Contour is that of any two parameters that vary.
func (r *Review) Contour(x, y string) (Contour, error) {
	a := r.asker
	if a == nil || a.model == nil {
		return Contour{}, errNoModel
	}
	if x == y {
		return Contour{}, fmt.Errorf("x and y are both %s: name two parameters", x)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.contour(x, y)
}

// find returns a parameter that varies, and by how much the best point breaks a constraint.
func (a *analyst) find(name string) (space.Param, float64, error) {
	for _, p := range a.Space.Params() {
		if _, count, _ := a.Space.Coordinates(p.Name); p.Name != name || count == 0 {
			continue
		}
		best, err := a.Space.Decode(a.best)
		if err != nil {
			return p, 0, err
		}
		_, violation, err := a.Space.Broken(best)
		return p, violation, err
	}
	return space.Param{}, 0, fmt.Errorf("no parameter that varies has the name %s", name)
}

func (a *analyst) contour(x, y string) (c Contour, err error) {
	var parts [2][][]float64
	var first [2]int
	var violation float64
	for k, name := range []string{x, y} {
		var p space.Param
		if p, violation, err = a.find(name); err != nil {
			return c, err
		}
		axis := []*Axis{&c.X, &c.Y}[k]
		if parts[k], err = a.axis(axis, p); err != nil {
			return c, err
		}
		first[k], _, _ = a.Space.Coordinates(name)
	}
	rows, dim := linalg.New(len(parts[0])*len(parts[1]), len(a.best)), len(a.best)
	keeps := make([]bool, rows.Rows)
	for j, py := range parts[1] {
		for i, px := range parts[0] {
			row := rows.Row(j*len(parts[0]) + i)
			copy(row, a.best)
			copy(row[first[0]:], px)
			copy(row[first[1]:], py)
			v, err := a.Space.Decode(row[:dim])
			if err != nil {
				return c, err
			}
			keeps[j*len(parts[0])+i] = a.keeps(v, violation)
		}
	}
	mean, variance := make([]float64, rows.Rows), make([]float64, rows.Rows)
	a.model.PredictRows(mean, variance, rows)
	for j := range parts[1] {
		median, sure := make([]*float64, len(parts[0])), make([]float64, len(parts[0]))
		for i := range parts[0] {
			k := j*len(parts[0]) + i
			if keeps[k] {
				m, _, _ := a.interval(mean[k], variance[k])
				median[i], sure[i] = &m, max(0, 1-variance[k]/a.model.OutputScale())
			}
		}
		c.Median, c.Sure = append(c.Median, median), append(c.Sure, sure)
	}
	return c, nil
}

// axis lists the values of a parameter and their coordinates.
func (a *analyst) axis(out *Axis, p space.Param) (parts [][]float64, err error) {
	first, count, _ := a.Space.Coordinates(p.Name)
	*out = Axis{Param: p.Name, Unit: p.Unit, Log: p.Kind == space.KindLog || p.Kind == space.KindLogInt}
	candidates := grid(count, -1, 1)
	if count == 1 {
		candidates = nil
		for i := range contourPoints {
			candidates = append(candidates, []float64{-1 + 2*float64(i)/(contourPoints-1)})
		}
	}
	var last any
	own := a.best[first : first+count]
	for _, part := range candidates {
		x := slices.Clone(a.best)
		copy(x[first:], part)
		if err := a.Space.Snap(x); err != nil {
			return nil, err
		}
		v, err := a.Space.Decode(x)
		if err != nil {
			return nil, err
		}
		value, _ := v.Get(p.Name)
		if value == last {
			continue
		}
		last = value
		parts = append(parts, slices.Clone(x[first:first+count]))
		switch value.(type) {
		case string, bool:
			text, _ := v.Text(p.Name)
			out.Labels = append(out.Labels, text)
		default:
			out.At = append(out.At, v.Float(p.Name))
		}
	}
	out.Best = nearest(parts, own)
	return parts, nil
}
