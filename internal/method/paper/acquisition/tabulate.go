package acquisition

import "math"

// tabulate sets dst[i] = f(from+i) for a negative, rising f, smooth on the scale of many
// bins. A panel is interpolated when that works, halved when it does not, and tabulated
// value by value when interpolation would cost as much. Panels come in rising order;
// enter is called with the start of each.
func tabulate(dst []float64, from int, f func(k float64) float64, enter func(k int)) {
	enter(from)
	switch half := len(dst) / 2; {
	case len(dst) <= 4*minNodes:
		for i := range dst {
			dst[i] = f(float64(from + i))
		}
	case !interpolate(dst, float64(from), f):
		tabulate(dst[:half], from, f, enter)
		tabulate(dst[half:], from+half, f, enter)
	}
}

// Interpolation runs over nested sets of minNodes to maxNodes Chebyshev points. What
// counts is the error of exp(f), which is that of log(-f) times |f|*exp(f). Errors fall
// geometrically in the number of points, so that doubling them squares the error: when a
// set predicts the new points of the next to nested, the next is accurate to about 1e-14.
const (
	minNodes = 9
	maxNodes = 65
	nested   = 1e-8
)

// interpolate fits one panel in log(-f) and reports whether it converged.
func interpolate(dst []float64, from float64, f func(k float64) float64) bool {
	var x, y [maxNodes]float64
	half := float64(len(dst)-1) / 2
	// Chebyshev points of the second kind, endpoints included; those of a coarser set
	// are every stride-th.
	for i := range x {
		x[i] = half * (1 - math.Cos(math.Pi*float64(i)/(maxNodes-1)))
	}
	sample := func(i int) bool {
		y[i] = math.Log(-f(from + x[i]))
		return finite(y[i])
	}
	stride := (maxNodes - 1) / (minNodes - 1)
	for i := 0; i < maxNodes; i += stride {
		if !sample(i) {
			return false
		}
	}
	for ; stride > 1 && (maxNodes-1)/stride < len(dst)/2; stride /= 2 {
		var worst float64
		for i := stride / 2; i < maxNodes; i += stride {
			if !sample(i) {
				return false
			}
			v := math.Exp(y[i])
			worst = max(worst, math.Abs(barycentric(&x, &y, stride, x[i])-y[i])*v*math.Exp(-v))
		}
		if worst <= nested {
			for i := range dst {
				dst[i] = -math.Exp(barycentric(&x, &y, stride/2, float64(i)))
			}
			return true
		}
		// The last check would see worst squared once for each doubling left.
		if math.Pow(worst, float64(stride/2)) > nested {
			return false
		}
	}
	return false
}

// barycentric evaluates at t the polynomial through every stride-th point; the weights
// of such points are (-1)^i, halved at the ends.
func barycentric(x, y *[maxNodes]float64, stride int, t float64) float64 {
	var num, den float64
	sign := 1.0
	for i := 0; i < maxNodes; i += stride {
		d := t - x[i]
		if d == 0 {
			return y[i]
		}
		weight := sign / d
		if i == 0 || i == maxNodes-1 {
			weight /= 2
		}
		num += weight * y[i]
		den += weight
		sign = -sign
	}
	return num / den
}
