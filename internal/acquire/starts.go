package acquire

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/num"
)

// Starts chooses n of the samples with the given acquisition values (lower is better)
// and returns their indices in the order drawn. It is BoTorch's heuristic: draws without
// replacement with weights exp(-z), z the standardised values, so that eta = 1; the best
// sample replaces the last draw when it was not drawn.
//
// When all values are equal the choice is uniform. Values that are not finite are chosen,
// uniformly, only when the finite ones do not suffice.
func Starts(values []float64, n int, r *rand.Rand) []int {
	n = max(min(n, len(values)), 0)
	var usable, rest []int
	for i, v := range values {
		if v-v == 0 {
			usable = append(usable, i)
		} else {
			rest = append(rest, i)
		}
	}
	chosen := boltzmann(values, usable, min(n, len(usable)), r)
	r.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return append(chosen, rest[:n-len(chosen)]...)
}

// boltzmann draws n of the usable samples, all of finite value.
func boltzmann(values []float64, usable []int, n int, r *rand.Rand) []int {
	if n == 0 {
		return nil
	}
	best := usable[0]
	score := make([]float64, len(usable))
	for i, u := range usable {
		score[i] = -values[u]
		if values[u] < values[best] {
			best = u
		}
	}
	equal := weights(score)
	chosen := make([]int, 0, n)
	left := slices.Clone(usable)
	for len(chosen) < n {
		i := draw(score, r)
		chosen = append(chosen, left[i])
		score = slices.Delete(score, i, i+1)
		left = slices.Delete(left, i, i+1)
	}
	if !equal && !slices.Contains(chosen, best) {
		chosen[n-1] = best
	}
	return chosen
}

// weights replaces scores by exp(eta*z), z the standardised score. While a weight
// overflows eta is halved. It reports whether the scores have no spread; then all weights
// are 1.
func weights(score []float64) (equal bool) {
	mean, std := num.MeanStd(score)
	if !(std > 0) {
		for i := range score {
			score[i] = 1
		}
		return true
	}
	for i, s := range score {
		score[i] = (s - mean) / std
	}
	eta := 1.0
	for math.IsInf(math.Exp(eta*slices.Max(score)), 1) {
		eta /= 2
	}
	for i, z := range score {
		score[i] = math.Exp(eta * z)
	}
	return false
}

// draw returns an index with probability proportional to its weight.
func draw(weight []float64, r *rand.Rand) int {
	var total float64
	for _, w := range weight {
		total += w
	}
	u := r.Float64() * total
	for i, w := range weight {
		if u -= w; u < 0 {
			return i
		}
	}
	return len(weight) - 1
}

// Race minimises f over a region: n of the samples are followed for some steps, and the one that is lowest then for more.
func Race(ctx context.Context, f Function, samples linalg.Matrix, region *Region, n, steps, more int, r *rand.Rand) ([]float64, error) {
	values := make([]float64, samples.Rows)
	f.Evaluate(values, linalg.Matrix{}, samples)
	var winner []float64
	lowest := math.Inf(1)
	for _, i := range Starts(values, n, r) {
		x, value, err := Polish(ctx, f, samples.Row(i), region, steps)
		if err != nil {
			return nil, err
		}
		if winner == nil || value < lowest {
			winner, lowest = x, value
		}
	}
	winner, _, err := Polish(ctx, f, winner, region, more)
	return winner, err
}
