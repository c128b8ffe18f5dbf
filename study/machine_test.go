package study_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
	"pgregory.net/rapid"
)

// machine drives a study with random requests beside a simple model of it.
type machine struct {
	s     *study.Study
	other *study.Study // the same, as another process has it
	st    study.Store
	now   *clock

	expect   []expected // trial number n is expect[n-1]
	requests map[string][]int
	batches  int
}

// expected is what the model knows of a trial.
type expected struct {
	state   evaluate.State // never Stale
	value   float64
	worker  string
	asked   time.Time
	expires time.Time

	excluded bool
}

func (e expected) at(now time.Time) evaluate.State {
	if e.state == study.Running && !e.expires.IsZero() && !now.Before(e.expires) {
		return study.Stale
	}
	return e.state
}

// numbersIn returns the trials in a state, in order.
func (m *machine) numbersIn(state evaluate.State) (list []int) {
	for i, e := range m.expect {
		if e.at(m.now.Now()) == state {
			list = append(list, i+1)
		}
	}
	return list
}

func (m *machine) ask(t *rapid.T) {
	r := study.AskRequest{
		Count:  rapid.IntRange(1, 3).Draw(t, "count"),
		Worker: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "worker"),
		Lease:  time.Duration(rapid.IntRange(0, 3).Draw(t, "minutes")) * time.Minute,
	}
	if rapid.Bool().Draw(t, "named") {
		r.RequestID = fmt.Sprint(rapid.IntRange(0, 20).Draw(t, "request"))
	}
	if rapid.IntRange(0, 3).Draw(t, "fix") == 0 {
		r.Fixed = values(map[string]any{"n": rapid.IntRange(1, 3).Draw(t, "n")})
	}
	known, repeated := m.requests[r.RequestID]
	first := slices.Concat(m.numbersIn(study.Waiting), m.numbersIn(study.Stale))
	b := ask(t, m.s, r)
	got := numbers(b.Trials)
	if repeated {
		if !slices.Equal(known, got) {
			t.Fatalf("request %q was served %v, now %v", r.RequestID, known, got)
		}
		return
	}
	if r.RequestID != "" {
		m.requests[r.RequestID] = got
	}
	m.batches++
	if len(got) != r.Count || b.Number != m.batches {
		t.Fatalf("batch %d has %d trials, want %d in batch %d", b.Number, len(got), r.Count, m.batches)
	}
	if r.Fixed.Len() == 0 && !slices.Equal(got[:min(len(first), r.Count)], first[:min(len(first), r.Count)]) {
		t.Fatalf("served %v before the waiting and stale trials %v", got, first)
	}
	for _, n := range got {
		served := expected{state: study.Running, worker: r.Worker, asked: m.now.Now()}
		if r.Lease > 0 {
			served.expires = m.now.Now().Add(r.Lease)
		}
		if n == len(m.expect)+1 {
			m.expect = append(m.expect, served)
			continue
		}
		if !slices.Contains(first, n) {
			t.Fatalf("trial %d was served, it is %s", n, m.expect[n-1].at(m.now.Now()))
		}
		m.expect[n-1] = served
	}
}

func (m *machine) tell(t *rapid.T) {
	if len(m.expect) == 0 {
		return // nothing to act on yet: the step does nothing
	}
	n := rapid.IntRange(1, len(m.expect)).Draw(t, "number")
	o := evaluate.Outcome{State: rapid.SampledFrom([]evaluate.State{evaluate.Complete, evaluate.Complete, evaluate.Failed, evaluate.Infeasible}).Draw(t, "state")}
	if o.State == evaluate.Complete {
		o.Value = float64(rapid.IntRange(-2, 2).Draw(t, "value"))
	}
	e := &m.expect[n-1]
	final := e.state == evaluate.Complete || e.state == evaluate.Infeasible
	conflict := final && (e.state != o.State || e.value != o.Value)
	err := m.s.Tell(context.Background(), n, o)
	var c *study.ConflictError
	if errors.As(err, &c) != conflict || (err != nil) != conflict {
		t.Fatalf("telling trial %d, which is %s %g, %+v gave %v", n, e.state, e.value, o, err)
	}
	if !conflict {
		e.state, e.value, e.expires = o.State, o.Value, time.Time{}
	}
}

// correct mends an outcome.
func (m *machine) correct(t *rapid.T) {
	if len(m.expect) == 0 {
		return // nothing to act on yet: the step does nothing
	}
	n := rapid.IntRange(1, len(m.expect)).Draw(t, "number")
	e := &m.expect[n-1]
	c := study.Correction{State: rapid.SampledFrom([]evaluate.State{evaluate.Complete, evaluate.Failed, evaluate.Infeasible}).Draw(t, "state")}
	value := 0.0
	if c.State == evaluate.Complete {
		value = float64(rapid.IntRange(-2, 2).Draw(t, "value"))
		c.Value = &value
	}
	told := e.state != study.Waiting && e.state != study.Running
	_, changed, err := m.s.Correct(context.Background(), n, c)
	if (err == nil) != told || changed != (told && (e.state != c.State || e.value != value)) {
		t.Fatalf("correcting trial %d, which is %s %g, to %s %g: changed %v, %v", n, e.state, e.value, c.State, value, changed, err)
	}
	if told {
		e.state, e.value = c.State, value
	}
}

// exclude excludes or includes a trial.
func (m *machine) exclude(t *rapid.T) {
	if len(m.expect) == 0 {
		return // nothing to act on yet: the step does nothing
	}
	n := rapid.IntRange(1, len(m.expect)).Draw(t, "number")
	e := &m.expect[n-1]
	yes := rapid.Bool().Draw(t, "exclude")
	told := e.state != study.Waiting && e.state != study.Running
	_, changed, err := m.s.Correct(context.Background(), n, study.Correction{Exclude: &yes})
	if (err == nil) != (told || !yes) || changed != (told && yes != e.excluded) {
		t.Fatalf("excluding %v trial %d, which is %s and excluded %v: changed %v, %v", yes, n, e.state, e.excluded, changed, err)
	}
	if told {
		e.excluded = yes
	}
}

// really changes the parameters that were used.
func (m *machine) really(t *rapid.T) {
	if len(m.expect) == 0 {
		return // nothing to act on yet: the step does nothing
	}
	n := rapid.IntRange(1, len(m.expect)).Draw(t, "number")
	v := values(map[string]any{"x": rapid.IntRange(0, 2).Draw(t, "x")})
	trial, _, err := m.s.Correct(context.Background(), n, study.Correction{Params: v})
	if err != nil || trial.Params.Float("x") != v.Float("x") {
		t.Fatalf("trial %d used %v: %v, %v", n, v, trial.Params, err)
	}
}

func (m *machine) heartbeat(t *rapid.T) {
	if len(m.expect) == 0 {
		return // nothing to act on yet: the step does nothing
	}
	n := rapid.IntRange(1, len(m.expect)).Draw(t, "number")
	worker := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "worker")
	e := &m.expect[n-1]
	mine := e.state == study.Running && e.worker == worker
	err := m.s.Heartbeat(context.Background(), n, worker, time.Minute)
	if mine != (err == nil) || !mine && !errors.Is(err, study.ErrLeaseLost) {
		t.Fatalf("heartbeat of %q for trial %d, which is %s at %q, gave %v", worker, n, e.state, e.worker, err)
	}
	if !mine {
		return
	}
	now := m.now.Now()
	least, most := now.Add(time.Minute), now.Add(max(time.Minute, now.Sub(e.asked)/10))
	if e.expires.Before(least) || e.expires.After(most) {
		e.expires = most
	}
}

func (m *machine) enqueue(t *rapid.T) {
	v := values(map[string]any{"x": rapid.IntRange(0, 2).Draw(t, "x"), "n": rapid.IntRange(1, 3).Draw(t, "n")})
	if _, err := m.s.Enqueue(context.Background(), study.EnqueueRequest{Params: []space.Params{v}}); err != nil {
		t.Fatal(err)
	}
	m.expect = append(m.expect, expected{state: study.Waiting})
}

func (m *machine) retry(t *rapid.T) {
	failed := slices.DeleteFunc(m.numbersIn(evaluate.Failed), func(n int) bool { return m.expect[n-1].excluded })
	if len(failed) == 0 {
		return
	}
	n := rapid.SampledFrom(failed).Draw(t, "number")
	if err := m.s.Retry(context.Background(), n); err != nil {
		t.Fatal(err)
	}
	m.expect[n-1] = expected{state: study.Waiting, worker: m.expect[n-1].worker}
}

// check compares the table with the model.
func (m *machine) check(t *rapid.T) {
	if err := study.Recount(m.s); err != nil {
		t.Fatal(err)
	}
	trials := table(t, m.s)
	if len(trials) != len(m.expect) {
		t.Fatalf("the study has %d trials, want %d", len(trials), len(m.expect))
	}
	for i, e := range m.expect {
		got := trials[i]
		if got.Excluded != e.excluded || got.State != e.at(m.now.Now()) || (got.Value != nil) != (e.state == evaluate.Complete) || got.Value != nil && *got.Value != e.value {
			t.Fatalf("trial %d is %s %v, want %s %g", i+1, got.State, got.Value, e.at(m.now.Now()), e.value)
		}
	}
}

func TestMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{requests: map[string][]int{}}
		m.s, m.st, m.now = beginMachine(t)
		m.other = reopen(t, m.st, m.now)
		t.Repeat(map[string]func(*rapid.T){
			"ask":       m.ask,
			"tell":      m.tell,
			"tell more": m.tell,
			"heartbeat": m.heartbeat,
			"enqueue":   m.enqueue,
			"retry":     m.retry,
			"correct":   m.correct,
			"exclude":   m.exclude,
			"really":    m.really,
			"wait":      func(*rapid.T) { m.now.advance(time.Minute) },
			"waitLong":  func(*rapid.T) { m.now.advance(time.Hour) },
			"other":     func(*rapid.T) { m.s, m.other = m.other, m.s },
			"restart":   func(t *rapid.T) { m.s = reopen(t, m.st, m.now) },
			"":          m.check,
		})
		m.best(t)
		log := events(t, m.st)
		replayed, err := study.Replayed(log)
		if err != nil {
			t.Fatal(err)
		}
		id, err := m.st.Find(context.Background(), "s")
		if err != nil {
			t.Fatal(err)
		}
		stored, err := m.st.Trials(context.Background(), id, study.Page{})
		if err != nil {
			t.Fatal(err)
		}
		sameJSON(t, "the table and the replayed log", replayed, stored)
		if err := study.Verify(context.Background(), log); err != nil {
			t.Fatal(err)
		}
	})
}

// best compares the best point of the study with that of one opened anew, which has no
// memory of what was corrected, and with the model.
func (m *machine) best(t *rapid.T) {
	got, ok, err := m.s.Best(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want, wantOK, err := reopen(t, m.st, m.now).Best(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "the best and that of the study opened anew", want, got)
	counts := slices.ContainsFunc(m.expect, func(e expected) bool { return e.state == evaluate.Complete && !e.excluded })
	if ok != wantOK || ok != counts {
		t.Fatalf("there is a best: %v, opened anew %v, want %v", ok, wantOK, counts)
	}
}

func beginMachine(t *rapid.T) (*study.Study, study.Store, *clock) {
	return begin(t, study.Config{
		Space:  newSpace(t, space.Float("x", 0, 2), space.Int("n", 1, 3)),
		Method: rapid.SampledFrom([]string{"sobol", "cmaes", "random"}).Draw(t, "method"),
		Goal:   rapid.SampledFrom([]study.Goal{study.Minimize, study.Maximize}).Draw(t, "goal"),
		Seed:   rapid.Uint64().Draw(t, "seed"),
		Init:   2,
	})
}
