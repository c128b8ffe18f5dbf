package subspace

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/strategy"
)

func subspaces(t *testing.T, spec string, cfg strategy.Config) *subspaceBO {
	t.Helper()
	m := REMBO()
	if strings.HasPrefix(spec, "hesbo") {
		m = HeSBO()
	}
	return methodtest.Build(t, m, spec, cfg).(*subspaceBO)
}

// bowl has its minimum where x_0 and x_1 are 0.3.
func bowl(x strategy.Point) float64 { return (x[0]-0.3)*(x[0]-0.3) + (x[1]-0.3)*(x[1]-0.3) }

// evaluated asks for n points and tells their values.
func evaluated(t *testing.T, b *subspaceBO, n int) []strategy.Point {
	t.Helper()
	points := methodtest.Ask(t, b, n)
	for _, x := range points {
		methodtest.Tell(t, b, x, bowl(x))
	}
	return points
}

func TestSubspaceDefaults(t *testing.T) {
	for _, c := range []struct {
		spec string
		cfg  strategy.Config
		d, k int
	}{
		{"rembo", strategy.Config{Domain: strategy.Box(100), TrueDim: 6}, 6, 4},
		{"rembo", strategy.Config{Domain: strategy.Box(100)}, 4, 4},
		{"rembo", strategy.Config{Domain: strategy.Box(3)}, 3, 4},
		{"rembo:d=2,k=7", strategy.Config{Domain: strategy.Box(100)}, 2, 7},
		{"rembo:d=true,k=1", strategy.Config{Domain: strategy.Box(100), TrueDim: 3}, 3, 1},
		{"hesbo", strategy.Config{Domain: strategy.Box(100), TrueDim: 6}, 12, 1},
		{"hesbo", strategy.Config{Domain: strategy.Box(100)}, 8, 1},
		{"hesbo", strategy.Config{Domain: strategy.Box(9), TrueDim: 6}, 9, 1},
		{"hesbo:d=5", strategy.Config{Domain: strategy.Box(100), TrueDim: 6}, 5, 1},
	} {
		b := subspaces(t, c.spec, c.cfg)
		if len(b.spaces) != c.k || b.spaces[0].dim != c.d || len(b.design) != strategy.DefaultInit {
			t.Errorf("%s, %+v: %d subspaces of dimension %d, design of %d", c.spec, c.cfg, len(b.spaces), b.spaces[0].dim, len(b.design))
		}
	}
}

// Point s is in subspace s mod k and in no other, in the design and after it, alone or in
// batches, and counts there.
func TestSubspacesRotate(t *testing.T) {
	b := subspaces(t, "rembo:k=3", strategy.Config{Domain: strategy.Box(30), TrueDim: 2, Init: 7, Seed: 2})
	var asked []strategy.Point
	for _, n := range []int{7, 1, 4, 1, 5} {
		asked = append(asked, evaluated(t, b, n)...)
	}
	for i, x := range asked {
		for k, s := range b.spaces {
			if _, in := s.find(x); in != (k == i%3) {
				t.Errorf("point %d: in subspace %d %v", i, k, in)
			}
		}
	}
	for k, s := range b.spaces {
		if s.in.Len() != 6 || len(s.y) != 6 {
			t.Errorf("subspace %d has %d points and %d values, want 6", k, s.in.Len(), len(s.y))
		}
	}
}

// Points asked for in parts, the earlier ones pending, are those asked for at once, and
// nothing is asked for twice.
func TestSubspacePendingPoints(t *testing.T) {
	for _, spec := range []string{"rembo", "rembo:k=1", "hesbo"} {
		b := subspaces(t, spec, strategy.Config{Domain: strategy.Box(20), TrueDim: 2, Init: 8, Seed: 3})
		evaluated(t, b, 8)
		want := methodtest.Ask(t, b, 8)
		var pending []strategy.Point
		for _, n := range []int{3, 1, 4} {
			points := methodtest.Ask(t, b, n, pending...)
			if b.LastAsk().Fallback != nil {
				t.Fatal(b.LastAsk().Fallback)
			}
			for _, x := range points {
				if among(pending, x) || among(b.X, x) {
					t.Errorf("%s: a point was asked for twice", spec)
				}
				pending = append(pending, x)
			}
		}
		for i, x := range pending {
			if !slices.Equal(x, want[i]) {
				t.Errorf("%s: point %d differs from the one asked for at once", spec, i)
			}
		}
	}
}

// Points outside all subspaces do not enter a model; rounded ones of a subspace do.
func TestSubspaceMembership(t *testing.T) {
	for _, spec := range []string{"rembo", "hesbo"} {
		b := subspaces(t, spec, strategy.Config{Domain: strategy.Box(40), TrueDim: 2, Init: 8, Seed: 4})
		for _, x := range method.InitialDesign(b.cfg, 0, 20) {
			methodtest.Tell(t, b, x, 1)
		}
		used := func() (n int) {
			for _, s := range b.spaces {
				n += s.in.Len()
			}
			return n
		}
		if used() != 0 {
			t.Errorf("%s: %d of 20 points of the box are in subspaces", spec, used())
		}
		for _, x := range methodtest.Ask(t, b, 4) {
			for j, v := range x {
				x[j] = math.Round(100*v) / 100
			}
			methodtest.Tell(t, b, x, 2)
		}
		if used() != 4 {
			t.Errorf("%s: %d of 4 rounded points are in subspaces", spec, used())
		}
	}
}

// Between two fits of the schedule a strategy keeps its hyperparameters; a new one that is
// told the same finds the same.
func TestSubspaceFitsReplay(t *testing.T) {
	cfg := strategy.Config{Domain: strategy.Box(12), TrueDim: 1, Init: 255, Seed: 5}
	b := subspaces(t, "hesbo", cfg)
	evaluated(t, b, 255)
	for range 6 {
		evaluated(t, b, 1)
	}
	want := methodtest.Ask(t, b, 2)
	again := subspaces(t, "hesbo", cfg)
	for i, x := range b.X {
		methodtest.Tell(t, again, x, b.Y[i])
	}
	got := methodtest.Ask(t, again, 2)
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("point %d: %v, want %v", i, got[i], want[i])
		}
	}
	if again.spaces[0].fitted != 260 {
		t.Errorf("fitted to %d of 261 observations, want 260", again.spaces[0].fitted)
	}
}

func TestFitCount(t *testing.T) {
	for n, want := range map[int]int{1: 1, 64: 64, 127: 127, 128: 128, 129: 128, 130: 130, 255: 254, 256: 256, 259: 256, 511: 508, 512: 512, 519: 512, 1030: 1024} {
		if got := method.FitCount(n, subspaceExact); got != want {
			t.Errorf("method.FitCount(%d) = %d, want %d", n, got, want)
		}
	}
}

// In one dimension most of z may be clamped to two points; the design still differs.
func TestDesignOfASmallSubspace(t *testing.T) {
	for seed := range uint64(20) {
		b := subspaces(t, "rembo", strategy.Config{Domain: strategy.Box(1), Init: 20, Seed: seed})
		for i, x := range b.design {
			if among(b.design[:i], x) {
				t.Fatalf("seed %d: point %d of the design repeats one", seed, i)
			}
		}
	}
}

// The lowest point of a quadratic in the subspace is found to several digits.
func TestSubspaceConverges(t *testing.T) {
	for _, spec := range []string{"rembo:k=1", "hesbo"} {
		b := subspaces(t, spec, strategy.Config{Domain: strategy.Box(200), TrueDim: 2, Init: 8, Seed: 1})
		evaluated(t, b, 8)
		for range 25 {
			evaluated(t, b, 1)
			if b.LastAsk().Fallback != nil {
				t.Fatalf("%s: %v", spec, b.LastAsk().Fallback)
			}
		}
		if best := slices.Min(b.Y); best > 1e-4 {
			t.Errorf("%s: best %g", spec, best)
		}
	}
}
