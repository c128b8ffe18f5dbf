package lbfgsb

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

func rosenbrock(g, x []float64) float64 {
	clear(g)
	var f float64
	for i := range len(x) - 1 {
		a, b := x[i+1]-x[i]*x[i], 1-x[i]
		f += 100*a*a + b*b
		g[i] -= 400*a*x[i] + 2*b
		g[i+1] += 200 * a
	}
	return f
}

// alternating repeats two numbers.
func alternating(n int, even, odd float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = even
		if i%2 == 1 {
			x[i] = odd
		}
	}
	return x
}

func inBox(t *testing.T, x []float64, lo, hi float64) {
	t.Helper()
	for i, v := range x {
		if !(v >= lo && v <= hi) {
			t.Fatalf("x[%d] = %v is outside [%g, %g]", i, v, lo, hi)
		}
	}
}

func TestMatchesSciPy(t *testing.T) {
	raw, err := os.ReadFile("testdata/lbfgsb.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			N         int
			Lo, Hi, F float64
			Nit, Nfev int
			X         []float64
			X0        json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) != 4 {
		t.Fatalf("%d cases, want 4", len(file.Cases))
	}
	for _, c := range file.Cases {
		var x []float64
		if json.Unmarshal(c.X0, &x) != nil {
			var pattern struct{ Even, Odd float64 }
			if err := json.Unmarshal(c.X0, &pattern); err != nil {
				t.Fatal(err)
			}
			x = alternating(c.N, pattern.Even, pattern.Odd)
		}
		res, err := Minimize(context.Background(), x, []float64{c.Lo}, []float64{c.Hi}, rosenbrock, Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("n=%d: f %.17g (%.17g), iterations %d (%d), evaluations %d (%d), %v",
			c.N, res.F, c.F, res.Iterations, c.Nit, res.Evaluations, c.Nfev, res.Status)
	}
}

func BenchmarkIteration(b *testing.B) {
	w := new(Workspace)
	start := alternating(1000, -1.2, 1)
	x := make([]float64, len(start))
	iterations := 0
	for b.Loop() {
		copy(x, start)
		res, err := w.Minimize(context.Background(), x, []float64{-2}, []float64{2}, rosenbrock, Options{MaxIter: 500})
		if err != nil {
			b.Fatal(err)
		}
		iterations += res.Iterations
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(iterations)/1000, "µs/iteration")
}

var _ = rand.New
var _ = math.Inf
