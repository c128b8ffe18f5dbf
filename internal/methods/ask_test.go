package methods_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/strategy"
)

func TestTellRefusesStd(t *testing.T) {
	s, err := methods.BuiltIn().New("adaptive", strategy.Config{Domain: strategy.Box(1), Init: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, std := range []float64{-1, math.NaN(), math.Inf(1)} {
		if s.Tell(strategy.Observation{X: strategy.Point{0}, Y: []float64{1}, Std: []float64{std}}) == nil {
			t.Errorf("a standard deviation of %g was taken", std)
		}
	}
}

// TestOddValues: a method says so when penalties hide the other values, and is silent about
// functions of a wide range.
func TestOddValues(t *testing.T) {
	const dim = 3
	for _, spec := range []string{"adaptive", "vanilla", "maha"} {
		for _, penalty := range []float64{0, 1e7} {
			s, err := methods.BuiltIn().New(spec, strategy.Config{Domain: strategy.Box(dim), Init: 6, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(3, 4))
			for i := range 12 {
				x, value := make(strategy.Point, dim), 0.0
				for j := range x {
					x[j] = 2*r.Float64() - 1
					value += math.Exp(3 * x[j])
				}
				if i%4 == 3 {
					value += penalty
				}
				if err := s.Tell(strategy.Observation{X: x, Y: []float64{value}}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.Ask(t.Context(), 1, nil); err != nil {
				t.Fatal(err)
			}
			note := s.(strategy.Reporter).LastAsk().Note
			if said := strings.Contains(note, "3 of 12 values"); said != (penalty > 0) {
				t.Errorf("%s: with a penalty of %g the note is %q", spec, penalty, note)
			}
		}
	}
}
