package acquire

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/strategy"
)

// plain makes a Function of one without a gradient in what is held.
type plain func(x []float64) float64

func (f plain) Evaluate(value []float64, grad, x linalg.Matrix) {
	for i := range x.Rows {
		value[i] = f(x.Row(i))
		for j := range x.Cols {
			if grad.Rows == 0 {
				break
			}
			const h = 1e-6
			y := slices.Clone(x.Row(i))
			y[j] += h
			grad.Set(i, j, (f(y)-value[i])/h)
		}
	}
}

// kinds has three labels, five levels, a bool and a real parameter.
func kinds() strategy.Domain {
	return strategy.Domain{Params: []strategy.Param{
		{Name: "label", Kind: strategy.Label, First: 0, Width: 3},
		{Name: "level", Kind: strategy.Ordinal, First: 3, Width: 1, Levels: []float64{-1, -0.5, 0, 0.5, 1}},
		{Name: "bool", Kind: strategy.Bool, First: 4, Width: 1, Levels: []float64{-1, 1}},
		{Name: "real", Kind: strategy.Real, First: 5, Width: 1},
	}}
}

func free([]float64) bool { return false }

func TestGridSnap(t *testing.T) {
	x := []float64{0.1, 0.3, -1, 0.3, -0.2, 0.123}
	NewGrid(kinds()).Snap(x)
	if want := []float64{-1, 1, -1, 0.5, -1, 0.123}; !slices.Equal(x, want) {
		t.Errorf("got %v, want %v", x, want)
	}
	if NewGrid(strategy.Box(3)) != nil {
		t.Error("a box has a grid")
	}
}

// Moves and gradient steps together find the minimum; what is taken is left alone.
func TestGridImproves(t *testing.T) {
	f := plain(func(x []float64) float64 {
		return -x[2] + (x[3]-0.4)*(x[3]-0.4) + x[4]*0.3 + (x[5]-0.7)*(x[5]-0.7)
	})
	d := kinds()
	r := rand.New(rand.NewPCG(1, 2))
	start := []float64{1, -1, -1, -1, 1, 0}
	x, err := NewGrid(d).Improve(t.Context(), f, start, NewRegion(d), free, r)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(x[:5], []float64{-1, -1, 1, 0.5, -1}) || x[5] < 0.69 || x[5] > 0.71 {
		t.Errorf("the end is %v", x)
	}
	best := slices.Clone(x[:5])
	taken := func(x []float64) bool { return slices.Equal(x[:5], best) }
	if x, err = NewGrid(d).Improve(t.Context(), f, best5(best), NewRegion(d), taken, r); err != nil || slices.Equal(x[:5], best) {
		t.Errorf("the end is %v, which is taken: %v", x, err)
	}
}

func best5(x []float64) []float64 { return append(slices.Clone(x), 0) }

// A parameter that is held, or bound by a constraint, does not move.
func TestGridHolds(t *testing.T) {
	d := kinds()
	d.Fixed = map[int]float64{3: -1}
	d.Linear = []strategy.Row{{Coordinate: []int{4, 5}, Coefficient: []float64{1, 1}, Bound: 2}}
	f := plain(func(x []float64) float64 { return -x[1] - x[3] })
	x, err := NewGrid(d).Improve(t.Context(), f, []float64{1, -1, -1, -1, -1, 0}, NewRegion(d), free, rand.New(rand.NewPCG(1, 2)))
	if err != nil || x[1] != 1 || x[3] != -1 || x[4] != -1 {
		t.Errorf("the end is %v: %v", x, err)
	}
}
