package bench

import (
	"cmp"
	"math"
	"slices"
)

// exactPairs is the number of pairs up to which the distribution of the signed
// ranks is computed, in O(n³), rather than approximated.
const exactPairs = 200

// signedRank is Wilcoxon's signed-rank test of paired differences. Differences
// of zero are dropped and equal ones share their mean rank.
//
//	W+, W-   sums of the ranks of |d| over d > 0 and d < 0
//	effect   (W- - W+)/(W- + W+), the matched-pairs rank-biserial correlation:
//	         1 when all d < 0, -1 when all d > 0, 0 without a difference
//	p        two-sided: probability of a W+ at least as far from its mean when
//	         every sign is a fair coin
func signedRank(d []float64) (effect, p float64) {
	d = slices.DeleteFunc(slices.Clone(d), func(v float64) bool { return v == 0 })
	if len(d) == 0 {
		return 0, 1
	}
	slices.SortFunc(d, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	ranks := doubledRanks(d)
	plus, minus := 0, 0
	for i, v := range d {
		if v > 0 {
			plus += ranks[i]
		} else {
			minus += ranks[i]
		}
	}
	effect = float64(minus-plus) / float64(minus+plus)
	if len(d) > exactPairs {
		return effect, normalTail(ranks, min(plus, minus))
	}
	return effect, exactTail(ranks, min(plus, minus))
}

// doubledRanks returns twice the ranks of sorted magnitudes: mean ranks are
// multiples of a half.
func doubledRanks(d []float64) []int {
	ranks := make([]int, len(d))
	for i := 0; i < len(d); {
		j := i
		for j < len(d) && math.Abs(d[j]) == math.Abs(d[i]) {
			j++
		}
		for k := i; k < j; k++ {
			ranks[k] = i + 1 + j // twice the mean of i+1 .. j
		}
		i = j
	}
	return ranks
}

// exactTail is 2 P(W <= w), at most 1, W being the sum of the ranks that a fair
// coin chooses.
func exactTail(ranks []int, w int) float64 {
	prob := make([]float64, w+1) // prob[s] = P(W = s) over the ranks so far
	prob[0] = 1
	for _, r := range ranks {
		for s := w; s >= 0; s-- {
			prob[s] /= 2
			if s >= r {
				prob[s] += prob[s-r] / 2
			}
		}
	}
	var tail float64
	for _, v := range prob {
		tail += v
	}
	return min(1, 2*tail)
}

// normalTail is the same for many ranks: W has mean sum(r)/2 and variance
// sum(r²)/4.
func normalTail(ranks []int, w int) float64 {
	var mean, variance float64
	for _, r := range ranks {
		mean += float64(r) / 2
		variance += float64(r) * float64(r) / 4
	}
	z := (float64(w) + 1 - mean) / math.Sqrt(variance) // continuity: half of a step of 2
	return min(1, math.Erfc(-z/math.Sqrt2))
}

// holm adjusts p values for their number: the k-th smallest of n becomes
// (n-k+1) p, and none is below one before it.
func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	last := 0.0
	for k, i := range order {
		last = max(last, min(1, float64(len(p)-k)*p[i]))
		adjusted[i] = last
	}
	return adjusted
}
