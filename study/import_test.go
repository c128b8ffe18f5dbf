package study_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

func TestImport(t *testing.T) {
	s, st, now := begin(t, study.Config{Space: newSpace(t, space.Float("a", 0, 1), space.Float("b", 0, 1), space.Constraint("a + b <= 1"))})
	row := func(a, b, value float64, notes ...string) study.Row {
		return study.Row{Params: values(map[string]any{"a": a, "b": b}), Outcome: evaluate.Outcome{Value: value}, Notes: notes}
	}
	good := []study.Row{row(0.25, 0.5, 3), row(0.5, 0.5, 2, "hot", "wet")}
	for _, c := range []struct {
		rows []study.Row
		want string
	}{
		{nil, "0 rows"},
		{make([]study.Row, study.MostRows+1), "1 to 100000"},
		{append(slices.Clone(good), row(0.9, 0.9, -1)), `row 3: it breaks the constraint "a + b <= 1" by 0.8`},
		{append(slices.Clone(good), row(0.9, 1.5, -1)), `row 3: parameter "b"`},
		{append(slices.Clone(good), study.Row{Params: good[0].Params, Outcome: evaluate.Outcome{State: study.Running}}), `row 3: state is "running"`},
	} {
		_, _, err := s.Import(t.Context(), "", c.rows...)
		var request *study.RequestError
		if !errors.As(err, &request) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("importing %d rows gave %v, want %q", len(c.rows), err, c.want)
		}
	}
	if n := len(table(t, s)); n != 0 {
		t.Fatalf("refused rows left %d trials", n)
	}
	for _, again := range []bool{false, true} {
		if numbers, repeated, err := s.Import(t.Context(), "d"); err != nil || repeated != again || again != (len(numbers) == 2) {
			t.Errorf("without rows it gave %v, %v, %v", numbers, repeated, err)
		}
		numbers, repeated, err := s.Import(t.Context(), "d", good...)
		if err != nil || repeated != again || !slices.Equal(numbers, []int{1, 2}) {
			t.Errorf("importing gave %v, %v, %v", numbers, repeated, err)
		}
	}
	if numbers, repeated, err := reopen(t, st, now).Import(t.Context(), "d", good...); err != nil || !repeated || !slices.Equal(numbers, []int{1, 2}) {
		t.Errorf("importing after a restart gave %v, %v, %v", numbers, repeated, err)
	}
	for want := 3; want <= 4; want++ { // without a digest nothing is a repetition
		if numbers, repeated, err := s.Import(t.Context(), "", good[0]); err != nil || repeated || !slices.Equal(numbers, []int{want}) {
			t.Errorf("importing without a digest gave %v, %v, %v", numbers, repeated, err)
		}
	}
	if got := table(t, s)[1]; got.Origin != study.FromImport || *got.Value != 2 || !slices.Equal(got.Notes, []string{"hot", "wet"}) {
		t.Errorf("trial 2 is %+v", got)
	}
	if _, err := s.Add(t.Context(), values(map[string]any{"a": 0.9, "b": 0.9}), evaluate.Outcome{Value: -1}); err == nil || !strings.Contains(err.Error(), "breaks the constraint") {
		t.Errorf("a point outside a constraint gave %v", err)
	}
}
