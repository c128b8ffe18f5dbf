package acquire

import (
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/linalg"
)

// subset is the number of coordinates that a sparse perturbation moves on average.
const subset = 20

// Around fills the rows of dst with perturbations of the centres, taken in turn:
// normal steps of the given standard deviation, truncated to the box [-1,1]^D. In more
// than twenty dimensions every other round moves each coordinate with probability 20/D
// only, and at least one: where the box is wide in all directions, most of them should
// rest.
func Around(dst linalg.Matrix, centres [][]float64, stdDev float64, r *rand.Rand) {
	dim := dst.Cols
	for i := range dst.Rows {
		centre, x := centres[i%len(centres)], dst.Row(i)
		copy(x, centre)
		share := 1.0
		if round := i / len(centres); dim > subset && round%2 == 1 {
			share = subset / float64(dim)
			j := r.IntN(dim)
			x[j] = truncatedNormal(centre[j], stdDev, r)
		}
		for j := range x {
			if share == 1 || r.Float64() < share {
				x[j] = truncatedNormal(centre[j], stdDev, r)
			}
		}
	}
}

// truncatedNormal draws from a normal around a mean inside [-1,1], given that the
// draw lies there too. With a deviation below 1 a third of the draws or more are inside.
func truncatedNormal(mean, stdDev float64, r *rand.Rand) float64 {
	for {
		if v := mean + stdDev*r.NormFloat64(); math.Abs(v) <= 1 {
			return v
		}
	}
}
