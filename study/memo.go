package study

import (
	"slices"
	"sync"
)

// What a ledger keeps beside the trials for speed: a server asks many times a second of
// studies with many thousands of trials. All of it follows from the trials.

// memo holds the sites of the frozen trials, whose order is settled.
type memo struct {
	covered int // finished trials that are in it
	sites   []*site
	index   map[string]int // of a key in sites
}

// cover adds the trials that were frozen since.
func (m *memo) cover(l *ledger) {
	for _, f := range l.finished[m.covered:l.frozen] {
		t := l.trials[f.number-1]
		i, known := m.index[t.key]
		if !known {
			i = len(m.sites)
			m.index[t.key] = i
			m.sites = append(m.sites, &site{first: t})
		}
		m.sites[i].add(t, l.config.Goal)
	}
	m.covered = l.frozen
}

// sites groups the finished trials by point, in the order in which methods learn of
// them.
func (l *ledger) sites() []*site {
	l.memo.cover(l)
	sites := slices.Clone(l.memo.sites)
	index := map[string]int{} // of the sites that are not the memo's
	for _, f := range l.unfrozen() {
		t := l.trials[f.number-1]
		i, own := index[t.key]
		if !own {
			var known bool
			if i, known = l.memo.index[t.key]; known {
				sites[i] = sites[i].clone()
			} else {
				i = len(sites)
				sites = append(sites, &site{first: t})
			}
			index[t.key] = i
		}
		sites[i].add(t, l.config.Goal)
	}
	return sites
}

// keys says which trial was the first at a point. A question reads it while the ledger
// goes on: numbers behind those that it knows do not count.
type keys struct {
	mu    sync.RWMutex
	first map[string]int // number by key
}

func (k *keys) add(t entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, known := k.first[t.key]; !known {
		k.first[t.key] = t.Number
	}
}

func (k *keys) remove(t entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.first[t.key] == t.Number {
		delete(k.first, t.key)
	}
}

// has says whether one of the first trials has a key.
func (k *keys) has(key string, trials int) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	n, known := k.first[key]
	return known && n <= trials
}

// unfinished says whether nothing final is known of a trial.
func unfinished(s State) bool { return s != Complete && s != Infeasible }

// track keeps the list of unfinished trials when one changes.
func (l *ledger) track(t entry, added bool) {
	switch i, listed := slices.BinarySearch(l.open, t.Number); {
	case added:
		l.keys.add(t)
		if unfinished(t.State) {
			l.open = append(l.open, t.Number)
		}
	case listed && !unfinished(t.State):
		l.open = slices.Delete(l.open, i, i+1)
	}
}

// retrack makes the list anew.
func (l *ledger) retrack() {
	l.open = nil
	for _, t := range l.trials {
		if unfinished(t.State) {
			l.open = append(l.open, t.Number)
		}
	}
}
