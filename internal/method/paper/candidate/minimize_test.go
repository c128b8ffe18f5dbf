package candidate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/acquisition"
)

// function adapts a gradient routine.
type function func(grad, x []float64) float64

func (f function) Value(x []float64) float64           { return f(make([]float64, len(x)), x) }
func (f function) ValueGrad(grad, x []float64) float64 { return f(grad, x) }

// bowl is a quadratic with condition number 100 about a centre; some coordinates of the
// centre may lie outside the box, where the minimum is on the boundary.
func bowl(dim int, centre func(j int) float64) (f function, minimum float64) {
	weight := func(j int) float64 { return math.Pow(100, float64(j)/float64(max(dim-1, 1))) }
	for j := range dim {
		c := centre(j)
		d := min(max(c, -1), 1) - c
		minimum += weight(j) * d * d
	}
	return func(grad, x []float64) float64 {
		var sum float64
		for j, v := range x {
			d := v - centre(j)
			sum += weight(j) * d * d
			grad[j] = 2 * weight(j) * d
		}
		return sum
	}, minimum
}

func checkBox(t *testing.T, x []float64, dim int) {
	t.Helper()
	if len(x) != dim {
		t.Fatalf("point has %d coordinates, want %d", len(x), dim)
	}
	for j, v := range x {
		if !(v >= -1 && v <= 1) {
			t.Fatalf("coordinate %d is %v, outside the box", j, v)
		}
	}
}

func TestMinimizeFindsTheOptimum(t *testing.T) {
	for _, dim := range []int{1, 2, 60, 1000} {
		f, minimum := bowl(dim, func(j int) float64 { return 1.3 * math.Sin(float64(j)+1) })
		x, value, err := Minimize(context.Background(), f, dim, Options{}, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		checkBox(t, x, dim)
		if value-minimum > 1e-6*max(1, minimum) || value < minimum-1e-9*max(1, minimum) {
			t.Errorf("D=%d: value %.12g, want %.12g", dim, value, minimum)
		}
		if got := f.Value(x); got != value {
			t.Errorf("D=%d: value %v, but f(x) = %v", dim, value, got)
		}
	}
}

func TestMinimizeFindsTheGlobalOptimum(t *testing.T) {
	// Two wells in each coordinate, the left one deeper.
	wells := function(func(grad, x []float64) float64 {
		var sum float64
		for j, v := range x {
			sum += (v*v-0.25)*(v*v-0.25) + 0.05*v
			grad[j] = 4*v*(v*v-0.25) + 0.05
		}
		return sum
	})
	for _, dim := range []int{1, 2} {
		x, _, err := Minimize(context.Background(), wells, dim, Options{}, rand.New(rand.NewPCG(3, 4)))
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range x {
			if math.Abs(v+0.52334) > 1e-5 {
				t.Errorf("D=%d: coordinate %d is %g, want -0.52334", dim, j, v)
			}
		}
	}
}

func TestMinimizeOfAnLCB(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	a := &acquisition.LCB{Model: stubGP(r, 10, 2, 0.5), Beta: 2}
	x, value, err := Minimize(context.Background(), a, 2, Options{}, r)
	if err != nil {
		t.Fatal(err)
	}
	checkBox(t, x, 2)
	grid := math.Inf(1)
	for i := range 101 {
		for j := range 101 {
			grid = min(grid, a.Value([]float64{float64(i)/50 - 1, float64(j)/50 - 1}))
		}
	}
	if value > grid+1e-9 {
		t.Errorf("value %g, a grid reaches %g", value, grid)
	}
}

func TestMinimizeIsDeterministic(t *testing.T) {
	f, _ := bowl(7, func(j int) float64 { return float64(j)/7 - 0.5 })
	a, va, _ := Minimize(context.Background(), f, 7, Options{MaxIter: 3}, rand.New(rand.NewPCG(8, 9)))
	b, vb, _ := Minimize(context.Background(), f, 7, Options{MaxIter: 3}, rand.New(rand.NewPCG(8, 9)))
	if va != vb || !slices.Equal(a, b) {
		t.Errorf("the same seed gave %v at %v and %v at %v", va, a, vb, b)
	}
}

// Together the starts still reach the optimum of a convex function, and the result is an
// end of the joint run.
func TestMinimizeJointly(t *testing.T) {
	for _, dim := range []int{1, 2, 60} {
		f, minimum := bowl(dim, func(j int) float64 { return 1.3 * math.Sin(float64(j)+1) })
		x, value, err := Minimize(context.Background(), f, dim, Options{Joint: true, MaxIter: 1000}, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		checkBox(t, x, dim)
		if value-minimum > 1e-6*(1+minimum) || value != f.Value(x) {
			t.Errorf("dim %d: reached %g at %v, minimum %g", dim, value, x, minimum)
		}
	}
}

func TestMinimizeWithoutGradients(t *testing.T) {
	nan := math.NaN()
	broken := brokenGradient{}
	x, value, err := Minimize(context.Background(), broken, 3, Options{}, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	checkBox(t, x, 3)
	if value != x[0] || value > -0.9 {
		t.Errorf("value %v at %v, want the lowest sample", value, x)
	}
	never := function(func(grad, x []float64) float64 { return nan })
	if x, _, err := Minimize(context.Background(), never, 3, Options{}, rand.New(rand.NewPCG(1, 1))); !errors.Is(err, ErrNotFinite) || x != nil {
		t.Errorf("no finite value: point %v, error %v", x, err)
	}
	// A half-defined function.
	half := function(func(grad, x []float64) float64 {
		grad[0] = 2 * (x[0] + 0.1)
		if x[0] < 0 {
			return nan
		}
		return (x[0] + 0.1) * (x[0] + 0.1)
	})
	x, value, err = Minimize(context.Background(), half, 1, Options{}, rand.New(rand.NewPCG(1, 1)))
	if err != nil || x[0] < 0 || value > 0.0125 {
		t.Errorf("value %v at %v, error %v", value, x, err)
	}
}

// brokenGradient has values but no gradient.
type brokenGradient struct{}

func (brokenGradient) Value(x []float64) float64 { return x[0] }

func (brokenGradient) ValueGrad(grad, x []float64) float64 {
	grad[0] = math.NaN()
	return math.NaN()
}

func TestMinimizeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	f, _ := bowl(50, func(j int) float64 { return 0.5 })
	counted := countingFunction{f, func() {
		if calls++; calls == 8 {
			cancel()
		}
	}}
	x, value, err := Minimize(ctx, counted, 50, Options{}, rand.New(rand.NewPCG(1, 1)))
	if !errors.Is(err, context.Canceled) || calls != 8 {
		t.Errorf("error %v after %d gradients, want 8", err, calls)
	}
	checkBox(t, x, 50)
	if f.Value(x) != value {
		t.Errorf("value %v, f(x) = %v", value, f.Value(x))
	}
	if x, _, err := Minimize(ctx, f, 50, Options{}, rand.New(rand.NewPCG(1, 1))); x != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: point %v, error %v", x, err)
	}
}

type countingFunction struct {
	function
	count func()
}

func (c countingFunction) ValueGrad(grad, x []float64) float64 {
	c.count()
	return c.function.ValueGrad(grad, x)
}

func TestMinimizeUsesBatches(t *testing.T) {
	f, _ := bowl(2, func(j int) float64 { return 0.5 })
	b := &batchFunction{function: f}
	if _, _, err := Minimize(context.Background(), b, 2, Options{}, rand.New(rand.NewPCG(1, 1))); err != nil {
		t.Fatal(err)
	}
	if b.rows != 100 {
		t.Errorf("%d samples in batches, want 100", b.rows)
	}
}

type batchFunction struct {
	function
	rows int
}

func (b *batchFunction) Values(dst []float64, x linalg.Matrix) {
	b.rows += x.Rows
	for i := range dst {
		dst[i] = b.Value(x.Row(i))
	}
}

func TestOptionsAreChecked(t *testing.T) {
	f, _ := bowl(2, func(j int) float64 { return 0 })
	for _, o := range []Options{{Starts: -1}, {Samples: -1}, {MaxIter: -1}, {Race: -1}} {
		if _, _, err := Minimize(context.Background(), f, 2, o, rand.New(rand.NewPCG(1, 1))); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
	if _, _, err := Minimize(context.Background(), f, 0, Options{}, rand.New(rand.NewPCG(1, 1))); err == nil {
		t.Error("dim 0 was accepted")
	}
}

// A narrow well that no Sobol sample meets is found from an extra sample.
func TestMinimizeStartsFromExtraSamples(t *testing.T) {
	const dim = 30
	well := function(func(grad, x []float64) float64 {
		var r2 float64
		for j, v := range x {
			r2 += (v - 0.3) * (v - 0.3)
			grad[j] = 2e3 * (v - 0.3)
		}
		e := math.Exp(-1e3 * r2)
		for j := range grad {
			grad[j] *= e
		}
		return -e
	})
	extra := linalg.New(1, dim)
	for j := range extra.Data {
		extra.Data[j] = 0.3 + 0.005*math.Sin(float64(j))
	}
	_, value, err := Minimize(context.Background(), well, dim, Options{Extra: extra}, rand.New(rand.NewPCG(1, 2)))
	if err != nil || value > -0.999 {
		t.Errorf("value %g, error %v: want -1", value, err)
	}
	if _, _, err := Minimize(context.Background(), well, dim+1, Options{Extra: extra}, rand.New(rand.NewPCG(1, 2))); err == nil {
		t.Error("extra samples of another dimension were accepted")
	}
}

// Of a race only the winner goes on: fewer gradients, the same end where one basin
// leads.
func TestMinimizeRaces(t *testing.T) {
	const dim = 40
	f, minimum := bowl(dim, func(j int) float64 { return 0.5 * math.Sin(float64(j)) })
	count := 0
	counted := function(func(grad, x []float64) float64 { count++; return f(grad, x) })
	run := func(o Options) (evaluations int) {
		count = 0
		_, value, err := Minimize(context.Background(), counted, dim, o, rand.New(rand.NewPCG(1, 2)))
		if err != nil || value-minimum > 1e-6 {
			t.Errorf("%+v: value %g, want %g, error %v", o, value, minimum, err)
		}
		return count
	}
	all, raced := run(Options{MaxIter: 100}), run(Options{MaxIter: 100, Race: 3})
	if raced-100 > (all-100)/2 { // both evaluate 100 samples
		t.Errorf("%d evaluations with a race, %d without", raced, all)
	}
}
