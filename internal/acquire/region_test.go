package acquire

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/strategy"
)

// cut is a box of five whose third coordinate is held at 0.25, with two rows:
// 3x0 + 4x1 <= 1 and x0 - x3 <= 0.5.
func cut() strategy.Domain {
	d := strategy.Box(5)
	d.Fixed = map[int]float64{2: 0.25}
	d.Linear = []strategy.Row{
		{Coordinate: []int{0, 1}, Coefficient: []float64{3, 4}, Bound: 1},
		{Coordinate: []int{3, 0}, Coefficient: []float64{-1, 1}, Bound: 0.5},
	}
	return d
}

// inCut says whether x is a point of cut.
func inCut(x []float64) bool {
	return strategy.CheckPoint(x, 5) == nil && x[2] == 0.25 && 3*x[0]+4*x[1] <= 1+1e-9 && x[0]-x[3] <= 0.5+1e-9
}

func TestRegionKinds(t *testing.T) {
	held := strategy.Box(2)
	held.Fixed = map[int]float64{1: 0}
	for _, c := range []struct {
		name           string
		domain         strategy.Domain
		whole, bounded bool
	}{
		{"a box", strategy.Box(2), true, true},
		{"a held coordinate", held, false, true},
		{"rows", cut(), false, false},
	} {
		if r := NewRegion(c.domain); r.Whole() != c.whole || r.Bounded() != c.bounded {
			t.Errorf("%s: the whole box %t, without rows %t", c.name, r.Whole(), r.Bounded())
		}
	}
}

// Keep returns a point of the region, the point itself when it is one, and else the nearest:
// all other points of the region lie behind the plane through it.
func TestKeepIsTheProjection(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	region := NewRegion(cut())
	var points [][]float64
	for range 300 {
		x := uniform(r, 5)
		x[2] = 0.25
		if inCut(x) {
			points = append(points, x)
		}
	}
	for _, x := range points {
		kept := slices.Clone(x)
		region.Keep(kept)
		for j, v := range kept {
			if math.Abs(v-x[j]) > 1e-9 {
				t.Fatalf("%v of the region is moved to %v", x, kept)
			}
		}
	}
	for range 200 {
		target := uniform(r, 5)
		for j := range target {
			target[j] *= 2
		}
		x := slices.Clone(target)
		region.Keep(x)
		if !inCut(x) {
			t.Fatalf("%v is moved to %v, outside of the region", target, x)
		}
		// Clamping to the box and then moving onto the rows is the projection of the clamped point.
		for j := range target {
			target[j] = min(1, max(-1, target[j]))
		}
		target[2] = 0.25
		for _, p := range points {
			along := 0.0
			for j := range p {
				along += (target[j] - x[j]) * (p[j] - x[j])
			}
			if along > 1e-7 {
				t.Fatalf("%v is moved to %v, %v is nearer", target, x, p)
			}
		}
	}
}

// Rows that no point keeps leave the bounds.
func TestKeepWithoutAPoint(t *testing.T) {
	d := cut()
	d.Linear = append(d.Linear, strategy.Row{Coordinate: []int{0}, Coefficient: []float64{1}, Bound: -2})
	x := []float64{3, -3, 0, 0.5, 0}
	NewRegion(d).Keep(x)
	if !slices.Equal(x, []float64{1, -1, 0.25, 0.5, 0}) {
		t.Errorf("the point is moved to %v", x)
	}
}

// A row without coefficients says nothing.
func TestEmptyRow(t *testing.T) {
	d := strategy.Box(2)
	d.Linear = []strategy.Row{{Coordinate: []int{0}, Coefficient: []float64{0}, Bound: -1}, {Bound: 1}}
	x := []float64{0.5, -2}
	NewRegion(d).Keep(x)
	if !slices.Equal(x, []float64{0.5, -1}) {
		t.Errorf("the point is moved to %v", x)
	}
}

func TestRegionAround(t *testing.T) {
	part := NewRegion(cut()).Around([]float64{0, -0.875, 0.25, 0.5, 1}, 0.25)
	if !slices.Equal(part.Low, []float64{-0.25, -1, 0.25, 0.25, 0.75}) || !slices.Equal(part.High, []float64{0.25, -0.625, 0.25, 0.75, 1}) {
		t.Errorf("the part is from %v to %v", part.Low, part.High)
	}
	x := []float64{1, 1, 1, 1, 1}
	if part.Keep(x); !inCut(x) || x[0] > 0.25 || x[1] > -0.625 {
		t.Errorf("a point is moved to %v", x)
	}
	// A centre that does not keep the held coordinate.
	part = NewRegion(cut()).Around([]float64{0, 0, -1, 0, 0}, 0.5)
	if part.Low[2] != 0.25 || part.High[2] != 0.25 {
		t.Errorf("the held coordinate is from %g to %g", part.Low[2], part.High[2])
	}
}

// Descend and Polish end at the minimum of the region, on its edges too.
func TestSearchesFindTheMinimum(t *testing.T) {
	box := strategy.Box(5)
	held := strategy.Box(5)
	held.Fixed = map[int]float64{2: 0.25}
	centre := []float64{0.8, 0.6, -0.9, 0, 3}
	f := parabola{centre, 2}
	for _, c := range []struct {
		name    string
		domain  strategy.Domain
		minimum []float64
	}{
		{"a box", box, []float64{0.8, 0.6, -0.9, 0, 1}},
		{"a held coordinate", held, []float64{0.8, 0.6, 0.25, 0, 1}},
		{"rows", cut(), nil}, // the projection of the centre
	} {
		region := NewRegion(c.domain)
		want := c.minimum
		if want == nil {
			want = slices.Clone(centre)
			region.Keep(want)
		}
		r := rand.New(rand.NewPCG(3, 4))
		x := linalg.New(4, 5)
		for i := range x.Rows {
			copy(x.Row(i), uniform(r, 5))
			region.Keep(x.Row(i))
		}
		start := slices.Clone(x.Row(0))
		got, err := Descend(t.Context(), f, x, region, 100)
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.name+", Descend", got, want)
		got, value, err := Polish(t.Context(), f, start, region, 100)
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.name+", Polish", got, want)
		at := make([]float64, 1)
		f.Evaluate(at, linalg.New(1, 5), linalg.Matrix{Rows: 1, Cols: 5, Stride: 5, Data: got})
		if value != at[0] {
			t.Errorf("%s: Polish says %g, its point has %g", c.name, value, at[0])
		}
	}
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for j, v := range got {
		if math.Abs(v-want[j]) > 1e-5 {
			t.Errorf("%s: ended at %v, want %v", what, got, want)
			return
		}
	}
}

func TestSearchesStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := parabola{make([]float64, 5), 1}
	for name, d := range map[string]strategy.Domain{"a box": strategy.Box(5), "rows": cut()} {
		region := NewRegion(d)
		if _, err := Descend(ctx, f, linalg.New(1, 5), region, 10); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: Descend returns %v", name, err)
		}
		if _, _, err := Polish(ctx, f, make([]float64, 5), region, 10); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: Polish returns %v", name, err)
		}
	}
}
