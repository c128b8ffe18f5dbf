package strategytest

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mahabo/mahabo/internal/method/simple"
	"github.com/mahabo/mahabo/strategy"
)

// Every check accepts random search, which promises nothing about quality.
func TestRandomSearchPasses(t *testing.T) {
	for _, batch := range []bool{false, true} {
		for _, c := range checks(Options{Method: "random", Batch: batch, Cost: Cheap, Baseline: true}) {
			if err := c.Run(kind{}.build); err != nil {
				t.Error(err)
			}
		}
	}
}

// Every check catches the strategies made to fail it, and says so.
func TestFaultsAreCaught(t *testing.T) {
	o := Options{Method: "faulty", Batch: true}
	caught := map[string]bool{}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			for _, c := range checks(o) {
				if c.Name != f.check {
					continue
				}
				err := c.Run(f.kind.build)
				if err == nil {
					t.Fatalf("%s passed", f.check)
				}
				if !strings.HasPrefix(err.Error(), "faulty: "+f.check+": ") || !strings.Contains(err.Error(), f.says) {
					t.Errorf("%q does not name the method, the check and %q", err, f.says)
				}
				caught[c.Name] = true
			}
		})
	}
	for _, c := range checks(o) {
		if !caught[c.Name] {
			t.Errorf("no fault shows that %s can fail", c.Name)
		}
	}
}

// An answer that comes late is caught even when it is right.
func TestLateAnswersAreCaught(t *testing.T) {
	late := kind{ask: func(f *fault, ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
		if len(f.told) > 0 {
			time.Sleep(40 * time.Millisecond)
		}
		return f.Strategy.Ask(ctx, n, pending)
	}}
	s := suite{Options{Prompt: 20 * time.Millisecond}.withDefaults(), late.build}
	if err := s.cancel(); err == nil || !strings.Contains(err.Error(), "after the end of the context") {
		t.Errorf("got %v", err)
	}
}

// A strategy that cannot be built fails every check that builds one.
func TestBuildErrorsAreReported(t *testing.T) {
	broken := func(strategy.Config) (strategy.Strategy, error) { return nil, errModel }
	for _, c := range checks(Options{}) {
		if err := c.Run(broken); !errors.Is(err, errModel) {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// reporting says that every Ask fell back.
type reporting struct{ strategy.Strategy }

func (reporting) LastAsk() strategy.AskReport { return strategy.AskReport{Fallback: errModel} }

func TestFallbacksBreakThePromise(t *testing.T) {
	s := suite{Options{Beats: Promise{F: func([]float64) float64 { return 0 }, Dim: 2, Init: 1, Evals: 2, Batch: 1, Margin: 1}}, nil}
	s.build = kind{}.build
	if err := s.minimises(); err != nil {
		t.Error(err)
	}
	s.build = func(cfg strategy.Config) (strategy.Strategy, error) {
		inner, err := kind{}.build(cfg)
		return reporting{inner}, err
	}
	if err := s.minimises(); !errors.Is(err, errModel) {
		t.Errorf("got %v", err)
	}
}

// The promised functions reach 0 inside the box and nothing less.
func TestPromisedMinima(t *testing.T) {
	centre := make(strategy.Point, ShiftedSphere().Dim)
	for j := range centre {
		centre[j] = 0.5 * math.Cos(3*float64(j))
	}
	for _, c := range []struct {
		Promise
		minimum strategy.Point
	}{
		{ShiftedSphere(), centre},
		{Ridge(), alongRidge(Ridge().Dim)},
	} {
		if err := valid([]strategy.Suggestion{{X: c.minimum}}, c.Dim, 1); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if v := c.F(c.minimum); v > 1e-28 {
			t.Errorf("%s is %g at its minimum", c.Name, v)
		}
		for _, x := range scatter(1000, c.Dim, 1) {
			if c.F(x.X) <= 0 {
				t.Fatalf("%s is %g at %v", c.Name, c.F(x.X), x.X)
			}
		}
	}
}

// alongRidge is the point t*cos(j) with z = 2.
func alongRidge(dim int) strategy.Point {
	x := make(strategy.Point, dim)
	norm := 0.0
	for j := range x {
		x[j] = math.Cos(float64(j))
		norm += x[j] * x[j]
	}
	for j := range x {
		x[j] *= 2 * math.Sqrt(float64(dim)) / norm
	}
	return x
}

// Run hands the subtest's t to the builder.
func TestRun(t *testing.T) {
	names := map[string]bool{}
	Run(t, func(t testing.TB, cfg strategy.Config) strategy.Strategy {
		names[t.Name()] = true
		s, err := simple.Sobol().New(cfg.WithDefaults(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}, Options{Method: "sobol", Batch: true, Cost: Cheap, Baseline: true})
	for _, c := range checks(Options{}) {
		if c.Name != "minimises" && !names["TestRun/"+c.Name] {
			t.Errorf("%s was not a subtest of its own", c.Name)
		}
	}
}
