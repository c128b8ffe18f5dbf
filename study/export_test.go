package study

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/internal/suggest"
	"github.com/mahabo/mahabo/space"
)

// Replayed returns the trials that a log leads to.
func Replayed(events []Event) ([]Trial, error) {
	l := newLedger(methods.BuiltIn())
	for _, e := range events {
		if err := l.apply(e); err != nil {
			return nil, err
		}
	}
	var trials []Trial
	for t := range l.trials.all() {
		trials = append(trials, t.Trial)
	}
	return trials, nil
}

// Tags returns those of the trials that a log leads to.
func Tags(events []Event) (tags []string, err error) {
	l := newLedger(methods.BuiltIn())
	for _, e := range events {
		if err := l.apply(e); err != nil {
			return nil, err
		}
	}
	for t := range l.trials.all() {
		tags = append(tags, t.tag)
	}
	return tags, nil
}

// Verify makes every suggestion of a log again, with a method that is built anew
// each time and told what the log held at the suggestion's basis.
func Verify(ctx context.Context, events []Event) error {
	l := newLedger(methods.BuiltIn())
	for _, e := range events {
		if e.Asked == nil || len(e.Asked.New) == 0 {
			continue
		}
		if l.seq > e.Asked.Basis {
			l = newLedger(methods.BuiltIn())
		}
		for _, past := range events[l.seq:e.Asked.Basis] {
			if err := l.apply(past); err != nil {
				return err
			}
		}
		var fixed space.Params
		if e.Asked.Fixed != nil {
			fixed = *e.Asked.Fixed
		}
		pins, err := l.config.Space.Pins(fixed)
		if err != nil {
			return err
		}
		var m suggest.Model
		q := l.question(max(len(e.Asked.New), e.Asked.Wanted), fixed, pins)
		q.Method = e.Asked.Method // another than the study's when it took too long
		a, err := choose(ctx, &m, q, l.config.Goal)
		if err != nil {
			return fmt.Errorf("event %d: %w", e.Seq, err)
		}
		a.placed = a.placed[e.Asked.First:][:len(e.Asked.New)]
		number(a.placed, e.Asked.New[0].Number)
		want, err := json.Marshal(e.Asked.New)
		if err != nil {
			return err
		}
		got, err := json.Marshal(a.placed)
		if err != nil {
			return err
		}
		if string(want) != string(got) {
			return fmt.Errorf("event %d: the log suggests %s, its replay %s", e.Seq, want, got)
		}
	}
	return nil
}

// Together has the writes of some calls stored in one group, in their order.
func (s *Study) Together(calls ...func()) {
	s.writes.leading <- struct{}{}
	var all sync.WaitGroup
	for i, call := range calls {
		all.Go(call)
		for waiting := 0; waiting <= i; runtime.Gosched() {
			s.writes.mu.Lock()
			waiting = len(s.writes.queue)
			s.writes.mu.Unlock()
		}
	}
	<-s.writes.leading
	all.Wait()
}

// resnapped is the ledger that a snapshot of a study's leads to.
func (s *Study) resnapped() (*ledger, error) {
	data, err := s.ledger.snapshot()
	if err != nil {
		return nil, err
	}
	back := newLedger(s.methods)
	return back, back.restore(string(data))
}

// Resnap restores a study's ledger from a snapshot of itself, and says what is lost.
func Resnap(s *Study) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	back, err := s.resnapped()
	if err != nil {
		return err
	}
	if len(back.scheme.Objectives) != len(s.ledger.scheme.Objectives) {
		return fmt.Errorf("the outcomes are lost")
	}
	for t := range back.trials.all() {
		had := s.ledger.trials.at(t.Number).Trial
		had.Params, t.Params = space.Params{}, space.Params{}
		a, _ := json.Marshal(had)
		b, _ := json.Marshal(t.Trial)
		if string(a) != string(b) {
			return fmt.Errorf("trial %d was %s, now it is %s", had.Number, a, b)
		}
	}
	return nil
}

// Recount compares what a ledger keeps with each event with what its trials say, before and
// behind a snapshot.
func Recount(s *Study) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	back, err := s.resnapped()
	if err != nil {
		return err
	}
	for _, l := range []*ledger{s.ledger, back} {
		want, kept := newTally(), l.leader
		for e := range l.trials.all() {
			want.add(e, 1)
		}
		if d := want.Cost - l.tally.Cost; math.Abs(d) > 1e-9*(1+want.Cost) { // sums round
			return fmt.Errorf("the cost is %v, the ledger has %v", want.Cost, l.tally.Cost)
		}
		want.Cost = l.tally.Cost
		if !reflect.DeepEqual(want, l.tally) {
			return fmt.Errorf("the trials are %v, the ledger counts %v", want, l.tally)
		}
		if best := leaderOf(l.bestSite()); kept.Known && kept != best {
			return fmt.Errorf("the best is %v, the ledger has %v", best, kept)
		}
		open := l.open
		if l.retrack(); !slices.Equal(open, l.open) {
			return fmt.Errorf("the open trials are %v, the ledger has %v", l.open, open)
		}
	}
	return nil
}
