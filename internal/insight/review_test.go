package insight_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// A direction that is there from the beginning does not drift.
func TestReview(t *testing.T) {
	s, err := space.New(space.Float("x[0:5]", -1, 1))
	if err != nil {
		t.Fatal(err)
	}
	c := study.Config{Name: "rig", Space: s, Method: "sobol", Goal: study.Minimize}
	r := rand.New(rand.NewPCG(1, 2))
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	var trials []study.Trial
	for i := range 80 {
		x := make([]float64, s.Dim())
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		params, err := s.Decode(x)
		if err != nil {
			t.Fatal(err)
		}
		z := x[0] - 2*x[3]
		y := z*z + z
		trials = append(trials, study.Trial{Number: i + 1, State: evaluate.Complete, Params: params, Value: &y, Told: start.Add(time.Duration(80-i) * time.Second)})
	}
	trials = append(trials, study.Trial{Number: 81, State: evaluate.Infeasible, Params: trials[0].Params})
	review, err := insight.ReviewTrials(t.Context(), c, trials)
	if err != nil {
		t.Fatal(err)
	}
	if review.Points != 80 || len(review.Directions) == 0 || len(review.Drift) != 2 {
		t.Fatalf("%d points, %d directions, drift %+v", review.Points, len(review.Directions), review.Drift)
	}
	for i, trialsThen := range []int{20, 40} {
		if d := review.Drift[i]; d.Trials != trialsThen || d.Structure == "" {
			t.Errorf("earlier: %+v, want %d trials", d, trialsThen)
		}
	}
	half := review.Drift[1]
	if half.Cosine == nil || *half.Cosine < 0.9 || half.Share < 0.8 {
		t.Errorf("the direction of the first half is %+v", half)
	}
	if trials[0].Number != 1 {
		t.Error("the review reordered its argument")
	}

	few, err := insight.ReviewTrials(t.Context(), c, trials[:3])
	if err != nil || few.Structure != insight.NoModel || few.Drift == nil || len(few.Drift) != 0 {
		t.Errorf("three trials gave %+v, %v", few, err)
	}
}
