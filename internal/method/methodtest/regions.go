package methodtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mahabo/mahabo/strategy"
)

// regions are parts of a box of four parameters, and the minimum that the sphere around
// (0.5, 0.5, 0.5, 0.5) has there; its own is outside of all of them.
var regions = []struct {
	name    string
	fixed   map[int]float64
	rows    []strategy.Row
	minimum float64
}{
	{"a coordinate that is held", map[int]float64{0: -0.5}, nil, 1},
	{"a row", nil, []strategy.Row{{Coordinate: []int{0, 1}, Coefficient: []float64{2, 2}, Bound: 0}}, 0.5},
	{"both", map[int]float64{0: -0.5}, []strategy.Row{{Coordinate: []int{1, 0}, Coefficient: []float64{1, 1}, Bound: -0.25}}, 1.0625},
}

// Regions checks that the search of a method knows coordinates that are held and linear
// constraints: after the design it suggests nothing outside of them, and finds the minimum
// inside far better than random points that keep them.
func Regions(t *testing.T, m strategy.Method) {
	const dim, design, rounds, batch = 4, 8, 16, 2
	sphere := func(x []float64) (sum float64) {
		for _, v := range x {
			sum += (v - 0.5) * (v - 0.5)
		}
		return sum
	}
	for _, c := range regions {
		t.Run(c.name, func(t *testing.T) {
			d := strategy.Box(dim)
			d.Fixed, d.Linear = c.fixed, c.rows
			s := Build(t, m, m.Name, strategy.Config{Domain: d, Init: design, Seed: 1})
			best, random := math.Inf(1), math.Inf(1)
			r := rand.New(rand.NewPCG(1, 2))
			for i := range design {
				x := inside(d, r)
				best = min(best, sphere(x))
				Tell(t, s, x, sphere(x))
				if i == design-1 {
					random = best
				}
			}
			for range rounds {
				for _, x := range Ask(t, s, batch) {
					if err := outside(d, x); err != nil {
						t.Fatal(err)
					}
					best = min(best, sphere(x))
					Tell(t, s, x, sphere(x))
					random = min(random, sphere(inside(d, r)))
				}
				if report, ok := s.(strategy.Reporter); ok && report.LastAsk().Fallback != nil {
					t.Fatal(report.LastAsk().Fallback)
				}
			}
			if best < c.minimum-1e-9 || best-c.minimum > 0.02*(random-c.minimum) {
				t.Errorf("reached %g, random points %g; the minimum is %g", best, random, c.minimum)
			}
		})
	}
}

// inside draws a point of a domain with held coordinates and rows.
func inside(d strategy.Domain, r *rand.Rand) strategy.Point {
	for {
		x := make(strategy.Point, d.Dim())
		for j := range x {
			x[j] = 2*r.Float64() - 1
			if v, held := d.Fixed[j]; held {
				x[j] = v
			}
		}
		if outside(d, x) == nil {
			return x
		}
	}
}

// outside says which part of a domain a point is outside of.
func outside(d strategy.Domain, x strategy.Point) error {
	for j, v := range d.Fixed {
		if x[j] != v {
			return fmt.Errorf("coordinate %d of %v is held at %g", j, x, v)
		}
	}
	for i, row := range d.Linear {
		sum := 0.0
		for k, j := range row.Coordinate {
			sum += row.Coefficient[k] * x[j]
		}
		if sum > row.Bound+1e-9 {
			return fmt.Errorf("row %d at %v is %g, above %g", i, x, sum, row.Bound)
		}
	}
	return nil
}
