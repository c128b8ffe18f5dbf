package gp

import (
	"math"
	"slices"
	"testing"
)

// What a likelihood keeps between evaluations leaves no trace in them, not even after
// one that failed.
func TestLikelihoodForgets(t *testing.T) {
	in, y := NewInputs(2), make([]float64, 40)
	for i := range y {
		x := []float64{math.Sin(float64(3 * i)), math.Cos(float64(i * i))}
		in.Append(x)
		y[i] = x[0] + x[1]*x[1]
	}
	kept := NewLikelihood(in)
	for _, l := range []float64{1, 0.01, 30, math.NaN(), 0.3, 1} {
		h := Hyper{Kernel: Matern52ARD([]float64{l, 2 * l}), OutputScale: 1 + l, NoiseVariance: 1e-4}
		if math.IsNaN(l) {
			h.OutputScale = 1
		}
		value, grad, _, err := kept.LogMarginal(h, y)
		want, wantGrad, _, wantErr := LogMarginal(h, in, y)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("length-scale %g: error %v, want %v", l, err, wantErr)
		}
		if value != want || grad.LogNoise != wantGrad.LogNoise || !slices.Equal(grad.Map, wantGrad.Map) {
			t.Errorf("length-scale %g: %g with %+v, want %g with %+v", l, value, grad, want, wantGrad)
		}
	}
}
