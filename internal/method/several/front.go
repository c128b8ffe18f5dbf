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

// optimism is how many standard deviations below its mean an objective of a candidate is judged by.
const optimism = 0.2

// candidates are the points made for each one that is taken.
const candidates = 10

// front chooses n points for several objectives: more than that are made, each with weights of its own, and
// those are taken one by one that are expected to add most to the hypervolume.
func (q *queries) front(ctx context.Context, n int) (points []strategy.Point, err error) {
	known, told, places := q.known()
	ideal, width := q.extent(known)
	var made []strategy.Point
	for range n * candidates {
		weights := q.weights()
		t := &target{model: q.model, objectives: q.objectives, worth: 1, ideal: ideal, weights: make([]float64, q.objectives)}
		for k := range t.weights {
			t.weights[k] = weights[k] / width[k]
		}
		if len(q.kept) == 0 {
			t.worth = 1e-3
		}
		t.beta = []float64{0, 0.1, 0.3, 0.6}[q.r.IntN(4)]
		t.gamma = []float64{0, 0.5, 1}[q.r.IntN(3)]
		centre := q.leading(t, known, places)
		reach := []float64{widestReach, 0.8, 0.3, 0.1}[q.r.IntN(4)]
		x, err := q.solve(ctx, t, q.region.Around(centre, reach), centre, reach)
		if err != nil {
			return nil, err
		}
		made = append(made, x)
	}
	return q.take(made, n, told), nil
}

// known are the objectives, as the model sees them and as they were told, of observations that keep all
// limits, or of all when none does, and where they are.
func (q *queries) known() (points, told [][]float64, places []strategy.Point) {
	noisy := q.noisy()
	kept := map[int]bool{}
	for _, i := range q.kept {
		kept[i] = true
	}
	for a, i := range q.model.kept {
		if len(q.kept) == 0 || kept[i] {
			y := make([]float64, q.objectives)
			for k := range y {
				y[k] = q.model.w[k][a]
			}
			values := q.Outcomes[i][:q.objectives]
			if noisy {
				values = make([]float64, q.objectives)
				for k := range values {
					values[k] = q.model.warps[k].Invert(y[k])
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

// take chooses n of the points that were made, greedily by what they are expected to add to the hypervolume, with a
// bonus for what is not known of them, times the probability that they keep the limits.
func (q *queries) take(made []strategy.Point, n int, known [][]float64) (points []strategy.Point) {
	m, reference := q.model.outcomes, q.reference()
	var front [][]float64
	for _, i := range pareto.Front(known) {
		front = append(front, known[i])
	}
	if len(q.kept) == 0 {
		front = nil
	}
	left := slices.Clone(made)
	for len(points) < n && len(left) > 0 {
		x := linalg.New(len(left), q.Dim)
		for i, p := range left {
			copy(x.Row(i), p)
		}
		mean, variance := linalg.New(len(left), m), linalg.New(len(left), m)
		q.model.moments(mean, variance, x)
		base := pareto.Hypervolume(front, reference)
		best, at := math.Inf(-1), 0
		for i := range left {
			y := make([]float64, q.objectives)
			spread := 0.0
			for k := range y {
				std := math.Sqrt(variance.At(i, k))
				y[k] = q.model.warps[k].Invert(mean.At(i, k) - optimism*std)
				spread += std
			}
			gain := pareto.Hypervolume(append(slices.Clip(front), y), reference) - base + 1e-9*base*spread
			logP := 0.0
			for k := q.objectives; k < m; k++ {
				logP += num.LogNormCDF(-mean.At(i, k) / math.Sqrt(variance.At(i, k)))
			}
			if len(q.kept) == 0 {
				gain = 1
			}
			if v := math.Log(max(gain, 1e-300)) + logP; v > best {
				best, at = v, i
			}
		}
		p := left[at]
		q.separate(p)
		y := make([]float64, q.objectives)
		for k := range y {
			y[k] = q.model.warps[k].Invert(mean.At(at, k))
		}
		front = append(front, y)
		q.model.believe(p)
		points = append(points, p)
		left = slices.Delete(left, at, at+1)
	}
	return points
}
