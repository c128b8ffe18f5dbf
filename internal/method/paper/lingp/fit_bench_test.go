package lingp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/num"
)

// benchData is what a run of the paper's method leaves behind: uniform points,
// and points pushed to the faces of the box along a direction.
func benchData(n, dim int, r *rand.Rand) (*Inputs, []float64) {
	in := NewInputs(dim)
	a := make([]float64, dim)
	for j := range a {
		a[j] = r.NormFloat64() / math.Sqrt(float64(dim))
	}
	x, y := make([]float64, dim), make([]float64, n)
	for i := range n {
		shift := float64(i%5) * 0.3
		for j := range x {
			x[j] = max(-1, min(1, 2*r.Float64()-1+shift*math.Copysign(r.Float64(), a[j])))
		}
		in.Append(x)
		y[i] = linalg.Dot(a, x)
		y[i] += 0.1 * y[i] * y[i]
	}
	mean, std := num.MeanStd(y)
	for i := range y {
		y[i] = (y[i] - mean) / std
	}
	return in, y
}

func coldStarts(count, d, dim int, r *rand.Rand) []Hyper {
	starts := make([]Hyper, count)
	for i := range starts {
		B := linalg.New(d, dim)
		for j := range B.Data {
			B.Data[j] = 1e-4 * r.NormFloat64()
		}
		starts[i] = Hyper{Kernel: Mahalanobis(B), OutputScale: num.Softplus(0), NoiseVariance: num.Softplus(0) + MinNoise}
	}
	return starts
}

func BenchmarkFitAdam(b *testing.B) {
	for _, n := range []int{100, 250, 500} {
		for _, d := range []int{1, 2, 6} {
			b.Run(fmt.Sprintf("n=%d/D=1000/d=%d", n, d), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				in, y := benchData(n, 1000, r)
				starts := coldStarts(10, d, 1000, r)
				evals := 0
				for b.Loop() {
					_, report, err := FitAdam(context.Background(), starts, in, y, AdamOptions{})
					if err != nil {
						b.Fatal(err)
					}
					evals += report.Evals
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(evals), "us/gradient")
				b.ReportMetric(float64(evals)/float64(b.N), "gradients")
			})
		}
	}
}

func BenchmarkFitAdamThreads(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	in, y := benchData(400, 100, r)
	starts := coldStarts(10, 2, 100, r)
	for _, threads := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("n=400/D=100/d=2/threads=%d", threads), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := FitAdam(context.Background(), starts, in, y, AdamOptions{Threads: threads}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMAPGradient(b *testing.B) {
	for _, n := range []int{100, 250, 500} {
		b.Run(fmt.Sprintf("n=%d/D=1000", n), func(b *testing.B) {
			h, in, y := randomCase(n, 1000, 1000, 2, gp.RBF, stream(1))
			d, err := newDescent([]Hyper{h}, in, y)
			if err != nil {
				b.Fatal(err)
			}
			p, x := posterior{d, MAPOptions{LengthScale: gp.LogNormalPrior{Mu: 5, StdDev: 1}}}, toLogs(h)
			grad := make([]float64, len(x))
			for b.Loop() {
				p.loss(grad, x)
			}
		})
	}
}
