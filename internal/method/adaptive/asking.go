package adaptive

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/acquire"
	"github.com/mahabo/mahabo/internal/gp"
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
	return query{q.whole, nil, q.whole}, nil
}

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

// chooseAll adds count points that do not know of each other. Searches with the same model share the passes
// over its data.
func (q *asking) chooseAll(ctx context.Context, count int) error {
	queries := make([]query, count)
	searches := make([]acquire.Search, count)
	looked := map[*weighing]*look{}
	for i := range queries {
		at, err := q.draw(ctx)
		if err != nil {
			return err
		}
		queries[i] = at
		if w := at.weighed; w != nil {
			if looked[w] == nil {
				looked[w] = w.look(q.rand)
			}
			searches[i] = looked[w].search(q.rand)
		} else {
			searches[i] = at.at.search(abreastStarts, q.rand)
		}
	}
	found := make([][]float64, count)
	for i := range queries {
		if found[i] != nil {
			continue
		}
		var same []int
		var part []acquire.Search
		model := queries[i].at.model
		for j := i; j < count; j++ {
			if queries[j].at.model == model {
				same, part = append(same, j), append(part, searches[j])
			}
		}
		ends, err := q.searchAll(ctx, model, part, queries[i].weighed != nil)
		if err != nil {
			return err
		}
		for k, j := range same {
			found[j] = ends[k]
		}
	}
	points := make([]strategy.Point, 0, count)
	for i, x := range found {
		at := queries[i]
		taken := func(x []float64) bool {
			return q.known(x) || slices.ContainsFunc(points, func(p strategy.Point) bool { return method.SquaredDistance(p, x) < q.apart()*q.apart() })
		}
		term := acquire.Term{Model: at.at.model, Of: searches[i].Of}
		x, err := at.at.evaluable(ctx, term, x, searches[i].Region, taken, q.rand)
		if err != nil {
			return err
		}
		q.move(x, taken, q.rand)
		points = append(points, x)
	}
	followed := map[*place][]strategy.Point{}
	for i, at := range queries {
		followed[at.follower] = append(followed[at.follower], points[i])
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

// searchAll returns the ends of searches with a model.
func (q *asking) searchAll(ctx context.Context, model *gp.Posterior, searches []acquire.Search, weighed bool) ([][]float64, error) {
	if weighed && q.region.Bounded() {
		return acquire.RaceAll(ctx, model, searches, followSteps, wideSteps)
	}
	return acquire.DescendAll(ctx, model, searches, q.Steps)
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
