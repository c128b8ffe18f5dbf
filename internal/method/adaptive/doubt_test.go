package adaptive

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/strategy"
)

// Predictions are doubted where many points are open, there is an observation for four parameters, and there are no models with directions.
func TestDoubt(t *testing.T) {
	for _, c := range []struct {
		dim, observed, batch, pending int
		want                          bool
	}{{120, 140, 8, 0, false}, {120, 140, 1, 7, false}, {120, 140, 9, 0, true}, {120, 140, 4, 5, true}, {220, 54, 9, 0, false}, {220, 55, 9, 0, true}, {20, 40, 9, 0, false}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			cfg := strategy.Config{Domain: strategy.Box(c.dim), Init: 6, Seed: 9}
			var points [2][]strategy.Point
			for i, spec := range []string{"adaptive:middle-first=false", "adaptive:middle-first=false,without=doubt"} {
				a := newAdaptive(t, spec, cfg)
				tellRandom(t, a, c.observed, tub)
				asked, err := a.Ask(t.Context(), c.batch, method.Suggest(method.UniformAfterDesign(cfg, 100, c.pending)))
				if err != nil {
					t.Fatal(err)
				}
				points[i] = method.Points(asked)
			}
			if differ := !slices.EqualFunc(points[0], points[1], slices.Equal); differ != c.want {
				t.Errorf("predictions are doubted: %t", differ)
			}
		})
	}
}

// What a batch doubts is not part of what is predicted afterwards.
func TestDoubtEnds(t *testing.T) {
	const dim = 120
	for _, spec := range []string{"adaptive:without=weights", "adaptive"} {
		var means [2]float64
		for i := range means {
			a := newAdaptive(t, spec, strategy.Config{Domain: strategy.Box(dim), Init: 6, Seed: 9})
			tellRandom(t, a, 140, tub)
			methodtest.Ask(t, a, 1+29*i)
			f, err := a.whole.forecast()
			if err != nil {
				t.Fatal(err)
			}
			means[i], _ = f.Model.Predict(make([]float64, dim))
		}
		if means[0] != means[1] {
			t.Errorf("%s: the mean is %g, after a large batch %g", spec, means[0], means[1])
		}
	}
}
