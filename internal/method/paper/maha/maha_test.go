package maha

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/internal/method/paper/acquisition"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

func build(t testing.TB, spec string, dim int, seed uint64) *maha {
	t.Helper()
	return methodtest.Build(t, Method(), spec, strategy.Config{Domain: strategy.Box(dim), TrueDim: min(2, dim), Seed: seed}).(*maha)
}

// A model that cannot be built costs the method its choice, never the user the
// suggestion, and is reported.
func TestMahaFallsBackAndSaysSo(t *testing.T) {
	s := build(t, "maha", 6, 1)
	methodtest.Play(t, s, 3, 5, methodtest.Ridge)
	if r := s.LastAsk(); r.Fallback != nil {
		t.Fatalf("fell back without need: %v", r.Fallback)
	}
	s.d = 0 // no kernel has dimension 0
	points, err := s.Ask(context.Background(), 4, nil)
	if err != nil || len(points) != 4 {
		t.Fatalf("%d points, error %v", len(points), err)
	}
	if s.LastAsk().Fallback == nil {
		t.Error("the fallback was not reported")
	}
}

// thm:equiv_one_two: gradient descent on the acquisition function moves only the
// component B⁺B x; the component in the null space of B stays that of the start.
func TestDescentLeavesTheNullSpaceAlone(t *testing.T) {
	const dim, d, n = 15, 2, 40
	r := rng.New(1)
	B := linalg.New(d, dim)
	for j := range B.Data {
		B.Data[j] = r.NormFloat64()
	}
	in, y := lingp.NewInputs(dim), make([]float64, n)
	x := make([]float64, dim)
	for i := range n {
		rng.NewFiller(r).Uniform(x)
		in.Append(x)
		y[i] = methodtest.Ridge(x)
	}
	model, err := lingp.NewModel(lingp.Hyper{Kernel: lingp.Mahalanobis(B), OutputScale: 1, NoiseVariance: 1e-2}, in, y)
	if err != nil {
		t.Fatal(err)
	}
	// Gram-Schmidt on the rows of B gives the projection on its row space.
	q := linalg.New(d, dim)
	for a := range d {
		copy(q.Row(a), B.Row(a))
		for b := range a {
			linalg.Axpy(q.Row(a), -linalg.Dot(q.Row(a), q.Row(b)), q.Row(b))
		}
		norm := math.Sqrt(linalg.Dot(q.Row(a), q.Row(a)))
		for j := range dim {
			q.Row(a)[j] /= norm
		}
	}
	nullPart := func(x []float64) []float64 {
		w := append([]float64(nil), x...)
		for a := range d {
			linalg.Axpy(w, -linalg.Dot(x, q.Row(a)), q.Row(a))
		}
		return w
	}
	f := &acquisition.LCB{Model: model, Beta: 2}
	grad := make([]float64, dim)
	for j := range x {
		x[j] = 0.3 * (2*r.Float64() - 1)
	}
	start := nullPart(x)
	first := f.Value(x)
	moved := 0.0
	for range 200 {
		f.ValueGrad(grad, x)
		linalg.Axpy(x, -0.01, grad)
		moved += 0.01 * math.Sqrt(linalg.Dot(grad, grad))
	}
	end := nullPart(x)
	for j := range start {
		if math.Abs(start[j]-end[j]) > 1e-12 {
			t.Fatalf("null-space component %d moved from %g to %g", j, start[j], end[j])
		}
	}
	if moved < 0.05 || f.Value(x) >= first {
		t.Errorf("the descent went nowhere: path %g, from %g to %g", moved, first, f.Value(x))
	}
}

func BenchmarkMahaAsk(b *testing.B) {
	for _, d := range []int{1, 2} {
		for _, batch := range []int{1, 5} {
			b.Run(fmt.Sprintf("n=300/D=1000/d=%d/B=%d", d, batch), func(b *testing.B) {
				s := build(b, fmt.Sprintf("maha:d=%d", d), 1000, 0)
				for i := range 300 {
					x := make(strategy.Point, 1000)
					rng.NewFiller(rng.New(uint64(i))).Uniform(x)
					methodtest.Tell(b, s, x, methodtest.Ridge(x))
				}
				for b.Loop() {
					if _, err := s.Ask(context.Background(), batch, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
