package num

import (
	"math"
	"slices"
)

// MeanStd returns the mean and the sample standard deviation (divisor n-1) of
// finite numbers of any size: squares neither overflow nor underflow, and a
// large common offset costs no digits of the deviation. Equal numbers have
// deviation exactly 0, and so has one number. An empty x gives NaN twice, and
// so does an x with a NaN or an infinity.
func MeanStd(x []float64) (mean, std float64) {
	if len(x) == 0 {
		return math.NaN(), math.NaN()
	}
	var largest float64
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	if math.IsNaN(largest) || math.IsInf(largest, 0) {
		return math.NaN(), math.NaN()
	}
	// d = (x - x0)/2^e lies in [-2,2], and subtracting the offset x0 first
	// makes it as accurate as the deviations themselves. 2^-e must be finite.
	_, e := math.Frexp(largest)
	e = max(e, -1000)
	scale := math.Ldexp(1, -e)
	x0 := x[0] * scale
	n := float64(len(x))
	var dMean float64
	for _, v := range x {
		dMean += v*scale - x0
	}
	dMean /= n
	if len(x) == 1 {
		return x[0], 0
	}
	// The second sum is zero but for rounding: it takes back the error of dMean.
	var square, rest float64
	for _, v := range x {
		d := v*scale - x0 - dMean
		square += d * d
		rest += d
	}
	variance := max(0, square-rest*rest/n) / (n - 1)
	return math.Ldexp(x0+dMean, e), math.Ldexp(math.Sqrt(variance), e)
}

// Median returns the middle value of x, or the mean of the two middle values.
// It is NaN when x is empty or holds a NaN.
func Median(x []float64) float64 {
	if len(x) == 0 || slices.ContainsFunc(x, math.IsNaN) {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(x))
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	// Halved first, for the sum of two large numbers may overflow.
	return sorted[mid-1]/2 + sorted[mid]/2
}
