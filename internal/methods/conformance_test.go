package methods_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/strategy/strategytest"
)

// promises lists what differs from the suite's defaults, by method. A method that
// is not listed has to find the minimum of the shifted sphere.
var promises = map[string]strategytest.Options{
	"maha":        mahaPromise,
	"maha-random": mahaPromise,
	"maha-pinv":   {Beats: sequentialRidge()},
	"rbf":         {Cost: strategytest.Slow},
	"rembo":       {Beats: twoOfForty()},
	"hesbo":       {Beats: twoOfForty()},
	"silbo":       {Beats: flatSphere()},
	"turbo":       {Cost: strategytest.Slow, Beats: localSphere()},
	"alebo":       {Cost: strategytest.Slow, Beats: wholeBoxSphere()},
	"vanilla":     {},
	"cmaes":       {Cost: strategytest.Cheap},
	"sobol":       {Cost: strategytest.Cheap, Baseline: true},
	"random":      {Cost: strategytest.Cheap, Baseline: true},
}

var mahaPromise = strategytest.Options{Beats: strategytest.Ridge()}

// maha-pinv learns its direction from what it queries; in batches all of that lies in
// the row space of an early B, and random search is beaten by a factor of two only.
func sequentialRidge() strategytest.Promise {
	t := strategytest.Ridge()
	t.Batch = 1
	return t
}

// wholeBoxSphere has as many parameters as the embedding of alebo has dimensions, 4; a
// sphere of more has its minimum outside a random subspace.
func wholeBoxSphere() strategytest.Promise {
	t := strategytest.ShiftedSphere()
	t.Dim = 4
	return t
}

// silbo's two generations of reconstruction reach the z they look for in few
// dimensions only.
func flatSphere() strategytest.Promise {
	t := strategytest.ShiftedSphere()
	t.Dim = 2
	return t
}

// twoOfForty has a minimum in most subspaces of a few dimensions: only two parameters
// matter.
func twoOfForty() strategytest.Promise {
	return strategytest.Promise{
		Name: "two of forty",
		F: func(x []float64) float64 {
			return (x[3]-0.5)*(x[3]-0.5) + (x[8]+0.25)*(x[8]+0.25)
		},
		Dim: 40, Init: 10, Evals: 50, Batch: 1, Margin: 0.05,
	}
}

// Five trust regions need a design each before they begin.
func localSphere() strategytest.Promise {
	t := strategytest.ShiftedSphere()
	t.Init, t.Evals = 4, 60
	return t
}

// ownDesign are the methods that do not start from the shared points.
var ownDesign = []string{"turbo", "rembo", "hesbo", "alebo"}

// variants are run beside the methods with their default options.
var variants = []string{
	"maha:d=true",
	"maha:fit=lbfgs",
	"maha:quirks=true",
	"maha-pinv:starts=inside",
	"maha-random:starts=inside",
	"maha:d=true,fit=lbfgs,search=separate,quirks=true",
	"turbo:m=1",
}

// promise is what a specification has to keep.
func promise(t *testing.T, spec string) strategytest.Options {
	t.Helper()
	name, _, _ := strings.Cut(spec, ":")
	for _, m := range methods.BuiltIn().Methods() {
		if m.Name == name {
			o := promises[name]
			o.Method, o.Batch, o.Abilities = spec, m.Batch, m.Abilities
			return o
		}
	}
	t.Fatalf("%s is not a method", name)
	return strategytest.Options{}
}

func builder(spec string) strategytest.Builder {
	return func(cfg strategy.Config) (strategy.Strategy, error) { return methods.BuiltIn().New(spec, cfg) }
}

func TestConformance(t *testing.T) {
	specs := slices.Clone(variants)
	for _, m := range methods.BuiltIn().Methods() {
		specs = append(specs, m.Name)
	}
	for _, spec := range specs {
		t.Run(spec, func(t *testing.T) {
			strategytest.Run(t, func(t testing.TB, cfg strategy.Config) strategy.Strategy {
				s, err := methods.BuiltIn().New(spec, cfg)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}, promise(t, spec))
		})
	}
	for name := range promises {
		promise(t, name)
	}
}

// All methods of a seed start from the same points, so that a comparison of methods
// is not one of designs, except those to which a design of their own belongs.
func TestInitialDesignIsShared(t *testing.T) {
	cfg := strategy.Config{Domain: strategy.Box(7), Init: 10, Seed: 5}
	design := func(name string) []strategy.Suggestion {
		s, err := methods.BuiltIn().New(name, cfg)
		if err != nil {
			t.Fatal(err)
		}
		points, err := s.Ask(t.Context(), cfg.Init, nil)
		if err != nil {
			t.Fatal(err)
		}
		return points
	}
	want := design("sobol")
	for _, m := range methods.BuiltIn().Methods() {
		if slices.Contains(ownDesign, m.Name) {
			continue
		}
		for i, p := range design(m.Name) {
			for j, v := range p.X {
				if math.Float64bits(v) != math.Float64bits(want[i].X[j]) {
					t.Fatalf("%s: coordinate %d of point %d is %v, the design has %v", m.Name, j, i, v, want[i].X[j])
				}
			}
		}
	}
}

// Any interleaving of asking, waiting and telling replays. The suite tries fixed
// plans on every method; here rapid searches and shrinks, where an Ask costs little.
func TestInterleavings(t *testing.T) {
	step := rapid.Custom(func(t *rapid.T) strategytest.Step {
		return strategytest.Step{
			Ask:     rapid.IntRange(0, 20).Draw(t, "ask"),
			Tell:    rapid.IntRange(0, 20).Draw(t, "tell"),
			Newest:  rapid.Bool().Draw(t, "newest"),
			Foreign: rapid.IntRange(0, 3).Draw(t, "foreign"),
		}
	})
	for name, o := range promises {
		if o.Cost != strategytest.Cheap {
			continue
		}
		o = promise(t, name)
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			plan := rapid.SliceOfN(step, 1, 8).Draw(t, "plan")
			if err := strategytest.Interleave(builder(name), o, plan); err != nil {
				t.Fatal(err)
			}
		}))
	}
}
