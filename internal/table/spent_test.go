package table

import (
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// Cost and seconds that were told come back from all formats, also where parameters or outcomes are called so.
func TestSpent(t *testing.T) {
	for _, sp := range []*space.Space{
		newSpace(t, space.Float("x", 0, 10)),
		newSpace(t, space.Float("cost", 0, 10), space.Float("seconds", 0, 10), space.Float("trial.cost", 0, 1)),
		newSpace(t, space.Float("x", 0, 10), space.Outcome{Name: "cost", Goal: "minimize"}, space.Outcome{Name: "seconds"}),
	} {
		from, _ := begin(t, study.Config{Space: sp})
		ask(t, from, study.AskRequest{Count: 4})
		for i, o := range []evaluate.Outcome{
			{Value: 4, Cost: 12.5, Seconds: 0.125},
			{State: evaluate.Failed, Reason: "smoke", Cost: 3, Seconds: 1e-9},
			{State: evaluate.Infeasible, Seconds: 7},
			{Value: 5},
		} {
			if len(sp.Outcomes()) > 0 && o.State == "" {
				o.Outcomes, o.Stds, o.Value = map[string]float64{"cost": o.Value, "seconds": 60}, map[string]float64{"cost": 0.5}, 0
			}
			if err := from.Tell(t.Context(), i+1, o); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range []Format{CSV, JSONL, Parquet} {
			to := copied(t, from, sp, f, 4)
			for i, got := range trials(t, to) {
				want := trials(t, from)[i]
				sameJSON(t, string(f), []any{want.State, want.Cost, want.Seconds, want.Value, want.Outcomes, want.Stds, want.Params},
					[]any{got.State, got.Cost, got.Seconds, got.Value, got.Outcomes, got.Stds, got.Params})
			}
			if sum, err := to.Summary(t.Context()); err != nil || sum.Cost != 12.5+3+7 {
				t.Errorf("%s: the trials cost %g, %v", f, sum.Cost, err)
			}
		}
	}
}

func TestSpentOfOthers(t *testing.T) {
	for _, c := range []struct {
		file, want string
		columns    map[string]string
	}{
		{"x;value;cost\n1;2,5;3,5\n", "", nil},
		{"x,value,cost\n1,2.5,\n", "", nil},
		{"x,value,price\n1,2.5,3.5\n", "", map[string]string{"cost": "price"}},
		{"x,value,cost\n1,2.5,cheap\n", `the cost: "cheap" is not a number`, nil},
		{"x,value,seconds\n1,2.5,-1\n", "seconds is -1", nil},
	} {
		s, _ := begin(t, study.Config{})
		report, err := Import(t.Context(), s, strings.NewReader(c.file), Options{Format: CSV, Columns: c.columns})
		text := ""
		if err != nil {
			text = err.Error()
		} else if len(report.Bad) > 0 {
			text = report.Bad[0].Error()
		}
		if !strings.Contains(text, c.want) || c.want == "" && text != "" {
			t.Errorf("%q: %s, want %q", c.file, text, c.want)
		}
	}
}
