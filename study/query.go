package study

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mahabo/mahabo/evaluate"
)

// Order is what trials are sorted by.
type Order string

// The orders. Trials that have no value that counts, or were not told, come last, and before them,
// by value, those that violate a limit.
const (
	ByNumber Order = "number"
	ByValue  Order = "value"
	ByTold   Order = "told"
)

// Query chooses trials.
type Query struct {
	States     []evaluate.State // any of them; none for all
	Text       string           // in the number, the values, the worker, the reason or the notes, whatever the case
	Numbers    []int            // of the trials; none for all
	AfterBatch int              // only trials of later batches; 0 for all, -1 for those that have one
	Excluded   bool             // only trials that nobody learns from
	Sort       Order            // empty for ByNumber
	Descending bool
	Offset     int // of the first trial to return
	Limit      int // most trials to return; 0 for all
}

// Select returns the trials that a query chooses, and how many there are without
// its offset and limit.
func (s *Study) Select(ctx context.Context, q Query) (trials []Trial, total int, err error) {
	if q.all() {
		if trials, total, err = s.page(ctx, q); err == nil {
			err = s.fill(ctx, trials)
		}
		return trials, total, err
	}
	rows, err := s.matching(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	q.sort(rows)
	total = len(rows)
	rows = rows[min(max(q.Offset, 0), total):]
	if q.Limit > 0 {
		rows = rows[:min(q.Limit, len(rows))]
	}
	numbers := make([]int, len(rows))
	for i, r := range rows {
		numbers[i] = r.number
	}
	s.mu.Lock()
	trials = s.ledger.trialsOf(numbers, s.time())
	s.mu.Unlock()
	return trials, total, s.fill(ctx, trials)
}

// match is what trials are sorted by: of many, only those of a page are copied.
type match struct {
	number int
	value  *float64 // nil when there is none that counts
	broken bool     // a limit is violated
	told   time.Time
}

// matching returns the trials that a query is about, by number.
func (s *Study) matching(ctx context.Context, q Query) (rows []match, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.follow(ctx); err != nil {
		return nil, err
	}
	now, text := s.time(), strings.ToLower(q.Text)
	inParams, err := s.ledger.mentions(ctx, text)
	if err != nil {
		return nil, err
	}
	for e := range s.ledger.candidates(q) {
		t := &e.Trial
		if (q.AfterBatch == 0 || t.Batch > max(q.AfterBatch, 0)) && (t.Excluded || !q.Excluded) && (len(q.States) == 0 || slices.Contains(q.States, t.stateAt(now))) && (inParams[t.Number] || t.contains(text)) {
			m := match{number: t.Number, value: t.Value, told: t.Told}
			m.broken = t.Value != nil && len(s.ledger.scheme.Limits) > 0 && s.ledger.scheme.Violations(s.ledger.inner(*t)) != nil
			if t.Excluded {
				m.value = nil
			}
			rows = append(rows, m)
		}
	}
	return rows, nil
}

// candidates goes through the trials that a query may be about, by number, and reads no others.
func (l *ledger) candidates(q Query) iter.Seq[*entry] {
	var numbers []int
	switch {
	case len(q.Numbers) > 0:
		numbers = slices.Compact(slices.Sorted(slices.Values(q.Numbers)))
	case len(q.States) > 0 && l.tally.Adrift == 0 && !slices.ContainsFunc(q.States, func(s evaluate.State) bool { return s != Running && s != Stale && s != Waiting }):
		numbers = l.open
	default:
		return l.trials.all()
	}
	return func(yield func(*entry) bool) {
		for _, n := range numbers {
			if n >= 1 && n <= l.trials.len() && !yield(l.trials.at(n)) {
				return
			}
		}
	}
}

// all says whether a query is about every trial, by number.
func (q Query) all() bool {
	return len(q.States)+len(q.Numbers)+q.AfterBatch == 0 && !q.Excluded && q.Text == "" && (q.Sort == "" || q.Sort == ByNumber)
}

// page returns one page of all trials, without reading the others.
func (s *Study) page(ctx context.Context, q Query) (trials []Trial, total int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.follow(ctx); err != nil {
		return nil, 0, err
	}
	total = s.ledger.trials.len()
	from := min(max(q.Offset, 0), total)
	to := total
	if q.Limit > 0 {
		to = min(from+q.Limit, total)
	}
	numbers := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		if q.Descending {
			numbers = append(numbers, total-i)
		} else {
			numbers = append(numbers, i+1)
		}
	}
	return s.ledger.trialsOf(numbers, s.time()), total, nil
}

// Value is that of a complete trial.
type Value struct {
	Number int
	Value  float64
	Broken bool // the trial violates a limit
}

// Values returns the values of all complete trials that count, by number.
func (s *Study) Values(ctx context.Context) ([]Value, error) {
	rows, err := s.matching(ctx, Query{States: []evaluate.State{evaluate.Complete}})
	values := make([]Value, 0, len(rows))
	for _, r := range rows {
		if r.value != nil {
			values = append(values, Value{r.number, *r.value, r.broken})
		}
	}
	return values, err
}

// contains says whether a text in lower case occurs in what a reader sees of a trial.
func (t *Trial) contains(text string) bool {
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	return text == "" || has(strconv.Itoa(t.Number)) || has(t.Worker) || has(t.Reason) ||
		slices.ContainsFunc(t.Notes, has) || t.Params.Len() > 0 && has(t.Params.String())
}

// mentions returns the numbers of trials whose parameters are only in the store and contain a
// text in lower case.
func (l *ledger) mentions(ctx context.Context, text string) (numbers map[int]bool, err error) {
	if text == "" || l.store == nil {
		return nil, nil
	}
	numbers = map[int]bool{}
	err = l.store.EachPacked(ctx, l.store.id, 0, func(number int, data []byte) error {
		if number > l.trials.len() || l.trials.at(number).Params.Len() > 0 {
			return nil
		}
		params, _, err := l.restored(number, data)
		if strings.Contains(strings.ToLower(params.String()), text) {
			numbers[number] = true
		}
		return err
	})
	return numbers, err
}

// sort puts rows, which are by number, in order.
func (q Query) sort(rows []match) {
	if q.Sort != "" && q.Sort != ByNumber {
		slices.SortStableFunc(rows, q.compare)
	} else if q.Descending {
		slices.Reverse(rows)
	}
}

// compare orders two trials by value or time.
func (q Query) compare(a, b match) int {
	sign := 1
	if q.Descending {
		sign = -1
	}
	if q.Sort == ByValue {
		if a.value == nil || b.value == nil {
			return last(a.value == nil, b.value == nil)
		}
		if a.broken != b.broken {
			return last(a.broken, b.broken)
		}
		return sign * cmp.Compare(*a.value, *b.value)
	}
	if a.told.IsZero() || b.told.IsZero() {
		return last(a.told.IsZero(), b.told.IsZero())
	}
	return sign * a.told.Compare(b.told)
}

// last puts what has nothing to compare behind the rest.
func last(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// Numbered returns trials by their numbers.
func (s *Study) Numbered(ctx context.Context, numbers ...int) ([]Trial, error) {
	trials, err := s.numbered(ctx, numbers)
	if err != nil {
		return nil, err
	}
	return trials, s.fill(ctx, trials)
}

func (s *Study) numbered(ctx context.Context, numbers []int) ([]Trial, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.follow(ctx); err != nil {
		return nil, err
	}
	for _, n := range numbers {
		if _, err := s.ledger.trial(n); err != nil {
			return nil, &RequestError{err}
		}
	}
	trials := s.ledger.trialsOf(numbers, s.time())
	for i := range trials {
		trials[i].Stop = s.reports.verdict(&trials[i])
	}
	return trials, nil
}

// Events returns the log behind a place.
func (s *Study) Events(ctx context.Context, after int64) ([]Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	events, err := s.events(ctx, after)
	if err != nil {
		return nil, err
	}
	if n := len(events); n > 0 && events[n-1].Seq > s.ledger.seq { // the space may be another since
		if err := s.follow(ctx); err != nil {
			return nil, err
		}
	}
	_, err = s.ledger.complete(ctx, events, false)
	return events, err
}

// Lock takes the study's lock, on a store that has locks, so that of several
// processes one chooses. It returns false when another holder has it.
func (s *Study) Lock(ctx context.Context, holder string, lease time.Duration) (bool, error) {
	if locker, ok := s.store.(Locker); ok {
		return locker.Lock(ctx, s.id, holder, lease)
	}
	return true, nil
}

// Unlock gives the lock back.
func (s *Study) Unlock(ctx context.Context, holder string) error {
	if locker, ok := s.store.(Locker); ok {
		return locker.Unlock(ctx, s.id, holder)
	}
	return nil
}
