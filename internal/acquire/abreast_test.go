package acquire

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/strategy"
)

// bowl is a model of a bowl with several searches in a box.
func bowl(t testing.TB, n, dim, count, starts int) (*gp.Posterior, []Search) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	p := gp.NewPoints(dim)
	y := make([]float64, n)
	for i := range y {
		x := uniform(r, dim)
		p.Append(x)
		for j, v := range x {
			y[i] += (v - 0.3*math.Sin(float64(j))) * (v - 0.3*math.Sin(float64(j))) / float64(dim)
		}
	}
	model, err := gp.Condition(gp.Hyper{Metric: gp.Isotropic{Theta: 0.5}, Noise: 1e-4}, gp.Data{Points: p, Y: y}, 0)
	if err != nil {
		t.Fatal(err)
	}
	region := NewRegion(strategy.Box(dim))
	searches := make([]Search, count)
	for k := range searches {
		s := Search{Of: LowerBound(float64(k % 3)), Starts: linalg.New(starts, dim), Region: region}
		if k%2 == 1 {
			s.Region = region.Around(make([]float64, dim), 0.1)
		}
		for i := range starts {
			copy(s.Starts.Row(i), uniform(r, dim))
			s.Region.Keep(s.Starts.Row(i))
		}
		searches[k] = s
	}
	return model, searches
}

// Searches side by side end where each ends alone.
func TestSearchesAbreast(t *testing.T) {
	const dim, steps, more = 6, 4, 20
	model, searches := bowl(t, 60, dim, 5, 3)
	races, err := RaceAll(t.Context(), model, searches, steps, more)
	if err != nil {
		t.Fatal(err)
	}
	for k, s := range searches {
		f := Term{Model: model, Of: s.Of}
		var best []float64
		lowest := math.Inf(1)
		for i := range s.Starts.Rows {
			x, value, err := Polish(t.Context(), f, s.Starts.Row(i), s.Region, steps)
			if err != nil {
				t.Fatal(err)
			}
			if value < lowest {
				best, lowest = x, value
			}
		}
		want, _, err := Polish(t.Context(), f, best, s.Region, more)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "a race", races[k], want)
	}
}

func TestSearchesAbreastStop(t *testing.T) {
	model, searches := bowl(t, 20, 3, 2, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := RaceAll(ctx, model, searches, 5, 5); !errors.Is(err, context.Canceled) {
		t.Errorf("RaceAll returns %v", err)
	}
}

// BenchmarkAbreast compares 25 searches side by side with one after another.
func BenchmarkAbreast(b *testing.B) {
	model, searches := bowl(b, 1500, 1000, 25, 4)
	run := func(b *testing.B, size int) {
		for b.Loop() {
			for k := 0; k < len(searches); k += size {
				if _, err := RaceAll(b.Context(), model, searches[k:min(k+size, len(searches))], 3, 2); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("together", func(b *testing.B) { run(b, len(searches)) })
	b.Run("single", func(b *testing.B) { run(b, 1) })
}
