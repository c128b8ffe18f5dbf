package study

import (
	"slices"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/strategy"
)

// site is one point with at least one finished trial.
type site struct {
	first  int         // number of the first complete trial, or infeasible when none is
	count  int         // of its complete trials
	values [][]float64 // of them, by outcome: lower is better, a limit is kept at 0 and below
	stds   [][]float64 // of their noise, 0 when unknown
	mean   []float64   // of the values, by outcome
	std    []float64   // of the means' noise, 0 when unknown

	bounded bool // its value is the estimate of a stopped trial, until one is complete there
}

// add counts a finished trial.
func (s *site) add(t *entry, l *ledger) {
	switch {
	case t.State == evaluate.Stopped && s.count == 0:
		s.bounded = true
	case t.State != evaluate.Complete:
		return
	case s.bounded:
		s.bounded, s.count, s.values, s.stds = false, 0, nil, nil
	}
	if s.count == 0 {
		s.first = t.Number
	}
	s.count++
	values, stds := l.numbers(t.Trial)
	if s.values == nil {
		s.values, s.stds = make([][]float64, len(values)), make([][]float64, len(values))
	}
	s.mean, s.std = make([]float64, len(values)), make([]float64, len(values)) // methods keep what they were told
	for k := range values {
		s.values[k] = append(s.values[k], values[k])
		s.stds[k] = append(s.stds[k], stds[k])
		s.mean[k], s.std[k] = num.Average(s.values[k], s.stds[k])
	}
}

// numbers are the outcomes of a complete trial as methods see them.
func (l *ledger) numbers(t Trial) (values, stds []float64) {
	if t.State == evaluate.Stopped {
		return l.bounds(t)
	}
	if l.scheme.Declared() {
		return l.scheme.Inner(t.Outcomes), l.scheme.Stds(t.Stds)
	}
	return []float64{l.config.Goal.inner(*t.Value)}, []float64{t.Std}
}

func (s *site) clone() *site {
	c := *s
	c.values, c.stds = make([][]float64, len(s.values)), make([][]float64, len(s.stds))
	for k := range s.values {
		c.values[k], c.stds[k] = slices.Clone(s.values[k]), slices.Clone(s.stds[k])
	}
	if s.values == nil {
		c.values, c.stds = nil, nil
	}
	return &c
}

// bestSite returns the point with the lowest mean, the first of several in the order in which
// methods learn of them, or nil. Most points have one trial, whose value is the mean.
func (l *ledger) bestSite() (best *site) {
	finished := append(slices.Clip(l.finished[:l.frozen]), l.unfrozen()...)
	counts := make([]int32, l.trials.len()+1)
	counted := func(f finish) (*entry, bool) {
		t := l.trials.at(f.number)
		return t, t.State == evaluate.Complete && !t.Excluded
	}
	for _, f := range finished {
		if t, ok := counted(f); ok {
			counts[t.at]++
		}
	}
	repeated := map[int]*site{}
	for _, f := range finished {
		t, ok := counted(f)
		if !ok || counts[t.at] == 1 {
			continue
		}
		s := repeated[t.at]
		if s == nil {
			s = &site{first: t.Number}
			repeated[t.at] = s
		}
		s.add(t, l)
	}
	for _, f := range finished {
		t, ok := counted(f)
		if !ok {
			continue
		}
		s := repeated[t.at]
		if mean := l.config.Goal.inner(*t.Value); s == nil && (best == nil || mean < best.mean[0]) {
			best = &site{first: t.Number, count: 1, mean: []float64{mean}}
		} else if s != nil && (best == nil || s.mean[0] < best.mean[0]) {
			best = s
		}
	}
	return best
}

// observed returns what is known of the finished trials, in lists of the caller's own.
func (l *ledger) observed() (obs []strategy.Observation, infeasible []strategy.Point) {
	l.memo.cover(l)
	fresh, changed := l.recent()
	if len(changed) > 0 {
		return l.observe(l.sites())
	}
	obs, infeasible = l.observe(fresh)
	return slices.Concat(l.memo.obs, obs), slices.Concat(l.memo.infeasible, infeasible)
}

// observe divides sites in those with a value and those without.
func (l *ledger) observe(sites []*site) (obs []strategy.Observation, infeasible []strategy.Point) {
	for _, s := range sites {
		first := l.trials.at(s.first)
		if s.count > 0 {
			o := strategy.Observation{X: first.point, Tag: first.tag, Y: s.mean}
			if slices.ContainsFunc(s.std, func(v float64) bool { return v > 0 }) {
				o.Std = s.std
			}
			obs = append(obs, o)
		} else {
			infeasible = append(infeasible, first.point)
		}
	}
	return obs, infeasible
}
