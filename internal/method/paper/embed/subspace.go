package embed

import "math"

// Subspace is a part of the box [-1,1]^D that few coordinates describe,
// x = clamp(Az) with z in [-1,1]^d. A is D x d and drawn once, without knowledge of
// the objective.
type Subspace interface {
	// Dims returns d and D.
	Dims() (low, high int)
	// Expand computes x = clamp(Az).
	Expand(x, z []float64)
	// Recover fills z with a point of [-1,1]^d whose image is x, or near x in the sense
	// of least squares when there is none, and returns the distance of that image from
	// x: the root of the mean square over the coordinates. It is a function of x alone.
	Recover(z, x []float64) (distance float64)
}

// clamp moves v into [-1,1].
func clamp(v float64) float64 { return min(max(v, -1), 1) }

// apart returns the root of the mean squared difference of a and b.
func apart(a, b []float64) float64 {
	sum := 0.0
	for j, v := range a {
		sum += (v - b[j]) * (v - b[j])
	}
	return math.Sqrt(sum / float64(len(a)))
}
