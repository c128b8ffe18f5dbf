package acquire

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/strategy"
)

func uniform(r *rand.Rand, dim int) []float64 {
	x := make([]float64, dim)
	for j := range x {
		x[j] = 2*r.Float64() - 1
	}
	return x
}

func TestAroundStaysNearItsCentres(t *testing.T) {
	const stdDev = 0.01
	r := rand.New(rand.NewPCG(1, 2))
	for _, dim := range []int{1, 20, 21, 400} {
		corner, inside := make([]float64, dim), uniform(r, dim)
		for j := range corner {
			corner[j] = 1
		}
		centres := [][]float64{corner, inside}
		dst := linalg.New(40, dim)
		Around(dst, centres, stdDev, r)
		var moved [2]int // coordinates moved in dense and in sparse rounds
		for i := range dst.Rows {
			x, centre := dst.Row(i), centres[i%2]
			if err := strategy.CheckPoint(x, dim); err != nil {
				t.Fatal(err)
			}
			count := 0
			for j, v := range x {
				if math.Abs(v-centre[j]) > 6*stdDev {
					t.Fatalf("D=%d: coordinate %d moved from %g to %g", dim, j, centre[j], v)
				}
				if v != centre[j] {
					count++
				}
			}
			if count == 0 {
				t.Errorf("D=%d: sample %d is its centre", dim, i)
			}
			moved[i/2%2] += count
		}
		if moved[0] != 20*dim {
			t.Errorf("D=%d: %d coordinates moved in the dense rounds, want all %d", dim, moved[0], 20*dim)
		}
		// Twenty on average over twenty samples; a binomial deviation is below 20.
		if want := 20 * min(20, dim); math.Abs(float64(moved[1]-want)) > 100 {
			t.Errorf("D=%d: %d coordinates moved in the sparse rounds, want about %d", dim, moved[1], want)
		}
	}
}

// At the boundary a truncated normal is half a normal: mean sqrt(2/pi) deviations inside.
func TestTruncatedNormalAtTheBoundary(t *testing.T) {
	const draws, stdDev = 20000, 0.02
	r := rand.New(rand.NewPCG(3, 4))
	sum := 0.0
	for range draws {
		sum += (1 - truncatedNormal(1, stdDev, r)) / stdDev
	}
	if mean, want := sum/draws, math.Sqrt(2/math.Pi); math.Abs(mean-want) > 0.02 {
		t.Errorf("mean %g, want %g", mean, want)
	}
}
