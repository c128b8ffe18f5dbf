package gp

import (
	"math"
	"testing"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/linalg"
)

// spikedData adds two directions, floors and weights to isotropicData.
func spikedData(n, dim int) (SpikedData, []float64) {
	c, y := isotropicData(n, dim)
	V := linalg.New(2, dim)
	V.Set(0, 0, 0.6)
	V.Set(0, 1, 0.8)
	V.Set(1, 2, 1)
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 0.5 + float64(i%3)
	}
	return SpikedData{Cloud: c, Directions: V, Y: y, Weights: weights}, []float64{0.01, 0.2}
}

func TestSpikedLossGradient(t *testing.T) {
	d, floors := spikedData(25, 6)
	f := newSpikedLoss(d, floors)
	for _, p := range [][]float64{{0, -3, 0, -1}, {2, -6, -2, 1}, {-3, 0, 1, 1}} {
		grad, scratch := make([]float64, 4), make([]float64, 4)
		f.eval(grad, p)
		fdcheck.Check(t, func(p []float64) float64 { return f.eval(scratch, p) }, grad, p, 1e-6)
	}
}

func TestFitSpikedKeepsTheFloors(t *testing.T) {
	d, floors := spikedData(40, 6)
	h, loss, err := FitSpiked(t.Context(), d, floors)
	if err != nil {
		t.Fatal(err)
	}
	if least := floors[0]*h.Along[0] + floors[1]*h.Along[1]; h.Theta < least {
		t.Errorf("Theta is %g, below %g", h.Theta, least)
	}
	start := newSpikedLoss(d, floors)
	p := make([]float64, 4)
	for i := range p {
		p[i] = math.Log(spikedPriors[min(i, 2)].median)
	}
	if first := start.eval(make([]float64, 4), p) * 40; loss > first {
		t.Errorf("the loss rose from %g to %g", first, loss)
	}
}

// Leaving a point out in closed form is leaving it out.
func TestSpikedLeaveOneOut(t *testing.T) {
	const n, dim = 20, 4
	d, _ := spikedData(n, dim)
	h := Spiked{Theta: 2, Along: []float64{3, 5}, Noise: 0.01}
	m, err := NewSpikedModel(h, d)
	if err != nil {
		t.Fatal(err)
	}
	mean, variance := make([]float64, n), make([]float64, n)
	m.LeaveOneOut(mean, variance)
	for out := range n {
		var rest []int
		sub := d
		sub.Y, sub.Weights = nil, nil
		for i := range n {
			if i != out {
				rest = append(rest, i)
				sub.Y, sub.Weights = append(sub.Y, d.Y[i]), append(sub.Weights, d.Weights[i])
			}
		}
		sub.Cloud = d.Cloud.Subset(rest)
		other, err := NewSpikedModel(h, sub)
		if err != nil {
			t.Fatal(err)
		}
		other.scale = m.scale
		got, v := make([]float64, 1), make([]float64, 1)
		other.PredictBatch(got, v, linalg.Matrix{Rows: 1, Cols: dim, Stride: dim, Data: d.Cloud.At(out)})
		want := v[0] + other.NoiseVariance()*d.Weights[out]
		if math.Abs(mean[out]-got[0]) > 1e-7 || math.Abs(variance[out]-want) > 1e-6*want {
			t.Errorf("point %d: %g ± %g in closed form, %g ± %g without it", out, mean[out], variance[out], got[0], want)
		}
	}
}

func TestSpikedGradients(t *testing.T) {
	const n, dim = 30, 5
	d, _ := spikedData(n, dim)
	m, err := NewSpikedModel(Spiked{Theta: 2, Along: []float64{3, 5}, Noise: 0.01}, d)
	if err != nil {
		t.Fatal(err)
	}
	row := func(x []float64) linalg.Matrix { return linalg.Matrix{Rows: 1, Cols: dim, Stride: dim, Data: x} }
	x := []float64{0.1, -0.4, 0.7, 0.2, -0.9}
	grad := linalg.New(1, dim)
	m.Gradients(grad, row(x))
	fdcheck.Check(t, func(x []float64) float64 {
		mean, variance := make([]float64, 1), make([]float64, 1)
		m.PredictBatch(mean, variance, row(x))
		return mean[0]
	}, grad.Row(0), x, 1e-7)
	before := m.SlopeVariance()
	if m.Widen(4); m.SlopeVariance() != 4*before {
		t.Errorf("widening by 4 made %g of %g", m.SlopeVariance(), before)
	}
}
