package study

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/outcome"
	"github.com/mahabo/mahabo/internal/points"
	"github.com/mahabo/mahabo/internal/suggest"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

// ledger is what a log says: the trials and what has to be known to continue.
// Events change it in two steps, so that a write that loses a race leaves no
// trace: effect says which trials an event changes, install makes it so.
type ledger struct {
	seq      int64 // place of the last event
	turn     int64 // place of the last event that methods learn of
	mended   int64 // place of the last correction of what methods were told
	methods  *strategy.Registry
	format   int // of the log
	config   Config
	scheme   outcome.Scheme // of the declared outcomes
	created  time.Time
	trials   register
	finished []finish         // complete and infeasible trials, in the order in which methods learn of them
	frozen   int              // so many of them a method has been told of
	batches  int              // batches served
	command  string           // that evaluated trials last, if it is known
	last     batch            // the last of them
	asked    map[string]batch // by request id
	enqueued map[string][]int // by request id
	imported map[string][]int // by digest

	codec  points.Codec // has the spaces of the study
	former *formerStudies

	store *shelf // has what is not in memory; nil: all is
	lean  bool   // the points of some trials are not

	moved  []moved        // where the trials are after the change of the space that is being read or written
	stored map[int]string // keys of the trials that are being read and that the store has packed

	bare int // so many of the first trials may have no parameters in memory

	saved   int64 // place in the log of the latest snapshot
	touched int   // trials that events behind it changed

	open []int // numbers of the trials without a final outcome, in order
	keys *keys
	memo *memo

	tally  tally
	leader leader
}

// entry is a trial and the point of the box that stands for it. Of one that is packed, the
// parameters and the point may be missing: the store has them.
type entry struct {
	Trial
	point    strategy.Point
	tag      string // of the suggestion
	key      string // of the point
	packed   bool
	at       int  // number of the first trial at this point
	dropped  bool // a user excluded it
	replaced bool // its parameters were corrected: they are not those of the store
}

// finish is when a trial got its outcome.
type finish struct {
	number int
	seq    int64 // place of the event
}

// batch is what an Ask served, by number.
type batch struct {
	number  int
	info    ModelInfo
	numbers []int
}

// effect is what an event does to the trials.
type effect struct {
	changed []entry // new and replaced
	added   int     // how many are new
}

func newLedger(methods *strategy.Registry) *ledger {
	return &ledger{
		methods: methods,
		asked:   map[string]batch{}, enqueued: map[string][]int{}, imported: map[string][]int{},
		keys: &keys{}, memo: newMemo(), tally: newTally(), leader: leader{Known: true},
	}
}

// apply adds one event of the log.
func (l *ledger) apply(e Event) error {
	x, err := l.effect(e)
	if err != nil {
		return fmt.Errorf("event %d of the log does not fit: %w", e.Seq, err)
	}
	l.install(e, x)
	return nil
}

// effect returns the trials that an event adds and changes, or why it cannot
// follow this log.
func (l *ledger) effect(e Event) (effect, error) {
	x := effect{}
	var err error
	switch {
	case e.Seq != l.seq+1:
		return x, fmt.Errorf("its place is %d, the next one is %d", e.Seq, l.seq+1)
	case (e.Created != nil) != (e.Seq == 1):
		return x, fmt.Errorf("the first event, and only that, creates a study")
	case e.Created != nil:
		if e.Created.Format > format {
			return x, fmt.Errorf("the log has format %d, this version reads up to %d: use a newer version", e.Created.Format, format)
		}
	case e.Asked != nil:
		err = l.effectAsked(&x, e.Time, e.Asked)
	case e.Told != nil:
		for _, r := range e.Told.Results {
			err = l.change(&x, err, r.Number, func(t Trial) (Trial, error) {
				t, _, err := t.told(r.Outcome, e.Time, l.scheme)
				if r.Worker != "" {
					t.Worker = r.Worker
				}
				return t, err
			})
		}
	case e.Heartbeat != nil:
		err = l.change(&x, nil, e.Heartbeat.Number, func(t Trial) (Trial, error) {
			t.Expires = e.Heartbeat.Expires
			return t, nil
		})
	case e.Enqueued != nil:
		for _, p := range e.Enqueued.New {
			err = l.place(&x, err, p, Trial{State: Waiting, Origin: FromUser, Created: e.Time})
		}
	case e.Retried != nil:
		err = l.change(&x, nil, e.Retried.Number, func(t Trial) (Trial, error) {
			t = t.remembered()
			t.State, t.Reason, t.Told = Waiting, "", time.Time{}
			t.Outcomes, t.Stds = nil, nil
			t.Last, t.CountsAs, t.CountsStd, t.Cost, t.Seconds = nil, nil, 0, 0, 0
			return t, nil
		})
	case e.Released != nil:
		for _, n := range e.Released.Numbers {
			err = l.change(&x, err, n, func(t Trial) (Trial, error) {
				t.State, t.Expires = Waiting, time.Time{}
				return t, nil
			})
		}
	case e.Noted != nil:
		err = l.change(&x, nil, e.Noted.Number, func(t Trial) (Trial, error) { return t.noted(e.Noted.Text), nil })
	case e.Imported != nil:
		err = l.effectImported(&x, e.Time, e.Imported)
	case e.Corrected != nil:
		err = l.effectCorrected(&x, e.Time, e.Corrected)
	case e.Changed != nil:
		err = l.effectChanged(&x, e.Changed)
	case e.Stopped != nil:
		for _, r := range e.Stopped.Results {
			err = l.change(&x, err, r.Number, func(t Trial) (Trial, error) {
				t, _, err := t.halted(r, e.Time)
				return t, err
			})
		}
	default:
		return x, fmt.Errorf("its kind is not known: it was written by a newer version")
	}
	return x, err
}

func (l *ledger) effectAsked(x *effect, now time.Time, a *asked) (err error) {
	serve := func(t Trial) Trial {
		t.State, t.Worker, t.Asked, t.Expires = Running, a.Worker, now, a.Expires
		if t.Batch == 0 { // else it was served before
			t.Batch = a.Batch
		}
		return t
	}
	for _, n := range a.Served {
		err = l.change(x, err, n, func(t Trial) (Trial, error) { return serve(t), nil })
	}
	for _, p := range a.New {
		if l.format == 0 && p.Tag == "" {
			p.Tag = method.OldTag
		}
		err = l.place(x, err, p, serve(Trial{Origin: FromMethod, Created: now}))
	}
	return err
}

func (l *ledger) effectImported(x *effect, now time.Time, m *imported) (err error) {
	if len(m.New) != len(m.Outcomes) {
		return fmt.Errorf("%d imported points have %d outcomes", len(m.New), len(m.Outcomes))
	}
	if m.Notes != nil && len(m.New) != len(m.Notes) {
		return fmt.Errorf("%d imported points have %d lists of notes", len(m.New), len(m.Notes))
	}
	x.changed = make([]entry, 0, len(m.New))
	for i, p := range m.New {
		t, _, tellErr := Trial{Origin: FromImport, Created: now}.told(m.Outcomes[i], now, l.scheme)
		if err == nil {
			err = tellErr
		}
		if m.Notes != nil {
			t.Notes = m.Notes[i]
		}
		err = l.place(x, err, p, t)
	}
	return err
}

func (l *ledger) effectCorrected(x *effect, now time.Time, c *corrected) error {
	t, err := l.trial(c.Number)
	if err != nil {
		return err
	}
	if t, err = t.corrected(c, l.config.Space, now); err == nil {
		x.changed = append(x.changed, t)
	}
	return err
}

// place adds a new trial to an effect; after an earlier error it does nothing.
func (l *ledger) place(x *effect, err error, p Placed, t Trial) error {
	if err != nil {
		return err
	}
	x.added++
	if next := l.trials.len() + x.added; p.Number != next {
		return fmt.Errorf("a new trial has number %d, the next one is %d", p.Number, next)
	}
	t.Number, t.Predicted = p.Number, p.Predicted
	if key := l.stored[p.Number]; key != "" {
		t.Params = p.Params
		x.changed = append(x.changed, entry{Trial: t, point: p.Point, tag: p.Tag, key: key, packed: true})
		return nil
	}
	if t.Params, err = l.config.Space.Complete(p.Params); err != nil { // JSON does not tell 3.0 from 3
		return fmt.Errorf("trial %d: %w", p.Number, err)
	}
	x.changed = append(x.changed, entry{Trial: t, point: p.Point, tag: p.Tag, key: suggest.Key(p.Point)})
	return nil
}

// change adds a new version of a trial to an effect; after an earlier error it
// does nothing.
func (l *ledger) change(x *effect, err error, number int, f func(Trial) (Trial, error)) error {
	if err != nil {
		return err
	}
	old, err := l.trial(number)
	if err != nil {
		return err
	}
	t, err := f(old.Trial)
	if err != nil {
		return err
	}
	old.Trial = t
	x.changed = append(x.changed, old)
	return nil
}

// install takes over what effect returned for the same event.
func (l *ledger) install(e Event, x effect) {
	l.seq = e.Seq
	l.touched += 1 + len(x.changed)
	if e.Heartbeat == nil && e.Noted == nil && (e.Corrected == nil || e.Corrected.teaches()) {
		l.turn = e.Seq
	}
	var numbers []int
	for _, c := range x.changed {
		numbers = append(numbers, c.Number)
		was, added := entry{}, c.Number > l.trials.len()
		if added {
			c.at = l.first(&c)
			l.trials.add(c)
		} else {
			was = *l.trials.at(c.Number)
			*l.trials.at(c.Number) = c
			l.tally.add(&was, -1)
		}
		l.tally.add(&c, 1)
		if c.State == evaluate.Complete && was.State != evaluate.Complete {
			l.lead(&c)
		}
		l.track(c, added)
		if (added || unfinished(&was.Trial)) && !unfinished(&c.Trial) {
			l.finished = append(l.finished, finish{c.Number, e.Seq})
		}
		if e.Corrected != nil {
			l.mend(e, was, c)
		} else if was.State == evaluate.Stopped && c.State != was.State {
			l.resume(e, was, c)
		}
	}
	if e.Changed != nil || e.Corrected != nil && e.Corrected.teaches() {
		l.leader = leader{}
	}
	switch {
	case e.Changed != nil:
		l.installChanged(e)
	case e.Created != nil:
		l.format, l.config, l.created = e.Created.Format, e.Created.Config, e.Time
		l.scheme = outcome.Of(l.config.Space.Outcomes())
		l.codec = points.Codec{}.With(l.config.Space, space.Params{})
		l.former = newFormer(string(e.Created.Former))
	case e.Asked != nil:
		l.freeze(e.Asked.Basis)
		l.batches, l.last = e.Asked.Batch, batch{e.Asked.Batch, e.Asked.ModelInfo, numbers}
		if e.Asked.Command != "" {
			l.command = e.Asked.Command
		}
		if e.Asked.RequestID != "" {
			l.asked[e.Asked.RequestID] = l.last
		}
	case e.Enqueued != nil:
		if e.Enqueued.RequestID != "" {
			l.enqueued[e.Enqueued.RequestID] = numbers
		}
	case e.Imported != nil:
		if e.Imported.Digest != "" {
			l.imported[e.Imported.Digest] = numbers
		}
	}
}

// freeze settles the order of the trials that a method knew when it chose: between two
// choices by number, so that it does not matter which evaluation of a round ends first.
func (l *ledger) freeze(basis int64) {
	n := l.frozen
	for n < len(l.finished) && l.finished[n].seq <= basis {
		n++
	}
	byNumber(l.finished[l.frozen:n])
	l.frozen = n
}

func byNumber(list []finish) {
	slices.SortFunc(list, func(a, b finish) int { return cmp.Compare(a.number, b.number) })
}

// unfrozen returns the finished trials that no method was told of, as the next one will
// learn of them.
func (l *ledger) unfrozen() []finish {
	list := slices.Clone(l.finished[l.frozen:])
	byNumber(list)
	return list
}

// trial returns a trial by its number.
func (l *ledger) trial(number int) (entry, error) {
	if number < 1 || number > l.trials.len() {
		return entry{}, fmt.Errorf("trial %d: %w: the study has %d", number, ErrNoTrial, l.trials.len())
	}
	return *l.trials.at(number), nil
}

// trialsOf returns trials by their numbers, as they are at a time.
func (l *ledger) trialsOf(numbers []int, now time.Time) []Trial {
	trials := make([]Trial, len(numbers))
	for i, n := range numbers {
		trials[i] = l.trials.at(n).seen(now)
	}
	return trials
}

// batch returns what an Ask served, as it is at a time.
func (l *ledger) batch(b batch, now time.Time) Batch {
	return Batch{b.number, b.info, l.trialsOf(b.numbers, now)}
}

// servable returns the numbers of the trials that can be served at a time before
// new points are chosen: waiting ones, then stale ones.
func (l *ledger) servable(now time.Time) []int {
	var waiting, stale []int
	for _, n := range l.open {
		if l.trials.at(n).Outside != "" {
			continue
		}
		switch l.trials.at(n).stateAt(now) {
		case Waiting:
			waiting = append(waiting, n)
		case Stale:
			stale = append(stale, n)
		}
	}
	return slices.Concat(waiting, stale)
}
