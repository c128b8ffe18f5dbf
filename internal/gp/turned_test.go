package gp

import (
	"math"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Where the directions are those of the parameters, the metric is the one with weights, and turning it
// keeps the distance along each new direction.
func TestTurned(t *testing.T) {
	m := metrics(4)["turned"].(Turned)
	axes := linalg.New(4, 4)
	for k := range 4 {
		axes.Set(k, k, 1)
	}
	back := m.Turn(axes)
	for k, w := range back.Weights {
		var want float64
		for i, v := range m.Weights {
			want += v * m.Directions.At(i, k) * m.Directions.At(i, k)
		}
		if math.Abs(w-want) > 1e-12*want {
			t.Errorf("weight %d is %g after the turn, want %g", k, w, want)
		}
	}
	d := smoothData(9, 4)
	got, want := linalg.New(9, 9), linalg.New(9, 9)
	back.Between(got, d.Points)
	back.Weighted.Between(want, d.Points)
	for i := range 9 {
		for j := range i {
			if math.Abs(got.At(i, j)-want.At(i, j)) > 1e-12 {
				t.Errorf("distance of %d and %d is %g along the axes, want %g", i, j, got.At(i, j), want.At(i, j))
			}
		}
	}
	h := Hyper{Metric: m}
	if !h.Alike(h) || h.Alike(Hyper{Metric: back}) || h.Alike(Hyper{Metric: m.Weighted}) {
		t.Error("metrics with other directions, or none, give other correlations")
	}
}
