package study

import (
	"iter"
	"maps"
	"math"
	"time"

	"github.com/mahabo/mahabo/evaluate"
)

// What is asked of every study most often is kept with each event, so that nobody has to go
// through the trials: how many there are of which state, and the best point.

// tally counts the trials.
type tally struct {
	States   map[evaluate.State]int `json:"states"`
	Excluded int                    `json:"excluded"`
	Learned  int                    `json:"learned"` // complete and infeasible trials that count
	Cost     float64                `json:"cost"`    // of all trials: what they told, or the seconds that they took
	Adrift   int                    `json:"adrift"`  // waiting and running trials that are excluded, which are not on the list of open ones
}

func newTally() tally { return tally{States: map[evaluate.State]int{}} }

func (t tally) clone() tally {
	t.States = maps.Clone(t.States)
	return t
}

// add counts a trial n times; -1 takes it back.
func (t *tally) add(e *entry, n int) {
	if t.States[e.State] += n; t.States[e.State] == 0 {
		delete(t.States, e.State)
	}
	t.Cost = min(t.Cost+float64(n)*e.cost(), math.MaxFloat64) // JSON has no infinity
	switch {
	case e.Excluded:
		t.Excluded += n
		if unfinished(&e.Trial) && e.State != evaluate.Failed && e.State != evaluate.Stopped {
			t.Adrift += n
		}
	case !unfinished(&e.Trial) && e.State != evaluate.Stopped:
		t.Learned += n
	}
}

// underWay goes through trials among which are all that wait or run: those on the list of open
// ones, and all where some are excluded.
func (l *ledger) underWay() iter.Seq[*entry] {
	if l.tally.Adrift > 0 {
		return l.trials.all()
	}
	return func(yield func(*entry) bool) {
		for _, n := range l.open {
			if !yield(l.trials.at(n)) {
				return
			}
		}
	}
}

// states are the counts at a time: a lease is lost by waiting.
func (l *ledger) states(now time.Time) map[evaluate.State]int {
	states := maps.Clone(l.tally.States)
	stale := 0
	for e := range l.underWay() {
		if e.State == Running && e.stateAt(now) == Stale {
			stale++
		}
	}
	if stale > 0 {
		states[Stale] = stale
		if states[Running] -= stale; states[Running] == 0 {
			delete(states, Running)
		}
	}
	return states
}

// leader is the best point of a study without declared outcomes, where it is known.
type leader struct {
	Known bool    `json:"known"`
	First int     `json:"first,omitzero"` // number of its first complete trial; 0: no trial is complete
	Count int     `json:"count,omitzero"` // of its complete trials
	Mean  float64 `json:"mean,omitzero"`  // of their values; lower is better
}

func leaderOf(s *site) leader {
	if s == nil {
		return leader{Known: true}
	}
	return leader{true, s.first, s.count, s.mean[0]}
}

// site is the point, nil when no trial is complete.
func (b leader) site() *site {
	if b.First == 0 {
		return nil
	}
	return &site{first: b.First, count: b.Count, mean: []float64{b.Mean}}
}

// lead compares a trial that has become complete with the best. Where it is not the only one
// at its point, or as good, all have to be looked at the next time.
func (l *ledger) lead(c *entry) {
	if !l.leader.Known || c.Excluded {
		return
	}
	switch mean := l.config.Goal.inner(*c.Value); {
	case l.keys.repeated[c.at], l.leader.First > 0 && mean == l.leader.Mean:
		l.leader = leader{}
	case l.leader.First == 0 || mean < l.leader.Mean:
		l.leader = leader{true, c.Number, 1, mean}
	}
}
