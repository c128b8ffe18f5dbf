package study_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/study"
)

// formerRows are trials of a study with other bounds, another parameter and another unit.
func formerRows() (rows []study.Row) {
	for i := range 30 {
		a, b := float64(i*7%30)/3, float64(i*11%30)/10
		rows = append(rows, study.Row{Params: values(map[string]any{"a": a, "b": b, "gone": i}), Outcome: evaluate.Value((a-4)*(a-4) + (b-1)*(b-1))})
	}
	return rows
}

func formerConfig(t *testing.T) study.Config {
	t.Helper()
	sp, err := space.New(space.Float("a", 1, 12), space.Float("b", -1, 3))
	if err != nil {
		t.Fatal(err)
	}
	return study.Config{Name: "s", Space: sp, Method: "adaptive", Init: 4}
}

// A study that knows a former one begins with its best point, says what it was worth, and its points can be
// made again from its log and from a snapshot.
func TestFormerStudy(t *testing.T) {
	c := formerConfig(t)
	c.Former = map[string][]study.Row{"old": formerRows()}
	s, st, now := begin(t, c)
	var said []string
	for range 7 {
		b := ask(t, s, study.AskRequest{Count: 1})
		v := b.Trials[0].Params
		if y := (v.Float("a")-4)*(v.Float("a")-4) + (v.Float("b")-1)*(v.Float("b")-1); b.Trials[0].Number == 1 && y > 0.5 {
			t.Errorf("the first point is %s", v)
		}
		if err := s.Tell(t.Context(), b.Trials[0].Number, evaluate.Value(50+3*((v.Float("a")-4)*(v.Float("a")-4)+(v.Float("b")-1)*(v.Float("b")-1)))); err != nil {
			t.Fatal(err)
		}
		said = b.Former
	}
	if len(said) != 1 || !strings.HasPrefix(said[0], "old: 30 of 30 trials are used; it predicted 6 new values with ") {
		t.Errorf("it says %q", said)
	}
	sum, err := s.Summary(t.Context())
	if err != nil || len(sum.Model.Former) != 1 || sum.Config.Former != nil {
		t.Errorf("the summary has %q, %v", sum.Model.Former, err)
	}
	if err := study.Verify(t.Context(), events(t, st)); err != nil {
		t.Error(err)
	}
	if err := study.Resnap(s); err != nil {
		t.Error(err)
	}
	again := reopen(t, st, now)
	a, b := ask(t, again, study.AskRequest{Count: 1}), ask(t, s, study.AskRequest{Count: 1})
	if len(a.Former) != 1 || len(b.Trials) != 1 {
		t.Error("a study that is opened again has forgotten it")
	}
}

// Without former studies nothing of them is in the log, and older versions read it.
func TestNoFormerStudy(t *testing.T) {
	_, st, _ := begin(t, formerConfig(t))
	text, err := json.Marshal(events(t, st)[0])
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "ormer") || !strings.Contains(string(text), `"format":1`) {
		t.Errorf("the log begins with %s", text)
	}
}

func TestFormerStudyIsRefused(t *testing.T) {
	c := formerConfig(t)
	for want, rows := range map[string][]study.Row{
		"former study old has no complete trial":        nil,
		"former study old has none of the parameters":   {{Params: values(map[string]any{"z": 1}), Outcome: evaluate.Value(1)}},
		"former study old has no complete trial: there": {{Params: values(map[string]any{"a": 1}), Outcome: evaluate.Outcome{State: evaluate.Failed}}},
	} {
		c.Former = map[string][]study.Row{"old": rows}
		if _, err := study.Create(t.Context(), memory.New(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v gave %v", rows, err)
		}
	}
}
