package problem

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/rng"
)

func readFixture(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func TestFunctionsEqualReference(t *testing.T) {
	var fixture struct {
		Cases map[string]struct {
			Bounds, Z [][]float64
			F         []float64
		}
	}
	readFixture(t, "testdata/functions.json", &fixture)
	if len(fixture.Cases) != 5 {
		t.Fatalf("the fixture has %d functions, want 5", len(fixture.Cases))
	}
	for name, c := range fixture.Cases {
		p, err := New(name, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Bounds) != p.Dim {
			t.Fatalf("%s: Dim is %d, want %d", name, p.Dim, len(c.Bounds))
		}
		for k, native := range c.Z {
			x := make([]float64, p.Dim)
			for i, b := range c.Bounds {
				x[i] = (native[i] - (b[0]+b[1])/2) / ((b[1] - b[0]) / 2)
			}
			// The map to the box and back costs a few ulp of the point.
			if got, want := p.Eval(x), c.F[k]; math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
				t.Errorf("%s at %v is %.17g, want %.17g", name, native, got, want)
			}
		}
	}
}

// The known minimisers, in native coordinates.
func TestMinimaAreAttained(t *testing.T) {
	for _, c := range []struct {
		p      Problem
		f      func([]float64) float64
		points [][]float64
	}{
		{newBranin(), branin, [][]float64{{-math.Pi, 12.275}, {math.Pi, 2.275}, {3 * math.Pi, 2.475}}},
		{newColville(), colville, [][]float64{{1, 1, 1, 1}}},
		{newGoldstein(), goldstein, [][]float64{{0, -1}}},
		{newHartmann6(), hartmann6, [][]float64{{
			0.20168951100670542, 0.15001069182345797, 0.47687397422189699,
			0.27533243049405607, 0.31165161660011324, 0.65730053406562031,
		}}},
		{newSixHump(), sixHump, [][]float64{{0.089842013100318062, -0.71265640302073963}, {-0.089842013100318062, 0.71265640302073963}}},
		{newAckley(5), ackley, [][]float64{make([]float64, 5)}},
		{newAckley(10), ackley, [][]float64{make([]float64, 10)}},
		{newLevy(5), levy, [][]float64{slices.Repeat([]float64{1}, 5)}},
		{newLevy(10), levy, [][]float64{slices.Repeat([]float64{1}, 10)}},
		{newRosenbrock(5), rosenbrock, [][]float64{slices.Repeat([]float64{1}, 5)}},
		{newRosenbrock(10), rosenbrock, [][]float64{slices.Repeat([]float64{1}, 10)}},
	} {
		for _, x := range c.points {
			if got := c.f(x); math.Abs(got-c.p.Minimum) > 1e-14 {
				t.Errorf("%s at %v is %.17g, Minimum %.17g", c.p.Name, x, got, c.p.Minimum)
			}
		}
	}
}

// Values that can be computed by hand.
func TestScalableFunctions(t *testing.T) {
	all := func(v float64) []float64 { return []float64{v, v, v, v, v} }
	sine := math.Sin(1)
	for _, c := range []struct {
		name      string
		f         func([]float64) float64
		x         []float64
		want, box float64 // the value, and the place in the box of the first coordinate
	}{
		{"ackley5", ackley, all(1), 20 * (1 - math.Exp(-0.2)), -0.2}, // cos 2π = 1
		{"ackley5", ackley, []float64{5, 0, 0, 0, 0}, 20 * (1 - math.Exp(-0.2*math.Sqrt(5))), 1. / 3},
		{"levy5", levy, all(-3), 4*(1+10*sine*sine) + 1, -11. / 15}, // w = 0
		{"rosenbrock5", rosenbrock, all(0), 4, -1. / 3},
		{"rosenbrock5", rosenbrock, all(-1), 4 * 404, -7. / 15},
		{"rosenbrock5", rosenbrock, []float64{1, 1, 1, 1, 2}, 100, -0.2},
	} {
		p, err := New(c.name, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		z := make([]float64, len(c.x))
		for i, v := range c.x {
			z[i] = (v - 2.5) / 7.5
		}
		if got := p.Eval(z); math.Abs(got-c.want) > 1e-11*max(1, c.want) || math.Abs(z[0]-c.box) > 1e-15 {
			t.Errorf("%s at %v is %.15g, want %.15g", c.name, c.x, got, c.want)
		}
	}
}

// No point is below Minimum; the lowest of many random points, polished by a
// pattern search, come close to it. The scalable functions are sums of squares,
// or have too many holes for such a search.
func TestMinimumIsTheLowest(t *testing.T) {
	for _, p := range []Problem{newBranin(), newColville(), newGoldstein(), newHartmann6(), newSixHump()} {
		points := linalg.New(2048, p.Dim)
		rng.NewFiller(rng.New(1)).Uniform(points.Data)
		value := make([]float64, points.Rows)
		order := make([]int, points.Rows)
		for i := range value {
			value[i], order[i] = p.Eval(points.Row(i)), i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(value[a], value[b]) })
		lowest := math.Inf(1)
		for _, i := range order[:10] {
			lowest = min(lowest, patternSearch(p.Eval, points.Row(i)))
		}
		if lowest < p.Minimum-1e-12 || lowest > p.Minimum+1e-3 {
			t.Errorf("%s: the lowest value found is %.17g, Minimum %.17g", p.Name, lowest, p.Minimum)
		}
	}
}

// patternSearch improves x along the axes inside the box.
func patternSearch(f func([]float64) float64, x []float64) float64 {
	best := f(x)
	for step := 0.1; step > 1e-7; {
		before := best
		for i := range x {
			for _, s := range []float64{-step, step} {
				old := x[i]
				x[i] = min(max(old+s, -1), 1)
				if v := f(x); v < best {
					best = v
				} else {
					x[i] = old
				}
			}
		}
		if best == before {
			step /= 2
		}
	}
	return best
}
