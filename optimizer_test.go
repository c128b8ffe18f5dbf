package mahabo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mahabo/mahabo"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/space"
)

func mixed(t *testing.T, more ...space.Part) *space.Space {
	t.Helper()
	s, err := space.New(append([]space.Part{
		space.Float("a", -3, 5), space.Log("rate", 1e-4, 1), space.Int("n", 1, 6),
		space.Choice("solver", "euler", "midpoint", "rk4"), space.Bool("damped"), space.Fixed("g", 9.81),
	}, more...)...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// mixedLoss is lowest, 0, at a=1, rate=0.01, n=4, rk4, damped.
func mixedLoss(_ context.Context, v space.Params) (float64, error) {
	loss := math.Pow(v.Float("a")-1, 2) + math.Abs(math.Log10(v.Float("rate"))+2) + math.Abs(v.Float("n")-4) + 1 - v.Float("damped")
	if solver, _ := v.Get("solver"); solver != "rk4" {
		loss++
	}
	return loss, nil
}

func TestEveryMethodOnMixedParameters(t *testing.T) {
	s := mixed(t, space.Constraint("a + n <= 7"))
	for _, m := range methods.BuiltIn().Methods() {
		t.Run(m.Name, func(t *testing.T) {
			seen := map[string]bool{}
			r, err := mahabo.Minimize(t.Context(), func(ctx context.Context, v space.Params) (float64, error) {
				if _, by, err := s.Broken(v); by != 0 || err != nil {
					t.Errorf("%v breaks the constraint (%v)", v, err)
				}
				text, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				if seen[string(text)] {
					t.Errorf("%s was suggested twice", text)
				}
				seen[string(text)] = true
				return mixedLoss(ctx, v)
			}, s, mahabo.Options{Method: m.Name, Init: 6, Evals: 6, Batch: 3, Seed: 5})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Trials) != 12 || r.Best.State != evaluate.Complete {
				t.Errorf("%d trials, best %+v", len(r.Trials), r.Best)
			}
			for i, trial := range r.Trials {
				if trial.Number != i+1 || trial.Value < r.Best.Value {
					t.Errorf("trial %d has number %d and value %g below the best %g", i+1, trial.Number, trial.Value, r.Best.Value)
				}
			}
		})
	}
}

// What workers do at the same time must not change a run in rounds.
func TestParallelRoundsAreReproducible(t *testing.T) {
	s := mixed(t)
	run := func(parallel int) (all []string) {
		var calls atomic.Int64
		r, err := mahabo.Minimize(t.Context(), func(ctx context.Context, v space.Params) (float64, error) {
			time.Sleep(time.Duration(calls.Add(7)%5) * time.Millisecond)
			return mixedLoss(ctx, v)
		}, s, mahabo.Options{Method: "maha", Init: 5, Evals: 12, Batch: 4, Parallel: parallel})
		if err != nil {
			t.Fatal(err)
		}
		for _, trial := range r.Trials {
			all = append(all, fmt.Sprint(trial.Number, trial.Batch, trial.Params, trial.Value))
		}
		return all
	}
	if diff := cmp.Diff(run(1), run(3)); diff != "" {
		t.Errorf("one worker and three differ:\n%s", diff)
	}
}

// Single trials on four workers: each is chosen while three others are out.
func TestAsynchronous(t *testing.T) {
	r, err := mahabo.Minimize(t.Context(), mixedLoss, mixed(t), mahabo.Options{Method: "maha", Init: 4, Evals: 12, Parallel: 4})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, trial := range r.Trials {
		seen[trial.Params.String()] = true
		if i >= 4 && trial.Batch != i-2 {
			t.Errorf("trial %d is of batch %d", trial.Number, trial.Batch)
		}
	}
	if len(seen) != 16 || r.Best.State != evaluate.Complete {
		t.Errorf("%d different trials, best %+v", len(seen), r.Best)
	}
}

func TestConcurrentAskAndTell(t *testing.T) {
	o, err := mahabo.New(mixed(t), mahabo.Options{Method: "random"})
	if err != nil {
		t.Fatal(err)
	}
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for range 10 {
				trials, err := o.Ask(t.Context(), 1)
				if err != nil {
					t.Error(err)
					return
				}
				if err := o.Tell(trials[0].Number, mahabo.Value(float64(trials[0].Number))); err != nil {
					t.Error(err)
				}
				o.Report()
			}
		})
	}
	workers.Wait()
	if best, outcome, ok := o.Best(); !ok || best.Number != 1 || outcome.Value != 1 {
		t.Errorf("best is %+v, %+v", best, outcome)
	}
}

// Adding the trials of one optimizer to another makes it suggest the same.
func TestAddRestores(t *testing.T) {
	s := mixed(t)
	o := mahabo.Options{Method: "maha", Init: 4, Goal: mahabo.ToMaximize}
	first, err := mahabo.New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	second, err := mahabo.New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	outcomes := []mahabo.Outcome{
		{State: evaluate.Infeasible}, mahabo.Value(3), evaluate.Failure("broke"), mahabo.Value(-1), mahabo.Value(0), {State: evaluate.Infeasible},
	}
	trials, err := first.Ask(t.Context(), len(outcomes))
	if err != nil {
		t.Fatal(err)
	}
	for i, outcome := range outcomes {
		if err := first.Tell(trials[i].Number, outcome); err != nil {
			t.Fatal(err)
		}
		if _, err := second.Add(trials[i].Params, outcome); err != nil {
			t.Fatal(err)
		}
	}
	want, err := first.Ask(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	got, err := second.Ask(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if fmt.Sprint(want[i].Number, want[i].Params) != fmt.Sprint(got[i].Number, got[i].Params) {
			t.Errorf("suggestion %d is %v, want %v", i, got[i], want[i])
		}
	}
	best, outcome, ok := second.Best()
	if !ok || best.Number != 2 || outcome.Value != 3 {
		t.Errorf("best of a maximisation is %+v, %+v", best, outcome)
	}
}

func TestGoal(t *testing.T) {
	s, err := space.New(space.Float("x", -1, 1))
	if err != nil {
		t.Fatal(err)
	}
	up := func(_ context.Context, v space.Params) (float64, error) { return v.Float("x"), nil }
	for goal, want := range map[mahabo.Goal]float64{mahabo.ToMinimize: -1, mahabo.ToMaximize: 1} {
		r, err := mahabo.Minimize(t.Context(), up, s, mahabo.Options{Method: "vanilla", Goal: goal, Init: 4, Evals: 6})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.Best.Value-want) > 0.05 {
			t.Errorf("%s: best is %g, want %g", goal, r.Best.Value, want)
		}
	}
}

func TestExhaustedSpaces(t *testing.T) {
	for _, c := range []struct {
		name, method string
		parts        []space.Part
		most         int
	}{
		{"bools", "maha", []space.Part{space.Bool("a"), space.Bool("b"), space.Bool("c")}, 8},
		{"kinds", "sobol", []space.Part{space.Choice("c", "x", "y", "z"), space.Ordinal("o", 1, 10, 100), space.LogInt("n", 1, 4), space.Fixed("f", "text")}, 36},
		{"constraint", "maha", []space.Part{space.Int("i", 0, 20), space.Int("j", 0, 20), space.Constraint("i + j <= 3")}, 10},
		{"one value", "cmaes", []space.Part{space.Int("i", 0, 1), space.Constraint("i <= 0")}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := space.New(c.parts...)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			r, err := mahabo.Minimize(t.Context(), func(_ context.Context, v space.Params) (float64, error) {
				seen[v.String()] = true
				return float64(len(v.String())), nil
			}, s, mahabo.Options{Method: c.method, Init: 3, Evals: 60, Batch: 5})
			if err != nil || !r.Exhausted {
				t.Fatalf("exhausted %v, error %v", r.Exhausted, err)
			}
			if len(r.Trials) != c.most || len(seen) != c.most {
				t.Errorf("%d trials of %d values, want %d", len(r.Trials), len(seen), c.most)
			}
		})
	}
}

func TestFailedAndInfeasible(t *testing.T) {
	s, err := space.New(space.Float("x[0:4]", -1, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"maha", "vanilla", "cmaes", "sobol"} {
		n := 0
		r, err := mahabo.Minimize(t.Context(), func(_ context.Context, v space.Params) (float64, error) {
			n++
			switch {
			case n%5 == 0:
				return 0, errors.New("no licence")
			case n%7 == 0:
				return math.NaN(), nil
			case v.Float("x0") > 0:
				return 0, fmt.Errorf("too hot: %w", mahabo.ErrInfeasible)
			}
			return v.Float("x1"), nil
		}, s, mahabo.Options{Method: method, Init: 8, Evals: 22, Batch: 2})
		if err != nil {
			t.Fatal(err)
		}
		reasons := map[string]int{}
		for _, trial := range r.Trials {
			reasons[string(trial.State)+" "+trial.Reason]++
		}
		if len(r.Trials) != 30 || reasons["failed no licence"] != 6 || reasons["failed the value is NaN: only finite values can be modelled"] != 4 || reasons["infeasible too hot: infeasible"] == 0 {
			t.Errorf("%s: %v", method, reasons)
		}
		if r.Best.State != evaluate.Complete || r.Best.Params.Float("x0") > 0 {
			t.Errorf("%s: best is %+v", method, r.Best)
		}
	}
}

// The method must learn of infeasible places: it goes there less than by chance.
func TestInfeasibleIsModelled(t *testing.T) {
	s, err := space.New(space.Float("x[0:1]", -1, 1))
	if err != nil {
		t.Fatal(err)
	}
	r, err := mahabo.Minimize(t.Context(), func(_ context.Context, v space.Params) (float64, error) {
		if v.Float("x0") > 0 {
			return 0, mahabo.ErrInfeasible
		}
		return v.Float("x0")*v.Float("x0") + 3*v.Float("x1"), nil
	}, s, mahabo.Options{Method: "vanilla", Init: 10, Evals: 20})
	if err != nil {
		t.Fatal(err)
	}
	infeasible := 0
	for _, trial := range r.Trials[10:] {
		if trial.State == evaluate.Infeasible {
			infeasible++
		}
	}
	if infeasible > 8 || r.Best.Value > -2 {
		t.Errorf("%d of 20 suggestions are infeasible, the best value is %g", infeasible, r.Best.Value)
	}
}

func TestNothingWorks(t *testing.T) {
	s := mixed(t)
	r, err := mahabo.Minimize(t.Context(), func(context.Context, space.Params) (float64, error) { return 0, errors.New("no licence") },
		s, mahabo.Options{Init: 3, Evals: 100})
	if !errors.Is(err, evaluate.ErrNoneWorked) || len(r.Trials) != 3 || r.Best.State != "" {
		t.Errorf("error %v, %d trials, best %+v", err, len(r.Trials), r.Best)
	}
}

func TestCancelledMinimize(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	r, err := mahabo.Minimize(ctx, func(ctx context.Context, _ space.Params) (float64, error) {
		if n++; n == 3 {
			cancel()
			return 0, ctx.Err()
		}
		return 1, nil
	}, mixed(t), mahabo.Options{Method: "sobol", Evals: 100})
	if !errors.Is(err, context.Canceled) || len(r.Trials) != 2 || r.Best.Value != 1 {
		t.Errorf("error %v, %d trials, best %+v", err, len(r.Trials), r.Best)
	}
}

func TestTellRefuses(t *testing.T) {
	o, err := mahabo.New(mixed(t), mahabo.Options{Method: "sobol"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Ask(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if err := o.Tell(1, mahabo.Value(1)); err != nil {
		t.Fatal(err)
	}
	for says, err := range map[string]error{
		"trial 0: no such trial":                   o.Tell(0, mahabo.Value(1)),
		"trial 3: no such trial":                   o.Tell(3, mahabo.Value(1)),
		"trial 1 is complete with value 1 already": o.Tell(1, mahabo.Value(2)),
		"state is \"\"":                            o.Tell(2, mahabo.Outcome{}),
		"value is NaN":                             o.Tell(2, mahabo.Outcome{State: evaluate.Complete, Value: math.NaN()}),
		"std is -1":                                o.Tell(2, mahabo.Outcome{State: evaluate.Complete, Std: -1}),
		`parameter "a" has no value`:               func() error { _, err := o.Add(space.Params{}, mahabo.Value(1)); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v lacks %q", err, says)
		}
	}
	if err := o.Tell(2, mahabo.Value(0)); err != nil {
		t.Error(err)
	}
}

func TestNewRefuses(t *testing.T) {
	s := mixed(t)
	for says, c := range map[string]struct {
		s *space.Space
		o mahabo.Options
	}{
		"the space is empty": {new(space.Space), mahabo.Options{}},
		`goal is "up"`:       {s, mahabo.Options{Goal: "up"}},
		"Init is -1":         {s, mahabo.Options{Init: -1}},
		"Evals is -1":        {s, mahabo.Options{Evals: -1}},
		`"nothing"`:          {s, mahabo.Options{Method: "nothing"}},
	} {
		if _, err := mahabo.New(c.s, c.o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v lacks %q", err, says)
		}
	}
	for says, o := range map[string]mahabo.Options{"Batch is -1": {Batch: -1}, "Parallel is -1": {Parallel: -1}, "Retries is -1": {Retries: -1}} {
		if _, err := mahabo.Minimize(t.Context(), mixedLoss, s, o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v lacks %q", err, says)
		}
	}
	if _, err := mahabo.Minimize(t.Context(), nil, s, mahabo.Options{}); err == nil {
		t.Error("a nil objective was taken")
	}
}

// A panic of the objective is a failed trial, with its place, and a misspelt name says so.
func TestPanicIsAFailedTrial(t *testing.T) {
	s, err := space.New(space.Float("rate", 0, 1), space.Int("n", 1, 3), space.Bool("on"))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	r, err := mahabo.Minimize(t.Context(), func(_ context.Context, v space.Params) (float64, error) {
		if calls++; calls == 2 {
			return v.Float("rat"), nil
		}
		if v.Bool("on") {
			return float64(v.Int("n")), nil
		}
		return v.Float("rate"), nil
	}, s, mahabo.Options{Init: 4, Evals: 1, Method: "sobol"})
	if err != nil || len(r.Trials) != 5 {
		t.Fatalf("%d trials, %v", len(r.Trials), err)
	}
	second := r.Trials[1]
	if second.State != evaluate.Failed || !strings.Contains(second.Reason, `it panicked: there is no parameter "rat" (did you mean "rate"?)`) || !strings.Contains(second.Reason, ".go:") {
		t.Errorf("the trial is %s: %s", second.State, second.Reason)
	}
}
