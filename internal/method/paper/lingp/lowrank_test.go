package lingp

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/rng"
)

// TestLowRankEqualsDense compares the two ways to a likelihood, with their derivatives.
func TestLowRankEqualsDense(t *testing.T) {
	for _, low := range []int{1, 2} {
		for _, spread := range []float64{1e-3, 0.5, 1} {
			for _, noise := range []float64{1e-4, 0.5} {
				t.Run(fmt.Sprintf("d=%d,spread=%g,noise=%g", low, spread, noise), func(t *testing.T) {
					n := 400
					in, y, z, h := lowRankCase(n, low, spread, noise)
					fast := newLowRank(in, low, gp.RBF)
					got, want := linalg.New(low, n), linalg.New(low, n)
					var pivots []int
					for _, scale := range []float64{1.3, 0.7, 1} { // each begins with the pivots of the last
						near := z
						near.Data = slices.Clone(z.Data)
						for i := range near.Data {
							near.Data[i] *= scale
						}
						if _, ok := fast.evaluate(got, near, y, h, &pivots); !ok {
							t.Fatal("the rank is too high")
						}
					}
					ev, ok := fast.evaluate(got, z, y, h, &pivots)
					if !ok {
						t.Fatal("the rank is too high")
					}
					ref, err := newWorkspace(n).evaluate(want, z, y, h)
					if err != nil {
						t.Fatal(err)
					}
					near(t, "value", ev.value, ref.value, rankTolerance*math.Abs(ref.value))
					near(t, "d log scale", ev.dLogScale, ref.dLogScale, 1e-6*math.Abs(ref.value))
					near(t, "d noise", ev.dNoise, ref.dNoise, rankTolerance*math.Abs(ref.dNoise))
					near(t, "d mean", ev.dMean, ref.dMean, 1e-7*float64(n))
					var size, off float64
					for i, v := range want.Data {
						size = max(size, math.Abs(v))
						off = max(off, math.Abs(got.Data[i]-v))
					}
					near(t, "d z", off, 0, 5e-5*max(size, 1)) // k_PP⁻¹ enlarges rounding
				})
			}
		}
	}
}

// TestLowRankRefuses wants no where the kernel's matrix is far from singular.
func TestLowRankRefuses(t *testing.T) {
	in, y, z, h := lowRankCase(200, 1, 100, 0.1)
	if _, ok := newLowRank(in, 1, gp.RBF).evaluate(linalg.New(1, 200), z, y, h, new([]int)); ok {
		t.Error("100 length-scales of standard deviation taken for low rank")
	}
	if newLowRank(in, 1, gp.Matern52) != nil || newLowRank(in, 3, gp.RBF) != nil {
		t.Error("low rank for a rough kernel, or in three dimensions")
	}
}

func lowRankCase(n, low int, spread, noise float64) (*Inputs, []float64, linalg.Matrix, Hyper) {
	r := rng.New(1, uint64(n), uint64(low))
	in := NewInputs(3)
	for range n {
		in.Append([]float64{r.Float64(), r.Float64(), r.Float64()})
	}
	y := make([]float64, n)
	z := linalg.New(low, n)
	for i := range y {
		for a := range low {
			z.Set(a, i, spread*(2*r.Float64()-1))
			y[i] += math.Sin(z.At(a, i))
		}
		y[i] += 0.1 * r.NormFloat64()
	}
	h := Hyper{Kernel: Kernel{B: linalg.New(low, 3), Profile: gp.RBF}, OutputScale: 1.3, NoiseVariance: noise, Mean: 0.2}
	return in, y, z, h
}

func BenchmarkLikelihood(b *testing.B) {
	for _, low := range []int{1, 2} {
		in, y, z, h := lowRankCase(500, low, 1.2, 1e-3)
		dZ := linalg.New(low, 500)
		b.Run(fmt.Sprintf("d=%d/lowrank", low), func(b *testing.B) {
			w := newLowRank(in, low, gp.RBF)
			var pivots []int
			for b.Loop() {
				w.evaluate(dZ, z, y, h, &pivots)
			}
		})
		b.Run(fmt.Sprintf("d=%d/dense", low), func(b *testing.B) {
			w := newWorkspace(500)
			for b.Loop() {
				w.evaluate(dZ, z, y, h)
			}
		})
	}
}
