package space

import "github.com/mahabo/mahabo/strategy"

// mostLevels is how many levels of an integer are listed.
const mostLevels = 1 << 12

// coarse is how many steps of a float a method is told; more are as good as none.
const coarse = 64

// Domain is what a method may know of the space while some coordinates are held.
func (s *Space) Domain(pins ...Pin) strategy.Domain {
	var d strategy.Domain
	for i, p := range s.params {
		width := s.axes[i].width()
		if width == 0 {
			continue
		}
		d.Params = append(d.Params, strategy.Param{
			Name: p.Name, Kind: methodKind(s.axes[i], p.Kind), First: s.first[i], Width: width, Levels: levelsOf(s.axes[i]),
		})
	}
	for i := range s.rows {
		row := strategy.Row{Bound: s.poly.B[i]}
		for _, e := range s.poly.Rows[i] {
			row.Coordinate = append(row.Coordinate, s.poly.columns[e.Index].coordinate)
			row.Coefficient = append(row.Coefficient, e.A)
		}
		d.Linear = append(d.Linear, row)
	}
	if len(pins) > 0 {
		d.Fixed = make(map[int]float64, len(pins))
		for _, p := range pins {
			d.Fixed[p.Coordinate] = p.Value
		}
	}
	return d
}

// methodKind is what a method sees of a kind.
func methodKind(a axis, k Kind) strategy.Kind {
	if g, ok := a.(gridAxis); ok && g.steps() <= coarse {
		return strategy.Ordinal
	}
	switch k {
	case KindInt, KindLogInt:
		return strategy.Integer
	case KindOrdinal:
		return strategy.Ordinal
	case KindBool:
		return strategy.Bool
	case KindChoice:
		return strategy.Label
	}
	return strategy.Real
}

// levelsOf lists the coordinates of the levels of an axis, nil when it has none or too many.
func levelsOf(a axis) (levels []float64) {
	if choice, ok := a.(choiceAxis); ok && len(choice) == 2 {
		return []float64{-1, 1}
	}
	l, ok := a.(ladder)
	if g, is := a.(gridAxis); is && g.steps() > coarse || !ok || l.steps() > mostLevels {
		return nil
	}
	for i := range l.steps() {
		levels = append(levels, l.at(i))
	}
	return levels
}
