package study

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// mostAppends bounds how often a write is overtaken. Every time, another process
// has succeeded.
const mostAppends = 1000

// mostGroup bounds how many writes go to the store together.
const mostGroup = 500

// write is a change that waits for its place in the log. Its functions may be
// called several times, in turn; what they did last counts, if err is nil.
type write struct {
	ctx    context.Context
	decide func(*ledger) (*Event, error)   // nil: there is nothing to write
	done   func(*ledger)                   // sees the ledger right behind the event; may be nil
	parts  func(*ledger) ([]*write, error) // makes the writes that this one consists of; then it decides nothing itself
	err    error
	ended  chan struct{}
}

// writes queue for the store. Whoever comes while a group is being stored joins the
// next one: one transaction, hence one sync of the disk, serves many.
type writes struct {
	leading chan struct{} // holds one token while a group is stored
	mu      sync.Mutex    // guards queue
	queue   []*write
}

// take removes the next group.
func (q *writes) take() []*write {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.queue), mostGroup)
	group := slices.Clone(q.queue[:n])
	q.queue = slices.Delete(q.queue, 0, n)
	return group
}

// write appends the event that decide makes of the ledger, and decides anew
// whenever another process was faster.
func (s *Study) write(ctx context.Context, decide func(*ledger) (*Event, error), done func(*ledger)) error {
	w := &write{ctx: ctx, decide: decide, done: done}
	s.writeAll(w)
	return w.err
}

// writeTogether is write for events that belong together. Each has to fit behind those before
// it: decide makes sure of that.
func (s *Study) writeTogether(ctx context.Context, decide func(*ledger) ([]Event, error), done func(*ledger)) error {
	var ws []*write
	w := &write{ctx: ctx, parts: func(l *ledger) ([]*write, error) {
		ws = nil // what was decided last counts
		events, err := decide(l)
		if err != nil {
			return nil, err
		}
		whole := context.WithoutCancel(ctx) // a part must not be left out
		for _, e := range events {
			ws = append(ws, &write{ctx: whole, decide: func(*ledger) (*Event, error) { return &e, nil }})
		}
		ws = append(ws, &write{ctx: whole, decide: func(*ledger) (*Event, error) { return nil, nil }, done: done})
		return ws, nil
	}}
	s.writeAll(w)
	err := w.err
	for _, part := range ws {
		err = cmp.Or(err, part.err)
	}
	return err
}

// writeAll makes writes in their order, together if they fit in one group.
func (s *Study) writeAll(ws ...*write) {
	for _, w := range ws {
		w.ended = make(chan struct{})
	}
	s.writes.mu.Lock()
	s.writes.queue = append(s.writes.queue, ws...)
	s.writes.mu.Unlock()
	for _, w := range ws {
		s.await(w)
	}
}

// await returns when a write has ended; if nobody leads, it leads.
func (s *Study) await(w *write) {
	for {
		select {
		case <-w.ended:
			return
		default:
		}
		select {
		case <-w.ended:
			return
		case s.writes.leading <- struct{}{}:
			s.storeAndEnd(s.writes.take())
			<-s.writes.leading
		}
	}
}

// storeAndEnd stores a group of writes and ends them.
func (s *Study) storeAndEnd(group []*write) {
	s.mu.Lock()
	err := s.storeGroup(group)
	s.mu.Unlock()
	for _, w := range group {
		if err != nil {
			w.err = err
		}
		close(w.ended)
	}
}

// longestWrite is how long a store may take for writes of several callers.
const longestWrite = 2 * time.Minute

// storeGroup decides on what is known and asks the store whether that was all: to
// append is to prove that the ledger is current, and so are then the decisions to
// write nothing.
func (s *Study) storeGroup(group []*write) error {
	if len(group) == 0 {
		return nil
	}
	ctx := group[0].ctx
	if len(group) > 1 {
		var cancel context.CancelFunc // one must not end the others' writes, nor may a dead store keep them
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), longestWrite)
		defer cancel()
	}
	for range mostAppends {
		t := s.ledger.begin()
		for _, w := range group {
			w.err = s.decide(t, w)
		}
		before := t.before.seq
		var err error
		if len(t.events) > 0 {
			err = s.append(ctx, t)
		}
		if err != nil {
			t.rollback()
		}
		if err == nil && len(t.events) > 0 {
			s.saveSnapshot(ctx)
			return nil
		}
		if err != nil && !errors.Is(err, ErrMoved) {
			return err
		}
		if err := s.follow(ctx); err != nil {
			return err
		}
		if len(t.events) == 0 && s.ledger.seq == before {
			return nil
		}
	}
	return ErrContention
}

// decide adds what a write wants to a transaction.
func (s *Study) decide(t *transaction, w *write) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.parts != nil {
		parts, err := w.parts(t.ledger)
		for _, p := range parts {
			p.err = s.decide(t, p)
		}
		return err
	}
	e, err := w.decide(t.ledger)
	if err != nil {
		return err
	}
	if e != nil {
		e.Seq, e.Time = t.seq+1, s.time()
		if err := t.add(*e); err != nil {
			return err
		}
	}
	if w.done != nil {
		w.done(t.ledger)
	}
	return nil
}

// transaction holds events that a ledger has and the store has not yet.
type transaction struct {
	*ledger
	before   ledger   // maps and elements of lists are shared
	unsorted []finish // those of before that freeze may sort
	replaced []entry  // earlier versions of trials, the oldest first
	events   []Event
}

func (l *ledger) begin() *transaction {
	t := &transaction{ledger: l, before: *l}
	t.before.tally = l.tally.clone()
	return t
}

// add applies an event.
func (t *transaction) add(e Event) error {
	x, err := t.effect(e)
	if err != nil {
		return err
	}
	for _, c := range x.changed {
		if c.Number <= t.trials.len() {
			t.replaced = append(t.replaced, *t.trials.at(c.Number))
		}
	}
	if e.Asked != nil && t.unsorted == nil {
		t.unsorted = slices.Clone(t.before.finished[t.before.frozen:])
	}
	t.install(e, x)
	t.events = append(t.events, e)
	return nil
}

// changed returns the trials that the events added or changed, each once.
func (t *transaction) changed() []Trial {
	var numbers []int
	for _, r := range t.replaced {
		if r.Number <= t.before.trials.len() {
			numbers = append(numbers, r.Number)
		}
	}
	for n := t.before.trials.len(); n < t.trials.len(); n++ {
		numbers = append(numbers, n+1)
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	changed := make([]Trial, 0, len(numbers))
	for _, n := range numbers {
		changed = append(changed, t.trials.at(n).Trial)
	}
	return changed
}

// rollback takes the events back.
func (t *transaction) rollback() {
	for _, e := range t.events {
		switch {
		case e.Asked != nil:
			delete(t.asked, e.Asked.RequestID)
		case e.Enqueued != nil:
			delete(t.enqueued, e.Enqueued.RequestID)
		case e.Imported != nil:
			delete(t.imported, e.Imported.Digest)
		}
	}
	for c := range t.trials.behind(t.before.trials.len()) {
		t.before.keys.remove(*c)
	}
	reindexed := t.keys != t.before.keys // which has changed the first trial at the point of any
	*t.ledger = t.before
	for _, r := range slices.Backward(t.replaced) {
		if r.Number <= t.trials.len() {
			*t.trials.at(r.Number) = r
		}
	}
	if reindexed {
		t.keys = &keys{}
		t.index()
	}
	copy(t.finished[t.frozen:], t.unsorted)
	if t.memo.covered > t.frozen { // it has seen what is taken back
		t.memo = newMemo()
	}
	t.retrack()
}
