package maha

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/internal/method/paper/embed"
	"github.com/mahabo/mahabo/internal/method/simple"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

func twoStepMethods() []strategy.Method {
	return []strategy.Method{Pinv(), Random()}
}

func buildTwoStep(t *testing.T, m strategy.Method, cfg strategy.Config, s strategy.Settings) *mahaTwoStep {
	t.Helper()
	built, err := m.New(cfg.WithDefaults(), s)
	if err != nil {
		t.Fatal(err)
	}
	return built.(*mahaTwoStep)
}

func askTwoStep(t *testing.T, s strategy.Strategy, n int, pending ...strategy.Point) []strategy.Point {
	t.Helper()
	points := methodtest.Ask(t, s, n, pending...)
	if r := s.(strategy.Reporter).LastAsk(); r.Fallback != nil {
		t.Fatalf("fell back on ordinary data: %v", r.Fallback)
	}
	return points
}

func TestTwoStepBeatsRandomOnARidge(t *testing.T) {
	best := map[string]float64{}
	for _, m := range append(twoStepMethods(), simple.Random()) {
		s, err := m.New(strategy.Config{Domain: strategy.Box(40), Seed: 1}.WithDefaults(), strategy.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		_, best[m.Name] = methodtest.Play(t, s, 50, 1, methodtest.Ridge)
	}
	if !(best["maha-pinv"] < best["random"]/5 && best["maha-random"] < best["random"]/5) {
		t.Errorf("reached %v", best)
	}
}

// Both methods fit the same model and choose the same z. The pseudo-inverse returns the
// point of the row space of B that maps to it, the randomised one another of its fibre.
func TestTwoStepReconstructsTheSameZ(t *testing.T) {
	ctx := context.Background()
	for d := 1; d <= 3; d++ {
		cfg := strategy.Config{Domain: strategy.Box(8), TrueDim: d, Seed: 5}
		pinv := buildTwoStep(t, twoStepMethods()[0], cfg, strategy.Settings{})
		random := buildTwoStep(t, twoStepMethods()[1], cfg, strategy.Settings{})
		points, _ := methodtest.Play(t, pinv, 4, 5, methodtest.Ridge)
		for _, x := range points {
			if err := random.Tell(strategy.Observation{X: x, Y: []float64{methodtest.Ridge(x)}}); err != nil {
				t.Fatal(err)
			}
		}
		a, b := askTwoStep(t, pinv, 3), askTwoStep(t, random, 3)
		task, err := pinv.learn(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		B := embed.Linear{B: task.model.Hyper().B}
		inverse, err := embed.NewPseudoInverse(B.B)
		if err != nil {
			t.Fatal(err)
		}
		za, zb, back := make([]float64, d), make([]float64, d), make([]float64, 8)
		B.Apply(za, a[0])
		B.Apply(zb, b[0])
		half := 0.0
		for k := range za {
			half += (za[k] - zb[k]) * (za[k] - zb[k]) / 2
		}
		if half > 1e-5 {
			t.Errorf("d=%d: z is %v and %v", d, za, zb)
		}
		if err := inverse.Reconstruct(ctx, back, za, nil); err != nil {
			t.Fatal(err)
		}
		for j := range back {
			if math.Abs(back[j]-a[0][j]) > 1e-9 {
				t.Fatalf("d=%d: the first point leaves the row space of B at coordinate %d: %g, %g", d, j, a[0][j], back[j])
			}
		}
	}
}

// A search that fails leaves z so far outside that its point is a corner of the box; maha-pinv moves
// it to the row space of B as it does all points.
func TestFailedSearchesEndInCornersOfTheBox(t *testing.T) {
	const dim, runs = 200, 64
	corners := 0
	for seed := range uint64(runs) {
		cfg, far := strategy.Config{Domain: strategy.Box(dim), TrueDim: 2, Seed: seed}, strategy.Settings{"starts": "far"}
		pinv, random := buildTwoStep(t, twoStepMethods()[0], cfg, far), buildTwoStep(t, twoStepMethods()[1], cfg, far)
		methodtest.Play(t, pinv, 1, 10, methodtest.Ridge)
		methodtest.Play(t, random, 1, 10, methodtest.Ridge)
		x := askTwoStep(t, random, 1)[0]
		if slices.ContainsFunc(x, func(v float64) bool { return math.Abs(v) != 1 }) {
			continue
		}
		corners++
		inverse, err := embed.NewPseudoInverse(random.hyper.B)
		if err != nil {
			t.Fatal(err)
		}
		z := make([]float64, 2)
		embed.Linear{B: random.hyper.B}.Apply(z, x)
		if err := inverse.Reconstruct(context.Background(), x, z, nil); err != nil {
			t.Fatal(err)
		}
		if got := askTwoStep(t, pinv, 1)[0]; !slices.Equal(got, x) {
			t.Errorf("seed %d: maha-pinv asks for %v..., want %v...", seed, got[:3], x[:3])
		}
	}
	if corners < runs/32 || corners > runs/3 {
		t.Errorf("%d of %d points are corners of the box, want about one in eight", corners, runs)
	}
}

// From one parameter on, and with as many directions as parameters; Tell refuses points
// outside the box.
func TestTwoStepSizes(t *testing.T) {
	for _, m := range twoStepMethods() {
		for _, c := range []struct {
			dim   int
			d     string
			batch int
		}{{1, "1", 1}, {1, "1", 5}, {2, "2", 5}, {6, "6", 1}, {6, "6", 3}, {60, "2", 1}} {
			for _, starts := range []string{"corners", "inside", "far"} {
				t.Run(fmt.Sprintf("%s,D=%d,d=%s,B=%d,%s", m.Name, c.dim, c.d, c.batch, starts), func(t *testing.T) {
					s := buildTwoStep(t, m, strategy.Config{Domain: strategy.Box(c.dim), Seed: 1}, strategy.Settings{"d": c.d, "starts": starts})
					methodtest.Play(t, s, max(3, 13/c.batch), c.batch, methodtest.Ridge)
					askTwoStep(t, s, c.batch, make(strategy.Point, c.dim))
				})
			}
		}
	}
}

func TestTwoStepEmbeddingDim(t *testing.T) {
	for _, c := range []struct {
		trueDim int
		given   string
		want    int // 0: refused
	}{{0, "", 1}, {3, "", 3}, {3, "true", 3}, {3, "2", 2}, {0, "true", 0}, {3, "11", 0}, {3, "0", 0}, {3, "x", 0}} {
		s := strategy.Settings{}
		if c.given != "" {
			s["d"] = c.given
		}
		for _, m := range twoStepMethods() {
			built, err := m.New(strategy.Config{Domain: strategy.Box(10), TrueDim: c.trueDim, Init: 10}, s)
			switch {
			case c.want == 0 && err == nil:
				t.Errorf("%s: d=%s of %d was accepted", m.Name, c.given, c.trueDim)
			case c.want > 0 && (err != nil || built.(*mahaTwoStep).d != c.want):
				t.Errorf("%s: d=%s of %d: %+v, error %v, want %d", m.Name, c.given, c.trueDim, built, err, c.want)
			}
		}
	}
}

// Telling the observations to a new strategy gives its next points, byte for byte, with
// any number of cores.
func TestTwoStepReplays(t *testing.T) {
	for _, m := range twoStepMethods() {
		cfg := strategy.Config{Domain: strategy.Box(30), TrueDim: 2, Seed: 9}
		s, fresh := buildTwoStep(t, m, cfg, strategy.Settings{}), buildTwoStep(t, m, cfg, strategy.Settings{})
		points, _ := methodtest.Play(t, s, 3, 5, methodtest.Ridge)
		for _, x := range points {
			if err := fresh.Tell(strategy.Observation{X: x, Y: []float64{methodtest.Ridge(x)}}); err != nil {
				t.Fatal(err)
			}
		}
		pending := make(strategy.Point, 30)
		want := askTwoStep(t, s, 5, pending)
		before := runtime.GOMAXPROCS(1)
		got := askTwoStep(t, fresh, 5, pending)
		runtime.GOMAXPROCS(before)
		if !slices.EqualFunc(got, want, slices.Equal[strategy.Point]) {
			t.Errorf("%s: the replay differs", m.Name)
		}
	}
}

// Ask never fails on valid data.
func TestTwoStepSurvivesDegenerateData(t *testing.T) {
	const dim = 12
	for _, m := range twoStepMethods() {
		for name, value := range map[string]func(i int) float64{
			"constant": func(int) float64 { return 3 },
			"huge":     func(i int) float64 { return 1e300 * float64(i%7-3) },
			"tiny":     func(i int) float64 { return 1e-300 * float64(i) },
			"offset":   func(i int) float64 { return 1e12 + float64(i) },
		} {
			for _, duplicates := range []bool{false, true} {
				s := buildTwoStep(t, m, strategy.Config{Domain: strategy.Box(dim), Seed: 4}, strategy.Settings{"d": "2"})
				for i := range 15 {
					p := make(strategy.Point, dim)
					if !duplicates {
						rng.NewFiller(rng.New(uint64(i))).Uniform(p)
					}
					if err := s.Tell(strategy.Observation{X: p, Y: []float64{value(i)}}); err != nil {
						t.Fatal(err)
					}
				}
				points, err := s.Ask(context.Background(), 2, nil)
				if err != nil || len(points) != 2 || strategy.CheckPoint(points[0].X, dim) != nil || strategy.CheckPoint(points[1].X, dim) != nil {
					t.Errorf("%s, %s, duplicates %v: %v, error %v", m.Name, name, duplicates, points, err)
				}
			}
		}
	}
}

func TestTwoStepFallsBackAndStops(t *testing.T) {
	for _, m := range twoStepMethods() {
		s := buildTwoStep(t, m, strategy.Config{Domain: strategy.Box(6), Seed: 1}, strategy.Settings{})
		methodtest.Play(t, s, 2, 5, methodtest.Ridge)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := s.Ask(ctx, 5, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled, got %v", m.Name, err)
		}
		s.d = 0 // no kernel has dimension 0
		points, err := s.Ask(context.Background(), 4, nil)
		if err != nil || len(points) != 4 || s.LastAsk().Fallback == nil {
			t.Errorf("%s: %d points, error %v, report %+v", m.Name, len(points), err, s.LastAsk())
		}
	}
}
