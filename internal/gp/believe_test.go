package gp

import (
	"fmt"
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

// Points that are believed together leave the bytes of points that are believed one after the other.
func TestBelieveTogether(t *testing.T) {
	const n, dim, count = 40, 5, 37
	every(t, dim, func(t *testing.T, metric Metric, p Profile, s setting) {
		r := rand.New(rand.NewPCG(5, 6))
		points := make([][]float64, count)
		for i := range points {
			points[i] = make([]float64, dim)
			for j := range points[i] {
				points[i][j] = 2*r.Float64() - 1
			}
		}
		copy(points[30], points[29]) // needs more on the diagonal where there is no noise
		apart, together := posterior(t, metric, p, s, s.data(n, dim), count), posterior(t, metric, p, s, s.data(n, dim), count)
		BelieveAll(together, points)
		for i, x := range points {
			before, _ := apart.Predict(x)
			apart.Believe(x)
			after, _ := apart.Predict(x)
			if b, a := together.MeanOf(x, i), together.MeanOf(x, i+1); b != before || a != after {
				t.Fatalf("the mean at point %d is %v and %v, by itself %v and %v", i, b, a, before, after)
			}
		}
		for _, x := range points {
			m, v := together.Predict(x)
			if wantM, wantV := apart.Predict(x); m != wantM || v != wantV {
				t.Fatalf("the moments are %v and %v, apart %v and %v", m, v, wantM, wantV)
			}
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

// Many points without a value, as those of trials that failed.
func BenchmarkBelieveMany(b *testing.B) {
	const n, dim = 100, 20
	for _, count := range []int{8, 100, 1000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			d := smoothData(n+count, dim)
			x := make([][]float64, count)
			for i := range x {
				x[i] = d.Points.At(n + i)
			}
			d.Points, d.Y = d.Points.Subset(numbers(n)), d.Y[:n]
			post, err := Condition(Hyper{Metric: Isotropic{Theta: 0.3}, Noise: 1e-3}, d, count)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				BelieveAll(post, x)
				post.Release()
			}
		})
	}
}
