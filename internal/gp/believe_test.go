package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
)

// In which order points are believed does not matter, also where two are the same.
func TestBelieveInAnyOrder(t *testing.T) {
	const n, dim, count = 40, 5, 7
	every(t, dim, func(t *testing.T, m Metric, p Profile, s setting) {
		r := rand.New(rand.NewPCG(5, 6))
		x, at := linalg.New(count, dim), linalg.New(4, dim)
		for _, m := range []linalg.Matrix{x, at} {
			for i := range m.Data {
				m.Data[i] = 2*r.Float64() - 1
			}
		}
		copy(x.Row(4), x.Row(1))
		forth := posterior(t, m, p, s, s.data(n, dim), count+1)
		back := posterior(t, m, p, s, s.data(n, dim), count+1)
		for i := range count {
			forth.Believe(x.Row(i))
			back.Believe(x.Row(count - 1 - i))
		}
		for _, post := range []*Posterior{forth, back} {
			post.Believe(at.Row(3))
		}
		f := func(mean, variance float64) (float64, float64, float64) {
			return mean - math.Sqrt(variance), 1, -0.5 / math.Sqrt(variance)
		}
		var value [2][]float64
		var grad [2]linalg.Matrix
		for k, post := range []*Posterior{forth, back} {
			value[k], grad[k] = make([]float64, 4), linalg.New(4, dim)
			post.Evaluate(value[k], grad[k], at, f)
		}
		for i, v := range value[0] {
			if w := value[1][i]; math.Abs(v-w) > 1e-7 {
				t.Errorf("the value at point %d is %g, in the other order %g", i, w, v)
			}
			for j, v := range grad[0].Row(i)[:dim] {
				if w := grad[1].At(i, j); i < 3 && math.Abs(v-w) > 1e-6*(1+math.Abs(v)) {
					t.Errorf("the gradient at point %d is %g, in the other order %g", i, w, v)
				}
			}
		}
		back.Release()
		if back.shared && back.points.Len() != n {
			t.Errorf("%d points after release, want %d", back.points.Len(), n)
		}
	})
}

func BenchmarkBelieve(b *testing.B) {
	const n, dim, count = 1000, 1000, 25
	d := smoothData(n+count, dim)
	x := d.Points.X().Slice(n, n+count, 0, dim)
	d.Points, d.Y = d.Points.Subset(numbers(n)), d.Y[:n]
	post, err := Condition(Hyper{Metric: Isotropic{Theta: 0.3}, Noise: 1e-3}, d, count)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for i := range x.Rows {
			post.Believe(x.Row(i))
		}
		post.Release()
	}
}
