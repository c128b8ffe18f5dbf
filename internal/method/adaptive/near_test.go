package adaptive

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/strategy"
)

// tub is lowest inside of the box, where it is 0.
func tub(x []float64) (sum float64) {
	for j, v := range x {
		d := v - 0.3*math.Sin(float64(j))
		sum += d * d / float64(len(x))
	}
	return sum
}

// afterRandom returns the lowest of so many random observations of a tub, and what is asked for next.
func afterRandom(t *testing.T, spec string, domain strategy.Domain, observed, count int) (strategy.Point, []strategy.Point) {
	t.Helper()
	a := newAdaptive(t, spec, strategy.Config{Domain: domain, Init: 6, Seed: 9})
	r := rand.New(rand.NewPCG(3, 4))
	obs := make([]strategy.Observation, observed)
	for i := range obs {
		x := make(strategy.Point, domain.Dim())
		for j := range x {
			if x[j] = 2*r.Float64() - 1; domain.Params[j].Levels != nil {
				x[j] = domain.Params[j].Levels[r.IntN(len(domain.Params[j].Levels))]
			}
		}
		obs[i] = strategy.Observation{X: x, Y: []float64{tub(x)}}
	}
	if err := a.Tell(obs...); err != nil {
		t.Fatal(err)
	}
	lowest := slices.MinFunc(obs, func(a, b strategy.Observation) int {
		if a.Y[0] < b.Y[0] {
			return -1
		}
		return 1
	})
	return lowest.X, methodtest.Ask(t, a, count)
}

// Queries stay in a box around the best point, as large as it says, with and without weights.
func TestNear(t *testing.T) {
	for _, spec := range []string{"adaptive:near-share=1,near-reach=0.2", "adaptive:near-share=1,near-reach=0.2,without=weights"} {
		for _, observed := range []int{12, 40} {
			best, points := afterRandom(t, spec+",middle-first=false,local-share=0", strategy.Box(8), observed, 1)
			for j, v := range points[0] {
				if math.Abs(v-best[j]) > 0.2+1e-12 {
					t.Errorf("%s, %d observations: coordinate %d is %g, %g at the best point", spec, observed, j, v, best[j])
				}
			}
		}
	}
}

// With labels alone, with many workers and with fewer observations than parameters nothing stays near.
func TestNotNear(t *testing.T) {
	bits := strategy.Domain{}
	for j := range 12 {
		bits.Params = append(bits.Params, strategy.Param{Name: string(rune('a' + j)), Kind: strategy.Bool, First: j, Width: 1, Levels: []float64{-1, 1}})
	}
	for _, c := range []struct {
		name            string
		domain          strategy.Domain
		observed, count int
		same            bool
	}{
		{"labels", bits, 20, 3, true},
		{"workers", strategy.Box(8), 20, 9, true},
		{"few observations", strategy.Box(20), 19, 1, true},
		{"few workers", strategy.Box(8), 20, 8, false},
		{"enough observations", strategy.Box(20), 20, 1, false},
	} {
		_, with := afterRandom(t, "adaptive", c.domain, c.observed, c.count)
		_, without := afterRandom(t, "adaptive:without=near", c.domain, c.observed, c.count)
		if same := slices.EqualFunc(with, without, slices.Equal); same != c.same {
			t.Errorf("%s: the same points %t, want %t", c.name, same, c.same)
		}
	}
}
