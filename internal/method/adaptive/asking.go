package adaptive

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/acquire"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
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

// believe takes points into all models at their predicted values.
func (q *asking) believe(points ...strategy.Point) {
	q.all.believe(points...)
	q.near.believe(points...)
	q.weighed.believe(points...)
	q.wide.believe(points...)
	q.points = append(q.points, points...)
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

// reach draws how far from the best point a query may go. Most stay near it, each at a scale of its own. With labels
// alone no scale is smaller than another, many workers have rules of their own, and far plans look elsewhere on purpose.
func (q *asking) reach() float64 {
	if q.wide != nil || q.far() || q.grid != nil && !q.grid.Real() || q.rand.Float64() >= q.NearShare {
		return everywhere
	}
	return q.NearReach * math.Pow(nearRatio, -q.rand.Float64())
}

// nearRatio is that of the largest and the smallest half-width of a box around the best point.
const nearRatio = 8

// known says whether a point is observed or believed.
func (q *asking) known(x []float64) bool { return q.all.Points.Nearest(x) < q.apart() }

// choose adds count points. Several are looked for side by side.
func (q *asking) choose(ctx context.Context, count int) error {
	if count > 1 {
		return q.chooseAll(ctx, count)
	}
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

// chooseAll adds count points. Searches with the same model share the passes over its data, and do not know of each other:
// points that say the same are moved on when the others are believed.
func (q *asking) chooseAll(ctx context.Context, count int) error {
	searches := make([]searching, count)
	looked := map[*weighing]*look{}
	for i := range searches {
		at, err := q.draw(ctx)
		if err != nil {
			return err
		}
		searches[i].query = at
		if w := at.weighed; w != nil {
			if looked[w] == nil {
				looked[w] = w.look(q.rand)
			}
			searches[i].Search = looked[w].search(q.rand)
		} else {
			searches[i].Search = at.at.search(abreastStarts, q.rand)
		}
	}
	for pass := 0; len(searches) > 0; pass++ {
		if err := q.searchAll(ctx, searches, pass); err != nil {
			return err
		}
		var rest []searching
		if pass < corrections {
			found := make([]strategy.Point, len(searches))
			for i, s := range searches {
				found[i] = s.end
			}
			var kept []searching
			for i, is := range q.all.model.Distinct(rows(found), distinctShare) {
				if is {
					kept = append(kept, searches[i])
				} else {
					rest = append(rest, searches[i])
				}
			}
			searches = kept
		}
		if err := q.take(ctx, searches); err != nil {
			return err
		}
		searches = rest
	}
	return nil
}

const (
	corrections     = 3   // times that points are moved on
	correctionSteps = 8   // of each
	distinctShare   = 0.5 // of its variance that a point keeps when others of its group are believed
)

// searching is the search of a query, and where it ended.
type searching struct {
	query
	acquire.Search
	end []float64
}

// take adds the ends of searches to the points.
func (q *asking) take(ctx context.Context, searches []searching) error {
	var points []strategy.Point
	followed := map[*place][]strategy.Point{}
	for _, s := range searches {
		taken := func(x []float64) bool {
			return q.known(x) || slices.ContainsFunc(points, func(p strategy.Point) bool { return method.SquaredDistance(p, x) < q.apart()*q.apart() })
		}
		x, err := s.at.evaluable(ctx, acquire.Term{Model: s.at.model, Of: s.Of}, s.end, s.Region, taken, q.rand)
		if err != nil {
			return err
		}
		q.move(x, taken, q.rand)
		points = append(points, x)
		followed[s.follower] = append(followed[s.follower], x)
	}
	for at, points := range followed {
		at.follow(points...)
	}
	q.believe(points...)
	return nil
}

// abreast is the number of points that are looked for side by side. With few observations or parameters a search is cheap,
// and points that know of each other are better.
func (a *run) abreast(open int) int {
	if open < a.WideFrom || a.params <= mostTurned || len(a.y) < abreastFrom {
		return 1
	}
	return a.Abreast
}

const (
	abreastFrom   = 1000 // observations
	abreastStarts = 4    // of a search without weights
)

// searchAll fills the ends of searches. Passes after the first go on from them for a few steps.
func (q *asking) searchAll(ctx context.Context, searches []searching, pass int) error {
	if pass > 0 {
		for i := range searches {
			s := &searches[i]
			s.Starts = linalg.New(1, q.Dim)
			for j, v := range s.end {
				s.Starts.Data[j] = v + q.Move*q.rand.NormFloat64()
			}
			s.Region.Keep(s.Starts.Row(0))
			s.end = nil
		}
	}
	for i := range searches {
		if searches[i].end != nil {
			continue
		}
		var same []int
		var part []acquire.Search
		model := searches[i].at.model
		for j := i; j < len(searches); j++ {
			if searches[j].at.model == model {
				same, part = append(same, j), append(part, searches[j].Search)
			}
		}
		var ends [][]float64
		var err error
		switch {
		case pass > 0:
			ends, err = acquire.DescendAll(ctx, model, part, correctionSteps)
		case searches[i].weighed != nil && q.region.Bounded():
			ends, err = acquire.RaceAll(ctx, model, part, followSteps, wideSteps)
		default:
			ends, err = acquire.DescendAll(ctx, model, part, q.Steps)
		}
		if err != nil {
			return err
		}
		for k, j := range same {
			searches[j].end = ends[k]
		}
	}
	return nil
}

// search draws an acquisition function and starts.
func (p *place) search(starts int, r *rand.Rand) acquire.Search {
	s := acquire.Search{Of: p.acquisition(p.Improvement, 0, r), Region: p.region.Around(p.centre, p.reach), Starts: linalg.New(starts, p.Dim)}
	for i := range starts {
		p.start(s.Starts.Row(i), i, r)
		s.Region.Keep(s.Starts.Row(i))
	}
	return s
}

// look is what a model with weights expects at starts, which several searches choose from.
type look struct {
	of             *weighing
	x              linalg.Matrix
	mean, variance []float64
}

func (p *weighing) look(r *rand.Rand) *look {
	l := &look{of: p, x: linalg.New(p.Screened, p.Dim), mean: make([]float64, p.Screened), variance: make([]float64, p.Screened)}
	for i := range l.x.Rows {
		p.start(l.x.Row(i), i, r)
		p.region.Keep(l.x.Row(i))
	}
	p.model.PredictRows(l.mean, l.variance, l.x)
	return l
}

// search draws an acquisition function and starts that are promising.
func (l *look) search(r *rand.Rand) acquire.Search {
	p := l.of
	s := acquire.Search{Of: p.acquisition(p.improvement(), p.noise(), r), Region: p.region}
	values := make([]float64, len(l.mean))
	for i, m := range l.mean {
		values[i], _, _ = s.Of(m, l.variance[i])
	}
	chosen := acquire.Starts(values, wideFollowed, r)
	s.Starts = linalg.New(len(chosen), p.Dim)
	for i, k := range chosen {
		copy(s.Starts.Row(i), l.x.Row(k))
	}
	return s
}
