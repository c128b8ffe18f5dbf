package adaptive

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/strategy"
)

// countdown is a context that ends at its looks-th question.
type countdown struct {
	context.Context
	looks int
}

func (c *countdown) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// An Ask that is cancelled, at whatever moment, leaves no trace in the next one: neither in a
// search nor on the way through several descents, whose ends need fits.
func TestCancelledFit(t *testing.T) {
	for _, c := range []struct {
		spec string
		dim  int
	}{
		{"adaptive", 4},
		{"adaptive:descents=2,descent-length=6,rough=1", 20},
	} {
		cfg := strategy.Config{Domain: strategy.Box(c.dim), Init: 4, Seed: 3, Threads: 1} // a countdown is for one
		r := rand.New(rand.NewPCG(7, 8))
		var obs []strategy.Observation
		for range 25 {
			x := around(0, c.dim, r)
			obs = append(obs, strategy.Observation{X: x, Y: []float64{x[0]*x[0] + 2*x[1]*x[1] + x[2]}})
		}
		ask := func(looks int) (points []strategy.Suggestion, first error) {
			s := newAdaptive(t, c.spec, cfg)
			if err := s.Tell(obs...); err != nil {
				t.Fatal(err)
			}
			if looks > 0 {
				_, first = s.Ask(&countdown{t.Context(), looks - 1}, 1, nil)
			}
			return methodtest.Suggest(t, s, 1), first
		}
		want, _ := ask(0)
		for looks := 1; ; looks += 1 + looks/16 { // an Ask looks a thousand times
			got, cancelled := ask(looks)
			if !slices.Equal(got[0].X, want[0].X) || got[0].Tag != want[0].Tag {
				t.Errorf("%s: after an Ask that was cancelled at its look number %d the next one is for %v, want %v", c.spec, looks, got, want)
			}
			if cancelled == nil {
				if looks < 10 {
					t.Errorf("%s: an Ask looks %d times whether it is cancelled", c.spec, looks)
				}
				break
			}
		}
	}
}
