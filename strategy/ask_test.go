package strategy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestTellRefusesStd(t *testing.T) {
	s, err := New("adaptive", Config{Dim: 1, Init: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, std := range []float64{-1, math.NaN(), math.Inf(1)} {
		if s.Tell(Observation{X: Point{0}, Value: 1, Std: std}) == nil {
			t.Errorf("a standard deviation of %g was taken", std)
		}
	}
}

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

// An Ask that is cancelled, at whatever moment, leaves no trace in the next one.
func TestCancelledFit(t *testing.T) {
	const dim = 4
	r := rand.New(rand.NewPCG(7, 8))
	var obs []Observation
	for range 25 {
		x := around(0, dim, r)
		obs = append(obs, Observation{X: x, Value: x[0]*x[0] + 2*x[1]*x[1] + x[2]})
	}
	ask := func(looks int) (points []Point, first error) {
		s, err := New("adaptive", Config{Dim: dim, Seed: 3})
		if err == nil {
			err = s.Tell(obs...)
		}
		if err != nil {
			t.Fatal(err)
		}
		if looks > 0 {
			_, first = s.Ask(&countdown{t.Context(), looks - 1}, 1, nil)
		}
		points, err = s.Ask(t.Context(), 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		return points, first
	}
	want, _ := ask(0)
	for looks := 1; ; looks++ {
		got, cancelled := ask(looks)
		if !slices.Equal(got[0], want[0]) {
			t.Errorf("after an Ask that was cancelled at its look number %d the next one is for %v, want %v", looks, got, want)
		}
		if cancelled == nil {
			if looks < 10 {
				t.Errorf("an Ask looks %d times whether it is cancelled", looks)
			}
			return
		}
	}
}

// TestOddValues: a method says so when penalties hide the other values, and is silent about
// functions of a wide range.
func TestOddValues(t *testing.T) {
	const dim = 3
	for _, spec := range []string{"adaptive", "vanilla", "maha"} {
		for _, penalty := range []float64{0, 1e7} {
			s, err := New(spec, Config{Dim: dim, Init: 6, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(3, 4))
			for i := range 12 {
				x, value := make(Point, dim), 0.0
				for j := range x {
					x[j] = 2*r.Float64() - 1
					value += math.Exp(3 * x[j])
				}
				if i%4 == 3 {
					value += penalty
				}
				if err := s.Tell(Observation{X: x, Value: value}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.Ask(t.Context(), 1, nil); err != nil {
				t.Fatal(err)
			}
			note := s.(Reporter).LastAsk().Note
			if said := strings.Contains(note, "3 of 12 values"); said != (penalty > 0) {
				t.Errorf("%s: with a penalty of %g the note is %q", spec, penalty, note)
			}
		}
	}
}
