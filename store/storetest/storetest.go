// Package storetest is the conformance suite of study.Store: what every store,
// also a user's own, has to keep.
//
//	func TestConformance(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) func() study.Store { ... })
//	}
package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// Fresh prepares an empty database and returns a function that opens it. The
// suite opens it several times, as several processes would, and closes what it
// opened.
type Fresh func(t *testing.T) (open func() study.Store)

// Run checks a store.
func Run(t *testing.T, fresh Fresh) {
	for _, c := range []struct {
		name  string
		check func(*testing.T, *suite)
	}{
		{"names", names},
		{"unknown study", unknown},
		{"log", logs},
		{"places", places},
		{"several events", several},
		{"locks", locks},
		{"reports", reports},
		{"trials", trials},
		{"all or nothing", atomic},
		{"cancelled", cancelled},
		{"deleted", deleted},
		{"one creator", oneCreator},
		{"many writers", manyWriters},
	} {
		t.Run(c.name, func(t *testing.T) {
			open := fresh(t)
			c.check(t, &suite{Store: opened(t, open), open: open})
		})
	}
}

// suite is a store under test and the way to open its database again.
type suite struct {
	study.Store
	open func() study.Store
}

func opened(t *testing.T, open func() study.Store) study.Store {
	t.Helper()
	s := open()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func (s *suite) create(t *testing.T, name string) (id string) {
	t.Helper()
	id = "id of " + name
	if err := s.Create(t.Context(), id, name, created(name)); err != nil {
		t.Fatalf("Create %q: %v", name, err)
	}
	return id
}

func (s *suite) append(t *testing.T, id string, e study.Event, changed ...study.Trial) {
	t.Helper()
	if err := s.Append(t.Context(), id, []study.Event{e}, changed); err != nil {
		t.Fatalf("Append event %d: %v", e.Seq, err)
	}
}

var start = time.Date(2031, 2, 3, 4, 5, 6, 789012345, time.UTC)

// event is one as it stands in a log.
func event(seq int64, at time.Time, kind string, body any) study.Event {
	text, err := json.Marshal(map[string]any{"time": at, kind: body})
	if err != nil {
		panic(err)
	}
	var e study.Event
	if err := json.Unmarshal(text, &e); err != nil {
		panic(err)
	}
	e.Seq = seq
	return e
}

func created(name string) study.Event {
	return event(1, start, "created", map[string]any{"format": 1, "config": study.Config{
		Name: name, Method: "sobol", Goal: study.Maximize, Seed: math.MaxUint64, Init: 3,
	}})
}

// note is an event that can follow any other.
func note(seq int64, text string) study.Event {
	return event(seq, start, "noted", map[string]any{"number": 1, "text": text})
}

func params() space.Params {
	return space.ParamsOf(map[string]any{"x": 0.1, "tiny": 5e-324, "n": 1 << 62, "label": "a\x00b \"ü\" 猫 '; --", "on": true})
}

func trial(number int) study.Trial {
	value := -math.MaxFloat64
	t := study.Trial{
		Number: number, State: evaluate.Complete, Excluded: true, Origin: study.FromMethod, Params: params(), Value: &value, Std: 1e-300,
		Notes: []string{"one", "two"}, Batch: 4, Worker: "w", Created: start, Asked: start, Told: start.Add(time.Hour),
	}
	if err := json.Unmarshal([]byte(`[{"time": "2031-02-03T04:05:06.789012345Z", "by": "ana", "what": "value 8.2 -> 0.82"}]`), &t.History); err != nil {
		panic(err)
	}
	return t
}

// everything is one event of each kind with every field set.
func everything() []study.Event {
	type object = map[string]any
	placed := []object{{
		"number": 1, "params": params(), "point": []float64{-1, 1. / 3, 1}, "tag": "t",
		"predicted": object{"mean": 1. / 3, "std": 0.1},
	}}
	var events []study.Event
	for i, e := range []struct {
		kind string
		body object
	}{
		{"enqueued", object{"request_id": "e", "new": placed}},
		{"asked", object{
			"request_id": "r", "batch": 1, "worker": "w", "lease_expires": start, "served": []int{1}, "new": placed,
			"method": "maha:d=1", "d": 2, "fallback": "why", "jitter": 1e-9, "note": "odd",
			"basis": 1, "wanted": 3, "first": 2, "fixed": object{"x": 0.1}, "command": "./run",
		}},
		{"heartbeat", object{"number": 1, "lease_expires": start}},
		{"told", object{"results": []object{{"number": 1, "state": "failed", "std": 2, "reason": "it broke"}}}},
		{"retried", object{"number": 1}},
		{"released", object{"numbers": []int{1, 2}}},
		{"noted", object{"number": 1, "text": "a\x00b\n"}},
		{"imported", object{"digest": "d", "new": placed, "outcomes": []object{{"state": "complete", "value": 0.1}}}},
		{"corrected", object{
			"number": 1, "by": "ana", "outcome": object{"state": "complete", "value": 0.82, "std": 0.1},
			"used": object{"params": params(), "point": []float64{-1, 1. / 3, 1}}, "exclude": false, "deleted_note": 2,
		}},
	} {
		events = append(events, event(int64(i)+2, start.Add(time.Duration(i)), e.kind, e.body))
	}
	return events
}

// valuesByContent compares parameters by what they hold.
var valuesByContent = cmp.Comparer(func(a, b space.Params) bool {
	pairs := func(v space.Params) (list []any) {
		for name, value := range v.All() {
			list = append(list, name, value)
		}
		return list
	}
	return slices.Equal(pairs(a), pairs(b))
})

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, valuesByContent); diff != "" {
		t.Errorf("%s differ (-want +got):\n%s", what, diff)
	}
}

func wantError(t *testing.T, call string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s returned %v, want %v", call, got, want)
	}
}

func names(t *testing.T, s *suite) {
	none, err := s.Names(t.Context())
	if err != nil || len(none) != 0 {
		t.Fatalf("Names of an empty store: %q, %v", none, err)
	}
	for _, name := range []string{"b", "a-1", "B", "ü", "a.1", "a"} {
		s.create(t, name)
	}
	other := opened(t, s.open)
	got, err := other.Names(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "names", []string{"B", "a", "a-1", "a.1", "b", "ü"}, got)
	id, err := other.Find(t.Context(), "a.1")
	if err != nil || id != "id of a.1" {
		t.Errorf("Find returned %q, %v", id, err)
	}
	wantError(t, "Create of a taken name", other.Create(t.Context(), "new id", "a", created("a")), study.ErrExists)
	_, err = other.Events(t.Context(), "new id", 0)
	wantError(t, "Events of a study that was refused", err, study.ErrNotFound)
}

func unknown(t *testing.T, s *suite) {
	ctx := t.Context()
	_, err := s.Find(ctx, "x")
	wantError(t, "Find", err, study.ErrNotFound)
	_, err = s.Events(ctx, "x", 0)
	wantError(t, "Events", err, study.ErrNotFound)
	_, err = s.Trials(ctx, "x", study.Page{})
	wantError(t, "Trials", err, study.ErrNotFound)
	wantError(t, "Delete", s.Delete(ctx, "x"), study.ErrNotFound)
	wantError(t, "Append", s.Append(ctx, "x", []study.Event{note(2, "n")}, nil), study.ErrNotFound)
}

func logs(t *testing.T, s *suite) {
	id := s.create(t, "a")
	want := append([]study.Event{created("a")}, everything()...)
	for _, e := range want[1:] {
		s.append(t, id, e)
	}
	other := opened(t, s.open)
	for _, after := range []int64{0, 1, 5, int64(len(want)), 1000} {
		got, err := other.Events(t.Context(), id, after)
		if err != nil {
			t.Fatal(err)
		}
		rest := want[min(int(after), len(want)):]
		if len(rest) == 0 && len(got) == 0 {
			continue
		}
		same(t, fmt.Sprintf("events after %d", after), rest, got)
	}
}

func places(t *testing.T, s *suite) {
	id := s.create(t, "a")
	s.append(t, id, note(2, "second"), trial(1))
	for _, seq := range []int64{-1, 0, 1, 2, 4, 100} {
		err := s.Append(t.Context(), id, []study.Event{note(seq, "refused")}, []study.Trial{trial(1), trial(2)})
		wantError(t, fmt.Sprintf("Append at place %d of a log of 2", seq), err, study.ErrMoved)
	}
	s.hasNotes(t, id, "second")
	table, err := s.Trials(t.Context(), id, study.Page{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "trials", []study.Trial{trial(1)}, table)
}

// several appends more events and trials than fit in one statement.
func several(t *testing.T, s *suite) {
	id := s.create(t, "a")
	const count = 250
	var log []study.Event
	var want []study.Trial
	var notes []string
	for i := range count {
		notes = append(notes, fmt.Sprint(i))
		log = append(log, note(int64(i)+2, notes[i]))
		want = append(want, trial(i+1))
	}
	wantError(t, "Append behind a gap", s.Append(t.Context(), id, log[1:], want), study.ErrMoved)
	if err := s.Append(t.Context(), id, log, want); err != nil {
		t.Fatal(err)
	}
	s.hasNotes(t, id, notes...)
	table, err := s.Trials(t.Context(), id, study.Page{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "trials", want, table)
}

// locks checks a store that has them.
func locks(t *testing.T, s *suite) {
	locker, ok := s.Store.(study.Locker)
	if !ok {
		return
	}
	id, ctx := s.create(t, "a"), t.Context()
	other := opened(t, s.open).(study.Locker)
	lock := func(l study.Locker, holder string, lease time.Duration, want bool) {
		t.Helper()
		if got, err := l.Lock(ctx, id, holder, lease); err != nil || got != want {
			t.Fatalf("Lock for %s: %v, %v, want %v", holder, got, err, want)
		}
	}
	lock(locker, "one", time.Hour, true)
	lock(other, "two", time.Hour, false)
	lock(locker, "one", time.Hour, true)
	if err := other.Unlock(ctx, id, "two"); err != nil {
		t.Fatal(err)
	}
	lock(other, "two", time.Hour, false)
	lock(locker, "one", time.Millisecond, true)
	time.Sleep(5 * time.Millisecond)
	lock(other, "two", time.Hour, true) // its holder died
	if err := other.Unlock(ctx, id, "two"); err != nil {
		t.Fatal(err)
	}
	lock(locker, "one", time.Hour, true)
	lock(other, "two", time.Second, true) // a lock that ends an hour ahead is of a clock that was set back
	_, err := locker.Lock(ctx, "x", "one", time.Hour)
	wantError(t, "Lock of an unknown study", err, study.ErrNotFound)
}

// reporting is a store with a table for the reports of running trials.
type reporting interface {
	AppendReports(ctx context.Context, id string, number int, reports []study.Reported) error
	ReportsOf(ctx context.Context, id string, numbers []int, behind int64) (map[int][]study.Reported, error)
}

// reports checks a store that keeps them.
func reports(t *testing.T, s *suite) {
	first, ok := s.Store.(reporting)
	if !ok {
		return
	}
	id, neighbour, ctx := s.create(t, "a"), s.create(t, "b"), t.Context()
	other := opened(t, s.open).(reporting)
	at := func(step int64, value float64) study.Reported {
		return study.Reported{Step: step, Value: value, Time: start.Truncate(time.Millisecond).Add(time.Duration(step%100) * time.Second)}
	}
	add := func(r reporting, id string, number int, list ...study.Reported) {
		t.Helper()
		if err := r.AppendReports(ctx, id, number, list); err != nil {
			t.Fatal(err)
		}
	}
	has := func(r reporting, numbers []int, behind int64, want map[int][]study.Reported) {
		t.Helper()
		got, err := r.ReportsOf(ctx, id, numbers, behind)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "reports", want, got)
	}
	type all = map[int][]study.Reported
	has(other, nil, math.MinInt64, all{})
	named := at(3, 1./3)
	named.Outcomes = map[string]float64{"loss": 1. / 3, "größe": 5e-324}
	add(first, id, 1, at(0, 5e-324), at(1, -math.MaxFloat64))
	add(other, id, 1, named)
	add(first, id, 2, at(1<<53, 7))
	add(first, neighbour, 1, at(9, 9))
	whole := all{1: {at(0, 5e-324), at(1, -math.MaxFloat64), named}, 2: {at(1<<53, 7)}}
	has(other, nil, math.MinInt64, whole)
	has(first, []int{1, 2, 3}, math.MinInt64, whole)
	has(other, []int{1, 3}, 0, all{1: whole[1][1:]})
	has(other, nil, 1, all{1: whole[1][2:], 2: whole[2]})
	add(other, id, 1, at(1, 4), at(2, 3)) // it began again from there
	has(first, []int{1}, math.MinInt64, all{1: {at(0, 5e-324), at(1, 4), at(2, 3)}})
	const count = 1234 // more than fit in one statement
	var many []study.Reported
	for i := range int64(count) {
		many = append(many, at(i, float64(i)))
	}
	add(first, id, 3, many...)
	has(other, []int{3}, math.MinInt64, all{3: many})
	wantError(t, "AppendReports of an unknown study", first.AppendReports(ctx, "x", 1, many[:1]), study.ErrNotFound)
	_, err := first.ReportsOf(ctx, "x", nil, 0)
	wantError(t, "ReportsOf an unknown study", err, study.ErrNotFound)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	wantError(t, "AppendReports", first.AppendReports(gone, id, 1, many[:1]), context.Canceled)
	if err := s.Delete(ctx, id); err != nil {
		t.Fatal(err)
	}
	_, err = first.ReportsOf(ctx, id, nil, 0)
	wantError(t, "ReportsOf a deleted study", err, study.ErrNotFound)
}

// hasNotes checks that the log is these notes behind its creation.
func (s *suite) hasNotes(t *testing.T, id string, want ...string) {
	t.Helper()
	events, err := s.Events(t.Context(), id, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, e := range events {
		if e.Seq != int64(i)+2 {
			t.Errorf("event %d has place %d", i+2, e.Seq)
		}
		got = append(got, e.Noted.Text)
	}
	same(t, "notes", want, got)
}

func trials(t *testing.T, s *suite) {
	id, neighbour := s.create(t, "a"), s.create(t, "b")
	none, err := s.Trials(t.Context(), id, study.Page{})
	if err != nil || len(none) != 0 {
		t.Fatalf("Trials of a new study: %v, %v", none, err)
	}
	s.append(t, id, note(2, ""), trial(1), trial(2), trial(3))
	s.append(t, neighbour, note(2, ""), trial(1))
	changed := trial(2)
	changed.State, changed.Value, changed.Reason = evaluate.Failed, nil, "changed"
	s.append(t, id, note(3, ""), trial(10), changed)

	all := []study.Trial{trial(1), changed, trial(3), trial(10)}
	other := opened(t, s.open)
	for _, c := range []struct {
		page study.Page
		want []study.Trial
	}{
		{study.Page{}, all},
		{study.Page{Limit: 2}, all[:2]},
		{study.Page{After: 1, Limit: 1}, all[1:2]},
		{study.Page{After: 3}, all[3:]},
		{study.Page{After: 3, Limit: 100}, all[3:]},
		{study.Page{After: 10}, nil},
	} {
		got, err := other.Trials(t.Context(), id, c.page)
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("trials of page %+v", c.page), c.want, got)
	}
}

func atomic(t *testing.T, s *suite) {
	id := s.create(t, "a")
	bad := trial(2)
	nan := math.NaN()
	bad.Value = &nan
	if err := s.Append(t.Context(), id, []study.Event{note(2, "n")}, []study.Trial{trial(1), bad}); err == nil {
		t.Error("Append accepted a trial that JSON cannot hold")
	}
	s.hasNotes(t, id)
	s.append(t, id, note(2, "n"))
	table, err := s.Trials(t.Context(), id, study.Page{})
	if err != nil || len(table) != 0 {
		t.Errorf("a refused Append left trials: %v, %v", table, err)
	}
}

func cancelled(t *testing.T, s *suite) {
	id := s.create(t, "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, "Append", s.Append(ctx, id, []study.Event{note(2, "n")}, nil), context.Canceled)
	wantError(t, "Create", s.Create(ctx, "id", "b", created("b")), context.Canceled)
	wantError(t, "Delete", s.Delete(ctx, id), context.Canceled)
	s.hasNotes(t, id)
	_, err := s.Find(t.Context(), "b")
	wantError(t, "Find", err, study.ErrNotFound)
}

func deleted(t *testing.T, s *suite) {
	old, neighbour := s.create(t, "a"), s.create(t, "b")
	s.append(t, old, note(2, "old"), trial(1))
	s.append(t, neighbour, note(2, "kept"), trial(1))
	if err := s.Delete(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	if err := s.Create(t.Context(), "new id", "a", created("a")); err != nil {
		t.Fatalf("Create after Delete: %v", err)
	}
	s.hasNotes(t, "new id")
	table, err := s.Trials(t.Context(), "new id", study.Page{})
	if err != nil || len(table) != 0 {
		t.Errorf("the new study has the trials of the old: %v, %v", table, err)
	}
	wantError(t, "Append to the old study", s.Append(t.Context(), old, []study.Event{note(3, "n")}, nil), study.ErrNotFound)
	s.hasNotes(t, neighbour, "kept")
}

func oneCreator(t *testing.T, s *suite) {
	const creators = 4
	errs := make([]error, creators)
	var all sync.WaitGroup
	for i := range creators {
		other := opened(t, s.open)
		all.Go(func() { errs[i] = other.Create(t.Context(), fmt.Sprint(i), "a", created("a")) })
	}
	all.Wait()
	winner, err := s.Find(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	for i, err := range errs {
		if fmt.Sprint(i) == winner && err != nil {
			t.Errorf("the study exists, its creator got %v", err)
		}
		if fmt.Sprint(i) != winner {
			wantError(t, "Create", err, study.ErrExists)
		}
	}
}

// manyWriters lets several append until each has had its turns.
func manyWriters(t *testing.T, s *suite) {
	const writers, turns = 4, 10
	id := s.create(t, "a")
	var all sync.WaitGroup
	for w := range writers {
		other := opened(t, s.open)
		all.Go(func() {
			seq := int64(2)
			for turn := 0; turn < turns; seq++ {
				err := other.Append(t.Context(), id, []study.Event{note(seq, fmt.Sprint(w))}, []study.Trial{trial(1)})
				switch {
				case err == nil:
					turn++
				case !errors.Is(err, study.ErrMoved):
					t.Errorf("writer %d: %v", w, err)
					return
				}
			}
		})
	}
	all.Wait()
	events, err := s.Events(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != 1+writers*turns {
		t.Fatalf("the log has %d events, want %d", len(events), 1+writers*turns)
	}
	wrote := map[string]int{}
	for i, e := range events[1:] {
		if e.Seq != int64(i)+2 {
			t.Errorf("event %d has place %d", i+2, e.Seq)
		}
		wrote[e.Noted.Text]++
	}
	for w := range writers {
		if n := wrote[fmt.Sprint(w)]; n != turns {
			t.Errorf("%d events of writer %d, want %d", n, w, turns)
		}
	}
}
