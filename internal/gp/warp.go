package gp

import (
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/num"
)

// Warp is how a model sees values y of which lower ones are better. With u = (y - low)/size,
// low the lowest value and size its distance to the middle one, the model sees
//
//	w = (v - mean)/std,  v = u or log(1 + u),
//
// standardised.
type Warp struct {
	Log         bool
	LogJacobian float64 // sum of log dw/du over the values that it was made for

	unit      float64 // a power of two that makes values finite to compute with
	low, size float64 // of y*unit
	mean, std float64 // of v; std is 0 when all values are equal
}

// NewWarp returns a warp for values of any size, and what it makes of them. The size is at
// least the given share of the distance from the lowest value to a reference.
func NewWarp(log bool, y []float64, reference, share float64) (Warp, []float64) {
	t := Warp{Log: log}
	w := t.excess(y, reference, share)
	if log {
		for i, u := range w {
			w[i] = math.Log1p(u)
			t.LogJacobian -= w[i]
		}
	}
	t.mean, t.std = num.MeanStd(w)
	if !(t.std > 0) {
		return t, w
	}
	for i := range w {
		w[i] = (w[i] - t.mean) / t.std
	}
	t.LogJacobian -= float64(len(y)) * math.Log(t.std)
	return t, w
}

// excess sets unit, low and size, and returns u.
func (t *Warp) excess(y []float64, reference, share float64) []float64 {
	largest := math.Abs(reference)
	for _, v := range y {
		largest = max(largest, math.Abs(v))
	}
	_, e := math.Frexp(largest)
	t.unit = math.Ldexp(1, min(max(-e, -1000), 1000)) // y*unit lies in [-1,1], or nearly
	u := make([]float64, len(y))
	for i, v := range y {
		u[i] = v * t.unit
	}
	t.low = slices.Min(u)
	t.size = max(num.Median(u)-t.low, share*(reference*t.unit-t.low))
	if !(t.size > 0) { // most values are the lowest one
		_, t.size = num.MeanStd(u)
	}
	if !(t.size > 0) {
		t.size = 1
	}
	for i := range u {
		u[i] = min((u[i]-t.low)/t.size, math.MaxFloat64)
	}
	return u
}

// See returns w of a value that came after the warp was made. It may be lower than all others: below
// the lowest, log(1 + u) goes on as a line.
func (t Warp) See(y float64) float64 {
	v := min(max((y*t.unit-t.low)/t.size, -1e150), 1e150)
	if t.Log && v > 0 {
		v = math.Log1p(v)
	}
	if t.std > 0 {
		v = (v - t.mean) / t.std
	}
	return v
}

// Noise returns the standard deviation of w for that of a value y, std |dw/dy|. It is infinite when all values are equal.
func (t Warp) Noise(w, std float64) float64 {
	if !(t.std > 0) {
		return math.Inf(1) // what is divided by it may have become 0
	}
	r := std / (t.size / t.unit) / t.std
	if t.Log {
		r *= math.Exp(-t.mean - t.std*w)
	}
	return r
}

// Excess returns u of what is seen as w, kept finite: the value but for its unit and origin.
func (t Warp) Excess(w float64) float64 {
	u := t.mean + t.std*w
	if t.Log {
		u = math.Expm1(min(u, 600))
	}
	return u
}

// Invert returns the value y that is seen as w, kept finite.
func (t Warp) Invert(w float64) float64 {
	u := t.Excess(w)
	return min(max((t.low+u*t.size)/t.unit, -math.MaxFloat64), math.MaxFloat64)
}

// Moments returns the moments of y for those of w. Of log(1 + u) ~ N(m, v) the moments of u
// are
//
//	E u = exp(m + v/2) - 1,  var u = (exp(v) - 1) exp(2m + v).
func (t Warp) Moments(m, v float64) (mean, variance float64) {
	m, v = t.mean+t.std*m, t.std*t.std*v
	if t.Log {
		m, v = math.Expm1(m+v/2), math.Expm1(v)*math.Exp(2*m+v)
	}
	size := t.size / t.unit
	if v == 0 { // all values are equal; size² may be infinite
		return t.low/t.unit + size*m, 0
	}
	return t.low/t.unit + size*m, size * size * v
}
