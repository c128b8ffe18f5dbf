package strategytest

import (
	"fmt"
	"math"
	"slices"

	"github.com/mahabo/mahabo/strategy"
)

// domains: parameters of all kinds that the method takes, linear constraints and coordinates
// that are held give valid points, and the same ones in a replay.
func (s *suite) domains() error {
	kinds := s.Kinds
	if kinds == nil {
		kinds = []strategy.Kind{strategy.Real, strategy.Integer, strategy.Ordinal, strategy.Label, strategy.Bool}
	}
	d := mixed(kinds)
	cases := map[string]strategy.Domain{"parameters of all kinds": d}
	if !s.NoRows {
		d.Linear = []strategy.Row{{Coordinate: []int{0, 1}, Coefficient: []float64{1, 1}, Bound: 0.5}}
		cases["a linear constraint"] = d
	}
	d.Fixed = map[int]float64{1: -0.25}
	cases["a coordinate that is held"] = d
	for name, d := range cases {
		if err := s.domain(d); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (s *suite) domain(d strategy.Domain) error {
	const initial, count = 6, 14
	cfg := strategy.Config{Domain: d, Init: initial, Seed: 11}
	obs := evaluate(scatter(count, d.Dim(), 3), sphere)
	for i := range obs {
		snap(d, obs[i].X)
	}
	st, err := s.start(cfg, obs...)
	if err != nil {
		return err
	}
	n := s.batch(3)
	points, err := ask(st, d.Dim(), n, nil)
	if err != nil {
		return err
	}
	again, err := s.start(cfg, obs...)
	if err != nil {
		return err
	}
	replayed, err := ask(again, d.Dim(), n, nil)
	if err != nil {
		return err
	}
	return same("a replay", replayed, points)
}

// mixed is a domain of two real parameters and one of each kind.
func mixed(kinds []strategy.Kind) strategy.Domain {
	var d strategy.Domain
	add := func(p strategy.Param) {
		p.Name, p.First = fmt.Sprintf("p%d", len(d.Params)), d.Dim()
		d.Params = append(d.Params, p)
	}
	for _, k := range slices.Concat([]strategy.Kind{strategy.Real, strategy.Real}, kinds) {
		switch k {
		case strategy.Label:
			add(strategy.Param{Kind: k, Width: 3})
		case strategy.Bool:
			add(strategy.Param{Kind: k, Width: 1, Levels: []float64{-1, 1}})
		case strategy.Real:
			add(strategy.Param{Kind: k, Width: 1})
		default:
			add(strategy.Param{Kind: k, Width: 1, Levels: []float64{-0.75, -0.25, 0.25, 0.75}})
		}
	}
	return d
}

// snap moves x to the nearest point of levels and labels, with the held coordinates.
func snap(d strategy.Domain, x strategy.Point) {
	for _, p := range d.Params {
		part := x[p.First : p.First+p.Width]
		switch {
		case p.Width > 1:
			best := slices.Index(part, slices.Max(part))
			for j := range part {
				part[j] = -1
			}
			part[best] = 1
		case p.Levels != nil:
			nearest := p.Levels[0]
			for _, l := range p.Levels {
				if math.Abs(l-part[0]) < math.Abs(nearest-part[0]) {
					nearest = l
				}
			}
			part[0] = nearest
		}
	}
	for j, v := range d.Fixed {
		x[j] = v
	}
}
