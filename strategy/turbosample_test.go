package strategy

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/rng"
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

// Gaps read off the table are those of the logarithm.
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

// The posterior samples have the moments of the exact posterior: all of them when all
// candidates are drawn jointly, else all but covariances of two others.
func TestThompsonMoments(t *testing.T) {
	const dim, n, count, draws = 5, 8, 12, 40000
	r := rng.New(11)
	region := newTrustRegion(Config{Dim: dim}.WithDefaults(), 0, 1)
	for range n {
		x := make(Point, dim)
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		region.add(x, x[0]+x[1]*x[2])
	}
	h := gp.Hyper{
		Kernel:      gp.Matern52ARD([]float64{0.5, 0.7, 0.9, 1.1, 1.3}),
		OutputScale: 1.7, NoiseVariance: 0.05, Mean: 0.3,
	}
	region.fitted = fit{n, h, 0}
	y, _, _ := region.standardised()
	centre, lower, upper := region.box()
	set := newCandidateSet(count, centre, lower, upper)
	u := make([]float64, dim)
	for range count {
		rng.NewFiller(r).Uniform(u)
		set.add(u, []int{r.IntN(2), 2 + r.IntN(3)})
	}
	model, err := gp.NewModel(h, region.in, y)
	if err != nil {
		t.Fatal(err)
	}
	points := make([][]float64, count)
	for i := range points {
		points[i] = slices.Clone(set.centre)
		coord, value := set.changes(i)
		for k, j := range coord {
			points[i][j] = value[k]
		}
	}
	for _, joint := range []int{count, 4} {
		p, room := &localPosterior{hyper: h, set: set, count: count}, []float64(nil)
		p.makeRoom(n, &room)
		if _, err := p.condition(region.in, y); err != nil {
			t.Fatal(err)
		}
		if _, err := p.chooseJoint(joint); err != nil {
			t.Fatal(err)
		}
		samples := p.draw(draws, rng.New(12))
		for i := range count {
			mean, variance := model.Predict(points[i])
			variance += h.NoiseVariance
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
	set := newCandidateSet(count, []float64{0.2, 0.5, 0.9}, []float64{0, 0.1, 0.3}, []float64{1, 0.6, 1})
	u := make([]float64, dim)
	for range count {
		rng.NewFiller(r).Uniform(u)
		set.add(u, []int{0, 1, 2})
	}
	if !set.full() {
		t.Fatal("all coordinates changed, but the set is not full")
	}
	n := newAnchors(set, []float64{0.3, 0.7, 1.9}, anchored)
	for a := range anchored {
		for j := range dim {
			n.put(a, j, r.Float64())
		}
	}
	group, one := linalg.New(anchored, 4), make([]float64, anchored)
	n.distancesFull(group, 2)
	for i := range group.Cols {
		n.distances(one, 2+i)
		for a, want := range one {
			if math.Abs(group.At(a, i)-want) > 1e-13*(1+want) {
				t.Errorf("candidate %d, anchor %d: %g, want %g", 2+i, a, group.At(a, i), want)
			}
		}
	}
	set.add(u, []int{1})
	if set.full() {
		t.Error("a candidate shares coordinates with the centre, but the set is full")
	}
}

func BenchmarkTurboAsk(b *testing.B) {
	for _, dim := range []int{10, 100} {
		b.Run(fmt.Sprintf("D=%d", dim), func(b *testing.B) {
			s, err := New("turbo", Config{Dim: dim})
			if err != nil {
				b.Fatal(err)
			}
			for range 20 { // ten rounds of design, ten of proposals
				points, err := s.Ask(context.Background(), 5, nil)
				if err != nil {
					b.Fatal(err)
				}
				for _, x := range points {
					if err := s.Tell(Observation{X: x, Value: ridge(x)}); err != nil {
						b.Fatal(err)
					}
				}
			}
			for b.Loop() {
				if _, err := s.Ask(context.Background(), 1, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
