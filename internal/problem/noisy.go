package problem

import (
	"fmt"
	"math"

	"github.com/mahabo/mahabo/internal/rng"
)

// Noisy adds independent Gaussian noise to what an optimiser sees of p; Value
// stays noise-free. The noise is a function of (seed, x), not of the order of
// evaluations, so parallel runs reproduce. Evaluating a point again therefore
// gives the same value: averaging needs distinct points.
func Noisy(p Problem, stdDev float64, seed uint64) (Problem, error) {
	if !(stdDev >= 0) || math.IsInf(stdDev, 1) {
		return Problem{}, fmt.Errorf("noise of %s: stdDev is %g, it must be finite and not negative", p.Name, stdDev)
	}
	q := p
	q.Eval = func(x []float64) float64 { return p.Eval(x) + stdDev*noiseAt(seed, x) }
	q.NoiseFree = p.Value
	return q, nil
}

// noiseAt returns the standard normal number that belongs to (seed, x).
func noiseAt(seed uint64, x []float64) float64 {
	name := make([]uint64, 1, len(x)+1)
	name[0] = rng.Purpose("noise")
	for _, v := range x {
		name = append(name, math.Float64bits(v+0)) // -0 + 0 = 0: equal points, equal noise
	}
	return rng.New(seed, name...).NormFloat64()
}
