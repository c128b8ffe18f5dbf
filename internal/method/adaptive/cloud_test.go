package adaptive

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/strategy"
)

// tellTagged tells the value of a suggestion, with the standard deviation of its noise unless that is 0.
func tellTagged(t *testing.T, a *adaptive, s strategy.Suggestion, y, std float64) {
	t.Helper()
	o := strategy.Observation{X: s.X, Y: []float64{y}, Tag: s.Tag}
	if std > 0 {
		o.Std = []float64{std}
	}
	if err := a.Tell(o); err != nil {
		t.Fatal(err)
	}
}

// cloudStudy is a method that many workers have told of tub in rounds.
func cloudStudy(t *testing.T, spec string, domain strategy.Domain, rounds, batch int) *adaptive {
	t.Helper()
	a := newAdaptive(t, spec, strategy.Config{Domain: domain, Init: 10, Seed: 9, Budget: cloudBudget})
	for range rounds {
		for _, s := range methodtest.Suggest(t, a, batch) {
			tellTagged(t, a, s, tub(s.X), 0)
		}
	}
	return a
}

// drawn is the number of suggestions that were drawn.
func drawn(list []strategy.Suggestion) (count int) {
	for _, s := range list {
		if isDrawn(s.Tag) {
			count++
		}
	}
	return count
}

// Nine in ten of the open points are drawn, whether they are asked for at once or one by one; with few open points,
// few parameters, levels or without the part none is.
func TestCloudShare(t *testing.T) {
	const many = mostTurned + 1
	levels := strategy.Box(many)
	levels.Params[3].Levels, levels.Params[3].Kind = []float64{-1, 0, 1}, strategy.Ordinal
	for _, c := range []struct {
		name            string
		spec            string
		domain          strategy.Domain
		rounds, batch   int
		pending, wanted int
	}{
		{"many workers", "adaptive", strategy.Box(many), 3, 12, 0, 11},
		{"some are running", "adaptive", strategy.Box(many), 3, 12, 9, 2},
		{"few workers", "adaptive", strategy.Box(many), 5, 8, 0, 0},
		{"few parameters", "adaptive", strategy.Box(mostTurned), 3, 12, 0, 0},
		{"levels", "adaptive", levels, 3, 12, 0, 0},
		{"in the first round", "adaptive", strategy.Box(many), 1, 12, 0, 0},
		{"left out", "adaptive:without=cloud", strategy.Box(many), 3, 12, 0, 0},
		{"a smaller share", "adaptive:cloud-share=0.25", strategy.Box(many), 3, 12, 0, 3},
	} {
		a := cloudStudy(t, c.spec, c.domain, c.rounds, c.batch)
		asked := methodtest.Suggest(t, a, c.batch)
		if c.pending > 0 {
			asked = methodtest.Suggest(t, a, c.batch-c.pending, asked[c.batch-c.pending:]...)
		}
		if got := drawn(asked); got != c.wanted {
			t.Errorf("%s: %d of %d points are drawn, want %d", c.name, got, len(asked), c.wanted)
		}
	}
}

// Points asked for one by one have the same share as those of a batch.
func TestCloudOneByOne(t *testing.T) {
	a := cloudStudy(t, "adaptive", strategy.Box(120), 3, 12)
	pending := methodtest.Suggest(t, a, 12)
	for range 24 {
		done := pending[0]
		pending = pending[1:]
		tellTagged(t, a, done, tub(done.X), 0)
		pending = append(pending, methodtest.Suggest(t, a, 1, pending...)...)
		if got := drawn(pending); got != 11 {
			t.Fatalf("%d of %d open points are drawn, want 11", got, len(pending))
		}
	}
}

// The centre begins at the best point, or at the last centre that was told, and moves down from there, as far as it may.
func TestCloudCentre(t *testing.T) {
	const dim = 120
	for _, c := range []struct {
		count  int
		centre bool // one of them was told
	}{{4, false}, {4, true}, {40, false}, {40, true}, {300, true}} {
		a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(dim), Init: 10, Seed: 9})
		tellRandom(t, a, 10, tub)
		r := rand.New(rand.NewPCG(1, 2))
		for i := range c.count {
			x := make(strategy.Point, dim)
			for j := range x {
				x[j] = 0.5 + 0.1*r.NormFloat64()
			}
			tag := cloudTag
			if c.centre && i == c.count/2 {
				tag = centreTag
			}
			tellTagged(t, a, strategy.Suggestion{X: x, Tag: tag}, tub(x), 0)
		}
		run := a.learned(t).whole
		if err := run.refit(t.Context()); err != nil {
			t.Fatal(err)
		}
		centre, err := run.cloudCentre()
		if err != nil {
			t.Fatal(err)
		}
		from := run.x[run.best]
		if c.centre {
			from = run.x[10+c.count/2]
		}
		if c.count < fewDrawn {
			if !slices.Equal(centre, from) {
				t.Errorf("after %d points the centre is not where it was: %t", c.count, c.centre)
			}
			continue
		}
		far := math.Sqrt(method.SquaredDistance(from, centre) / dim)
		if far > a.CloudReach+1e-9 || far < a.CloudReach/4 {
			t.Errorf("after %d points the centre moves by %g, at most %g is allowed", c.count, far, a.CloudReach)
		}
		if tub(centre) >= tub(from) {
			t.Errorf("after %d points the centre moves from %g to %g", c.count, tub(from), tub(centre))
		}
		again, err := run.cloudCentre()
		if err != nil || &again[0] != &centre[0] {
			t.Errorf("after %d points the centre is computed twice: %v", c.count, err)
		}
	}
}

// The centre is one of the points of a round from the second one on, whether they are asked for at once or one by one.
func TestCloudCentreAsked(t *testing.T) {
	const rounds = 7
	centres := func(list []strategy.Suggestion) (count int) {
		for _, s := range list {
			if s.Tag == centreTag {
				count++
			}
		}
		return count
	}
	a := cloudStudy(t, "adaptive", strategy.Box(120), 2, 12)
	for i := range rounds {
		asked := methodtest.Suggest(t, a, 12)
		if got := centres(asked); got != min(i, 1) {
			t.Errorf("round %d has %d centres", i, got)
		}
		for _, s := range asked {
			tellTagged(t, a, s, tub(s.X), 0)
		}
	}
	a = cloudStudy(t, "adaptive", strategy.Box(120), 2, 12)
	pending := methodtest.Suggest(t, a, 12)
	all := slices.Clone(pending)
	for drawn(all) < rounds*11 {
		done := pending[0]
		tellTagged(t, a, done, tub(done.X), 0)
		asked := methodtest.Suggest(t, a, 1, pending[1:]...)
		pending, all = append(pending[1:], asked...), append(all, asked...)
	}
	if got := centres(all); got != rounds-1 {
		t.Errorf("%d of %d points drawn one by one are centres, want %d", got, drawn(all), rounds-1)
	}
}

// Every two points are mirrored.
func TestCloudPairs(t *testing.T) {
	const dim = 120
	a := newAdaptive(t, "adaptive:cloud-spread=0.1", strategy.Config{Domain: strategy.Box(dim), Init: 10, Seed: 9})
	centre := make(strategy.Point, dim)
	centre[3] = -0.4
	points := a.whole.draw(centre, 7, 0)
	for i, x := range points {
		if std := math.Sqrt(method.SquaredDistance(x, centre) / dim); math.Abs(std-0.1) > 0.03 {
			t.Errorf("point %d is %g from the centre", i, std)
		}
		if i%2 == 1 {
			for j, c := range centre {
				if mean := (x[j] + points[i-1][j]) / 2; math.Abs(mean-c) > 1e-12 {
					t.Fatalf("coordinate %d of the middle of points %d and %d is %g, want %g", j, i-1, i, mean, c)
				}
			}
		}
	}
}

// What is drawn is a function of the observations and their tags, whenever points were asked for.
func TestCloudReplay(t *testing.T) {
	for _, std := range []float64{0, 0.01} {
		played := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(110), Init: 10, Seed: 4, Budget: cloudBudget})
		var told []strategy.Suggestion
		for range 7 {
			for _, s := range methodtest.Suggest(t, played, 10) {
				tellTagged(t, played, s, tub(s.X), std)
				told = append(told, s)
			}
		}
		replayed := newAdaptive(t, "adaptive", played.Config)
		for _, s := range told {
			tellTagged(t, replayed, s, tub(s.X), std)
		}
		want, got := methodtest.Suggest(t, played, 10), methodtest.Suggest(t, replayed, 10)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("standard deviation %g: the same observations lead to other points when nothing was asked on the way", std)
		}
		if played.cloud.moved.to == nil || drawn(want) == 0 {
			t.Errorf("standard deviation %g: the centre has not moved", std)
		}
	}
}

// Most points are drawn, later half of them if others lead. None is where too few evaluations are meant.
func TestCloudLeads(t *testing.T) {
	const batch, few, until = 10, 50, 10*cloudRounds + 101*cloudPatience
	for _, c := range []struct {
		lower              bool // values of the cloud, or those of the others
		dim, budget, after int  // observations
		want               int
	}{
		{false, 101, cloudBudget, few, 9},
		{false, 101, cloudBudget, until, 5},
		{true, 101, cloudBudget, until, 9},
		{true, 101, cloudBudget - 1, few, 0},
		{true, 101, 0, few, 0},
		{false, 800, 3400, few, 9},
		{false, 800, 3399, few, 0},
	} {
		a := newAdaptive(t, "adaptive:without=weights", strategy.Config{Domain: strategy.Box(c.dim), Init: 10, Seed: 4, Budget: c.budget})
		for len(a.Y) < 10+c.after {
			for _, s := range methodtest.Suggest(t, a, batch) {
				y := tub(s.X)
				if isDrawn(s.Tag) == c.lower {
					y--
				}
				tellTagged(t, a, s, y, 0)
			}
		}
		if got := drawn(methodtest.Suggest(t, a, batch)); got != c.want {
			t.Errorf("cloud has lower values: %t, %d of %d evaluations: %d points are drawn, want %d", c.lower, c.after, c.budget, got, c.want)
		}
	}
}

// A cloud leads when it is lower than the others were in the first half, or would be after as much progress again.
func TestCloudProgress(t *testing.T) {
	for _, c := range []struct {
		name          string
		others, early float64 // lowest values in the first half
		now           float64 // lowest value of the cloud
		want          bool
	}{
		{"lower", 5, 9, 4.9, true},
		{"lower at once", 5, 4, 4, true},
		{"progress", 5, 9, 6.9, true},
		{"too little progress", 5, 9, 7.1, false},
		{"no progress", 5, 9, 9, false},
	} {
		a := newAdaptive(t, "adaptive", strategy.Config{Domain: strategy.Box(2), Init: 2, Seed: 1}).whole
		a.y = []float64{20, c.others, c.early, 30, c.now, 1, 2, 3}
		a.cloud.numbers = []int{2, 4}
		if got := a.cloudLeads(); got != c.want {
			t.Errorf("%s: leads is %t", c.name, got)
		}
	}
}

// Where points have to satisfy a condition, those that are drawn do.
func TestCloudInRegion(t *testing.T) {
	const dim = 104
	row := strategy.Row{Bound: -3}
	for j := range dim {
		row.Coordinate, row.Coefficient = append(row.Coordinate, j), append(row.Coefficient, 1)
	}
	domain := strategy.Box(dim)
	domain.Linear, domain.Fixed = []strategy.Row{row}, map[int]float64{5: 0.25}
	a := cloudStudy(t, "adaptive", domain, 6, 12)
	asked := methodtest.Suggest(t, a, 12)
	for _, s := range asked {
		sum := 0.0
		for _, v := range s.X {
			sum += v
		}
		if sum > row.Bound+1e-9 || s.X[5] != 0.25 {
			t.Errorf("tag %q: the sum is %g, the coordinate that is held %g", s.Tag, sum, s.X[5])
		}
	}
	if drawn(asked) == 0 {
		t.Error("no point is drawn")
	}
}
