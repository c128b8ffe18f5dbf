package study

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/rng"
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
	config  Config
	obs     []strategy.Observation
	pending []strategy.Point
	banned  map[string]bool // keys of infeasible points
	fixed   space.Values    // parameters to hold
	pins    []space.Pin     // their coordinates
	count   int
}

// question collects what the ledger has to say to a method.
func (l *ledger) question(count int, fixed space.Values, pins []space.Pin) question {
	q := question{config: l.config, banned: map[string]bool{}, fixed: fixed, pins: pins, count: count}
	q.obs, q.pending = l.observations()
	for _, n := range l.finished {
		if t := l.trials[n-1]; t.State == Infeasible {
			q.banned[key(t.point)] = true
		}
	}
	return q
}

// learn tells the method what it does not know yet. A repeated point changes a
// mean that it was told, and then it starts anew.
func (m *model) learn(c Config, obs []strategy.Observation) error {
	known := len(m.told)
	same := func(a, b strategy.Observation) bool { return a.Value == b.Value && slices.Equal(a.X, b.X) }
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

// mostDraws bounds the search for a point that is not taken.
const mostDraws = 1000

// answer is what a method chose.
type answer struct {
	placed   []Placed // without numbers
	fallback string
}

// choose answers a question: a pure function of it.
func (m *model) choose(ctx context.Context, q question) (a answer, err error) {
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
	if reporter, ok := m.method.(strategy.Reporter); ok {
		if f := reporter.LastAsk().Fallback; f != nil {
			a.fallback = f.Error()
		}
	}
	taken := map[string]bool{}
	for _, p := range q.pending {
		taken[key(p)] = true
	}
	stream := rng.New(q.config.Seed, uint64(len(q.obs)), uint64(len(q.pending)), rng.Purpose("study"))
	for _, x := range points {
		p, err := q.settle(x)
		// Rounded to values, a point can be one that is taken. Another is drawn; in
		// a small space there may be none, and a pending point is then repeated.
		for draw := 0; err == nil && (q.banned[key(p.Point)] || taken[key(p.Point)] && draw < mostDraws/10); draw++ {
			if draw == mostDraws {
				return a, fmt.Errorf("%w (%d draws)", ErrExhausted, draw)
			}
			p, err = q.settle(uniform(stream, len(x)))
		}
		if err != nil {
			return a, err
		}
		taken[key(p.Point)] = true
		a.placed = append(a.placed, p)
	}
	return a, nil
}

// uniform draws a point of the box.
func uniform(stream *rand.Rand, dim int) strategy.Point {
	x := make(strategy.Point, dim)
	for j := range x {
		x[j] = 2*stream.Float64() - 1
	}
	return x
}

// settle moves a point to the nearest that keeps the fixed parameters and the
// constraints, and returns its values and the point that stands for them.
func (q question) settle(x strategy.Point) (Placed, error) {
	x = slices.Clone(x)
	for _, p := range q.pins {
		x[p.Coordinate] = p.Value
	}
	if err := q.config.Space.Project(x, q.pins...); err != nil {
		if errors.Is(err, space.ErrInfeasible) && len(q.pins) > 0 {
			err = requestf("the fixed parameters: %w", err)
		}
		return Placed{}, err
	}
	v, err := q.config.Space.Decode(x)
	if err != nil {
		return Placed{}, err
	}
	if q.fixed.Len() > 0 { // to the last digit
		all := maps.Collect(v.All())
		maps.Insert(all, q.fixed.All())
		v = space.ValuesOf(all)
	}
	// The point that a user gets who enqueues these values.
	return place(q.config.Space, v)
}
