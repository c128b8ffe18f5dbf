package acquisition

import "math"

// certain is a level of log P below which 1 - P rounds to 1: exp(-40) < 2^-54.
const certain = -40

// survival evaluates log P(w) = sum_i log(1 - Phi((w - mean_i)/std_i)), a
// function that rises to 0 as w falls.
type survival struct {
	mean, inv []float64 // points of positive deviation: mean and 1/std
	known     float64   // lowest mean of the points of zero deviation
	minMean   float64   // lowest mean of all points
	meanStd   float64
	count     int // points in use
	table     *logSFTable
}

func newSurvival(mean, std []float64) *survival {
	s := &survival{known: math.Inf(1), minMean: math.Inf(1), table: logSF()}
	s.mean, s.inv = make([]float64, 0, len(mean)), make([]float64, 0, len(mean))
	for i, mu := range mean {
		sd := std[i]
		if !finite(mu) || !finite(sd) || sd < 0 {
			continue
		}
		s.count++
		s.minMean = min(s.minMean, mu)
		// Update the running mean without a sum, which could overflow.
		s.meanStd += (sd - s.meanStd) / float64(s.count)
		if inv := 1 / sd; finite(inv) {
			s.mean, s.inv = append(s.mean, mu), append(s.inv, inv)
		} else {
			s.known = min(s.known, mu)
		}
	}
	return s
}

// logP returns log P(w), or some number below certain when it is below.
func (s *survival) logP(w float64) float64 {
	if w > s.known {
		return math.Inf(-1)
	}
	const block = 64
	var sum float64
	mean, inv := s.mean, s.inv
	for len(mean) > 0 && sum >= certain {
		n := min(block, len(mean))
		sum += s.table.sum(w, mean[:n], inv[:n])
		mean, inv = mean[n:], inv[n:]
	}
	return sum
}

// drop removes the points that contribute less than 1e-18 to log P at w, and so at
// every lower level: Phi(-8.76) < 1e-18. All of them together change log P by less than
// their number times that.
func (s *survival) drop(w float64) {
	const negligible = -8.76
	kept := 0
	for i, mu := range s.mean {
		if (w-mu)*s.inv[i] >= negligible {
			s.mean[kept], s.mean[i] = mu, s.mean[kept]
			s.inv[kept], s.inv[i] = s.inv[i], s.inv[kept]
			kept++
		}
	}
	s.mean, s.inv = s.mean[:kept], s.inv[:kept]
}

// integrate returns best - sum over bins of (1 - P(w))*bin. log P is monotone in w, so
// bisection finds the bins where P is 0 to the last bit and the last bin; only between
// the two does log P have to be known.
func (s *survival) integrate(best, bin float64) float64 {
	all, invs := s.mean, s.inv
	defer func() { s.mean, s.inv = all, invs }()
	level := func(k float64) float64 { return s.logP(best - k*bin) }

	s.drop(best)
	first := crossing(0, maxBins, certain, level)
	m := best
	for range first {
		m -= bin
	}
	if first == maxBins {
		return m
	}
	s.drop(best - float64(first)*bin)
	last := crossing(first, maxBins-1, lastTerm, level)
	logs := make([]float64, last-first+1)
	tabulate(logs, first, level, func(k int) { s.drop(best - float64(k)*bin) })
	for _, l := range logs {
		m += math.Expm1(l) * bin
	}
	return m
}

// crossing returns the first k in [from, to) with f(k) >= level, or to, for a rising
// negative f: growing strides, then regula falsi on log(f/level), halved in weight on
// the side that stays (Illinois).
func crossing(from, to int, level float64, f func(k float64) float64) int {
	g := func(k int) float64 { return math.Log(f(float64(k)) / level) } // positive below the level
	lo, glo := from-1, math.Inf(1)
	hi, ghi := to, math.Inf(-1)
	for k, stride := from, 16; k < to; k, stride = k+stride, 4*stride {
		v := g(k)
		if v <= 0 {
			hi, ghi = k, v
			break
		}
		lo, glo = k, v
	}
	side := 0
	for hi-lo > 1 {
		k := lo + (hi-lo)/2
		if finite(glo) && finite(ghi) {
			k = lo + int(math.Round(float64(hi-lo)*glo/(glo-ghi)))
			k = min(max(k, lo+1), hi-1)
		}
		if v := g(k); v <= 0 {
			hi, ghi = k, v
			if side < 0 {
				glo /= 2
			}
			side = -1
		} else {
			lo, glo = k, v
			if side > 0 {
				ghi /= 2
			}
			side = 1
		}
	}
	return hi
}
