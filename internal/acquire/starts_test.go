package acquire

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/strategy"
)

func TestStartsAreDistinctAndHoldTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		values := make([]float64, 20)
		for i := range values {
			values[i] = r.NormFloat64()
		}
		best := slices.Index(values, slices.Min(values))
		for _, n := range []int{1, 5, 20, 30} {
			got := Starts(values, n, r)
			if len(got) != min(n, 20) || !slices.Contains(got, best) {
				t.Fatalf("n=%d: %v, best is %d", n, got, best)
			}
			slices.Sort(got)
			if len(slices.Compact(got)) != min(n, 20) {
				t.Fatalf("n=%d: %v repeats", n, got)
			}
		}
	}
}

// The first draw follows the Boltzmann weights exactly.
func TestStartsFollowTheWeights(t *testing.T) {
	values := []float64{0.3, -1, 2, 0.5, 0}
	mean, std := num.MeanStd(values)
	want := make([]float64, len(values))
	var total float64
	for i, v := range values {
		want[i] = math.Exp(-(v - mean) / std)
		total += want[i]
	}
	r := rand.New(rand.NewPCG(3, 4))
	const runs = 40000
	count := make([]float64, len(values))
	for range runs {
		count[Starts(values, 2, r)[0]]++
	}
	var chi float64
	for i := range want {
		e := runs * want[i] / total
		chi += (count[i] - e) * (count[i] - e) / e
	}
	if chi > 18.47 { // 99.9 % of chi-square with 4 degrees of freedom
		t.Errorf("chi-square %.1f, counts %v", chi, count)
	}
}

func TestStartsWithoutInformation(t *testing.T) {
	nan := math.NaN()
	r := rand.New(rand.NewPCG(5, 6))
	for name, values := range map[string][]float64{
		"equal": {7, 7, 7, 7}, "NaN": {nan, nan, nan, nan}, "infinite": {math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)},
	} {
		count := make([]float64, 4)
		for range 4000 {
			for _, i := range Starts(values, 2, r) {
				count[i]++
			}
		}
		for i, c := range count {
			if math.Abs(c-2000) > 5*math.Sqrt(1000) {
				t.Errorf("%s: sample %d chosen %g times of 8000", name, i, c)
			}
		}
	}
	// Finite values come first.
	got := Starts([]float64{nan, 1, nan, 2, nan}, 3, r)
	slices.Sort(got[:2])
	if !slices.Equal(got[:2], []int{1, 3}) || len(got) != 3 {
		t.Errorf("chosen %v, want 1 and 3 first", got)
	}
	if got := Starts(nil, 3, r); len(got) != 0 {
		t.Errorf("no samples: chosen %v", got)
	}
}

func TestStartsOfExtremeValues(t *testing.T) {
	// One outlier among very many samples has a standardised value whose exponential
	// overflows.
	values := make([]float64, 700_000)
	values[123] = -1e300
	got := Starts(values, 2, rand.New(rand.NewPCG(7, 8)))
	if len(got) != 2 || !slices.Contains(got, 123) {
		t.Errorf("chosen %v, want the outlier 123 among them", got)
	}
}

// A function with two valleys: samples lie in both, and the lower one wins though fewer start there.
func TestRaceTakesTheLowerValley(t *testing.T) {
	const dim = 3
	region := NewRegion(strategy.Box(dim))
	samples := linalg.New(20, dim)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range samples.Rows {
		for j := range dim {
			samples.Set(i, j, 0.6+0.3*r.Float64())
			if i < 4 {
				samples.Set(i, j, -samples.At(i, j))
			}
		}
	}
	x, err := Race(t.Context(), valleys{}, samples, region, 10, 3, 40, r)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range x {
		if math.Abs(v+0.5) > 1e-4 {
			t.Fatalf("ended at %v, the lower valley is at -0.5", x)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Race(cancelled, valleys{}, samples, region, 10, 3, 40, r); err == nil {
		t.Error("a cancelled search ended as if it were done")
	}
}

// valleys has one valley at 0.5 and a lower one at -0.5.
type valleys struct{}

func (valleys) Evaluate(value []float64, grad, x linalg.Matrix) {
	for i := range x.Rows {
		side, base := 0.5, 0.1
		if x.At(i, 0) < 0 {
			side, base = -0.5, 0
		}
		value[i] = base
		for j, v := range x.Row(i) {
			value[i] += (v - side) * (v - side)
			if grad.Rows > 0 {
				grad.Set(i, j, 2*(v-side))
			}
		}
	}
}
