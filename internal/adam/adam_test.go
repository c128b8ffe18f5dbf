package adam

import (
	"math"
	"slices"
	"testing"
)

// The first step has size rate whatever the gradient: Maha-BO depends on it.
func TestFirstStepHasFixedSize(t *testing.T) {
	x := []float64{1e-4, -2e-4, 0, 5}
	start := append([]float64(nil), x...)
	New(4).Step(x, []float64{1e-3, -7, 0, 1e5}, 0.1)
	for i, want := range []float64{-0.1, 0.1, 0, -0.1} {
		if got := x[i] - start[i]; math.Abs(got-want) > 2e-6 {
			t.Errorf("coordinate %d moved by %g, want %g", i, got, want)
		}
	}
}

// Three steps on x² from 1 against the recurrence evaluated by hand in exact
// arithmetic (rate 0.1).
func TestStepsFollowTheRecurrence(t *testing.T) {
	s, x := New(1), []float64{1}
	var m, v float64
	want := 1.0
	for k := 1; k <= 30; k++ {
		g := 2 * want
		m = 0.9*m + 0.1*g
		v = 0.999*v + 0.001*g*g
		want -= 0.1 * (m / (1 - math.Pow(0.9, float64(k)))) / (math.Sqrt(v/(1-math.Pow(0.999, float64(k)))) + 1e-8)
		s.Step(x, []float64{2 * x[0]}, 0.1)
		if math.Abs(x[0]-want) > 1e-12 {
			t.Fatalf("step %d: %g, want %g", k, x[0], want)
		}
	}
	if math.Abs(x[0]) > 0.5 {
		t.Errorf("after 30 steps on x² still at %g", x[0])
	}
}

// Parameters moved part by part, in any order, go where one step takes them.
func TestPartsMakeAStep(t *testing.T) {
	whole, parts := []float64{1, -2, 3, -4, 5}, []float64{1, -2, 3, -4, 5}
	grad := []float64{0.5, -1, 0, 1e-9, 7}
	a, b := New(5), New(5)
	for range 3 {
		a.Step(whole, grad, 0.1)
		b.Advance(0.1)
		b.Move(2, parts[2:], grad[2:])
		b.Move(0, parts[:2], grad[:2])
		if !slices.Equal(whole, parts) {
			t.Fatalf("parts at %v, whole at %v", parts, whole)
		}
	}
}

func TestStopNeedsElevenLosses(t *testing.T) {
	s := Stop{Tolerance: 1e-5}
	for k := 1; k <= 20; k++ {
		if done := s.Done(1); done != (k >= 11) {
			t.Fatalf("constant loss: done=%v after %d losses", done, k)
		}
	}
	falling := Stop{Tolerance: 1e-5}
	for k := range 200 {
		if falling.Done(-float64(k)) {
			t.Fatalf("steadily falling loss stopped after %d", k)
		}
	}
	rising := Stop{Tolerance: 1e-5}
	for k := range 11 {
		if done := rising.Done(1 + 0.01*float64(k)); done != (k == 10) {
			t.Fatalf("rising loss: done=%v after %d losses", done, k+1)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	x, g := make([]float64, 10_000), make([]float64, 10_000)
	for i := range g {
		g[i] = float64(i%7) - 3
	}
	s := New(len(x))
	for b.Loop() {
		s.Step(x, g, 0.1)
	}
}
