package method

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/strategy"
)

// told is a history of the corners of the square but for the last, with a design of two.
func told(t *testing.T) *History {
	t.Helper()
	h := NewHistory(strategy.Config{Domain: strategy.Box(2), Init: 2, Seed: 1}.WithDefaults())
	if err := h.Add([]strategy.Observation{
		{X: strategy.Point{-1, -1}, Y: []float64{3}}, {X: strategy.Point{-1, 1}, Y: []float64{1}, Std: []float64{0.5}}, {X: strategy.Point{1, -1}, Y: []float64{2}},
	}); err != nil {
		t.Fatal(err)
	}
	return &h
}

func TestAskModelBeginsWithTheDesign(t *testing.T) {
	h := NewHistory(strategy.Config{Domain: strategy.Box(2), Init: 5, Seed: 1}.WithDefaults())
	var report strategy.AskReport
	never := func(context.Context, int, []strategy.Point) ([]strategy.Point, error) {
		t.Fatal("there is no model yet")
		return nil, nil
	}
	design := InitialDesign(h.Config, 0, 7)
	for _, c := range []struct{ pending, n int }{{0, 5}, {2, 3}, {6, 1}} { // with no value there is no model
		got, err := h.AskModel(t.Context(), &report, c.n, Suggest(design[:c.pending]), never)
		if err != nil || !slices.EqualFunc(Points(got), design[c.pending:][:c.n], slices.Equal[strategy.Point]) {
			t.Errorf("%d pending: %v, %v, want those of the design", c.pending, got, err)
		}
	}
}

// A proposer that fails costs the method its choice; one that is cancelled is an error.
func TestAskModelFallsBack(t *testing.T) {
	h := told(t)
	var report strategy.AskReport
	broken := errors.New("no model")
	fail := func(context.Context, int, []strategy.Point) ([]strategy.Point, error) { return nil, broken }
	got, err := h.AskModel(t.Context(), &report, 2, nil, fail)
	if err != nil || len(got) != 2 || !errors.Is(report.Fallback, broken) {
		t.Errorf("%v, %v, reported %v", got, err, report.Fallback)
	}
	if _, _, ok := h.PredictBy(strategy.Point{0, 0}, nil); ok {
		t.Error("a forecast after a fallback")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stop := func(ctx context.Context, _ int, _ []strategy.Point) ([]strategy.Point, error) { return nil, ctx.Err() }
	if _, err := h.AskModel(ctx, &report, 2, nil, stop); !errors.Is(err, context.Canceled) || report.Fallback != nil {
		t.Errorf("cancelled: %v, reported %v", err, report.Fallback)
	}
}

// A point that is pending, or chosen twice, gives way to a random one.
func TestAskModelRepeatsNothing(t *testing.T) {
	h := told(t)
	var report strategy.AskReport
	taken := strategy.Point{0.5, 0.5}
	same := func(_ context.Context, n int, _ []strategy.Point) ([]strategy.Point, error) {
		points := make([]strategy.Point, n)
		for i := range points {
			points[i] = slices.Clone(taken)
		}
		return points, nil
	}
	for _, pending := range [][]strategy.Point{nil, {taken}} {
		asked, err := h.AskModel(t.Context(), &report, 3, Suggest(pending), same)
		if err != nil {
			t.Fatal(err)
		}
		all := append(slices.Clone(pending), Points(asked)...)
		for i, p := range all {
			if slices.ContainsFunc(all[:i], func(q strategy.Point) bool { return Coincide(p, q) }) {
				t.Errorf("%d pending: %v comes twice", len(pending), p)
			}
		}
		if !Coincide(all[0], taken) {
			t.Errorf("%d pending: the first point is %v", len(pending), all[0])
		}
	}
}

type constant struct{}

func (constant) Predict([]float64) (mean, variance float64) { return 2, 0.75 }

// A forecast is made once, with noise, for the model of the last Ask, until something is told.
func TestForecast(t *testing.T) {
	h := told(t)
	built := 0
	build := func() (*Forecast, error) {
		built++
		return &Forecast{Model: constant{}, Noise: 0.25, Back: func(m, v float64) (float64, float64) { return 10 * m, 100 * v }}, nil
	}
	x := strategy.Point{0, 0}
	if _, _, ok := h.PredictBy(x, build); ok {
		t.Error("a forecast before the first Ask")
	}
	var report strategy.AskReport
	ask := func() {
		if _, err := h.AskModel(t.Context(), &report, 1, nil, func(context.Context, int, []strategy.Point) ([]strategy.Point, error) {
			return []strategy.Point{{0.1, 0.2}}, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	ask()
	for range 3 {
		if mean, std, ok := h.PredictBy(x, build); !ok || mean != 20 || std != 10 {
			t.Errorf("%g ± %g, %t, want 20 ± 10", mean, std, ok)
		}
	}
	if built != 1 {
		t.Errorf("the forecast was made %d times", built)
	}
	if _, _, ok := h.PredictBy(strategy.Point{0, 2}, build); ok {
		t.Error("a forecast outside of the box")
	}
	if err := h.Add(nil); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := h.PredictBy(x, build); !ok {
		t.Error("to tell nothing ends the forecast")
	}
	if err := h.Add([]strategy.Observation{{X: x, Y: []float64{1}}}); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := h.PredictBy(x, build); ok {
		t.Error("the forecast outlives a Tell")
	}
	ask()
	if _, _, ok := h.PredictBy(x, func() (*Forecast, error) { return nil, errors.New("no model") }); ok {
		t.Error("a forecast that cannot be made")
	}
}

// All observations of a Tell are kept, or none, and what the caller does with them later does
// not matter.
func TestHistoryAdds(t *testing.T) {
	h := told(t)
	if !slices.Equal(h.Y, []float64{3, 1, 2}) || !slices.Equal(h.Std, []float64{0, 0.5, 0}) {
		t.Errorf("values %v, deviations %v", h.Y, h.Std)
	}
	good := strategy.Observation{X: strategy.Point{0, 0}, Y: []float64{1}}
	if h.Add([]strategy.Observation{good, {X: strategy.Point{0, 2}, Y: []float64{1}}}) == nil || len(h.X) != 3 {
		t.Errorf("%d observations after a bad one", len(h.X))
	}
	if err := h.Add([]strategy.Observation{good}); err != nil {
		t.Fatal(err)
	}
	good.X[0], good.Y[0] = 9, 9
	if h.X[3][0] != 0 || h.Y[3] != 1 {
		t.Errorf("%v, %g share memory with the caller", h.X[3], h.Y[3])
	}
}

func TestLowest(t *testing.T) {
	values := []float64{3, 1, 2, 1, 5}
	for n, want := range map[int][]int{0: {}, 1: {1}, 3: {1, 3, 2}, 9: {1, 3, 2, 0, 4}} {
		if got := Lowest(values, n); !slices.Equal(got, want) {
			t.Errorf("the %d lowest are %v, want %v", n, got, want)
		}
	}
}

func TestStandardise(t *testing.T) {
	y, best := Standardise([]float64{1, 2, 3})
	if !slices.Equal(y, []float64{-1, 0, 1}) || best != -1 {
		t.Errorf("standardised to %v, the lowest %g", y, best)
	}
	if y, best := Standardise([]float64{7, 7}); !slices.Equal(y, []float64{0, 0}) || best != 0 {
		t.Errorf("equal values become %v, the lowest %g", y, best)
	}
}

func TestPointsApart(t *testing.T) {
	p, q := strategy.Point{0, 1}, strategy.Point{0.5, 1}
	if Coincide(p, q) || !Coincide(p, strategy.Point{1e-10, 1}) {
		t.Error("points are the same up to 1e-9")
	}
	if d := SquaredDistance(p, q); math.Abs(d-0.25) > 1e-15 {
		t.Errorf("the squared distance is %g", d)
	}
}
