package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Draws have the moments of the posterior, and a step from a base is an evaluation at the
// point that it leads to.
func TestPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n, dim, draws = 12, 3, 2000
	directions := linalg.New(1, dim)
	copy(directions.Row(0), []float64{0.6, 0, 0.8})
	for name, h := range map[string]Hyper{
		"weights":    {Profile: Matern52, Metric: Weighted{Of: []int{0, 1, 1}, Weights: []float64{2, 0.5}}, Noise: 0.01, Restricted: true},
		"isotropic":  {Profile: RBF, Metric: Isotropic{Theta: 3}, Noise: 0.01},
		"directions": {Profile: RBF, Metric: Spiked{Directions: directions, Floors: []float64{0}, Theta: 1, Along: []float64{4}}, Noise: 0.01, Restricted: true},
	} {
		points, y := NewPoints(dim), make([]float64, n)
		for i := range n {
			x := []float64{2*r.Float64() - 1, 2*r.Float64() - 1, 2*r.Float64() - 1}
			points.Append(x)
			y[i] = x[0]*x[0] + x[1] - x[2]
		}
		m, err := Condition(h, Data{Points: points, Y: y}, 0)
		if err != nil {
			t.Fatal(err)
		}
		p := m.Draw(points.X(), nil, draws, 1500, 4, r)
		out := linalg.New(4, 1+draws)
		x := []float64{0.3, -0.9, 0.7}
		p.At([]float64{0.1, 0.2, 0.3})
		p.With(1, x[1:])
		p.At(x)
		values := p.Values(out)
		p.At([]float64{0.1, x[1], x[2]})
		stepped := p.Values(linalg.New(4, 1+draws))
		for c := range 1 + draws {
			if a, b := values.At(1, c), stepped.At(0, c); math.Abs(a-b) > 1e-9 {
				t.Fatalf("%s: a step gives %g, the point %g", name, a, b)
			}
		}
		mean, variance := m.Predict(x)
		if got := values.At(2, 0); math.Abs(got-mean) > 1e-9 {
			t.Errorf("%s: the mean is %g, want %g", name, got, mean)
		}
		var sum, square float64
		for c := 1; c <= draws; c++ {
			sum += values.At(2, c) / draws
		}
		for c := 1; c <= draws; c++ {
			square += math.Pow(values.At(2, c)-sum, 2) / draws
		}
		if math.Abs(sum-mean) > 0.15*math.Sqrt(variance) || math.Abs(square-variance) > 0.2*variance {
			t.Errorf("%s: draws have mean %g and variance %g, want %g and %g", name, sum, square, mean, variance)
		}
	}
}
