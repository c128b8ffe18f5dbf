package strategy

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mahabo/mahabo/gp"
	"github.com/mahabo/mahabo/internal/fdcheck"
)

func TestAdaptiveFitCount(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {10, 10}, {31, 31}, {32, 32}, {33, 32}, {63, 62}, {67, 64}, {500, 496}, {1023, 992}} {
		if got := fitCount(c[0], adaptiveExact); got != c[1] {
			t.Errorf("the fit for %d observations uses %d, want %d", c[0], got, c[1])
		}
	}
}

func TestRelevantObservations(t *testing.T) {
	got := relevant([]float64{5, 1, 4, 2, 9, 8, 7}, 4)
	if want := []int{1, 3, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("kept %v, want the two lowest of the first five and the last two, %v", got, want)
	}
}

// The evidence finds the scale on which a function is smooth.
func TestEvidenceChoosesTheScale(t *testing.T) {
	smooth := func(x []float64) float64 { return x[0]*x[0] + 0.5*x[1]*x[1] }
	for _, c := range []struct {
		name string
		f    func(x []float64) float64
		log  bool
	}{
		{"a smooth function", smooth, false},
		{"its exponential", func(x []float64) float64 { return math.Exp(4 * smooth(x)) }, true},
	} {
		r := rand.New(rand.NewPCG(5, 6))
		cloud := gp.NewCloud(4)
		var y []float64
		for range 60 {
			x := make([]float64, 4)
			for j := range x {
				x[j] = 2*r.Float64() - 1
			}
			cloud.Append(x)
			y = append(y, c.f(x))
		}
		fit, err := fitScale(t.Context(), newRun(Config{Dim: 4}, nothing).prior(len(y)), cloud, y, nil, y[0], true)
		if err != nil {
			t.Fatal(err)
		}
		if fit.log != c.log {
			t.Errorf("%s: the logarithm is modelled: %t", c.name, fit.log)
		}
	}
}

// The profile of a fit follows from the number of its observations.
func TestProfile(t *testing.T) {
	for _, c := range []struct {
		without part
		points  int
		want    gp.Profile
	}{
		{nothing, 9, gp.RBF},
		{nothing, 10, gp.Matern52},
		{matern, 10, gp.RBF},
	} {
		a := newRun(Config{Dim: 10, Init: 5}, c.without)
		r := rand.New(rand.NewPCG(1, 2))
		for range c.points {
			x := make([]float64, 10)
			for j := range x {
				x[j] = 2*r.Float64() - 1
			}
			a.add(Observation{X: x, Value: x[0]})
		}
		if err := a.refit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := a.fit.hyper.Profile; got != c.want {
			t.Errorf("without %s: %d points in 10 dimensions have profile %d, want %d", c.without, c.points, got, c.want)
		}
	}
}

// A query stays in its box, and its starts reach all of it.
func TestQueryBox(t *testing.T) {
	q := query{centre: []float64{0, 0.75, -0.875}, reach: 0.5}
	low, high := q.box()
	if !slices.Equal(low, []float64{-0.5, 0.25, -1}) || !slices.Equal(high, []float64{0.5, 1, -0.375}) {
		t.Errorf("the box is %v to %v", low, high)
	}
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 3)
	var reach, nearest float64 = 0, math.Inf(1)
	for i := range 200 {
		q.start(x, i%searchStarts, r)
		var step float64
		for j, c := range q.centre {
			step = max(step, math.Abs(x[j]-c))
		}
		reach, nearest = max(reach, step), min(nearest, step)
	}
	if reach > 0.5 || reach < 0.45 || nearest > 0.01 {
		t.Errorf("starts are %g to %g from the centre of a box of half-width 0.5", nearest, reach)
	}
}

// Local models need points enough, and a function that they predict better than the model of
// everything does.
func TestLocalModels(t *testing.T) {
	const dim = 3 // 26 neighbours
	// A narrow curved valley.
	valley := func(x Point, _ *rand.Rand) float64 {
		u := x[0] - x[1]*x[1]
		return u*u*1e4 + x[2]*x[2]
	}
	noise := func(x Point, r *rand.Rand) float64 { return x[0] + r.NormFloat64() }
	for _, c := range []struct {
		name    string
		without part
		points  int
		f       func(x Point, r *rand.Rand) float64
		want    bool
	}{
		{"few points", nothing, 51, valley, false},
		{"many points", nothing, 52, valley, true},
		{"without local models", local, 52, valley, false},
		{"noise", nothing, 200, noise, false},
	} {
		a := newRun(Config{Dim: dim, Init: 10}, c.without)
		r := rand.New(rand.NewPCG(1, 2))
		for i := range c.points { // half of them around the middle
			x := make(Point, dim)
			for j := range x {
				x[j] = 0.1 * (2*r.Float64() - 1)
				if i%2 == 0 {
					x[j] *= 10
				}
			}
			a.add(Observation{X: x, Value: c.f(x, r)})
		}
		near := surroundingsOf(t, a, make(Point, dim))
		drawn := 0
		for range 100 {
			p, err := near.draw(t.Context(), 0, false, r)
			if err != nil {
				t.Fatal(err)
			}
			if p != nil {
				drawn++
			}
		}
		if c.want != (drawn > 15 && drawn < 45) || !c.want && drawn > 0 {
			t.Errorf("%s: %d of 100 queries are local", c.name, drawn)
		}
	}
}

// surroundingsOf are those of a run after a fit.
func surroundingsOf(t *testing.T, a *run, lowest Point) *surroundings {
	t.Helper()
	if err := a.refit(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := a.condition(3)
	if err != nil {
		t.Fatal(err)
	}
	return &surroundings{run: a, all: all, lowest: lowest, places: map[int]*place{}, spare: 3}
}

// A local model has the nearest points alone, looks no farther than they are, and believes
// what the model of everything believes.
func TestLocalModelIsLocal(t *testing.T) {
	a := newRun(Config{Dim: 1, Init: 3}, nothing)
	for i := range 60 { // 22 neighbours
		x := float64(i-30) / 30
		value := x * x
		if x < 0 { // rough where the neighbours are not
			value = math.Sin(60 * x)
		}
		a.add(Observation{X: Point{x}, Value: value})
	}
	if got, want := nearest(a.cloud, 60, Point{0.5}, 3), []int{44, 45, 46}; !slices.Equal(got, want) {
		t.Errorf("points %v are nearest, want %v", got, want)
	}
	near := surroundingsOf(t, a, Point{0.5})
	near.believe(Point{0.51})
	p, err := near.around(t.Context(), near.lowest)
	if p == nil || err != nil {
		t.Fatalf("no local model: %v", err)
	}
	if math.Abs(p.reach-0.2) > 0.05 || math.Abs(p.centre[0]-0.5) > 11./30+1e-9 {
		t.Errorf("a box of half-width %g around %v, of 22 points within %g of 0.5", p.reach, p.centre, 11./30)
	}
	near.places[aroundLowest] = p
	_, before := p.model.Predict(Point{0.6})
	near.believe(Point{0.6})
	if _, after := p.model.Predict(Point{0.6}); !(after < 0.6*before) {
		t.Errorf("variance %g at a point that is believed, %g before", after, before)
	}
}

func TestAcquisitionDerivatives(t *testing.T) {
	for name, f := range map[string]gp.Moments{"bound": lowerBound(1.5), "improvement": improvement(0.2)} {
		for _, p := range [][]float64{{0.5, 0.3}, {-1, 0.01}, {3, 2}} {
			_, dMean, dVariance := f(p[0], p[1])
			value := func(p []float64) float64 { v, _, _ := f(p[0], p[1]); return v }
			t.Run(name, func(t *testing.T) { fdcheck.Check(t, value, []float64{dMean, dVariance}, p, 1e-6) })
		}
	}
}

// TestFirstDescents follows the descents of adaptive on a rough function: short ones that are
// blind to each other, then one that has seen everything.
func TestFirstDescents(t *testing.T) {
	const dim, length = 300, 4 + descentLength
	built, err := New("adaptive:descents=3", Config{Dim: dim, Init: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	a := built.(*adaptive)
	r := rand.New(rand.NewPCG(3, 4))
	tell := func(count int, at, value float64) { // values without any order
		t.Helper()
		for range count {
			x := around(at, dim, r)
			if err := a.Tell(Observation{X: x, Value: value + r.Float64()}); err != nil {
				t.Fatal(err)
			}
		}
	}
	tell(length-1, -0.9, 0)
	if got := len(a.current().y); got != length-1 || a.current() == a.whole {
		t.Fatalf("%d observations in the first descent, want %d", got, length-1)
	}
	tell(1, -0.9, -100)
	tell(1, -0.9, 0)
	if len(a.current().y) != 0 || len(a.whole.fronts.at) != 1 {
		t.Error("a point where the first descent ended does not belong to it")
	}
	if _, _, ok := a.Predict(make(Point, dim)); ok {
		t.Error("a prediction without a model")
	}
	tell(length-1, 0.9, -200)
	tell(length, 0, 0)
	if a.first != nil || len(a.current().y) != 3*length {
		t.Errorf("%d observations after the first descents, want %d", len(a.current().y), 3*length)
	}
	if at := a.whole.fronts.at; len(at) != 3 || at[0][0] != -0.9 || at[1][0] != 0.9 || at[2][0] != 0 {
		t.Errorf("the fronts are at %v", at)
	}
	points, err := a.Ask(t.Context(), 2, nil)
	if err != nil || len(points) != 2 || a.LastAsk().Fallback != nil {
		t.Errorf("ask: %d points, %v, %v", len(points), err, a.LastAsk().Fallback)
	}
}

// around returns a random point whose first two coordinates are at the given place and whose
// others are near the middle.
func around(at float64, dim int, r *rand.Rand) Point {
	x := make(Point, dim)
	for j := range x {
		x[j] = 0.5*r.Float64() - 0.25
	}
	x[0], x[1] = at, at
	return x
}

// TestNoAscentAfterALuckyValue: a value that noise made low looks like the end of all
// progress, but where the search has been the model expects lower and lower values.
func TestNoAscentAfterALuckyValue(t *testing.T) {
	const dim, count, lucky = 500, 200, 80
	built, err := New("adaptive:descents=1", Config{Dim: dim, Init: 4, Seed: 1, Budget: 500})
	if err != nil {
		t.Fatal(err)
	}
	a := built.(*adaptive)
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
		if err := a.Tell(Observation{X: x, Value: value}); err != nil {
			t.Fatal(err)
		}
		stood = stood || a.stalled(a.whole.y)
		if a.ascent.run != nil {
			t.Fatalf("an ascent after %d observations", i+1)
		}
	}
	if !stood {
		t.Error("no value looked like the end of progress")
	}
}

// TestAscent follows adaptive on functions that stand still after the first descent: a smooth
// one is climbed once, and its other side is where the search goes on.
func TestAscent(t *testing.T) {
	const dim, budget, design = 500, 500, 4
	const length = design + descentLength
	sum := func(x Point) (s float64) {
		for _, v := range x {
			s += v
		}
		return s
	}
	for _, c := range []struct {
		name, spec string
		told       int // observations before the stall
		f          func(x Point, r *rand.Rand) float64
		climbs     bool
	}{
		{"smooth", "adaptive", length, func(x Point, _ *rand.Rand) float64 { return sum(x) }, true},
		{"switched off", "adaptive:without=ascent", length, func(x Point, _ *rand.Rand) float64 { return sum(x) }, false},
		{"too late", "adaptive", budget - ascentLength - aloneLength, func(x Point, _ *rand.Rand) float64 { return sum(x) }, false},
		{"rough", "adaptive:descents=1", length, func(_ Point, r *rand.Rand) float64 { return r.Float64() }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			built, err := New(c.spec, Config{Dim: dim, Init: design, Seed: 1, Budget: budget})
			if err != nil {
				t.Fatal(err)
			}
			a := built.(*adaptive)
			r := rand.New(rand.NewPCG(7, 8))
			tell := func(x Point, value float64) {
				t.Helper()
				if err := a.Tell(Observation{X: x, Value: value}); err != nil {
					t.Fatal(err)
				}
			}
			for i := range c.told {
				x := around(0, dim, r)
				for j := range x {
					x[j] -= 0.5 * float64(i) / float64(c.told) // progress
				}
				tell(x, c.f(x, r))
			}
			lowest := a.whole.x[a.whole.best]
			for i := range stallLength {
				if a.ascent.run != nil {
					t.Fatalf("an ascent after %d observations without progress", i)
				}
				x := around(0, dim, r)
				tell(x, 1+c.f(x, r))
			}
			if got := a.ascent.run != nil; got != c.climbs {
				t.Fatalf("an ascent is under way: %t, want %t", got, c.climbs)
			}
			if !c.climbs {
				return
			}
			points, err := a.Ask(t.Context(), 1, nil)
			if err != nil || sum(points[0]) < 2*sum(a.ascent.run.x[a.ascent.run.best]) {
				t.Errorf("the ascent asks for a point of value %g, %v", sum(points[0]), err)
			}
			if note := a.LastAsk().Note; !strings.Contains(note, "in 150 evaluations more") {
				t.Errorf("the note of an ascent is %q", note)
			}
			top := make(Point, dim)
			for j := range top {
				top[j] = 0.5
			}
			for range ascentLength {
				tell(top, sum(top))
			}
			if points, err = a.Ask(t.Context(), 5, nil); err != nil || points[0][0] != -0.5 || points[0][dim-1] != -0.5 {
				t.Errorf("after the ascent it asks for %v, %v, want its other side", points, err)
			}
			if note := a.LastAsk().Note; note != "" {
				t.Errorf("the note after the ascent is %q", note)
			}
			more, err := a.Ask(t.Context(), 5, points)
			for _, x := range append(points, more...) {
				if err != nil || !a.whole.fronts.cover(x) || squaredDistance(x, points[0]) > squaredDistance(x, lowest) {
					t.Fatalf("it asks for %v, %v, want points around the other side", x, err)
				}
			}
			if f := a.whole.fronts; len(f.at) != 2 || !slices.Equal(f.at[0], lowest) {
				t.Errorf("fronts at %v", f.at)
			}
			for range aloneLength {
				tell(points[0], sum(points[0])-float64(budget))
			}
			if f := a.whole.fronts; len(f.at) != 1 || f.at[0][0] != -0.5 {
				t.Errorf("the search goes on from %v, want the other side alone", f.at)
			}
		})
	}
}

func TestFronts(t *testing.T) {
	var f fronts
	left, right, far := Point{-1, 0}, Point{1, 0}, Point{0, 9}
	f.add(left, 3)
	f.add(right, 4)
	f.add(far, 2)
	if !f.cover(Point{-0.5, 0.5}) || f.cover(Point{-0.3, 0}) {
		t.Errorf("the territory of a front is not %g", territory)
	}
	f.learn(Observation{X: Point{0.5, 0}, Value: 3.5})
	f.learn(Observation{X: Point{-0.5, 0}, Value: 3.5})
	if f.value[0] != 3 || f.value[1] != 3.5 || f.at[1][0] != 0.5 {
		t.Errorf("the fronts are at %v with %v", f.at, f.value)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		if k, other := f.draw(r); other == (k == 2) {
			t.Errorf("front %d is called another than the lowest: %t", k, other)
		}
	}
	for i, want := range []int{2, 1, 1} {
		for range frontLength - 2*max(0, 1-i) { // two were told above
			f.learn(Observation{X: far, Value: 5})
		}
		if len(f.at) != want || f.value[len(f.value)-1] != 2 {
			t.Errorf("fronts with %v, want %d and the lowest among them", f.value, want)
		}
	}
	if _, other := f.draw(r); other {
		t.Error("there is another front than the last")
	}
}

func TestNumberOfDescents(t *testing.T) {
	for _, c := range []struct {
		spec              string
		dim, budget, want int
	}{
		{"adaptive", 1000, 0, 1},
		{"adaptive", 1000, worthDescents - 1, 1},
		{"adaptive", 1000, worthDescents, firstDescents},
		{"adaptive:descents=5", 1000, 0, 5},
		{"adaptive:descents=1", 1000, 500, 1},
		{"adaptive", 500, 500, firstDescents},
		{"adaptive", 499, 500, 1},
		{"adaptive:descents=5", 10 + descentLength, 500, 5},
		{"adaptive:descents=5", 10 + descentLength - 1, 500, 1},
	} {
		built, err := New(c.spec, Config{Dim: c.dim, Init: 10, Budget: c.budget})
		if err != nil {
			t.Fatal(err)
		}
		if a := built.(*adaptive); a.descents != c.want || (a.first == nil) != (c.want == 1) {
			t.Errorf("%s with %d parameters, %d meant: %d descents, want %d", c.spec, c.dim, c.budget, a.descents, c.want)
		}
	}
	for _, spec := range []string{"adaptive:descents=0", "adaptive:without=luck"} {
		if _, err := New(spec, Config{Dim: 10}); err == nil {
			t.Errorf("%s is accepted", spec)
		}
	}
}

// Noise beyond all measure is cut, values that have none keep theirs.
func TestScaledNoise(t *testing.T) {
	y := []float64{3, 40, 5, 900}
	for _, log := range []bool{true, false} {
		s := newScaled(log, y, []float64{0.1, 0, 1e-3, 1e300}, 10)
		if want := s.Noise(s.w[0], 0.1); s.noise[0] != want*want || s.noise[1] != 0 || s.noise[3] != surelyNoise*surelyNoise {
			t.Errorf("logarithm %t: the noise is %v", log, s.noise)
		}
		if newScaled(log, y, make([]float64, 4), 10).noise != nil {
			t.Errorf("logarithm %t: noise of values without any", log)
		}
		if s := newScaled(log, []float64{1, 1}, []float64{0, 1}, 1); s.noise[0] != 0 || s.noise[1] != surelyNoise*surelyNoise {
			t.Errorf("logarithm %t: noise of equal values: %v", log, s.noise)
		}
	}
}

// The less sure a value is, the less it moves the model.
func TestAdaptiveTrustsByStd(t *testing.T) {
	at := Point{0.1, -0.2, 0.3}
	predict := func(told ...Observation) float64 {
		t.Helper()
		s, err := New("adaptive", Config{Dim: 3, Init: 4, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			x := Point{math.Sin(float64(3 * i)), math.Sin(float64(3*i + 1)), math.Sin(float64(3*i + 2))}
			if err := s.Tell(Observation{X: x, Value: x[0] + x[1]*x[2], Std: 0.01}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Tell(told...); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Ask(t.Context(), 1, nil); err != nil {
			t.Fatal(err)
		}
		mean, _, ok := s.(Predictor).Predict(at)
		if !ok {
			t.Fatal("no prediction")
		}
		return mean
	}
	without := predict()
	pull := func(std float64) float64 { return predict(Observation{X: at, Value: 3, Std: std}) - without }
	sure, unsure, noise := pull(0.01), pull(2), pull(1e9)
	if !(sure > 1 && unsure < sure/4 && math.Abs(noise) < 0.05) {
		t.Errorf("the value pulls by %g, with a std of 2 by %g, with 1e9 by %g", sure, unsure, noise)
	}
}

func TestTellRefusesStd(t *testing.T) {
	s, err := New("adaptive", Config{Dim: 1, Init: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, std := range []float64{-1, math.NaN(), math.Inf(1)} {
		if s.Tell(Observation{X: Point{0}, Value: 1, Std: std}) == nil {
			t.Errorf("a standard deviation of %g was taken", std)
		}
	}
}

// What is told is kept, whatever the caller does with the slice afterwards.
func TestAdaptiveKeepsItsPoints(t *testing.T) {
	ask := func(spoil bool) Point {
		s, err := New("adaptive", Config{Dim: 3, Init: 4, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		x := make(Point, 3)
		for i := range 12 {
			for j := range x {
				x[j] = math.Sin(float64(3*i + j))
			}
			told := slices.Clone(x)
			if spoil {
				told = x
			}
			if err := s.Tell(Observation{X: told, Value: x[0] + x[1]*x[2]}); err != nil {
				t.Fatal(err)
			}
		}
		points, err := s.Ask(t.Context(), 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		return points[0]
	}
	if got, want := ask(true), ask(false); !slices.Equal(got, want) {
		t.Errorf("with a slice that is used again: %v, want %v", got, want)
	}
}

// Half of the values are nearly exact, half mostly noise: knowing which finds lower ones.
func TestKnownNoiseHelps(t *testing.T) {
	const dim, seeds = 5, 5
	bowl := func(x []float64) (v float64) {
		for j, c := range []float64{-0.3, 0.5, -0.3, 0.5, -0.3} {
			v += (x[j] - c) * (x[j] - c)
		}
		return v
	}
	play := func(seed uint64, known bool) float64 {
		s, err := New("adaptive", Config{Dim: dim, Init: 10, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, 9))
		for i := range 60 {
			points, err := s.Ask(t.Context(), 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			std := []float64{0.02, 1}[i%2]
			o := Observation{X: points[0], Value: bowl(points[0]) + std*r.NormFloat64()}
			if known {
				o.Std = std
			}
			if err := s.Tell(o); err != nil {
				t.Fatal(err)
			}
		}
		whole := s.(*adaptive).whole
		if err := whole.refit(t.Context()); err != nil {
			t.Fatal(err)
		}
		all, err := whole.condition(0)
		if err != nil {
			t.Fatal(err)
		}
		return bowl(newPlace(all.model, all.cloud, everywhere).centre)
	}
	var with, without float64
	for seed := range uint64(seeds) {
		with += play(seed, true) / seeds
		without += play(seed, false) / seeds
	}
	if !(with < without/3) {
		t.Errorf("the point believed best is worth %.3g with known noise, %.3g without", with, without)
	}
}

// BenchmarkAdaptive measures one suggestion of a study, the Tell before it included, when n
// observations lie around a descent. Fits come at every fourth to hundredth of them:
// ms-median is what one usually waits, ms-max what one waits with a fit.
func BenchmarkAdaptive(b *testing.B) {
	for _, dim := range []int{10, 100, 1000, 10000} {
		for _, n := range []int{100, 500, 1000, 3000} {
			b.Run(fmt.Sprintf("D=%d/n=%d", dim, n), func(b *testing.B) { benchmarkAdaptive(b, dim, n) })
		}
	}
}

func benchmarkAdaptive(b *testing.B, dim, n int) {
	s, err := New("adaptive", Config{Dim: dim, Init: 10, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	eval := func(x Point) float64 {
		var u, v float64
		for j, c := range x {
			u += c * math.Cos(float64(j)) / float64(dim)
			v += c * math.Sin(float64(2*j)) / float64(dim)
		}
		return (u-0.3)*(u-0.3) + 10*(v-u*u)*(v-u*u)
	}
	near := func(spread float64) Observation {
		x := make(Point, dim)
		for j := range x {
			x[j] = min(1, max(-1, 0.3+spread*r.NormFloat64()))
		}
		return Observation{X: x, Value: eval(x)}
	}
	for i := range n - 1 {
		if err := s.Tell(near(1 / (1 + float64(i)/20))); err != nil {
			b.Fatal(err)
		}
	}
	next := near(0.1)
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		if err := s.Tell(next); err != nil {
			b.Fatal(err)
		}
		points, err := s.Ask(b.Context(), 1, nil)
		if err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
		next = Observation{X: points[0], Value: eval(points[0])}
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(times[len(times)-1].Microseconds())/1000, "ms-max")
}

// countdown is a context that ends at its looks-th question.
type countdown struct {
	context.Context
	looks int
}

func (c *countdown) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// An Ask that is cancelled, at whatever moment, leaves no trace in the next one.
func TestCancelledFit(t *testing.T) {
	const dim = 4
	r := rand.New(rand.NewPCG(7, 8))
	var obs []Observation
	for range 25 {
		x := around(0, dim, r)
		obs = append(obs, Observation{X: x, Value: x[0]*x[0] + 2*x[1]*x[1] + x[2]})
	}
	ask := func(looks int) (points []Point, first error) {
		s, err := New("adaptive", Config{Dim: dim, Seed: 3})
		if err == nil {
			err = s.Tell(obs...)
		}
		if err != nil {
			t.Fatal(err)
		}
		if looks > 0 {
			_, first = s.Ask(&countdown{t.Context(), looks - 1}, 1, nil)
		}
		points, err = s.Ask(t.Context(), 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		return points, first
	}
	want, _ := ask(0)
	for looks := 1; ; looks++ {
		got, cancelled := ask(looks)
		if !slices.Equal(got[0], want[0]) {
			t.Errorf("after an Ask that was cancelled at its look number %d the next one is for %v, want %v", looks, got, want)
		}
		if cancelled == nil {
			if looks < 10 {
				t.Errorf("an Ask looks %d times whether it is cancelled", looks)
			}
			return
		}
	}
}

// TestOddValues: a method says so when penalties hide the other values, and is silent about
// functions of a wide range.
func TestOddValues(t *testing.T) {
	const dim = 3
	for _, spec := range []string{"adaptive", "vanilla", "maha"} {
		for _, penalty := range []float64{0, 1e7} {
			s, err := New(spec, Config{Dim: dim, Init: 6, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(3, 4))
			for i := range 12 {
				x, value := make(Point, dim), 0.0
				for j := range x {
					x[j] = 2*r.Float64() - 1
					value += math.Exp(3 * x[j])
				}
				if i%4 == 3 {
					value += penalty
				}
				if err := s.Tell(Observation{X: x, Value: value}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.Ask(t.Context(), 1, nil); err != nil {
				t.Fatal(err)
			}
			note := s.(Reporter).LastAsk().Note
			if said := strings.Contains(note, "3 of 12 values"); said != (penalty > 0) {
				t.Errorf("%s: with a penalty of %g the note is %q", spec, penalty, note)
			}
		}
	}
}
