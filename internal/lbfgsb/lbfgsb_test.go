package lbfgsb

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
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
		// The fixture's counts are those of ftol = 1e-12; its gtol is any below 1e-6.
		res, err := Minimize(context.Background(), x, []float64{c.Lo}, []float64{c.Hi}, rosenbrock, Options{Ftol: 1e-12, Gtol: 1e-8})
		if err != nil {
			t.Fatal(err)
		}
		inBox(t, x, c.Lo, c.Hi)
		// The path of n=100 is long and rounding decides its length; the other three
		// have SciPy's counts exactly.
		iterations, evaluations, value := 0, 0, 1e-12*max(1, c.F)
		if c.N == 100 {
			iterations, evaluations, value = 15, 25, 1e-11
		}
		if abs(res.Iterations-c.Nit) > iterations || abs(res.Evaluations-c.Nfev) > evaluations || math.Abs(res.F-c.F) > value || !res.Status.Converged() {
			t.Errorf("n=%d: f %.17g (%.17g), iterations %d (%d), evaluations %d (%d), %v",
				c.N, res.F, c.F, res.Iterations, c.Nit, res.Evaluations, c.Nfev, res.Status)
		}
		for i, want := range c.X {
			if math.Abs(x[i]-want) > 1e-6 {
				t.Errorf("n=%d: x[%d] = %.17g, want %.17g", c.N, i, x[i], want)
			}
		}
	}
}

func abs(i int) int { return max(i, -i) }

// quadratic is a convex quadratic with condition number 1e4 about a centre.
func quadratic(centre []float64) Func {
	return func(g, x []float64) float64 {
		var f float64
		for i, v := range x {
			w := math.Pow(1e4, float64(i)/float64(len(x)))
			f += w * (v - centre[i]) * (v - centre[i])
			g[i] = 2 * w * (v - centre[i])
		}
		return f
	}
}

// The minimiser of a separable function over a box is the clamped centre, whatever
// bounds there are: none, one-sided, two-sided, equal.
func TestBoundsOfEveryKind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	inf := math.Inf(1)
	var w Workspace
	for c := range 60 {
		n := 1 + r.IntN(40)
		x, centre, lower, upper := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], centre[i] = 4*r.NormFloat64(), 2*r.NormFloat64()
			lower[i], upper[i] = -r.Float64(), r.Float64()
			switch r.IntN(5) {
			case 0:
				lower[i] = -inf
			case 1:
				upper[i] = inf
			case 2:
				lower[i], upper[i] = -inf, inf
			case 3:
				lower[i] = upper[i]
			}
		}
		f := quadratic(centre)
		res, err := w.Minimize(context.Background(), x, lower, upper, f, Options{Gtol: 1e-9, Ftol: -1})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range x {
			want := min(max(centre[i], lower[i]), upper[i])
			if v < lower[i] || v > upper[i] || math.Abs(v-want) > 1e-8 {
				t.Errorf("case %d: x[%d] = %v, want %v in [%g, %g]; %+v", c, i, v, want, lower[i], upper[i], res)
			}
		}
		if g := make([]float64, n); f(g, x) != res.F {
			t.Errorf("case %d: F = %v is not the value at x", c, res.F)
		}
	}
}

func TestUnconstrained(t *testing.T) {
	for _, n := range []int{1, 2, 30} {
		x, centre := make([]float64, n), alternating(n, 3, -7)
		res, err := Minimize(context.Background(), x, nil, nil, quadratic(centre), Options{})
		if err != nil || !res.Status.Converged() || res.F > 1e-6 {
			t.Errorf("n=%d: %+v, error %v", n, res, err)
		}
	}
}

func TestStarts(t *testing.T) {
	one := func(g, x []float64) float64 {
		g[0] = 2 * (x[0] - 0.3)
		return (x[0] - 0.3) * (x[0] - 0.3)
	}
	for name, c := range map[string]struct{ start, lower, upper, want float64 }{
		"outside":       {5, -1, 1, 0.3},
		"far outside":   {-1e300, -1, 1, 0.3},
		"infinite":      {math.Inf(1), -1, 1, 0.3},
		"at optimum":    {0.3, -1, 1, 0.3},
		"equal bounds":  {0, 0.7, 0.7, 0.7},
		"at its corner": {0.5, 0.5, 1, 0.5},
	} {
		x := []float64{c.start}
		res, err := Minimize(context.Background(), x, []float64{c.lower}, []float64{c.upper}, one, Options{})
		if err != nil || math.Abs(x[0]-c.want) > 1e-6 || res.Status != GradientSmall {
			t.Errorf("%s: x = %v, %+v, error %v", name, x[0], res, err)
		}
		if (name == "at optimum" || name == "equal bounds" || name == "at its corner") && res.Evaluations != 1 {
			t.Errorf("%s: %d evaluations, want 1", name, res.Evaluations)
		}
	}
}

// Values that are not finite shorten the step; when that does not help the run ends at
// the best finite point.
func TestNonFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		wall := func(g, x []float64) float64 {
			f := rosenbrock(g, x)
			if x[0] > 0.5 {
				return bad
			}
			return f
		}
		x := []float64{-1, 1}
		res, err := Minimize(context.Background(), x, []float64{-2}, []float64{2}, wall, Options{})
		if err != nil || x[0] > 0.5 || res.F > 0.3 || math.IsInf(res.F, 0) {
			t.Errorf("wall of %v: x = %v, %+v, error %v", bad, x, res, err)
		}
		calls := 0
		after := func(g, x []float64) float64 {
			f := rosenbrock(g, x)
			if calls++; calls > 12 {
				g[0] = bad
			}
			return f
		}
		x = []float64{-1, 1}
		res, err = Minimize(context.Background(), x, []float64{-2}, []float64{2}, after, Options{})
		g := make([]float64, 2)
		if err != nil || res.Status != NonFinite || res.F >= 4 || rosenbrock(g, x) != res.F {
			t.Errorf("gradient turning %v: x = %v, %+v, error %v", bad, x, res, err)
		}
		x = []float64{7, 0.25}
		never := func(g, x []float64) float64 { return bad }
		res, err = Minimize(context.Background(), x, []float64{-2}, []float64{2}, never, Options{})
		if err != nil || res.Status != NonFinite || res.Evaluations != 1 || x[0] != 2 || x[1] != 0.25 {
			t.Errorf("always %v: x = %v, %+v, error %v", bad, x, res, err)
		}
	}
}

func TestWrongGradientEnds(t *testing.T) {
	wrong := func(g, x []float64) float64 {
		f := rosenbrock(g, x)
		for i := range g {
			g[i] = -g[i]
		}
		return f
	}
	x := []float64{-1, 1}
	res, err := Minimize(context.Background(), x, []float64{-2}, []float64{2}, wrong, Options{})
	if err != nil || res.Status.Converged() || x[0] != -1 || x[1] != 1 || res.F != 4 {
		t.Errorf("x = %v, %+v, error %v", x, res, err)
	}
}

func TestLimits(t *testing.T) {
	for _, limit := range []int{1, 2, 3, 7, 20} {
		x := alternating(20, -1.2, 1)
		start := rosenbrock(make([]float64, 20), x)
		res, err := Minimize(context.Background(), x, nil, nil, rosenbrock, Options{MaxEval: limit})
		if err != nil || res.Status != EvaluationLimit || res.Evaluations != limit || res.F > start || rosenbrock(make([]float64, 20), x) != res.F {
			t.Errorf("MaxEval %d: %+v, error %v", limit, res, err)
		}
		x = alternating(20, -1.2, 1)
		res, err = Minimize(context.Background(), x, nil, nil, rosenbrock, Options{MaxIter: limit})
		if err != nil || res.Status != IterationLimit || res.Iterations != limit || res.F >= start {
			t.Errorf("MaxIter %d: %+v, error %v", limit, res, err)
		}
	}
}

func TestCancelled(t *testing.T) {
	for _, after := range []int{0, 1, 2, 3, 5, 20} {
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		if after == 0 {
			cancel()
		}
		f := func(g, x []float64) float64 {
			if calls++; calls == after {
				cancel()
			}
			return rosenbrock(g, x)
		}
		x := []float64{-3, 1}
		res, err := Minimize(ctx, x, []float64{-2}, []float64{2}, f, Options{})
		cancel()
		if !errors.Is(err, context.Canceled) || res.Status != Cancelled || calls != after {
			t.Errorf("cancelled at %d: %d calls, %+v, error %v", after, calls, res, err)
		}
		inBox(t, x, -2, 2)
		if after == 0 && !math.IsInf(res.F, 1) {
			t.Errorf("nothing was evaluated, but F = %v", res.F)
		}
		if after > 0 && rosenbrock(make([]float64, 2), x) != res.F {
			t.Errorf("cancelled at %d: F = %v is not the value at x", after, res.F)
		}
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct{ x, lower, upper []float64 }{
		"empty":             {nil, nil, nil},
		"NaN start":         {[]float64{0, nan}, nil, nil},
		"infinite start":    {[]float64{inf}, nil, nil},
		"crossed bounds":    {[]float64{0, 0}, []float64{-1, 1}, []float64{1, 0}},
		"NaN bound":         {[]float64{0}, []float64{nan}, nil},
		"bound at infinity": {[]float64{0}, []float64{inf}, []float64{inf}},
		"too many bounds":   {[]float64{0, 0}, []float64{0, 0, 0}, nil},
	} {
		if _, err := Minimize(context.Background(), c.x, c.lower, c.upper, rosenbrock, Options{}); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// A workspace carries nothing from one run to the next, whatever their sizes.
func TestWorkspaceIsClean(t *testing.T) {
	var w Workspace
	for _, n := range []int{30, 5, 60, 30} {
		a, b := alternating(n, -1.2, 1), alternating(n, -1.2, 1)
		shared, err := w.Minimize(context.Background(), a, []float64{-2}, []float64{0.9}, rosenbrock, Options{})
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := Minimize(context.Background(), b, []float64{-2}, []float64{0.9}, rosenbrock, Options{})
		if err != nil || shared != fresh || !slices.Equal(a, b) {
			t.Errorf("n=%d: shared %+v, fresh %+v, error %v", n, shared, fresh, err)
		}
	}
}

func TestIterationsDoNotAllocate(t *testing.T) {
	var w Workspace
	x := make([]float64, 50)
	allocs := func(iterations int) float64 {
		return testing.AllocsPerRun(5, func() {
			copy(x, alternating(50, -1.2, 1))
			if _, err := w.Minimize(context.Background(), x, []float64{-2}, []float64{2}, rosenbrock, Options{MaxIter: iterations}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocs(2), allocs(100); many > few {
		t.Errorf("%g allocations in 2 iterations, %g in 100", few, many)
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
