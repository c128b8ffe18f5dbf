package study

import (
	"context"
	"fmt"

	"github.com/mahabo/mahabo/internal/points"
	"github.com/mahabo/mahabo/internal/suggest"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

// archive is a Store that keeps the parameters and points of trials packed in a table of their
// own, and a snapshot beside each log. Events and trials then come without parameters, so that
// a process reads those it needs and no others. The stores of package store with a database
// are archives; for others everything is in events and trials.
type archive interface {
	// AppendPacked is Append for events and trials without parameters, which are packed in
	// points. keys and points belong to the new trials with these numbers.
	AppendPacked(ctx context.Context, id string, events []Event, changed []Trial, numbers []int, keys, points [][]byte) error
	// LeanEvents and LeanTrials are Events and Trials without the parameters that are packed.
	LeanEvents(ctx context.Context, id string, after int64) ([]Event, error)
	LeanTrials(ctx context.Context, id string, page Page) ([]Trial, error)
	// PackedKeys returns the keys of the trials behind one that are packed, by number.
	PackedKeys(ctx context.Context, id string, after int) (map[int]string, error)
	// Packed returns the packed parameters of some trials, by number.
	Packed(ctx context.Context, id string, numbers []int) (map[int][]byte, error)
	// EachPacked calls do for all trials behind one that are packed, in order of their numbers.
	EachPacked(ctx context.Context, id string, after int, do func(number int, data []byte) error) error
	// Snapshot returns what was saved last and up to which place of the log it goes, 0 for nothing.
	Snapshot(ctx context.Context, id string) (data string, seq int64, err error)
	// SaveSnapshot replaces an older snapshot, and keeps points of trials that were written
	// before there was a table for them.
	SaveSnapshot(ctx context.Context, id string, data []byte, seq int64, numbers []int, keys, points [][]byte) error
}

// shelf is the archive of one study.
type shelf struct {
	archive
	id string
}

// Placed lists the new trials of an event.
func (e Event) Placed() []Placed {
	switch {
	case e.Asked != nil:
		return e.Asked.New
	case e.Enqueued != nil:
		return e.Enqueued.New
	case e.Imported != nil:
		return e.Imported.New
	}
	return nil
}

// withPlaced returns a copy of the event with other new trials.
func (e Event) withPlaced(list []Placed) Event {
	switch {
	case e.Asked != nil:
		asked := *e.Asked
		asked.New, e.Asked = list, &asked
	case e.Enqueued != nil:
		enqueued := *e.Enqueued
		enqueued.New, e.Enqueued = list, &enqueued
	case e.Imported != nil:
		imported := *e.Imported
		imported.New, e.Imported = list, &imported
	}
	return e
}

// append writes a transaction to the store.
func (s *Study) append(ctx context.Context, t *transaction) error {
	if t.store == nil {
		return s.store.Append(ctx, s.id, t.events, t.changed())
	}
	events := make([]Event, len(t.events))
	var numbers []int
	var keys, packed [][]byte
	codec := t.before.codec
	for i, e := range t.events {
		events[i] = e
		if e.Changed != nil {
			codec = codec.With(e.Changed.Space, e.Changed.Added)
		}
		list := e.Placed()
		if len(list) == 0 {
			continue
		}
		bare := make([]Placed, len(list))
		for k, p := range list {
			data, err := codec.Pack(p.Params, p.Point)
			if err != nil {
				return fmt.Errorf("trial %d: %w", p.Number, err)
			}
			numbers, packed = append(numbers, p.Number), append(packed, data)
			keys = append(keys, []byte(suggest.Key(p.Point)))
			bare[k] = Placed{Tag: p.Tag, Predicted: p.Predicted}
			if k == 0 {
				bare[k].Number = p.Number // of the others it follows
			}
		}
		events[i] = e.withPlaced(bare)
	}
	changed := t.changed()
	for i, c := range changed {
		if e := t.trials.at(c.Number); e.packed || c.Number > t.before.trials.len() && !e.replaced {
			changed[i].Params = space.Params{}
		}
	}
	if err := t.store.AppendPacked(ctx, s.id, events, changed, numbers, keys, packed); err != nil {
		return err
	}
	for _, n := range numbers {
		t.trials.at(n).packed = !t.trials.at(n).replaced
	}
	t.shed()
	return nil
}

// mostParams is how many of the latest trials keep their parameters in memory.
const mostParams = 256

// shed forgets parameters that the store has and that are seldom needed. Points stay.
func (l *ledger) shed() {
	if l.trials.len()-l.bare < 2*mostParams {
		return
	}
	to := l.trials.len() - mostParams
	for e := range l.trials.behind(l.bare) {
		if e.Number <= to && e.packed {
			e.Params = space.Params{}
		}
	}
	l.bare = to
}

// fetch brings the parameters and the point of a trial to memory.
func (l *ledger) fetch(ctx context.Context, number int) error {
	if number < 1 || number > l.trials.len() {
		return nil // who asks for it says so
	}
	e := l.trials.at(number)
	if l.store == nil || !e.packed || e.Params.Len() > 0 && !e.missing() {
		return nil
	}
	found, err := l.store.Packed(ctx, l.store.id, []int{number})
	if err != nil {
		return err
	}
	params, x, err := l.restored(number, found[number])
	if e.Params = params; e.Outside == "" { // the point of a trial outside may break a constraint
		e.point = x
	}
	return err
}

// missing says whether the point is only in the store.
func (t *entry) missing() bool { return t.point == nil && t.Outside == "" }

// load brings the points of all trials to memory, which methods have to know.
func (l *ledger) load(ctx context.Context) error {
	if !l.lean {
		return nil
	}
	first := 0 // number of the first trial without a point
	for e := range l.trials.all() {
		if e.missing() {
			first = e.Number
			break
		}
	}
	if first > 0 {
		err := l.store.EachPacked(ctx, l.store.id, first-1, func(number int, data []byte) (err error) {
			if number <= l.trials.len() && l.trials.at(number).missing() {
				_, l.trials.at(number).point, err = l.restored(number, data)
			}
			return err
		})
		if err != nil {
			return err
		}
		for e := range l.trials.behind(first - 1) {
			if e.missing() {
				return fmt.Errorf("trial %d: %w", e.Number, points.ErrDamaged)
			}
		}
	}
	l.lean, l.memo = false, newMemo() // it was made without points
	return nil
}

// restored is a trial's parameters and point as they are now.
func (l *ledger) restored(number int, data []byte) (space.Params, strategy.Point, error) {
	params, x, err := l.codec.Present(data)
	if err != nil {
		return params, nil, fmt.Errorf("trial %d: %w", number, err)
	}
	return params, x, nil
}

// fill adds the parameters of trials that are only in the store.
func (s *Study) fill(ctx context.Context, trials []Trial) error {
	return s.filled(ctx, len(trials), func(i int) *Trial { return &trials[i] })
}

func (s *Study) filled(ctx context.Context, count int, trial func(int) *Trial) error {
	var numbers []int
	for i := range count {
		if t := trial(i); t.Params.Len() == 0 {
			numbers = append(numbers, t.Number)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	s.mu.Lock()
	l := *s.ledger // what is read of it below does not change
	s.mu.Unlock()
	if l.store == nil {
		return fmt.Errorf("trial %d: %w", numbers[0], points.ErrDamaged)
	}
	found, err := l.store.Packed(ctx, l.store.id, numbers)
	if err != nil {
		return err
	}
	for i := range count {
		t := trial(i)
		if t.Params.Len() > 0 {
			continue
		}
		if t.Params, _, err = l.restored(t.Number, found[t.Number]); err != nil {
			return err
		}
	}
	return nil
}

// complete adds to events what the store keeps apart: the parameters and points of new trials,
// for those who want the whole log. It returns the keys of the points; lean is for those to whom
// they are enough.
func (l *ledger) complete(ctx context.Context, events []Event, lean bool) (keys map[int]string, err error) {
	var numbers []int
	for i := range events {
		list := events[i].Placed()
		for k := range list {
			p := &list[k]
			if p.Params.Len() == 0 {
				p.Number = list[0].Number + k
				numbers = append(numbers, p.Number)
			}
		}
	}
	if len(numbers) == 0 {
		return nil, nil
	}
	if l.store == nil {
		return nil, fmt.Errorf("trial %d: %w", numbers[0], points.ErrDamaged)
	}
	if keys, err = l.store.PackedKeys(ctx, l.store.id, numbers[0]-1); err != nil {
		return nil, err
	}
	var found map[int][]byte
	if !lean {
		if found, err = l.store.Packed(ctx, l.store.id, numbers); err != nil {
			return nil, err
		}
	}
	codec := l.codec
	for i := range events {
		if c := events[i].Changed; c != nil && events[i].Seq > l.seq { // new trials behind it are packed for its space
			codec = codec.With(c.Space, c.Added)
		}
		for k := range events[i].Placed() {
			p := &events[i].Placed()[k]
			if p.Params.Len() > 0 {
				continue
			}
			if keys[p.Number] == "" {
				return nil, fmt.Errorf("trial %d: %w", p.Number, points.ErrDamaged)
			}
			if lean {
				continue
			}
			if p.Params, p.Point, err = codec.Unpack(found[p.Number]); err != nil {
				return nil, fmt.Errorf("trial %d: %w", p.Number, err)
			}
		}
	}
	return keys, nil
}

// events returns the log behind a place, without what the store keeps apart.
func (s *Study) events(ctx context.Context, after int64) ([]Event, error) {
	if a := s.ledger.store; a != nil {
		return a.LeanEvents(ctx, s.id, after)
	}
	return s.store.Events(ctx, s.id, after)
}
