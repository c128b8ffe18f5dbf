package study_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/study"
)

// scripted is a strategy of one parameter whose points are numbered -1, -0.99, ...
type scripted struct {
	asked, told []int
	next        int
	delay       time.Duration
	short       bool
	askErr      error
	tellErr     error
}

func (s *scripted) Ask(_ context.Context, n int, _ []strategy.Point) ([]strategy.Point, error) {
	time.Sleep(s.delay)
	s.asked = append(s.asked, n)
	if s.askErr != nil && len(s.asked) > 1 {
		return nil, s.askErr
	}
	if s.short {
		n--
	}
	points := make([]strategy.Point, n)
	for i := range points {
		points[i] = strategy.Point{-1 + float64(s.next)/100}
		s.next++
	}
	return points, nil
}

func (s *scripted) Tell(obs ...strategy.Observation) error {
	s.told = append(s.told, len(obs))
	return s.tellErr
}

func square(_ context.Context, x []float64) (float64, error) { return x[0] * x[0], nil }

func TestRounds(t *testing.T) {
	for _, c := range []struct {
		name               string
		init, evals, batch int
		rounds             []int
	}{
		{"sequential", 3, 2, 1, []int{3, 1, 1}},
		{"whole batches", 10, 10, 5, []int{10, 5, 5}},
		{"last round is cut", 10, 12, 5, []int{10, 5, 5, 2}},
		{"batch above evals", 2, 3, 8, []int{2, 3}},
		{"initial design only", 4, 0, 5, []int{4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &scripted{}
			var seen []study.Progress
			r, err := study.Run(t.Context(), study.Options{
				Strategy: s, Objective: square, Init: c.init, Evals: c.evals, Batch: c.batch,
				OnBatch: func(p study.Progress) { seen = append(seen, p) },
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.rounds, s.asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.rounds, s.told); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
			total := c.init + c.evals
			if len(r.Curve) != total || len(r.Observations) != total || len(r.Suggestions) != c.evals {
				t.Errorf("%d curve values, %d observations, %d suggestions, want %d, %d, %d",
					len(r.Curve), len(r.Observations), len(r.Suggestions), total, total, c.evals)
			}
			if len(seen) != len(c.rounds) {
				t.Fatalf("%d progress calls for %d rounds", len(seen), len(c.rounds))
			}
			last := seen[len(seen)-1]
			if last.Done != total || last.Total != total || last.Best != r.Curve[total-1] || last.Remaining != 0 {
				t.Errorf("last progress is %+v", last)
			}
		})
	}
}

func TestBestAndCurve(t *testing.T) {
	values := []float64{3, 4, 2, 2, 5, -1, 0}
	i := 0
	r, err := study.Run(t.Context(), study.Options{
		Strategy: &scripted{}, Init: 3, Evals: 4, Batch: 2,
		Objective: func(context.Context, []float64) (float64, error) { i++; return values[i-1], nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{3, 3, 2, 2, 2, -1, -1}, r.Curve); diff != "" {
		t.Errorf("curve (-want +got):\n%s", diff)
	}
	best, ok := r.Best()
	if want := (strategy.Observation{X: strategy.Point{-0.95}, Value: -1}); !ok || !cmp.Equal(best, want) {
		t.Errorf("best is %v (%v), want %v", best, ok, want)
	}
	if _, ok := (&study.Result{}).Best(); ok {
		t.Error("an empty result has a best observation")
	}
}

func TestTimeIsTheStrategysAlone(t *testing.T) {
	const delay, evaluation = 10 * time.Millisecond, 200 * time.Millisecond
	r, err := study.Run(t.Context(), study.Options{
		Strategy: &scripted{delay: delay}, Init: 2, Evals: 4, Batch: 2,
		Objective: func(context.Context, []float64) (float64, error) { time.Sleep(evaluation); return 1, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	// Three Asks, six evaluations; a busy machine takes longer than the delays.
	if r.Optimiser < 3*delay || r.Optimiser >= 6*evaluation {
		t.Errorf("the strategy took %v, want about %v", r.Optimiser, 3*delay)
	}
	if m := r.MedianSuggestion(); m < delay/2 || m >= evaluation {
		t.Errorf("a suggestion took %v, want about %v", m, delay/2)
	}
}

func TestMedianSuggestion(t *testing.T) {
	for _, c := range []struct {
		in   []time.Duration
		want time.Duration
	}{{nil, 0}, {[]time.Duration{7}, 7}, {[]time.Duration{9, 1, 4}, 4}, {[]time.Duration{8, 1, 4, 2}, 3}} {
		if got := (&study.Result{Suggestions: c.in}).MedianSuggestion(); got != c.want {
			t.Errorf("median of %v is %v, want %v", c.in, got, c.want)
		}
	}
}

func TestObjectiveFailureKeepsWhatWasSeen(t *testing.T) {
	broken := errors.New("simulator crashed")
	for _, c := range []struct {
		name  string
		value float64
		err   error
		is    error
	}{
		{"error", 0, broken, broken},
		{"NaN", math.NaN(), nil, study.ErrNotFinite},
		{"+Inf", math.Inf(1), nil, study.ErrNotFinite},
		{"-Inf", math.Inf(-1), nil, study.ErrNotFinite},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &scripted{}
			n := 0
			r, err := study.Run(t.Context(), study.Options{
				Strategy: s, Init: 4, Evals: 10, Batch: 5,
				Objective: func(ctx context.Context, x []float64) (float64, error) {
					if n++; n == 7 {
						return c.value, c.err
					}
					return square(ctx, x)
				},
			})
			var failed *study.EvaluationError
			if !errors.As(err, &failed) || failed.Number != 7 || !errors.Is(err, c.is) {
				t.Errorf("error is %v", err)
			}
			if len(r.Observations) != 6 || len(r.Curve) != 6 {
				t.Errorf("%d observations and %d curve values kept, want 6", len(r.Observations), len(r.Curve))
			}
			if best, ok := r.Best(); !ok || best.Value != r.Curve[5] {
				t.Errorf("best is %v (%v)", best, ok)
			}
		})
	}
}

func TestCancelKeepsWhatWasSeen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	r, err := study.Run(ctx, study.Options{
		Strategy: &scripted{}, Init: 4, Evals: 10, Batch: 5,
		Objective: func(ctx context.Context, x []float64) (float64, error) {
			if n++; n == 6 {
				cancel()
			}
			return square(ctx, x)
		},
	})
	if !errors.Is(err, context.Canceled) || len(r.Observations) != 6 {
		t.Errorf("error %v, %d observations, want canceled and 6", err, len(r.Observations))
	}
}

func TestStrategyFailures(t *testing.T) {
	broken := errors.New("no more points")
	for _, c := range []struct {
		name string
		s    *scripted
		kept int
	}{
		{"Ask fails", &scripted{askErr: broken}, 4},
		{"Tell fails", &scripted{tellErr: broken}, 4},
		{"too few points", &scripted{short: true}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := study.Run(t.Context(), study.Options{Strategy: c.s, Objective: square, Init: 4, Evals: 10, Batch: 5})
			if err == nil || (!c.s.short && !errors.Is(err, broken)) {
				t.Errorf("error is %v", err)
			}
			if len(r.Observations) != c.kept {
				t.Errorf("%d observations kept, want %d", len(r.Observations), c.kept)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	good := study.Options{Strategy: &scripted{}, Objective: square, Init: 1, Evals: 0, Batch: 1}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for field, spoil := range map[string]func(*study.Options){
		"Strategy":  func(o *study.Options) { o.Strategy = nil },
		"Objective": func(o *study.Options) { o.Objective = nil },
		"Init":      func(o *study.Options) { o.Init = 0 },
		"Evals":     func(o *study.Options) { o.Evals = -1 },
		"Batch":     func(o *study.Options) { o.Batch = 0 },
	} {
		o := good
		spoil(&o)
		r, err := study.Run(t.Context(), o)
		if err == nil || err.Error()[:len(field)] != field {
			t.Errorf("%s spoilt: error is %v", field, err)
		}
		if r == nil {
			t.Errorf("%s spoilt: no result", field)
		}
	}
}

// troubled reports a fallback in every second Ask.
type troubled struct{ scripted }

func (s *troubled) LastAsk() strategy.AskReport {
	if len(s.asked)%2 == 0 {
		return strategy.AskReport{Jitter: 1e-6, Fallback: errors.New("no model")}
	}
	return strategy.AskReport{}
}

func TestFallbacksAreCounted(t *testing.T) {
	result, err := study.Run(context.Background(), study.Options{
		Strategy: &troubled{}, Objective: square, Init: 2, Evals: 4, Batch: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.Fallbacks != 2 || result.Fallback == nil || result.Jitter != 1e-6 {
		t.Errorf("%d fallbacks, last %v, jitter %g", result.Fallbacks, result.Fallback, result.Jitter)
	}
}
