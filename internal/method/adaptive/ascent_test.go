package adaptive

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/strategy"
)

// TestNoAscentAfterALuckyValue: a value that noise made low looks like the end of all
// progress, but where the search has been the model expects lower and lower values.
func TestNoAscentAfterALuckyValue(t *testing.T) {
	const dim, count, lucky = 500, 200, 80
	a := newAdaptive(t, "adaptive:descents=1", strategy.Config{Domain: strategy.Box(dim), Init: 4, Seed: 1, Budget: 500})
	r := rand.New(rand.NewPCG(7, 9))
	stood := false
	for i := range count {
		x, value := around(0, dim, r), 10.0
		for j := range x {
			x[j] = 0.1*x[j] - 0.5*float64(i)/count
			value += 8 * x[j] / dim
		}
		value += 0.2 * r.NormFloat64()
		if i == lucky {
			value -= 1.2
		}
		methodtest.Tell(t, a, x, value)
		a.learned(t)
		stood = stood || a.whole.stalled(a.whole.y)
		if _, ok := a.phase.(*search); !ok {
			t.Fatalf("%T after %d observations", a.phase, i+1)
		}
	}
	if !stood {
		t.Error("no value looked like the end of progress")
	}
}

const ascentDim, ascentBudget, ascentDesign = 500, 500, 4

func sum(x strategy.Point) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

func sumOf(x strategy.Point, _ *rand.Rand) float64 { return sum(x) }

// stall tells values that fall, then so many that do not; before each of these it asks what
// the phase is.
func stall(t *testing.T, a *adaptive, falling int, f func(x strategy.Point, r *rand.Rand) float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	for i := range falling {
		x := around(0, ascentDim, r)
		for j := range x {
			x[j] -= 0.5 * float64(i) / float64(falling)
		}
		methodtest.Tell(t, a, x, f(x, r))
	}
	for i := range a.StallLength {
		if _, ok := a.learned(t).phase.(*ascent); ok {
			t.Fatalf("an ascent after %d observations without progress", i)
		}
		x := around(0, ascentDim, r)
		methodtest.Tell(t, a, x, 1+f(x, r))
	}
	a.learned(t)
}

// climb ends an ascent at the point whose coordinates are all 0.5.
func climb(t *testing.T, a *adaptive) {
	t.Helper()
	top := slices.Repeat(strategy.Point{0.5}, ascentDim)
	for range a.AscentLength {
		methodtest.Tell(t, a, top, sum(top))
	}
}

// TestAscent follows adaptive on functions that stand still after the first descent: a smooth
// one is climbed once, and its other side is where the search goes on.
func TestAscent(t *testing.T) {
	length := ascentDesign + defaults.DescentLength
	for _, c := range []struct {
		name, spec string
		told       int // observations before the stall
		f          func(x strategy.Point, r *rand.Rand) float64
		climbs     bool
	}{
		{"smooth", "adaptive", length, sumOf, true},
		{"switched off", "adaptive:without=ascent", length, sumOf, false},
		{"too late", "adaptive", ascentBudget - defaults.AscentLength - defaults.OtherLength, sumOf, false},
		{"rough", "adaptive:descents=1", length, func(_ strategy.Point, r *rand.Rand) float64 { return r.Float64() }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAdaptive(t, c.spec, strategy.Config{Domain: strategy.Box(ascentDim), Init: ascentDesign, Seed: 1, Budget: ascentBudget})
			stall(t, a, c.told, c.f)
			up, climbs := a.phase.(*ascent)
			if climbs != c.climbs {
				t.Fatalf("an ascent is under way: %t, want %t", climbs, c.climbs)
			}
			if !c.climbs {
				return
			}
			lowest := a.whole.x[a.whole.best]
			if x := methodtest.Ask(t, a, 1)[0]; sum(x) < 2*sum(up.up.x[up.up.best]) {
				t.Errorf("the ascent asks for a point of value %g", sum(x))
			}
			if note := a.LastAsk().Note; !strings.Contains(note, "in 150 evaluations more") {
				t.Errorf("the note of an ascent is %q", note)
			}
			climb(t, a)
			points := methodtest.Suggest(t, a, 5)
			if x := points[0].X; x[0] != -0.5 || x[ascentDim-1] != -0.5 {
				t.Errorf("after the ascent it asks for %v, want its other side", x)
			}
			if note := a.LastAsk().Note; note != "" {
				t.Errorf("the note after the ascent is %q", note)
			}
			f := a.phase.(*fronts)
			for _, p := range append(points, methodtest.Suggest(t, a, 5, points...)...) {
				covered := slices.ContainsFunc(f.all, func(f front) bool { return f.covers(p.X, a.Territory) })
				if !covered || method.SquaredDistance(p.X, points[0].X) > method.SquaredDistance(p.X, lowest) {
					t.Fatalf("it asks for %v, want points around the other side", p.X)
				}
			}
			if len(f.all) != 2 || !slices.Equal(f.all[0].at, lowest) {
				t.Errorf("the fronts are at %v", f.all)
			}
			for range a.OtherLength {
				methodtest.Tell(t, a, points[0].X, sum(points[0].X)-ascentBudget)
			}
			if s, ok := a.learned(t).phase.(*search); !ok || s.mayAscend || a.whole.x[a.whole.best][0] != -0.5 {
				t.Errorf("%+v goes on from %v, want a search without an ascent from the other side", a.phase, a.whole.x[a.whole.best][:2])
			}
		})
	}
}

// TestOppositeIsAskedOnce: the point opposite to the end of an ascent is asked for whatever
// else is pending or has failed, and only while it is neither pending itself nor observed.
func TestOppositeIsAskedOnce(t *testing.T) {
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(ascentDim), Init: ascentDesign, Seed: 1, Budget: ascentBudget})
	stall(t, a, ascentDesign+a.DescentLength, sumOf)
	others := methodtest.Suggest(t, a, 3) // of the ascent; failed trials are pending for good
	for _, p := range others {
		if p.Tag != "" {
			t.Errorf("a point of the ascent has the tag %q", p.Tag)
		}
	}
	climb(t, a)
	opposite := func(points []strategy.Suggestion) (at []int) {
		for i, p := range points {
			if p.Tag == oppositeTag {
				at = append(at, i)
			} else if p.Tag != "" {
				t.Errorf("point %d has the tag %q", i, p.Tag)
			}
		}
		return at
	}
	var first strategy.Suggestion
	for _, pending := range [][]strategy.Suggestion{nil, others[:1], others} {
		points := methodtest.Suggest(t, a, 3, pending...)
		if at := opposite(points); !slices.Equal(at, []int{0}) || points[0].X[0] != -0.5 || points[0].X[ascentDim-1] != -0.5 {
			t.Errorf("%d pending: the points %v are marked, want the first, the other side", len(pending), at)
		}
		first = points[0]
	}
	// A point that has moved to where it can be evaluated is still the same suggestion.
	moved := strategy.Suggestion{X: slices.Clone(first.X), Tag: first.Tag}
	moved.X[0] = 0.25
	for _, pending := range [][]strategy.Suggestion{{first}, {moved}, append(slices.Clone(others), first)} {
		points := methodtest.Suggest(t, a, 3, pending...)
		if at := opposite(points); at != nil {
			t.Errorf("%d pending, the other side among them: the points %v are marked", len(pending), at)
		}
	}
	if err := a.Tell(strategy.Observation{X: first.X, Tag: first.Tag, Y: []float64{sum(first.X)}}); err != nil {
		t.Fatal(err)
	}
	if at := opposite(methodtest.Suggest(t, a, 3, others...)); at != nil {
		t.Errorf("after it was observed: the points %v are marked", at)
	}
}

// The points of a fallback are not what the mark says.
func TestFallbackHasNoTag(t *testing.T) {
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(ascentDim), Init: ascentDesign, Seed: 1, Budget: ascentBudget})
	stall(t, a, ascentDesign+a.DescentLength, sumOf)
	climb(t, a)
	methodtest.Suggest(t, a, 1)
	a.whole.fit.hyper.Noise = math.NaN() // no kernel matrix has a factor
	points := methodtest.Suggest(t, a, 2)
	if a.LastAsk().Fallback == nil {
		t.Fatal("there is no fallback")
	}
	for i, p := range points {
		if p.Tag != "" {
			t.Errorf("point %d of a fallback has the tag %q", i, p.Tag)
		}
	}
}

// The other side of an ascent keeps coordinates that are held and linear constraints.
func TestOppositeStaysInTheRegion(t *testing.T) {
	d := strategy.Box(ascentDim)
	d.Fixed = map[int]float64{7: 0.5}
	d.Linear = []strategy.Row{{Coordinate: []int{1, 2}, Coefficient: []float64{-1, -1}, Bound: 0.5}}
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: d, Init: ascentDesign, Seed: 1, Budget: ascentBudget})
	stall(t, a, ascentDesign+a.DescentLength, sumOf)
	climb(t, a)
	p := methodtest.Suggest(t, a, 1)[0]
	if p.Tag != oppositeTag || p.X[0] != -0.5 {
		t.Fatalf("it asks for %v, %q", p.X[:8], p.Tag)
	}
	if p.X[7] != 0.5 || p.X[1]+p.X[2] < -0.5-1e-9 {
		t.Errorf("coordinate 7 is %g, held at 0.5; coordinates 1 and 2 are %g and %g, together at least -0.5", p.X[7], p.X[1], p.X[2])
	}
}
