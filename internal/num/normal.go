package num

import "math"

// logSqrt2Pi is log(sqrt(2 pi)).
const logSqrt2Pi = 0.91893853320467274178032973640561763986

// NormPDF returns phi(t), the standard normal density, for every real t.
func NormPDF(t float64) float64 {
	const invSqrt2Pi = 0.39894228040143267793994605993438186848
	return invSqrt2Pi * math.Exp(-t*t/2)
}

// NormCDF returns Phi(t) for every real t. The relative error in the left tail
// grows as t^2 ulp; below about -38 the result is 0: use LogNormCDF there.
func NormCDF(t float64) float64 {
	return math.Erfc(-t/math.Sqrt2) / 2
}

// LogNormCDF returns log Phi(t) for every real t, with small relative error
// in both tails: down to -t^2/2 on the left, up to -phi(t)/t on the right.
func LogNormCDF(t float64) float64 {
	switch {
	case t > 0:
		return math.Log1p(-NormCDF(-t))
	case t > -36:
		return math.Log(NormCDF(t))
	}
	// Phi(t) = phi(t)/|t| (1 - 1/t^2 + 3/t^4 - 15/t^6 + 105/t^8 - ...); here the
	// first term left out is below 1e-12 of a logarithm beyond -650.
	q := 1 / (t * t)
	series := -q * (1 - q*(3-q*(15-q*105)))
	return -t*t/2 - math.Log(-t) - logSqrt2Pi + math.Log1p(series)
}

// LogNormSF returns log(1 - Phi(t)) for every real t, as accurate as LogNormCDF.
func LogNormSF(t float64) float64 { return LogNormCDF(-t) }
