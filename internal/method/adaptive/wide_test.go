package adaptive

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/strategy"
)

// inDirections is a function with a narrow curved valley of two directions that no parameter has alone.
func inDirections(x []float64) float64 {
	var u, v float64
	for j, c := range x {
		u += c * math.Cos(float64(3*j))
		v += c * math.Sin(float64(5*j+1))
	}
	n := math.Sqrt(float64(len(x)))
	u, v = u/n, v/n
	return 100*(u-v*v)*(u-v*v) + (v-0.4)*(v-0.4)
}

// Where few points are open nothing is different from a method without directions; where many are, it is.
func TestFewOpenPointsKnowNoDirections(t *testing.T) {
	cfg := strategy.Config{Domain: strategy.Box(4), Init: 6, Seed: 9}
	for _, c := range []struct {
		batch, pending int
		want           bool
	}{{8, 0, false}, {1, 7, false}, {9, 0, true}, {1, 8, true}} {
		var points [2][]strategy.Point
		for i, spec := range []string{"adaptive", "adaptive:without=turned"} {
			a := newAdaptive(t, spec, cfg)
			tellRandom(t, a, 40, inDirections)
			pending := method.Suggest(method.UniformAfterDesign(cfg, 100, c.pending))
			asked, err := a.Ask(t.Context(), c.batch, pending)
			if err != nil {
				t.Fatal(err)
			}
			points[i] = method.Points(asked)
		}
		differ := !slices.EqualFunc(points[0], points[1], slices.Equal)
		if differ != c.want {
			t.Errorf("%d points asked for, %d pending: directions are used: %t", c.batch, c.pending, differ)
		}
	}
}

// The directions along which a function varies are found.
func TestDirectionsAreFound(t *testing.T) {
	const dim = 10
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(dim), Init: 10, Seed: 3})
	tellRandom(t, a, 144, inDirections)
	methodtest.Ask(t, a, 9)
	k, lead := a.whole.turned.lead()
	if _, other := a.whole.relevance.lead(); lead < other+turnedLead {
		t.Errorf("models with directions lead by %g, those with weights by %g", lead, other)
	}
	m := a.whole.turned.models[k].hyper.Metric.(gp.Turned)
	var rest float64 // of the two true directions
	for _, f := range []func(j int) float64{func(j int) float64 { return math.Cos(float64(3 * j)) }, func(j int) float64 { return math.Sin(float64(5*j + 1)) }} {
		v, all := make([]float64, dim), 0.0
		for j := range v {
			v[j] = f(j)
			all += v[j] * v[j]
		}
		left := all
		for i := range 2 {
			c := linalg.Dot(v, m.Directions.Row(i))
			left -= c * c
		}
		rest = max(rest, left/all)
	}
	if rest > 0.02 || m.Weights[1] < 50*m.Weights[2] {
		t.Errorf("the first two directions leave %g of the true ones, and the weights are %v", rest, m.Weights)
	}
}

// What many workers are told to try is a function of the observations and of what is pending.
func TestManyWorkersFollowFromTheObservations(t *testing.T) {
	cfg := strategy.Config{Domain: strategy.Box(5), Init: 6, Seed: 9}
	asked := newAdaptive(t, "adaptive", cfg)
	methodtest.Play(t, asked, 5, 16, inDirections)
	late := newAdaptive(t, "adaptive", cfg)
	for i, x := range asked.X {
		methodtest.Tell(t, late, x, asked.Y[i])
	}
	want, got := methodtest.Ask(t, asked, 12), methodtest.Ask(t, late, 12)
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("point %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// 32 workers get far down a curved valley in a few rounds; they did not without directions.
func TestManyWorkersFollowAValley(t *testing.T) {
	cfg := strategy.Config{Domain: strategy.Box(6), Init: 10, Seed: 5}
	_, with := methodtest.Play(t, newAdaptive(t, "adaptive", cfg), 6, 32, inDirections)
	_, without := methodtest.Play(t, newAdaptive(t, "adaptive:without=turned", cfg), 6, 32, inDirections)
	if !(with < 1e-3) || !(with < 0.1*without) {
		t.Errorf("six rounds of 32 reach %g, without directions %g", with, without)
	}
}

// Where another valley is looked for that no observation shows, points lie far from the best one, and from each other.
func TestElsewhere(t *testing.T) {
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(2), Init: 6, Seed: 9})
	tellRandom(t, a, 120, func(x []float64) float64 { return -math.Exp(-12 * ((x[0]-0.6)*(x[0]-0.6) + x[1]*x[1])) })
	w, err := a.learned(t).whole.newWide(t.Context(), 9, nil, &weighings{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.turned.at(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	_, linear := p.model.Metric.Map(2)
	var points []strategy.Point
	r := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		x, err := w.elsewhere(t.Context(), p, r)
		if err != nil {
			t.Fatal(err)
		}
		z := linalg.New(2, 2)
		linear.Apply(z, rows([]strategy.Point{x, p.centre}))
		if far := math.Sqrt(method.SquaredDistance(z.Row(0), z.Row(1))); far < 0.9*basinApart {
			t.Errorf("%v is %g from the best point", x, far)
		}
		for _, other := range points {
			if method.SquaredDistance(x, other) < 0.01 {
				t.Errorf("%v is near %v", x, other)
			}
		}
		w.believe(x)
		points = append(points, x)
	}
}

// A leash has the gradient of its value, which is 0 near the centre, and its starts are on it.
func TestLeash(t *testing.T) {
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(4), Init: 6, Seed: 9})
	tellRandom(t, a, 60, inDirections)
	methodtest.Ask(t, a, 9)
	known, err := a.whole.turned.condition(t.Context(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	centre := []float64{0.1, -0.2, 0.3, 0}
	l := newLeash(known.model, centre, 0.5)
	r := rand.New(rand.NewPCG(1, 2))
	value := func(x []float64) float64 {
		v := []float64{0}
		l.Evaluate(v, linalg.Matrix{}, linalg.Matrix{Rows: 1, Cols: 4, Stride: 4, Data: x})
		return v[0]
	}
	if v := value(centre); v != 0 {
		t.Errorf("the centre costs %g", v)
	}
	x := make([]float64, 4)
	for range 20 {
		l.start(x, 0, r)
		if v := value(x); v > 1e-9 {
			t.Errorf("a start costs %g", v)
		}
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		if value(x) < 0.1 { // the second derivative has a jump at 0
			continue
		}
		grad := linalg.New(1, 4)
		l.Evaluate([]float64{0}, grad, linalg.Matrix{Rows: 1, Cols: 4, Stride: 4, Data: x})
		fdcheck.Check(t, value, grad.Row(0), x, 1e-5)
	}
}

// Of two valleys the higher one is another basin.
func TestBasins(t *testing.T) {
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(2), Init: 6, Seed: 9})
	tellRandom(t, a, 120, func(x []float64) float64 {
		at := func(c float64) float64 { return math.Exp(-12 * ((x[0]-c)*(x[0]-c) + x[1]*x[1])) }
		return -at(0.6) - 0.8*at(-0.6)
	})
	methodtest.Ask(t, a, 9)
	known, err := a.whole.turned.condition(t.Context(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	list := a.whole.basins(known.model, known.Points.At(method.Lowest(known.Y, 1)[0]))
	if len(list) == 0 || math.Abs(list[0].centre[0]+0.6) > 0.2 || math.Abs(list[0].centre[1]) > 0.2 {
		t.Errorf("the basins beside the lowest are %+v", list)
	}
}
