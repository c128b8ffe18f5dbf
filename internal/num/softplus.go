package num

import "math"

// Softplus returns log(1 + e^x) for every real x, without overflow, and with
// small relative error where it underflows towards 0.
func Softplus(x float64) float64 {
	// log(1+e^x) = max(x,0) + log(1+e^-|x|)
	return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

// InvSoftplus returns the x with Softplus(x) = y, for y > 0. It is -Inf at 0
// and NaN below.
func InvSoftplus(y float64) float64 {
	// log(e^y - 1) = y + log(1 - e^-y): the first form for small y, where the
	// second cancels, the second for large y, where the first overflows.
	if y < math.Ln2 {
		return math.Log(math.Expm1(y))
	}
	return y + Log1mExp(-y)
}

// Sigmoid returns 1/(1 + e^-x), the derivative of Softplus, for every real x,
// with small relative error in both tails.
func Sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

// Log1mExp returns log(1 - e^x) for x <= 0: -Inf at 0, NaN above.
func Log1mExp(x float64) float64 {
	// M. Maechler, Accurately computing log(1 - exp(-|a|)), 2012: the two forms
	// are best on either side of -log 2.
	if x > -math.Ln2 {
		return math.Log(-math.Expm1(x))
	}
	return math.Log1p(-math.Exp(x))
}
