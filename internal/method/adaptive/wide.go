package adaptive

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/acquire"
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/strategy"
)

// wide are the queries of one Ask when many points are open. A batch that walks, each point believed and
// followed, is lost after a few steps: what is believed was never seen. So the centre of these queries stays
// at points that were observed, they differ in how far they may go, and some look at other valleys.
type wide struct {
	run     *run
	open    int       // points, with those that are asked for
	turned  weighings // with directions
	weighed *weighings
	others  float64 // share of the queries that look at other valleys
}

// newWide is nil where few points are open.
func (a *run) newWide(ctx context.Context, open int, pending []strategy.Point, weighed *weighings) (*wide, error) {
	v := a.turnedFor(open)
	if v == nil {
		return nil, nil
	}
	if err := v.learn(ctx); err != nil {
		return nil, err
	}
	w := &wide{run: a, open: open, weighed: weighed}
	w.turned = weighings{run: a, of: v, places: map[int]*weighing{}, believed: pending, spare: open, stays: true}
	w.others = w.share()
	return w, nil
}

// draw returns the place of a query, nil for those of the even model. Models with directions
// make more of them the better they have predicted.
func (w *wide) draw(ctx context.Context, r *rand.Rand) (*weighing, error) {
	k, lead := w.turned.of.lead()
	_, other := w.run.relevance.lead()
	share := w.run.TurnedShare / (1 + math.Exp((max(other, w.run.enough())-lead)/turnedLead))
	if share >= smallestShare && r.Float64() < share {
		return w.turned.at(ctx, k)
	}
	return w.weighed.draw(ctx, r)
}

// turnedLead is a lead over the other models that counts.
const turnedLead = 5

// believe adds a point to all models at its predicted value.
func (w *wide) believe(x strategy.Point) {
	if w != nil {
		w.turned.believe(x)
	}
}

// query chooses a point with a model. Those with weights alone choose as with few workers, but where another valley is looked at.
func (w *wide) query(ctx context.Context, p *weighing, known taken, r *rand.Rand) (strategy.Point, error) {
	at, kind := w.basin(p, r)
	switch {
	case kind == unseenValley:
		return w.elsewhere(ctx, p, r)
	case kind == lowestValley && p.directions.Rows == 0:
		return p.query(ctx, known, r)
	}
	return w.near(ctx, p, at, kind == seenValley, r)
}

// elsewhere follows a lower bound from random points and takes the lowest end that does not lie near the best point, so that valleys are found
// that no observation shows yet. The expected improvement never asks for it: a little is to be gained near the best point for long, and surely.
func (w *wide) elsewhere(ctx context.Context, p *weighing, r *rand.Rand) (strategy.Point, error) {
	of := acquire.LowerBound(elsewhereBetas[r.IntN(len(elsewhereBetas))])
	searches := make([]acquire.Search, elsewhereStarts)
	for i := range searches {
		x := linalg.New(1, p.Dim)
		p.start(x.Row(0), i%2, r) // anywhere
		searches[i] = acquire.Search{Of: of, Starts: x, Region: p.region}
	}
	ends, err := acquire.RaceAll(ctx, p.model, searches, followSteps, wideSteps)
	if err != nil {
		return nil, err
	}
	x := linalg.New(len(ends)+1, p.Dim)
	for i, end := range append(ends, p.centre) {
		copy(x.Row(i), end)
	}
	_, linear := p.model.Metric.Map(p.Dim)
	z := linalg.New(x.Rows, linear.Dim())
	linear.Apply(z, x)
	mean, variance := make([]float64, x.Rows), make([]float64, x.Rows)
	p.model.PredictRows(mean, variance, x)
	best, lowest := -1, math.Inf(1)
	for i := range searches {
		far := method.SquaredDistance(z.Row(i), z.Row(len(searches))) > basinApart*basinApart
		if v, _, _ := of(mean[i], variance[i]); far && v < lowest {
			best, lowest = i, v
		}
	}
	if best < 0 {
		return w.near(ctx, p, basin{p.centre, p.best}, false, r)
	}
	return ends[best], nil
}

const elsewhereStarts = 12

var elsewhereBetas = [...]float64{1, 2, 4}

// near minimises the expected improvement or a lower bound within a distance of its centre that differs between
// queries, in the distance of the model: far along directions in which the function hardly varies.
func (w *wide) near(ctx context.Context, p *weighing, at basin, other bool, r *rand.Rand) (strategy.Point, error) {
	reach := math.Inf(1)
	if other || r.Float64() < leashShare {
		reach = leastReach * math.Pow(mostReach/leastReach, r.Float64())
	}
	of := acquire.NoisyImprovement(at.best, p.noise())
	if r.IntN(2) == 0 {
		of = acquire.LowerBound(betas[1+r.IntN(len(betas)-1)])
	}
	f := acquire.Function(acquire.Term{Model: p.model, Of: of})
	start := p.start
	if !math.IsInf(reach, 1) {
		near := newLeash(p.model, at.centre, reach)
		f, start = acquire.Sum{f, near}, near.start
	}
	x := linalg.New(p.Screened, p.Dim)
	for i := range x.Rows {
		start(x.Row(i), i, r)
		p.region.Keep(x.Row(i))
	}
	return acquire.Race(ctx, f, x, p.region, wideFollowed, followSteps, wideSteps, r)
}

const (
	leashShare   = 0.8 // of the queries
	leastReach   = 0.1
	mostReach    = 2.
	wideFollowed = 3 // starts
	wideSteps    = 25
)

// share is the part of the queries that look at other valleys, once two rounds have brought nothing.
func (w *wide) share() float64 {
	a := w.run
	if before := len(a.y) - 2*w.open; before > a.Config.Init {
		lowest := a.y[a.best]
		if slices.Min(a.y[:before])-lowest < wideProgress*(a.designMedian(len(a.y))-lowest) {
			return stalledShare
		}
	}
	return 0
}

const (
	stalledShare = 0.5  // of the queries
	wideProgress = 1e-4 // of what was gained since the design: a curved valley is followed for long in small steps
)

// basin is a point than which none nearby is lower.
type basin struct {
	centre []float64
	best   float64 // what the model expects there
}

// Where a query looks: at the lowest valley, at another one that was seen, or elsewhere.
const (
	lowestValley = iota
	seenValley
	unseenValley
)

// basin returns the lowest one, in a share of the cases another one or none.
func (w *wide) basin(p *weighing, r *rand.Rand) (at basin, kind int) {
	if w.others == 0 || !p.region.Whole() || r.Float64() >= w.others {
		return basin{p.centre, p.best}, lowestValley
	}
	if r.Float64() < unseenShare {
		return basin{}, unseenValley
	}
	if !p.looked {
		p.looked, p.others = true, w.run.basins(p.model, p.centre)
	}
	if len(p.others) == 0 {
		return basin{p.centre, p.best}, lowestValley
	}
	return p.others[r.IntN(len(p.others))], seenValley
}

const unseenShare = 0.5 // of the queries at other valleys

// basins returns the lowest observations that have no lower one, nor the centre, near them in the distance of a model.
func (a *run) basins(model *gp.Posterior, centre []float64) (list []basin) {
	_, linear := model.Metric.Map(a.Dim)
	z := linalg.New(len(a.y)+1, linear.Dim())
	linear.Apply(z, rows(append(slices.Clip(a.x), centre)))
	lower := []int{len(a.y)}
	for _, i := range method.Lowest(a.y, len(a.y)) {
		near := func(j int) bool { return method.SquaredDistance(z.Row(i), z.Row(j)) < basinApart*basinApart }
		if !slices.ContainsFunc(lower, near) {
			best, _ := model.Predict(a.x[i])
			if list = append(list, basin{a.x[i], best}); len(list) == mostBasins {
				break
			}
		}
		lower = append(lower, i)
	}
	return list
}

// rows are points as those of a matrix.
func rows(points []strategy.Point) linalg.Matrix {
	m := linalg.New(len(points), len(points[0]))
	for i, x := range points {
		copy(m.Row(i), x)
	}
	return m
}

const (
	basinApart = 1.5 // in the distance of the model
	mostBasins = 8
)

// leash keeps a query near its centre: it adds hard (r²/reach² - 1)² where r > reach, r the
// distance of a model.
type leash struct {
	linear gp.Map
	centre []float64
	z      []float64 // of the centre
	steps  linalg.Matrix
	reach  float64
	hard   float64
}

func newLeash(model *gp.Posterior, centre []float64, reach float64) leash {
	dim := len(centre)
	_, linear := model.Metric.Map(dim)
	z := linalg.New(1, linear.Dim())
	linear.Apply(z, linalg.Matrix{Rows: 1, Cols: dim, Stride: dim, Data: centre})
	l := leash{linear: linear, centre: centre, z: z.Row(0), reach: reach, hard: 10 * math.Sqrt(model.OutputScale())}
	// A step of length 1 in the distance of the model along each direction.
	l.steps = linalg.New(dim, dim)
	unit := make([]float64, dim)
	for k := range dim {
		clear(unit)
		unit[k] = 1
		linear.Pull(l.steps.Row(k), unit) // sqrt(w_k) v_k
		row := l.steps.Row(k)
		w := linalg.Dot(row, row)
		for j := range row {
			row[j] /= w
		}
	}
	return l
}

// Evaluate fills value and grad at the rows of x.
func (l leash) Evaluate(value []float64, grad, x linalg.Matrix) {
	z := linalg.New(x.Rows, len(l.z))
	l.linear.Apply(z, x)
	for i := range x.Rows {
		d := z.Row(i)
		linalg.Axpy(d, -1, l.z)
		over := max(0, linalg.Dot(d, d)/(l.reach*l.reach)-1)
		value[i] = l.hard * over * over
		if grad.Rows > 0 {
			for k := range d {
				d[k] *= 4 * l.hard * over / (l.reach * l.reach)
			}
			l.linear.Pull(grad.Row(i), d)
		}
	}
}

// start fills x with a random point on the leash; directions that do not matter are not followed far.
func (l leash) start(x []float64, _ int, r *rand.Rand) {
	copy(x, l.centre)
	step := make([]float64, len(l.z))
	var sum float64
	for k := range step {
		step[k] = r.NormFloat64()
		sum += step[k] * step[k]
	}
	length := l.reach * math.Sqrt(r.Float64()/sum)
	for k, s := range step {
		row := l.steps.Row(k)
		most := farthest / math.Sqrt(linalg.Dot(row, row))
		linalg.Axpy(x, min(max(length*s, -most), most), row)
	}
}

// farthest is how far a start goes along one direction, in the units of the box.
const farthest = 0.3
