package store

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/mahabo/mahabo/study"
)

// Memory returns a store that lives as long as the process. It keeps JSON, as the
// others do, so that nothing is shared with the caller.
func Memory() study.Store { return &memory{logs: map[string]*log{}} }

type memory struct {
	mu   sync.RWMutex
	logs map[string]*log // by id
}

type log struct {
	name   string
	events [][]byte
	trials map[int][]byte
}

var _ study.Store = (*memory)(nil)

func (m *memory) Create(ctx context.Context, id, name string, created study.Event) error {
	data, err := json.Marshal(created)
	if err != nil {
		return err
	}
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
	m.logs[id] = &log{name: name, events: [][]byte{data}, trials: map[int][]byte{}}
	return nil
}

func (m *memory) Find(ctx context.Context, name string) (string, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for id, l := range m.logs {
		if l.name == name {
			return id, ctx.Err()
		}
	}
	return "", study.ErrNotFound
}

func (m *memory) Names(ctx context.Context) ([]string, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var names []string
	for _, l := range m.logs {
		names = append(names, l.name)
	}
	slices.Sort(names)
	return names, ctx.Err()
}

func (m *memory) Delete(ctx context.Context, id string) error {
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

func (m *memory) Append(ctx context.Context, id string, e study.Event, changed []study.Trial) error {
	data, trials, err := encode(e, changed)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	l, ok := m.logs[id]
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !ok:
		return study.ErrNotFound
	case e.Seq != int64(len(l.events))+1:
		return study.ErrMoved
	}
	l.events = append(l.events, data)
	for i, t := range changed {
		l.trials[t.Number] = trials[i]
	}
	return nil
}

func (m *memory) Events(ctx context.Context, id string, after int64) ([]study.Event, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	l, ok := m.logs[id]
	if !ok {
		return nil, study.ErrNotFound
	}
	var events []study.Event
	for i := max(after, 0); i < int64(len(l.events)); i++ {
		e, err := decodeEvent(i+1, l.events[i])
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, ctx.Err()
}

func (m *memory) Trials(ctx context.Context, id string, page study.Page) ([]study.Trial, error) {
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
		t, err := decodeTrial(n, l.trials[n])
		if err != nil {
			return nil, err
		}
		trials = append(trials, t)
	}
	return trials, ctx.Err()
}

func (m *memory) Close() error { return nil }
