package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Points that are believed together are as if they were believed one after another, also where two are the same,
// and others may follow.
func TestBelieveAll(t *testing.T) {
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
		single := posterior(t, m, p, s, s.data(n, dim), count+1)
		together := posterior(t, m, p, s, s.data(n, dim), count+1)
		for i := range count {
			single.Believe(x.Row(i))
		}
		together.BelieveAll(x)
		for _, post := range []*Posterior{single, together} {
			post.Believe(at.Row(3))
		}
		f := func(mean, variance float64) (float64, float64, float64) {
			return mean - math.Sqrt(variance), 1, -0.5 / math.Sqrt(variance)
		}
		var value [2][]float64
		var grad [2]linalg.Matrix
		for k, post := range []*Posterior{single, together} {
			value[k], grad[k] = make([]float64, 4), linalg.New(4, dim)
			post.Evaluate(value[k], grad[k], at, f)
		}
		for i, v := range value[0] {
			if w := value[1][i]; math.Abs(v-w) > 1e-7 {
				t.Errorf("the value at point %d is %g, believed one after another %g", i, w, v)
			}
			for j, v := range grad[0].Row(i)[:dim] {
				if w := grad[1].At(i, j); i < 3 && math.Abs(v-w) > 1e-6*(1+math.Abs(v)) {
					t.Errorf("the gradient at point %d is %g, believed one after another %g", i, w, v)
				}
			}
		}
		together.Release()
		if together.shared && together.points.Len() != n {
			t.Errorf("%d points after release, want %d", together.points.Len(), n)
		}
	})
}

func BenchmarkBelieve(b *testing.B) {
	const n, dim, count = 1000, 1000, 25
	d := smoothData(n+count, dim)
	x := d.Points.X().Slice(n, n+count, 0, dim)
	d.Points, d.Y = d.Points.Subset(numbers(n)), d.Y[:n]
	for name, believe := range map[string]func(*Posterior){
		"together": func(post *Posterior) { post.BelieveAll(x) },
		"single": func(post *Posterior) {
			for i := range x.Rows {
				post.Believe(x.Row(i))
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			post, err := Condition(Hyper{Metric: Isotropic{Theta: 0.3}, Noise: 1e-3}, d, count)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				believe(post)
				post.Release()
			}
		})
	}
}
