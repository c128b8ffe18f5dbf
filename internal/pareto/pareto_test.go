package pareto_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/pareto"
	"pgregory.net/rapid"
)

// points draws points with few levels, so that some are equal.
func points(t *rapid.T, objectives int) [][]float64 {
	level := rapid.Map(rapid.IntRange(0, 5), func(i int) float64 { return float64(i) })
	return rapid.SliceOfN(rapid.SliceOfN(level, objectives, objectives), 1, 12).Draw(t, "points")
}

// A point is on the front if no other dominates it; of equal points one is.
func TestFront(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := points(t, rapid.IntRange(1, 4).Draw(t, "objectives"))
		front := pareto.Front(p)
		for i := range p {
			dominated := slices.ContainsFunc(p, func(q []float64) bool { return pareto.Dominates(q, p[i]) })
			on := slices.ContainsFunc(front, func(j int) bool { return slices.Equal(p[j], p[i]) })
			if on == dominated {
				t.Fatalf("point %v of %v: on the front %v, dominated %v", p[i], p, on, dominated)
			}
		}
		for k, i := range front {
			for _, j := range front[:k] {
				if slices.Equal(p[i], p[j]) {
					t.Fatalf("%v is twice on the front", p[i])
				}
			}
		}
	})
}

// The hypervolume of points on a grid is the number of the cells that they dominate.
func TestHypervolume(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 4).Draw(t, "objectives")
		p := points(t, m)
		reference := make([]float64, m)
		for k := range reference {
			reference[k] = float64(rapid.IntRange(0, 6).Draw(t, "reference"))
		}
		want := 0
		cell := make([]float64, m)
		for c := range int(math.Pow(6, float64(m))) {
			inside := true
			for k := range cell {
				cell[k] = float64(c % 6)
				inside = inside && cell[k] < reference[k]
				c /= 6
			}
			if inside && slices.ContainsFunc(p, func(q []float64) bool { return pareto.Covers(q, cell) }) {
				want++
			}
		}
		if got := pareto.Hypervolume(p, reference); got != float64(want) {
			t.Fatalf("the hypervolume of %v up to %v is %g, want %d", p, reference, got, want)
		}
	})
}

// On random points it agrees with counting, and a further point never lowers it.
func TestHypervolumeOfRandomPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for m := 2; m <= 4; m++ {
		var p [][]float64
		reference := make([]float64, m)
		for k := range reference {
			reference[k] = 1
		}
		last := 0.0
		for range 30 {
			x := make([]float64, m)
			for k := range x {
				x[k] = r.Float64()
			}
			p = append(p, x)
			added := pareto.Added(p[:len(p)-1], x, reference)
			v := pareto.Hypervolume(p, reference)
			if math.Abs(added-(v-last)) > 1e-12 {
				t.Fatalf("it rose by %g from %g, want %g", v-last, last, added)
			}
			if v < last-1e-12 {
				t.Fatalf("it fell from %g to %g", last, v)
			}
			last = v
		}
		if outside := append(slices.Repeat([]float64{-1}, m-1), 1); pareto.Added(p, outside, reference) != 0 {
			t.Errorf("%v adds to what %v bounds", outside, reference)
		}
		hits := 0
		const draws = 200000
		for range draws {
			x := make([]float64, m)
			for k := range x {
				x[k] = r.Float64()
			}
			if slices.ContainsFunc(p, func(q []float64) bool { return pareto.Covers(q, x) }) {
				hits++
			}
		}
		if share := float64(hits) / draws; math.Abs(share-last) > 0.01 {
			t.Errorf("%d objectives: %g, by counting %g", m, last, share)
		}
	}
}

func TestReferenceAndKnee(t *testing.T) {
	p := [][]float64{{0, 10}, {1, 2}, {4, 1}, {10, 0}, {11, 11}}
	if got := pareto.Reference(p); !slices.Equal(got, []float64{11, 11}) {
		t.Errorf("the reference is %v", got)
	}
	if got := pareto.Reference([][]float64{{3, 4}}); !(got[0] > 3 && got[1] > 4) {
		t.Errorf("the reference of one point is %v", got)
	}
	if got := pareto.Knee(p[:4]); got != 1 {
		t.Errorf("the knee is point %d", got)
	}
	if pareto.Knee(nil) != -1 || pareto.Reference(nil) != nil {
		t.Error("no points have a knee or a reference")
	}
}

func TestBest(t *testing.T) {
	values := []float64{1, 2, 3, 0}
	for _, c := range []struct {
		limits [][]float64
		at     int
		kept   bool
	}{
		{[][]float64{{0}, {-1}, {-2}, {1}}, 0, true},
		{[][]float64{{1}, {-1}, {0}, {1}}, 1, true},
		{[][]float64{{1, 100}, {2, 10}, {1, 20}, {4, 100}}, 2, false}, // 1/4+1, 1/2+1/10, 1/4+1/5, 2
		{[][]float64{{1}, {1}, {1}, {1}}, 3, false},
	} {
		if at, kept := pareto.Best(values, c.limits); at != c.at || kept != c.kept {
			t.Errorf("limits %v: the best is %d, kept %v; want %d, %v", c.limits, at, kept, c.at, c.kept)
		}
	}
	if at, _ := pareto.Best(nil, nil); at != -1 {
		t.Error("no points have a best")
	}
}
