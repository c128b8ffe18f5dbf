package study

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

// model is a method and what it was told so far. It is kept between Asks for
// speed only: a new one that is told the same gives the same points.
type model struct {
	method strategy.Strategy
	told   []strategy.Observation
}

// question is all that points of the method depend on.
type question struct {
	config Config
	known
	taken *keys           // of points that have a trial
	basis int             // how many trials there are
	added map[string]bool // keys of the points chosen so far
	fixed space.Values    // parameters to hold
	pins  []space.Pin     // their coordinates
	count int
}

// question collects what the ledger has to say to a method.
func (l *ledger) question(count int, fixed space.Values, pins []space.Pin) *question {
	return &question{
		config: l.config, known: l.known(), taken: l.keys, basis: len(l.trials), added: map[string]bool{},
		fixed: fixed, pins: pins, count: count,
	}
}

// tried says whether a point has a trial, or was just chosen.
func (q *question) tried(key string) bool { return q.added[key] || q.taken.has(key, q.basis) }

// learn tells the method what it does not know yet. A repeated point changes a
// mean that it was told, and then it starts anew.
func (m *model) learn(c Config, obs []strategy.Observation) error {
	known := len(m.told)
	same := func(a, b strategy.Observation) bool {
		return a.Value == b.Value && a.Std == b.Std && (&a.X[0] == &b.X[0] || slices.Equal(a.X, b.X))
	}
	if m.method == nil || known > len(obs) || !slices.EqualFunc(m.told, obs[:known], same) {
		method, err := c.strategy()
		if err != nil {
			return err
		}
		*m, known = model{method: method}, 0
	}
	if err := m.method.Tell(obs[known:]...); err != nil {
		return err
	}
	m.told = obs
	return nil
}

// answer is what a method chose.
type answer struct {
	placed []Placed // without numbers
	info   ModelInfo
}

// choose answers a question: a pure function of it. The method's points are drawn back
// from where they are likely infeasible and moved off those that were tried.
func (m *model) choose(ctx context.Context, q *question) (a answer, err error) {
	if err := m.learn(q.config, q.obs); err != nil {
		return a, err
	}
	points, err := m.method.Ask(ctx, q.count, q.pending)
	if err != nil {
		return a, err
	}
	if len(points) != q.count {
		return a, fmt.Errorf("the method returned %d points, asked for %d", len(points), q.count)
	}
	a.info = m.info(q.config.Method)
	feasible := learnFeasibility(q.obs, q.infeasible)
	for _, x := range points {
		p, err := q.renew(feasible.withdraw(x))
		if errors.Is(err, ErrExhausted) && len(a.placed) > 0 {
			break
		}
		if err != nil {
			return a, err
		}
		p.Predicted = m.predict(q.config.Goal, p.Point)
		q.added[key(p.Point)] = true
		a.placed = append(a.placed, p)
	}
	return a, nil
}

// info says how the last points were chosen.
func (m *model) info(method string) ModelInfo {
	i := ModelInfo{Method: method}
	if reporter, ok := m.method.(strategy.Reporter); ok {
		last := reporter.LastAsk()
		i.D, i.Jitter, i.Note = last.EmbeddingDim, last.Jitter, last.Note
		if last.Fallback != nil {
			i.Fallback = last.Fallback.Error()
		}
	}
	return i
}

// predict returns what the method expects at a point, nil when it does not know.
func (m *model) predict(g Goal, x strategy.Point) *Prediction {
	predictor, ok := m.method.(strategy.Predictor)
	if !ok {
		return nil
	}
	mean, std, ok := predictor.Predict(x)
	if !ok {
		return nil
	}
	return &Prediction{g.inner(mean), std}
}
