package gp

import (
	"math"
	"testing"
)

// The density of a value given those before it is what conditioning on these says.
func TestAhead(t *testing.T) {
	const n, from = 24, 15
	all := smoothData(n, 4)
	for name, metric := range metrics(4) {
		for _, given := range []bool{false, true} {
			h := Hyper{Profile: Matern52, Metric: metric, Noise: 1e-3, Scale: 0.7}
			d := all
			if given {
				d.Given = make([]float64, n)
				for i := range d.Given {
					d.Given[i] = 0.01 * float64(i%3)
				}
			}
			got, err := Ahead(h, d, from)
			if err != nil || len(got) != n-from {
				t.Fatalf("%s: %d densities, %v", name, len(got), err)
			}
			start, err := Condition(h, firstOf(d, from), 0)
			if err != nil {
				t.Fatal(err)
			}
			scale, mean := start.OutputScale(), start.mean
			for i := from; i < n; i++ {
				fixed := h
				fixed.Scale, fixed.Known, fixed.Mean = scale, true, &mean
				m, err := Condition(fixed, firstOf(d, i), 0)
				if err != nil {
					t.Fatal(err)
				}
				mu, variance := m.Predict(d.Points.At(i))
				variance += scale * (h.Noise + nugget)
				if given {
					variance += d.Given[i]
				}
				want := -0.5*math.Log(variance) - 0.5*(d.Y[i]-mu)*(d.Y[i]-mu)/variance
				if math.Abs(got[i-from]-want) > 1e-6*max(1, math.Abs(want)) {
					t.Errorf("%s, noise given %v: value %d has the log density %g, want %g", name, given, i, got[i-from], want)
				}
			}
		}
	}
}

// firstOf are the first n observations.
func firstOf(d Data, n int) Data {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	d.Points, d.Y = d.Points.Subset(numbers), d.Y[:n]
	if d.Given != nil {
		d.Given = d.Given[:n]
	}
	return d
}
