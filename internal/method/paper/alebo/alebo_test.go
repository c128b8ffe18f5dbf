package alebo

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

func buildALEBO(t testing.TB, cfg strategy.Config, s strategy.Settings) *alebo {
	t.Helper()
	built, err := Method().New(cfg.WithDefaults(), s)
	if err != nil {
		t.Fatal(err)
	}
	return built.(*alebo)
}

func askALEBO(t *testing.T, s *alebo, n int, pending ...strategy.Point) []strategy.Point {
	t.Helper()
	points := methodtest.Ask(t, s, n, pending...)
	if err := s.LastAsk().Fallback; err != nil {
		t.Fatalf("fell back on ordinary data: %v", err)
	}
	return points
}

// onSubspace checks that x lies in the box and equals B⁺Bx, that is, B⁺z for its z = Bx.
func onSubspace(t *testing.T, s *alebo, x strategy.Point) {
	t.Helper()
	if err := strategy.CheckPoint(x, s.Dim); err != nil {
		t.Error(err)
	}
	back := make([]float64, s.Dim)
	for j := range back {
		back[j] = linalg.Dot(s.pinv.Matrix().Row(j), s.down(x))
		if !(math.Abs(back[j]-x[j]) < 1e-10) {
			t.Fatalf("coordinate %d is %.15g, on the subspace it would be %.15g", j, x[j], back[j])
		}
	}
}

// The columns of B have one length, d/D, and B B⁺ = I: z is recovered from x.
func TestALEBOEmbedding(t *testing.T) {
	for _, c := range []struct{ dim, d int }{{1, 1}, {5, 5}, {40, 1}, {40, 6}, {1000, 12}} {
		s := buildALEBO(t, strategy.Config{Domain: strategy.Box(c.dim), Seed: 3}, strategy.Settings{"d": fmt.Sprint(c.d)})
		B := s.B.B
		for j := range c.dim {
			norm := 0.0
			for a := range c.d {
				norm += B.At(a, j) * B.At(a, j)
			}
			if want := float64(c.d) / float64(c.dim); math.Abs(math.Sqrt(norm)-want) > 1e-12 {
				t.Fatalf("d=%d, D=%d: column %d has length %g, want %g", c.d, c.dim, j, math.Sqrt(norm), want)
			}
		}
		r := rng.New(1)
		z := linalg.New(50, c.d)
		s.sample(z, r)
		for i := range z.Rows {
			x := s.up(z.Row(i))
			onSubspace(t, s, x)
			for a, v := range s.down(x) {
				if math.Abs(v-z.At(i, a)) > 1e-10 {
					t.Fatalf("d=%d, D=%d: z[%d] is %g, recovered %g", c.d, c.dim, a, z.At(i, a), v)
				}
			}
		}
	}
}

// Proposals are rejected at the faces alone: where nearly all are inside, they have the
// covariance b²/3 BBᵀ.
func TestALEBOSampleSpread(t *testing.T) {
	const dim, d, count = 3000, 2, 4000
	s := buildALEBO(t, strategy.Config{Domain: strategy.Box(dim), Seed: 4}, strategy.Settings{"d": fmt.Sprint(d)})
	z := linalg.New(count, d)
	s.sample(z, rng.New(2))
	for a := range d {
		got := 0.0
		for i := range count {
			got += z.At(i, a) * z.At(i, a) / count
		}
		want := aleboWidth * aleboWidth / 3.0 * linalg.Dot(s.B.B.Row(a), s.B.B.Row(a))
		if math.Abs(got/want-1) > 0.1 {
			t.Errorf("variance of z[%d] is %g, want %g", a, got, want)
		}
	}
}

// With as many directions as parameters A is a rotation, and the start is the metric of
// the box whatever A: UᵀU = (B⁻¹)ᵀB⁻¹.
func TestALEBOStart(t *testing.T) {
	const d = 4
	s := buildALEBO(t, strategy.Config{Domain: strategy.Box(d), Seed: 5}, strategy.Settings{"d": fmt.Sprint(d)})
	U, err := s.metric(rng.New(6))
	if err != nil {
		t.Fatal(err)
	}
	got, want := linalg.New(d, d), linalg.New(d, d)
	linalg.GemmTA(got, 0, 1, U, U)
	linalg.GemmTA(want, 0, 1, s.pinv.Matrix(), s.pinv.Matrix())
	for a := range d {
		for b := range d {
			if math.Abs(got.At(a, b)-want.At(a, b)) > 1e-9*want.At(a, a) {
				t.Errorf("metric[%d,%d] is %g, want %g", a, b, got.At(a, b), want.At(a, b))
			}
			if b < a && U.At(a, b) != 0 {
				t.Errorf("U[%d,%d] is %g under the diagonal", a, b, U.At(a, b))
			}
		}
	}
}

// Every point asked lies on the subspace and in the box: in the design and after it, in
// batches, beside pending points, after foreign observations and when the model fails.
func TestALEBOStaysInThePolytope(t *testing.T) {
	for _, c := range []struct{ dim, trueDim int }{{1, 1}, {3, 2}, {60, 2}} {
		s := buildALEBO(t, strategy.Config{Domain: strategy.Box(c.dim), TrueDim: c.trueDim, Init: 5, Seed: 7}, strategy.Settings{})
		foreign := method.UniformAfterDesign(strategy.Config{Domain: strategy.Box(c.dim), Init: 1, Seed: 8}, 1, 2)
		for _, x := range foreign {
			if err := s.Tell(strategy.Observation{X: x, Y: []float64{methodtest.Ridge(x)}}); err != nil {
				t.Fatal(err)
			}
		}
		for range 5 {
			for _, x := range askALEBO(t, s, 2, foreign...) {
				onSubspace(t, s, x)
				if err := s.Tell(strategy.Observation{X: x, Y: []float64{methodtest.Ridge(x)}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		s.in, s.model = lingp.NewInputs(s.B.B.Rows+1), nil // no kernel fits these
		for range s.X {
			s.in.Append(make([]float64, s.B.B.Rows+1))
		}
		points, err := s.Ask(context.Background(), 3, nil)
		if err != nil || len(points) != 3 || s.LastAsk().Fallback == nil {
			t.Fatalf("%d points, error %v, reported %v", len(points), err, s.LastAsk().Fallback)
		}
		for _, p := range points {
			onSubspace(t, s, p.X)
		}
	}
}

func TestALEBOFitsOnSchedule(t *testing.T) {
	for _, c := range []struct{ n, initial, want int }{
		{1, 10, 1}, {9, 10, 9}, {10, 10, 10}, {11, 10, 11}, {19, 10, 19}, {20, 10, 20},
		{21, 10, 20}, {22, 10, 22}, {23, 10, 22}, {100, 100, 100}, {109, 100, 100}, {110, 100, 110}, {5, 1, 5},
	} {
		if got := aleboFitted(c.n, c.initial); got != c.want {
			t.Errorf("%d observations, design of %d: fitted to %d, want %d", c.n, c.initial, got, c.want)
		}
	}
}

// Between two fits the model grows row by row; a replay that is told everything at once
// has the same bytes, pending points or not.
func TestALEBOReplaysBetweenFits(t *testing.T) {
	cfg := strategy.Config{Domain: strategy.Box(30), TrueDim: 1, Init: 30, Seed: 9}
	s := buildALEBO(t, cfg, strategy.Settings{})
	var told []strategy.Observation
	tell := func(x strategy.Point) {
		o := strategy.Observation{X: x, Y: []float64{methodtest.Ridge(x)}}
		told = append(told, o)
		if err := s.Tell(o); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range askALEBO(t, s, 30) {
		tell(x)
	}
	waiting := make(strategy.Point, 30)
	for range 4 { // fits at 30 and 33
		askALEBO(t, s, 2, waiting)
		x := askALEBO(t, s, 1)[0]
		fresh := buildALEBO(t, cfg, strategy.Settings{})
		if err := fresh.Tell(told...); err != nil {
			t.Fatal(err)
		}
		if y := askALEBO(t, fresh, 1)[0]; !slices.Equal(x, y) {
			t.Fatalf("after %d observations a replay asks for another point", len(told))
		}
		tell(x)
	}
}

// A methodtest.Ridge inside the subspace: the best point of the polytope is known, and reached.
func TestALEBOFindsTheMinimumOfItsSubspace(t *testing.T) {
	s := buildALEBO(t, strategy.Config{Domain: strategy.Box(50), TrueDim: 1, Seed: 10}, strategy.Settings{})
	target := s.down(s.up([]float64{0.4, -0.3}))
	f := func(x []float64) float64 {
		z := s.down(x)
		return (z[0]-target[0])*(z[0]-target[0]) + 2*(z[1]-target[1])*(z[1]-target[1])
	}
	if _, best := methodtest.Play(t, s, 25, 1, f); best > 1e-4 {
		t.Errorf("%g above the minimum", best)
	}
}

func TestALEBOEmbeddingDim(t *testing.T) {
	for _, c := range []struct {
		trueDim int
		given   string
		want    int // 0: refused
	}{{0, "", 8}, {3, "", 6}, {6, "", 10}, {3, "true", 3}, {3, "2", 2}, {0, "true", 0}, {3, "11", 0}, {3, "0", 0}, {3, "x", 0}} {
		s := strategy.Settings{}
		if c.given != "" {
			s["d"] = c.given
		}
		built, err := newALEBO(strategy.Config{Domain: strategy.Box(10), TrueDim: c.trueDim, Init: 10}, s)
		switch {
		case c.want == 0 && err == nil:
			t.Errorf("d=%s of %d was accepted", c.given, c.trueDim)
		case c.want > 0 && (err != nil || built.(*alebo).B.B.Rows != c.want):
			t.Errorf("d=%s of %d: error %v, want %d", c.given, c.trueDim, err, c.want)
		}
	}
}

func BenchmarkALEBOAsk(b *testing.B) {
	for _, trueDim := range []int{2, 6} {
		b.Run(fmt.Sprintf("n=500/D=1000/d=%d", 2*trueDim), func(b *testing.B) {
			s := buildALEBO(b, strategy.Config{Domain: strategy.Box(1000), TrueDim: trueDim}, strategy.Settings{})
			for i := range 500 {
				x := s.random(i)
				if err := s.Tell(strategy.Observation{X: x, Y: []float64{methodtest.Ridge(x)}}); err != nil {
					b.Fatal(err)
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
