package study

import (
	"fmt"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/internal/suggest"
	"github.com/mahabo/mahabo/space"
)

// restoredLedger is one of many imported trials that was opened from a snapshot.
func restoredLedger(t *testing.T, trials int) *ledger {
	t.Helper()
	sp, err := space.New(space.Float("x", 0, 1), space.Float("y", 0, 1), space.Float("z", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)
	l := newLedger(methods.BuiltIn())
	apply := func(e Event) {
		t.Helper()
		e.Seq, e.Time = l.seq+1, at
		if err := l.apply(e); err != nil {
			t.Fatal(err)
		}
	}
	apply(Event{Created: &created{Format: formatOneValue, Config: Config{Name: "s", Space: sp, Method: "sobol", Goal: Minimize, Init: 1}}})
	m := &imported{New: make([]Placed, trials), Outcomes: make([]evaluate.Outcome, trials)}
	for i := range trials {
		p, err := place(sp, space.ParamsOf(map[string]any{"x": float64(i) / float64(trials), "y": 0.5, "z": 0.25}))
		if err != nil {
			t.Fatal(err)
		}
		m.New[i] = p
		m.Outcomes[i] = evaluate.Outcome{State: evaluate.Complete, Value: float64((7*i + 3) % trials)}
	}
	number(m.New, 1)
	apply(Event{Imported: m})
	for e := range l.trials.all() {
		e.packed, e.Params, e.point = true, space.Params{}, nil
	}
	data, err := l.snapshot()
	if err != nil {
		t.Fatal(err)
	}
	back := newLedger(methods.BuiltIn())
	if err := back.restore(string(data)); err != nil {
		t.Fatal(err)
	}
	return back
}

// read counts the pages in memory.
func (r *register) read() (n int) {
	for _, p := range r.pages {
		if p != nil {
			n++
		}
	}
	return n
}

// To list a study, to know its best, to add a trial and to tell its value reads few trials.
func TestFewPagesAreRead(t *testing.T) {
	const trials = 20*pageTrials + 7
	l := restoredLedger(t, trials)
	if s := l.states(time.Now()); s[evaluate.Complete] != trials || len(s) != 1 {
		t.Errorf("the states are %v", s)
	}
	best := l.leader
	if !best.Known || best.Mean != 0 {
		t.Errorf("the best is %v", best)
	}
	p, err := place(l.config.Space, space.ParamsOf(map[string]any{"x": 0.5, "y": 0.125, "z": 1.0}))
	if err != nil {
		t.Fatal(err)
	}
	p.Number = trials + 1
	for i, e := range []Event{
		{Asked: &asked{Batch: 1, New: []Placed{p}}},
		{Told: &told{Results: []Finished{{Number: p.Number, Outcome: evaluate.Outcome{State: evaluate.Complete, Value: -2}}}}},
	} {
		e.Seq = l.seq + 1
		if err := l.apply(e); err != nil {
			t.Fatalf("event %d: %v", i, err)
		}
	}
	if l.leader != (leader{true, p.Number, 1, -2}) {
		t.Errorf("the best is %v", l.leader)
	}
	if n := l.trials.read(); n > 1 {
		t.Errorf("%d pages were read", n)
	}
	data, err := l.snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if n := l.trials.read(); n > 1 {
		t.Errorf("%d pages were read for the next snapshot", n)
	}
	again := newLedger(methods.BuiltIn())
	if err := again.restore(string(data)); err != nil {
		t.Fatal(err)
	}
	for e := range again.trials.all() {
		if had := l.trials.at(e.Number); fmt.Sprint(had.State, *had.Value, had.key, had.at) != fmt.Sprint(e.State, *e.Value, e.key, e.at) {
			t.Fatalf("trial %d was %v and is %v", e.Number, had.Trial, e.Trial)
		}
	}
}

// A point that a trial behind the snapshot repeats is found.
func TestRepeatedPointIsFound(t *testing.T) {
	l := restoredLedger(t, 3*pageTrials)
	first := l.trials.at(5).key
	p, err := place(l.config.Space, space.ParamsOf(map[string]any{"x": 4.0 / float64(3*pageTrials), "y": 0.5, "z": 0.25}))
	if err != nil {
		t.Fatal(err)
	}
	if suggest.Key(p.Point) != first {
		t.Fatal("it is another point")
	}
	p.Number = 3*pageTrials + 1
	if err := l.apply(Event{Seq: l.seq + 1, Enqueued: &enqueued{New: []Placed{p}}}); err != nil {
		t.Fatal(err)
	}
	if at := l.trials.at(p.Number).at; at != 5 {
		t.Errorf("its first trial is %d", at)
	}
}
