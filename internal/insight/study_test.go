package insight_test

import (
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

func TestExcludedTrialsAreNoData(t *testing.T) {
	sp, err := space.New(space.Float("x", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	var trials []study.Trial
	for n := range 3 {
		v := float64(n)
		trials = append(trials, study.Trial{Number: n + 1, State: evaluate.Complete, Value: &v, Excluded: n == 1, Params: space.ParamsOf(map[string]any{"x": v / 4})})
	}
	d, err := insight.FromTrials(study.Config{Space: sp}, trials)
	if err != nil || len(d.Observations) != 2 || d.Observations[1].ID != 3 {
		t.Errorf("the data are %+v, %v", d.Observations, err)
	}
}
