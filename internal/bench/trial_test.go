package bench

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/internal/problem"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/study"
)

// oven has parameters of several kinds and a constraint.
func oven(t *testing.T) problem.Problem {
	t.Helper()
	s, err := space.New(
		space.Int("layers", 1, 8), space.Log("rate", 1e-4, 1), space.Choice("solver", "euler", "heun", "rk4"),
		space.Float("temperature", 20, 80), space.Constraint("temperature + 5*layers <= 90"),
	)
	if err != nil {
		t.Fatal(err)
	}
	return problem.Problem{
		Name: "oven", Dim: 4, Space: s, Minimum: math.NaN(),
		Named: func(_ context.Context, v space.Params) (problem.Evaluation, error) {
			if over := v.Float("temperature") + 5*v.Float("layers") - 90; over > 1e-9 {
				return problem.Evaluation{}, errors.New("a constraint is broken")
			}
			y := math.Abs(math.Log10(v.Float("rate"))+2) + math.Abs(v.Float("layers")-6) + math.Abs(v.Float("temperature")-60)/20
			if solver, _ := v.Text("solver"); solver != "heun" {
				y += 2
			}
			return problem.Evaluation{Seen: evaluate.Value(y), Value: y}, nil
		},
	}
}

// playOn runs one trial of a problem that has no name in the registry.
func playOn(t *testing.T, j job, p problem.Problem) (Trial, error) {
	t.Helper()
	c, err := j.config(methods.BuiltIn(), p)
	if err != nil {
		t.Fatal(err)
	}
	o, err := newStudied(t.Context(), methods.BuiltIn(), c)
	if err != nil {
		t.Fatal(err)
	}
	trial, err := j.play(t.Context(), setting{version: "test", threads: 1}, p, o, j.evals)
	return trial, errors.Join(err, o.close(t.Context()))
}

func TestATrialIsAStudy(t *testing.T) {
	p := oven(t)
	for _, method := range []string{"adaptive", "random", "cmaes"} {
		j := job{Cell: Cell{method, "oven", 4, 3}, evals: 20, init: 5, trial: 2}
		got, err := playOn(t, j, p)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(byHand(t, p, method), got.Curve); diff != "" {
			t.Errorf("%s: curve (-by hand +bench):\n%s", method, diff)
		}
		if got.Best != got.Curve[24] || got.Seconds <= 0 || got.Failed != 0 {
			t.Errorf("%s: trial is %+v", method, got)
		}
	}
}

// byHand makes the trial of TestATrialIsAStudy with asks and tells.
func byHand(t *testing.T, p problem.Problem, method string) (curve []float64) {
	t.Helper()
	ctx := t.Context()
	s, err := study.Create(ctx, memory.New(), study.Config{Name: "oven", Space: p.Space, Method: method, Seed: 2, Init: 5, Budget: 25, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	best := math.Inf(1)
	for n := 5; len(curve) < 25; n = min(3, 25-len(curve)) {
		batch, err := s.Ask(ctx, study.AskRequest{Count: n})
		if err != nil {
			t.Fatal(err)
		}
		for _, trial := range batch.Trials {
			e, err := p.Named(ctx, trial.Params)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Tell(ctx, trial.Number, e.Seen); err != nil {
				t.Fatal(err)
			}
			best = min(best, e.Value)
			curve = append(curve, best)
		}
	}
	return curve
}

// Evaluations may fail; the curve has a number for each of them nevertheless.
func TestEvaluationsThatFail(t *testing.T) {
	n := 0
	p := problem.Problem{Name: "fragile", Dim: 2, Named: func(_ context.Context, v space.Params) (problem.Evaluation, error) {
		n++
		if n < 3 || n == 6 {
			return problem.Evaluation{Seen: evaluate.Failure("no licence %d", n)}, nil
		}
		return problem.Evaluation{Seen: evaluate.Value(float64(-n)), Value: float64(-n)}, nil
	}}
	got, err := playOn(t, job{Cell: Cell{"random", "fragile", 2, 1}, evals: 3, init: 4}, p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{-3, -3, -3, -4, -5, -5, -7}, got.Curve); diff != "" {
		t.Errorf("curve (-want +got):\n%s", diff)
	}
	if got.Failed != 3 || got.Failure != "no licence 6" || got.Best != -7 {
		t.Errorf("trial is %+v", got)
	}

	p.Named = func(context.Context, space.Params) (problem.Evaluation, error) {
		return problem.Evaluation{Seen: evaluate.Value(math.NaN())}, nil
	}
	if _, err := playOn(t, job{Cell: Cell{"random", "fragile", 2, 1}, evals: 3, init: 4}, p); err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("nothing worked: %v", err)
	}
}

// A space of few points may be used up before the budget.
func TestAllPointsTried(t *testing.T) {
	s, err := space.New(space.Bool("a"), space.Bool("b"))
	if err != nil {
		t.Fatal(err)
	}
	p := problem.Problem{Name: "bits", Dim: 2, Space: s, Eval: func(x []float64) float64 { return x[0] + x[1] }}
	got, err := playOn(t, job{Cell: Cell{"random", "bits", 2, 1}, evals: 6, init: 2}, p)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Curve) != 8 || got.Best != -2 {
		t.Errorf("trial is %+v", got)
	}
}
