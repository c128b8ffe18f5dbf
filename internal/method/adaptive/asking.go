package adaptive

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/strategy"
)

// asking is one Ask: the models, each with the points before believed, and the points so far.
type asking struct {
	*run
	all     posterior
	whole   *place // around the lowest point of the model of everything
	near    surroundings
	weighed weighings
	wide    *wide   // nil where few points are open
	fronts  *fronts // nil for none
	rand    *rand.Rand
	points  []strategy.Point
}

// query is where a point is looked for.
type query struct {
	at       *place
	weighed  *weighing // with weights; nil for none
	follower *place    // that moves to the point when it is believed to be the best
}

// believe takes a point into all models at its predicted value.
func (q *asking) believe(x strategy.Point) {
	q.all.believe(x)
	q.near.believe(x)
	q.weighed.believe(x)
	q.wide.believe(x)
	q.points = append(q.points, x)
}

// draw chooses where to look next.
func (q *asking) draw(ctx context.Context) (query, error) {
	if q.fronts == nil || !q.fronts.onlyLast {
		draw := q.weighed.draw
		if q.wide != nil {
			draw = q.wide.draw
		}
		p, err := draw(ctx, q.rand)
		if err != nil {
			return query{}, err
		}
		if p != nil {
			if reach := q.reach(); reach != everywhere {
				near := *p
				near.reach = reach
				p = &near
			}
			return query{&p.place, p, q.whole}, nil
		}
	}
	var k int
	var other bool
	var at strategy.Point
	if q.fronts != nil {
		if k, other = q.fronts.draw(q.rand); other {
			at = q.fronts.all[k].at
		}
	}
	local, err := q.near.draw(ctx, k, at, q.rand)
	switch {
	case err != nil:
		return query{}, err
	case local != nil:
		return query{local, nil, local}, nil
	case other:
		return query{q.whole.at(at), nil, q.whole}, nil
	}
	near := *q.whole
	near.reach = q.reach()
	return query{&near, nil, q.whole}, nil
}

// reach draws how far from the best point a query may go. Most stay near it, each at a scale of its own. With fewer
// observations than parameters each one explores a direction of its own, with labels alone no scale is smaller than
// another, and many workers have rules of their own.
func (q *asking) reach() float64 {
	if q.wide != nil || len(q.y) < q.params || q.grid != nil && !q.grid.Real() || q.rand.Float64() >= q.NearShare {
		return everywhere
	}
	return q.NearReach * math.Pow(nearRatio, -q.rand.Float64())
}

// nearRatio is that of the largest and the smallest half-width of a box around the best point.
const nearRatio = 8

// known says whether a point is observed or believed.
func (q *asking) known(x []float64) bool { return q.all.Points.Nearest(x) < q.apart() }

// choose adds a point.
func (q *asking) choose(ctx context.Context) error {
	at, err := q.draw(ctx)
	if err != nil {
		return err
	}
	var x strategy.Point
	switch {
	case at.weighed == nil:
		x, err = at.at.query(ctx, q.known, q.rand)
	case q.wide != nil:
		x, err = q.wide.query(ctx, at.weighed, q.known, q.rand)
	default:
		x, err = at.weighed.query(ctx, q.known, q.rand)
	}
	if err != nil {
		return err
	}
	q.separate(x, q.all.Points, q.rand)
	at.follower.follow(x)
	q.believe(x)
	return nil
}
