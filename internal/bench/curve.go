package bench

import (
	"cmp"
	"slices"
)

// Curve is how the best value of a cell falls with the evaluations, as mean and
// standard error over the trials. Element i is after i+1 evaluations, those of
// the initial design included.
type Curve struct {
	Cell
	Init     int
	Trials   int
	Mean, SE []float64 // SE is all zero for a single trial
	Minimum  *float64  // of a problem that is a program, if a trial has it
}

// Curves makes one curve per cell in the order of Summarise.
func Curves(trials []Trial) []Curve {
	cells := map[Cell][]Trial{}
	for _, t := range trials {
		cells[t.Cell] = append(cells[t.Cell], t)
	}
	var curves []Curve
	for _, r := range Summarise(trials) {
		ts := cells[r.Cell]
		slices.SortFunc(ts, func(a, b Trial) int { return cmp.Compare(a.Trial, b.Trial) })
		c := Curve{Cell: r.Cell, Init: r.Init, Trials: r.Trials}
		for _, t := range ts {
			if t.Minimum != nil {
				c.Minimum = t.Minimum
			}
		}
		for i := range r.Init + r.Evals {
			mean, se := meanSE(ts, func(t Trial) float64 { return t.Curve[i] })
			c.Mean = append(c.Mean, mean)
			if se == nil {
				se = new(float64)
			}
			c.SE = append(c.SE, *se)
		}
		curves = append(curves, c)
	}
	return curves
}
