package study_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/study"
)

func TestAskIsIdempotent(t *testing.T) {
	s, st, now := begin(t, study.Config{})
	first := ask(t, s, study.AskRequest{Count: 3, RequestID: "r", Worker: "w"})
	if want := []int{1, 2, 3}; !slices.Equal(numbers(first.Trials), want) || first.Number != 1 || first.Method != "sobol" {
		t.Fatalf("the first batch is %+v", first)
	}
	sameJSON(t, "batches", first, ask(t, s, study.AskRequest{Count: 1, RequestID: "r"}))
	sameJSON(t, "batches after a restart", first, ask(t, reopen(t, st, now), study.AskRequest{RequestID: "r"}))
	second := ask(t, s, study.AskRequest{Count: 1, RequestID: "other"})
	if second.Number != 2 || second.Trials[0].Number != 4 {
		t.Errorf("another request got %+v", second)
	}
}

func TestLeases(t *testing.T) {
	s, st, now := begin(t, study.Config{})
	first := ask(t, s, study.AskRequest{Worker: "a", Lease: time.Minute}).Trials[0]
	now.advance(30 * time.Second)
	if err := s.Heartbeat(t.Context(), 1, "a", time.Minute); err != nil {
		t.Fatal(err)
	}
	now.advance(59 * time.Second)
	if got := table(t, s)[0].State; got != study.Running {
		t.Fatalf("the trial is %s within its lease", got)
	}
	now.advance(time.Second)
	if got := table(t, s)[0].State; got != study.Stale {
		t.Fatalf("the trial is %s after its lease", got)
	}
	other := reopen(t, st, now)
	again := ask(t, other, study.AskRequest{Worker: "b", Lease: time.Minute})
	if got := again.Trials[0]; got.Number != 1 || got.Worker != "b" || got.State != study.Running || again.Number != 2 || again.Method != "" {
		t.Fatalf("the stale trial was not served again: %+v", again)
	}
	sameJSON(t, "parameters", first.Params, again.Trials[0].Params)
	if err := s.Heartbeat(t.Context(), 1, "a", time.Minute); !errors.Is(err, study.ErrLeaseLost) || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("the heartbeat of the first worker gave %v", err)
	}
	tell(t, s, 1, 3) // a value is a value, whoever brings it
	if err := other.Heartbeat(t.Context(), 1, "b", 0); !errors.Is(err, study.ErrLeaseLost) {
		t.Errorf("the heartbeat of a complete trial gave %v", err)
	}
	now.advance(time.Hour)
	if got := table(t, s)[0].State; got != evaluate.Complete {
		t.Errorf("the trial is %s after its value", got)
	}
	if n := ask(t, s, study.AskRequest{}).Trials[0].Number; n != 2 {
		t.Errorf("trial %d was served, want a new one", n)
	}
	now.advance(1000 * time.Hour)
	if got := table(t, s)[1].State; got != study.Running {
		t.Errorf("a trial without a lease is %s", got)
	}
}

// A trial of a week, whose worker wants a minute three times a minute, leaves few entries in
// the log; all the time its lease is a minute at least, and a tenth of its age at most.
func TestHeartbeatsOfLongTrialsAreFew(t *testing.T) {
	s, st, now := begin(t, study.Config{})
	begun := now.Now()
	ask(t, s, study.AskRequest{Worker: "a", Lease: time.Minute})
	for age := time.Duration(0); age < 7*24*time.Hour; age = now.Now().Sub(begun) {
		if err := s.Heartbeat(t.Context(), 1, "a", time.Minute); err != nil {
			t.Fatal(err)
		}
		if left := table(t, s)[0].Expires.Sub(now.Now()); left < time.Minute || left > max(time.Minute, age/10) {
			t.Fatalf("after %s the lease has %s left", age, left)
		}
		now.advance(20 * time.Second)
	}
	if n := len(events(t, st)); n > 150 {
		t.Errorf("the log has %d entries", n)
	}
	if err := s.Heartbeat(t.Context(), 1, "a", 100*time.Hour); err != nil {
		t.Fatal(err)
	}
	if left := table(t, s)[0].Expires.Sub(now.Now()); left != 100*time.Hour {
		t.Errorf("a lease of 100 hours has %s left", left)
	}
	if err := s.Heartbeat(t.Context(), 1, "a", time.Minute); err != nil {
		t.Fatal(err)
	}
	if left := table(t, s)[0].Expires.Sub(now.Now()); left > 17*time.Hour {
		t.Errorf("a worker that wants a minute keeps %s", left)
	}
}

func TestHeartbeatRevives(t *testing.T) {
	s, _, now := begin(t, study.Config{})
	ask(t, s, study.AskRequest{Worker: "a", Lease: time.Minute})
	now.advance(time.Hour)
	if err := s.Heartbeat(t.Context(), 1, "a", time.Minute); err != nil {
		t.Fatalf("nobody else has the trial: %v", err)
	}
	if n := ask(t, s, study.AskRequest{}).Trials[0].Number; n != 2 {
		t.Errorf("the revived trial was served to another")
	}
}

func proposes(t *testing.T, c study.Config, obs []strategy.Observation, pending ...strategy.Point) space.Params {
	t.Helper()
	m, err := methods.BuiltIn().New(c.Method, strategy.Config{Domain: c.Space.Domain(), Init: c.Init, Seed: c.Seed})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Tell(obs...); err != nil {
		t.Fatal(err)
	}
	suggestions, err := m.Ask(t.Context(), 1, method.Suggest(pending))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Space.Project(suggestions[0].X); err != nil {
		t.Fatal(err)
	}
	v, err := c.Space.Decode(suggestions[0].X)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestWhatMethodsAreTold(t *testing.T) {
	for _, goal := range []study.Goal{study.Minimize, study.Maximize} {
		s, _, _ := begin(t, study.Config{Method: "vanilla", Init: 1, Goal: goal, Seed: 3})
		sign := map[study.Goal]float64{study.Minimize: 1, study.Maximize: -1}[goal]
		at := func(x float64) strategy.Point {
			p, err := s.Config().Space.Encode(values(map[string]any{"x": x}))
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		var chosen []space.Params
		for _, x := range []float64{1, 4, 4, 9, 6, 8, 2} {
			chosen = append(chosen, values(map[string]any{"x": x}))
		}
		if _, err := s.Enqueue(t.Context(), study.EnqueueRequest{Params: chosen}); err != nil {
			t.Fatal(err)
		}
		ask(t, s, study.AskRequest{Count: len(chosen)})
		if _, err := s.Record(t.Context(), []study.Finished{
			{Number: 4, Outcome: evaluate.Outcome{State: evaluate.Infeasible}}, // x 9
			{Number: 2, Outcome: evaluate.Outcome{Value: sign * 1, Std: 0.5}},  // x 4
			{Number: 1, Outcome: evaluate.Outcome{Value: sign * 5}},            // x 1
			{Number: 3, Outcome: evaluate.Outcome{Value: sign * 2, Std: 1}},    // x 4 again
			{Number: 6, Outcome: evaluate.Outcome{State: evaluate.Failed}},     // x 8
		}...); err != nil {
			t.Fatal(err)
		}
		// By number, repeated points at the mean by precision: (4*1 + 1*2)/5.
		want := proposes(t, s.Config(), []strategy.Observation{
			{X: at(1), Y: []float64{5}}, {X: at(4), Y: []float64{1.2}, Std: []float64{1 / math.Sqrt(5)}},
		}, at(9), at(6), at(8), at(2))
		got := ask(t, s, study.AskRequest{}).Trials[0].Params
		x, _ := want.Get("x")
		y, _ := got.Get("x")
		if math.Abs(x.(float64)-y.(float64)) > 1e-12 {
			t.Errorf("%s: the study asked for %v, by hand it is %v", goal, y, x)
		}
		best, ok, err := s.Best(t.Context())
		if err != nil || !ok || best.Number != 2 || math.Abs(best.Mean-sign*1.2) > 1e-15 || best.Count != 2 {
			t.Errorf("%s: the best is %+v, %v, %v", goal, best, ok, err)
		}
	}
}

// The std of a value reaches the model, and of repeated values that of their mean.
func TestMethodsAreToldStds(t *testing.T) {
	s, _, _ := begin(t, study.Config{Method: "adaptive", Init: 1, Seed: 3})
	var obs []strategy.Observation
	tell := func(x, value, std float64) {
		t.Helper()
		params := values(map[string]any{"x": x})
		if _, err := s.Enqueue(t.Context(), study.EnqueueRequest{Params: []space.Params{params}}); err != nil {
			t.Fatal(err)
		}
		number := ask(t, s, study.AskRequest{}).Trials[0].Number
		if err := s.Tell(t.Context(), number, evaluate.Outcome{Value: value, Std: std}); err != nil {
			t.Fatal(err)
		}
		point, err := s.Config().Space.Encode(params)
		if err != nil {
			t.Fatal(err)
		}
		obs = append(obs, strategy.Observation{X: point, Y: []float64{value}, Std: []float64{std}})
	}
	tell(1, 5, 0)
	tell(9, 3, 0.1)
	tell(6, 2, 3)
	tell(4, 1, 0.5)
	tell(4, 2, 1)
	// By precision: (4*1 + 1*2)/5 with std 1/sqrt(4 + 1). The last digits matter, for the search
	// enlarges them; weights are relative to the highest.
	w := 0.25
	total := 1 + w
	obs = append(obs[:3], strategy.Observation{X: obs[3].X, Y: []float64{1*(1-w/total) + 2*(w/total)}, Std: []float64{0.5 / math.Sqrt(total)}})
	number := func(v space.Params) float64 {
		x, _ := v.Get("x")
		return x.(float64)
	}
	want := number(proposes(t, s.Config(), obs))
	if got := number(ask(t, s, study.AskRequest{}).Trials[0].Params); math.Abs(got-want) > 1e-9 {
		t.Errorf("the study asked for %v, by hand it is %v", got, want)
	}
	for i := range obs {
		obs[i].Std = nil
	}
	if exact := number(proposes(t, s.Config(), obs)); math.Abs(exact-want) < 1e-3 {
		t.Errorf("stds make no difference to %v", want)
	}
}

func TestInfeasibleIsNeverSuggestedAgain(t *testing.T) {
	s, st, now := begin(t, study.Config{Space: newSpace(t, space.Bool("a"), space.Choice("b", "u", "v", "w")), Method: "random", Init: 1})
	seen := map[string]bool{}
	for i := range 6 { // as many points as there are
		if i == 3 {
			s = reopen(t, st, now)
		}
		trial := ask(t, s, study.AskRequest{}).Trials[0]
		text, err := json.Marshal(trial.Params)
		if err != nil {
			t.Fatal(err)
		}
		if seen[string(text)] {
			t.Fatalf("%s was suggested again", text)
		}
		seen[string(text)] = true
		if err := s.Tell(t.Context(), trial.Number, evaluate.Outcome{State: evaluate.Infeasible}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Ask(t.Context(), study.AskRequest{}); !errors.Is(err, evaluate.ErrExhausted) {
		t.Errorf("when nothing is left, Ask gave %v", err)
	}
}

func TestPendingPointsAreAvoided(t *testing.T) {
	s, _, _ := begin(t, study.Config{Space: newSpace(t, space.Int("n", 1, 4)), Method: "random"})
	seen := map[any]bool{}
	for _, trial := range ask(t, s, study.AskRequest{Count: 4}).Trials {
		n, _ := trial.Params.Get("n")
		seen[n] = true
	}
	if len(seen) != 4 {
		t.Errorf("four trials of four values are %v", seen)
	}
	if _, err := s.Ask(t.Context(), study.AskRequest{}); !errors.Is(err, evaluate.ErrExhausted) {
		t.Errorf("when nothing is left, Ask gave %v", err)
	}
	if _, err := s.Enqueue(t.Context(), study.EnqueueRequest{Params: []space.Params{values(map[string]any{"n": 2})}}); err != nil {
		t.Fatal(err)
	}
	if b := ask(t, s, study.AskRequest{Count: 2}); len(b.Trials) != 1 { // what waits is served all the same
		t.Errorf("%d trials were served", len(b.Trials))
	}
}

func TestFixed(t *testing.T) {
	sp := newSpace(t, space.Float("x", -5, 5), space.Float("y", 0, 1), space.Choice("c", "a", "b", "d"), space.Constraint("x + y <= 5"))
	s, _, now := begin(t, study.Config{Space: sp, Method: "random"})
	held := values(map[string]any{"x": 0.1, "c": "d"}) // 0.1 is not a point's image
	batch := ask(t, s, study.AskRequest{Count: 5, Fixed: held, Lease: time.Minute})
	ys := map[any]bool{}
	for _, trial := range batch.Trials {
		x, _ := trial.Params.Get("x")
		c, _ := trial.Params.Get("c")
		y, _ := trial.Params.Get("y")
		ys[y] = true
		if x != 0.1 || c != "d" {
			t.Errorf("the trial has x %v and c %v, fixed at 0.1 and d", x, c)
		}
	}
	if len(ys) != 5 {
		t.Errorf("the free parameter took %d values in 5 trials", len(ys))
	}
	now.advance(time.Hour)
	if got := ask(t, s, study.AskRequest{Fixed: values(map[string]any{"x": 0.2})}); got.Trials[0].Number != 6 {
		t.Errorf("a stale trial was served that does not have the fixed value")
	}
	if got := ask(t, s, study.AskRequest{Fixed: held}); got.Trials[0].Number != 1 {
		t.Errorf("trial %d was served, the stale trial 1 has the fixed values", got.Trials[0].Number)
	}
	for _, c := range []struct {
		fixed map[string]any
		want  string
	}{
		{map[string]any{"z": 1}, `"z"`},
		{map[string]any{"y": 2}, "[0, 1]"},
		{map[string]any{"x": 5, "y": 1}, "no feasible point"},
	} {
		_, err := s.Ask(t.Context(), study.AskRequest{Fixed: values(c.fixed)})
		var request *study.RequestError
		if !errors.As(err, &request) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("fixing %v gave %v, want %q", c.fixed, err, c.want)
		}
	}
}

func TestAskRefuses(t *testing.T) {
	s, _, _ := begin(t, study.Config{})
	for _, r := range []study.AskRequest{{Count: -1}, {Count: 1e6}, {Lease: -1}} {
		if _, err := s.Ask(t.Context(), r); err == nil {
			t.Errorf("Ask %+v was accepted", r)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Ask(cancelled, study.AskRequest{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled Ask gave %v", err)
	}
}

func TestManyProcesses(t *testing.T) {
	_, st, now := begin(t, study.Config{})
	const workers, rounds = 4, 8
	var all sync.WaitGroup
	for w := range workers {
		s := reopen(t, st, now)
		all.Go(func() {
			for r := range rounds {
				id := fmt.Sprintf("%d-%d", w, r)
				b, err := s.Ask(t.Context(), study.AskRequest{Count: 2, RequestID: id, Worker: id})
				if err != nil {
					t.Errorf("Ask: %v", err)
					return
				}
				for _, trial := range b.Trials {
					if err := s.Tell(t.Context(), trial.Number, evaluate.Outcome{Value: float64(trial.Number)}); err != nil {
						t.Errorf("Tell: %v", err)
					}
				}
			}
		})
	}
	all.Wait()
	s := reopen(t, st, now)
	trials := table(t, s)
	if len(trials) != 2*workers*rounds {
		t.Fatalf("%d trials, want %d", len(trials), 2*workers*rounds)
	}
	served := map[string]int{}
	points := map[any]bool{}
	for i, trial := range trials {
		if trial.Number != i+1 || trial.Value == nil || *trial.Value != float64(i+1) {
			t.Errorf("trial %d is %+v", i+1, trial)
		}
		served[trial.Worker]++
		x, _ := trial.Params.Get("x")
		points[x] = true
	}
	if len(served) != workers*rounds || len(points) != len(trials) {
		t.Errorf("%d requests were served %d different points", len(served), len(points))
	}
	if err := study.Verify(t.Context(), events(t, st)); err != nil {
		t.Error(err)
	}
}

// TestReplay lets models choose, loses and repeats answers on the way, and chooses
// the log again.
func TestReplay(t *testing.T) {
	for _, method := range []string{"maha:d=1", "vanilla"} {
		s, st, now := begin(t, study.Config{Space: newSpace(t, space.Float("x[0:3]", -1, 1), space.Int("n", 1, 3)), Method: method, Init: 4})
		for round := range 6 {
			if round%2 == 1 {
				s = reopen(t, st, now) // with a model that starts anew
			}
			r := study.AskRequest{Count: 2, RequestID: fmt.Sprint(round)}
			ask(t, s, r)
			for _, trial := range ask(t, reopen(t, st, now), r).Trials[:1+round%2] { // some stay pending
				x, _ := trial.Params.Get("x0")
				tell(t, s, trial.Number, x.(float64)*x.(float64))
			}
		}
		log := events(t, st)
		if err := study.Verify(t.Context(), log); err != nil {
			t.Errorf("%s: %v", method, err)
		}
		for _, e := range log {
			if e.Asked != nil && e.Asked.Fallback != "" {
				t.Errorf("%s fell back: %s", method, e.Asked.Fallback)
			}
		}
	}
}

// TestNote brings adaptive to a standstill, where it looks at the worst values on purpose: the
// batch says so, and the log keeps it.
func TestNote(t *testing.T) {
	const first = 60
	s, st, now := begin(t, study.Config{Space: newSpace(t, space.Float("x[0:399]", -1, 1)), Method: "adaptive", Budget: 400})
	for _, count := range []int{first, 30} {
		b := ask(t, s, study.AskRequest{Count: count})
		if b.Note != "" {
			t.Errorf("trials %d to %d come with the note %q", b.Trials[0].Number, b.Trials[count-1].Number, b.Note)
		}
		for _, trial := range b.Trials {
			value := trial.Params.Float("x0")
			if trial.Number > first {
				value += 2 // no progress
			}
			tell(t, s, trial.Number, value)
		}
	}
	b := ask(t, s, study.AskRequest{RequestID: "r"})
	if !strings.Contains(b.Note, "on purpose") {
		t.Errorf("the note of the ascent is %q", b.Note)
	}
	sameJSON(t, "batches after a restart", b, ask(t, reopen(t, st, now), study.AskRequest{RequestID: "r"}))
}

// A trial that is kept for ever stays so without an entry of the log for every heartbeat.
func TestHeartbeatsForEverAreFew(t *testing.T) {
	s, st, _ := begin(t, study.Config{})
	ask(t, s, study.AskRequest{Count: 1, Worker: "a", Lease: time.Minute})
	for range 5 {
		if err := s.Heartbeat(t.Context(), 1, "a", 0); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(events(t, st)); n != 3 {
		t.Errorf("the log has %d entries, want 3", n)
	}
}

// A trial that is served again keeps the batch that chose it, and one that is tried again how it failed.
func TestServedAgainKeepsItsRecord(t *testing.T) {
	st := inFile(t)
	s, err := study.Create(t.Context(), st, study.Config{Name: "s", Space: line(t), Method: "sobol", Init: 4})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	end := func(number int, state evaluate.State, reason string) {
		t.Helper()
		if err := s.Tell(ctx, number, evaluate.Outcome{State: state, Reason: reason}); err != nil {
			t.Fatal(err)
		}
	}
	again := func(number int) {
		t.Helper()
		if err := s.Retry(ctx, number); err != nil {
			t.Fatal(err)
		}
		if b := ask(t, s, study.AskRequest{Count: 1}); b.Trials[0].Number != number {
			t.Fatalf("trial %d is served, not %d", b.Trials[0].Number, number)
		}
	}
	ask(t, s, study.AskRequest{Count: 3, Worker: "w"})
	end(1, evaluate.Failed, "pump leaked")
	again(1)
	end(1, evaluate.Stopped, "no use")
	again(1)
	tell(t, s, 1, 2)
	end(2, evaluate.Failed, "")
	tell(t, s, 2, 3) // without another try
	if err := s.Release(ctx, "w"); err != nil {
		t.Fatal(err)
	}
	ask(t, s, study.AskRequest{Count: 1})
	for name, trials := range map[string][]study.Trial{"now": table(t, s), "of the log": table(t, mustOpen(t, st))} {
		for i, want := range []string{"was failed: pump leaked; was stopped: no use; ", "was failed; ", ""} {
			got := ""
			for _, c := range trials[i].History {
				got += c.What + "; "
				if c.Time.IsZero() || c.Time.After(trials[i].Told) {
					t.Errorf("%s: trial %d %s at %s", name, i+1, c.What, c.Time)
				}
			}
			if got != want || trials[i].Batch != 1 {
				t.Errorf("%s: trial %d is of batch %d with the history %q, not of batch 1 with %q", name, i+1, trials[i].Batch, got, want)
			}
		}
	}
	if err := study.Resnap(s); err != nil {
		t.Error(err)
	}
}
