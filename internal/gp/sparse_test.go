package gp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
)

// scattered are points of the square with values of a smooth function and noise.
func scattered(n int, noise float64) (*Points, []float64) {
	r := rand.New(rand.NewPCG(5, 6))
	p, y := NewPoints(2), make([]float64, n)
	for i := range n {
		x := []float64{2*r.Float64() - 1, 2*r.Float64() - 1}
		p.Append(x)
		y[i] = 3 + math.Sin(3*x[0]) + x[0]*x[1] + noise*r.NormFloat64()
	}
	return p, y
}

func strided(n, step int) (numbers []int) {
	for i := 0; i < n; i += step {
		numbers = append(numbers, i)
	}
	return numbers
}

// With all points chosen, or all but the last, a sparse process is the exact one; with every fifth it
// is nearer to it than a process that knows no others.
func TestSparse(t *testing.T) {
	const n = 240
	p, y := scattered(n, 0.1)
	for _, metric := range []Metric{Isotropic{Theta: 4}, Weighted{Of: []int{0, 1}, Weights: []float64{3, 1}}} {
		h := Hyper{Profile: Matern52, Metric: metric, Noise: 0.02}
		exact, err := Condition(h, Data{Points: p, Y: y}, 0)
		if err != nil {
			t.Fatal(err)
		}
		distance := func(m *Posterior) (mean, variance float64) {
			r := rand.New(rand.NewPCG(7, 8))
			for range 50 {
				x := []float64{2*r.Float64() - 1, 2*r.Float64() - 1}
				m1, v1 := exact.Predict(x)
				m2, v2 := m.Predict(x)
				mean, variance = max(mean, math.Abs(m1-m2)), max(variance, math.Abs(v1-v2)/v1)
			}
			return mean, variance
		}
		build := func(known int, chosen []int) *Posterior {
			s, err := NewSparse(t.Context(), 2, h, Data{Points: p, Y: y[:known]}, chosen)
			if err != nil {
				t.Fatal(err)
			}
			for i := known; i < n; i++ {
				s.Add(p.At(i), y[i], 0)
			}
			m, err := s.Posterior(1)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		for _, known := range []int{n, n - 24, n - 96} {
			if mean, variance := distance(build(known, strided(known, 1))); mean > 1e-4 || variance > 1e-3 {
				t.Errorf("all of %d points chosen: means differ by %g, variances by a share of %g", known, mean, variance)
			}
		}
		few := strided(n, 5)
		subset := []float64{}
		for _, i := range few {
			subset = append(subset, y[i])
		}
		alone, err := Condition(h, Data{Points: p.Subset(few), Y: subset}, 0)
		if err != nil {
			t.Fatal(err)
		}
		sparse, sparseVariance := distance(build(n, few))
		only, onlyVariance := distance(alone)
		if sparse > only/2 || sparseVariance > onlyVariance/1.5 {
			t.Errorf("every fifth chosen: %g and %g from the exact moments, without the others %g and %g", sparse, sparseVariance, only, onlyVariance)
		}
	}
}

// A posterior does not depend on when it was asked for, nor on what was believed in between.
func TestSparseGrows(t *testing.T) {
	const n, known = 300, 200
	p, y := scattered(n, 0.1)
	h := Hyper{Profile: RBF, Metric: Isotropic{Theta: 4}, Noise: 0.02}
	var first []float64
	for _, steps := range [][]int{{n}, {known, known + 1, known + 30, n}} {
		s, err := NewSparse(t.Context(), len(steps), h, Data{Points: p, Y: y[:known]}, strided(known-8, 8))
		if err != nil {
			t.Fatal(err)
		}
		var m *Posterior
		for _, to := range steps {
			for i := s.Len(); i < to; i++ {
				s.Add(p.At(i), y[i], 0)
			}
			if m, err = s.Posterior(2); err != nil {
				t.Fatal(err)
			}
			m.Believe([]float64{0.3, 0.4})
		}
		value, grad := make([]float64, 1), linalg.New(1, 2)
		m.Evaluate(value, grad, linalg.Matrix{Rows: 1, Cols: 2, Stride: 2, Data: []float64{0.1, -0.2}},
			func(mean, variance float64) (float64, float64, float64) { return mean - variance, 1, -1 })
		if got := slices.Concat(value, grad.Data); first == nil {
			first = got
		} else if !slices.Equal(got, first) {
			t.Errorf("in steps %v: %v, want %v", steps, got, first)
		}
	}
}
