package cmaes

import "math"

// fold maps u into [lo, hi] as mirrors at both ends would; u inside stays.
func fold(u, lo, hi float64) float64 {
	if u >= lo && u <= hi {
		return u
	}
	width := hi - lo
	t := math.Mod(u-lo, 2*width)
	if t < 0 {
		t += 2 * width
	}
	if t > width {
		t = 2*width - t
	}
	return min(hi, lo+t)
}

// unfold returns the preimage of x under fold that is nearest to m. The preimages
// are x and its mirror image 2 lo - x, and all that lies 2 (hi-lo) k from them.
func unfold(x, m, lo, hi float64) float64 {
	period := 2 * (hi - lo)
	a := x + period*math.Round((m-x)/period)
	b := 2*lo - x
	b += period * math.Round((m-b)/period)
	if math.Abs(a-m) <= math.Abs(b-m) {
		return a
	}
	return b
}
