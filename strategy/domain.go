package strategy

import (
	"fmt"
	"math"
	"strconv"
)

// Kind is what values a parameter has.
type Kind string

// The kinds. Coordinates of a real parameter are any of [-1,1]. A choice of labels has one
// coordinate for each, 1 at the one chosen and -1 at the others, or a single one for two
// labels. The others have one coordinate with levels.
const (
	Real    Kind = "real"
	Integer Kind = "integer"
	Ordinal Kind = "ordinal"
	Label   Kind = "label"
	Bool    Kind = "bool"
)

// Param is a parameter and where its coordinates are.
type Param struct {
	Name  string
	Kind  Kind
	First int // its first coordinate
	Width int // how many it has
	// Levels are the values that a single coordinate can have, in increasing order; nil for
	// reals, for three labels and more, and for integers too many to list.
	Levels []float64
}

// Row is a known constraint: the sum of Coefficient[k] times coordinate Coordinate[k] is at
// most Bound.
type Row struct {
	Coordinate  []int
	Coefficient []float64
	Bound       float64
}

// Domain is what a method may know of the parameters.
type Domain struct {
	Params []Param
	Linear []Row
	Fixed  map[int]float64 // coordinates that whoever asks holds
}

// Box is a domain of dim real parameters x0, x1, ... without constraints.
func Box(dim int) Domain {
	d := Domain{Params: make([]Param, dim)}
	for j := range d.Params {
		d.Params[j] = Param{Name: "x" + strconv.Itoa(j), Kind: Real, First: j, Width: 1}
	}
	return d
}

// Dim is the number of coordinates D.
func (d Domain) Dim() int {
	if len(d.Params) == 0 {
		return 0
	}
	last := d.Params[len(d.Params)-1]
	return last.First + last.Width
}

// Validate names the first thing that cannot be.
func (d Domain) Validate() error {
	next := 0
	for _, p := range d.Params {
		if p.First != next || p.Width < 1 {
			return fmt.Errorf("parameter %q has %d coordinates from %d on: the next one is %d", p.Name, p.Width, p.First, next)
		}
		next += p.Width
		for k, l := range p.Levels {
			if p.Width > 1 || !(l >= -1 && l <= 1) || k > 0 && l <= p.Levels[k-1] {
				return fmt.Errorf("parameter %q has level %g: one coordinate has levels, in increasing order within [-1,1]", p.Name, l)
			}
		}
	}
	if next == 0 {
		return fmt.Errorf("there are no parameters: a problem needs at least one")
	}
	named := make([]int, next) // by coordinate: 1 + the last row that names it
	for i, r := range d.Linear {
		if len(r.Coordinate) != len(r.Coefficient) || math.IsNaN(r.Bound) {
			return fmt.Errorf("row %d has %d coordinates, %d coefficients and the bound %g", i, len(r.Coordinate), len(r.Coefficient), r.Bound)
		}
		for k, j := range r.Coordinate {
			switch a := r.Coefficient[k]; {
			case j < 0 || j >= next:
				return fmt.Errorf("row %d names coordinate %d of %d", i, j, next)
			case named[j] == i+1:
				return fmt.Errorf("row %d names coordinate %d twice: add its coefficients up", i, j)
			case math.IsNaN(a) || math.IsInf(a, 0):
				return fmt.Errorf("row %d has the coefficient %g for coordinate %d, want a finite number", i, a, j)
			}
			named[j] = i + 1
		}
	}
	for j, v := range d.Fixed {
		if j < 0 || j >= next || !(v >= -1 && v <= 1) {
			return fmt.Errorf("coordinate %d of %d is fixed at %g", j, next, v)
		}
	}
	return nil
}

// kinds lists the kinds that occur, each once.
func (d Domain) kinds() (kinds []Kind) {
	seen := map[Kind]bool{}
	for _, p := range d.Params {
		if !seen[p.Kind] {
			seen[p.Kind] = true
			kinds = append(kinds, p.Kind)
		}
	}
	return kinds
}
