package several

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/acquire"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/strategy"
)

// queries are the points of one Ask.
type queries struct {
	*several
	state
	model *model
	r     *rand.Rand
}

// target is what a query minimises:
//
//	objective(mu - beta s) + rho sum_k max(0, mu_k + gamma s_k)²
//
// or, where improvement is set, minus the logarithm of the expected improvement over it times the
// probability that all limits are kept.
type target struct {
	*model
	objectives  int
	weights     []float64 // of the objectives, with several; the largest weighted one counts
	ideal       []float64 // from which they are measured
	worth       float64   // of the objective: little before any trial keeps all limits
	beta, gamma float64
	rho         float64
	improvement *float64
	free        bool // limits do not count
}

// smooth is the width in which the largest of the weighted objectives is smoothed, and share what their sum counts beside it.
const (
	smooth = 0.02
	share  = 0.05
)

// Evaluate fills value and grad at the rows of x.
func (t *target) Evaluate(value []float64, grad, x linalg.Matrix) {
	rows := x.Rows
	mean, variance := linalg.New(rows, t.outcomes), linalg.Matrix{}
	dMean, dVariance := linalg.New(rows, t.outcomes), linalg.Matrix{}
	if t.beta != 0 || t.gamma != 0 || t.improvement != nil {
		variance, dVariance = linalg.New(rows, t.outcomes), linalg.New(rows, t.outcomes)
	}
	t.moments(mean, variance, x)
	for i := range rows {
		var v, dv []float64
		if variance.Rows > 0 {
			v, dv = variance.Row(i), dVariance.Row(i)
		}
		if t.improvement != nil {
			value[i] = t.improve(mean.Row(i), v, dMean.Row(i), dv)
		} else {
			value[i] = t.bound(mean.Row(i), v, dMean.Row(i), dv)
		}
	}
	if grad.Rows == 0 {
		return
	}
	for i := range rows {
		clear(grad.Row(i))
	}
	t.pull(grad, dMean, dVariance)
}

// bound is the penalised bound and its derivatives.
func (t *target) bound(mean, variance, dMean, dVariance []float64) (value float64) {
	std := func(k int) float64 {
		if variance == nil {
			return 0
		}
		return math.Sqrt(variance[k])
	}
	// add takes a derivative in mean - beta std.
	add := func(k int, slope, beta float64) {
		dMean[k] += slope
		if variance != nil {
			dVariance[k] -= slope * beta / (2 * std(k))
		}
	}
	if t.objectives == 1 {
		value = t.worth * (mean[0] - t.beta*std(0))
		add(0, t.worth, t.beta)
	} else {
		value = t.chebyshev(func(k int) float64 { return mean[k] - t.beta*std(k) }, func(k int, slope float64) { add(k, slope, t.beta) })
	}
	for k := t.objectives; k < t.outcomes && !t.free; k++ {
		if c := mean[k] + t.gamma*std(k); c > 0 {
			value += t.rho * c * c
			add(k, 2*t.rho*c, -t.gamma)
		}
	}
	return value
}

// chebyshev is the smoothed largest of the weighted objectives and a share of their sum.
func (t *target) chebyshev(at func(k int) float64, add func(k int, slope float64)) float64 {
	terms := make([]float64, t.objectives)
	largest, sum := math.Inf(-1), 0.0
	for k := range terms {
		terms[k] = t.weights[k] * (at(k) - t.ideal[k])
		largest = max(largest, terms[k])
		sum += terms[k]
	}
	total := 0.0
	for k, v := range terms {
		terms[k] = math.Exp((v - largest) / smooth)
		total += terms[k]
	}
	for k, e := range terms {
		add(k, t.worth*t.weights[k]*(e/total+share))
	}
	return t.worth * (largest + smooth*math.Log(total) + share*sum)
}

// improve is minus the logarithm of the expected improvement times the probability of keeping all
// limits.
func (t *target) improve(mean, variance, dMean, dVariance []float64) (value float64) {
	value, dMean[0], dVariance[0] = acquire.LogImprovement(*t.improvement)(mean[0], variance[0])
	for k := t.objectives; k < t.outcomes; k++ {
		std := math.Sqrt(variance[k])
		u := -mean[k] / std
		logP := num.LogNormCDF(u)
		slope := math.Exp(-u*u/2-0.5*math.Log(2*math.Pi)-logP) / std // d log P/d(-mean)
		value -= logP
		dMean[k] = slope
		dVariance[k] = -slope * mean[k] / (2 * variance[k])
	}
	return value
}

// Shares of the queries, drawn one after the other.
const (
	improvementShare = 0.3 // expected improvement times the probability of keeping all limits
	wideShare        = 0.3 // of the others: in the whole box
	nearShare        = 0.6 // of bounds: with a model of the surroundings
)

// Shape of the queries.
const (
	fewParams = 30 // with so many parameters and fewer a search is cheap and gets more starts
	leastRho  = 10
	rhos      = 3 // steps by rhoStep
	rhoStep   = 100
)

// solve minimises a target in a region from several starts, with limits enforced more and more.
func (q *queries) solve(ctx context.Context, t *target, region *acquire.Region, centre strategy.Point, reach float64) (strategy.Point, error) {
	starts, steps, polish := 12, 20, 40
	if q.Dim > fewParams {
		starts, steps, polish = 12, 25, 30
	}
	x := linalg.New(starts, q.Dim)
	for i := range starts {
		q.start(x.Row(i), i, centre, reach)
		region.Keep(x.Row(i))
	}
	t.rho = leastRho
	best, err := acquire.Descend(ctx, t, x, region, steps)
	if err != nil || t.improvement != nil {
		if err == nil {
			best, _, err = acquire.Polish(ctx, t, best, region, polish)
		}
		return q.evaluable(ctx, t, best, region, err)
	}
	steps = rhos
	if t.outcomes == t.objectives || t.free {
		steps = 1 // there is nothing to enforce
	}
	for range steps {
		if best, _, err = acquire.Polish(ctx, t, best, region, polish); err != nil {
			return nil, err
		}
		t.rho *= rhoStep
	}
	return q.evaluable(ctx, t, best, region, nil)
}

// evaluable moves the end of a query to labels and levels.
func (q *queries) evaluable(ctx context.Context, t *target, x strategy.Point, region *acquire.Region, err error) (strategy.Point, error) {
	if err != nil || q.grid == nil {
		return x, err
	}
	return q.grid.Improve(ctx, t, x, region, func(x []float64) bool { return q.nearest(x) < apart }, q.r)
}

// middle is the standard deviation of starts near the middle of the box.
const middle = 0.1

// start fills x with start number i: the centre itself, points around it, and with a wide box points
// anywhere and other good points.
func (q *queries) start(x strategy.Point, i int, centre strategy.Point, reach float64) {
	switch {
	case i == 0:
		copy(x, centre)
		for j := range x {
			x[j] += 0.01 * reach * q.r.NormFloat64()
		}
	case reach >= widestReach && i%3 == 1:
		for j := range x {
			x[j] = 2*q.r.Float64() - 1
			if i%2 == 0 {
				x[j] = middle * q.r.NormFloat64()
			}
		}
	case i%3 == 2 && len(q.X) > 0:
		copy(x, q.X[q.r.IntN(len(q.X))])
	default:
		tau := reach * math.Pow(10, -1.5*q.r.Float64())
		for j, c := range centre {
			x[j] = c + tau*(2*q.r.Float64()-1)
		}
	}
}

// best chooses n points for one objective.
func (q *queries) best(ctx context.Context, n int) (points []strategy.Point, err error) {
	centre := slices.Clone(q.X[q.centre])
	near, err := q.near(ctx, centre, n+len(q.model.believed))
	if err != nil {
		return nil, err
	}
	if near != nil {
		near.believe(q.model.believed...)
	}
	for len(points) < n {
		t := &target{model: q.model, objectives: 1, worth: 1}
		reach := q.reach
		i := len(q.X) + len(q.model.believed) // so that batches of one point have all kinds of queries
		if len(q.kept) == 0 {
			t.worth = 1e-3
		}
		switch {
		case len(q.kept) == 0 && i%5 > 0: // what may be less violated: with few points most directions are not known
			t.gamma = []float64{-2, -1, -0.5, 1, 3, 8}[q.r.IntN(6)]
			if q.r.Float64() < wideShare {
				reach = widestReach
			}
		case i%5 == 0: // what the model expects, a little within the limits
			t.gamma = 0.3 * q.r.Float64()
		case len(q.kept) > 0 && q.r.Float64() < improvementShare:
			v := q.believedBest()
			t.improvement = &v
			reach = widestReach
		case q.r.Float64() < wideShare:
			t.beta, t.gamma, reach = []float64{0, 0.5, 1, 2}[q.r.IntN(4)], []float64{-1, 0, 0.5, 1}[q.r.IntN(4)], widestReach
		default:
			t.beta = []float64{0, 0.3, 1}[q.r.IntN(3)]
			t.gamma = []float64{0, 0.5, 1, 2}[q.r.IntN(4)]
		}
		if near != nil && t.improvement == nil && q.r.Float64() < nearShare {
			t.model = near
		}
		region := q.region.Around(centre, reach)
		var x strategy.Point
		kind := descentTag
		if i%5 > 0 {
			kind = q.kind()
		}
		if kind == sparseTag {
			x, err = q.sparse(ctx, t, q.region.Around(centre, q.width()), centre, sparseRounds)
		} else {
			x, err = q.solve(ctx, t, region, centre, reach)
		}
		if err != nil {
			return nil, err
		}
		q.separate(x)
		q.model.believe(x)
		if near != nil {
			near.believe(x)
		}
		points = append(points, x)
		q.kinds = append(q.kinds, kind)
	}
	return points, nil
}

// kind draws the kind of a query.
func (q *queries) kind() string {
	u := q.r.Float64()
	for i, share := range q.shares {
		if u -= share; u < 0 {
			return kinds[i]
		}
	}
	return descentTag
}

// width is the half-width of the box of a sparse query: that of the others, or any up to the widest.
func (q *queries) width() float64 {
	if q.r.IntN(2) == 0 {
		return q.reach
	}
	return q.reach * math.Pow(widestReach/q.reach, q.r.Float64())
}

// sparse chooses among many points that differ from the centre in some coordinates only, with
// limits as they count at last: where a function is rough in every coordinate, few of them should move.
func (q *queries) sparse(ctx context.Context, t *target, region *acquire.Region, centre strategy.Point, rounds int) (strategy.Point, error) {
	t.rho = leastRho * rhoStep
	best, least := slices.Clone(centre), math.Inf(1)
	x, value := linalg.New(sparseRows, q.Dim), make([]float64, sparseRows)
	for range rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range x.Rows {
			row := x.Row(i)
			copy(row, centre)
			p := min(1, math.Exp(q.r.Float64()*math.Log(20))/float64(q.Dim))
			for j := range row {
				if q.r.Float64() < p {
					row[j] = region.Low[j] + q.r.Float64()*(region.High[j]-region.Low[j])
				}
			}
			j := q.r.IntN(q.Dim)
			row[j] = region.Low[j] + q.r.Float64()*(region.High[j]-region.Low[j])
			region.Keep(row)
		}
		t.Evaluate(value, linalg.Matrix{}, x)
		for i, v := range value {
			if v < least {
				least = v
				copy(best, x.Row(i))
			}
		}
	}
	return q.evaluable(ctx, t, best, region, nil)
}

// Points of a sparse query.
const (
	sparseRows   = 250
	sparseRounds = 8
)

// believedBest is the lowest value that the model has seen of observations that keep all limits.
func (q *queries) believedBest() float64 {
	kept := map[int]bool{}
	for _, i := range q.kept {
		kept[i] = true
	}
	least := math.Inf(1)
	for a, i := range q.model.kept {
		if kept[i] {
			least = min(least, q.model.w[0][a])
		}
	}
	if math.IsInf(least, 1) {
		return slices.Min(q.model.w[0])
	}
	return least
}

// apart is how far points are from each other at least, as a share of the box's diagonal.
const apart = 1e-6

// nearest is the distance to the closest point that is observed, pending or chosen.
func (q *queries) nearest(x strategy.Point) float64 {
	least := q.points.Nearest(x)
	for _, p := range q.model.believed {
		least = min(least, math.Sqrt(method.SquaredDistance(p, x)))
	}
	return least
}

// separate moves x until it is not on top of another point.
func (q *queries) separate(x strategy.Point) {
	for k := 0; k < 50 && q.nearest(x) < apart*math.Sqrt(float64(len(x))); k++ {
		for j := range x {
			x[j] = min(1, max(-1, x[j]+1e-3*math.Pow(1.2, float64(k))*q.r.NormFloat64()))
		}
		q.region.Keep(x)
	}
}
