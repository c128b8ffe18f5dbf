package study

import (
	"slices"
	"sync"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/strategy"
)

// What a ledger keeps beside the trials for speed: a server asks many times a second of
// studies with many thousands of trials. All of it follows from the trials.

// memo holds the sites of the frozen trials, whose order is settled, and what methods are
// told of them.
type memo struct {
	covered    int // finished trials that are in it
	sites      []*site
	index      []int // place in sites, from 1 on, of the point whose first trial has a number; 0: it is not there
	obs        []strategy.Observation
	infeasible []strategy.Point
}

func newMemo() *memo { return &memo{} }

// cover adds the trials that were frozen since.
func (m *memo) cover(l *ledger) {
	fresh, repeated := len(m.sites), false
	m.index = append(m.index, make([]int, l.trials.len()+1-len(m.index))...)
	for _, f := range l.finished[m.covered:l.frozen] {
		t := l.trials.at(f.number)
		if t.Excluded {
			continue
		}
		i := m.index[t.at] - 1
		if i < 0 {
			i = len(m.sites)
			m.index[t.at] = i + 1
			m.sites = append(m.sites, &site{first: t.Number})
		}
		m.sites[i].add(t, l)
		repeated = repeated || i < fresh
	}
	m.covered = l.frozen
	if repeated { // one of the old may have another mean, or its first value
		m.obs, m.infeasible, fresh = nil, nil, 0
	}
	if l.lean { // nobody is told before all points are there
		return
	}
	obs, infeasible := l.observe(m.sites[fresh:])
	m.obs, m.infeasible = append(m.obs, obs...), append(m.infeasible, infeasible...)
}

// sites groups the finished trials by point, in the order in which methods learn of
// them.
func (l *ledger) sites() []*site {
	l.memo.cover(l)
	fresh, changed := l.recent()
	sites := slices.Clone(l.memo.sites)
	for i, s := range changed {
		sites[i] = s
	}
	return append(sites, fresh...)
}

// recent groups the finished trials that are not frozen: points that the memo does not
// have, and those that it has with what is new of them, by their place there.
func (l *ledger) recent() (fresh []*site, changed map[int]*site) {
	seen := map[int]*site{} // by the number of the first trial
	changed = map[int]*site{}
	for _, f := range l.unfrozen() {
		t := l.trials.at(f.number)
		if t.Excluded {
			continue
		}
		s := seen[t.at]
		if i := l.memo.index[t.at] - 1; s == nil && i >= 0 {
			s = l.memo.sites[i].clone()
			changed[i] = s
		} else if s == nil {
			s = &site{first: t.Number}
			fresh = append(fresh, s)
		}
		seen[t.at] = s
		s.add(t, l)
	}
	return fresh, changed
}

// keys says which trial was the first at a point. A question reads it while the ledger
// goes on: numbers behind those that it knows do not count.
type keys struct {
	mu    sync.RWMutex
	first map[string]int // number by key; nil: it was not made yet

	known sketch         // of the trials that a snapshot has
	fresh map[string]int // number by key of those added since, while first is not made

	repeated map[int]bool // the first trials of points that have several
}

// index makes the list of keys, which a ledger that only reads does not need.
func (l *ledger) index() {
	if l.keys.first == nil {
		l.keys.first, l.keys.fresh, l.keys.repeated = make(map[string]int, l.trials.len()), nil, nil
		for t := range l.trials.all() {
			t.at = l.keys.add(t)
		}
	}
}

// first returns the first trial at the point of one that is new.
func (l *ledger) first(t *entry) int {
	k := l.keys
	if k.first == nil && len(k.known) > 0 && k.fresh[t.key] == 0 && !k.known.maybe(t.key) {
		if k.fresh == nil {
			k.fresh = map[string]int{}
		}
		k.fresh[t.key] = t.Number
		return t.Number
	}
	l.index()
	return k.add(t)
}

// add returns the first trial at the point of one.
func (k *keys) add(t *entry) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	n, known := k.first[t.key]
	if !known {
		n = t.Number
		k.first[t.key] = n
	} else if n != t.Number {
		if k.repeated == nil {
			k.repeated = map[int]bool{}
		}
		k.repeated[n] = true
	}
	return n
}

func (k *keys) remove(t entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, m := range []map[string]int{k.first, k.fresh} {
		if m[t.key] == t.Number {
			delete(m, t.key)
		}
	}
}

// has says whether one of the first trials has a key.
func (k *keys) has(key string, trials int) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	n, known := k.first[key]
	return known && n <= trials
}

// unfinished says whether nothing is known of a trial that methods learn.
func unfinished(t *Trial) bool {
	return t.State != evaluate.Complete && t.State != evaluate.Infeasible && !(t.State == evaluate.Stopped && t.CountsAs != nil)
}

// track keeps the list of unfinished trials when one changes.
func (l *ledger) track(t entry, added bool) {
	switch i, listed := slices.BinarySearch(l.open, t.Number); {
	case added:
		if unfinished(&t.Trial) {
			l.open = append(l.open, t.Number)
		}
	case listed && !unfinished(&t.Trial):
		l.open = slices.Delete(l.open, i, i+1)
	}
}

// retrack makes the list anew. An excluded trial that failed is not on it.
func (l *ledger) retrack() {
	l.open = nil
	for t := range l.trials.all() {
		if unfinished(&t.Trial) && !t.Excluded {
			l.open = append(l.open, t.Number)
		}
	}
}
