package maha

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
	"gonum.org/v1/gonum/mat"
)

// told returns rbf after n observations of ridge at random points.
func told(t testing.TB, dim, n int) *maha {
	t.Helper()
	s := methodtest.Build(t, RBF(), "rbf", strategy.Config{Domain: strategy.Box(dim)})
	for i := range n {
		x := make(strategy.Point, dim)
		rng.NewFiller(rng.New(uint64(i))).Uniform(x)
		methodtest.Tell(t, s, x, methodtest.Ridge(x))
	}
	return s.(*maha)
}

// The model of a round is the Gaussian process that its hyperparameters say, in few
// dimensions and in many.
func TestRBFModelIsTheExactPosterior(t *testing.T) {
	const n = 30
	for _, dim := range []int{2, 5, 40} {
		s := told(t, dim, n)
		task, err := s.learn(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		h := task.model.Hyper()
		k := func(x, y []float64) float64 {
			r2 := 0.0
			for j, l := range h.LengthScales {
				r2 += (x[j] - y[j]) * (x[j] - y[j]) / (l * l)
			}
			return h.OutputScale * math.Exp(-r2/2)
		}
		K, y := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				K.SetSym(i, j, k(s.X[i], s.X[j]))
			}
			K.SetSym(i, i, h.OutputScale+h.NoiseVariance)
			y.SetVec(i, task.y[i]-h.Mean)
		}
		var chol mat.Cholesky
		if !chol.Factorize(K) {
			t.Fatalf("D=%d: the kernel matrix is not positive definite", dim)
		}
		kx, w := mat.NewVecDense(n, nil), new(mat.VecDense)
		for i := range 20 {
			x := make([]float64, dim)
			rng.NewFiller(rng.New(uint64(i), 1)).Uniform(x)
			for j := range n {
				kx.SetVec(j, k(x, s.X[j]))
			}
			if err := chol.SolveVecTo(w, kx); err != nil {
				t.Fatal(err)
			}
			mean, variance := task.model.Predict(x)
			wantMean, wantVariance := h.Mean+mat.Dot(w, y), h.OutputScale-mat.Dot(w, kx)
			if math.Abs(mean-wantMean) > 1e-7 || math.Abs(variance-wantVariance) > 1e-7 {
				t.Errorf("D=%d: mean %g, variance %g, want %g and %g", dim, mean, variance, wantMean, wantVariance)
			}
		}
	}
}

// The paper's ten restarts begin at the same values: one is as good.
func TestRBFOneStartEqualsTen(t *testing.T) {
	for _, dim := range []int{3, 20} {
		one, ten := told(t, dim, 15), told(t, dim, 15)
		ten.fits = 10
		a, err := one.Ask(context.Background(), 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := ten.Ask(context.Background(), 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a {
			if !slices.Equal(a[i].X, b[i].X) {
				t.Errorf("D=%d, point %d: %v from one start, %v from ten", dim, i, a[i].X, b[i].X)
			}
		}
	}
}

func BenchmarkRBFAsk(b *testing.B) {
	for _, dim := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("n=300/D=%d", dim), func(b *testing.B) {
			s := told(b, dim, 300)
			for b.Loop() {
				if _, err := s.Ask(context.Background(), 1, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
