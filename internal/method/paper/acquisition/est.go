package acquisition

import "math"

// Constants of the integration that estimates the minimum.
const (
	maxBins   = 10000 // bins of the integral
	minBin    = 0.01  // narrowest bin
	lastTerm  = -1e-5 // the integral ends where log P(minimum > w) reaches this
	belowMean = 1e-6  // the estimate stays this far below the lowest mean
	maxPoints = 10000
)

// ESTPoints is the number of uniform points of the box on which EST works:
// min(2^dim, 10000).
func ESTPoints(dim int) int {
	if dim < 14 {
		return 1 << max(dim, 0)
	}
	return maxPoints
}

// EST returns beta for the LCB and the estimate m of the minimum it aims at, from
// posterior means and standard deviations at random points and the best observed
// value. With P(w) the probability that all points, taken as independent, exceed w,
//
//	m = best - integral of 1 - P(w) dw over w < best, and m <= min(mean) - 1e-6
//	beta = min over points of (mean - m)/std
//
// The integral is a sum over bins of width max(0.01*mean(std), 0.01), from best down
// to the first bin with log P >= -1e-5, at most 10,000.
//
// Points with a mean or deviation that is not finite, or with a negative deviation,
// are left out. Points with zero deviation are known values: they count in P and in
// min(mean), and bind beta only through m. A best that is not finite is replaced by
// the lowest mean. The answer is always finite: beta is 0 when no point has a positive
// deviation, and m is best (0 when that is not finite) when there are no points.
func EST(mean, std []float64, best float64) (beta, minEstimate float64) {
	s := newSurvival(mean, std)
	if !finite(best) {
		best = s.minMean
	}
	if s.count == 0 {
		if !finite(best) {
			best = 0
		}
		return 0, best
	}
	bin := max(0.01*s.meanStd, minBin)
	m := s.integrate(best, bin)
	m = min(m, s.minMean-belowMean)
	beta = math.Inf(1)
	for i, mu := range s.mean {
		beta = min(beta, (mu-m)*s.inv[i])
	}
	if !finite(beta) || len(s.mean) == 0 {
		beta = 0
	}
	return beta, m
}

func finite(v float64) bool { return v-v == 0 }
