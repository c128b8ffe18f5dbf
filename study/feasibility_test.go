package study_test

import (
	"math"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// A half of the space cannot be evaluated, and it is where the model wants to go: the study
// learns where the border is, and finds the best point this side of it.
func TestFeasibilityIsLearned(t *testing.T) {
	for _, no := range []evaluate.Outcome{{State: evaluate.Infeasible}, evaluate.Failure("the value is NaN")} {
		s, st, _ := begin(t, study.Config{Space: newSpace(t, space.Float("x[0:1]", -1, 1)), Method: "adaptive", Init: 8})
		late := 0
		for i := range 40 {
			trial := ask(t, s, study.AskRequest{}).Trials[0]
			x, y := trial.Params.Float("x0"), trial.Params.Float("x1")
			o := evaluate.Outcome{Value: (x-0.5)*(x-0.5) + y*y}
			if x > 0 {
				o = no
				if i >= 20 {
					late++
				}
			}
			if err := s.Tell(t.Context(), trial.Number, o); err != nil {
				t.Fatal(err)
			}
		}
		best, _, err := s.Best(t.Context())
		if err != nil || math.Abs(best.Mean-0.25) > 0.03 {
			t.Errorf("%s: the best is %g at %v (%v), want 0.25", no.State, best.Mean, best.Params, err)
		}
		if late > 10 { // by chance and by wish it would be all of them
			t.Errorf("%d of the last 20 suggestions are %s", late, no.State)
		}
		if err := study.Verify(t.Context(), events(t, st)); err != nil {
			t.Error(err)
		}
	}
}

// One accident among many trials must not keep a method from going elsewhere.
func TestOneAccidentKeepsNobodyAway(t *testing.T) {
	suggest := func(accident bool) space.Params {
		s, _, _ := begin(t, study.Config{Space: newSpace(t, space.Float("x[0:4]", -1, 1)), Method: "sobol", Init: 30})
		for _, trial := range ask(t, s, study.AskRequest{Count: 30}).Trials {
			o := evaluate.Outcome{Value: 1}
			if accident && trial.Number == 7 {
				o = evaluate.Outcome{State: evaluate.Infeasible}
			}
			if err := s.Tell(t.Context(), trial.Number, o); err != nil {
				t.Fatal(err)
			}
		}
		return ask(t, s, study.AskRequest{}).Trials[0].Params
	}
	if a, b := suggest(false).String(), suggest(true).String(); a != b {
		t.Errorf("one accident moved a suggestion from %s to %s", a, b)
	}
}

// What a model expects stands with the trial, in the sense of the goal, and comes true
// where the function is known.
func TestPredictionsAreKept(t *testing.T) {
	for _, method := range []string{"adaptive", "vanilla", "maha", "rbf"} {
		s, st, now := begin(t, study.Config{Space: newSpace(t, space.Float("x[0:1]", -1, 1)), Method: method, Goal: study.Maximize, Init: 12})
		value := func(v space.Params) float64 { return 100 - v.Float("x0") - 0.5*v.Float("x1") }
		for _, trial := range ask(t, s, study.AskRequest{Count: 12}).Trials {
			if trial.Predicted != nil {
				t.Fatalf("%s expects %+v without a model", method, trial.Predicted)
			}
			tell(t, s, trial.Number, value(trial.Params))
		}
		b := ask(t, s, study.AskRequest{Count: 2, RequestID: "r"})
		for _, trial := range b.Trials {
			p := trial.Predicted
			if p == nil || !(p.Std > 0) || math.Abs(p.Mean-value(trial.Params)) > 0.3+3*p.Std {
				t.Errorf("%s expects %+v at %v, the value is %g", method, p, trial.Params, value(trial.Params))
			}
		}
		if d := map[string]int{"maha": 1}[method]; b.D != d || b.Fallback != "" {
			t.Errorf("%s says %+v", method, b.ModelInfo)
		}
		sameJSON(t, "batches after a restart", b, ask(t, reopen(t, st, now), study.AskRequest{RequestID: "r"}))
		if err := study.Verify(t.Context(), events(t, st)); err != nil {
			t.Error(err)
		}
	}
}
