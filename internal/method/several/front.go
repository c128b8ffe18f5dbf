package several

import (
	"context"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/pareto"
	"github.com/mahabo/mahabo/strategy"
)

// What a candidate adds to the hypervolume is a mean over these numbers of standard deviations from what is expected of its objectives, with weights:
// a quadrature of the normal distribution, in every objective for two and in all at once for more. With limits it is what it adds a little below
// that: points with which to explore are chosen in other ways then.
var (
	deviations = []float64{-math.Sqrt(3), 0, math.Sqrt(3)}
	densities  = []float64{1.0 / 6, 2.0 / 3, 1.0 / 6}
	below      = []float64{-0.2}
)

// candidates are the points made for each one that is taken; one in sparseEvery of them differs from a known point in some
// coordinates only: a front may have several parts.
const (
	candidates  = 10
	muchData    = 30_000 // numbers in the points, from which on half as many are made: each takes long
	sparseEvery = 5
	frontRounds = 2 // of the search for such a point
)

// One point in hopefulEvery is chosen by limits that are hope standard deviations lower than expected: limits may be kept
// in places that are far from each other.
const (
	hopefulEvery = 5
	hope         = 2.0
)

// One point in freeEvery is chosen as if there were no limits, where the front without them has its widest gap, while that is
// wider than leastGap of the front: what a model expects of limits where nothing was tried is often wrong.
const (
	freeEvery = 8
	freeMade  = 12
	leastGap  = 0.08
)

// front chooses n points for several objectives: more than that are made, each with weights of its own, and
// those are taken one by one that are expected to add most to the hypervolume.
func (q *queries) front(ctx context.Context, n int) (points []strategy.Point, err error) {
	known, told, places := q.known(q.model)
	ideal, width := q.extent(known)
	var front [][]float64
	if len(q.kept) > 0 {
		for _, i := range pareto.Front(told) {
			front = append(front, told[i])
		}
		for i := q.number(); i < q.number()+n && len(points) < n; i++ {
			if i%localEvery == 0 {
				x, err := q.local(ctx, known, places, &front)
				if err != nil {
					return nil, err
				}
				if x != nil {
					points = append(points, x)
				}
			}
		}
	}
	n -= len(points)
	var made, free []strategy.Point
	for i := range n * q.candidates() {
		t := q.query(q.model, ideal, width)
		centre := q.leading(t, known, places)
		if q.Config.Limits > 0 && len(q.kept) > 0 && q.r.IntN(hopefulEvery) == 0 {
			t.gamma = -hope * q.r.Float64()
			centre = q.almost(t)
		}
		reach := []float64{widestReach, 0.8, 0.3, 0.1}[q.r.IntN(4)]
		region := q.region.Around(centre, reach)
		var x strategy.Point
		if i%sparseEvery == 0 {
			x, err = q.sparse(ctx, t, region, centre, frontRounds)
		} else {
			x, err = q.solve(ctx, t, region, centre, reach)
		}
		if err != nil {
			return nil, err
		}
		made = append(made, x)
	}
	for i := range n {
		if q.Config.Limits > 0 && len(q.kept) > 0 && q.freely(q.number()+i) {
			if free, err = q.withoutLimits(ctx, ideal, width); err != nil {
				return nil, err
			}
		}
	}
	return append(points, q.take(made, free, n, &front)...), nil
}

// candidates are the points made for each one that is taken.
func (q *queries) candidates() int {
	if len(q.X)*q.Dim > muchData {
		return candidates / 2
	}
	return candidates
}

// query is a search with weights of its own.
func (q *queries) query(m *model, ideal, width []float64) *target {
	t := &target{model: m, objectives: q.objectives, worth: 1, ideal: ideal, weights: q.weights()}
	for k := range t.weights {
		t.weights[k] /= width[k]
	}
	if len(q.kept) == 0 {
		t.worth = 1e-3
	}
	t.beta = []float64{0, 0.1, 0.3, 0.6}[q.r.IntN(4)]
	t.gamma = []float64{0, 0.5, 1}[q.r.IntN(3)]
	return t
}

// freely says that point number i is chosen as if there were no limits.
func (q *queries) freely(i int) bool { return i%freeEvery == 0 }

// withoutLimits are points of the front as it would be without limits.
func (q *queries) withoutLimits(ctx context.Context, ideal, width []float64) (made []strategy.Point, err error) {
	for range freeMade {
		t := &target{model: q.model, objectives: q.objectives, worth: 1, ideal: ideal, weights: q.weights(), free: true}
		for k := range t.weights {
			t.weights[k] /= width[k]
		}
		x, err := q.solve(ctx, t, q.region, q.almost(t), widestReach)
		if err != nil {
			return nil, err
		}
		made = append(made, x)
	}
	return made, nil
}

// widest is the one of these points that is farthest from all that was told or is believed, by objectives, and how far it is
// as a share of the points' extent.
func (q *queries) widest(points []strategy.Point) (at int, gap float64) {
	x := linalg.New(len(points)+len(q.model.believed), q.Dim)
	for i, p := range slices.Concat(points, q.model.believed) {
		copy(x.Row(i), p)
	}
	mean := linalg.New(x.Rows, q.model.outcomes)
	q.model.moments(mean, linalg.Matrix{}, x)
	extent := make([]float64, q.objectives)
	for k := range extent {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range points {
			low, high = min(low, mean.At(i, k)), max(high, mean.At(i, k))
		}
		extent[k] = max(high-low, 1e-9)
	}
	far := func(i int, of func(k int) float64) (most float64) {
		for k := range extent {
			most = max(most, math.Abs(mean.At(i, k)-of(k))/extent[k])
		}
		return most
	}
	for i := range points {
		least := math.Inf(1)
		for a := range q.model.kept {
			least = min(least, far(i, func(k int) float64 { return q.model.w[k][a] }))
		}
		for b := range q.model.believed {
			least = min(least, far(i, func(k int) float64 { return mean.At(len(points)+b, k) }))
		}
		if least > gap {
			at, gap = i, least
		}
	}
	return at, gap
}

// known are the objectives, as the model sees them and as they were told, of observations that keep all
// limits, or of all when none does, and where they are.
func (q *queries) known(m *model) (points, told [][]float64, places []strategy.Point) {
	noisy := q.noisy()
	kept := map[int]bool{}
	for _, i := range q.kept {
		kept[i] = true
	}
	for a, i := range m.kept {
		if len(q.kept) == 0 || kept[i] {
			y := make([]float64, q.objectives)
			for k := range y {
				y[k] = m.w[k][a]
			}
			values := q.Outcomes[i][:q.objectives]
			if noisy {
				values = make([]float64, q.objectives)
				for k := range values {
					values[k] = m.warps[k].Invert(y[k])
				}
			}
			points, told, places = append(points, y), append(told, values), append(places, q.X[i])
		}
	}
	return points, told, places
}

// extent is the lowest value of each objective on the front, a little below it, and the width of the front.
func (q *queries) extent(known [][]float64) (ideal, width []float64) {
	ideal, width = make([]float64, q.objectives), make([]float64, q.objectives)
	front := pareto.Front(known)
	for k := range ideal {
		low, high := math.Inf(1), math.Inf(-1)
		for _, i := range front {
			low, high = min(low, known[i][k]), max(high, known[i][k])
		}
		width[k] = max(high-low, 1e-3)
		ideal[k] = low - 0.1*width[k]
	}
	return ideal, width
}

// weights are uniform on the simplex, now and then at one of its corners.
func (q *queries) weights() []float64 {
	w := make([]float64, q.objectives)
	if q.r.IntN(6) == 0 {
		for k := range w {
			w[k] = 0.02
		}
		w[q.r.IntN(len(w))] = 1
		return w
	}
	sum := 0.0
	for k := range w {
		w[k] = q.r.ExpFloat64()
		sum += w[k]
	}
	for k := range w {
		w[k] = max(w[k]/sum, 0.01)
	}
	return w
}

// leading is the point that is best by the weights.
func (q *queries) leading(t *target, known [][]float64, places []strategy.Point) strategy.Point {
	if len(q.kept) == 0 {
		return slices.Clone(q.X[q.centre])
	}
	best, at := math.Inf(1), 0
	for i, y := range known {
		v := t.chebyshev(func(k int) float64 { return y[k] }, func(int, float64) {})
		if v < best {
			best, at = v, i
		}
	}
	return slices.Clone(places[at])
}

// almost is the point that is best by the weights with violated limits counted, more or less of them.
func (q *queries) almost(t *target) strategy.Point {
	price := math.Pow(10, 3*q.r.Float64()-1)
	best, at := math.Inf(1), 0
	for a, i := range q.model.kept {
		v := t.chebyshev(func(k int) float64 { return q.model.w[k][a] }, func(int, float64) {})
		for k := q.objectives; k < q.model.outcomes; k++ {
			v += price * max(0, q.model.w[k][a])
		}
		if v < best {
			best, at = v, i
		}
	}
	return slices.Clone(q.X[at])
}

// reference bounds the hypervolume by what the task says, else by the worst values told: the ends of the front
// may lie beyond what is known of it.
func (q *queries) reference() []float64 {
	reference := make([]float64, q.objectives)
	for k := range reference {
		if given := q.Config.Reference; given != nil && !math.IsNaN(given[k]) {
			reference[k] = given[k]
			continue
		}
		low, high := math.Inf(1), math.Inf(-1)
		for _, y := range q.Outcomes {
			low, high = min(low, y[k]), max(high, y[k])
		}
		reference[k] = high + 0.1*(high-low)
	}
	return reference
}

// take chooses n of the points that were made, greedily by what they are expected to add to the hypervolume of the front; or one of the free ones
// where these have a gap.
func (q *queries) take(made, free []strategy.Point, n int, front *[][]float64) (points []strategy.Point) {
	left := slices.Clone(made)
	for len(points) < n && len(left) > 0 {
		if free != nil && q.freely(q.number()) {
			if at, gap := q.widest(free); gap > leastGap {
				q.separate(free[at])
				q.model.believe(free[at])
				points = append(points, free[at])
				continue
			}
		}
		at, y := q.pick(q.model, left, *front)
		*front = append(*front, y)
		q.separate(left[at])
		q.model.believe(left[at])
		points = append(points, left[at])
		left = slices.Delete(left, at, at+1)
	}
	return points
}

// number is that of the next point: observed, pending and chosen ones come before it.
func (q *queries) number() int { return len(q.X) + len(q.model.believed) }

// pick returns which point is expected to add most to the hypervolume of a front, with a bonus for what is not known of it, times the
// probability that it keeps the limits, and its objectives as expected.
func (q *queries) pick(m *model, points []strategy.Point, front [][]float64) (at int, y []float64) {
	x := linalg.New(len(points), q.Dim)
	for i, p := range points {
		copy(x.Row(i), p)
	}
	mean, variance := linalg.New(len(points), m.outcomes), linalg.New(len(points), m.outcomes)
	m.moments(mean, variance, x)
	reference, hoped := q.reference(), 0.0
	if q.number()%hopefulEvery == hopefulEvery-1 {
		hoped = hope
	}
	told := func(i int, above func(k int) float64) []float64 {
		y := make([]float64, q.objectives)
		for k := range y {
			y[k] = m.warps[k].Invert(mean.At(i, k) + above(k)*math.Sqrt(variance.At(i, k)))
		}
		return y
	}
	base, best := pareto.Hypervolume(front, reference), math.Inf(-1)
	nodes, shares := deviations, densities
	if q.Config.Limits > 0 {
		nodes, shares = below, []float64{1}
	}
	adds := func(i int) (gain float64) {
		for a, first := range nodes {
			for b, second := range nodes {
				weight := shares[a] * shares[b]
				if q.objectives > 2 {
					if a != b {
						continue
					}
					weight = shares[a]
				}
				y := told(i, func(k int) float64 { return []float64{first, second}[k%2] })
				if q.objectives >= manyObjectives {
					gain += weight * pareto.Added(front, y, reference)
				} else {
					gain += weight * (pareto.Hypervolume(append(slices.Clip(front), y), reference) - base)
				}
			}
		}
		return gain
	}
	for i := range points {
		spread := 0.0
		for k := range q.objectives {
			spread += math.Sqrt(variance.At(i, k))
		}
		gain := adds(i) + 1e-9*base*spread
		logP := 0.0
		for k := q.objectives; k < m.outcomes; k++ {
			logP += num.LogNormCDF(hoped - mean.At(i, k)/math.Sqrt(variance.At(i, k)))
		}
		if len(q.kept) == 0 {
			gain = 1
		}
		if v := math.Log(max(gain, 1e-300)) + logP; v > best {
			best, at = v, i
		}
	}
	return at, told(at, func(int) float64 { return 0 })
}

// manyObjectives is the number of objectives from which on the hypervolume of a front takes long, a second for a thousand points.
const manyObjectives = 4

// One point in localEvery is chosen by a model of the surroundings of a point of the front.
const localEvery = 4

// local chooses a point around one of the front by a model of what is near it, nil while too little is known.
func (q *queries) local(ctx context.Context, known [][]float64, places []strategy.Point, front *[][]float64) (strategy.Point, error) {
	best := pareto.Front(known)
	at := best[q.r.IntN(len(best))]
	centre := slices.Clone(places[at])
	near, err := q.near(ctx, centre, len(q.model.believed)+1)
	if near == nil || err != nil {
		return nil, err
	}
	near.believe(q.model.believed...)
	seen, _, _ := q.known(near)
	ideal, width := q.extent(seen)
	var made []strategy.Point
	for range q.candidates() {
		t := q.query(near, ideal, width)
		reach := []float64{0.3, 0.1, 0.03}[q.r.IntN(3)]
		x, err := q.solve(ctx, t, q.region.Around(centre, reach), centre, reach)
		if err != nil {
			return nil, err
		}
		made = append(made, x)
	}
	chosen, y := q.pick(near, made, *front)
	*front = append(*front, y)
	q.separate(made[chosen])
	q.model.believe(made[chosen])
	return made[chosen], nil
}
