package insight

import (
	"cmp"
	"math"
	"slices"

	"github.com/mahabo/mahabo/strategy"
)

// choice is what a parameter may be in a region: an interval of its coordinate, or some of
// the places that it can have.
type choice struct {
	first, width int
	low, high    float64
	places       [][]float64 // nil for an interval
}

// single says that the region leaves no choice.
func (c choice) single() bool { return len(c.places) == 1 }

// at maps a uniform number of [0,1) to coordinates.
func (c choice) at(u float64) []float64 {
	if c.places == nil {
		return []float64{c.low + (c.high-c.low)*u}
	}
	return c.places[min(int(u*float64(len(c.places))), len(c.places)-1)]
}

// box is the region of all points; linear constraints do not count.
func (a *analyst) box() []choice {
	var list []choice
	for _, p := range a.Space.Domain().Params {
		if p.Width == 0 {
			continue
		}
		c := choice{first: p.First, width: p.Width, low: -1, high: 1}
		switch {
		case p.Width > 1:
			c.places = grid(p.Width, -1, 1)
		case p.Kind == strategy.Label || p.Kind == strategy.Bool:
			c.places = [][]float64{{-1}, {1}}
		default:
			for _, l := range p.Levels {
				c.places = append(c.places, []float64{l})
			}
		}
		list = append(list, c)
	}
	return list
}

// region is where the good points are.
type region struct {
	choices []choice
	ranges  []Range // by parameter, as a user reads them
	points  int
}

const (
	goodShare = 0.1 // of the points that are good
	fewestIn  = 5   // of them at least
	leastWide = 0.1 // of a parameter's range that the region has at least
)

// findRegion spans the good points: from the lowest to the highest value of a number, and the
// labels that occur.
func (a *analyst) findRegion() error {
	order := make([]int, len(a.y))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a.y[i], a.y[j]) })
	count := min(len(order), max(fewestIn, int(math.Ceil(goodShare*float64(len(order))))))
	a.region.points = count
	for _, c := range a.box() {
		low, high := 1.0, -1.0
		var used [][]float64
		for _, i := range order[:count] {
			part := a.sites[i].X[c.first : c.first+c.width]
			if c.places == nil || c.width == 1 {
				low, high = min(low, part[0]), max(high, part[0])
			}
			used = append(used, part)
		}
		a.region.choices = append(a.region.choices, c.within(low, high, used))
	}
	var err error
	a.region.ranges, err = a.readable(a.region.choices)
	return err
}

// within narrows a choice to what was used.
func (c choice) within(low, high float64, used [][]float64) choice {
	if c.places == nil {
		if wide := 2 * leastWide; high-low < wide {
			middle := min(max((low+high)/2, -1+wide/2), 1-wide/2)
			low, high = middle-wide/2, middle+wide/2
		}
		c.low, c.high = low, high
		return c
	}
	ordered := c.width == 1
	var kept [][]float64
	for _, p := range c.places {
		inside := ordered && p[0] >= low-1e-9 && p[0] <= high+1e-9
		if inside || !ordered && slices.ContainsFunc(used, func(u []float64) bool { return nearest(c.places, u) == nearest(c.places, p) }) {
			kept = append(kept, p)
		}
	}
	if len(kept) > 0 {
		c.places = kept
	}
	return c
}

// nearest is the number of the place that is closest to x.
func nearest(places [][]float64, x []float64) int {
	best, least := 0, math.Inf(1)
	for i, p := range places {
		var d float64
		for k, v := range p {
			d += (v - x[k]) * (v - x[k])
		}
		if d < least {
			best, least = i, d
		}
	}
	return best
}

// readable writes choices in the values of their parameters. The first ends of all are read together, then
// the second ones, and so on: to read them one by one takes the square of the number of parameters.
func (a *analyst) readable(choices []choice) ([]Range, error) {
	ranges := make([]Range, len(choices))
	for k, more := 0, true; more; k++ {
		more = false
		x := slices.Clone(a.best)
		for _, c := range choices {
			if ends := a.ends(c); k < len(ends) {
				copy(x[c.first:], ends[k])
				more = more || k+1 < len(ends)
			}
		}
		v, err := a.Space.Decode(x)
		if err != nil {
			return nil, err
		}
		for i, c := range choices {
			if k >= len(a.ends(c)) {
				continue
			}
			name, r := a.coords[c.first].name, &ranges[i]
			value, _ := v.Get(name)
			switch value.(type) {
			case string, bool:
				text, _ := v.Text(name)
				r.Labels = append(r.Labels, text)
			default:
				r.Numbers = append(r.Numbers, v.Float(name))
			}
		}
	}
	return ranges, nil
}

// ends are the parts of points that say how far a choice reaches.
func (a *analyst) ends(c choice) [][]float64 {
	switch {
	case c.places == nil:
		return [][]float64{{c.low}, {c.high}}
	case a.coords[c.first].label == "" && a.coords[c.first].ends[0] == "":
		return [][]float64{c.places[0], c.places[len(c.places)-1]}
	}
	return c.places
}
