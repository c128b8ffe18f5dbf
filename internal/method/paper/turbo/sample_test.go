package turbo

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// Every coordinate is chosen with probability 20/D, independently of its neighbour,
// and at least one is.
func TestMaskLaw(t *testing.T) {
	const draws = 20000
	for _, dim := range []int{1, 20, 50, 1000} {
		p := min(20/float64(dim), 1)
		m := newMask(dim, p, rng.New(1))
		count := make([]int, dim)
		pairs, total := 0, 0
		for range draws {
			coords := m.draw()
			if len(coords) == 0 || !slices.IsSorted(coords) {
				t.Fatalf("D=%d: mask %v", dim, coords)
			}
			for k, j := range coords {
				count[j]++
				if k > 0 && coords[k-1] == j-1 {
					pairs++
				}
			}
			total += len(coords)
		}
		check := func(what string, got, trials, p float64) {
			if math.Abs(got-trials*p) > 5*math.Sqrt(trials*p*(1-p)) {
				t.Errorf("D=%d: %s %g times, want about %g", dim, what, got, trials*p)
			}
		}
		check("chosen", float64(total), draws*float64(dim), p)
		check("first", float64(count[0]), draws, p)
		check("last", float64(count[dim-1]), draws, p)
		check("neighbours", float64(pairs), draws*float64(dim-1), p*p)
	}
	few := newMask(100, 1e-4, rng.New(2))
	for range 100 {
		if len(few.draw()) == 0 {
			t.Fatal("a mask without coordinates")
		}
	}
}

// Gaps found with the guide are those of the logarithm.
func TestMaskGaps(t *testing.T) {
	for _, p := range []float64{0.9, 0.2, 0.02, 1e-4} {
		m, twin := newMask(1000, p, rng.New(3)), rng.New(3)
		for range 50000 {
			want := min(math.Floor(math.Log(1-twin.Float64())/math.Log1p(-p)), 1000)
			if got := m.gap(1000); float64(got) != want {
				t.Fatalf("p=%g: gap %d, want %g", p, got, want)
			}
		}
	}
}

// testPosterior returns the posterior of a region with n values at candidates that change
// two coordinates each, the model it is to agree with and the candidates.
func testPosterior(t *testing.T, n, count, slots, joint int) (*localPosterior, *lingp.Model, [][]float64) {
	t.Helper()
	const dim = 5
	r := rng.New(11)
	region := newTrustRegion(strategy.Config{Domain: strategy.Box(dim)}.WithDefaults(), 0, 1)
	for range n {
		x := make(strategy.Point, dim)
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		region.add(x, x[0]+x[1]*x[2])
	}
	h := lingp.Hyper{
		Kernel:      lingp.Matern52ARD([]float64{0.5, 0.7, 0.9, 1.1, 1.3}),
		OutputScale: 1.7, NoiseVariance: 0.05, Mean: 0.3,
	}
	region.fitted = fit{count: n, hyper: h}
	y, _, _ := region.standardised()
	centre, lower, upper := region.box()
	set := new(candidateSet)
	set.reset(centre, lower, upper, h.LengthScales)
	u := make([]float64, 2)
	points := make([][]float64, count)
	for i := range points {
		rng.NewFiller(r).Uniform(u)
		set.add(u, []int{r.IntN(2), 2 + r.IntN(3)})
		points[i] = slices.Clone(set.centre)
		coord, value, _ := set.changes(i)
		for k, j := range coord {
			points[i][j] = value[k]
		}
	}
	model, err := lingp.NewModel(h, region.in, y)
	if err != nil {
		t.Fatal(err)
	}
	p, room := &localPosterior{
		hyper: h, set: set, count: count, std: 1, best: make(standings, slots), together: joint,
	}, []float64(nil)
	p.makeRoom(n, &room)
	data := dataAnchors(1, set, region.in)
	d, err := region.factorise(data)
	if err != nil {
		t.Fatal(err)
	}
	p.condition(d, data)
	return p, model, points
}

// The posterior samples have the moments of the exact posterior: all of them when all
// candidates are drawn jointly, else all but covariances of two others.
func TestThompsonMoments(t *testing.T) {
	const n, count, draws = 8, 12, 40000
	for _, joint := range []int{count, 4} {
		p, model, points := testPosterior(t, n, count, draws+count, joint)
		samples, _, err := p.draw(rng.New(12))
		if err != nil {
			t.Fatal(err)
		}
		samples = samples[count:] // a later slot can take any candidate: all are drawn
		for i := range count {
			mean, variance := model.Predict(points[i])
			variance += p.hyper.NoiseVariance
			if math.Abs(p.mean[i]-mean) > 1e-9 || math.Abs(p.variance[i]-variance) > 1e-9 {
				t.Fatalf("candidate %d: moments %g and %g, exact %g and %g", i, p.mean[i], p.variance[i], mean, variance)
			}
			got := 0.0
			for _, s := range samples {
				got += s[i] / draws
			}
			if math.Abs(got-mean) > 5*math.Sqrt(variance/draws) {
				t.Errorf("%d joint: mean of candidate %d is %g, want %g", joint, i, got, mean)
			}
			for k := range i + 1 {
				if k < i && !slices.Contains(p.joint, i) && !slices.Contains(p.joint, k) {
					continue
				}
				want := model.Cov(points[i], points[k])
				if k == i {
					want = variance
				}
				got := 0.0
				for _, s := range samples {
					got += (s[i] - p.mean[i]) * (s[k] - p.mean[k]) / draws
				}
				// The variance of a product of two normal numbers.
				if math.Abs(got-want) > 5*math.Sqrt((p.variance[i]*p.variance[k]+want*want)/draws) {
					t.Errorf("%d joint: covariance of %d and %d is %g, want %g", joint, i, k, got, want)
				}
			}
		}
	}
}

// Candidates are left out only where they cannot win: the slots go to those of the whole
// sample, with the same values.
func TestScreeningKeepsTheWinners(t *testing.T) {
	const n, count, slots, joint, seeds = 30, 700, 3, 16, 40
	drawn := 0
	for seed := range uint64(seeds) {
		p, _, _ := testPosterior(t, n, count, slots, joint)
		screened, _, err := p.draw(rng.New(seed))
		if err != nil {
			t.Fatal(err)
		}
		whole := make([][]float64, slots)
		for s := range whole {
			whole[s] = make([]float64, count)
		}
		p.drawJoint(whole)
		p.drawOthers(whole, slices.DeleteFunc(slices.Clone(p.places), func(i int) bool { return slices.Contains(p.joint, i) }))
		for s := range whole {
			for i, v := range screened[s] {
				if !math.IsInf(v, 1) {
					drawn++
					if v != whole[s][i] {
						t.Fatalf("seed %d, slot %d: candidate %d has the value %g, want %g", seed, s, i, v, whole[s][i])
					}
				}
			}
		}
		for s := range slots {
			_, want := takeLowest([][][]float64{whole}, s)
			if _, got := takeLowest([][][]float64{screened}, s); got != want {
				t.Errorf("seed %d: slot %d went to candidate %d, want %d", seed, s, got, want)
			}
		}
	}
	if all := seeds * slots * count; drawn > all*3/4 {
		t.Errorf("%d of %d values were drawn: screening leaves out too few", drawn, all)
	}
}

// A region whose candidates are all hopeless draws nothing; the standings stay.
func TestHopelessRegion(t *testing.T) {
	p, _, _ := testPosterior(t, 30, 200, 2, 16)
	p.best = standings{{-50}, {-60, -50}}
	samples, _, err := p.draw(rng.New(1))
	if err != nil {
		t.Fatal(err)
	}
	if v := min(slices.Min(samples[0]), slices.Min(samples[1])); !math.IsInf(v, 1) {
		t.Errorf("the value %g was drawn, 50 standard deviations below", v)
	}
	if p.best[0][0] != -50 || p.best[1][1] != -50 {
		t.Errorf("standings %v", p.best)
	}
}

// Slot s keeps its s+1 lowest values.
func TestStandings(t *testing.T) {
	l := make(standings, 2)
	for _, v := range []float64{3, 1, 2, 5, 0} {
		l.enter(0, v)
		l.enter(1, v)
	}
	if l.limit(0) != 0 || l.limit(1) != 1 || len(l[0]) != 1 || len(l[1]) != 2 {
		t.Errorf("standings %v", l)
	}
	if !math.IsInf(make(standings, 1).limit(0), 1) {
		t.Error("there is a limit before the first value")
	}
}

// The lowest candidate over all regions takes a slot, and no other.
func TestTakeLowest(t *testing.T) {
	values := [][][]float64{{{3, 1}, {0, -5}}, {{2, 4}, {7, 8}}}
	for slot, want := range [][2]int{{0, 1}, {0, 0}} {
		if r, c := takeLowest(values, slot); r != want[0] || c != want[1] {
			t.Errorf("slot %d went to candidate %d of region %d, want %v", slot, c, r, want)
		}
	}
	if _, c := takeLowest([][][]float64{{{math.Inf(1)}}}, 0); c != -1 {
		t.Errorf("candidate %d was taken twice", c)
	}
}

func TestLowestPlaces(t *testing.T) {
	values := []float64{3, 1, 2, 1, 5, 0, 2}
	for _, c := range []struct {
		count int
		want  []int
	}{
		{1, []int{5}},
		{4, []int{5, 1, 3, 2}},
		{7, []int{5, 1, 3, 2, 6, 0, 4}},
	} {
		if got := lowestPlaces(values, c.count); !slices.Equal(got, c.want) {
			t.Errorf("the %d lowest are at %v, want %v", c.count, got, c.want)
		}
	}
}

// Where all coordinates change, the product gives the distances of the single sums.
func TestDistancesOfFullCandidates(t *testing.T) {
	const dim, count, anchored = 3, 6, 4
	r := rng.New(21)
	set := new(candidateSet)
	set.reset([]float64{0.2, 0.5, 0.9}, []float64{0, 0.1, 0.3}, []float64{1, 0.6, 1}, []float64{0.3, 0.7, 1.9})
	u := make([]float64, dim)
	for range count {
		rng.NewFiller(r).Uniform(u)
		set.add(u, []int{0, 1, 2})
	}
	if !set.full() {
		t.Fatal("all coordinates changed, but the set is not full")
	}
	in := lingp.NewInputs(dim)
	for range anchored {
		in.Append([]float64{r.Float64(), r.Float64(), r.Float64()})
	}
	n := dataAnchors(1, set, in)
	index := []int{2, 0, 5, 3}
	group, one := linalg.New(anchored, len(index)), make([]float64, anchored)
	n.distancesTo([]linalg.Matrix{group}, index)
	for k, i := range index {
		n.distances(one, i, 0)
		for a, want := range one {
			if math.Abs(group.At(a, k)-want) > 1e-13*(1+want) {
				t.Errorf("candidate %d, anchor %d: %g, want %g", i, a, group.At(a, k), want)
			}
		}
	}
	set.add(u, []int{1})
	if set.full() {
		t.Error("a candidate shares coordinates with the centre, but the set is full")
	}
}

func BenchmarkTurboAsk(b *testing.B) {
	for _, dim := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("D=%d", dim), func(b *testing.B) {
			s := methodtest.Build(b, Method(), "turbo", strategy.Config{Domain: strategy.Box(dim)})
			methodtest.Play(b, s, 20, 5, methodtest.Ridge) // ten rounds of design, ten of proposals
			for b.Loop() {
				if _, err := s.Ask(context.Background(), 1, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
