package adaptive

import (
	"math/rand/v2"
	"testing"

	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/strategy"
)

func TestRegions(t *testing.T) { methodtest.Regions(t, Method()) }

func TestRegionElsewhere(t *testing.T) { methodtest.RegionElsewhere(t, Method()) }

// Observations need not lie in the region: whoever asks may hold a coordinate where none of
// them is. The search begins at the image of a good one, and measures progress from there.
func TestSearchEntersTheRegion(t *testing.T) {
	const dim = 3
	d := strategy.Box(dim)
	d.Fixed = map[int]float64{0: -0.75}
	d.Linear = []strategy.Row{{Coordinate: []int{1, 2}, Coefficient: []float64{1, 1}, Bound: -0.5}}
	a := newAdaptive(t, "adaptive", strategy.Config{Domain: d, Init: 4, Seed: 1})
	bowl := func(x []float64) (sum float64) {
		for _, v := range x {
			sum += (v - 0.25) * (v - 0.25)
		}
		return sum
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		x := make(strategy.Point, dim)
		for j := range x {
			x[j] = r.Float64() // none of them is in the region
		}
		methodtest.Tell(t, a, x, bowl(x))
	}
	if err := a.learned(t).whole.refit(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := a.whole.condition(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	at := a.around(all, everywhere)
	if at.centre[0] != -0.75 || at.centre[1]+at.centre[2] > -0.5+1e-9 {
		t.Errorf("the search begins at %v, outside of the region", at.centre)
	}
	if mean, _ := all.model.Predict(at.centre); at.best != mean {
		t.Errorf("the model expects %g there, progress is measured from %g", mean, at.best)
	}
}
