package insight

import (
	"math"

	"github.com/mahabo/mahabo/internal/num"
)

// warp maps values, lower being better, to what the model sees. With u = (y - y_min)/s, s
// the distance from the lowest to the middle value:
//
//	plain        w = (u - shift)/spread
//	logarithmic  w = (log(1 + u) - shift)/spread
type warp struct {
	scale         Scale
	unit          float64 // a power of two that makes values finite to compute with
	lowest, s     float64 // of y*unit
	shift, spread float64
	logJacobian   float64 // sum of log dw/du over the values
}

// newWarp standardises values of any size, not all equal.
func newWarp(scale Scale, y []float64) warp {
	var largest float64
	for _, v := range y {
		largest = max(largest, math.Abs(v))
	}
	_, e := math.Frexp(largest)
	t := warp{scale: scale, unit: math.Ldexp(1, max(-e, -1000)), lowest: math.Inf(1), spread: 1}
	u := make([]float64, len(y))
	for i, v := range y {
		u[i] = v * t.unit
		t.lowest = min(t.lowest, u[i])
	}
	t.s = num.Median(u) - t.lowest
	if !(t.s > 0) { // most values are the lowest one
		_, t.s = num.MeanStd(u)
	}
	for i, v := range y {
		u[i] = t.apply(v)
		t.logJacobian += math.Log(t.slope(v))
	}
	t.shift, t.spread = num.MeanStd(u)
	t.logJacobian -= float64(len(y)) * math.Log(t.spread)
	return t
}

// apply returns w.
func (t warp) apply(y float64) float64 {
	u := (y*t.unit - t.lowest) / t.s
	if t.scale == Logarithmic {
		u = math.Log1p(u)
	}
	return (u - t.shift) / t.spread
}

// slope returns dw/du.
func (t warp) slope(y float64) float64 {
	if t.scale == Logarithmic {
		return 1 / (1 + (y*t.unit-t.lowest)/t.s) / t.spread
	}
	return 1 / t.spread
}

// invert is the inverse of apply, kept finite.
func (t warp) invert(w float64) float64 {
	u := w*t.spread + t.shift
	if t.scale == Logarithmic {
		u = math.Expm1(min(u, 600))
	}
	return min(max((t.lowest+u*t.s)/t.unit, -math.MaxFloat64), math.MaxFloat64)
}
