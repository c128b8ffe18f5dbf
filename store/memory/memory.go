// Package memory keeps studies as long as the process lives, for tests and for
// trying things out.
package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/mahabo/mahabo/study"
)

// store is a study.Store in memory. What is read from it went through JSON, as in the
// others, so that nothing is shared with the reader; most logs are never read.
type store struct {
	mu   sync.RWMutex
	logs map[string]*log // by id
}

type log struct {
	name   string
	events []study.Event
	trials map[int]study.Trial

	reports map[int][]study.Reported // by number
}

var _ study.Store = (*store)(nil)

// New returns an empty store.
func New() study.Store { return &store{logs: map[string]*log{}} }

// Create begins a log.
func (m *store) Create(ctx context.Context, id, name string, created study.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, l := range m.logs {
		if l.name == name {
			return study.ErrExists
		}
	}
	m.logs[id] = &log{name: name, events: []study.Event{created}, trials: map[int]study.Trial{}, reports: map[int][]study.Reported{}}
	return nil
}

// Find returns the id of a study.
func (m *store) Find(ctx context.Context, name string) (string, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for id, l := range m.logs {
		if l.name == name {
			return id, ctx.Err()
		}
	}
	return "", study.ErrNotFound
}

// Names lists the studies.
func (m *store) Names(ctx context.Context) ([]string, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var names []string
	for _, l := range m.logs {
		names = append(names, l.name)
	}
	slices.Sort(names)
	return names, ctx.Err()
}

// Delete forgets a study.
func (m *store) Delete(ctx context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.logs[id]; !ok {
		return study.ErrNotFound
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	delete(m.logs, id)
	return nil
}

// log is that of a study, to be written. The caller holds the lock.
func (m *store) log(ctx context.Context, id string) (*log, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l, ok := m.logs[id]
	if !ok {
		return nil, study.ErrNotFound
	}
	return l, nil
}

// Append adds events and replaces the changed trials.
func (m *store) Append(ctx context.Context, id string, events []study.Event, changed []study.Trial) error {
	for _, t := range changed {
		if t.Value != nil && !finite(*t.Value) || !finite(t.Std) {
			return fmt.Errorf("trial %d: JSON has no number for its value or std", t.Number)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	l, err := m.log(ctx, id)
	if err != nil {
		return err
	}
	if events[0].Seq != int64(len(l.events))+1 {
		return study.ErrMoved
	}
	l.events = append(l.events, events...)
	for _, t := range changed {
		l.trials[t.Number] = t
	}
	return nil
}

// Events returns the log behind a place.
func (m *store) Events(ctx context.Context, id string, after int64) ([]study.Event, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	l, ok := m.logs[id]
	if !ok {
		return nil, study.ErrNotFound
	}
	var events []study.Event
	for i := max(after, 0); i < int64(len(l.events)); i++ {
		e := study.Event{Seq: i + 1}
		if err := reread(&e, l.events[i]); err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, ctx.Err()
}

// Trials returns one page of the trials.
func (m *store) Trials(ctx context.Context, id string, page study.Page) ([]study.Trial, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	l, ok := m.logs[id]
	if !ok {
		return nil, study.ErrNotFound
	}
	var trials []study.Trial
	for _, n := range slices.Sorted(maps.Keys(l.trials)) {
		if n <= page.After {
			continue
		}
		if page.Limit > 0 && len(trials) == page.Limit {
			break
		}
		var t study.Trial
		if err := reread(&t, l.trials[n]); err != nil {
			return nil, err
		}
		trials = append(trials, t)
	}
	return trials, ctx.Err()
}

// AppendReports adds reports of a trial, in place of those from the first of their steps on.
func (m *store) AppendReports(ctx context.Context, id string, number int, reports []study.Reported) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, err := m.log(ctx, id)
	if err != nil {
		return err
	}
	had := l.reports[number]
	l.reports[number] = append(had[:behind(had, reports[0].Step-1)], reports...)
	return nil
}

// behind is the place of the first report behind a step.
func behind(list []study.Reported, step int64) int {
	return sort.Search(len(list), func(i int) bool { return list[i].Step > step })
}

// ReportsOf returns the reports of trials behind a step.
func (m *store) ReportsOf(ctx context.Context, id string, numbers []int, step int64) (map[int][]study.Reported, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	l, ok := m.logs[id]
	if !ok {
		return nil, study.ErrNotFound
	}
	if numbers == nil {
		numbers = slices.Collect(maps.Keys(l.reports))
	}
	found := map[int][]study.Reported{}
	for _, n := range numbers {
		if list := l.reports[n]; behind(list, step) < len(list) {
			found[n] = slices.Clone(list[behind(list, step):])
		}
	}
	return found, ctx.Err()
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// reread makes dst what another store would read of v.
func reread(dst, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, dst)
}

// Close does nothing.
func (m *store) Close() error { return nil }
