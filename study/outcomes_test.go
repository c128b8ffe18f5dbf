package study_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/study"
)

type byName = map[string]float64

func named(v byName) evaluate.Outcome { return evaluate.Outcome{Outcomes: v} }

// beam has two objectives, a limit and an outcome that is only recorded.
func beam(t tb, more ...space.Part) *space.Space {
	return newSpace(t, append([]space.Part{
		space.Float("x", 0, 10),
		space.Outcome{Name: "mass", Goal: "minimize"},
		space.Outcome{Name: "range", Goal: "maximize"},
		space.Outcome{Name: "stress", AtMost: new(10.0)},
		space.Outcome{Name: "temp"},
	}, more...)...)
}

func newStudy(t *testing.T, sp *space.Space, method string) *study.Study {
	t.Helper()
	s, err := study.Create(t.Context(), memory.New(), study.Config{Name: "s", Space: sp, Method: method})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serve asks for trials without looking at them.
func asks(t *testing.T, s *study.Study, n int) {
	t.Helper()
	if _, err := s.Ask(t.Context(), study.AskRequest{Count: n}); err != nil {
		t.Fatal(err)
	}
}

func tellNamed(t *testing.T, s *study.Study, number int, v byName) study.Trial {
	t.Helper()
	trials, err := s.Record(t.Context(), study.Finished{Number: number, Outcome: named(v)})
	if err != nil {
		t.Fatalf("trial %d, %v: %v", number, v, err)
	}
	return trials[0]
}

func TestPartialOutcomes(t *testing.T) {
	s := newStudy(t, beam(t), "sobol")
	asks(t, s, 1)
	one := tellNamed(t, s, 1, byName{"mass": 1})
	if one.State != study.Running || one.Value != nil || one.Outcomes["mass"] != 1 {
		t.Errorf("after one outcome the trial is %+v", one)
	}
	if _, ok, _ := s.Best(t.Context()); ok {
		t.Error("a trial that lacks outcomes is the best")
	}
	tellNamed(t, s, 1, byName{"mass": 1.5}) // a second measurement before the trial is complete
	one = tellNamed(t, s, 1, byName{"range": 3, "stress": 9})
	if one.State != evaluate.Complete || *one.Value != 1.5 || len(one.Outcomes) != 3 {
		t.Errorf("with all outcomes the trial is %+v", one)
	}
	before, _ := s.Summary(t.Context())
	tellNamed(t, s, 1, byName{"stress": 9}) // again
	if after, _ := s.Summary(t.Context()); after.Length != before.Length {
		t.Error("telling the same again was written")
	}
	if one = tellNamed(t, s, 1, byName{"temp": 20}); one.Outcomes["temp"] != 20 {
		t.Errorf("what is only recorded came later: %+v", one)
	}
	var conflict *study.ConflictError
	if err := s.Tell(t.Context(), 1, named(byName{"stress": 8})); !errors.As(err, &conflict) || !strings.Contains(err.Error(), "complete with mass 1.5, range 3, stress 9, temp 20 already") {
		t.Errorf("another value gave %v", err)
	}
	replayed(t, s)
}

// replayed checks that the log leads to the trials.
func replayed(t *testing.T, s *study.Study) {
	t.Helper()
	events, err := s.Events(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var stored []study.Event // as a database has them
	for _, e := range events {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		back := study.Event{Seq: e.Seq}
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		back.Seq = e.Seq
		stored = append(stored, back)
	}
	want, err := s.Trials(t.Context(), study.Page{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := study.Replayed(stored)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	if diff := cmp.Diff(string(a), string(b)); diff != "" {
		t.Error(diff)
	}
	if err := study.Verify(t.Context(), stored); err != nil {
		t.Error(err)
	}
}

func TestRefusedOutcomes(t *testing.T) {
	s := newStudy(t, beam(t), "sobol")
	asks(t, s, 1)
	for says, o := range map[string]evaluate.Outcome{
		`outcome "mas" is not declared (did you mean "mass"?)`:     named(byName{"mas": 1}),
		"has 2 objectives: tell outcomes by their names":           {Value: 3},
		`outcome "temp" has a std and no value`:                    {Outcomes: byName{"mass": 1}, Stds: byName{"temp": 1}},
		`the std of outcome "mass" is -1: a standard deviation is`: {Outcomes: byName{"mass": 1}, Stds: byName{"mass": -1}},
	} {
		if err := s.Tell(t.Context(), 1, o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %q", o, err, says)
		}
	}
	plain := newStudy(t, line(t), "sobol")
	asks(t, plain, 1)
	if err := plain.Tell(t.Context(), 1, named(byName{"mass": 1})); err == nil || !strings.Contains(err.Error(), "the study declares none") {
		t.Errorf("outcomes of a study without any gave %v", err)
	}
	for _, method := range []string{"vanilla", "maha", "turbo"} {
		_, err := study.Create(t.Context(), memory.New(), study.Config{Name: "s", Space: beam(t), Method: method})
		if err == nil || !strings.Contains(err.Error(), method+" does not take 2 objectives: choose one of ") {
			t.Errorf("%s: %v", method, err)
		}
	}
	_, err := study.Create(t.Context(), memory.New(), study.Config{Name: "s", Space: beam(t), Method: "sobol", Goal: study.Maximize})
	if err == nil || !strings.Contains(err.Error(), "the outcomes of the space have goals of their own") {
		t.Errorf("another goal gave %v", err)
	}
}

// The short form is the one objective of a study that has limits too.
func TestValueOfOneObjective(t *testing.T) {
	s := newStudy(t, newSpace(t, space.Float("x", 0, 10),
		space.Outcome{Name: "gain", Goal: "maximize"}, space.Outcome{Name: "noise", AtLeast: new(3.0)}), "sobol")
	asks(t, s, 4)
	for number, noise := range map[int]float64{1: 2, 2: 2.5} {
		if err := s.Tell(t.Context(), number, evaluate.Outcome{Value: float64(number), Std: 0.1}); err != nil {
			t.Fatal(err)
		}
		if got := tellNamed(t, s, number, byName{"noise": noise}); *got.Value != float64(number) || got.Std != 0.1 {
			t.Errorf("the trial is %+v", got)
		}
	}
	best, ok, err := s.Best(t.Context())
	if err != nil || !ok || best.Number != 2 || best.Violations["noise"] != 0.5 {
		t.Errorf("the least violation is %+v, %v, %v", best, ok, err)
	}
	tellNamed(t, s, 3, byName{"gain": 0.1, "noise": 3})
	tellNamed(t, s, 4, byName{"gain": 0.2, "noise": 4})
	best, _, _ = s.Best(t.Context())
	if best.Number != 4 || best.Violations != nil || best.Mean != 0.2 || best.Means["noise"] != 4 {
		t.Errorf("the best is %+v", best)
	}
	sorted, _, err := s.Select(t.Context(), study.Query{Sort: study.ByValue, Descending: true})
	if err != nil || sorted[0].Number != 4 || sorted[1].Number != 3 || sorted[2].Number != 2 {
		t.Errorf("by value: %v, %v", sorted, err)
	}
	replayed(t, s)
}

func TestFront(t *testing.T) {
	s := newStudy(t, beam(t), "random")
	asks(t, s, 6)
	for i, y := range []byName{
		{"mass": 1, "range": 1, "stress": 9}, {"mass": 2, "range": 5, "stress": 9}, {"mass": 6, "range": 6, "stress": 10},
		{"mass": 0, "range": 9, "stress": 11}, {"mass": 3, "range": 4, "stress": 1},
	} {
		tellNamed(t, s, i+1, y)
	}
	f, err := s.Front(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var numbers []int
	for _, p := range f.Points {
		numbers = append(numbers, p.Number)
	}
	if diff := cmp.Diff([]int{1, 2, 3}, numbers); diff != "" || f.Knee != 2 {
		t.Errorf("the front is %v, its knee %d", numbers, f.Knee)
	}
	// The worst on the front is mass 6 and range 1; a tenth of 5 beyond is 6.5 and 0.5.
	if f.Reference["mass"] != 6.5 || f.Reference["range"] != 0.5 {
		t.Errorf("the reference is %v", f.Reference)
	}
	if want := 5.5*0.5 + 4.5*4 + 0.5*1; f.Hypervolume != want || f.Volumes[len(f.Volumes)-1] != want || f.Complete != 5 || f.Kept["stress"] != 4 {
		t.Errorf("the front is %+v, want the hypervolume %g", f, want)
	}
	if best, _, _ := s.Best(t.Context()); best.Number != 2 {
		t.Errorf("the best is trial %d, not the knee", best.Number)
	}
	replayed(t, s)
}

func TestCorrectedOutcomes(t *testing.T) {
	s := newStudy(t, beam(t), "sobol")
	asks(t, s, 2)
	tellNamed(t, s, 1, byName{"mass": 12, "range": 1, "stress": 9})
	got, changed, err := s.Correct(t.Context(), 1, study.Correction{Outcomes: byName{"mass": 1.2}, Stds: byName{"stress": 0.5}})
	if err != nil || !changed || *got.Value != 1.2 || got.Outcomes["range"] != 1 || got.History[0].What != "mass 12 -> 1.2; std of stress 0 -> 0.5" {
		t.Errorf("the corrected trial is %+v, %v", got, err)
	}
	if err := s.Tell(t.Context(), 2, evaluate.Outcome{State: evaluate.Failed}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Correct(t.Context(), 2, study.Correction{Outcomes: byName{"mass": 1}}); err == nil || !strings.Contains(err.Error(), `outcome "range" is missing`) {
		t.Errorf("a part of the outcomes gave %v", err)
	}
	if got, _, err = s.Correct(t.Context(), 2, study.Correction{Outcomes: byName{"mass": 1, "range": 2, "stress": 3}}); err != nil || got.State != evaluate.Complete {
		t.Errorf("the corrected trial is %+v, %v", got, err)
	}
	replayed(t, s)
}

// A log without outcomes is of the format before them.
func TestFormatStays(t *testing.T) {
	for want, sp := range map[string]*space.Space{`"created":{"format":1,`: line(t), `"created":{"format":2,`: beam(t)} {
		events, err := newStudy(t, sp, "sobol").Events(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := json.Marshal(events[0]); !strings.Contains(string(text), want) {
			t.Errorf("the log begins with %s", text)
		}
	}
}

// A snapshot keeps outcomes, and a change of the space leaves them.
func TestOutcomesBesideOthers(t *testing.T) {
	s := newStudy(t, beam(t), "adaptive")
	asks(t, s, 10)
	for n := 1; n <= 9; n++ {
		tellNamed(t, s, n, byName{"mass": float64(n), "range": float64(n % 4), "stress": float64(3 * n)})
	}
	tellNamed(t, s, 10, byName{"mass": 3})
	asks(t, s, 2)
	trials, err := s.Numbered(t.Context(), 11)
	if err != nil || trials[0].Predicted == nil || len(trials[0].Predicted.Outcomes) != 3 {
		t.Errorf("the method expects %+v, %v", trials, err)
	}
	if err := study.Resnap(s); err != nil {
		t.Error(err)
	}
	if _, err := s.Change(t.Context(), study.Change{Space: line(t)}, false); err == nil || !strings.Contains(err.Error(), "the outcomes of a study do not change") {
		t.Errorf("other outcomes gave %v", err)
	}
	wider := newSpace(t, space.Float("x", 0, 20), space.Outcome{Name: "mass", Goal: "minimize"}, space.Outcome{Name: "range", Goal: "maximize"},
		space.Outcome{Name: "stress", AtMost: new(10.0)}, space.Outcome{Name: "temp"})
	if _, err := s.Change(t.Context(), study.Change{Space: wider}, false); err != nil {
		t.Error(err)
	}
	asks(t, s, 1)
	replayed(t, s)
}
