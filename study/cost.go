package study

import (
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/suggest"
)

// coolOff is the weight of cost when no budget is known.
const coolOff = 0.5

// costs is what complete trials have cost, nil when that does not count. Where one has told a cost, only
// such trials count: a time is another unit.
func (l *ledger) costs() *suggest.Costs {
	if l.config.Cost != costAware {
		return nil
	}
	c := &suggest.Costs{Share: coolOff}
	told, spent := false, 0.0
	for e := range l.trials.all() {
		spent += e.cost()
		told = told || e.State == evaluate.Complete && e.Cost > 0
	}
	for e := range l.trials.all() {
		if e.State == evaluate.Complete && !e.Excluded && e.cost() > 0 && (e.Cost > 0 || !told) {
			c.Points, c.Costs = append(c.Points, e.point), append(c.Costs, e.cost())
		}
	}
	switch {
	case l.config.MaxCost > 0:
		c.Share = max(0, 1-spent/l.config.MaxCost)
	case l.config.Budget > 0:
		c.Share = max(0, 1-float64(l.trials.len())/float64(l.config.Budget))
	}
	return c
}
