package stop

import "math"

const (
	leastPoints = 4  // of a curve that is extrapolated
	mostPoints  = 64 // that are looked at
)

// Extrapolate says what a curve comes to at a later step, and the standard deviation of that.
//
// Curves are y(s) = a + b g(s) + noise, where g falls from 1 to 0: as a power of s, or as an
// exponential. For every g on a grid a and b have normal priors as wide as ten times the spread of the
// values, and the variance of the noise an inverse gamma prior; the prediction is then a t distribution, and the
// grid is averaged by how likely it makes the values. Values are NaN for fewer than four points.
func Extrapolate(steps []int64, values []float64, at int64) (mean, std float64) {
	s, y := thinned(steps, values)
	n := len(y)
	if n < leastPoints {
		return math.NaN(), math.NaN()
	}
	largest := 0.0
	for _, v := range y {
		largest = math.Max(largest, math.Abs(v))
	}
	_, unit := math.Frexp(largest) // squares of values of any size are numbers then
	for i, v := range y {
		y[i] = math.Ldexp(v, -unit)
	}
	centre, spread := moments(y)
	if spread == 0 {
		return math.Ldexp(y[n-1], unit), 0
	}
	for i := range y {
		y[i] = (y[i] - centre) / spread
	}
	var logs, means, variances []float64
	for _, g := range falls(s[n-1]) {
		x := make([]float64, n)
		for i := range s {
			x[i] = g(s[i])
		}
		log, m, v := regress(x, y, g(float64(at)))
		logs, means, variances = append(logs, log), append(means, m), append(variances, v)
	}
	most := math.Inf(-1)
	for _, l := range logs {
		most = math.Max(most, l)
	}
	total := 0.0
	for i, l := range logs {
		w := math.Exp(l - most)
		total += w
		mean += w * means[i]
		std += w * (variances[i] + means[i]*means[i])
	}
	mean /= total
	std = math.Sqrt(math.Max(0, std/total-mean*mean))
	return math.Ldexp(centre+spread*mean, unit), math.Ldexp(spread*std, unit)
}

// falls are the shapes of curves that have reached step s.
func falls(s float64) (list []func(float64) float64) {
	for _, c := range []float64{0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3} {
		list = append(list, func(t float64) float64 { return math.Pow(1+t, -c) })
	}
	for _, c := range []float64{0.3, 1, 3, 8} {
		list = append(list, func(t float64) float64 { return math.Exp(-c * t / s) })
	}
	return list
}

const (
	priorVariance = 100.0 // of a and b, beside that of the noise: values have spread 1
	priorShape    = 1.0   // of the inverse gamma distribution of the noise
	priorScale    = 1e-4
)

// regress fits y = a + b x and returns the logarithm of the evidence, up to a constant, and mean and
// variance of the prediction at x = to.
func regress(x, y []float64, to float64) (log, mean, variance float64) {
	// The precision of (a, b), beside that of the noise, is K = X'X + I/priorVariance.
	k11, k12, k22 := 1/priorVariance, 0.0, 1/priorVariance
	var r1, r2, yy float64
	for i := range x {
		k11++
		k12 += x[i]
		k22 += x[i] * x[i]
		r1 += y[i]
		r2 += x[i] * y[i]
		yy += y[i] * y[i]
	}
	det := k11*k22 - k12*k12
	a, b := (k22*r1-k12*r2)/det, (k11*r2-k12*r1)/det
	n := float64(len(x))
	shape := priorShape + n/2
	scale := priorScale + math.Max(0, yy-a*r1-b*r2)/2
	log = -math.Log(det)/2 - shape*math.Log(scale)
	lever := (k22 - 2*to*k12 + to*to*k11) / det
	return log, a + b*to, scale / (shape - 1) * (1 + lever)
}

// thinned copies at most mostPoints of a curve, spread evenly over the indices, the last included.
func thinned(steps []int64, values []float64) (s, y []float64) {
	n := min(len(steps), mostPoints)
	for i := range n {
		k := (i + 1) * len(steps) / n
		s, y = append(s, float64(steps[k-1])), append(y, values[k-1])
	}
	return s, y
}

func moments(y []float64) (mean, std float64) {
	for _, v := range y {
		mean += v / float64(len(y))
	}
	for _, v := range y {
		std += (v - mean) * (v - mean) / float64(len(y))
	}
	return mean, math.Sqrt(std)
}
