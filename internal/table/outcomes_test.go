package table

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// What a study with outcomes exports another one imports, in all formats.
func TestOutcomes(t *testing.T) {
	sp := newSpace(t, space.Float("x", 0, 10), space.Outcome{Name: "value", Goal: "minimize"}, space.Outcome{Name: "batch", AtMost: new(3.0)}, space.Outcome{Name: "temp"})
	from, _ := begin(t, study.Config{Space: sp})
	ask(t, from, study.AskRequest{Count: 4})
	for i, o := range []evaluate.Outcome{
		{Outcomes: map[string]float64{"value": 1, "batch": 2, "temp": 3}, Stds: map[string]float64{"batch": 0.5}},
		{Outcomes: map[string]float64{"value": 1.5, "batch": 4}},
		{State: evaluate.Failed, Reason: "smoke"},
		{Outcomes: map[string]float64{"batch": 4}},
	} {
		if err := from.Tell(t.Context(), i+1, o); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []Format{CSV, JSONL, Parquet} {
		file := exported(t, from, f)
		if header, _, _ := strings.Cut(file.String(), "\n"); f == CSV && !strings.HasPrefix(header, "number,state,value,value.std,outcomes.batch,outcomes.batch.std,temp,temp.std,x,reason,") {
			t.Errorf("the columns are %s", header)
		}
		to, _ := begin(t, study.Config{Space: sp})
		report, err := Import(t.Context(), to, file, Options{Format: f})
		if err != nil || report.Good != 3 || len(report.Bad) != 1 || !strings.Contains(report.Bad[0].Error(), "the state is running") {
			t.Fatalf("%s: %+v, %v", f, report, err)
		}
		for i, got := range trials(t, to) {
			want := trials(t, from)[i]
			sameJSON(t, string(f), []any{want.State, want.Value, want.Outcomes, want.Stds, want.Params}, []any{got.State, got.Value, got.Outcomes, got.Stds, got.Params})
		}
	}
}

func TestImportedOutcomes(t *testing.T) {
	sp := newSpace(t, space.Float("x", 0, 10), space.Outcome{Name: "mass", Goal: "minimize"}, space.Outcome{Name: "stress", AtMost: new(3.0)})
	for _, c := range []struct{ file, want string }{
		{"x,mass,stress\n1,2,3\n", ""},
		{"x,mass,s\n1,2,3\n", `the file has no column "stress"`},
		{"x,mass,stress\n1,2,\n", `outcome "stress" is missing`},
		{"x,mass,stress\n1,2,high\n", `outcome "stress": "high" is not a number`},
		{"x;mass;stress\n1;2,5;3\n", ""},
	} {
		s, _ := begin(t, study.Config{Space: sp})
		report, err := Import(t.Context(), s, strings.NewReader(c.file), Options{Format: CSV})
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
	s, _ := begin(t, study.Config{Space: sp})
	if r, err := Import(t.Context(), s, strings.NewReader("x,kg,stress\n1,2,3\n"), Options{Format: CSV, Columns: map[string]string{"mass": "kg"}}); err != nil || r.Good != 1 {
		t.Errorf("a renamed column: %+v, %v", r, err)
	}
}

// Names that could be taken for those of other columns come back to their own values.
func TestNamesLikeOtherColumns(t *testing.T) {
	for _, sp := range []*space.Space{
		newSpace(t, space.Float("x", 0, 1), space.Outcome{Name: "loss", Goal: "minimize"}, space.Outcome{Name: "loss.std"}),
		newSpace(t, space.Float("value", 0, 1), space.Float("params.value", 0, 1), space.Float("params.params.value", 0, 1)),
	} {
		from, _ := begin(t, study.Config{Space: sp})
		ask(t, from, study.AskRequest{Count: 1})
		o := evaluate.Value(4)
		if len(sp.Outcomes()) > 0 {
			o = evaluate.Outcome{Outcomes: map[string]float64{"loss": 1, "loss.std": 2}, Stds: map[string]float64{"loss": 3}}
		}
		if err := from.Tell(t.Context(), 1, o); err != nil {
			t.Fatal(err)
		}
		for _, f := range []Format{CSV, JSONL, Parquet} {
			to := copied(t, from, sp, f, 1)
			want, got := trials(t, from)[0], trials(t, to)[0]
			sameJSON(t, string(f), []any{want.Outcomes, want.Stds, want.Params}, []any{got.Outcomes, got.Stds, got.Params})
		}
	}
}

// exported is the file of a study.
func exported(t *testing.T, from *study.Study, f Format) *bytes.Buffer {
	t.Helper()
	var file bytes.Buffer
	if err := Export(t.Context(), from, &file, f); err != nil {
		t.Fatal(err)
	}
	return &file
}

// copied is another study with so many trials of a study's file.
func copied(t *testing.T, from *study.Study, sp *space.Space, f Format, good int) *study.Study {
	t.Helper()
	to, _ := begin(t, study.Config{Space: sp})
	if report, err := Import(t.Context(), to, exported(t, from, f), Options{Format: f}); err != nil || report.Good != good {
		t.Fatalf("%s: %+v, %v", f, report, err)
	}
	return to
}
