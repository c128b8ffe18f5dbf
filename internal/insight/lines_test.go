package insight_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/space"
)

// A slice ends where a constraint does, and what constraints hold in place has none.
func TestSlicesKeepConstraints(t *testing.T) {
	s, err := space.New(
		space.Float("a", 0, 10), space.Float("b", 0, 10), space.Int("k", 0, 9), space.Float("free", 0, 1), space.Float("held", 0, 1),
		space.Constraint("a + b <= 8"), space.Constraint("2*k <= a + 5"), space.Constraint("held <= 0.5"), space.Constraint("held >= 0.5"),
	)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	d := insight.Data{Space: s, Maximize: true}
	for i := range 60 {
		x := make([]float64, s.Dim())
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		if err := s.Project(x); err != nil {
			t.Fatal(err)
		}
		v, err := s.Decode(x)
		if err != nil {
			t.Fatal(err)
		}
		d.Observations = append(d.Observations, insight.Observation{
			ID: i + 1, Params: v, X: x, Value: v.Float("free") - math.Abs(v.Float("a")-3) - math.Abs(v.Float("b")-4) - math.Abs(v.Float("k")-3),
		})
	}
	a := analyse(t, d)
	best := a.Best.Params
	want := map[string][2]float64{
		"a":    {max(0, 2*best.Float("k")-5), 8 - best.Float("b")},
		"b":    {0, 8 - best.Float("a")},
		"k":    {0, math.Floor((best.Float("a") + 5) / 2)},
		"free": {0, 1},
	}
	if len(a.Slices) != len(want) {
		t.Errorf("%d slices, want %d", len(a.Slices), len(want))
	}
	for _, got := range a.Slices {
		ends, known := want[got.Param]
		low, high := got.At[0], got.At[len(got.At)-1]
		if !known || math.Abs(low-ends[0]) > 1e-6 || math.Abs(high-ends[1]) > 1e-6 {
			t.Errorf("the slice of %s goes from %g to %g, want %v", got.Param, low, high, ends)
		}
		if at := got.At[got.Best]; math.Abs(at-best.Float(got.Param)) > (high-low)/32 {
			t.Errorf("the slice of %s marks %g, the best point has %g", got.Param, at, best.Float(got.Param))
		}
	}
}
