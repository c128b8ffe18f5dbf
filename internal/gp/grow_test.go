package gp

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
)

// A posterior that grew, with points believed and forgotten on the way, has the bytes of one made at
// once, and so have subsets of points without distances.
func TestGrower(t *testing.T) {
	const dim, most = 3, 130
	r := rand.New(rand.NewPCG(1, 2))
	points, y := NewPoints(dim), []float64{}
	add := func() {
		x := []float64{2*r.Float64() - 1, 2*r.Float64() - 1, 2*r.Float64() - 1}
		points.Append(x)
		y = append(y, x[0]*x[0]+x[1]+0.1*r.NormFloat64())
	}
	metrics := []Metric{Isotropic{Theta: 2}, Weighted{Of: []int{0, 1, 2}, Weights: []float64{1, 0.3, 2}}}
	growers := make([]Grower, len(metrics))
	probe := linalg.New(2, dim)
	for i := range probe.Data {
		probe.Data[i] = r.Float64()
	}
	for len(y) < most {
		for range 1 + r.IntN(40) {
			add()
		}
		for i, metric := range metrics {
			h := Hyper{Profile: Matern52, Metric: metric, Noise: 1e-4}
			if len(y) > most/2 {
				h.Noise = 1e-3
			}
			d := Data{Points: points, Y: y}
			got, err := growers[i].Condition(h, d, 3)
			if err != nil {
				t.Fatal(err)
			}
			all := make([]int, len(y))
			for k := range all {
				all[k] = k
			}
			want, err := Condition(h, Data{Points: points.Subset(all), Y: y}, 3)
			if err != nil {
				t.Fatal(err)
			}
			believed := []float64{0.1, 0.2, float64(len(y)) / 200}
			got.Believe(believed)
			want.Believe(believed)
			value, grad := [2][]float64{}, [2]linalg.Matrix{}
			for k, m := range []*Posterior{got, want} {
				value[k], grad[k] = make([]float64, 2), linalg.New(2, dim)
				m.Evaluate(value[k], grad[k], probe, func(mean, variance float64) (float64, float64, float64) { return mean + variance, 1, 1 })
			}
			if !slices.Equal(value[0], value[1]) || !slices.Equal(grad[0].Data, grad[1].Data) {
				t.Fatalf("%d points, metric %d: %v with gradients %v, want %v with %v", len(y), i, value[0], grad[0].Data, value[1], grad[1].Data)
			}
			got.Release()
		}
	}
	numbers := []int{3, 1, 77}
	want := points.Subset(numbers)
	points.Forget()
	points.Append([]float64{0, 0, 0})
	if got := points.Subset(numbers); got.Square(2, 1) != want.Square(2, 1) || got.Square(1, 0) != want.Square(1, 0) || points.Len() != len(y)+1 {
		t.Error("distances of a subset differ when those of all points are forgotten")
	}
}
