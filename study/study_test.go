package study_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/study"
)

// tb is what a test and a rapid test share.
type tb interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// line is a space of one real parameter x in [0,10].
func line(t tb) *space.Space { return newSpace(t, space.Float("x", 0, 10)) }

func newSpace(t tb, parts ...space.Part) *space.Space {
	t.Helper()
	s, err := space.New(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// begin creates a study in a new store, method sobol and space line unless c says
// otherwise.
func begin(t tb, c study.Config) (*study.Study, study.Store, *clock) {
	t.Helper()
	c.Name = "s"
	if c.Space == nil {
		c.Space = line(t)
	}
	if c.Method == "" {
		c.Method = "sobol"
	}
	st, now := memory.New(), newClock()
	s, err := study.Create(context.Background(), st, c, study.WithClock(now.Now))
	if err != nil {
		t.Fatal(err)
	}
	return s, st, now
}

func reopen(t tb, st study.Store, now *clock) *study.Study {
	t.Helper()
	s, err := study.Open(context.Background(), st, "s", study.WithClock(now.Now))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ask(t tb, s *study.Study, r study.AskRequest) study.Batch {
	t.Helper()
	b, err := s.Ask(context.Background(), r)
	if err != nil {
		t.Fatalf("Ask %+v: %v", r, err)
	}
	return b
}

func tell(t tb, s *study.Study, number int, value float64) {
	t.Helper()
	if err := s.Tell(context.Background(), number, evaluate.Outcome{Value: value}); err != nil {
		t.Fatalf("Tell %d: %v", number, err)
	}
}

func table(t tb, s *study.Study) []study.Trial {
	t.Helper()
	trials, err := s.Trials(context.Background(), study.Page{})
	if err != nil {
		t.Fatal(err)
	}
	return trials
}

// events is the whole log.
func events(t tb, st study.Store) []study.Event {
	t.Helper()
	id, err := st.Find(context.Background(), "s")
	if err != nil {
		t.Fatal(err)
	}
	log, err := st.Events(context.Background(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func numbers(trials []study.Trial) (list []int) {
	for _, t := range trials {
		list = append(list, t.Number)
	}
	return list
}

func values(m map[string]any) space.Params { return space.ParamsOf(m) }

// sameJSON compares what two things look like to a user.
func sameJSON(t tb, what string, want, got any) {
	t.Helper()
	w, err := json.MarshalIndent(want, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	g, err := json.MarshalIndent(got, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(w), string(g)); diff != "" {
		t.Errorf("%s differ (-want +got):\n%s", what, diff)
	}
}

func TestCreateRefuses(t *testing.T) {
	good := study.Config{Name: "a", Space: line(t), Method: "sobol"}
	for _, c := range []struct {
		change func(*study.Config)
		want   string
	}{
		{func(c *study.Config) { c.Name = "" }, "name"},
		{func(c *study.Config) { c.Name = "a/b" }, "name"},
		{func(c *study.Config) { c.Name = "-a" }, "name"},
		{func(c *study.Config) { c.Name = strings.Repeat("a", 129) }, "name"},
		{func(c *study.Config) { c.Space = nil }, "nothing to optimise"},
		{func(c *study.Config) { c.Method = "simplex" }, "unknown method"},
		{func(c *study.Config) { c.Goal = "best" }, "goal"},
		{func(c *study.Config) { c.Init = -1 }, "init"},
		{func(c *study.Config) { c.Budget = -1 }, "budget"},
	} {
		bad := good
		c.change(&bad)
		_, err := study.Create(t.Context(), memory.New(), bad)
		var request *study.RequestError
		if !errors.As(err, &request) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Create gave %v, want a RequestError with %q", err, c.want)
		}
	}
	st := memory.New()
	for _, want := range []error{nil, study.ErrExists} {
		if _, err := study.Create(t.Context(), st, good); !errors.Is(err, want) {
			t.Errorf("Create gave %v, want %v", err, want)
		}
	}
	if _, err := study.Open(t.Context(), st, "b"); !errors.Is(err, study.ErrNotFound) || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("Open of a study that is not there gave %v", err)
	}
}

func TestConfigSurvives(t *testing.T) {
	s, st, now := begin(t, study.Config{
		Space:  newSpace(t, space.Log("rate", 1e-5, 0.1).WithUnit("1/s"), space.Choice("c", "a", "b", "c"), space.Int("n", 0, 9), space.Constraint("n <= 5")),
		Method: "maha:d=2", Goal: study.Maximize, Seed: math.MaxUint64, Init: 7, Batch: 3, Budget: 500,
	})
	sameJSON(t, "configurations", s.Config(), reopen(t, st, now).Config())
}

func TestTell(t *testing.T) {
	complete := evaluate.Outcome{State: evaluate.Complete, Value: 1.5, Std: 0.1}
	failed := evaluate.Outcome{State: evaluate.Failed, Reason: "it broke"}
	infeasible := evaluate.Outcome{State: evaluate.Infeasible, Reason: "no such mix"}
	for _, c := range []struct {
		name          string
		first, second evaluate.Outcome
		state         evaluate.State // after both
		conflict      bool
	}{
		{"same value", complete, complete, evaluate.Complete, false},
		{"state left out", complete, evaluate.Outcome{Value: 1.5}, evaluate.Complete, false},
		{"other noise", complete, evaluate.Outcome{Value: 1.5, Std: 0.2}, evaluate.Complete, true},
		{"other value", complete, evaluate.Outcome{Value: 2.5}, evaluate.Complete, true},
		{"value then failure", complete, failed, evaluate.Complete, true},
		{"value then infeasible", complete, infeasible, evaluate.Complete, true},
		{"failure twice", failed, evaluate.Outcome{State: evaluate.Failed, Reason: "again"}, evaluate.Failed, false},
		{"failure then value", failed, complete, evaluate.Complete, false},
		{"failure then infeasible", failed, infeasible, evaluate.Infeasible, false},
		{"infeasible twice", infeasible, infeasible, evaluate.Infeasible, false},
		{"infeasible then value", infeasible, complete, evaluate.Infeasible, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, st, now := begin(t, study.Config{})
			ask(t, s, study.AskRequest{})
			if err := s.Tell(t.Context(), 1, c.first); err != nil {
				t.Fatal(err)
			}
			err := reopen(t, st, now).Tell(t.Context(), 1, c.second)
			var conflict *study.ConflictError
			if errors.As(err, &conflict) != c.conflict || err != nil != c.conflict {
				t.Errorf("the second outcome gave %v, conflict expected: %v", err, c.conflict)
			}
			if got := table(t, s)[0]; got.State != c.state || (got.Value != nil) != (c.state == evaluate.Complete) {
				t.Errorf("the trial is %s with value %v, want %s", got.State, got.Value, c.state)
			}
		})
	}
}

func TestConflictNamesBoth(t *testing.T) {
	s, _, _ := begin(t, study.Config{})
	ask(t, s, study.AskRequest{})
	tell(t, s, 1, 1.5)
	err := s.Tell(t.Context(), 1, evaluate.Outcome{Value: 2.5})
	if err == nil || !strings.Contains(err.Error(), "1.5") || !strings.Contains(err.Error(), "2.5") {
		t.Errorf("the conflict is %v: it must name both values", err)
	}
}

func TestTellRefuses(t *testing.T) {
	s, _, _ := begin(t, study.Config{})
	ask(t, s, study.AskRequest{Count: 2})
	for _, c := range []struct {
		number int
		o      evaluate.Outcome
		want   string
	}{
		{0, evaluate.Outcome{}, "the study has 2"},
		{3, evaluate.Outcome{}, "the study has 2"},
		{1, evaluate.Outcome{Value: math.NaN()}, "only finite"},
		{1, evaluate.Outcome{Value: math.Inf(-1)}, "only finite"},
		{1, evaluate.Outcome{Std: -1}, "std is -1"},
		{1, evaluate.Outcome{State: study.Running}, "must be \"complete\""},
		{1, evaluate.Outcome{State: "done"}, `"done"`},
	} {
		// The good one beside it must not be written either.
		_, err := s.Record(t.Context(), study.Finished{Number: 2, Outcome: evaluate.Outcome{Value: 1}}, study.Finished{Number: c.number, Outcome: c.o})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("telling trial %d %+v gave %v, want %q", c.number, c.o, err, c.want)
		}
	}
	twice := []study.Finished{{Number: 1, Outcome: evaluate.Outcome{State: evaluate.Failed}}, {Number: 1, Outcome: evaluate.Outcome{Value: 1}}}
	if _, err := s.Record(t.Context(), twice...); err == nil {
		t.Error("two outcomes of one trial in one call were accepted")
	}
	for _, trial := range table(t, s) {
		if trial.State != study.Running {
			t.Errorf("trial %d is %s after refused outcomes", trial.Number, trial.State)
		}
	}
}

func TestEnqueue(t *testing.T) {
	s, st, now := begin(t, study.Config{Space: newSpace(t, space.Float("x", 0, 10), space.Int("n", 1, 5), space.Fixed("g", 9.81), space.Constraint("x + n <= 12"))})
	chosen := []space.Params{values(map[string]any{"x": 0.1, "n": 2}), values(map[string]any{"x": 7, "n": 3.0})}
	trials, err := s.Enqueue(t.Context(), study.EnqueueRequest{RequestID: "e", Params: chosen})
	if err != nil {
		t.Fatal(err)
	}
	again, err := reopen(t, st, now).Enqueue(t.Context(), study.EnqueueRequest{RequestID: "e", Params: chosen})
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "trials of a repeated request", trials, again)
	if trials[0].State != study.Waiting || trials[0].Origin != study.FromUser || len(table(t, s)) != 2 {
		t.Errorf("the trials are %+v", trials)
	}
	b := ask(t, s, study.AskRequest{Count: 3})
	if want := []int{1, 2, 3}; !slices.Equal(numbers(b.Trials), want) {
		t.Fatalf("served %v, want %v", numbers(b.Trials), want)
	}
	sameJSON(t, "parameters", json.RawMessage(`{"x":0.1,"n":2,"g":9.81}`), b.Trials[0].Params)
	sameJSON(t, "parameters", json.RawMessage(`{"x":7,"n":3,"g":9.81}`), b.Trials[1].Params)
	if b.Trials[2].Origin != study.FromMethod {
		t.Errorf("the third trial is from %s", b.Trials[2].Origin)
	}
	for _, c := range []struct {
		params map[string]any
		want   string
	}{
		{map[string]any{"x": 1}, `"n" has no value`},
		{map[string]any{"x": 11, "n": 1}, "[0, 10]"},
		{map[string]any{"x": 1, "n": 1, "m": 1}, `"m"`},
		{map[string]any{"x": 10, "n": 5}, "breaks the constraint \"x + n <= 12\" by 3"},
	} {
		_, err := s.Enqueue(t.Context(), study.EnqueueRequest{Params: []space.Params{chosen[0], values(c.params)}})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "point 2") {
			t.Errorf("enqueueing %v gave %v, want %q", c.params, err, c.want)
		}
	}
	for _, others := range [][]space.Params{chosen[:1], {chosen[1], chosen[0]}, append(chosen[:1:1], values(map[string]any{"x": 1, "n": 1}))} {
		_, err := s.Enqueue(t.Context(), study.EnqueueRequest{RequestID: "e", Params: others})
		if !errors.Is(err, study.ErrUsedID) {
			t.Errorf("enqueueing %v in the name of others gave %v", others, err)
		}
	}
	if n := len(table(t, s)); n != 3 {
		t.Errorf("refused points left %d trials, want 3", n)
	}
}

// TestTypesSurvive checks that a whole number of a real parameter does not come back
// as an integer, and that a caller cannot change a study through what it returned.
func TestTypesSurvive(t *testing.T) {
	s, st, now := begin(t, study.Config{})
	if _, err := s.Enqueue(t.Context(), study.EnqueueRequest{Params: []space.Params{values(map[string]any{"x": 3})}}); err != nil {
		t.Fatal(err)
	}
	r := study.AskRequest{RequestID: "r"}
	for what, trial := range map[string]study.Trial{
		"new": ask(t, s, r).Trials[0], "replayed": ask(t, reopen(t, st, now), r).Trials[0], "listed": table(t, s)[0],
	} {
		if x, _ := trial.Params.Get("x"); x != 3.0 {
			t.Errorf("%s: x is %T %v, want float64 3", what, x, x)
		}
	}
	tell(t, s, 1, 1.5)
	*ask(t, s, r).Trials[0].Value = 7
	if best, _, err := s.Best(t.Context()); err != nil || best.Mean != 1.5 || *best.Value != 1.5 {
		t.Errorf("the best is %+v, %v", best, err)
	}
}

func TestRetryAndNotes(t *testing.T) {
	s, st, now := begin(t, study.Config{})
	ask(t, s, study.AskRequest{})
	if err := s.Retry(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "running") {
		t.Errorf("retrying a running trial gave %v", err)
	}
	if err := s.Tell(t.Context(), 1, evaluate.Outcome{State: evaluate.Failed, Reason: "no power"}); err != nil {
		t.Fatal(err)
	}
	if n := ask(t, s, study.AskRequest{}).Trials[0].Number; n != 2 {
		t.Errorf("the failed trial was served without a retry")
	}
	for range 2 { // the second changes nothing
		if err := s.Retry(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if err := s.Note(t.Context(), 1, "cable replaced"); err != nil {
			t.Fatal(err)
		}
	}
	got := ask(t, reopen(t, st, now), study.AskRequest{}).Trials[0]
	if got.Number != 1 || got.Reason != "" || !slices.Equal(got.Notes, []string{"cable replaced"}) {
		t.Errorf("the trial served again is %+v", got)
	}
}

// proposes returns the point that a fresh strategy proposes after observations.
// TestWhatMethodsAreTold checks the rules of the package's documentation against
// a strategy that is told by hand.
func TestBestOfNothing(t *testing.T) {
	s, _, _ := begin(t, study.Config{})
	ask(t, s, study.AskRequest{})
	if _, ok, err := s.Best(t.Context()); ok || err != nil {
		t.Errorf("a study without values has a best: %v, %v", ok, err)
	}
}

func TestDeletedStudy(t *testing.T) {
	s, st, _ := begin(t, study.Config{})
	ask(t, s, study.AskRequest{})
	if err := study.Delete(t.Context(), st, "s"); err != nil {
		t.Fatal(err)
	}
	again := s.Config()
	if _, err := study.Create(t.Context(), st, again); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ask(t.Context(), study.AskRequest{}); !errors.Is(err, study.ErrNotFound) {
		t.Errorf("asking a deleted study gave %v", err)
	}
	if err := s.Tell(t.Context(), 1, evaluate.Outcome{}); !errors.Is(err, study.ErrNotFound) {
		t.Errorf("telling a deleted study gave %v", err)
	}
}

func TestSummary(t *testing.T) {
	s, _, now := begin(t, study.Config{})
	ask(t, s, study.AskRequest{Count: 2, Lease: time.Second})
	tell(t, s, 1, 1)
	now.advance(time.Minute)
	sum, err := s.Summary(t.Context())
	if err != nil || sum.Trials != 2 || sum.Batches != 1 || sum.States[evaluate.Complete] != 1 || sum.States[study.Stale] != 1 || sum.Created.IsZero() {
		t.Errorf("the summary is %+v, %v", sum, err)
	}
}

// TestManyProcesses drives one study from several Studies, as processes would:
// all numbers differ, all values arrive, batches count up.

// full is a store that has no room for the next event.
type full struct {
	study.Store
	now bool
}

func (f *full) Append(ctx context.Context, id string, events []study.Event, changed []study.Trial) error {
	if f.now {
		f.now = false
		return errors.New("no room")
	}
	return f.Store.Append(ctx, id, events, changed)
}

// Writes that a store refuses leave no trace, also where an ask of the same group had settled
// the order of what was told before it.
func TestRefusedGroupLeavesNoTrace(t *testing.T) {
	st := &full{Store: memory.New()}
	s, err := study.Create(t.Context(), st, study.Config{Name: "s", Space: newSpace(t, space.Float("x", 0, 1)), Method: "sobol"})
	if err != nil {
		t.Fatal(err)
	}
	ask(t, s, study.AskRequest{Count: 7})
	for _, n := range []int{1, 2, 4, 5} {
		tell(t, s, n, 10)
	}
	ask(t, s, study.AskRequest{})
	tell(t, s, 7, -5)
	together := func() {
		s.AskTogether(t.Context(), func() []study.AskRequest { return []study.AskRequest{{Count: 1}} })
	}
	for range 2 {
		st.now = true
		s.Together(func() { _ = s.Tell(t.Context(), 3, evaluate.Outcome{Value: 4}) }, together, together)
		fresh, err := study.Open(t.Context(), st, "s")
		if err != nil {
			t.Fatal(err)
		}
		sameJSON(t, "trials after a refused group", table(t, fresh), table(t, s))
		got, _, _ := s.Best(t.Context())
		if want, _, _ := fresh.Best(t.Context()); got.Number != 7 || got.Number != want.Number || got.Mean != want.Mean {
			t.Errorf("the best is trial %d with %g, in the store trial %d with %g", got.Number, got.Mean, want.Number, want.Mean)
		}
	}
	tell(t, s, 3, 4)
	ask(t, s, study.AskRequest{})
	if err := study.Verify(t.Context(), events(t, st)); err != nil {
		t.Error(err)
	}
}
