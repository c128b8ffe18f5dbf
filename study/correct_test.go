package study_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/study"
)

func correct(t testing.TB, s *study.Study, number int, c study.Correction) study.Trial {
	t.Helper()
	trial, changed, err := s.Correct(t.Context(), number, c)
	if err != nil || !changed {
		t.Fatalf("correcting trial %d by %+v: changed %v, %v", number, c, changed, err)
	}
	return trial
}

// twins are two studies that differ by name only.
func twins(t *testing.T, method string) (a, b *study.Study, log func() []study.Event) {
	t.Helper()
	c := study.Config{
		Space: newSpace(t, space.Float("x", 0, 1), space.Log("rate", 1e-4, 1)), Method: method,
		Goal: study.Maximize, Seed: 5, Init: 4,
	}
	a, st, _ := begin(t, c)
	b, _, _ = begin(t, c)
	return a, b, func() []study.Event { return events(t, st) }
}

// yield is best at x 0.3.
func yield(trial study.Trial) float64 {
	x := trial.Params.Float("x")
	return 0.82 - (x-0.3)*(x-0.3)
}

// tellAll tells the yield of the trials of a batch, but of trial 1 the value given.
func tellAll(t *testing.T, s *study.Study, first float64) {
	t.Helper()
	for _, trial := range ask(t, s, study.AskRequest{Count: 4}).Trials {
		v := yield(trial)
		if trial.Number == 1 {
			v = first
		}
		if err := s.Tell(t.Context(), trial.Number, evaluate.Value(v)); err != nil {
			t.Fatal(err)
		}
	}
}

// suggestions are the parameters that a study suggests next, as text.
func suggestions(t *testing.T, s *study.Study) (list []string) {
	t.Helper()
	for _, trial := range ask(t, s, study.AskRequest{Count: 3}).Trials {
		list = append(list, trial.Params.String())
	}
	return list
}

func TestCorrectedValueIsWhatEveryLaterAskKnows(t *testing.T) {
	for _, method := range []string{"adaptive", "turbo", "cmaes", "maha"} {
		t.Run(method, func(t *testing.T) {
			wrong, right, log := twins(t, method)
			tellAll(t, wrong, 8.2)
			tellAll(t, right, 0.82)
			value := 0.82
			got := correct(t, wrong, 1, study.Correction{Value: &value, By: "ana"})
			if len(got.History) != 1 || got.History[0].What != "value 8.2 -> 0.82" || got.History[0].By != "ana" || got.History[0].Time.IsZero() {
				t.Errorf("the history is %+v", got.History)
			}
			best, _, err := wrong.Best(t.Context())
			if err != nil || best.Mean != 0.82 {
				t.Errorf("the best is %v, %v", best.Mean, err)
			}
			for range 3 { // the method starts anew, then goes on
				a, b := suggestions(t, wrong), suggestions(t, right)
				if !slices.Equal(a, b) {
					t.Fatalf("after the correction it suggests %v, where 0.82 was told %v", a, b)
				}
			}
			if err := study.Verify(t.Context(), log()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A wrong value that a method has built a batch on is mended too: the batch stays as it was
// suggested, in a replay too.
func TestCorrectionBehindAnAsk(t *testing.T) {
	wrong, _, log := twins(t, "adaptive")
	tellAll(t, wrong, 8.2)
	tellAll(t, wrong, 0)
	value := 0.1
	correct(t, wrong, 1, study.Correction{Value: &value})
	exclude := true
	correct(t, wrong, 6, study.Correction{Exclude: &exclude})
	suggestions(t, wrong)
	if err := study.Verify(t.Context(), log()); err != nil {
		t.Error(err)
	}
}

func TestExcludedTrialIsKeptAndNotLearnt(t *testing.T) {
	s, _, log := twins(t, "adaptive")
	tellAll(t, s, 8.2)
	yes, no := true, false
	got := correct(t, s, 1, study.Correction{Exclude: &yes})
	if !got.Excluded || got.Value == nil || *got.Value != 8.2 || got.State != evaluate.Complete {
		t.Fatalf("an excluded trial is %+v", got)
	}
	best, _, err := s.Best(t.Context())
	if err != nil || best.Number == 1 {
		t.Errorf("the best is the excluded trial, %v", err)
	}
	values, err := s.Values(t.Context())
	if err != nil || len(values) != 3 {
		t.Errorf("%d values count, %v", len(values), err)
	}
	sum, err := s.Summary(t.Context())
	if err != nil || sum.Excluded != 1 || sum.States[evaluate.Complete] != 4 {
		t.Errorf("the summary is %+v, %v", sum, err)
	}
	sorted, _, err := s.Select(t.Context(), study.Query{Sort: study.ByValue, Descending: true})
	if err != nil || sorted[3].Number != 1 {
		t.Errorf("the excluded trial is not the last by value, %v", err)
	}
	if left, total, err := s.Select(t.Context(), study.Query{Excluded: true}); err != nil || total != 1 || left[0].Number != 1 {
		t.Errorf("%d trials are excluded: %v", total, err)
	}
	suggestions(t, s)
	correct(t, s, 1, study.Correction{Exclude: &no})
	if best, _, _ := s.Best(t.Context()); best.Number != 1 {
		t.Errorf("the best is trial %d after trial 1 was included again", best.Number)
	}
	if _, changed, err := s.Correct(t.Context(), 1, study.Correction{Exclude: &no}); changed || err != nil {
		t.Errorf("to include twice: changed %v, %v", changed, err)
	}
	if err := study.Verify(t.Context(), log()); err != nil {
		t.Error(err)
	}
}

// The point of an excluded trial is not suggested again, and is not waited for.
func TestExcludedPointIsTried(t *testing.T) {
	s, _, _ := begin(t, study.Config{Space: newSpace(t, space.Int("n", 1, 3)), Method: "sobol", Init: 1})
	seen := map[string]bool{}
	yes := true
	for i := range 3 {
		trial := ask(t, s, study.AskRequest{}).Trials[0]
		seen[trial.Params.String()] = true
		if err := s.Tell(t.Context(), trial.Number, evaluate.Outcome{State: evaluate.Failed}); err != nil {
			t.Fatal(err)
		}
		correct(t, s, i+1, study.Correction{Exclude: &yes})
		if err := s.Retry(t.Context(), trial.Number); err == nil || !strings.Contains(err.Error(), "include it first") {
			t.Errorf("to retry an excluded trial gave %v", err)
		}
	}
	if len(seen) != 3 {
		t.Errorf("of three points %v were suggested", seen)
	}
}

func TestParametersThatWereReallyUsed(t *testing.T) {
	s, right, log := twins(t, "adaptive")
	b := ask(t, s, study.AskRequest{Count: 4, Worker: "bench"})
	really := values(map[string]any{"rate": 0.08})
	var points []space.Params
	for _, trial := range b.Trials {
		f := study.Finished{Number: trial.Number, Outcome: evaluate.Value(yield(trial))}
		if trial.Number == 2 {
			f.Params = really
		}
		for range 2 { // to repeat it changes nothing
			if _, err := s.Record(t.Context(), f); err != nil {
				t.Fatal(err)
			}
		}
		rate := any(trial.Params.Float("rate"))
		if trial.Number == 2 {
			rate = 0.08
		}
		points = append(points, values(map[string]any{"x": trial.Params.Float("x"), "rate": rate}))
	}
	got := table(t, s)[1]
	if got.Params.Float("rate") != 0.08 || len(got.History) != 1 || got.History[0].By != "bench" || !strings.Contains(got.History[0].What, "-> 0.08") {
		t.Errorf("the trial is %+v", got)
	}
	_, err := s.Record(t.Context(), study.Finished{Number: 2, Outcome: evaluate.Value(*got.Value), Params: values(map[string]any{"rate": 0.5})})
	if err == nil || !strings.Contains(err.Error(), "correct it") {
		t.Errorf("telling other parameters later gave %v", err)
	}
	if _, err := right.Enqueue(t.Context(), study.EnqueueRequest{Params: points}); err != nil {
		t.Fatal(err)
	}
	for _, trial := range ask(t, right, study.AskRequest{Count: 4}).Trials {
		if err := right.Tell(t.Context(), trial.Number, evaluate.Value(yield(trial))); err != nil {
			t.Fatal(err)
		}
	}
	best, _, _ := s.Best(t.Context())
	other, _, _ := right.Best(t.Context())
	if best.Params.String() != other.Params.String() {
		t.Errorf("the best is %v, where the point was enqueued %v", best.Params, other.Params)
	}
	correct(t, s, 2, study.Correction{Params: values(map[string]any{"rate": 0.5, "x": 0.5})})
	suggestions(t, s)
	if err := study.Verify(t.Context(), log()); err != nil {
		t.Error(err)
	}
}

func TestCorrectionsOfEveryKind(t *testing.T) {
	s, _, log := twins(t, "sobol")
	ask(t, s, study.AskRequest{Count: 4})
	for i, o := range []evaluate.Outcome{{Value: 1}, {State: evaluate.Failed, Reason: "power cut"}, {State: evaluate.Infeasible}} {
		if err := s.Tell(t.Context(), i+1, o); err != nil {
			t.Fatal(err)
		}
	}
	for _, note := range []string{"a", "b", "c"} {
		if err := s.Note(t.Context(), 1, note); err != nil {
			t.Fatal(err)
		}
	}
	one, std, wide, why := 1.5, 0.1, -1.0, "fire"
	yes := true
	for _, c := range []struct {
		name   string
		number int
		c      study.Correction
		want   string // of the history, or of the error
		fails  bool
	}{
		{"std", 1, study.Correction{Std: &std}, "std 0 -> 0.1", false},
		{"value and state", 2, study.Correction{Value: &one}, `failed -> complete with value 1.5; reason "power cut" -> ""`, false},
		{"value to failed", 2, study.Correction{State: evaluate.Failed, Reason: &why}, `complete with value 1.5 -> failed; reason "" -> "fire"`, false},
		{"failed to infeasible", 2, study.Correction{State: evaluate.Infeasible}, "failed -> infeasible", false},
		{"infeasible to complete", 3, study.Correction{State: evaluate.Complete, Value: &one}, "infeasible -> complete with value 1.5", false},
		{"note", 1, study.Correction{Note: 2}, `deleted note 2: "b"`, false},
		{"no note", 1, study.Correction{Note: 3}, "has no note 3: it has 2", true},
		{"no value", 2, study.Correction{State: evaluate.Complete}, "has a value", true},
		{"value of a failed one", 2, study.Correction{State: evaluate.Failed, Value: &one}, "leave out value", true},
		{"negative std", 1, study.Correction{Std: &wide}, "std is -1", true},
		{"unknown state", 1, study.Correction{State: study.Waiting}, "must be", true},
		{"running", 4, study.Correction{Value: &one}, "tell it", true},
		{"running excluded", 4, study.Correction{Exclude: &yes}, "only a trial with an outcome", true},
		{"unknown parameter", 1, study.Correction{Params: values(map[string]any{"y": 1})}, "y", true},
		{"out of bounds", 1, study.Correction{Params: values(map[string]any{"x": 2})}, "x", true},
		{"no trial", 5, study.Correction{Value: &one}, "the study has 4", true},
	} {
		trial, _, err := s.Correct(t.Context(), c.number, c.c)
		got := ""
		if err != nil {
			got = err.Error()
		} else if n := len(trial.History); n > 0 {
			got = trial.History[n-1].What
		}
		if (err != nil) != c.fails || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if notes := table(t, s)[0].Notes; !slices.Equal(notes, []string{"a", "c"}) {
		t.Errorf("the notes are %q", notes)
	}
	replayed, err := study.Replayed(log())
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "the table and the replayed log", replayed, table(t, s))
}

// An ask that was under way when a value was corrected is not served points that follow the
// mistake.
func TestDraftIsOvertakenByACorrection(t *testing.T) {
	s, _, _ := twins(t, "sobol")
	tellAll(t, s, 8.2)
	ahead, err := s.Draft(t.Context(), study.AskRequest{Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := ahead.Choose(context.Background()); err != nil {
		t.Fatal(err)
	}
	value := 0.82
	correct(t, s, 1, study.Correction{Value: &value})
	d, err := s.Draft(t.Context(), study.AskRequest{Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	if d.Adopt(ahead) {
		t.Error("points that were chosen before the correction are adopted")
	}
	if served := ahead.Serve(t.Context())[0]; !errors.Is(served.Err, study.ErrOvertaken) {
		t.Errorf("they are served: %v", served.Err)
	}
}

// A log of the version before corrections stays readable, and the new kind does not change the
// format: an older version refuses only the logs that have one.
func TestCorrectedEventHasAKindOfItsOwn(t *testing.T) {
	s, _, log := twins(t, "sobol")
	tellAll(t, s, 8.2)
	value := 0.82
	correct(t, s, 1, study.Correction{Value: &value, By: "ana"})
	list := log()
	text, err := json.Marshal(list[len(list)-1])
	if err != nil {
		t.Fatal(err)
	}
	var kinds map[string]any
	if err := json.Unmarshal(text, &kinds); err != nil || len(kinds) != 2 || kinds["corrected"] == nil {
		t.Errorf("the event is %s, %v", text, err)
	}
}

// brittle is a store that is away when it is told to be.
type brittle struct {
	study.Store
	away bool
}

func (b *brittle) Append(ctx context.Context, id string, events []study.Event, changed []study.Trial) error {
	if b.away {
		return study.ErrUnavailable
	}
	return b.Store.Append(ctx, id, events, changed)
}

// Trials at one point stay together when the correction that would part them cannot be written.
func TestCorrectionThatIsNotWritten(t *testing.T) {
	st := &brittle{Store: memory.New()}
	s, err := study.Create(t.Context(), st, study.Config{Name: "s", Space: line(t), Method: "sobol"})
	if err != nil {
		t.Fatal(err)
	}
	add := func(x, value float64) {
		if _, err := s.Add(t.Context(), values(map[string]any{"x": x}), evaluate.Value(value)); err != nil {
			t.Fatal(err)
		}
	}
	add(1, 1)
	add(1, 5)
	add(2, 2)
	st.away = true
	if _, _, err := s.Correct(t.Context(), 1, study.Correction{Params: values(map[string]any{"x": 7})}); !errors.Is(err, study.ErrUnavailable) {
		t.Fatalf("a correction that was not written gave %v", err)
	}
	st.away = false
	add(3, 2) // as good as the best: all are compared
	if best, _, err := s.Best(t.Context()); err != nil || best.Number != 3 {
		t.Errorf("the best is trial %d with %v, %v", best.Number, best.Mean, err)
	}
}
