package num

import "math"

// LogImprovement returns log h(u) for every real u, and its derivative Phi(u)/h(u),
// where h(u) = phi(u) + u Phi(u) is the expected improvement of a standard normal
// over the level -u. The value is -Inf only where u² overflows.
func LogImprovement(u float64) (value, slope float64) {
	if u < improvementTail {
		return logImprovementTail(-u)
	}
	cdf := NormCDF(u)
	h := NormPDF(u) + u*cdf
	return math.Log(h), cdf / h
}

// improvementTail is where the two terms of h begin to cancel.
const improvementTail = -3

// logImprovementTail is LogImprovement(-t) for t >= 3. With the continued fraction of
// Mills' ratio,
//
//	Phi(-t) = phi(t)/(t + q),  q = 1/(t + 2/(t + 3/(t + ...))),
//
// h(-t) = phi(t) - t Phi(-t) = phi(t) q/(t + q), where nothing cancels, and the
// derivative is 1/q. Fifty terms reach the last digit at t = 3.
func logImprovementTail(t float64) (value, slope float64) {
	const terms = 50
	q := t
	for k := terms; k >= 1; k-- {
		q = t + float64(k+1)/q
	}
	q = 1 / q
	return -t*t/2 - logSqrt2Pi + math.Log(q) - math.Log(t+q), 1 / q
}
