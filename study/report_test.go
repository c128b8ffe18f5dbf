package study_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/study"
)

func at(step int64, value float64) study.Reported { return study.Reported{Step: step, Value: value} }

// askOne asks for one trial.
func askOne(t *testing.T, s *study.Study) int {
	t.Helper()
	b, err := s.Ask(t.Context(), study.AskRequest{Count: 1, Worker: "w"})
	if err != nil {
		t.Fatal(err)
	}
	return b.Trials[0].Number
}

// goOn reports values at the steps from 1 on until the rule stops the trial, and tells its end.
func goOn(t *testing.T, s *study.Study, level float64, steps int) (number int, why string) {
	t.Helper()
	number = askOne(t, s)
	for step := 1; step <= steps; step++ {
		why, err := s.Report(t.Context(), number, "w", at(int64(step), level+1/float64(step)))
		if err != nil {
			t.Fatal(err)
		}
		if why != "" {
			if err := s.Tell(t.Context(), number, evaluate.Outcome{State: evaluate.Stopped, Reason: why}); err != nil {
				t.Fatal(err)
			}
			return number, why
		}
	}
	if err := s.Tell(t.Context(), number, evaluate.Value(level+1/float64(steps))); err != nil {
		t.Fatal(err)
	}
	return number, ""
}

func only(t *testing.T, s *study.Study, number int) study.Trial {
	t.Helper()
	trials, err := s.Numbered(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	return trials[0]
}

func TestStoppedTrials(t *testing.T) {
	for _, goal := range []study.Goal{study.Minimize, study.Maximize} {
		for _, method := range []string{"sobol", "adaptive"} {
			t.Run(string(goal)+" "+method, func(t *testing.T) {
				s, st, now := begin(t, study.Config{Stop: "asha:first=3,factor=3,after=2", Method: method, Goal: goal, Init: 3})
				sign := 1.0
				if goal == study.Maximize {
					sign = -1
				}
				var stopped []int
				for i := range 8 {
					number := askOne(t, s)
					for step := 1; step <= 9; step++ {
						why, err := s.Report(t.Context(), number, "w", at(int64(step), sign*(float64(i)+1/float64(step))))
						if err != nil {
							t.Fatal(err)
						}
						if why == "" {
							continue
						}
						if !strings.HasPrefix(why, "asha: place") || step != 3 {
							t.Errorf("trial %d is stopped at step %d: %s", number, step, why)
						}
						if got := only(t, s, number); got.Stop != why || got.State != study.Running {
							t.Errorf("trial %d is %s and should end for %q", number, got.State, got.Stop)
						}
						if err := s.Tell(t.Context(), number, evaluate.Outcome{State: evaluate.Stopped, Reason: why}); err != nil {
							t.Fatal(err)
						}
						stopped = append(stopped, number)
						break
					}
					if len(stopped) == 0 || stopped[len(stopped)-1] != number {
						if err := s.Tell(t.Context(), number, evaluate.Value(sign*(float64(i)+1./9))); err != nil {
							t.Fatal(err)
						}
					}
				}
				if len(stopped) != 6 {
					t.Fatalf("trials %v are stopped, want the last six of eight that get worse", stopped)
				}
				got := only(t, s, stopped[0])
				if got.State != evaluate.Stopped || got.Value != nil || got.Last == nil || got.Last.Step != 3 || got.Last.Value != sign*(2+1./3) || got.Stop != "" {
					t.Errorf("the stopped trial is %+v", got)
				}
				if got.CountsAs == nil || *got.CountsAs != sign*(1+1./9) { // the worst complete one
					t.Errorf("its bound is %v", got.CountsAs)
				}
				best, ok, err := s.Best(t.Context())
				if err != nil || !ok || best.Number != 1 || best.Count != 1 {
					t.Errorf("the best is %+v, %v", best, err)
				}
				sum, err := s.Summary(t.Context())
				if err != nil || sum.States[evaluate.Stopped] != 6 || sum.Learned != 2 {
					t.Errorf("the summary is %+v, %v", sum, err)
				}
				values, err := s.Values(t.Context())
				if err != nil || len(values) != 2 {
					t.Errorf("%d values, %v", len(values), err)
				}
				events, err := s.Events(t.Context(), 0)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					if text, _ := json.Marshal(e); strings.Contains(string(text), "reports") {
						t.Errorf("the log has reports: %s", text)
					}
				}
				if err := study.Verify(t.Context(), events); err != nil {
					t.Error(err)
				}
				if err := study.Resnap(s); err != nil {
					t.Error(err)
				}
				if err := study.Recount(s); err != nil {
					t.Error(err)
				}
				if again := only(t, reopen(t, st, now), stopped[0]); again.Last == nil || *again.CountsAs != *got.CountsAs {
					t.Errorf("opened again the stopped trial is %+v", again)
				}
			})
		}
	}
}

// A stopped trial can be continued: then its bound does not count any more.
func TestStoppedTrialGoesOn(t *testing.T) {
	s, _, now := begin(t, study.Config{Stop: "asha:first=1,after=1", Method: "adaptive", Init: 2})
	goOn(t, s, 1, 5)
	number, why := goOn(t, s, 3, 5)
	if why == "" {
		t.Fatal("the second trial was not stopped")
	}
	askOne(t, s) // a method knows the bound
	for _, c := range []struct {
		o    evaluate.Outcome
		want bool
	}{{evaluate.Outcome{State: evaluate.Stopped}, true}, {evaluate.Outcome{State: evaluate.Failed}, false}, {evaluate.Outcome{State: evaluate.Infeasible}, false}} {
		var conflict *study.ConflictError
		if err := s.Tell(t.Context(), number, c.o); c.want != (err == nil) || !c.want && !errors.As(err, &conflict) {
			t.Errorf("telling a stopped trial %s gave %v", c.o.State, err)
		}
	}
	if err := s.Retry(t.Context(), number); err != nil {
		t.Fatal(err)
	}
	if got := only(t, s, number); got.State != study.Waiting || got.Last != nil || got.CountsAs != nil {
		t.Errorf("it is %+v", got)
	}
	now.advance(time.Second)
	if again := askOne(t, s); again != number {
		t.Fatalf("trial %d is served, want %d", again, number)
	}
	if why, err := s.Report(t.Context(), number, "w", at(2, 0.5)); err != nil || why != "" {
		t.Errorf("a report behind the rung gave %q, %v", why, err)
	}
	found, err := s.Reports(t.Context(), 0, number)
	if err != nil || len(found[number]) != 2 || found[number][0].Value != 4 {
		t.Errorf("its reports are %v, %v", found, err)
	}
	if err := s.Tell(t.Context(), number, evaluate.Value(0.25)); err != nil {
		t.Fatal(err)
	}
	if best, ok, err := s.Best(t.Context()); err != nil || !ok || best.Number != number {
		t.Errorf("the best is trial %d, %v", best.Number, err)
	}
	number, _ = goOn(t, s, 3, 5)
	if err := s.Tell(t.Context(), number, evaluate.Value(9)); err != nil { // somebody went on with it elsewhere
		t.Fatal(err)
	}
	if got := only(t, s, number); got.State != evaluate.Complete || got.Last != nil || got.CountsAs != nil {
		t.Errorf("it is %+v", got)
	}
	askOne(t, s)
	events, err := s.Events(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := study.Verify(t.Context(), events); err != nil {
		t.Error(err)
	}
	stoppedAgain, _ := goOn(t, s, 3, 5)
	yes := true
	if _, changed, err := s.Correct(t.Context(), stoppedAgain, study.Correction{Exclude: &yes}); err != nil || !changed {
		t.Errorf("excluding a stopped trial gave %v, %v", changed, err)
	}
	askOne(t, s)
}

// clocks are the fields of a log that say how long something took.
var clocks = regexp.MustCompile(`,"(fit|search|wait)_seconds":[0-9.e+-]+`)

// Who reports nothing sees no change: the points, the log and its format are the same.
func TestReportsChangeNothingElse(t *testing.T) {
	logs := map[bool]string{}
	for _, reporting := range []bool{false, true} {
		s, _, _ := begin(t, study.Config{Method: "adaptive", Init: 3})
		for i := range 6 {
			number := askOne(t, s)
			if reporting {
				for step := range int64(4) {
					if why, err := s.Report(t.Context(), number, "", at(step, float64(step))); err != nil || why != "" {
						t.Fatalf("a study without a rule says %q, %v", why, err)
					}
				}
			}
			if err := s.Tell(t.Context(), number, evaluate.Value(float64(i%3))); err != nil {
				t.Fatal(err)
			}
		}
		events, err := s.Events(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(events)
		if err != nil {
			t.Fatal(err)
		}
		logs[reporting] = clocks.ReplaceAllString(string(text), "") // how long points took differs
	}
	if logs[false] != logs[true] {
		t.Error("the log of a study depends on reports")
	}
	if !strings.Contains(logs[true], `"format":1`) || strings.Contains(logs[true], `"stop"`) || strings.Contains(logs[true], `"cost"`) {
		t.Errorf("the log has something new: %.300s", logs[true])
	}
}

func TestReportErrors(t *testing.T) {
	s, _, _ := begin(t, study.Config{})
	number := askOne(t, s)
	for _, c := range []struct {
		r    study.Reported
		want string
	}{
		{at(-1, 0), "step is -1"},
		{study.Reported{Step: 1, Outcomes: map[string]float64{"mass": 1}}, "the study declares none"},
	} {
		if _, err := s.Report(t.Context(), number, "w", c.r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v gave %v, want %q", c.r, err, c.want)
		}
	}
	if _, err := s.Report(t.Context(), number, "another", at(1, 1)); !errors.Is(err, study.ErrLeaseLost) {
		t.Errorf("another worker's report gave %v", err)
	}
	if _, err := s.Report(t.Context(), 7, "w", at(1, 1)); !errors.Is(err, study.ErrNoTrial) {
		t.Errorf("a report of no trial gave %v", err)
	}
	if err := s.Tell(t.Context(), number, evaluate.Value(1)); err != nil {
		t.Fatal(err)
	}
	if why, err := s.Report(t.Context(), number, "w", at(1, 1)); err != nil || !strings.Contains(why, "complete already") {
		t.Errorf("a report of a complete trial gave %q, %v", why, err)
	}
	for want, c := range map[string]study.Config{
		"there is no rule":   {Stop: "halve"},
		"several objectives": {Stop: "asha", Space: newSpace(t, space.Float("x", 0, 1), space.Outcome{Name: "a", Goal: "minimize"}, space.Outcome{Name: "b", Goal: "minimize"})},
		"write aware":        {Cost: "much"},
		"max_cost is -1":     {MaxCost: -1},
	} {
		c.Name, c.Method = "other", "adaptive"
		if c.Space == nil {
			c.Space = line(t)
		}
		if _, err := study.Create(t.Context(), memory.New(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v gave %v, want %q", c, err, want)
		}
	}
}

// Limits are reported with the objective; a trial that does not is a pending point when it is stopped.
func TestStoppedWithLimits(t *testing.T) {
	three := 3.0
	sp := newSpace(t, space.Float("x", 0, 1), space.Outcome{Name: "loss", Goal: "minimize"}, space.Outcome{Name: "size", AtMost: &three})
	s, _, _ := begin(t, study.Config{Space: sp, Method: "adaptive", Stop: "median:after=1", Init: 2})
	first := askOne(t, s)
	if _, err := s.Report(t.Context(), first, "w", study.Reported{Step: 1, Outcomes: map[string]float64{"size": 2}}); err == nil || !strings.Contains(err.Error(), `it has no "loss"`) {
		t.Errorf("a report without the objective gave %v", err)
	}
	whole := func(loss float64) map[string]float64 { return map[string]float64{"loss": loss, "size": 2} }
	if _, err := s.Report(t.Context(), first, "w", study.Reported{Step: 1, Outcomes: whole(1)}); err != nil {
		t.Fatal(err)
	}
	if err := s.Tell(t.Context(), first, evaluate.Outcome{Outcomes: whole(1)}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reached map[string]float64
		bound   bool
	}{{whole(2), true}, {map[string]float64{"loss": 2}, false}} {
		number := askOne(t, s)
		why, err := s.Report(t.Context(), number, "w", study.Reported{Step: 1, Outcomes: c.reached})
		if err != nil || why == "" {
			t.Fatalf("%v gave %q, %v", c.reached, why, err)
		}
		if err := s.Tell(t.Context(), number, evaluate.Outcome{State: evaluate.Stopped}); err != nil {
			t.Fatal(err)
		}
		if got := only(t, s, number); (got.CountsAs != nil) != c.bound {
			t.Errorf("the bound of %v is %v", c.reached, got.CountsAs)
		}
	}
	askOne(t, s)
	if front, err := s.Front(t.Context()); err != nil || len(front.Points) != 1 {
		t.Errorf("the front has %d points, %v", len(front.Points), err)
	}
}

// Two processes that share a store see each other's reports.
func TestRulesSeeOtherProcesses(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "a.db")
	open := func() study.Store {
		st, err := store.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { st.Close() })
		return st
	}
	one, err := study.Create(t.Context(), open(), study.Config{Name: "s", Space: line(t), Method: "sobol", Stop: "asha:first=2,after=1"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := study.Open(t.Context(), open(), "s")
	if err != nil {
		t.Fatal(err)
	}
	goOn(t, one, 0, 4)
	if _, why := goOn(t, other, 1, 4); why == "" {
		t.Error("the other process does not know the first trial")
	}
	if _, why := goOn(t, one, 2, 4); !strings.Contains(why, "place 3 of 3") {
		t.Errorf("the first process does not know the second trial: %q", why)
	}
	running := askOne(t, other)
	if _, err := other.Report(t.Context(), running, "w", at(2, -9)); err != nil {
		t.Fatal(err)
	}
	number := askOne(t, one)
	time.Sleep(1100 * time.Millisecond) // running trials are read again after a second
	if why, err := one.Report(t.Context(), number, "w", at(1, -3), at(2, -4)); err != nil || !strings.Contains(why, "place 2 of 5") {
		t.Errorf("a running trial elsewhere does not count: %q, %v", why, err)
	}
}

// Cost is what was told, or the time.
func TestCostIsToldOrTime(t *testing.T) {
	s, _, now := begin(t, study.Config{})
	first, second := askOne(t, s), askOne(t, s)
	now.advance(90 * time.Second)
	if err := s.Tell(t.Context(), first, evaluate.Outcome{Value: 1, Cost: 5}); err != nil {
		t.Fatal(err)
	}
	if err := s.Tell(t.Context(), second, evaluate.Outcome{State: evaluate.Failed}); err != nil {
		t.Fatal(err)
	}
	if sum, err := s.Summary(t.Context()); err != nil || sum.Cost != 95 || only(t, s, first).Cost != 5 {
		t.Errorf("the cost is %v, %v", sum.Cost, err)
	}
	if err := s.Tell(t.Context(), askOne(t, s), evaluate.Outcome{Value: 1, Cost: -1}); err == nil || !strings.Contains(err.Error(), "cost is -1") {
		t.Errorf("a negative cost gave %v", err)
	}
}

// The time that counts is what the evaluation took, where whoever evaluated says so: not the wait for its turn.
func TestSecondsAreToldOrSinceAsked(t *testing.T) {
	s, st, now := begin(t, study.Config{Stop: "median"})
	b, err := s.Ask(t.Context(), study.AskRequest{Count: 5})
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range []evaluate.Outcome{
		{Value: 1, Seconds: 0.5}, {State: evaluate.Failed, Seconds: 0.25}, {State: evaluate.Stopped, Seconds: 2}, {Value: 2, Cost: 7, Seconds: 3}, {Value: 3},
	} {
		now.advance(10 * time.Second)
		if err := s.Tell(t.Context(), b.Trials[i].Number, o); err != nil {
			t.Fatal(err)
		}
	}
	cost := func(want float64) {
		t.Helper()
		for _, one := range []*study.Study{s, reopen(t, st, now)} {
			if sum, err := one.Summary(t.Context()); err != nil || math.Abs(sum.Cost-want) > 1e-9 {
				t.Errorf("the cost is %v, %v, want %g", sum.Cost, err, want)
			}
		}
	}
	cost(0.5 + 0.25 + 2 + 7 + 50)
	if got := only(t, reopen(t, st, now), 3).Seconds; got != 2 {
		t.Errorf("the stopped trial took %g s", got)
	}
	if err := s.Retry(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	cost(0.5 + 2 + 7 + 50)
	if got := askOne(t, s); got != 2 {
		t.Fatalf("trial %d is served", got)
	}
	now.advance(4 * time.Second)
	if err := s.Tell(t.Context(), 2, evaluate.Outcome{Value: 1}); err != nil { // by somebody who measures nothing
		t.Fatal(err)
	}
	cost(0.5 + 4 + 2 + 7 + 50)
	for _, seconds := range []float64{-1, math.NaN(), math.Inf(1)} {
		if err := s.Tell(t.Context(), askOne(t, s), evaluate.Outcome{Value: 1, Seconds: seconds}); err == nil || !strings.Contains(err.Error(), "seconds is") {
			t.Errorf("%g seconds gave %v", seconds, err)
		}
	}
}

// A trial that was given back, or is to be tried again, is nobody's.
func TestWaitingTrialHasNoWorker(t *testing.T) {
	s, st, now := begin(t, study.Config{})
	b, err := s.Ask(t.Context(), study.AskRequest{Count: 3, Worker: "host:4711"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Tell(t.Context(), 2, evaluate.Failure("no licence")); err != nil {
		t.Fatal(err)
	}
	if err := s.Retry(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if err := s.Release(t.Context(), "host:4711", b.Trials[0].Number); err != nil {
		t.Fatal(err)
	}
	for _, one := range []*study.Study{s, reopen(t, st, now)} {
		for n, want := range []string{"", "", "host:4711"} {
			if got := only(t, one, n+1); got.Worker != want {
				t.Errorf("trial %d, %s, has the worker %q, want %q", n+1, got.State, got.Worker, want)
			}
		}
	}
}

// BenchmarkReports measures 10,000 reports of a trial, ten at a time and one by one, and the opening of the
// study afterwards.
func BenchmarkReports(b *testing.B) {
	for _, together := range []int{1, 10} {
		b.Run(fmt.Sprint(together), func(b *testing.B) {
			st, err := store.Open(b.Context(), "sqlite:"+filepath.Join(b.TempDir(), "a.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer st.Close()
			sp, _ := space.New(space.Float("x", 0, 1))
			s, err := study.Create(context.Background(), st, study.Config{Name: "s", Space: sp, Method: "sobol", Stop: "asha"})
			if err != nil {
				b.Fatal(err)
			}
			batch, err := s.Ask(b.Context(), study.AskRequest{Count: 1})
			if err != nil {
				b.Fatal(err)
			}
			step := int64(0)
			for b.Loop() {
				list := make([]study.Reported, together)
				for i := range list {
					list[i] = at(step, 1)
					step++
				}
				if _, err := s.Report(b.Context(), batch.Trials[0].Number, "", list...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// With complete trials to compare with, a stopped trial counts as what they came to, with a standard deviation; both are kept in the log and
// forgotten when it gets an outcome.
func TestStoppedTrialsHaveADoubt(t *testing.T) {
	for _, goal := range []study.Goal{study.Minimize, study.Maximize} {
		s, st, now := begin(t, study.Config{Method: "adaptive", Init: 3, Goal: goal, Stop: "gain"})
		sign := 1.0
		if goal == study.Maximize {
			sign = -1
		}
		report := func(number int, step int64, value float64) string {
			t.Helper()
			why, err := s.Report(t.Context(), number, "w", at(step, sign*value))
			if err != nil {
				t.Fatal(err)
			}
			return why
		}
		for i, final := range []float64{1, 3, 3, 5, 5, 7} { // what they had at step 4 is 11 to 16
			number := askOne(t, s)
			report(number, 2, 20)
			report(number, 4, float64(11+i))
			report(number, 12, final) // whatever the rule says
			if err := s.Tell(t.Context(), number, evaluate.Value(sign*final)); err != nil {
				t.Fatal(err)
			}
		}
		number := askOne(t, s)
		report(number, 2, 19)
		if why := report(number, 4, 40); !strings.HasPrefix(why, "gain: place 7 of 7 at step 4") {
			t.Fatalf("a hopeless trial goes on: %q", why)
		}
		if err := s.Tell(t.Context(), number, evaluate.Outcome{State: evaluate.Stopped}); err != nil {
			t.Fatal(err)
		}
		got := only(t, s, number)
		if got.CountsAs == nil || sign**got.CountsAs < 5 || sign**got.CountsAs > 14 || !(got.CountsStd > 0.5 && got.CountsStd < 10) || got.Std != 0 {
			t.Errorf("it counts as %v ± %v: %+v", *got.CountsAs, got.CountsStd, got)
		}
		if again := only(t, reopen(t, st, now), number); *again.CountsAs != *got.CountsAs || again.CountsStd != got.CountsStd {
			t.Errorf("opened again it is %+v", again)
		}
		askOne(t, s) // the method takes it
		events, err := s.Events(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := study.Verify(t.Context(), events); err != nil {
			t.Error(err)
		}
		if err := study.Resnap(s); err != nil {
			t.Error(err)
		}
		if err := s.Tell(t.Context(), number, evaluate.Value(sign*2)); err != nil {
			t.Fatal(err)
		}
		if got := only(t, s, number); got.CountsAs != nil || got.CountsStd != 0 {
			t.Errorf("with an outcome it is %+v", got)
		}
	}
}

// Workers that report at the same time, and those that look at trials meanwhile, do not wait for each other for ever.
func TestReportsAtTheSameTime(t *testing.T) {
	s, err := study.Create(t.Context(), memory.New(), study.Config{Name: "s", Space: line(t), Method: "sobol", Stop: "asha:first=2,after=1"})
	if err != nil {
		t.Fatal(err)
	}
	batch, err := s.Ask(t.Context(), study.AskRequest{Count: 4})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, len(batch.Trials))
	for _, trial := range batch.Trials {
		go func() {
			for step := range int64(2000) {
				if _, err := s.Report(t.Context(), trial.Number, "", study.Reported{Step: step + 1, Value: 1}); err != nil {
					ended <- err
					return
				}
			}
			ended <- nil
		}()
	}
	for range batch.Trials {
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("reports wait for each other")
		}
	}
}

// A process that has just opened a study, whose points are in the database, estimates what one does that has seen everything.
func TestEstimatesAfterOpening(t *testing.T) {
	file, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	stores := map[bool]study.Store{false: memory.New(), true: file} // is it opened again?
	counts := map[bool]study.Trial{}
	for again, st := range stores {
		now := newClock()
		s, err := study.Create(t.Context(), st, study.Config{Name: "s", Space: line(t), Method: "sobol", Seed: 4, Stop: "gain"}, study.WithClock(now.Now))
		if err != nil {
			t.Fatal(err)
		}
		report := func(number int, step int64, value float64) {
			t.Helper()
			if _, err := s.Report(t.Context(), number, "w", at(step, value)); err != nil {
				t.Fatal(err)
			}
		}
		for range 8 {
			number := askOne(t, s)
			x := only(t, s, number).Params.Float("x")
			report(number, 2, 20+x)
			report(number, 4, 10+x)
			report(number, 12, x*x)
			if err := s.Tell(t.Context(), number, evaluate.Value(x*x)); err != nil {
				t.Fatal(err)
			}
		}
		number := askOne(t, s)
		if again {
			s = reopen(t, st, now)
		}
		report(number, 2, 29)
		report(number, 4, 19)
		if err := s.Tell(t.Context(), number, evaluate.Outcome{State: evaluate.Stopped}); err != nil {
			t.Fatal(err)
		}
		counts[again] = only(t, s, number)
	}
	a, b := counts[false], counts[true]
	if a.CountsAs == nil || b.CountsAs == nil || *a.CountsAs != *b.CountsAs || a.CountsStd != b.CountsStd || a.CountsStd == 0 {
		t.Errorf("it counts as %+v, after opening as %+v", a, b)
	}
}

// Several outcomes are recorded all or none, also when one of them says that a trial was stopped.
func TestStoppedAmongOthers(t *testing.T) {
	s, _, _ := begin(t, study.Config{})
	ask(t, s, study.AskRequest{Count: 3})
	end := evaluate.Outcome{State: evaluate.Stopped}
	_, err := s.Record(t.Context(), study.Finished{Number: 1, Outcome: evaluate.Value(5)}, study.Finished{Number: 2, Outcome: evaluate.Value(5)}, study.Finished{Number: 1, Outcome: end})
	if err == nil || !strings.Contains(err.Error(), "trial 1 is told twice") {
		t.Errorf("two outcomes of a trial gave %v", err)
	}
	for _, one := range table(t, s) {
		if one.State != study.Running {
			t.Errorf("trial %d is %s", one.Number, one.State)
		}
	}
	if _, err := s.Record(t.Context(), study.Finished{Number: 1, Outcome: end}, study.Finished{Number: 1, Outcome: end}); err != nil {
		t.Errorf("the same twice gave %v", err)
	}
	told, err := s.Record(t.Context(), study.Finished{Number: 3, Outcome: end, Params: values(map[string]any{"x": 3.25})})
	if err != nil || told[0].Params.Float("x") != 3.25 || told[0].State != evaluate.Stopped {
		t.Errorf("a stopped trial that was evaluated elsewhere became %+v, %v", told, err)
	}
}
