package table

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// Rows that are in a study stay out, each trial for one row.
func TestKnownRows(t *testing.T) {
	s, _ := begin(t, study.Config{Space: newSpace(t, space.Float("x", 0, 10), space.Int("n", 1, 5))})
	for _, c := range []struct {
		what, file string
		repeats    bool
		want       string // rows that can be used, of these in the study, new trials
	}{
		{"two of three are equal", "x,n,value\n1,2,3\n1,2,3\n20,2,3\n", false, "2 0 [1 2]"},
		{"a mended line", "x,n,value\n1,2,3\n1,2,3\n2,2,3\n", false, "3 2 [3]"},
		{"a third measurement", "x,n,value\n1,2,3\n1,2,3\n1,2,3\n2,2,3\n", false, "4 3 [4]"},
		{"other columns", "n;value;x;std;note\n2;3;1,0;;a\n2;3;2,0;;b\n2;3;2,5;;c\n", false, "3 2 [5]"},
		{"another value, std, state", "x,n,value,std,state\n1,2,4,,\n1,2,3,0.5,\n1,2,,,failed\n1,2,,,infeasible\n", false, "4 0 [6 7 8 9]"},
		{"the same with a reason", "x,n,value,std,state,reason\n1,2,4,,,\n1,2,3,0.5,,\n1,2,,,failed,oil\n", false, "3 3 []"},
		{"a trial as another program wrote it", "x,n,value\n3.14159265358979,2,0.333333333333333\n", false, "1 0 [10]"},
		{"with all digits", "x,n,value\n3.141592653589793,2,0.3333333333333333\n", false, "1 1 []"},
		{"measured again", "x,n,value\n1,2,3\n1,2,3\n", true, "2 0 [11 12]"},
	} {
		o := Options{Format: CSV, Repeats: c.repeats, DryRun: true}
		dry, err := Import(t.Context(), s, strings.NewReader(c.file), o)
		if got := fmt.Sprint(dry.Good, dry.Known); err != nil || !strings.HasPrefix(c.want, got) || len(dry.Trials) > 0 {
			t.Errorf("%s: the dry run found %s, %v, want %s", c.what, got, err, c.want)
		}
		o.DryRun = false
		report, err := Import(t.Context(), s, strings.NewReader(c.file), o)
		if got := fmt.Sprint(report.Good, report.Known, report.Trials); err != nil || got != c.want {
			t.Errorf("%s: %s, %v, want %s", c.what, got, err, c.want)
		}
	}
	// The same file counts once, whatever became of its trials.
	value := 7.0
	if _, _, err := s.Correct(t.Context(), 1, study.Correction{Value: &value}); err != nil {
		t.Fatal(err)
	}
	for _, repeats := range []bool{false, true} {
		file := map[bool]string{false: "x,n,value\n1,2,3\n1,2,3\n20,2,3\n", true: "x,n,value\n1,2,3\n1,2,3\n"}[repeats]
		report, err := Import(t.Context(), s, strings.NewReader(file), Options{Format: CSV, Repeats: repeats})
		if err != nil || !report.Repeated || report.Known != 2 || len(report.Trials) != 2 || len(trials(t, s)) != 12 {
			t.Errorf("the same file again: %+v, %v", report, err)
		}
	}
}

// An export of a study brings nothing new to it.
func TestExportOfTheSameStudy(t *testing.T) {
	for _, sp := range []*space.Space{mixed(t), newSpace(t, space.Float("x", 0, 1), space.Outcome{Name: "mass", Goal: "minimize"}, space.Outcome{Name: "temp"})} {
		s, _ := begin(t, study.Config{Space: sp})
		ask(t, s, study.AskRequest{Count: 6})
		for number := 1; number < 5; number++ {
			o := evaluate.Outcome{State: evaluate.Complete, Value: float64(number) / 3, Std: 0.1}
			if len(sp.Outcomes()) > 0 {
				o = evaluate.Outcome{State: evaluate.Complete, Outcomes: map[string]float64{"mass": float64(number) / 3, "temp": 2}, Stds: map[string]float64{"mass": 0.1}}
			}
			if number == 4 {
				o = evaluate.Failure("oil")
			}
			if err := s.Tell(t.Context(), number, o); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range []Format{CSV, JSONL, Parquet} {
			if report, err := Import(t.Context(), s, exported(t, s, f), Options{Format: f}); err != nil || report.Good != 4 || report.Known != 4 || len(report.Trials) > 0 {
				t.Errorf("%s: %+v, %v", f, report, err)
			}
		}
	}
}
