package study

import (
	"math"
	"slices"

	"github.com/mahabo/mahabo/evaluate"
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
		s.mean[k], s.std[k] = average(s.values[k], s.stds[k])
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

// average is the mean of values, each weighed by its precision 1/std², and the mean's own std,
// from the sum of the precisions. A value without a std weighs as much as the others do on
// average; the mean of such values alone has none. Weights are relative to the highest and means are
// convex combinations, so that nothing overflows.
func average(values, stds []float64) (mean, std float64) {
	if len(values) == 1 {
		return values[0], stds[0]
	}
	least := math.Inf(1)
	for _, std := range stds {
		if std > 0 {
			least = min(least, std)
		}
	}
	weights := make([]float64, len(stds))
	var sum, known float64
	for i, std := range stds {
		if std > 0 {
			weights[i] = least / std * (least / std)
			sum += weights[i]
			known++
		}
	}
	usual := 1.0
	if known > 0 {
		usual = sum / known
	}
	total := 0.0
	for i, y := range values {
		w := weights[i]
		if stds[i] == 0 {
			w = usual
		}
		if w == 0 { // beside another that is incomparably more precise
			continue
		}
		total += w
		mean = mean*(1-w/total) + y*(w/total)
	}
	if known > 0 {
		std = least / math.Sqrt(total)
	}
	return mean, std
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
