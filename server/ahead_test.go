package server

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store"
	"github.com/mahabo/mahabo/study"
)

// newDesk is a chooser without its goroutine, whose method counts as slow.
func newDesk(t *testing.T) *chooser {
	t.Helper()
	st, err := store.Open(t.Context(), "memory:")
	if err != nil {
		t.Fatal(err)
	}
	line, err := space.New(space.Float("x", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	one, err := study.Create(t.Context(), st, study.Config{Name: "rig", Space: line, Method: "sobol"})
	if err != nil {
		t.Fatal(err)
	}
	return &chooser{
		study: one, notifier: newNotifier(), metrics: newMetrics(func() float64 { return 0 }), log: slog.New(slog.DiscardHandler),
		patience: time.Hour, usual: 1, slow: time.Hour, closing: t.Context(),
	}
}

// A method that has no answer is asked ahead once, and again when something new is known.
func TestThinkAheadOnceAfterAFailure(t *testing.T) {
	d := newDesk(t)
	one := d.study
	choose := func(failure error) bool {
		d.chooseAhead()
		if d.choice == nil {
			return false
		}
		r := <-d.choice.result
		r.err = failure
		d.finish(r)
		return true
	}
	if !choose(errors.New("no idea")) {
		t.Fatal("the chooser did not choose ahead")
	}
	if choose(nil) {
		t.Error("the chooser asked the same question again")
	}
	if _, err := one.Ask(t.Context(), study.AskRequest{}); err != nil {
		t.Fatal(err)
	}
	if !choose(nil) || d.spare == nil {
		t.Error("the chooser did not choose about what is new")
	}
	if choose(nil) {
		t.Error("the chooser chose again with a spare answer")
	}
}

// enter queues an ask for one trial.
func (d *chooser) enter(t *testing.T) *waitingAsk {
	t.Helper()
	r, err := d.study.Check(study.AskRequest{Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	a := &waitingAsk{ctx: t.Context(), request: r, until: time.Now().Add(d.patience), answer: make(chan study.Served, 1)}
	d.queue = append(d.queue, a)
	return a
}

// Where many work, those who come with a new value while the method chooses ahead share what
// it has begun; where few do, the value counts at once.
func TestThinkingAheadForMany(t *testing.T) {
	for _, c := range []struct {
		workers, come int
		shared        bool
	}{{20, 3, true}, {1, 1, false}} {
		d := newDesk(t)
		if _, err := d.study.Ask(t.Context(), study.AskRequest{Count: c.workers, Lease: time.Hour}); err != nil {
			t.Fatal(err)
		}
		d.wave = c.come
		d.chooseAhead()
		ahead := d.choice
		var asks []*waitingAsk
		for number := 1; number <= c.come; number++ {
			if err := d.study.Tell(t.Context(), number, evaluate.Outcome{Value: 1}); err != nil {
				t.Fatal(err)
			}
			asks = append(asks, d.enter(t))
			d.advance()
		}
		if ahead.kept != c.shared {
			t.Errorf("%d workers share the choice: %v", c.workers, ahead.kept)
		}
		if !c.shared {
			(<-ahead.result).unlock()
			continue
		}
		d.finish(<-ahead.result)
		d.advance()
		seen := map[int]bool{}
		for _, a := range asks {
			select {
			case s := <-a.answer:
				if s.Err != nil || len(s.Batch.Trials) != 1 {
					t.Fatalf("an ask got %+v", s)
				}
				seen[s.Batch.Trials[0].Number] = true
			default:
				t.Fatal("who waited for the choice got nothing when it ended")
			}
		}
		if len(seen) != c.come {
			t.Errorf("%d asks got %d trials", c.come, len(seen))
		}
		if d.choice != nil {
			(<-d.choice.result).unlock()
		}
	}
}
