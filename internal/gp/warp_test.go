package gp

import (
	"math"
	"slices"
	"testing"
)

// A warp sees neither units nor offsets, whatever their size.
func TestWarpHasNoUnits(t *testing.T) {
	y := []float64{3, -1, 4, 1, 5}
	for _, log := range []bool{true, false} {
		_, want := NewWarp(log, y, 2, 0.3)
		for _, c := range []struct{ factor, offset float64 }{{1e-300, 0}, {1e-7, 0}, {1e300, 0}, {1, 1e3}, {8, -2e3}} {
			moved := make([]float64, len(y))
			for i, v := range y {
				moved[i] = c.factor*v + c.offset
			}
			_, got := NewWarp(log, moved, 2*c.factor+c.offset, 0.3)
			for i, w := range got {
				if math.Abs(w-want[i]) > 1e-11 {
					t.Errorf("%v: value %d is %g, want %g", c, i, w, want[i])
				}
			}
		}
	}
}

// The way back undoes the way there, and slopes are those of it.
func TestWarpInverts(t *testing.T) {
	for name, y := range map[string][]float64{
		"usual":         {3, 40, 5, 7, 900},
		"mostly lowest": {2, 2, 2, 2, 50},
		"far from 0":    {1e5, 1e5 + 1, 1e5 + 2, 1e5 + 4},
		"huge":          {-1e308, 0, 1e307, 1e308},
	} {
		for _, log := range []bool{true, false} {
			warp, w := NewWarp(log, y, y[0], 0)
			var jacobian float64
			for i, v := range y {
				back, size := warp.Invert(w[i]), math.Abs(y[len(y)-1])
				if math.Abs(back-v) > 1e-9*size {
					t.Errorf("%s, logarithm %t: %g came back as %g", name, log, v, back)
				}
				if name == "huge" {
					continue
				}
				if mean, variance := warp.Moments(w[i], 0); math.Abs(mean-v) > 1e-9*size || variance != 0 {
					t.Errorf("%s, logarithm %t: %g came back as %g ± %g", name, log, v, mean, variance)
				}
				const h = 1e-4
				slope := 2 * h / (warp.Invert(w[i]+h) - warp.Invert(w[i]-h))
				if got := warp.Noise(w[i], 1); math.Abs(got-slope) > 1e-4*slope {
					t.Errorf("%s, logarithm %t: dw/dy is %g at %g, want %g", name, log, got, v, slope)
				}
				jacobian += math.Log(warp.Noise(w[i], warp.size/warp.unit))
			}
			if name != "huge" && math.Abs(jacobian-warp.LogJacobian) > 1e-9 {
				t.Errorf("%s, logarithm %t: the Jacobian is %g, want %g", name, log, warp.LogJacobian, jacobian)
			}
		}
	}
	warp, w := NewWarp(true, []float64{7, 7}, 7, 0.3)
	if mean, variance := warp.Moments(1, 1); w[0] != 0 || w[1] != 0 || mean != 7 || variance != 0 {
		t.Errorf("equal values are seen as %v, and come back as %g ± %g", w, mean, variance)
	}
	for _, y := range [][]float64{{0, 0.1, math.MaxFloat64}, {1e-20, 2e-20, 1e300}, {1e-310, 2e-310, 0}} {
		for _, log := range []bool{false, true} {
			if _, w := NewWarp(log, y, y[1], 0.3); slices.ContainsFunc(w, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
				t.Errorf("%v, logarithm %t: seen as %v", y, log, w)
			}
		}
	}
	for _, huge := range []float64{1e160, -1e300, math.MaxFloat64} {
		warp, _ := NewWarp(true, []float64{huge, huge}, huge, 0.3)
		if mean, variance := warp.Moments(1, 1); mean != huge || variance != 0 {
			t.Errorf("values of %g come back as %g ± %g", huge, mean, variance)
		}
		if noise := warp.Noise(0, 1e-300); !math.IsInf(noise, 1) {
			t.Errorf("a deviation of 1e-300 beside values of %g is seen as %g", huge, noise)
		}
	}
}

// The moments are those of samples.
func TestWarpMoments(t *testing.T) {
	warp, _ := NewWarp(true, []float64{3, 40, 5, 7, 900}, 3, 0)
	const m, v, n = 0.3, 0.04, 4000
	var sum, squares float64
	for i := range n { // midpoints of equally likely intervals
		y := warp.Invert(m + math.Sqrt(v)*math.Sqrt2*math.Erfinv(2*(float64(i)+0.5)/n-1))
		sum += y / n
		squares += y * y / n
	}
	mean, variance := warp.Moments(m, v)
	if math.Abs(mean-sum) > 1e-3*sum || math.Abs(variance-(squares-sum*sum)) > 1e-2*variance {
		t.Errorf("moments %g ± %g, of samples %g ± %g", mean, variance, sum, squares-sum*sum)
	}
}

// A value that comes later is seen as those that the warp was made for, and lower ones in order.
func TestWarpSees(t *testing.T) {
	y := []float64{3, 1, 40, 2, 5}
	for _, log := range []bool{true, false} {
		warp, w := NewWarp(log, y, 10, 0.3)
		for i, v := range y {
			if got := warp.See(v); math.Abs(got-w[i]) > 1e-12 {
				t.Errorf("log %v: %g is seen as %g, want %g", log, v, got, w[i])
			}
		}
		if low, lower := warp.See(0), warp.See(-100); !(lower < low && low < w[1]) || math.IsInf(warp.See(-math.MaxFloat64), 0) {
			t.Errorf("log %v: lower values are seen as %g and %g, the lowest as %g", log, low, lower, w[1])
		}
	}
}
